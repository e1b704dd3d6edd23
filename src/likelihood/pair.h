/* pair.h: a observations of +1 and b of -1 of a likelihood of two classes, at one latent value:
 *
 *   l(u) = a log p(+1 | u) + b log p(-1 | u).
 *
 * This is a binomial without its coefficient or, with real a and b, a negative binomial. The terms of p(+1)
 * and p(-1) come from the likelihood of two classes, which is accurate in both tails.
 */
#ifndef TALWEG_LIKELIHOOD_PAIR_H
#define TALWEG_LIKELIHOOD_PAIR_H

#include "likelihood/likelihood.h"

enum { TW_PAIR_SITES = 256 };

/* l and its three derivatives in u, as in tw_likelihood, for n <= TW_PAIR_SITES sites; outputs may be NULL. */
void tw_pair_terms(const tw_likelihood *two, size_t n, const double *a, const double *b, const double *u,
                   double *value, double *slope, double *lambda, double *dlambda);

/* The same combination of the smoothed curvatures. */
void tw_pair_smoothed(const tw_likelihood *two, size_t n, const double *a, const double *b, const double *s2,
                      const double *u, double *lambda, double *dlambda);

#endif
