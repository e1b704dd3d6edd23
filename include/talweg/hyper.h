/* hyper.h: unknown parameters: the exact posterior of (theta, x), and the evidence of the whole model,
 *
 *   p(y) = integral of p(theta) Z(theta) d theta,     Z(theta) = p(y | theta),
 *
 * by importance sampling squared (Tran, Scharth, Pitt & Kohn 2013):
 *
 *   w_s = p(theta_s) Zhat(theta_s) / g(theta_s),   theta_s ~ g,   E[Zhat(theta)] = Z(theta),
 *
 * so that the mean of the w_s is an unbiased estimate of p(y) for any g and any noise of Zhat. Here g is a mixture
 * of multivariate t distributions, adapted to p(theta) Z_EP(theta) in a few rounds and then frozen, and of the prior, so that no weight is above max Z / (weight of the prior in g); the theta_s are
 * scrambled Sobol points through g; Zhat is annealed importance sampling from EP's Gaussian with few temperatures
 * and particles. Errors come from independent scrambles. The weights, with the particles, are the posterior of
 * (theta, x).
 *
 * A parameter is unknown if it has a prior and is not fixed (prior.h); all others keep their values. Every prior
 * must be proper. If EP does not converge, a point starts from Laplace's approximation or from the prior of x,
 * which increases the error but keeps the result exact.
 */
#ifndef TALWEG_HYPER_H
#define TALWEG_HYPER_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/chains.h>
#include <talweg/evidence.h>
#include <talweg/predict.h>
#include <talweg/prior.h>
#include <talweg/problem.h>
#include <talweg/progress.h>
#include <talweg/store.h>
#include <talweg/warning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most unknown parameters. */
enum { TW_HYPER_MOST = 16 };

/* The source of draws of the parameters: weighted points (importance sampling squared), which also give the
 * evidence; or Markov chains with sites that are a function of theta, which give only draws, for many parameters. */
typedef enum tw_hyper_method { TW_HYPER_IS2, TW_HYPER_CHAIN } tw_hyper_method;

/* The options of a run. */
typedef struct tw_hyper_options {
    tw_hyper_method method;
    size_t points;       /* in total, rounded up to a multiple of scrambles */
    size_t scrambles;    /* independent ones, at least 2 */
    size_t chains;       /* of the method chain, in place of scrambles */
    size_t particles;    /* of each point */
    size_t temperatures; /* of each point, from EP's or Laplace's Gaussian; eight times as many from the
                            prior */
    double eps;          /* step size, in the metric of that Gaussian */
    size_t leapfrog_steps;
    size_t rounds; /* largest number of rounds that adapt the proposal */
    size_t
        round_points; /* of each; 0: 8 (d + 1)(d + 2) for d parameters, more in the first; d > 4: 24 (d + 2), at
                          * least 224 */
    size_t starts;    /* of the search for the mode */
    size_t kept;      /* particles kept of each point, drawn by their weights; 0: no draws of x */
    size_t joint_particles;    /* of a second estimate of log p(y) that shares no draws; 0: none */
    size_t joint_temperatures; /* and its temperatures */
    uint64_t seed;
    size_t threads; /* does not change results; 0: as many as this process may use */
    void *user;
    const tw_store *store;             /* keeps the points so far, to resume from; NULL: none */
    tw_progress_function *on_progress; /* stages "mode", "proposal" and "run"; true ends the run; may be
                                          NULL */
} tw_hyper_options;
#define TW_HYPER_DEFAULTS                         \
    ((tw_hyper_options){.points = 512,            \
                        .scrambles = 32,          \
                        .chains = 16,             \
                        .particles = 16,          \
                        .temperatures = 4,        \
                        .eps = 0.35,              \
                        .leapfrog_steps = 4,      \
                        .rounds = 6,              \
                        .starts = 3,              \
                        .kept = 4,                \
                        .joint_temperatures = 20, \
                        .seed = 1})

/* What Zhat of a point started from. */
typedef enum tw_hyper_start {
    TW_HYPER_EP,
    TW_HYPER_LAPLACE,
    TW_HYPER_PRIOR,
    TW_HYPER_FAILED, /* K or its factor could not be computed: the weight is 0 */
    TW_HYPER_STARTS
} tw_hyper_start;

/* The posterior of a parameter, of its value or of its logarithm as in its prior. */
typedef struct tw_hyper_row {
    char name[TW_PARAMETER_NAME + 4];
    size_t index; /* in theta */
    bool as_log;
    double mean, sd, q05, q50, q95;
    double mcse;     /* of the mean, from the scrambles or the chains */
    double ess_bulk; /* of chains; for weighted points the effective number of weights */
    double ess_tail; /* of chains; otherwise NaN */
    double rhat;     /* of chains; otherwise NaN */
} tw_hyper_row;

/* The result. Point s is number s / scrambles of scramble s % scrambles. */
typedef struct tw_hyper_result {
    tw_context *ctx;
    size_t n, unknown;
    size_t points, scrambles, particles, kept; /* points: complete ones */
    tw_hyper_row *row;                         /* unknown: one for each unknown parameter */
    double *theta;                             /* unknown x points */
    double *log_weight;                        /* points: log w_s */
    double *log_z;                             /* points: log Zhat */
    double *x;            /* n x kept x points, equally weighted within a point; NULL: none */
    double *log_density;  /* kept x points: log p(y, x | theta) of these; NULL: none */
    tw_estimate estimate; /* of log p(y): method "is2"; its weights are those of the points */
    tw_estimate joint;    /* a second estimate, by annealed importance sampling of theta and x jointly:
                             method "ais-joint"; particles is 0 if it was not computed */
    double joint_seconds;
    size_t started[TW_HYPER_STARTS];                /* points, by the start of Zhat */
    size_t fits;                                    /* of EP, before the final points */
    double mode_seconds, proposal_seconds, seconds; /* of wall time; `seconds` is that of the final points */
    double cpu_setup, cpu_points;                   /* of all threads together */
    bool stopped;                                   /* by on_progress, with the complete points */
    /* TW_OK; TW_NUMERICAL_FAILURE: the weights collapsed to an effective number below two. */
    tw_status verdict;
    tw_warnings warnings; /* their texts live as long as the result */
    char words[256];
} tw_hyper_result;

/* Check the arguments of tw_hyper_run: some parameter is unknown, all priors are proper, and the options are in
 * their ranges. options NULL: the defaults. */
TW_API tw_status tw_hyper_check(const tw_problem *problem, const tw_priors *priors,
                                const tw_hyper_options *options);

/* Run. Afterwards the problem is at the mode. TW_INTERRUPTED if it is stopped before each scramble has two
 * points. */
TW_API tw_status tw_hyper_run(tw_problem *problem, const tw_priors *priors, const tw_hyper_options *options,
                              tw_hyper_result **out);
TW_API void tw_hyper_free(tw_hyper_result *result);

/* The mean of f over the posterior and its error, from its value at each point (points numbers):
 * sum w f / sum w, with an error from the scrambles by the delta method. */
TW_API double tw_hyper_mean(const tw_hyper_result *result, const double *f, double *mcse);

/* Unknown parameter k at a point, as its row reports it. */
TW_API double tw_hyper_reported(const tw_problem *problem, const tw_hyper_result *result, size_t k,
                                size_t point);

/* Leave-one-out predictions by Pareto-smoothed importance sampling, from all particles that were kept: log p(y_n
 * | all other y) and the Pareto k of its weights, n numbers each. The problem is that of the run. TW_BAD_ARGUMENT
 * if no particles were kept. */
TW_API tw_status tw_hyper_leave_one_out(const tw_problem *problem, const tw_hyper_result *result,
                                        double *log_score, double *pareto_k);

/* The sum of these predictions and its standard error over cases. Both are withheld (NaN), with a warning in the
 * result, if k is above TW_PARETO_LIMIT at `doubtful` cases, or within its error of that limit at more than one case in
 * twenty. */
typedef struct tw_leave_one_out {
    double sum, se;
    size_t doubtful;
} tw_leave_one_out;
TW_API tw_leave_one_out tw_hyper_sum_left_out(tw_hyper_result *result, const double *log_score,
                                              const double *pareto_k);

/* `count` draws of (theta, x) with equal weights, resampled (systematically) and shuffled: point[i] is the index
 * of a point and copy[i] the index of one of its kept particles. A point of large weight occurs more than once. */
TW_API tw_status tw_hyper_draw(const tw_hyper_result *result, uint64_t seed, size_t count, size_t *point,
                               size_t *copy);

/* As many draws as points, as one chain in memory; point[points] receives the index of the point of each draw.
 * The records have lp = log p(theta) + log p(y, x | theta) and the acceptance rate of the whole run; there are no
 * energies. The problem and the priors are those of the run. The caller frees the result. TW_BAD_ARGUMENT if no
 * particles were kept. */
TW_API tw_status tw_hyper_draws(const tw_problem *problem, const tw_priors *priors,
                                const tw_hyper_result *result, uint64_t seed, size_t *point, tw_draws **out);

/* ---- the models of draws, for predictions ---- */

/* Draws of (theta, x): each belongs to a point. */
typedef struct tw_theta_draws {
    size_t unknown, points, draws;
    const size_t *index; /* unknown: their places in theta */
    const double *theta; /* unknown x points */
    const size_t *point; /* draws */
    size_t stride;       /* every stride-th draw is used */
    double effective;    /* effective number of independent draws */
} tw_theta_draws;

/* For tw_draw_source.places: it makes the model of a point on demand. The problem and the arrays of `draws` must
 * outlive it. */
typedef struct tw_theta_places tw_theta_places;
TW_API tw_status tw_theta_places_new(const tw_problem *problem, const tw_theta_draws *draws,
                                     tw_theta_places **out);
TW_API void tw_theta_places_free(tw_theta_places *places);
TW_API const tw_draw_places *tw_theta_places_table(const tw_theta_places *places);

#ifdef __cplusplus
}
#endif

#endif
