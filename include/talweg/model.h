/* model.h: a Gaussian base, one-dimensional sites and a temperature.
 *
 * A model is x ~ N(0, K) with independent observations p(y_n | x_n). A reference q is a normalised Gaussian
 * to start from: the prior, N(0, K) times Gaussian sites (what EP gives), or any N(mu, Sigma). A target is
 * the path between them at one inverse temperature b in [0, 1]:
 *
 *   L_b(x) = b [log p(y | x) + log N(x; 0, K)] + (1 - b) log q(x),
 *
 * with all its constants, so that exp(L_0) integrates to 1 and exp(L_1) to Z = p(y). A target is used in
 * whitened coordinates v, x = m + L v, where L L' = A is the covariance of its base.
 */
#ifndef TALWEG_MODEL_H
#define TALWEG_MODEL_H

#include <talweg/base.h>
#include <talweg/covariance.h>
#include <talweg/data.h>
#include <talweg/likelihood.h>
#include <talweg/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x ~ N(0, K) with its observations; K is factored once. */
typedef struct tw_model tw_model;
/* q, the distribution at b = 0. */
typedef struct tw_reference tw_reference;
/* The path at one temperature. */
typedef struct tw_target tw_target;

/* ---- the model ---- */

/* A model of n observations (see likelihood.h) with the covariance matrix k (n x n): both are checked and copied.
 * jitter >= 0 is added to the diagonal of K; 0 is nearly always right, since a numerically singular K gets a
 * factor of lower rank. The likelihood must outlive the model. */
TW_API tw_status tw_model_new(tw_context *ctx, const double *k, size_t ldk, const tw_observations *observed,
                              double jitter, tw_model **out);

/* The observations of a data set: y, and the columns that the likelihood declares. Nothing is copied or checked;
 * tw_model_from_data fails for columns that the likelihood does not have. */
TW_API tw_observations tw_data_observed(const tw_data *data, const tw_likelihood *likelihood,
                                        const double *phi);

/* The same with the observations of a data set and K computed from its inputs. phi NULL: the initial values of the
 * likelihood's parameters. */
TW_API tw_status tw_model_from_data(const tw_data *data, const tw_kernel *kernel,
                                    const tw_likelihood *likelihood, const double *phi, double jitter,
                                    tw_model **out);
TW_API void tw_model_free(tw_model *model);

/* A function that makes a model instead of tw_model_from_data. */
typedef tw_status tw_model_maker(const tw_data *data, const tw_kernel *kernel,
                                 const tw_likelihood *likelihood, const double *phi, double jitter,
                                 tw_model **out);

/* A model whose prior is u ~ N(0, Q^-1) with a sparse precision q (sparse.h), and whose sites are x = C u: design
 * is C, with a row for each observation, a column for each variable, and linearly independent columns; NULL: the
 * identity. Both are copied. All functions below accept such a model; memory and time are proportional to the
 * entries of the factor of Q. */
TW_API tw_status tw_model_from_precision(const tw_sparse *q, const tw_sparse *design,
                                         const tw_observations *observed, tw_model **out);

/* The size of a model and the result of its factorisation. */
typedef struct tw_model_info {
    size_t n, rank;        /* rank < n: K is numerically singular */
    double residual;       /* largest entry of |K - L L'| if rank < n, otherwise 0 */
    double jitter;         /* added to the diagonal */
    double log_det;        /* log |K|; a pseudo-determinant if rank < n */
    double log_det_change; /* change of log |K| by the jitter; NaN if K is singular without it */
} tw_model_info;
TW_API tw_model_info tw_model_describe(const tw_model *model);

/* Check that m new cases with covariances `cross` (n x m) and prior variances `diagonal` are jointly Gaussian
 * with the cases of the model: k** must be at least k' K^-1 k, up to rounding; otherwise TW_BAD_DATA names the
 * first case that fails. */
TW_API tw_status tw_model_check_new(const tw_model *model, size_t m, const double *cross,
                                    const double *diagonal);

/* The covariances (n x count, contiguous) of all latents of the model with those of new cases first .. first +
 * count - 1 of `at`, and the prior variances of these, for predictions. kernel and train are those of the model,
 * and `at` is on the scale of train. A new case of a sparse prior must be on the lattice or mesh, at any time, or
 * in an area of the graph. */
TW_API tw_status tw_model_cross(const tw_model *model, const tw_kernel *kernel, const tw_data *train,
                                const tw_data *at, size_t first, size_t count, double *cross,
                                double *diagonal);

/* ---- the start of the path ---- */

/* q = prior. */
TW_API tw_status tw_reference_prior(const tw_model *model, tw_reference **out);

/* q = N(0, K) prod_n exp(nu_n x_n - tau_n x_n^2 / 2) / Z_q, tau >= 0: EP's approximation. Both are copied. */
TW_API tw_status tw_reference_sites(const tw_model *model, const double *tau, const double *nu,
                                    tw_reference **out);

/* q = N(mean, covariance), covariance positive definite. Needs a K of full rank. */
TW_API tw_status tw_reference_gaussian(const tw_model *model, const double *mean, const double *covariance,
                                       size_t ld, tw_reference **out);
TW_API void tw_reference_free(tw_reference *reference);

/* log Z_q of a reference made of sites, otherwise 0. */
TW_API double tw_reference_log_z(const tw_reference *reference);

/* ---- the target at one temperature ---- */

/* How a reference made of Gaussian sites enters the target. Open: the base is N(0, K) and the Gaussian sites are
 * sites; a change of temperature costs O(n). Folded: the Gaussian sites are part of the base; a change of
 * temperature costs one factorisation, and the sites have only b log p(y | x), so most of them are inactive. Both
 * give the same density. A reference N(mu, Sigma) is always folded; with q = prior there is no difference. */
typedef enum tw_form { TW_FORM_OPEN, TW_FORM_FOLDED } tw_form;

/* A target at b = 1. Model and reference must outlive it. */
TW_API tw_status tw_target_new(const tw_model *model, const tw_reference *reference, tw_form form,
                               tw_target **out);
TW_API void tw_target_free(tw_target *target);
TW_API tw_status tw_target_set_temperature(tw_target *target, double beta);

TW_API size_t tw_target_size(const tw_target *target); /* n: sites */
TW_API size_t tw_target_rank(const tw_target *target); /* r: whitened coordinates */

/* The quantities to compute at a block of points; the caller owns every array, and NULL arrays are not computed.
 * Arrays of sites are n x P, whitened ones r x P, contiguous. */
typedef struct tw_evaluation {
    double *x;              /* n x P, required: m + L v */
    double *log_density;    /* P: L_b(x), normalised as above; if r < n, a density on the range of L */
    double *log_likelihood; /* P: log p(y | x), independent of b */
    double *gradient;       /* r x P: of L_b with respect to v; needs slope */
    double *slope;          /* n x P: of the effective site terms with respect to x_n */
    double *lambda;         /* n x P: their curvature, -d2/dx_n2 */
    double *dlambda;        /* n x P: d lambda / dx_n */
} tw_evaluation;

/* Evaluate at P columns of whitened positions v (r x P). No allocation; any number of threads may call this
 * on one target. */
TW_API void tw_target_evaluate(const tw_target *target, size_t columns, const double *v,
                               const tw_evaluation *wanted);

/* The whitened position of x (n x P): v with m + L v = x, for x in the range of m + L. */
TW_API void tw_target_whiten(const tw_target *target, size_t columns, const double *x, double *v);

/* log p(y, x) - log q(x) for P columns of x, given their log likelihoods: the derivative of L_b with respect
 * to b, so that an annealing weight from b to b' is (b' - b) times this. `work` holds n numbers; it may
 * be NULL unless the reference is N(mu, Sigma). */
TW_API void tw_target_log_ratio(const tw_target *target, size_t columns, const double *x,
                                const double *log_likelihood, double *work, double *log_ratio);

#ifdef __cplusplus
}
#endif

#endif
