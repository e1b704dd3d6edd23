/* likelihood.h: what the files of this room share: the built-in tables, and moments by quadrature. */
#ifndef TALWEG_LIKELIHOOD_LIKELIHOOD_H
#define TALWEG_LIKELIHOOD_LIKELIHOOD_H

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

/* log_p[i] = log of the integral of p(y | x) N(x; m[i], v) dx, i = 0..n-1, v >= 0 (marginals.c). */
tw_status tw_likelihood_marginals(const tw_likelihood *likelihood, double y, double w, double v, size_t n,
                                  const double *m, double *log_p);

#endif
