/* likelihood.h: p(y_n | x_n), one site at a time: the table of functions that defines a likelihood.
 *
 * tw_likelihood_find() finds a built-in likelihood by name. To define a likelihood, fill a tw_likelihood and pass
 * its address; it must outlive the objects made with it. Functions must be pure: the same arguments give the same
 * answer, from any thread.
 *
 * n observations are passed as a tw_observations: y[i] is that of site i, and known constants, such as the exposure
 * of a count, are in columns whose names the likelihood declares; phi are the parameters of the likelihood, such as
 * the noise, on their transformed scale (parameter.h). Arrays are contiguous, of n elements; an output that is NULL
 * is not computed.
 */
#ifndef TALWEG_LIKELIHOOD_H
#define TALWEG_LIKELIHOOD_H

#include <stdbool.h>

#include <talweg/base.h>
#include <talweg/parameter.h>

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

/* The range of a column; numbers are always finite. */
typedef enum tw_range {
    TW_RANGE_ANY,
    TW_RANGE_POSITIVE, /* > 0 */
    TW_RANGE_COUNT,    /* 1, 2, 3, ... */
    TW_RANGE_FLAG      /* 0 or 1 */
} tw_range;

/* A column of known constants, one for each observation. */
typedef struct tw_column {
    const char *name;     /* "exposure" */
    double default_value; /* the constant of every observation if the column is not given */
    tw_range range;
    bool required;    /* it must be given: the default is only for plots */
    const char *help; /* a short description for lists; NULL: none */
} tw_column;

typedef struct tw_likelihood tw_likelihood;

/* The largest number of levels of a likelihood. */
enum { TW_LEVELS = 16 };

/* n observations and the parameters of their likelihood, as passed to its functions. It owns nothing. */
enum { TW_COLUMNS = 4 }; /* the largest number that a likelihood can declare */
typedef struct tw_observations {
    const tw_likelihood *likelihood;
    const double *phi; /* the likelihood's parameters; NULL: their initial values */
    size_t n;
    const double *y;                  /* NULL if only predictions are needed */
    const double *column[TW_COLUMNS]; /* in the order of the likelihood's columns; NULL: the default value */
    const size_t *line;               /* the line of each observation in its file, for messages; NULL:
                                         unknown */
} tw_observations;

/* Is y of observation i a bound of the observed quantity? True if its flag in the column `censored` is set. */
TW_API bool tw_observations_censored(const tw_observations *observed, size_t i);

/* A likelihood: a table of functions. Only supports and terms are required; others may be NULL as described
 * below. */
struct tw_likelihood {
    const char *name;        /* "probit" */
    const char *support;     /* the allowed observations, for messages: "-1 or +1" */
    void *user;              /* for user-defined likelihoods: o->likelihood->user in the functions below */
    size_t columns;          /* at most TW_COLUMNS */
    const tw_column *column; /* NULL if there are none */
    size_t parameters;       /* number of its parameters */
    const tw_parameter *parameter; /* NULL if there are none */
    bool two_classes;              /* y is -1 or +1, and its expectation is reported as the probability of
                                      +1 */
    size_t levels;                 /* y is one of 1, 2, ..., levels <= TW_LEVELS; 0: y is not ordinal */

    /* Is y[i] an allowed observation? Its columns are within their ranges. */
    bool (*supports)(const tw_observations *o, size_t i);

    /* Value and derivatives at x, for n sites:
     *   value l = log p(y | x), slope = dl/dx, curvature lambda = -d2l/dx2, and dlambda/dx.
     * value is normalised over y, and may be -inf. The others are finite if value is finite. */
    void (*terms)(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda);

    /* The slope alone, in single precision, for forces that need no more digits (docs/samplers.md). NULL: from
     * `terms`. */
    void (*slopes_single)(const tw_observations *o, const float *x, float *slope);

    /* Derivatives of value, slope and lambda with respect to phi[k]. NULL only if there are no parameters. */
    void (*d_parameter)(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda);

    /* For a p(y[i] | x) that is not log-concave in x, and has one peak: its position, and a length over which p
     * changes there. Quadrature, EP and Laplace then expect negative curvature and several modes. NULL: p is
     * log-concave. */
    void (*peak)(const tw_observations *o, size_t i, double *x, double *width);

    /* Moments of p(y[i] | x) N(x; m, v). NULL: by quadrature of `terms`. */
    tw_status (*tilted)(const tw_observations *o, size_t i, double m, double v, tw_tilted *out);

    /* log of the integral of p(y[i] | x) N(x; m[i], v) dx, for n sites and one v >= 0. NULL: from the above. */
    void (*marginal)(const tw_observations *o, const double *m, double v, double *log_p);

    /* A positive smooth surrogate of lambda, for metrics: the curvature of the likelihood averaged over N(x,
     * s2[i]), or another surrogate described in the file of the likelihood, with its exact slope in x. NULL: not
     * available. */
    void (*smoothed)(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda);

    /* The expected information about x in one observation, E[-d2 log p(y | x)/dx2] over y given x, and its exact
     * slope in x: a curvature for metrics that does not depend on y. NULL: not available. */
    void (*fisher)(const tw_observations *o, const double *x, double *lambda, double *dlambda);

    /* Mean and variance of y given x, for n sites; o->y is not used. NULL: from `terms` for two classes;
     * otherwise the likelihood cannot predict. */
    void (*expect)(const tw_observations *o, const double *x, double *mean, double *variance);

    /* The same for x[i] ~ N(m[i], v), one v >= 0. NULL: by quadrature of `expect`. */
    void (*predict)(const tw_observations *o, const double *m, double v, double *mean, double *variance);

    /* Has y a mean, with these parameters? If not, `expect` gives the median. NULL: it has one. */
    bool (*has_mean)(const tw_observations *o);
};

/* Has y a mean? False for student_t with df <= 1. */
TW_API bool tw_likelihood_has_mean(const tw_observations *observed);

/* The built-in likelihoods by name, such as "probit", with formulas, columns and parameters in
 * docs/likelihoods.md; NULL if the name is unknown. tw_likelihood_names() lists them: "probit, logit, ...", and
 * tw_likelihood_at(0), (1), ... returns them, with NULL after the last. */
TW_API const tw_likelihood *tw_likelihood_find(const char *name);
TW_API const tw_likelihood *tw_likelihood_at(size_t i);
TW_API const char *tw_likelihood_names(void);

/* The index k of likelihood->column[k] with that name; likelihood->columns if the name is unknown. */
TW_API size_t tw_likelihood_column(const tw_likelihood *likelihood, const char *name);

/* The observations start .. start + count - 1. */
TW_API tw_observations tw_observations_part(const tw_observations *observed, size_t start, size_t count);

/* Parameter k in its natural units. */
TW_API double tw_observations_parameter(const tw_observations *observed, size_t k);

/* Check the parameters, every column, and every observation if y is not NULL; the message names the first invalid
 * one, counted from 1. */
TW_API tw_status tw_likelihood_check(tw_context *ctx, const tw_observations *observed);

/* The expectation of y if x[i] ~ N(m[i], v), one v >= 0 for all: mean and variance (each may be NULL); for two
 * classes the probability of +1 instead of the mean, and the variance of y in {-1, +1}. TW_BAD_ARGUMENT if the
 * likelihood cannot predict (tw_likelihood_check_expect sets the message), TW_NUMERICAL_FAILURE if a result is
 * NaN. */
TW_API tw_status tw_likelihood_expect(const tw_observations *observed, const double *m, double v,
                                      double *mean, double *variance);
TW_API tw_status tw_likelihood_check_expect(tw_context *ctx, const tw_likelihood *likelihood);

/* For an ordinal likelihood, the probability of each level if x[i] ~ N(m[i], v), one v >= 0 for all: p[i levels +
 * j - 1] is that of level j. Fails as above. */
TW_API tw_status tw_likelihood_levels(const tw_observations *observed, const double *m, double v, double *p);

/* The name of the mean of tw_likelihood_expect in tables and files: "probability" or "y_mean". */
TW_API const char *tw_likelihood_expects(const tw_likelihood *likelihood);

/* Moments of the tilted distribution of observation i by the function of the likelihood, or by adaptive
 * quadrature if it has none, which is accurate to 1e-10 (in units of the tilted standard deviation) for a smooth
 * p that is log-concave or has a `peak`. TW_BAD_ARGUMENT unless m is finite and v > 0; TW_NUMERICAL_FAILURE if
 * the moments are not finite; TW_NOT_CONVERGED if the quadrature reached its limit: *out then holds its last
 * result. */
TW_API tw_status tw_likelihood_tilted(const tw_observations *observed, size_t i, double m, double v,
                                      tw_tilted *out);

/* Derivatives of log Z, the log normaliser of the tilted distribution, with respect to all of phi: d[k] = E[d log
 * p(y[i] | x)/d phi[k]] under it, by quadrature. Fails as above. */
TW_API tw_status tw_likelihood_d_log_z(const tw_observations *observed, size_t i, double m, double v,
                                       double *d);

/* The cumulants c[1..orders] of the tilted distribution, orders <= 8; c[0] is its log normaliser. Up to the
 * fourth as above, beyond by quadrature. */
TW_API tw_status tw_likelihood_cumulants(const tw_observations *observed, size_t i, double m, double v,
                                         size_t orders, double *c);

#ifdef __cplusplus
}
#endif

#endif
