/* chains.h: Markov chains made of the transitions of sample.h: start, warm-up, draws, summary, and a choice
 * of the sampler by pilot runs.
 *
 * The usual way: tw_sampling_new (target and sampler together), tw_sampler_start, tw_chains_run,
 * tw_draws_summarise. Everything is a function of the seed: the same to the bit for any number of threads.
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

/* ---- what to sample, and with what ---- */

/* The posterior at inverse temperature beta on the path from q (model.h), and a Gaussian approximation that
 * samplers may lean on. `from` NULL: the prior. `approximation` NULL: then metrics ep and smoothed are
 * refused. All must outlive what is made with it. */
typedef struct tw_posterior {
    const tw_model *model;
    const tw_reference *from;
    double beta;
    const tw_approximation *approximation;
    bool several_modes; /* found by tw_auto_find_modes: pilots then take metrics of the prior alone */
} tw_posterior;

/* A target in the form that suits the sampler (open for constant metrics, folded for others), and the sampler
 * of `chains` columns. Where options leave them NULL, `gaussian` and `smoothing` are the approximation's. */
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

/* Put every column at a draw from N(mean, scale^2 Sigma) of q; scale > 1 is over-dispersed. Where the density
 * vanishes at such a draw, all are drawn closer to the mean, by halves. */
TW_API tw_status tw_sampler_start(tw_sampler *sampler, const tw_reference *q, double scale, uint64_t seed);

/* Put them at x: n x `columns`, with one column for each chain or one for all of them. */
TW_API tw_status tw_sampler_start_at(tw_sampler *sampler, size_t rows, size_t columns, const double *x);

/* ---- run ---- */

/* One draw of all chains, handed out as it is made; valid during the call. */
typedef struct tw_draw {
    size_t index; /* 0, 1, ... after thinning */
    size_t n, chains;
    const double *x;              /* n x chains */
    const double *log_likelihood; /* chains: log p(y | x) */
    const tw_record *records;     /* chains */
    double eps;
} tw_draw;

/* How the chains move once warm-up is over. */
typedef struct tw_tuning {
    double eps;
    size_t steps; /* mean number of leapfrog steps */
    bool
        jittered; /* the number is uniform on {ceil(steps/2), ..., floor(3 steps/2)} and, where the step size was tuned, that is
                      uniform on [eps/2, eps], both the same for all columns; else they are always these, but for a drift that turns (docs/samplers.md) */
} tw_tuning;

/* Sums over a stage, all chains and iterations, also those that thinning dropped. */
typedef struct tw_totals {
    size_t transitions, leapfrog_steps;
    double acceptance; /* sum of acceptance probabilities */
    size_t energy_divergence, implicit_failure, irreversible, factorisation;
} tw_totals;

/* Where a run stands after an iteration of sampling: all that the rest of it depends on, so that it can go on
 * later and be the same to the bit. */
typedef struct tw_chains_state {
    size_t iteration; /* of sampling: so many are done */
    size_t draws;     /* kept of each chain so far */
    tw_tuning tuning;
    tw_totals warmup, sampling;
    size_t count;          /* how many numbers there are */
    const double *numbers; /* the columns, as the sampler has them */
    const double *x;       /* n x chains: where they are; not needed to go on */
} tw_chains_state;

/* The worst of what tw_draws_summarise finds. */
typedef struct tw_chains_summary {
    /* Over the n latents; NaN: too few draws, or not kept. A latent that never moves where others do has no variance:
     * it is known, and left out. */
    double ess_min, ess_median; /* of the ESS: the smallest of bulk, tail and fold of a latent */
    double ess_bulk_min, ess_bulk_median, ess_tail_min, ess_fold_min;
    size_t worst; /* the latent with the smallest ESS, counted from 0 */
    double rhat_max;
    double
        rhat_chance; /* the probability that chance alone makes the largest of them as large (diagnose.h) */
    double acceptance;
    double ebfmi_min; /* over chains; NaN for slice sampling, which has no energy */
} tw_chains_summary;

/* How long to run, how to move, and whom to tell. */
typedef struct tw_chains_options {
    size_t warmup, draws;
    double
        until_ess; /* > 0: end as soon as the ESS of the worst latent, of all chains together, is as large and R-hat is
                         in order; `draws` is then the most. That is looked at after 64 draws of each chain, 96, 144, ...:
                         a function of the draws, whoever goes on with the run. 0: exactly `draws` */
    size_t thin;  /* keep every thin-th iteration */
    double eps;   /* > 0: the step size, else it is tuned */
    size_t steps; /* > 0: exactly so many leapfrog steps, else they are tuned and jittered */
    const tw_tuning
        *known; /* what an earlier run of these chains has found: warm-up then tunes the step size alone, from
                               there, and without warm-up they move so. NULL: nothing */
    size_t max_steps;
    double target_accept; /* of the step size's tuning */
    uint64_t seed;
    uint64_t pilot; /* 0, or the number of a pilot run (1..127): other random numbers for the same seed */
    bool
        keep; /* store the draws: 8 n bytes and a little for each draw of each chain. Else only their records, and with
                       on_draw, which sees those too, nothing that grows with the number of draws */
    void *user;
    tw_status (*on_draw)(void *user, const tw_draw *draw); /* may be NULL; a failure ends the run */
    tw_progress_function *on_progress; /* after each iteration; true: that was the last one; may be NULL */
    /* What the draws so far are worth, for until_ess where they are not kept: whoever has them says so. */
    tw_status (*on_look)(void *user, tw_chains_summary *out);
    /* Asked after each iteration of sampling, behind on_progress: true has on_state see where the run stands,
     * during the call. May be NULL. */
    bool (*wants_state)(void *user);
    void (*on_state)(void *user, const tw_chains_state *state);
    const tw_chains_state
        *resume; /* go on from there, without warm-up, with a sampler and options like those of
                                      the first part; NULL: from the start. Draws of the first part are not made
                                      again, so `keep` must be false */
} tw_chains_options;
#define TW_CHAINS_DEFAULTS                     \
    ((tw_chains_options){.warmup = 500,        \
                         .draws = 1000,        \
                         .thin = 1,            \
                         .max_steps = 1000,    \
                         .target_accept = 0.8, \
                         .seed = 1,            \
                         .keep = true})

/* What a run leaves: draws, records, tuning and sums. The caller frees it. */
typedef struct tw_draws {
    tw_context *ctx;
    tw_method method;
    size_t n, chains;
    size_t draws;           /* per chain; fewer than asked for after an interrupt */
    double *x;              /* x[i + n (c + chains d)]; NULL where they were not kept */
    tw_record *records;     /* records[c + chains d]; NULL where they were not kept */
    double *log_likelihood; /* [c + chains d]: log p(y | x); NULL where it was not kept */
    tw_tuning tuning;
    tw_totals warmup, sampling;
    bool interrupted;
    double until_ess; /* the goal, 0: there was none */
} tw_draws;

/* Run from where the columns are. Warm-up tunes and is then frozen. options NULL: the defaults. */
TW_API tw_status tw_chains_run(tw_sampler *sampler, const tw_chains_options *options, tw_draws **out);
TW_API void tw_draws_free(tw_draws *draws);

/* ---- summary ---- */

/* rows[n] gets a row for every latent; it may be NULL. */
TW_API tw_status tw_draws_summarise(const tw_draws *draws, size_t threads, tw_summary *rows,
                                    tw_chains_summary *out);

/* An ESS from which on R-hat and ESS themselves are reliable: that of all chains together. */
#define TW_ESS_ENOUGH 400.0

/* What is wrong with draws; no warnings: nothing is. An R-hat above 1.01 that has a probability below 1 % by chance alone,
 * an ESS (bulk, tail or fold) below TW_ESS_ENOUGH, E-BFMI below 0.3, trajectories that failed, a single chain, a run that was interrupted or is too short to be judged.
 * draws: of each chain. */
TW_API void tw_chains_judge(size_t chains, size_t draws, bool interrupted, const tw_chains_summary *summary,
                            const tw_totals *sampling, tw_warnings *out);

/* ---- choosing a sampler ---- */

/* Has the posterior several modes, as far as Laplace's starts find them? Only where the likelihood is not log-concave; then EP may
 * stand at one, and chains that start there may stay. Warns (TW_WARN_MODES). */
TW_API tw_status tw_auto_find_modes(const tw_model *model, bool *several);

/* EP's approximation or, where EP does not converge, Laplace's, with a warning in the log: any Gaussian is a
 * valid frame, only less good. options NULL: EP's defaults. */
TW_API tw_status tw_auto_approximation(const tw_model *model, const tw_ep_options *options,
                                       tw_approximation **out);

enum { TW_AUTO_MAX_CANDIDATES = 8 };

/* For a number of chains or of iterations that is to be chosen: a function of n and the method, and of the pilot runs where
 * there are any. */
#define TW_AUTOMATIC SIZE_MAX

/* A sampler that was considered, and how its pilot run went: numbers are NaN where it was not run to its end. Costs are those
 * of the cost model, in dense flops. */
typedef struct tw_candidate {
    tw_method method;
    tw_metric metric;
    bool tried;
    const char *reason; /* why not tried, or not to the end; "" where it was */
    size_t iterations;  /* of its pilot run, begun or ended */
    double eps;
    size_t steps;
    double acceptance;
    double ess_per_draw;   /* worst latent's ESS in the pilot, per transition of a chain */
    double flops_per_draw; /* cost of a transition of one chain */
    double efficiency;     /* ess_per_draw / flops_per_draw */
    double flops_spent;    /* by all chains in the pilot run, to its end or not; 0: it was not begun */
    double flops_to_goal;  /* what all chains had still to spend then, to warm up and to reach the goal */
} tw_candidate;

/* All candidates, in the order of their turns. */
typedef struct tw_choice {
    size_t count, best;
    tw_candidate candidates[TW_AUTO_MAX_CANDIDATES];
} tw_choice;

/* The run to come, of which the pilots of all but the winner are to be a small part. */
typedef struct tw_auto_options {
    size_t chains;
    size_t warmup;    /* TW_AUTOMATIC: as many iterations as the winner needs */
    size_t draws;     /* of each chain. 0: as many as the goal needs */
    double until_ess; /* the goal */
    double target_accept;
    uint64_t seed;
    tw_sampler_options sampler; /* solver, checks and threads; method and metric are chosen */
    void *user;
    tw_progress_function
        *on_progress; /* after each iteration of a pilot, of method and metric; may be NULL */
} tw_auto_options;
#define TW_AUTO_DEFAULTS                           \
    ((tw_auto_options){.chains = 32,               \
                       .warmup = TW_AUTOMATIC,     \
                       .until_ess = TW_ESS_ENOUGH, \
                       .target_accept = 0.8,       \
                       .seed = 1,                  \
                       .sampler = TW_SAMPLER_DEFAULTS})

/* Where the winner's pilot ended: the start of its warm-up. */
typedef struct tw_head_start {
    tw_context *ctx;
    tw_tuning tuning;
    size_t iterations; /* so many were made */
    size_t warmup;     /* so many of warm-up are left */
    double seconds;    /* that the pilot took */
    double *x;         /* n x chains; NULL: there is none */
} tw_head_start;
TW_API void tw_head_start_release(tw_head_start *head);

/* Race the candidates in pilot runs of the chains to come, started at over-dispersed draws from the approximation: the one
 * wins that is left with the least cost to the goal. A function of the seed and the problem, never of a clock. The posterior
 * needs its approximation. options NULL: the defaults. `head` may be NULL. */
TW_API tw_status tw_auto_race(const tw_posterior *posterior, const tw_auto_options *options, tw_choice *out,
                              tw_head_start *head);

/* The race for its winner alone. */
TW_API tw_status tw_auto_choose(const tw_posterior *posterior, const tw_auto_options *options,
                                tw_choice *out);

#ifdef __cplusplus
}
#endif

#endif
