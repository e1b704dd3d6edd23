/* likelihood.h: p(y_n | x_n), one site at a time: the table of functions that makes a likelihood.
 *
 * The built-in ones are found by name with tw_likelihood_find(). For a likelihood of your own, fill a
 * tw_likelihood and pass its address wherever one is asked for; it must outlive what was made with it.
 * Functions must be pure: the same arguments give the same answer, from any thread.
 *
 * Everywhere n observations come as a tw_observations: y[i] is that of site i, and what else is known of it,
 * such as the exposure of a count, is in columns whose names the likelihood declares; phi are the likelihood's own
 * parameters, such as the noise, each as its transform has it (parameter.h). Arrays are contiguous, of n
 * elements; an output that is NULL is not wanted.
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

/* What a number in a column may be; it is finite in any case. */
typedef enum tw_range {
    TW_RANGE_ANY,
    TW_RANGE_POSITIVE, /* > 0 */
    TW_RANGE_COUNT,    /* 1, 2, 3, ... */
    TW_RANGE_FLAG      /* 0 or 1 */
} tw_range;

/* A column of known constants, one for each observation. */
typedef struct tw_column {
    const char *name;     /* "exposure" */
    double default_value; /* the constant of every observation where the column is not given */
    tw_range range;
    bool required;    /* it must be given: the default is for pictures only */
    const char *help; /* what it is, in a few words, for lists; NULL: not said */
} tw_column;

typedef struct tw_likelihood tw_likelihood;

/* As many levels as a likelihood can have. */
enum { TW_LEVELS = 16 };

/* n observations and the parameters of their likelihood, as its functions see them: nothing in here is owned. */
enum { TW_COLUMNS = 4 }; /* as many as a likelihood can declare */
typedef struct tw_observations {
    const tw_likelihood *likelihood;
    const double *phi; /* the likelihood's parameters; NULL: their initial values */
    size_t n;
    const double *y;                  /* NULL where only predictions are asked for */
    const double *column[TW_COLUMNS]; /* in the order of the likelihood's columns; NULL: the standard */
    const size_t *line;               /* where each stands in its file, for messages; NULL: not known */
} tw_observations;

/* Is y of observation i a bound, and not itself what was to be observed? That is where a column of flags says so: censored. */
TW_API bool tw_observations_censored(const tw_observations *observed, size_t i);

/* A likelihood: a table of functions. supports and terms are all that one needs; the rest may be NULL where it
 * says so. */
struct tw_likelihood {
    const char *name;        /* "probit" */
    const char *support;     /* what an observation may be, for messages: "-1 or +1" */
    void *user;              /* of a likelihood of your own: o->likelihood->user in the functions below */
    size_t columns;          /* at most TW_COLUMNS */
    const tw_column *column; /* NULL where there are none */
    size_t parameters;       /* of its own */
    const tw_parameter *parameter; /* NULL where there are none */
    bool two_classes;              /* y is -1 or +1, and its expectation is told as the probability of +1 */
    size_t levels;                 /* y is one of 1, 2, ..., levels <= TW_LEVELS; 0: y is not ordinal */

    /* May y[i] be observed? Its columns are within their ranges. */
    bool (*supports)(const tw_observations *o, size_t i);

    /* Value and derivatives at x, for n sites:
     *   value l = log p(y | x), slope = dl/dx, curvature lambda = -d2l/dx2, and dlambda/dx.
     * value is normalised over y, and may be -inf. The others are finite wherever it is finite. */
    void (*terms)(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda);

    /* Derivatives of value, slope and lambda with respect to phi[k]. NULL only where there are no parameters. */
    void (*d_parameter)(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda);

    /* For a p(y[i] | x) that is not log-concave in x, and has one peak: where it is, and a length over which p changes
     * there. Quadrature, EP and Laplace then expect negative curvature and several modes. NULL: p is log-concave. */
    void (*peak)(const tw_observations *o, size_t i, double *x, double *width);

    /* Moments of p(y[i] | x) N(x; m, v). NULL: by quadrature of `terms`. */
    tw_status (*tilted)(const tw_observations *o, size_t i, double m, double v, tw_tilted *out);

    /* log of the integral of p(y[i] | x) N(x; m[i], v) dx, for n sites and one v >= 0. NULL: from the above. */
    void (*marginal)(const tw_observations *o, const double *m, double v, double *log_p);

    /* A positive smooth surrogate of lambda, for metrics: the curvature of the likelihood averaged over
     * N(x, s2[i]), or what the file of that likelihood says instead, with its exact slope in x.
     * NULL: this likelihood has none. */
    void (*smoothed)(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda);

    /* The expected information about x in one observation, E[-d2 log p(y | x)/dx2] over y given x, and its
     * exact slope in x: a metric's curvature that does not depend on y. NULL: this likelihood has none. */
    void (*fisher)(const tw_observations *o, const double *x, double *lambda, double *dlambda);

    /* Mean and variance of y given x, for n sites; o->y is not looked at. NULL: for two classes from `terms`;
     * else this likelihood predicts nothing. */
    void (*expect)(const tw_observations *o, const double *x, double *mean, double *variance);

    /* The same for x[i] ~ N(m[i], v), one v >= 0. NULL: by quadrature of `expect`. */
    void (*predict)(const tw_observations *o, const double *m, double v, double *mean, double *variance);
};

/* The built-in likelihoods by name, such as "probit", with formulas, columns and parameters in docs/likelihoods.md; NULL
 * when there is none of that name. tw_likelihood_names() lists them: "probit, logit, ...", and _at counts them from 0, up
 * to NULL. */
TW_API const tw_likelihood *tw_likelihood_find(const char *name);
TW_API const tw_likelihood *tw_likelihood_at(size_t i);
TW_API const char *tw_likelihood_names(void);

/* The number k with likelihood->column[k] of that name; likelihood->columns where there is none. */
TW_API size_t tw_likelihood_column(const tw_likelihood *likelihood, const char *name);

/* Observations start .. start + count - 1 of them. */
TW_API tw_observations tw_observations_part(const tw_observations *observed, size_t start, size_t count);

/* Parameter k in its natural units. */
TW_API double tw_observations_parameter(const tw_observations *observed, size_t k);

/* Check the parameters, every column, and every observation where there are any; the message names the first that cannot be,
 * counted from 1. */
TW_API tw_status tw_likelihood_check(tw_context *ctx, const tw_observations *observed);

/* What to expect of y where x[i] ~ N(m[i], v), one v >= 0 for all: mean and variance (each may be NULL); for two
 * classes the probability of +1 instead of the mean, and the variance of y in {-1, +1}. TW_BAD_ARGUMENT where the
 * likelihood does not say (tw_likelihood_check_expect has the words), TW_NUMERICAL_FAILURE where a number is NaN. */
TW_API tw_status tw_likelihood_expect(const tw_observations *observed, const double *m, double v,
                                      double *mean, double *variance);
TW_API tw_status tw_likelihood_check_expect(tw_context *ctx, const tw_likelihood *likelihood);

/* For a likelihood of levels, the probability of each where x[i] ~ N(m[i], v), one v >= 0 for all: p[i levels + j - 1] is that
 * of level j. Fails as above. */
TW_API tw_status tw_likelihood_levels(const tw_observations *observed, const double *m, double v, double *p);

/* What the mean of tw_likelihood_expect is called in tables and files: "probability" or "y_mean". */
TW_API const char *tw_likelihood_expects(const tw_likelihood *likelihood);

/* Moments of the tilted distribution of observation i by the likelihood's own routine, or by adaptive quadrature
 * where it has none, which for a smooth p, log-concave or with a `peak`, is good to 1e-10 (in units of the tilted standard
 * deviation). m finite and v > 0, else TW_BAD_ARGUMENT. TW_NUMERICAL_FAILURE when the moments are not finite,
 * TW_NOT_CONVERGED when the quadrature met its limit: *out then holds what it had. */
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
