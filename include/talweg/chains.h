/* chains.h: Markov chains made of the transitions of sample.h: start, warm-up, draws, summary, and a choice
 * of the sampler by pilot runs.
 *
 * The usual way: tw_sampling_new (target and sampler together), tw_sampler_start, tw_chains_run,
 * tw_draws_summarise. Results are a function of the seed, bitwise identical for any number of threads.
 */
#ifndef TALWEG_CHAINS_H
#define TALWEG_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/approximate.h>
#include <talweg/diagnose.h>
#include <talweg/progress.h>
#include <talweg/sample.h>
#include <talweg/warning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- target and sampler ---- */

/* The posterior at inverse temperature beta on the path from q (model.h), and a Gaussian approximation for
 * samplers that use one. `from` NULL: the prior. `approximation` NULL: the metrics ep and smoothed are not
 * available. All must outlive the objects made with it. */
typedef struct tw_posterior {
    const tw_model *model;
    const tw_reference *from;
    double beta;
    const tw_approximation *approximation;
    bool several_modes; /* found by tw_auto_find_modes: pilot runs then use only metrics of the prior */
} tw_posterior;

/* A target in the form that suits the sampler (open for constant metrics, folded for others), and the sampler of
 * `chains` columns. If the options leave them NULL, `gaussian` and `smoothing` are those of the approximation. */
typedef struct tw_sampling {
    tw_context *ctx;
    tw_reference *prior; /* where `from` was NULL */
    tw_target *target;
    tw_sampler *sampler;
} tw_sampling;

/* Make both, for `chains` chains. options NULL: the defaults. */
TW_API tw_status tw_sampling_new(const tw_posterior *posterior, const tw_sampler_options *options,
                                 size_t chains, tw_sampling **out);
TW_API void tw_sampling_free(tw_sampling *sampling);

/* ---- start ---- */

/* Set every column to a draw from N(mean, scale^2 Sigma) of q; scale > 1 is over-dispersed. If the density is
 * zero at a draw, all distances from the mean are halved until it is positive. */
TW_API tw_status tw_sampler_start(tw_sampler *sampler, const tw_reference *q, double scale, uint64_t seed);

/* Set the columns to x: n x `columns`, with one column for each chain or one for all chains. */
TW_API tw_status tw_sampler_start_at(tw_sampler *sampler, size_t rows, size_t columns, const double *x);

/* ---- run ---- */

/* One draw of all chains, passed to on_draw; valid during the call. */
typedef struct tw_draw {
    size_t index; /* 0, 1, ... after thinning */
    size_t n, chains;
    const double *x;              /* n x chains */
    const double *log_likelihood; /* chains: log p(y | x) */
    const tw_record *records;     /* chains */
    double eps;
} tw_draw;

/* The parameters of the sampler after warm-up. */
typedef struct tw_tuning {
    double eps;
    size_t steps;  /* mean number of leapfrog steps */
    bool jittered; /* the number of steps is uniform on {ceil(steps/2), ..., floor(3 steps/2)} and a tuned
                      step size is uniform on [eps/2, eps], both the same for all columns; otherwise they
                      are fixed, except with TW_DRIFT_TURN (docs/samplers.md) */
} tw_tuning;

/* Sums over a stage: all chains and iterations, including those dropped by thinning. */
typedef struct tw_totals {
    size_t transitions, leapfrog_steps;
    double acceptance; /* sum of acceptance probabilities */
    size_t energy_divergence, implicit_failure, irreversible, factorisation;
} tw_totals;

/* The state of a run after an iteration of sampling: a run resumed from it is bitwise identical to an
 * uninterrupted run. */
typedef struct tw_chains_state {
    size_t iteration; /* completed iterations of sampling */
    size_t draws;     /* kept of each chain so far */
    tw_tuning tuning;
    tw_totals warmup, sampling;
    size_t count;          /* how many numbers there are */
    const double *numbers; /* the state of the columns */
    const double *x;       /* n x chains: the positions; not needed to resume */
} tw_chains_state;

/* The worst values over all latents; see tw_draws_summarise. */
typedef struct tw_chains_summary {
    /* Over the n latents; NaN: too few draws, or draws not kept. A latent that never moves while others do has no
     * posterior variance and is ignored. */
    double ess_min, ess_median; /* of the ESS: the smallest of bulk, tail and fold of a latent */
    double ess_bulk_min, ess_bulk_median, ess_tail_min, ess_fold_min;
    size_t worst; /* the latent with the smallest ESS, counted from 0 */
    double rhat_max;
    double rhat_chance; /* the probability of such a maximum by chance alone (diagnose.h) */
    double acceptance;
    double ebfmi_min; /* over chains; NaN for slice sampling, which has no energy */
} tw_chains_summary;

/* The length of a run, its tuning and its callbacks. */
typedef struct tw_chains_options {
    size_t warmup, draws;
    double until_ess; /* > 0: end when the ESS of the worst latent over all chains reaches this and R-hat
                         shows convergence, after at most `draws` draws; checked after 64, 96, 144, ...
                         draws of each chain, also in a resumed run. 0: exactly `draws` */
    size_t thin;      /* keep every thin-th iteration */
    double eps;       /* > 0: the step size; 0: it is tuned */
    size_t steps;     /* > 0: a fixed number of leapfrog steps; 0: tuned and jittered */
    const tw_tuning *known; /* the tuning of an earlier run of these chains: warm-up then tunes only the
                               step size, starting from it; without warm-up it is used unchanged. NULL:
                               none */
    size_t max_steps;
    double target_accept; /* of the step size's tuning */
    uint64_t seed;
    uint64_t pilot; /* 0, or the number of a pilot run (1..127), which has other random numbers for the
                       same seed */
    bool keep;      /* store the draws: about 8 n bytes for each draw of each chain. Otherwise only their
                       records are stored, and with on_draw, which gets those too, nothing that grows with
                       the number of draws */
    void *user;
    tw_status (*on_draw)(void *user, const tw_draw *draw); /* may be NULL; a failure ends the run */
    tw_progress_function *on_progress; /* called after each iteration; true ends the run; may be NULL */
    /* Summarises the draws so far, for until_ess if the draws are not kept. */
    tw_status (*on_look)(void *user, tw_chains_summary *out);
    /* Called after each iteration of sampling, after on_progress: if it returns true, on_state gets the state of
     * the run, valid during the call. May be NULL. */
    bool (*wants_state)(void *user);
    void (*on_state)(void *user, const tw_chains_state *state);
    const tw_chains_state *resume; /* resume from this state, without warm-up, with the sampler and options
                                      of the first part; NULL: start a new run. The draws of the first part
                                      are not repeated, so `keep` must be false */
} tw_chains_options;
#define TW_CHAINS_DEFAULTS                     \
    ((tw_chains_options){.warmup = 500,        \
                         .draws = 1000,        \
                         .thin = 1,            \
                         .max_steps = 1000,    \
                         .target_accept = 0.8, \
                         .seed = 1,            \
                         .keep = true})

/* The result of a run: draws, records, tuning and sums. The caller frees it. */
typedef struct tw_draws {
    tw_context *ctx;
    tw_method method;
    size_t n, chains;
    size_t draws;           /* per chain; fewer than requested after an interrupt */
    double *x;              /* x[i + n (c + chains d)]; NULL if not kept */
    tw_record *records;     /* records[c + chains d]; NULL if not kept */
    double *log_likelihood; /* [c + chains d]: log p(y | x); NULL if not kept */
    tw_tuning tuning;
    tw_totals warmup, sampling;
    bool interrupted;
    double until_ess; /* the goal; 0: none */
} tw_draws;

/* Run from the current positions. The tuning is frozen after warm-up. options NULL: the defaults. */
TW_API tw_status tw_chains_run(tw_sampler *sampler, const tw_chains_options *options, tw_draws **out);
TW_API void tw_draws_free(tw_draws *draws);

/* ---- summary ---- */

/* rows[n] gets a row for every latent; it may be NULL. */
TW_API tw_status tw_draws_summarise(const tw_draws *draws, size_t threads, tw_summary *rows,
                                    tw_chains_summary *out);

/* The ESS over all chains above which R-hat and ESS are reliable. */
#define TW_ESS_ENOUGH 400.0

/* The warnings about draws: an R-hat above 1.01 whose probability by chance is below 1 %, an ESS (bulk, tail or
 * fold) below TW_ESS_ENOUGH, E-BFMI below 0.3, failed trajectories, a single chain, an interrupted run, or too
 * few draws to assess convergence. draws: of each chain. */
TW_API void tw_chains_judge(size_t chains, size_t draws, bool interrupted, const tw_chains_summary *summary,
                            const tw_totals *sampling, tw_warnings *out);

/* ---- choosing a sampler ---- */

/* Search for several modes of the posterior with the starts of Laplace's method, if the likelihood is not
 * log-concave: EP may then cover only one mode, and chains that start there may not leave it. Warns
 * (TW_WARN_MODES). */
TW_API tw_status tw_auto_find_modes(const tw_model *model, bool *several);

/* EP's approximation or, if EP does not converge, Laplace's, with a warning: any Gaussian gives exact draws, with
 * slower mixing if it is poor. options NULL: EP's defaults. */
TW_API tw_status tw_auto_approximation(const tw_model *model, const tw_ep_options *options,
                                       tw_approximation **out);

enum { TW_AUTO_MAX_CANDIDATES = 8 };

/* A number of chains or iterations that the library chooses, from n, the method and the pilot runs. */
#define TW_AUTOMATIC SIZE_MAX

/* A candidate sampler and its pilot run; numbers are NaN if the pilot run did not finish. Costs are those of the
 * cost model, in dense flops. */
typedef struct tw_candidate {
    tw_method method;
    tw_metric metric;
    bool tried;
    const char *reason; /* why it was skipped or stopped early; "" if it finished */
    size_t iterations;  /* of its pilot run, finished or not */
    double eps;
    size_t steps;
    double acceptance;
    double ess_per_draw;   /* worst latent's ESS in the pilot, per transition of a chain */
    double flops_per_draw; /* cost of a transition of one chain */
    double efficiency;     /* ess_per_draw / flops_per_draw */
    double flops_spent;    /* by all chains in the pilot run, finished or not; 0: skipped */
    double flops_to_goal;  /* remaining cost of all chains at the end of the pilot run, for warm-up and to
                              reach the goal */
} tw_candidate;

/* All candidates, in the order in which they were tried. */
typedef struct tw_choice {
    size_t count, best;
    tw_candidate candidates[TW_AUTO_MAX_CANDIDATES];
} tw_choice;

/* The planned run; the pilot runs of all but the winner should cost a small part of it. */
typedef struct tw_auto_options {
    size_t chains;
    size_t warmup;    /* TW_AUTOMATIC: as many iterations as the winner needs */
    size_t draws;     /* of each chain; 0: as many as the goal needs */
    double until_ess; /* the goal */
    double target_accept;
    uint64_t seed;
    tw_sampler_options sampler; /* solver, checks and threads; method and metric are chosen */
    void *user;
    tw_progress_function *on_progress; /* called after each iteration of a pilot run; may be NULL */
} tw_auto_options;
#define TW_AUTO_DEFAULTS                           \
    ((tw_auto_options){.chains = 32,               \
                       .warmup = TW_AUTOMATIC,     \
                       .until_ess = TW_ESS_ENOUGH, \
                       .target_accept = 0.8,       \
                       .seed = 1,                  \
                       .sampler = TW_SAMPLER_DEFAULTS})

/* The end of the winner's pilot run, from which its warm-up starts. */
typedef struct tw_head_start {
    tw_context *ctx;
    tw_tuning tuning;
    size_t iterations; /* completed iterations */
    size_t warmup;     /* remaining iterations of warm-up */
    double seconds;    /* of the pilot run */
    double *x;         /* n x chains; NULL: none */
} tw_head_start;
TW_API void tw_head_start_release(tw_head_start *head);

/* Compare the candidates in pilot runs that start at over-dispersed draws from the approximation: the candidate
 * with the smallest remaining cost to the goal wins. The choice depends on the seed and the problem, not on time.
 * The posterior needs its approximation. options NULL: the defaults. `head` may be NULL. */
TW_API tw_status tw_auto_race(const tw_posterior *posterior, const tw_auto_options *options, tw_choice *out,
                              tw_head_start *head);

/* The same without a head start. */
TW_API tw_status tw_auto_choose(const tw_posterior *posterior, const tw_auto_options *options,
                                tw_choice *out);

#ifdef __cplusplus
}
#endif

#endif
