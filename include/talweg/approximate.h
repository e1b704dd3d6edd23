/* approximate.h: Gaussian approximations of p(x | y): Laplace, expectation propagation (EP), and EP's
 * second-order correction of log Z; predictions from either.
 *
 * Both approximations have the form q(x) = N(x; 0, K) prod_n exp(nu_n x_n - tau_n x_n^2 / 2) / Z_q with tau >= 0,
 * except for a likelihood that is not log-concave, where some may be negative. A result says whether it converged:
 * check `converged` before you use the other members.
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

/* The rounding error of log Z above which TW_WARN_ROUNDING is given, in nats. */
#define TW_EP_ROUNDING 1e-4
/* The one above which log Z is withheld (NaN). */
#define TW_MOST_ROUNDING 0.1

/* The kind of an approximation. */
typedef enum tw_approximation_kind { TW_LAPLACE, TW_EP } tw_approximation_kind;

/* A Gaussian approximation q with its convergence and its log Z. Free it before the model. */
typedef struct tw_approximation {
    tw_context *ctx;
    tw_approximation_kind kind;
    size_t n;
    bool converged;
    bool several_modes;      /* Newton's method found more than one (TW_WARN_MODES); EP does not check */
    size_t iterations;       /* Newton steps, or sweeps over all sites */
    double residual;         /* Laplace: distance to the mode, in standard deviations of q; EP: largest
                                moment mismatch; see below */
    double log_z;            /* its estimate of log p(y); NaN if its rounding error is above 0.1 nats */
    double rounding;         /* estimate of the rounding error of log_z, in nats (TW_WARN_ROUNDING) */
    double *tau, *nu;        /* n sites each */
    double *mean;            /* n: marginal means of x under q */
    double *variance;        /* n: marginal variances */
    tw_reference *reference; /* q with its factor; owned by this approximation */
} tw_approximation;

TW_API void tw_approximation_free(tw_approximation *approximation);

/* An approximation from stored sites: q is rebuilt from (tau, nu); the caller sets converged, iterations,
 * residual and log_z. */
TW_API tw_status tw_approximation_from_sites(const tw_model *model, tw_approximation_kind kind,
                                             const double *tau, const double *nu, tw_approximation **out);

/* ---- Laplace ---- */

/* When Newton's method stops. */
typedef struct tw_laplace_options {
    size_t max_steps; /* Newton steps */
    double tolerance; /* on the remaining gain of log p(x, y): half the squared length of a Newton step in
                         standard deviations of q; the last step is still taken */
} tw_laplace_options;
#define TW_LAPLACE_DEFAULTS ((tw_laplace_options){.max_steps = 100, .tolerance = 1e-9})

/* The mode of p(x | y) by Newton's method with a line search, and the curvature there. If the likelihood is not
 * log-concave there may be several modes: Newton's method then starts from 0, from the posterior mean under
 * Gaussian noise, and from that of the outliers alone; the highest mode is used, and TW_WARN_MODES is given if
 * they differ. options NULL: the defaults. Returns TW_OK even if it did not converge: check the result. */
TW_API tw_status tw_laplace_fit(const tw_model *model, const tw_laplace_options *options,
                                tw_approximation **out);

/* ---- EP ---- */

/* The algorithm that finds EP's fixed point. */
typedef enum tw_ep_method {
    TW_EP_AUTO,        /* sequential, and the double loop if that does not converge; parallel if the
                          likelihood is not log-concave */
    TW_EP_SEQUENTIAL,  /* sequential sweeps only */
    TW_EP_DOUBLE_LOOP, /* provably convergent for log-concave likelihoods; takes hundreds of sweeps or more */
    TW_EP_PARALLEL     /* all sites at once, with damping: one factorisation per sweep, and more sweeps */
} tw_ep_method;

/* When EP stops. */
typedef struct tw_ep_options {
    tw_ep_method method;
    size_t max_sweeps;     /* in total */
    double tolerance;      /* on |change in log Z| between sweeps */
    double site_tolerance; /* on the residual: the largest difference, over sites, between a tilted and a
                              marginal moment, in units of the marginal: |mean' - mean| / sd and |variance'
                              / variance - 1| */
    /* n initial sites, such as those of a similar model; NULL: none. Inserting them costs a sweep, so they should
     * save at least two. */
    const double *tau;
    const double *nu; /* given with tau */
    void *user;
    tw_progress_function *on_progress; /* called many times in each sweep; may be NULL */
} tw_ep_options;
#define TW_EP_DEFAULTS \
    ((tw_ep_options){.method = TW_EP_AUTO, .max_sweeps = 200, .tolerance = 1e-8, .site_tolerance = 1e-6})

/* options NULL: the defaults. Returns TW_OK even if EP did not converge: check the result. */
TW_API tw_status tw_ep_fit(const tw_model *model, const tw_ep_options *options, tw_approximation **out);

/* ---- derivatives of log Z ---- */

/* gradient[j] = d log_z / d theta_j for all parameters of the problem (problem.h), from the approximation of its
 * model, EP's or Laplace's. Costs less than 4 factorisations besides the fit, and O(n^2) for each parameter.
 * TW_NOT_CONVERGED if the approximation did not converge: after one sweep of EP a derivative may be wrong by 260
 * %. */
TW_API tw_status tw_approximation_gradient(const tw_problem *problem, const tw_approximation *approximation,
                                           double *gradient);

/* ---- EP for a sequence of similar models ---- */

/* A sequence of models at equal steps, such as a row of a grid of kernel parameters. The sites of the next model
 * are extrapolated from those of the last models by polynomials of order 0 to 3: 1, (2, -1), (3, -3, 1) or (4,
 * -6, 4, -1) times the last points. The order is the one that would have been best at the last point. If even
 * that one would have been wrong by more than a tenth of the marginals, nothing is predicted: a first sweep from
 * the prior is as good, and inserting sites also costs a sweep. EP's fixed point does not depend on the
 * prediction. */
typedef struct tw_ep_sequence tw_ep_sequence;

/* A sequence of models of n cases, which the caller frees before the context. */
TW_API tw_status tw_ep_sequence_new(tw_context *ctx, size_t n, tw_ep_sequence **out);
TW_API void tw_ep_sequence_free(tw_ep_sequence *sequence);

/* Forget the previous models: the next model starts a new row. */
TW_API void tw_ep_sequence_restart(tw_ep_sequence *sequence);

/* Set tau and nu of the options to predicted sites, if a prediction is available and good enough. The arrays
 * belong to the sequence and are valid until tw_ep_sequence_learn. */
TW_API void tw_ep_sequence_predict(tw_ep_sequence *sequence, tw_ep_options *options);

/* Add a fit of EP; if it did not converge, the sequence restarts. */
TW_API void tw_ep_sequence_learn(tw_ep_sequence *sequence, const tw_approximation *ep);

/* The state of the sequence as `count` numbers for a checkpoint, which belong to the sequence; and restoring it,
 * TW_BAD_DATA if the numbers do not fit the number of cases. */
TW_API const double *tw_ep_sequence_state(const tw_ep_sequence *sequence, size_t *count);
TW_API tw_status tw_ep_sequence_restore(tw_ep_sequence *sequence, size_t count, const double *numbers);

/* ---- EP's second-order correction ---- */

enum { TW_CORRECTION_MAX_ORDER = 8 };

/* The corrected log Z, order by order. */
typedef struct tw_correction {
    double log_z;                             /* log Z_EP + the sum of terms */
    size_t orders;                            /* highest order used */
    double term[TW_CORRECTION_MAX_ORDER + 1]; /* term[l], l = 3..orders: the contribution of order l */
    bool decreasing;                          /* does |term[l]| decrease with l? If not, do not trust log_z */
} tw_correction;

/* log Z = log Z_EP + 1/2 sum_{m != n} sum_l c_lm c_ln / l! (Sigma_mn / (Sigma_mm Sigma_nn))^l, l = 3..orders (3
 * <= orders <= 8; 4 is usual). TW_NOT_CONVERGED if EP has not converged, where the correction can be wrong by
 * nats. */
TW_API tw_status tw_ep_correct(const tw_model *model, const tw_approximation *ep, size_t orders,
                               tw_correction *out);

/* ---- predictions of the latent function ---- */

/* The factor and the vector that predictions from a Gaussian approximation need. */
typedef struct tw_predictor tw_predictor;

/* Prepare predictions from a Gaussian approximation. The approximation may be freed afterwards, the model may
 * not. n^3/3 flops. */
TW_API tw_status tw_predictor_new(const tw_model *model, const tw_approximation *approximation,
                                  tw_predictor **out);
TW_API void tw_predictor_free(tw_predictor *predictor);

/* Mean and variance of the latent function at m new inputs, given cross = k(x, z) (n x m, contiguous, overwritten)
 * and the prior variances diagonal[m]. It may be called for any number of batches, from any thread.
 */
TW_API tw_status tw_predictor_apply(const tw_predictor *predictor, size_t m, double *cross,
                                    const double *diagonal, double *mean, double *variance);

/* The same at every input of `at`, which must be on the scale of `train`, the data of the model: in batches of
 * tw_predict_batch(n) columns, so that memory does not grow with the number of new inputs: TW_PREDICT_BATCH
 * columns up to 8,192 cases, and fewer above, so that the covariances take 32 MB. */
enum { TW_PREDICT_BATCH = 512 };
TW_API size_t tw_predict_batch(size_t n);
TW_API tw_status tw_predictor_at(const tw_predictor *predictor, const tw_kernel *kernel, const tw_data *train,
                                 const tw_data *at, double *mean, double *variance);

/* ---- predictions of observations ----
 *
 * All functions take the cases `at` (with y only for scores), whose latent values are N(mean[i], variance[i]). */

/* Expected observations: for observations -1 and +1 the probability of +1, otherwise the mean of y (poisson:
 * exposure exp(mean + variance / 2)); and the standard deviation of y (sd may be NULL). Both are NaN where y has no
 * mean. TW_BAD_ARGUMENT for a user-defined likelihood that does not have two classes and has no `expect`. */
TW_API tw_status tw_predict_observations(tw_context *ctx, const tw_observations *at, const double *mean,
                                         const double *variance, double *expected, double *sd);

/* Give TW_WARN_NO_MEANS if y has no mean at some of the cases. */
TW_API void tw_predict_warn(tw_context *ctx, const tw_observations *at);

/* For an ordinal likelihood (likelihood.h), the probability of each level: `levels` numbers for each case. */
TW_API tw_status tw_predict_levels(tw_context *ctx, const tw_observations *at, const double *mean,
                                   const double *variance, double *levels);

/* log p(y[i]) = log of the integral of p(y | x) N(x; mean, variance), in nats: the log score of each case. */
TW_API tw_status tw_predict_log_scores(tw_context *ctx, const tw_observations *at, const double *mean,
                                       const double *variance, double *log_score);

/* Scores of predictions. The calibration table sorts binary predictions by their probability of +1 into ten bins
 * of equal width; empty bins hold NaN. */
enum { TW_CALIBRATION_BINS = 10 };
typedef struct tw_scores {
    size_t cases;
    double log_score;  /* mean of log p(y), nats */
    double error_rate; /* binary: fraction on the wrong side of 1/2 (exactly 1/2 counts half); otherwise
                          NaN */
    double rmse;       /* not binary: root mean square of y - expected over the uncensored cases; otherwise
                          NaN */
    struct {
        size_t cases;
        double predicted; /* mean probability of +1 */
        double observed;  /* observed frequency of +1 */
    } bin[TW_CALIBRATION_BINS];
    size_t censored; /* cases whose y is a bound: they count in log_score but not in rmse */
} tw_scores;
TW_API tw_scores tw_predict_scores(const tw_observations *at, const double *expected,
                                   const double *log_score);

/* The same in batches: initialise `sums` with zeros; tw_scores_finish turns the sums into means. */
TW_API void tw_scores_add(const tw_observations *at, const double *expected, const double *log_score,
                          tw_scores *sums);
TW_API tw_scores tw_scores_finish(const tw_likelihood *likelihood, const tw_scores *sums);

#ifdef __cplusplus
}
#endif

#endif
