/* sampling_plan.h: draws from the posterior of a model: a plan, its run, and the result.
 *
 *   tw_sampling_plan *plan;
 *   tw_sampling_result result;
 *   tw_sampling_plan_new(model, NULL, NULL, &plan);    fit and choose the sampler, from options (NULL: the defaults)
 *   tw_sampling_run(plan, NULL, &result);              start, warm up, draw, judge
 *
 * A plan fits EP where something leans on it, chooses the sampler by pilot runs where none is named, and holds the
 * options of the chains. It may be read and changed before it is run. The program and the Python package do nothing
 * else: the same options give the same draws everywhere, to the bit, for any number of threads.
 */
#ifndef TALWEG_SAMPLING_PLAN_H
#define TALWEG_SAMPLING_PLAN_H

#include <talweg/chains.h>
#include <talweg/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options ---- */

/* What is wanted. Texts and arrays must outlive the plan. */
typedef struct tw_sampling_options {
    /* The transitions, by name (sample.h), or "auto": the best of them in short pilot runs. */
    const char *method;
    const char *metric; /* theirs, by name, or "auto": the method's first, or what the pilots choose */
    /* Where chains start: "ep", over-dispersed draws from EP's Gaussian, or "prior", draws from it; or at `positions`,
     * n x `position_columns`, one column for each chain or one for all of them, where those are given. */
    const char *init;
    const double *positions;
    size_t position_rows, position_columns;
    const char *from;              /* q at b = 0: "prior", "ep", or what results call `reference` */
    const tw_reference *reference; /* q itself; must outlive the plan. NULL: as `from` says */
    double beta;                   /* p(y, x)^beta q(x)^(1 - beta) is sampled; 1: the posterior */
    /* TW_AUTOMATIC: 32 where chains move in lockstep, which costs little more than 4, and 4 where each moves by itself
     * (rmhmc); fewer from n = 32768 on, for the memory that draws take; one for each column of `positions`. */
    size_t chains;
    /* Iterations that tune, of which a winner's pilot run has done the first. TW_AUTOMATIC: 500, down to 200 where there are more
     * than four chains to learn from; after pilot runs 100 to 1000, ten times the autocorrelation time that they found. */
    size_t warmup;
    size_t draws; /* kept of each chain. 0: as many as the goal needs */
    /* The goal: the run ends when the worst latent has this ESS and R-hat is in order (tw_chains_options), or after
     * max_draws draws of each chain. Where draws are not kept, whoever watches looks at them (on_look). */
    double until_ess;
    size_t max_draws;
    /* > 0: the run ends so many seconds after the plan was begun, with the draws that there are: the clock ends a run and
     * changes nothing else. */
    double max_seconds;
    size_t thin;             /* every thin-th iteration is a draw */
    double eps;              /* step size. 0: tuned in warm-up */
    size_t steps;            /* exactly so many leapfrog steps. 0: tuned in warm-up, and jittered */
    double target_accept;    /* of the tuning */
    double solver_tolerance; /* of implicit equations (tw_sampler_options) */
    size_t fixed_point;
    double reverse_check;
    bool keep; /* the draws, in memory (tw_chains_options); else they go to whoever watches alone */
    uint64_t seed;
    size_t threads; /* which change no result; 0: as many as this process may use */
    /* EP's, made already for this model; must outlive the plan. NULL: the plan makes it, where it is needed. */
    const tw_approximation *ep;
} tw_sampling_options;
#define TW_SAMPLING_DEFAULTS                           \
    ((tw_sampling_options){.method = "auto",           \
                           .metric = "auto",           \
                           .init = "ep",               \
                           .from = "prior",            \
                           .beta = 1.0,                \
                           .chains = TW_AUTOMATIC,     \
                           .warmup = TW_AUTOMATIC,     \
                           .until_ess = TW_ESS_ENOUGH, \
                           .max_draws = 10000,         \
                           .thin = 1,                  \
                           .target_accept = 0.8,       \
                           .solver_tolerance = 1e-9,   \
                           .reverse_check = 1.0,       \
                           .keep = true,               \
                           .seed = 1})

/* Could this be a plan? Fails as tw_sampling_plan_new would before it computes anything. options NULL: the defaults. */
TW_API tw_status tw_sampling_options_check(tw_context *ctx, const tw_sampling_options *options);

/* ---- the plan ---- */

enum { TW_REASON_BYTES = 128 };

/* What will be done. Whoever changes it keeps its parts consistent. */
typedef struct tw_sampling_plan {
    tw_context *ctx;
    tw_posterior posterior;  /* what is sampled; its approximation is NULL where nothing leans on one */
    const char *from, *init; /* as the options have them */
    const double *positions; /* where chains start; NULL: as `init` says */
    size_t position_rows, position_columns;
    size_t chains;
    tw_choice choice;                  /* of the pilot runs; count 0: the method was named */
    tw_head_start head;                /* the winner's, where chains start at "ep"; freed with the plan */
    tw_sampler_options sampler;        /* as chosen */
    tw_chains_options run;             /* but for its callbacks, which are those of the run */
    double fit_seconds, pilot_seconds; /* of wall time; without the pilot that is the start of a warm-up */
    double deadline;                   /* the moment at which the run ends (tw_wall_seconds); 0: none */
    /* What an earlier part of the run left in the store. */
    tw_chains_state earlier;                 /* where the chains stood; count 0: there were no draws */
    double earlier_warmup, earlier_sampling; /* seconds */
    tw_approximation *own;                   /* that is freed with the plan; NULL: none */
    char reason[TW_AUTO_MAX_CANDIDATES][TW_REASON_BYTES]; /* of a choice that comes from the store */
} tw_sampling_plan;

/* Who watches, and where draws and the state go. */
typedef struct tw_sampling_watch {
    void *user;
    tw_progress_function *progress;                           /* true ends it; may be NULL */
    tw_status (*on_draw)(void *user, const tw_draw *draw);    /* may be NULL; a failure ends the run */
    tw_status (*on_look)(void *user, tw_chains_summary *out); /* as tw_chains_options has it; may be NULL */
    /* Where a run keeps its state, and what it goes on from; NULL: none. A run that goes on does not keep draws
     * (tw_sampling_options). */
    const tw_store *store;
} tw_sampling_watch;

/* Make a plan: check the options, fit, choose. options NULL: the defaults; watch NULL: nobody. The choice goes to the
 * store, or comes from there. Where EP does not converge, Laplace's Gaussian takes its place, with a warning. */
TW_API tw_status tw_sampling_plan_new(const tw_model *model, const tw_sampling_options *options,
                                      const tw_sampling_watch *watch, tw_sampling_plan **out);
TW_API void tw_sampling_plan_free(tw_sampling_plan *plan); /* before the model */

/* ---- the run ---- */

/* What came out. Release it before the context. */
typedef struct tw_sampling_result {
    tw_draws *draws;                         /* those so far where progress or the clock ended the run */
    bool out_of_time;                        /* it was the clock */
    double warmup_seconds, sampling_seconds; /* of wall time, with those of earlier parts */
    double sampling_cpu_seconds;             /* of all threads together, of this part alone */
    tw_chains_summary summary;
    tw_warnings warnings;
} tw_sampling_result;

/* Start the chains, warm up, draw, summarise and judge. A state in the store is gone on from: then there is no warm-up,
 * and the draws before it are not made again. Where draws were not kept, summary and warnings are those of no draws:
 * whoever has the draws fills `summary` and calls tw_sampling_judge. watch NULL: nobody. */
TW_API tw_status tw_sampling_run(const tw_sampling_plan *plan, const tw_sampling_watch *watch,
                                 tw_sampling_result *out);

/* Make the warnings, from summary and draws. */
TW_API void tw_sampling_judge(tw_sampling_result *result);
TW_API void tw_sampling_result_release(tw_sampling_result *result);

#ifdef __cplusplus
}
#endif

#endif
