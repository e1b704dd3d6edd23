/* approximate.h: Gaussian approximations of p(x | y): Laplace, expectation propagation (EP), and EP's
 * second-order correction of log Z; predictions from either.
 *
 * Both approximations have the form q(x) = N(x; 0, K) prod_n exp(nu_n x_n - tau_n x_n^2 / 2) / Z_q with tau
 * >= 0, but for a likelihood that is not log-concave, where some may be negative. Convergence is a verdict in the result, never assumed: look at `converged` before you use anything
 * else.
 */
#ifndef TALWEG_APPROXIMATE_H
#define TALWEG_APPROXIMATE_H

#include <stdbool.h>

#include <talweg/base.h>
#include <talweg/model.h>
#include <talweg/problem.h>
#include <talweg/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rounding error of log Z that a user should know of, in nats. */
#define TW_EP_ROUNDING 1e-4

/* Which of the two it is. */
typedef enum tw_approximation_kind { TW_LAPLACE, TW_EP } tw_approximation_kind;

/* A Gaussian approximation q, its verdict and its log Z. Free it before the model. */
typedef struct tw_approximation {
    tw_context *ctx;
    tw_approximation_kind kind;
    size_t n;
    bool converged;
    bool several_modes; /* Newton's method found more than one (TW_WARN_MODES); EP does not look */
    size_t iterations;  /* Newton steps, or sweeps over all sites */
    double residual;    /* Laplace: how far the mode still is, in units of q's own standard deviations;
                                EP: largest moment mismatch; see below */
    double
        log_z; /* its estimate of log p(y); NaN where rounding leaves it less than a digit behind the point */
    double
        rounding; /* EP: by how much log_z may be off through rounding, in nats: 0 but where observations are much
                                more precise than the prior (TW_WARN_ROUNDING) */
    double *tau, *nu;        /* n sites each */
    double *mean;            /* n: marginal means of x under q */
    double *variance;        /* n: marginal variances */
    tw_reference *reference; /* q itself, with its factor: owned by this approximation */
} tw_approximation;

TW_API void tw_approximation_free(tw_approximation *approximation);

/* An approximation from stored sites: q is rebuilt from (tau, nu); kind, verdict, iterations, residual and
 * log_z are the caller's word. */
TW_API tw_status tw_approximation_from_sites(const tw_model *model, tw_approximation_kind kind,
                                             const double *tau, const double *nu, tw_approximation **out);

/* ---- Laplace ---- */

/* When Newton's method stops. */
typedef struct tw_laplace_options {
    size_t max_steps; /* Newton steps */
    double tolerance; /* on what log p(x, y) will still gain: half the squared length of a Newton step in
                         units of q's standard deviations, the last of which is then taken */
} tw_laplace_options;
#define TW_LAPLACE_DEFAULTS ((tw_laplace_options){.max_steps = 100, .tolerance = 1e-9})

/* The mode of p(x | y) by Newton's method with a line search, and the curvature there. Where the likelihood is not
 * log-concave there may be several: Newton's method then starts from 0, from what Gaussian noise would make of the data, and
 * from what it would make of the outliers alone; the highest mode is taken, and a warning (TW_WARN_MODES) says that they differ. options NULL: the
 * defaults. TW_OK also when it did not converge: the result says so. */
TW_API tw_status tw_laplace_fit(const tw_model *model, const tw_laplace_options *options,
                                tw_approximation **out);

/* ---- EP ---- */

/* How to look for EP's fixed point. */
typedef enum tw_ep_method {
    TW_EP_AUTO, /* sequential, and the double loop where that does not converge; parallel where the likelihood
                          is not log-concave */
    TW_EP_SEQUENTIAL,  /* sequential sweeps only */
    TW_EP_DOUBLE_LOOP, /* provably convergent for log-concave likelihoods; takes hundreds of sweeps or more */
    TW_EP_PARALLEL     /* all sites at once, with damping: a factorisation a sweep, and more of them */
} tw_ep_method;

/* When EP stops. */
typedef struct tw_ep_options {
    tw_ep_method method;
    size_t max_sweeps;     /* of all kinds together */
    double tolerance;      /* on |change in log Z| between sweeps */
    double site_tolerance; /* on the residual: the largest difference, over sites, between a tilted and a
                              marginal moment, in units of the marginal: |mean' - mean| / sd and |variance' /
                              variance - 1| */
    /* n sites to begin with, such as those of a similar model; NULL: none. Putting them in takes a
     * sweep, so they should save two. */
    const double *tau;
    const double *nu; /* given with tau */
    void *user;
    tw_progress_function *on_progress; /* called many times in each sweep; may be NULL */
} tw_ep_options;
#define TW_EP_DEFAULTS \
    ((tw_ep_options){.method = TW_EP_AUTO, .max_sweeps = 200, .tolerance = 1e-8, .site_tolerance = 1e-6})

/* options NULL: the defaults. TW_OK also when it did not converge: the result says so. */
TW_API tw_status tw_ep_fit(const tw_model *model, const tw_ep_options *options, tw_approximation **out);

/* ---- derivatives of log Z ---- */

/* gradient[j] = d log_z / d theta_j for all parameters of the problem (problem.h), from the approximation of its model, EP's or
 * Laplace's. Costs less than 4 factorisations beyond the fit, and O(n^2) for each parameter. TW_NOT_CONVERGED where the
 * approximation did not converge: after one sweep of EP a derivative may be 260 % off. */
TW_API tw_status tw_approximation_gradient(const tw_problem *problem, const tw_approximation *approximation,
                                           double *gradient);

/* ---- EP for a sequence of similar models ---- */

/* Models that follow one another at equal steps, such as a row of a grid of kernel parameters. The sites of the next one
 * are extrapolated from those of the last ones by polynomials of order 0 to 3: 1, (2, -1), (3, -3, 1) or (4, -6, 4, -1)
 * times the last points. The order is the one that would have been best at the last point. Where even that one would
 * have missed by more than a tenth of the marginals, nothing is predicted: the first sweep from the prior does as well,
 * and putting sites in takes a sweep too. What EP converges to does not depend on this. */
typedef struct tw_ep_sequence tw_ep_sequence;

/* A sequence of models of n cases, which the caller frees before the context. */
TW_API tw_status tw_ep_sequence_new(tw_context *ctx, size_t n, tw_ep_sequence **out);
TW_API void tw_ep_sequence_free(tw_ep_sequence *sequence);

/* Forget the models so far: the next one begins another row. */
TW_API void tw_ep_sequence_restart(tw_ep_sequence *sequence);

/* Have EP begin with predicted sites, where there are any worth it: sets tau and nu of the options to arrays of the
 * sequence, which last until it learns. */
TW_API void tw_ep_sequence_predict(tw_ep_sequence *sequence, tw_ep_options *options);

/* Add what EP found; where it did not converge, the sequence restarts. */
TW_API void tw_ep_sequence_learn(tw_ep_sequence *sequence, const tw_approximation *ep);

/* What it has learnt, as `count` numbers for a checkpoint, which belong to the sequence; and back from them, TW_BAD_DATA
 * where they are not of a sequence of as many cases. */
TW_API const double *tw_ep_sequence_state(const tw_ep_sequence *sequence, size_t *count);
TW_API tw_status tw_ep_sequence_restore(tw_ep_sequence *sequence, size_t count, const double *numbers);

/* ---- EP's second-order correction ---- */

enum { TW_CORRECTION_MAX_ORDER = 8 };

/* The corrected log Z, order by order. */
typedef struct tw_correction {
    double log_z;                             /* log Z_EP + the sum of terms */
    size_t orders;                            /* highest order used */
    double term[TW_CORRECTION_MAX_ORDER + 1]; /* term[l], l = 3..orders: the contribution of order l */
    bool decreasing;                          /* does |term[l]| fall with l? If not, do not trust it */
} tw_correction;

/* log Z = log Z_EP + 1/2 sum_{m != n} sum_l c_lm c_ln / l! (Sigma_mn / (Sigma_mm Sigma_nn))^l, l = 3..orders
 * (3 <= orders <= 8; 4 is usual). Refused with TW_NOT_CONVERGED on an EP that has not converged, where it can
 * be nats off. */
TW_API tw_status tw_ep_correct(const tw_model *model, const tw_approximation *ep, size_t orders,
                               tw_correction *out);

/* ---- predictions of the latent function ---- */

/* What predictions from a Gaussian approximation need: a factor and a vector. */
typedef struct tw_predictor tw_predictor;

/* Prepare predictions from a Gaussian approximation, which is not needed afterwards; the model is. n^3/3 flops. */
TW_API tw_status tw_predictor_new(const tw_model *model, const tw_approximation *approximation,
                                  tw_predictor **out);
TW_API void tw_predictor_free(tw_predictor *predictor);

/* Mean and variance of the latent function at m new inputs, given cross = k(x, z) (n x m, contiguous,
 * overwritten) and the prior variances diagonal[m]. Any number of batches may be asked for, from any thread.
 */
TW_API tw_status tw_predictor_apply(const tw_predictor *predictor, size_t m, double *cross,
                                    const double *diagonal, double *mean, double *variance);

/* The same at every input of `at`, which must be on the scale of `train`, the data of the model: in batches
 * of tw_predict_batch(n) columns, so that memory does not grow with the number of new inputs: TW_PREDICT_BATCH, and
 * less above 8,192 cases, where n x so many covariances are 32 MB. */
enum { TW_PREDICT_BATCH = 512 };
TW_API size_t tw_predict_batch(size_t n);
TW_API tw_status tw_predictor_at(const tw_predictor *predictor, const tw_kernel *kernel, const tw_data *train,
                                 const tw_data *at, double *mean, double *variance);

/* ---- predictions of observations -------------------------------------------------------------------------
 * Everywhere: the cases `at` (their y only where they are scored), whose latent values are N(mean[i],
 * variance[i]). */

/* What to expect: for observations -1 and +1 the probability of +1, else the mean of y (poisson: exposure
 * exp(mean + variance / 2)); and the standard deviation of y (sd may be NULL). TW_BAD_ARGUMENT for a likelihood of
 * your own that is not of two classes and has no `expect`. */
TW_API tw_status tw_predict_observations(tw_context *ctx, const tw_observations *at, const double *mean,
                                         const double *variance, double *expected, double *sd);

/* For a likelihood of levels (likelihood.h), the probability of each: levels numbers for each case. */
TW_API tw_status tw_predict_levels(tw_context *ctx, const tw_observations *at, const double *mean,
                                   const double *variance, double *levels);

/* log p(y[i]) = log of the integral of p(y | x) N(x; mean, variance), in nats: the log score of each case. */
TW_API tw_status tw_predict_log_scores(tw_context *ctx, const tw_observations *at, const double *mean,
                                       const double *variance, double *log_score);

/* How good predictions were. The calibration table sorts binary predictions by their probability of +1 into
 * ten bins of equal width; empty bins hold NaN. */
enum { TW_CALIBRATION_BINS = 10 };
typedef struct tw_scores {
    size_t cases;
    double log_score;  /* mean of log p(y), nats */
    double error_rate; /* binary: part on the wrong side of 1/2 (exactly 1/2 counts half); else NaN */
    double rmse;       /* not binary: root mean square of y - expected over the uncensored cases; else NaN */
    struct {
        size_t cases;
        double predicted; /* mean probability of +1 */
        double observed;  /* observed frequency of +1 */
    } bin[TW_CALIBRATION_BINS];
    size_t censored; /* cases whose y is a bound: they count in log_score, and not in rmse */
} tw_scores;
TW_API tw_scores tw_predict_scores(const tw_observations *at, const double *expected,
                                   const double *log_score);

/* The same batch by batch: `sums` begins as zeros, and finish makes means of it. */
TW_API void tw_scores_add(const tw_observations *at, const double *expected, const double *log_score,
                          tw_scores *sums);
TW_API tw_scores tw_scores_finish(const tw_likelihood *likelihood, const tw_scores *sums);

#ifdef __cplusplus
}
#endif

#endif
