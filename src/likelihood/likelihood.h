/* likelihood.h: what the files of this room share: the built-in tables, and moments by quadrature. */
#ifndef TALWEG_LIKELIHOOD_LIKELIHOOD_H
#define TALWEG_LIKELIHOOD_LIKELIHOOD_H

#include "math/chebyshev.h"
#include "talweg/likelihood.h"

extern const tw_likelihood tw_likelihood_probit;
extern const tw_likelihood tw_likelihood_logit;
extern const tw_likelihood tw_likelihood_poisson;
extern const tw_likelihood tw_likelihood_gaussian;

/* The tilted moments of any log-concave likelihood from its `terms` (tilted.c). v > 0, m finite.
 * evaluations, where not NULL, is how many sites `terms` was asked for. */
tw_status tw_tilted_by_quadrature(const tw_likelihood *likelihood, double y, double w, double m, double v,
                                  tw_tilted *out, size_t *evaluations);

/* The same for c[0..orders], 1 <= orders <= 8: log Z and the cumulants. */
tw_status tw_cumulants_by_quadrature(const tw_likelihood *likelihood, double y, double w, double m, double v,
                                     size_t orders, double *c, size_t *evaluations);

/* The integral of p(y | x) N(x; m, v) dx for one observation and one v >= 0, as a function of m. */
typedef struct tw_marginal {
    const tw_likelihood *likelihood;
    double y, w, v;
    double low, high; /* where log_z holds: nowhere at first */
    tw_chebyshev log_z;
} tw_marginal;
tw_marginal tw_marginal_of(const tw_likelihood *likelihood, double y, double w, double v);

/* Its logarithm at m[0..n), n >= 1. A function of these and of the m of earlier calls, from which it may depend
 * by 1e-11. TW_NUMERICAL_FAILURE where a value cannot be computed. */
tw_status tw_marginal_log(tw_marginal *marginal, size_t n, const double *m, double *log_p);

#endif
