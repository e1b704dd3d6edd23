/* sampling_plan.h: draws from the posterior of a model: a plan, its run, and the result.
 *
 *   tw_sampling_plan *plan;
 *   tw_sampling_result result;
 *   tw_sampling_plan_new(model, NULL, NULL, &plan);    fit and choose the sampler, from options (NULL: the defaults)
 *   tw_sampling_run(plan, NULL, &result);              start, warm up, draw, judge
 *
 * A plan fits EP if needed, chooses the sampler by pilot runs unless one is named, and holds the options of the
 * chains. It may be read and changed before it is run. The program and the Python package use these functions, so
 * the same options give bitwise identical draws everywhere, for any number of threads.
 */
#ifndef TALWEG_SAMPLING_PLAN_H
#define TALWEG_SAMPLING_PLAN_H

#include <talweg/chains.h>
#include <talweg/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options ---- */

/* The options of a plan. Texts and arrays must outlive the plan. */
typedef struct tw_sampling_options {
    /* The sampler, by name (sample.h), or "auto": the best in short pilot runs. */
    const char *method;
    const char *metric; /* its metric, by name, or "auto": the first of the method, or the choice of the
                           pilot runs */
    /* The start of the chains: "ep", over-dispersed draws from EP's Gaussian; "prior", draws from the prior; or,
     * if given, `positions`, n x `position_columns`, one column for each chain or one for all. */
    const char *init;
    const double *positions;
    size_t position_rows, position_columns;
    const char *from;              /* q at b = 0: "prior", "ep", or the name of `reference` in results */
    const tw_reference *reference; /* a given q; must outlive the plan. NULL: as in `from` */
    double beta;                   /* p(y, x)^beta q(x)^(1 - beta) is sampled; 1: the posterior */
    /* TW_AUTOMATIC: 32 if chains move in lockstep, which costs little more than 4, and 4 if each moves separately
     * (rmhmc); fewer above n = 32768, to save memory, but at least 4; one for each column of `positions`, if it
     * has several. */
    size_t chains;
    /* Warm-up iterations, including those of the winner's pilot run. TW_AUTOMATIC: 500, down to 200 with more
     * than four chains; after pilot runs ten times the estimated autocorrelation time, from 100 to 1000. */
    size_t warmup;
    size_t draws; /* of each chain. 0: as many as the goal needs */
    /* The goal: the run ends when the worst latent has this ESS and R-hat shows convergence (tw_chains_options),
     * or after max_draws draws of each chain. If draws are not kept, on_look must summarise them. */
    double until_ess;
    size_t max_draws;
    /* > 0: the run ends this many seconds after the start of the plan, with the draws so far; the time limit
     * affects nothing else. */
    double max_seconds;
    size_t thin;             /* keep every thin-th iteration */
    double eps;              /* step size. 0: tuned in warm-up */
    size_t steps;            /* fixed number of leapfrog steps. 0: tuned in warm-up and jittered */
    double target_accept;    /* of the tuning */
    double solver_tolerance; /* of implicit equations (tw_sampler_options) */
    size_t fixed_point;
    double reverse_check;
    bool keep; /* keep the draws in memory (tw_chains_options); otherwise only on_draw gets them */
    uint64_t seed;
    size_t threads; /* does not change results; 0: as many as this process may use */
    /* An existing fit of EP for this model; must outlive the plan. NULL, or if it did not converge: the plan fits
     * EP, if needed. */
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

/* Check the options, without computing anything: fails as tw_sampling_plan_new would. options NULL: the defaults. */
TW_API tw_status tw_sampling_options_check(tw_context *ctx, const tw_sampling_options *options);

/* ---- the plan ---- */

enum { TW_REASON_BYTES = 128 };

/* The plan. A caller that changes it must keep its parts consistent. */
typedef struct tw_sampling_plan {
    tw_context *ctx;
    tw_posterior posterior;  /* the target; its approximation is NULL if not needed */
    const char *from, *init; /* as in the options */
    const double *positions; /* the start of the chains; NULL: as in `init` */
    size_t position_rows, position_columns;
    size_t chains;
    tw_choice choice;                  /* of the pilot runs; count 0: the method was named */
    tw_head_start head;                /* of the winner, if chains start at "ep"; freed with the plan */
    tw_sampler_options sampler;        /* as chosen */
    tw_chains_options run;             /* without callbacks, which the run sets */
    double fit_seconds, pilot_seconds; /* of wall time, without the winner's pilot run, which is part of
                                          the warm-up */
    double deadline;                   /* the time at which the run ends (tw_wall_seconds); 0: none */
    /* The earlier part of a resumed run, from the store. */
    tw_chains_state earlier;                              /* the state of the chains; count 0: no draws */
    double earlier_warmup, earlier_sampling;              /* seconds */
    tw_approximation *own;                                /* freed with the plan; NULL: none */
    char reason[TW_AUTO_MAX_CANDIDATES][TW_REASON_BYTES]; /* of a choice that comes from the store */
} tw_sampling_plan;

/* The callbacks of a run, and the store for its state. */
typedef struct tw_sampling_watch {
    void *user;
    tw_progress_function *progress;                           /* true ends the run; may be NULL */
    tw_status (*on_draw)(void *user, const tw_draw *draw);    /* may be NULL; a failure ends the run */
    tw_status (*on_look)(void *user, tw_chains_summary *out); /* as in tw_chains_options; may be NULL */
    /* The state of the run, to resume from; NULL: none. A resumed run cannot keep draws (tw_sampling_options). */
    const tw_store *store;
} tw_sampling_watch;

/* Make a plan: check the options, fit, choose. options NULL: the defaults; watch NULL: no callbacks. The choice
 * of the sampler is written to the store, or read from it. If EP does not converge, Laplace's Gaussian is used
 * instead, with a warning. */
TW_API tw_status tw_sampling_plan_new(const tw_model *model, const tw_sampling_options *options,
                                      const tw_sampling_watch *watch, tw_sampling_plan **out);
TW_API void tw_sampling_plan_free(tw_sampling_plan *plan); /* before the model */

/* ---- the run ---- */

/* The result of a run. Release it before the context. */
typedef struct tw_sampling_result {
    tw_draws *draws;                         /* the draws so far, if progress or the time limit ended the
                                                run */
    bool out_of_time;                        /* the time limit ended the run */
    double warmup_seconds, sampling_seconds; /* of wall time, including earlier parts */
    double sampling_cpu_seconds;             /* of all threads, of this part only */
    tw_chains_summary summary;
    tw_warnings warnings;
} tw_sampling_result;

/* Start the chains, warm up, draw, summarise and judge. A run resumes from a state in the store, without warm-up
 * and without repeating earlier draws. If draws are not kept, summary and warnings are empty: the owner of the
 * draws fills `summary` and calls tw_sampling_judge. watch NULL: no callbacks. */
TW_API tw_status tw_sampling_run(const tw_sampling_plan *plan, const tw_sampling_watch *watch,
                                 tw_sampling_result *out);

/* Set the warnings, from summary and draws. */
TW_API void tw_sampling_judge(tw_sampling_result *result);
TW_API void tw_sampling_result_release(tw_sampling_result *result);

#ifdef __cplusplus
}
#endif

#endif
