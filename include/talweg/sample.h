/* sample.h: Markov transitions on an ensemble, and chains made of them.
 *
 * A sampler holds P columns, each a draw of x from a target at its current temperature, and moves all of them by
 * one transition that leaves the target invariant: HMC in lockstep, RMHMC, elliptical slice sampling, or mGrad.
 * Every random number is a function of (seed, purpose, chain, iteration), and columns are worked on in tiles of
 * fixed size, so that results are bitwise identical for any number of threads.
 */
#ifndef TALWEG_SAMPLE_H
#define TALWEG_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/base.h>
#include <talweg/dynamics.h>
#include <talweg/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of transitions, one row each: enumerator and name. The file of a method has its other properties, in
 * the row tw_method_NAME. Checkpoints contain the numbers of methods, so add new ones at the end. */
#define TW_METHOD_LIST(X)     \
    X(TW_METHOD_HMC, hmc)     \
    X(TW_METHOD_RMHMC, rmhmc) \
    X(TW_METHOD_SLICE, ess)   \
    X(TW_METHOD_MGRAD, mgrad)

/* A row of the list as an enumerator. */
#define TW_METHOD_ENUM(value, name) value,
/* A kind of transition. */
typedef enum tw_method { TW_METHOD_LIST(TW_METHOD_ENUM) TW_METHOD_COUNT } tw_method;
#undef TW_METHOD_ENUM

/* The properties of a method. */
typedef struct tw_method_info {
    tw_method method;
    const char *name;    /* the name of the option: "ess" */
    const char *title;   /* in a sentence: "elliptical slice" */
    const char *meaning; /* "elliptical slice sampling" */
    size_t metric_count;
    tw_metric metrics[TW_METRIC_COUNT]; /* the supported metrics; the first is the default */
    tw_form form;                       /* of its target */
    bool has_eps, has_steps;            /* has a step size, has a number of leapfrog steps: both are tuned */
    bool implicit;      /* solves implicit equations: uses the solver options and reverse_check */
    bool has_energy;    /* its records have an energy and an energy error */
    const char *counts; /* the meaning of tw_record.steps: "leapfrog steps", "evaluations" */
} tw_method_info;

/* A row of the table; NULL if the number or name is unknown. */
TW_API const tw_method_info *tw_method_describe(tw_method method);
TW_API const tw_method_info *tw_method_find(const char *name);

/* "hmc", "rmhmc", "ess", "mgrad"; and all of them, as "hmc, rmhmc, ess, mgrad". */
TW_API const char *tw_method_name(tw_method method);
TW_API const char *tw_method_names(void);

/* Does the method support the metric? */
TW_API bool tw_method_takes(tw_method method, tw_metric metric);

/* The precision of HMC's forces. Both are exact: the densities of the Metropolis test are in double precision. */
typedef enum tw_forces {
    TW_FORCES_AUTO, /* single in the metric ep from 100 cases, where it is faster at the same acceptance;
                       otherwise double */
    TW_FORCES_DOUBLE,
    TW_FORCES_SINGLE /* if all columns share a dense Gaussian of full rank */
} tw_forces;

/* How HMC integrates the Gaussian part of H in the metrics prior and ep (src/dynamics/leapfrog.h). Both are
 * exact. */
typedef enum tw_drift {
    TW_DRIFT_AUTO,     /* TW_DRIFT_TURN from 100 cases: the errors of a straight drift accumulate over
                          cases */
    TW_DRIFT_STRAIGHT, /* the leapfrog of all other metrics */
    TW_DRIFT_TURN      /* by an exact rotation */
} tw_drift;

/* The transitions and their metric. */
typedef struct tw_sampler_options {
    tw_method method;
    tw_metric metric;             /* one of tw_method_describe's */
    const tw_reference *gaussian; /* for the metrics ep and dense: the Gaussian whose precision is the
                                     metric, or the centre of the slice sampler's ellipse; must outlive the
                                     sampler */
    const double *smoothing;      /* smoothed: n variances; must outlive the sampler */
    double solver_tolerance;      /* rmhmc: of the implicit equations, on the whitened scale */
    size_t solver_cap;            /* rmhmc: largest number of iterations */
    size_t fixed_point;           /* rmhmc: > 0: a fixed number of plain iterations, as in the report */
    double reverse_check;         /* rmhmc: fraction of trajectories that are checked for reversibility. An
                                     implicit equation may have several solutions, and a trajectory that
                                     found another solution is not reversible; accepting it biases the
                                     chain. So the default is all. Trajectories whose solves came close to
                                     the cap are always checked; with fixed_point none are, since a fixed
                                     count is never exactly reversible */
    size_t threads;
    tw_forces forces; /* hmc */
    tw_drift drift;   /* hmc */
    bool lines; /* ess in the metric ep: move along lines too, in directions in which the ellipse does not
                         reach a tail of the target at its first temperature */
} tw_sampler_options;
#define TW_SAMPLER_DEFAULTS                          \
    ((tw_sampler_options){.method = TW_METHOD_HMC,   \
                          .metric = TW_METRIC_PRIOR, \
                          .solver_tolerance = 1e-9,  \
                          .solver_cap = 50,          \
                          .reverse_check = 1.0,      \
                          .threads = 1})

/* The record of one transition of one column. */
typedef struct tw_record {
    double log_density;     /* L_b at the new position: the report's "energies" are its negative */
    double energy;          /* H at the start of the trajectory */
    double energy_error;    /* H at its end minus that; NaN if it failed, 0 for slice sampling */
    double acceptance_rate; /* min(1, exp(-energy_error)), 0 if it failed, 1 for slice sampling */
    size_t steps;           /* leapfrog steps, or the unit in tw_method_info.counts */
    bool accepted;
    bool energy_divergence; /* energy_error above 1000, or NaN */
    bool implicit_failure;  /* an implicit equation was not solved */
    bool irreversible;      /* the reverse trajectory did not return to its start */
    bool factorisation;     /* a metric could not be factored */
} tw_record;

/* An ensemble with the workspace of its transitions; nothing is allocated after tw_sampler_new. */
typedef struct tw_sampler tw_sampler;

/* A sampler of `columns` chains; the target must outlive it. options NULL: the defaults. */
TW_API tw_status tw_sampler_new(const tw_target *target, const tw_sampler_options *options, size_t columns,
                                tw_sampler **out);
TW_API void tw_sampler_free(tw_sampler *sampler);

/* Set the columns to x (n x P). TW_BAD_ARGUMENT if a number is not finite or the density is zero. */
TW_API tw_status tw_sampler_set_positions(tw_sampler *sampler, const double *x);

/* Must be called after the temperature of the target changes. */
TW_API void tw_sampler_refresh(tw_sampler *sampler);

/* A move: step size and number of leapfrog steps (ignored by slice sampling), and the random streams. Column j
 * uses the streams of chain first_chain + j. */
typedef struct tw_move {
    double eps;
    size_t steps;
    uint64_t seed, iteration, first_chain;
} tw_move;

/* One transition of every column; records has P elements. Numerical failures are recorded there and leave the
 * column unchanged. */
TW_API void tw_sampler_advance(tw_sampler *sampler, const tw_move *move, tw_record *records);

/* ---- random streams ---- */

/* A stream is a function of seed, purpose, chain and iteration. Computations of one job have different ranges of
 * chains, so that their errors are independent. Sampling runs and forward AIS share a range, since they are never
 * parts of one job. */
typedef enum tw_streams_user {
    TW_STREAMS_SAMPLE,
    TW_STREAMS_AIS,
    TW_STREAMS_AIS_REVERSE,
    TW_STREAMS_PT,
    TW_STREAMS_RM,
    TW_STREAMS_AIS_PILOT,
    TW_STREAMS_AIS_TRIAL,
    TW_STREAMS_RM_PILOT,
    TW_STREAMS_HYPER,
    TW_STREAMS_COUNT
} tw_streams_user;

/* A range of chains. */
typedef struct tw_streams {
    const char *user; /* for messages: "parallel tempering" */
    uint64_t first, count;
} tw_streams;

/* The chains of a user. */
TW_API tw_streams tw_streams_of(tw_streams_user user);

/* The number of chains that a second run of a method with the same seed skips (first_chain of its options). */
#define TW_STREAMS_SECOND_RUN ((uint64_t)1 << 40)

/* Reserve `count` chains of a user, after the first `skip` of its range; fails if the range is too small. */
TW_API tw_status tw_streams_take(tw_context *ctx, tw_streams_user user, uint64_t skip, uint64_t count,
                                 uint64_t *first);

/* The positions of the columns (n x P), and L_b and log p(y | x) there (P each). All members of a team must call
 * these together, since they exchange data. */
TW_API const double *tw_sampler_positions(tw_sampler *sampler);
TW_API const double *tw_sampler_log_density(tw_sampler *sampler);
TW_API const double *tw_sampler_log_likelihood(tw_sampler *sampler);

#ifdef __cplusplus
}
#endif

#endif
