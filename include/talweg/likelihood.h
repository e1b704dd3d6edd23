/* likelihood.h: p(y_n | x_n), one site at a time: the table of functions that makes a likelihood.
 *
 * The built-in ones are found by name with tw_likelihood_find(). For a likelihood of your own, fill a
 * tw_likelihood and pass its address wherever one is asked for; it must outlive what was made with it.
 * Functions must be pure: the same arguments give the same answer, from any thread.
 *
 * Throughout, y[i] is the observation of site i, and w[i] its known constant: the exposure of a Poisson
 * count, the noise standard deviation of a Gaussian observation; w NULL means 1 everywhere. Arrays are
 * contiguous, of n elements; an output that is NULL is not wanted.
 */
#ifndef TALWEG_LIKELIHOOD_H
#define TALWEG_LIKELIHOOD_H

#include <stdbool.h>

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tilted distribution p(y | x) N(x; m, v) / Z: its log normaliser and its first four cumulants. */
typedef struct tw_tilted {
    double log_z;
    double mean;
    double variance;
    double c3;
    double c4;
} tw_tilted;

/* A likelihood: a table of functions. terms is all that one needs; the rest may be NULL where it says so. */
typedef struct tw_likelihood {
    const char *name;
    const char *support; /* what an observation may be, for messages: "-1 or +1" */
    void *user;          /* handed back to every function below */

    /* May y (with constant w) be observed? */
    bool (*supports)(void *user, double y, double w);

    /* Value and derivatives at x, for n sites:
     *   value l = log p(y | x), slope = dl/dx, curvature lambda = -d2l/dx2, and dlambda/dx.
     * value is normalised over y, and may be -inf. The others are finite wherever it is finite. */
    void (*terms)(void *user, size_t n, const double *y, const double *w, const double *x, double *value,
                  double *slope, double *lambda, double *dlambda);

    /* Moments of p(y | x) N(x; m, v). NULL: by quadrature of `terms` (for a log-concave p). */
    tw_status (*tilted)(void *user, double y, double w, double m, double v, tw_tilted *out);

    /* A positive smooth surrogate of lambda, for metrics: the curvature of the likelihood averaged over
     * N(x, s2[i]), or what the file of that likelihood says instead, with its exact slope in x.
     * NULL: this likelihood has none. */
    void (*smoothed)(void *user, size_t n, const double *y, const double *w, const double *s2,
                     const double *x, double *lambda, double *dlambda);

    /* The expected information about x in one observation, E[-d2 log p(y | x)/dx2] over y given x, and its
     * exact slope in x: a metric's curvature that does not depend on y. NULL: this likelihood has none. */
    void (*fisher)(void *user, size_t n, const double *y, const double *w, const double *x, double *lambda,
                   double *dlambda);
} tw_likelihood;

/* The built-in likelihoods:
 *   probit    y in {-1, +1}, Phi(y x)
 *   logit     y in {-1, +1}, 1 / (1 + exp(-y x))
 *   poisson   y in {0, 1, 2, ...}, rate w exp(x), w the exposure
 *   gaussian  y real, N(y; x, w^2), w the noise standard deviation
 * NULL when there is none of that name. tw_likelihood_names() lists them: "probit, logit, ...". */
TW_API const tw_likelihood *tw_likelihood_find(const char *name);
TW_API const char *tw_likelihood_names(void);

/* Check every observation; the message names the first that is outside the support, counted from 1. */
TW_API tw_status tw_likelihood_check(tw_context *ctx, const tw_likelihood *likelihood, size_t n,
                                     const double *y, const double *w);

/* Moments of the tilted distribution by the likelihood's own routine, or by adaptive quadrature where it
 * has none, which for a smooth log-concave p is good to 1e-10 (in units of the tilted standard deviation).
 * m finite and v > 0, else TW_BAD_ARGUMENT. TW_NUMERICAL_FAILURE when the moments are not finite,
 * TW_NOT_CONVERGED when the quadrature met its limit: *out then holds what it had. */
TW_API tw_status tw_likelihood_tilted(const tw_likelihood *likelihood, double y, double w, double m, double v,
                                      tw_tilted *out);

/* The cumulants c[1..orders] of the tilted distribution, orders <= 8; c[0] is its log normaliser. Up to the
 * fourth as above, beyond by quadrature. */
TW_API tw_status tw_likelihood_cumulants(const tw_likelihood *likelihood, double y, double w, double m,
                                         double v, size_t orders, double *c);

#ifdef __cplusplus
}
#endif

#endif
