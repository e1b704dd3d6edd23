/* narrow.h: the probability of a narrow cell of the normal distribution, P = Phi(c + h) - Phi(c - h) for
 * small h: its logarithm and derivatives, to full precision for every h > 0.
 *
 * P is 2 h times the mean of phi(c + t) = phi(c) exp(-c t - t^2/2) over |t| < h. Let u = c h,
 * L(u) = log(sinh(u)/u) and M(u) = 1 - 2 L'(u)/u, the mean of (t/h)^2 under the weight exp(-c t). Then
 *   log P = log(2 h) - c^2/2 - log(2 pi)/2 + L(u) - h^2 M(u)/2,
 * up to h^4/8, which is below 1e-17 for h <= TW_NARROW. The derivatives of the last term are of order h^3 and
 * h^4 and are omitted. With c = c_0 - x,
 *   l' = c - h L'(u),   lambda = 1 - h^2 L''(u),   dlambda = h^3 L'''(u).
 */
#ifndef TALWEG_LIKELIHOOD_NARROW_H
#define TALWEG_LIKELIHOOD_NARROW_H

#define TW_NARROW 5e-5 /* the largest half width */

typedef struct tw_narrow {
    double value, slope, lambda, dlambda;
} tw_narrow;

tw_narrow tw_narrow_terms(double c, double h);

/* The derivatives of value, slope and lambda with respect to the upper end c + h: half of those in c plus
 * half of those in h. dlambda is 0. */
tw_narrow tw_narrow_upper_moves(double c, double h);

#endif
