/* softabs.h: the SoftAbs metric of a general target (Betancourt 2013, A general metric for Riemannian
 * manifold Hamiltonian Monte Carlo).
 *
 * With the Hessian H(x) = d2 log p = Q diag(lambda) Q',
 *     G = Q diag(f(lambda)) Q',   f(l) = l coth(alpha l),
 * which is |l| where alpha |l| is large and 1/alpha at l = 0: positive definite and smooth for every target.
 * Its derivative in any direction is
 *     dG = Q [J o (Q' dH Q)] Q',   J_ij = (f(lambda_i) - f(lambda_j))/(lambda_i - lambda_j),  J_ii =
 * f'(lambda_i) so every derivative that Hamilton's equations need is a contraction of dH/dx_k, the third
 * derivatives, with a symmetric matrix M of weights: tr(G^-1 dG/dx_k)          = sum_ij M_ij dH_ij/dx_k,   M
 * = Q diag(J_ii/f_i) Q' p' G^-1 dG/dx_k G^-1 p    = sum_ij M_ij dH_ij/dx_k,   M = Q (J o w w') Q',  w =
 * diag(1/f) Q' p
 */
#ifndef TALWEG_DYNAMICS_SOFTABS_H
#define TALWEG_DYNAMICS_SOFTABS_H

#include <stdbool.h>
#include <stddef.h>

/* A metric in its eigenbasis. The memory is the caller's: see tw_softabs_divide. */
typedef struct tw_softabs {
    size_t d;
    double alpha;
    double *q;      /* d x d: the eigenvectors */
    double *lambda; /* d: eigenvalues of the Hessian */
    double *f;      /* d: eigenvalues of G */
    double *j;      /* d x d: divided differences of f; all 0 for a constant metric */
    double *w, *m;  /* d and d x d: scratch */
    double log_det; /* log |G| */
} tw_softabs;

/* f(l) and its divided difference between a and b (its derivative where a = b), to rounding for all finite
 * arguments. */
double tw_softabs_value(double alpha, double l);
double tw_softabs_difference(double alpha, double a, double b);

/* How many doubles a metric of dimension d takes, and a metric in that memory. */
size_t tw_softabs_doubles(size_t d);
tw_softabs tw_softabs_divide(size_t d, double alpha, double *memory);

/* The metric whose Hessian was written into metric->q (lower triangle). False when it is not finite. work: as
 * for tw_eigen_symmetric. */
bool tw_softabs_update(tw_softabs *metric, double *work);

/* A constant metric diag(mass). */
void tw_softabs_set_constant(tw_softabs *metric, const double *mass);

/* v = G^-1 p. */
void tw_softabs_solve(tw_softabs *metric, const double *p, double *v);

/* p = G^1/2 z, with the symmetric root, which does not depend on the signs of the eigenvectors. */
void tw_softabs_root(tw_softabs *metric, const double *z, double *p);

/* a' G b, and a' G^-1 b. */
double tw_softabs_inner(const tw_softabs *metric, const double *a, const double *b);
double tw_softabs_inverse_inner(const tw_softabs *metric, const double *a, const double *b);

/* The two matrices M above, d x d and symmetric. */
void tw_softabs_trace_weights(tw_softabs *metric, double *m);
void tw_softabs_quadratic_weights(tw_softabs *metric, const double *p, double *m);

#endif
