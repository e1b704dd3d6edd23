/* prior.h: prior distributions of parameters, and the priors of all parameters of a problem.
 *
 * A prior is written as a name, ~ and a density:
 *
 *   ell ~ gamma(25, 4)              a density of the length scale itself
 *   log_sigma ~ normal(0, 1)        a density of its logarithm
 *
 *   normal(mean, sd)                student_t(df, location, scale)      gamma(shape, rate)      inv_gamma(shape, scale)
 *   lognormal(mean, sd)             of the logarithm                    half_normal(sd)         half_t(df, scale)
 *   uniform(low, high)              uniform: flat, not a distribution
 *   pc(u, alpha)                    penalised complexity: a length scale is below u with probability alpha, 1/ell^(d/2) is
 *                                   exponential; any other parameter is above u with probability alpha, and exponential
 *
 * Theta is the logarithm of most parameters (parameter.h): a density of the value v = exp(theta) becomes the
 * density p(v) v of theta. A density of a positive parameter with mass below 0 is truncated at 0 and renormalised.
 */
#ifndef TALWEG_PRIOR_H
#define TALWEG_PRIOR_H

#include <stdbool.h>

#include <talweg/base.h>
#include <talweg/parameter.h>
#include <talweg/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The densities. */
typedef enum tw_prior_family {
    TW_PRIOR_NORMAL,
    TW_PRIOR_STUDENT_T,
    TW_PRIOR_GAMMA,
    TW_PRIOR_INV_GAMMA,
    TW_PRIOR_LOGNORMAL,
    TW_PRIOR_HALF_NORMAL,
    TW_PRIOR_HALF_T,
    TW_PRIOR_UNIFORM,
    TW_PRIOR_PC
} tw_prior_family;

/* A prior: a plain value that owns nothing. */
typedef struct tw_prior {
    tw_prior_family family;
    bool of_log; /* a density of the logarithm */
    bool flat;   /* uniform without ends */
    double a[3]; /* as written; for pc the third is d/2 for a length scale, and 0 for other parameters */
} tw_prior;

/* "normal, student_t, ..." */
TW_API const char *tw_prior_names(void);

/* The normalised log density of theta (0 if flat, -inf outside the support), and its derivative, if slope is not
 * NULL. */
TW_API double tw_prior_log_density(const tw_prior *prior, const tw_parameter *parameter, double theta,
                                   double *slope);

/* The distribution function at theta; NaN if flat. */
TW_API double tw_prior_cdf(const tw_prior *prior, const tw_parameter *parameter, double theta);

/* The quantile of probability p, 0 < p < 1; NaN if flat. A uniform p gives a draw. */
TW_API double tw_prior_quantile(const tw_prior *prior, const tw_parameter *parameter, double p);

/* "log_ell ~ normal(0, 1)", with all digits; tw_prior_show for tables, with at most 5. */
TW_API void tw_prior_print(const tw_prior *prior, const tw_parameter *parameter, char *words, size_t bytes);
TW_API void tw_prior_show(const tw_prior *prior, const tw_parameter *parameter, char *words, size_t bytes);

/* ---- the priors of a problem ---- */

/* The prior of each parameter of a problem, if any, and whether it is fixed. */
typedef struct tw_priors {
    tw_context *ctx;
    size_t count;
    tw_prior *prior;
    bool *has, *fixed; /* count each */
} tw_priors;

/* No priors, and no fixed parameters. */
TW_API tw_status tw_priors_new(const tw_problem *problem, tw_priors **out);
TW_API void tw_priors_free(tw_priors *priors);

/* Read a prior, "ell ~ gamma(25, 4)". A name without the number of its input (ell for ell.1, ell.2, ...) means
 * all of them. "default" gives the prior of tw_prior_default to every parameter that has no prior and whose value
 * was not given. */
TW_API tw_status tw_priors_read(tw_priors *priors, const tw_problem *problem, const char *text);

/* Fix a parameter: "ell=2", "log_ell=0.7", or "ell" for its current value; "all": every parameter at its current
 * value. The problem is set to these values. */
TW_API tw_status tw_priors_fix(tw_priors *priors, tw_problem *problem, const char *text);

/* The default prior of parameter j, a normal density of theta that follows the units of y and of the inputs:
 * multiplying these by numbers shifts it. It does not depend on any parameter's value. Let c and s be centre and spread
 * of the latent values that the observations suggest: of y for an identity link, otherwise of the means of x_n, given
 * y_n alone and x_n ~ N(0, 9); and K the number of terms of the kernel with an amplitude, without constants. Its mean
 * is the logarithm of
 *   a length scale        the median distance of two cases over the leaf's inputs or, for a length scale of one of d
 *                         inputs, sqrt(d) times the median distance in that input; sd 1
 *   an added constant     c^2 + s^2, a variance; sd 2
 *   another amplitude     the one with which the term's standard deviation is s / sqrt(K), or (c^2 + s^2)^1/2 / sqrt(K)
 *                         without a constant; sd 1 (2 for a variance)
 *   noise or scale        the spread of y, divided by e; sd 1.5
 * For any other parameter (and amplitudes relative to others in a product) the mean is the theta of its initial value;
 * sd 1. */
TW_API tw_status tw_prior_default(const tw_problem *problem, size_t j, tw_prior *out);

/* Give the default prior to every parameter that has none and is not fixed. */
TW_API tw_status tw_priors_complete(tw_priors *priors, const tw_problem *problem);

/* The log density of theta under all priors of parameters that are not fixed; its derivatives are added to
 * gradient, if that is not NULL. */
TW_API double tw_priors_log_density(const tw_priors *priors, const tw_problem *problem, const double *theta,
                                    double *gradient);

#ifdef __cplusplus
}
#endif

#endif
