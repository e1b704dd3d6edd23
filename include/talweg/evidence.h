/* evidence.h: log Z = log p(y) by Monte Carlo, with errors.
 *
 * All methods follow the path L_b of model.h from a reference q (b = 0) to the posterior (b = 1) with the
 * transitions of sample.h. An estimate never comes without its standard error, and says whether it is
 * unbiased in Z.
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

/* How the inverse temperatures b_0 = 0 < b_1 < ... < b_B = 1 are spaced. */
typedef enum tw_schedule_kind {
    TW_SCHEDULE_GEOMETRIC, /* the report's: b_k = b_min^((B-k)/(B-1)), k = 1..B */
    TW_SCHEDULE_LINEAR,    /* b_k = k/B */
    TW_SCHEDULE_SIGMOID    /* equal steps of logit b between logit 0.02 and logit 0.98, stretched to [0, 1]:
                              dense at both ends */
} tw_schedule_kind;

/* Fill beta[0..steps], from 0 to 1. steps >= 1; beta_min in (0, 1) is used by the geometric schedule. */
TW_API tw_status tw_schedule_fill(tw_context *ctx, tw_schedule_kind kind, size_t steps, double beta_min,
                                  double *beta);

/* A schedule of one's own: must start at 0, end at 1 and rise. */
TW_API tw_status tw_schedule_check(tw_context *ctx, size_t steps, const double *beta);

/* ---- estimates ---- */

/* An estimate of log Z, and what there is to say about it. */
typedef struct tw_estimate {
    const char *method; /* "ais", "ais-reverse", "stepping-stone", "thermodynamic", "resample-move" */
    double log_z;
    double se;           /* standard error of log_z; NaN when there is none (one particle) */
    double se_bootstrap; /* the same by the bootstrap over particles; NaN where it does not apply */
    double weight_ess;   /* effective number of weights; NaN where it does not apply */
    double acceptance;   /* mean acceptance rate of the transitions */
    size_t particles;    /* particles, or independent copies */
    size_t temperatures; /* steps of the schedule */
    double failures;     /* fraction of transitions that failed numerically */
    bool unbiased;       /* in Z; false: consistent as the effort grows */
    double pareto_k; /* shape of the tail of the weights: tw_weights_pareto_k; NaN where it does not apply */
    double missed; /* ais-reverse: the share of 1/Z in the tail of the weights that its forward run found and
                        its reverse run missed; part of se. NaN for other methods */
    size_t draws;  /* which random draws it is made of: estimates with the same number share them. 0: not
                        known, and then stepping stones and thermodynamic integration share theirs */
    /* Parallel tempering, whose copies may all err in the same way; NaN for other methods. */
    double
        trips; /* round trips of a copy, from b = 0 to 1 and back. Below 1 the run has not forgotten how it began */
    double
        drift; /* by how much the second half of the run is above the first, where that is beyond chance: part of se.
                     0: it is not */
    double
        apart; /* thermodynamic: by how much it is above stepping stones from the same draws, where that is beyond
                     chance: part of se. 0: it is not */
} tw_estimate;

/* ---- agreement ---- */

/* Two estimates a, b with standard errors s, t agree when |a - b| <= 4 sqrt(s^2 + t^2): were both normal
 * about the truth, and independent, one pair in 16,000 would fail to. Estimates that are made of the same draws
 * (stepping stones and thermodynamic integration of one run) err together, and are not compared. */
#define TW_AGREEMENT_LIMIT 4.0

/* The same in words, for those who print it. */
#define TW_AGREEMENT_RULE                                                                                    \
    "every pair of estimates that share no draws is within 4 joint standard errors; null where there is no " \
    "such pair"
enum { TW_WORDS_BYTES = 512 };

/* Whether estimates agree. */
typedef struct tw_agreement {
    bool known;           /* false: no two estimates with an error that share no draws */
    bool agree;           /* every such pair does */
    bool shared;          /* some pair shares its draws, and is not compared */
    bool one_mode;        /* not known, because all may miss the same mode (TW_WARN_ONE_MODE) */
    size_t compared;      /* estimates with an error */
    double worst;         /* largest |a - b| / sqrt(s^2 + t^2); NaN when not known */
    size_t first, second; /* the pair that has it */
    double difference;    /* its |a - b|, in nats */
} tw_agreement;

/* An estimate that is not finite (weights that are all 0) agrees with nothing; one without a standard error
 * is not compared. */
TW_API tw_agreement tw_evidence_agree(size_t count, const tw_estimate *estimates);

/* The finding as a sentence, without advice; estimates are those that were compared. */
TW_API void tw_agreement_print(const tw_agreement *agreement, const tw_estimate *estimates,
                               char words[TW_WORDS_BYTES]);

/* The estimate with the smallest standard error, NULL where none has one; weights that collapsed (fewer than
 * two count) have none, and those that are doubted come last. */
TW_API const tw_estimate *tw_evidence_best(size_t count, const tw_estimate *estimates);

/* How far an approximation's log_z is from an estimate: returns the distance in standard errors, and puts it into a
 * sentence: "EP is 0.256 nats below ais, 8.0 of its standard errors". */
TW_API double tw_evidence_compare(const tw_estimate *estimate, const char *name, double log_z,
                                  char words[TW_WORDS_BYTES]);

/* What there is to doubt about an estimate: weights with a heavy tail (pareto_k above 0.7), a reverse run that missed
 * more than its error says otherwise, replicas that do not travel, halves of a run that differ, an integral that its
 * own draws contradict, an error too large to mean anything. False: nothing, and `doubt` is no warning. */
TW_API bool tw_evidence_doubt(const tw_estimate *estimate, tw_warning *doubt);

/* ---- annealed importance sampling ---- */

/* Where a run stands after a temperature of its last stage: all that the rest of it depends on, so that it can go
 * on later and be the same to the bit. */
typedef struct tw_ais_state {
    size_t particles;                         /* of this run */
    size_t done;                              /* temperatures of the last stage */
    double beta;                              /* where the particles are */
    uint64_t iteration;                       /* transitions so far */
    double acceptance, failures, transitions; /* sums over them */
    size_t count;                             /* how many numbers there are */
    const double *numbers;                    /* temperatures, step sizes, log weights, particles */
    /* Of tw_ais_until: the particles of the runs before this one, their log weights, and sums over them. */
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
    size_t moves; /* transitions at each temperature */
    double eps;   /* 0: tuned at every temperature in a pilot run with particles of its own, then frozen */
    size_t steps; /* leapfrog steps; 0: as many as make a trajectory of length pi/2 */
    double target_accept; /* of the pilot */
    uint64_t seed;
    uint64_t
        first_chain; /* 0, or for other random numbers with the same seed how many of the chains of AIS, or of
                             reverse AIS, to skip: particle j has number first_chain + j of them (sample.h) */
    bool reverse;    /* from posterior draws down to q: an upper bound in expectation */
    size_t burn_in;  /* reverse: transitions at b = 1, after a forward run and a resampling by its weights */
    double refine; /* reverse: where a step keeps less than this fraction of the effective sample size on the
                       way down, by the particles of the way up, temperatures are put between; 0: never */
    void *user;
    /* Asked after each temperature of the last stage: true has on_state see where the run stands, during the
     * call. May be NULL. */
    bool (*wants_state)(void *user);
    void (*on_state)(void *user, const tw_ais_state *state);
    const tw_ais_state *resume; /* go on from there, with options like those of the first part; NULL: from the
                                   start */
} tw_ais_options;
#define TW_AIS_DEFAULTS                              \
    ((tw_ais_options){.kernel = TW_SAMPLER_DEFAULTS, \
                      .temperatures = 50,            \
                      .particles = 256,              \
                      .moves = 1,                    \
                      .target_accept = 0.8,          \
                      .seed = 1,                     \
                      .burn_in = 30,                 \
                      .refine = 0.995})

/* progress is called after each temperature; a run that it stops returns TW_OK and no estimate (particles = 0). NULL:
 * nobody watches. options NULL: the defaults, here and below. log weights of all particles go to log_weight (particles numbers; NULL: not wanted). Forward: log w = sum_k
 * (b_k - b_{k-1}) R(x_{k-1}) with R = log p(y, x) - log q(x) at the sample drawn before the move to b_k, and
 * log Z is the log of their mean. Reverse: the same back to q, and log Z is minus that. */
TW_API tw_status tw_ais_run(const tw_model *model, const tw_reference *reference,
                            const tw_ais_options *options, tw_progress_function *progress, void *user,
                            double *log_weight, tw_estimate *out);

/* ---- resample-move, and schedules that a pilot finds ---- */

/* Where a run stands after a temperature, its pilot being over: as tw_ais_state. */
typedef struct tw_rm_state {
    size_t steps;                             /* of the plan that the pilot made */
    size_t done;                              /* temperatures */
    size_t particles;                         /* at the last one */
    uint64_t iteration;                       /* transitions so far */
    double weight_ess;                        /* the smallest so far */
    double acceptance, failures, transitions; /* sums over them */
    size_t count;                             /* how many numbers there are */
    const double *numbers;                    /* the plan, log Z of the islands, log weights, particles */
} tw_rm_state;

/* How to resample and move. */
typedef struct tw_rm_options {
    tw_sampler_options kernel;
    const double *beta;  /* temperatures + 1 numbers from 0 to 1; NULL: chosen by the pilot */
    size_t temperatures; /* steps of the schedule */
    double fraction;     /* of the conditional effective sample size that a step chosen by the pilot keeps */
    size_t max_temperatures; /* temperatures that the pilot may choose */
    size_t pilot_particles;
    double correlation; /* moves at a temperature go on until particles are correlated less than this with
                           where they were */
    size_t max_moves;   /* but no longer */
    size_t particles;   /* of all islands together: the cost is that of so many at each temperature */
    size_t islands;     /* independent replicates, for the error; each has its share of the particles */
    double spread; /* at any temperature at most particles * spread and at least particles / spread; 1: the
                         same number everywhere */
    double eps;    /* 0: tuned by the pilot at every temperature */
    size_t steps;  /* leapfrog steps; 0: as many as make a trajectory of length pi/2 */
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
                     .fraction = 0.9,               \
                     .max_temperatures = 1000,      \
                     .pilot_particles = 128,        \
                     .correlation = 0.2,            \
                     .max_moves = 10,               \
                     .particles = 256,              \
                     .islands = 16,                 \
                     .spread = 4.0,                 \
                     .target_accept = 0.8,          \
                     .seed = 1})

/* Adaptive resample-move (a sequential Monte Carlo sampler). A pilot with particles of its own chooses the
 * temperatures, step sizes, numbers of moves, and the number of particles P_k of each step: with v_k the
 * relative variance of its weights and c_k the cost of a particle, P_k is proportional to sqrt(v_k / c_k). All
 * this is then frozen, and `islands` independent runs make the estimate: log Z is the log of the mean of their
 * unbiased estimates of Z (so it is unbiased in Z), the standard error comes from their spread, by the delta
 * method and by the bootstrap over islands. weight_ess is the smallest, over the steps, effective number of
 * particles. Memory: O(n) per particle for constant metrics. */
TW_API tw_status tw_rm_run(const tw_model *model, const tw_reference *reference, const tw_rm_options *options,
                           tw_progress_function *progress, void *user, tw_estimate *out);

/* The temperatures alone, for AIS: each step keeps `fraction` of the conditional effective sample size of the
 * pilot's particles. beta has room for max_temperatures + 1 numbers; *temperatures says how many steps were
 * needed. TW_NOT_CONVERGED where max_temperatures do not suffice. */
TW_API tw_status tw_schedule_adapt(const tw_model *model, const tw_reference *reference,
                                   const tw_rm_options *options, size_t *temperatures, double *beta);

/* ---- parallel tempering ---- */

/* Where a run stands after a round, of the warm-up or of those that count: as tw_ais_state. */
typedef struct tw_pt_state {
    size_t levels, copies;
    uint64_t round;              /* rounds so far, warm-up included */
    size_t recorded;             /* rounds that count */
    size_t round_trips, counted; /* since counting began */
    double proposals;            /* swaps of each pair that were considered since then */
    size_t count;                /* how many numbers there are */
    const double *numbers;       /* the ladder, step sizes, counts, log ratios, replicas */
} tw_pt_state;

/* How to temper. */
typedef struct tw_pt_options {
    tw_sampler_options kernel; /* threads work on different temperatures */
    const double *beta;        /* temperatures + 1 numbers from 0 to 1; NULL: a linear ladder */
    size_t temperatures;       /* steps of the schedule */
    bool tune_ladder;          /* move the temperatures, in the warm-up, to equal swap rates */
    size_t
        least_temperatures; /* where replicas do not travel, the warm-up may leave out temperatures, down to so
                              many steps; the rounds are then more, for the same work. 0: it keeps all */
    size_t copies;          /* independent copies of the whole ladder, in lockstep: at least 2 */
    size_t warmup, rounds;  /* a round: transitions at every temperature, then swaps of neighbours */
    size_t patience; /* tuning goes on while replicas do not travel (fewer than a round trip for each copy),
                              up to so many times `warmup`; 1: never */
    size_t moves;    /* transitions in a round */
    double eps;      /* 0: tuned at every temperature in the warm-up, then frozen */
    size_t steps;    /* leapfrog steps; 0: as many as make a trajectory of length pi/2 */
    double target_accept; /* of the warm-up */
    uint64_t seed;
    uint64_t
        first_chain; /* as in tw_ais_options, of those of parallel tempering: (temperatures + 1) * copies are used */
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
                     .target_accept = 0.8,          \
                     .seed = 1})

/* What a run did. The arrays are the caller's; NULL: not wanted. They have room for the temperatures of the options. */
typedef struct tw_pt_report {
    size_t temperatures;    /* steps of the ladder that the estimates were made with */
    size_t warmup, rounds;  /* how many there were */
    double *beta;           /* temperatures + 1: that ladder */
    double *eps;            /* temperatures + 1: step sizes; the first, at b = 0, is not used */
    double *mean_log_ratio; /* temperatures + 1: E_b[R], the integrand of thermodynamic integration */
    double *swap_rate;      /* temperatures: mean probability that k and k + 1 exchange */
    double barrier;         /* Lambda: sum of (1 - swap rate) */
    size_t round_trips;     /* from b = 0 to 1 and back, in all copies together */
    size_t batches;  /* of each copy's rounds: errors are from the spread between copies or between batches,
                               whichever is larger; with fewer than 8 copies from that between batches */
    double drift;    /* log Z of the second half of the rounds less that of the first, by stepping stones */
    double drift_se; /* its standard error */
    double forward, forward_se, reverse, reverse_se; /* log Z by one-sided stepping stones */
    double discretisation; /* of thermodynamic integration; part of its standard error */
} tw_pt_report;

/* Two estimates of log Z from one run: out[0] by stepping stones, each ratio Z(b_k) / Z(b_{k-1}) by the
 * optimal bridge between draws from both; out[1] by thermodynamic integration, from b_1 on, with a stepping stone
 * from q to there (docs/tempering.md). Neither is unbiased. One whose error would be above 10 nats is withheld: NaN.
 * progress is called after each round and may stop the run as in tw_ais_run. Memory: O(n) for each copy and
 * temperature with constant metrics, and a number for each round of them. report may be NULL. */
TW_API tw_status tw_pt_run(const tw_model *model, const tw_reference *reference, const tw_pt_options *options,
                           tw_progress_function *progress, void *user, tw_estimate out[2],
                           tw_pt_report *report);

/* AIS until its standard error is at most se: a first run of options->particles, then runs of as many new
 * particles as the error still asks for (it falls like 1 / sqrt(particles); at most 8 times the first run at
 * once, which bounds the memory), all weights taken together. It ends when the goal is met or max_particles
 * are used up. *out is brought up to date after each run. *needed: how many particles the goal
 * takes in all, as far as can be told. A number of particles that was chosen by looking at the weights leaves
 * the estimate consistent, not unbiased, and it says so. */
TW_API tw_status tw_ais_until(const tw_model *model, const tw_reference *reference,
                              const tw_ais_options *options, double se, size_t max_particles,
                              tw_progress_function *progress, void *user, tw_estimate *out, double *needed);

#ifdef __cplusplus
}
#endif

#endif
