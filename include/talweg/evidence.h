/* evidence.h: log Z = log p(y) by Monte Carlo, with errors.
 *
 * All methods follow the path L_b of model.h from a reference q (b = 0) to the posterior (b = 1) with the
 * transitions of sample.h. Every estimate has a standard error, and a flag for unbiasedness in Z.
 */
#ifndef TALWEG_EVIDENCE_H
#define TALWEG_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/base.h>
#include <talweg/model.h>
#include <talweg/progress.h>
#include <talweg/sample.h>
#include <talweg/warning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- temperatures ---- */

/* The spacing of the inverse temperatures b_0 = 0 < b_1 < ... < b_B = 1. */
typedef enum tw_schedule_kind {
    TW_SCHEDULE_GEOMETRIC, /* the report's: b_k = b_min^((B-k)/(B-1)), k = 1..B */
    TW_SCHEDULE_LINEAR,    /* b_k = k/B */
    TW_SCHEDULE_SIGMOID    /* equal steps of logit b between logit 0.02 and logit 0.98, stretched to [0,
                              1]: dense at both ends */
} tw_schedule_kind;

/* Fill beta[0..steps], from 0 to 1. steps >= 1; beta_min in (0, 1) is used by the geometric schedule. */
TW_API tw_status tw_schedule_fill(tw_context *ctx, tw_schedule_kind kind, size_t steps, double beta_min,
                                  double *beta);

/* Check a user-defined schedule, which must start at 0, end at 1 and increase. */
TW_API tw_status tw_schedule_check(tw_context *ctx, size_t steps, const double *beta);

/* ---- estimates ---- */

/* An estimate of log Z with its diagnostics. */
typedef struct tw_estimate {
    const char *method; /* "ais", "ais-reverse", "stepping-stone", "thermodynamic", "resample-move" */
    double log_z;
    double se;           /* standard error of log_z; NaN if not available (one particle) */
    double se_bootstrap; /* the same by the bootstrap over particles; NaN where it does not apply */
    double weight_ess;   /* effective number of weights; NaN where it does not apply */
    double acceptance;   /* mean acceptance rate of the transitions */
    size_t particles;    /* particles, or independent copies */
    size_t temperatures; /* steps of the schedule */
    double failures;     /* fraction of transitions that failed numerically */
    bool unbiased;       /* in Z; false: only consistent as the effort grows */
    double pareto_k; /* shape of the tail of the weights: tw_weights_pareto_k; NaN where it does not apply */
    double missed;   /* ais-reverse: the fraction of 1/Z in the tail of the weights that the forward run
                        found and the reverse run missed; part of se. NaN for other methods */
    size_t draws;    /* identifies its random draws: estimates with the same number share them. 0: unknown;
                        stepping stones and thermodynamic integration then share theirs */
    /* Parallel tempering, whose copies may share an error; NaN for other methods. */
    double trips; /* round trips of a copy, from b = 0 to 1 and back. Below 1 the run may still depend on
                     its start */
    double drift; /* difference of the second half of the run from the first, if beyond chance: part of se.
                     0: within chance */
    double apart; /* thermodynamic: difference from stepping stones of the same draws, if beyond chance. 0:
                     within chance; se includes the difference in either case */
} tw_estimate;

/* ---- agreement ---- */

/* Two estimates a, b with standard errors s, t agree if |a - b| <= 4 sqrt(s^2 + t^2): if both are normal around
 * log Z and independent, one pair in 16,000 fails. Estimates from the same draws (stepping stones and
 * thermodynamic integration of one run) have correlated errors and are not compared. */
#define TW_AGREEMENT_LIMIT 4.0

/* The rule in words, for output. */
#define TW_AGREEMENT_RULE                                                                                    \
    "every pair of estimates that share no draws is within 4 joint standard errors; null where there is no " \
    "such pair"
enum { TW_WORDS_BYTES = 512 };

/* Whether estimates agree. */
typedef struct tw_agreement {
    bool known;           /* false: no two estimates with an error that share no draws */
    bool agree;           /* every such pair does */
    bool shared;          /* some pair shares its draws, and is not compared */
    bool few;             /* some pair differs because one has few effective weights: it is not compared */
    bool one_mode;        /* unknown, because all may miss the same mode (TW_WARN_ONE_MODE) */
    size_t compared;      /* estimates with an error */
    double worst;         /* largest |a - b| / sqrt(s^2 + t^2); NaN if unknown */
    size_t first, second; /* the pair that has it */
    double difference;    /* its |a - b|, in nats */
} tw_agreement;

/* An estimate that is not finite (all weights 0) agrees with no other; one without a standard error is not
 * compared. */
TW_API tw_agreement tw_evidence_agree(size_t count, const tw_estimate *estimates);

/* Write the finding as a sentence, without advice; `estimates` are those that were compared. */
TW_API void tw_agreement_print(const tw_agreement *agreement, const tw_estimate *estimates,
                               char words[TW_WORDS_BYTES]);

/* The estimate with the smallest standard error, NULL if none has one. Estimates with collapsed weights (an
 * effective number below two) are ignored; doubtful ones are used only if there are no others. */
TW_API const tw_estimate *tw_evidence_best(size_t count, const tw_estimate *estimates);

/* The distance of an approximation's log_z from an estimate: returns it in standard errors and writes a sentence:
 * "EP is 0.256 nats below ais, 8.0 of its standard errors". */
TW_API double tw_evidence_compare(const tw_estimate *estimate, const char *name, double log_z,
                                  char words[TW_WORDS_BYTES]);

/* |a - b| in errors `se`, with an allowance for rounding; infinite if one of them is not finite. */
TW_API double tw_evidence_errors(double a, double b, double se);

/* Is the error no larger than rounding? (For a Gaussian likelihood all weights are equal.) */
TW_API bool tw_evidence_is_exact(double log_z, double se);

/* The reason to doubt an estimate: weights with a heavy tail (pareto_k above tw_pareto_limit of the particles, 0.58 for
 * 256; in reverse above 0.7), a reverse run that missed more than the rest of its error, replicas that do not travel,
 * halves of a run that differ, an integral that differs from stepping stones of the same draws, or an error that is
 * too large to be useful. False: none, and `doubt` is not set. */
TW_API bool tw_evidence_doubt(const tw_estimate *estimate, tw_warning *doubt);

/* ---- annealed importance sampling ---- */

/* The state of a run after a temperature of its last stage: a run resumed from it is bitwise identical to an
 * uninterrupted run. */
typedef struct tw_ais_state {
    size_t particles;                         /* of this run */
    size_t done;                              /* temperatures of the last stage */
    double beta;                              /* the temperature of the particles */
    uint64_t iteration;                       /* transitions so far */
    double acceptance, failures, transitions; /* sums over them */
    size_t count;                             /* how many numbers there are */
    const double *numbers;                    /* temperatures, step sizes, log weights, particles */
    /* tw_ais_until: the particles of the previous runs, their log weights, and sums over them. */
    size_t before;
    const double *before_weight;
    double before_acceptance, before_failures, before_missed, before_spread;
} tw_ais_state;

/* How to anneal. */
typedef struct tw_ais_options {
    tw_sampler_options kernel;
    const double *beta;  /* temperatures + 1 numbers from 0 to 1; NULL: equal steps */
    size_t temperatures; /* steps of the schedule */
    size_t particles;
    size_t moves;         /* transitions at each temperature */
    double eps;           /* 0: tuned at every temperature in a pilot run with other particles, then frozen */
    size_t steps;         /* leapfrog steps; 0: a trajectory of length pi/2 */
    double target_accept; /* of the pilot */
    uint64_t seed;
    uint64_t first_chain; /* 0, or, for other random numbers with the same seed, the number of chains of
                             AIS or reverse AIS to skip: particle j uses chain first_chain + j of them
                             (sample.h) */
    bool reverse;         /* from posterior draws to q: an upper bound in expectation */
    size_t burn_in; /* reverse: transitions at b = 1, after a forward run and a resampling by its weights */
    double refine;  /* reverse: temperatures are inserted where a reverse step would keep less than this
                       fraction of the effective sample size, as predicted from the forward particles; 0:
                       never */
    void *user;
    /* Called after each temperature of the last stage: if it returns true, on_state gets the state of the run,
     * valid during the call. May be NULL. */
    bool (*wants_state)(void *user);
    void (*on_state)(void *user, const tw_ais_state *state);
    const tw_ais_state *resume; /* resume from this state, with the options of the first part; NULL: start
                                   a new run */
} tw_ais_options;
#define TW_AIS_DEFAULTS                              \
    ((tw_ais_options){.kernel = TW_SAMPLER_DEFAULTS, \
                      .temperatures = 50,            \
                      .particles = 256,              \
                      .moves = 1,                    \
                      .target_accept = 0.9,          \
                      .seed = 1,                     \
                      .burn_in = 30,                 \
                      .refine = 0.995})

/* progress is called after each temperature and may be NULL; a run that it stops returns TW_OK without an
 * estimate (particles = 0). options NULL: the defaults, here and below. log_weight receives the log weights of
 * all particles (`particles` numbers; NULL: not needed). Forward: log w = sum_k (b_k - b_{k-1}) R(x_{k-1}) with R
 * = log p(y, x) - log q(x) at the sample drawn before the move to b_k, and log Z is the log of their mean.
 * Reverse: the same back to q, and log Z is minus that. */
TW_API tw_status tw_ais_run(const tw_model *model, const tw_reference *reference,
                            const tw_ais_options *options, tw_progress_function *progress, void *user,
                            double *log_weight, tw_estimate *out);

/* ---- resample-move, and adaptive schedules ---- */

/* The state of a run after a temperature, after its pilot; as tw_ais_state. */
typedef struct tw_rm_state {
    size_t steps;                             /* of the schedule of the pilot */
    size_t done;                              /* temperatures */
    size_t particles;                         /* at the last one */
    uint64_t iteration;                       /* transitions so far */
    double weight_ess;                        /* the smallest so far, */
    double variance, pareto_k;                /* the sum of variances, and the largest k, of the weights */
    double acceptance, failures, transitions; /* sums over them */
    size_t count;                             /* how many numbers there are */
    const double *numbers;                    /* the plan, log Z of the islands, log weights, particles */
} tw_rm_state;

/* How to resample and move. */
typedef struct tw_rm_options {
    tw_sampler_options kernel;
    const double *beta;      /* temperatures + 1 numbers from 0 to 1; NULL: the pilot chooses them */
    size_t temperatures;     /* steps of the schedule */
    double fraction;         /* of the conditional effective sample size that a step of the pilot keeps */
    double largest_step;     /* between temperatures of the pilot */
    size_t max_temperatures; /* limit for the pilot */
    double resample; /* particles are resampled where the effective number of the pilot's weights since the
                        last resampling is below this fraction; 0: never, 1: at every temperature */
    size_t pilot_particles;
    double correlation; /* moves at a temperature are repeated until the correlation of particles with
                           their start is below this */
    size_t max_moves;   /* limit of these moves */
    size_t particles;   /* over all islands: the cost is that of this number at each temperature */
    size_t islands;     /* independent replicates, for the error; each has an equal share of the particles */
    double spread;      /* a temperature has at most particles * spread and at least particles / spread; 1:
                           equal numbers */
    double eps;         /* 0: tuned by the pilot at every temperature */
    size_t steps;       /* leapfrog steps; 0: a trajectory of length pi/2 */
    double target_accept; /* of the pilot */
    uint64_t seed;
    uint64_t first_chain; /* as in tw_ais_options, of the chains of resample-move */
    void *user;
    /* As in tw_ais_options, after each temperature. */
    bool (*wants_state)(void *user);
    void (*on_state)(void *user, const tw_rm_state *state);
    const tw_rm_state *resume;
} tw_rm_options;
#define TW_RM_DEFAULTS                              \
    ((tw_rm_options){.kernel = TW_SAMPLER_DEFAULTS, \
                     .fraction = 0.98,              \
                     .largest_step = 0.05,          \
                     .max_temperatures = 1000,      \
                     .resample = 0.8,               \
                     .pilot_particles = 128,        \
                     .correlation = 0.5,            \
                     .max_moves = 10,               \
                     .particles = 256,              \
                     .islands = 16,                 \
                     .spread = 4.0,                 \
                     .target_accept = 0.95,         \
                     .seed = 1})

/* Adaptive resample-move (a sequential Monte Carlo sampler). A pilot with other particles chooses the
 * temperatures, step sizes, numbers of moves, where to resample, and the number of particles of each period between
 * resamplings: with v the relative variance of its weights and c the cost of a particle, P is proportional to
 * sqrt(v / c). These are then frozen, and `islands` independent runs give the estimate: log Z is the log of the mean
 * of their unbiased estimates of Z (so it is unbiased in Z). Without resampling all particles are independent, and the
 * standard error comes from their weights; else it is the larger of those from the spread of the islands and from the
 * weights of the periods. se_bootstrap is the bootstrap over the same. weight_ess is the smallest effective number of
 * particles of a period, and pareto_k the largest shape of the tail of its weights. Memory: O(n) per particle for
 * constant metrics. */
TW_API tw_status tw_rm_run(const tw_model *model, const tw_reference *reference, const tw_rm_options *options,
                           tw_progress_function *progress, void *user, tw_estimate *out);

/* Only the temperatures, for AIS: each step keeps `fraction` of the conditional effective sample size of the
 * pilot's particles. beta has room for max_temperatures + 1 numbers; *temperatures receives the number of steps.
 * TW_NOT_CONVERGED if max_temperatures is too small. */
TW_API tw_status tw_schedule_adapt(const tw_model *model, const tw_reference *reference,
                                   const tw_rm_options *options, size_t *temperatures, double *beta);

/* ---- parallel tempering ---- */

/* The state of a run after a round, in warm-up or later; as tw_ais_state. */
typedef struct tw_pt_state {
    size_t levels, copies;
    uint64_t round;        /* rounds so far, warm-up included */
    size_t recorded;       /* rounds after warm-up */
    size_t round_trips;    /* since the current stage of the warm-up began, or after it */
    size_t counted;        /* rounds in the estimate of progress reports */
    double proposals;      /* rounds times copies, over the same time as round_trips */
    size_t count;          /* how many numbers there are */
    const double *numbers; /* the ladder, step sizes, counts, log ratios, replicas */
} tw_pt_state;

/* How to temper. */
typedef struct tw_pt_options {
    tw_sampler_options kernel; /* threads process different temperatures */
    const double *beta;        /* temperatures + 1 numbers from 0 to 1; NULL: a linear ladder */
    size_t temperatures;       /* steps of the schedule */
    bool tune_ladder;          /* adapt the temperatures in the warm-up to equal swap rates */
    size_t least_temperatures; /* if replicas do not travel, the warm-up may remove temperatures, down to
                                  this number of steps; the number of rounds increases for the same cost.
                                  0: keep all */
    size_t copies;             /* independent copies of the ladder, in lockstep: at least 2 */
    size_t warmup, rounds;     /* a round: transitions at every temperature, then swaps of neighbours */
    size_t patience;           /* tuning continues while replicas do not travel (fewer than one round trip
                                  per copy), up to this multiple of `warmup`; 1: never */
    size_t moves;              /* transitions in a round */
    double eps;                /* 0: tuned at every temperature in the warm-up, then frozen */
    size_t steps;              /* leapfrog steps; 0: a trajectory of length pi/2 */
    double target_accept;      /* of the warm-up */
    uint64_t seed;
    uint64_t first_chain; /* as in tw_ais_options, of the chains of parallel tempering: (temperatures + 1)
                             * copies are used */
    void *user;
    /* As in tw_ais_options, after each round. */
    bool (*wants_state)(void *user);
    void (*on_state)(void *user, const tw_pt_state *state);
    const tw_pt_state *resume;
} tw_pt_options;
#define TW_PT_DEFAULTS                              \
    ((tw_pt_options){.kernel = TW_SAMPLER_DEFAULTS, \
                     .temperatures = 12,            \
                     .tune_ladder = true,           \
                     .copies = 32,                  \
                     .warmup = 100,                 \
                     .rounds = 100,                 \
                     .patience = 8,                 \
                     .moves = 1,                    \
                     .target_accept = 0.9,          \
                     .seed = 1})

/* Statistics of a run. The arrays belong to the caller and have room for the temperatures of the options; NULL:
 * not needed. */
typedef struct tw_pt_report {
    size_t temperatures;    /* steps of the final ladder */
    size_t warmup, rounds;  /* rounds of each stage */
    double *beta;           /* temperatures + 1: the final ladder */
    double *eps;            /* temperatures + 1: step sizes; the first, at b = 0, is not used */
    double *mean_log_ratio; /* temperatures + 1: E_b[R], the integrand of thermodynamic integration */
    double *swap_rate;      /* temperatures: mean probability that k and k + 1 exchange */
    double barrier;         /* Lambda: sum of (1 - swap rate) */
    size_t round_trips;     /* from b = 0 to 1 and back, in all copies together */
    size_t batches;  /* of the rounds of each copy: errors come from the spread between copies or between
                        batches, whichever is larger; with fewer than 8 copies from batches */
    double drift;    /* log Z of the second half of the rounds minus that of the first, by stepping stones */
    double drift_se; /* its standard error */
    double forward, forward_se, reverse, reverse_se; /* log Z by one-sided stepping stones */
    double discretisation; /* of thermodynamic integration; part of its standard error */
} tw_pt_report;

/* Two estimates of log Z from one run: out[0] by stepping stones, each ratio Z(b_k) / Z(b_{k-1}) by the optimal
 * bridge between draws from both; out[1] by thermodynamic integration, from b_1 on, with a stepping stone from q
 * to there (docs/tempering.md). Neither is unbiased. An estimate with an error above 10 nats is withheld (NaN).
 * progress is called after each round and may stop the run as in tw_ais_run. Memory: O(n) for each copy and
 * temperature with constant metrics, plus one number for each round. report may be NULL. */
TW_API tw_status tw_pt_run(const tw_model *model, const tw_reference *reference, const tw_pt_options *options,
                           tw_progress_function *progress, void *user, tw_estimate out[2],
                           tw_pt_report *report);

/* AIS until its standard error is at most se: a first run of options->particles, then runs with as many new
 * particles as the error requires (it decreases like 1 / sqrt(particles); at most 8 times the first run at once,
 * which bounds the memory), with all weights combined. It ends when the goal is reached or max_particles are
 * used. *out is updated after each run. *needed: estimated total number of particles for the goal. With more than
 * one run the number of particles depends on the weights, and the estimate is consistent but not unbiased
 * (`unbiased` is false). */
TW_API tw_status tw_ais_until(const tw_model *model, const tw_reference *reference,
                              const tw_ais_options *options, double se, size_t max_particles,
                              tw_progress_function *progress, void *user, tw_estimate *out, double *needed);

#ifdef __cplusplus
}
#endif

#endif
