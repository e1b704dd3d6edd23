/* softabs.h: the SoftAbs metric of a general target (Betancourt 2013, A general metric for Riemannian
 * manifold Hamiltonian Monte Carlo).
 *
 * With the Hessian H(x) = d2 log p = Q diag(lambda) Q',
 *     G = Q diag(f(lambda)) Q',   f(l) = l coth(alpha l),
 * f approaches |l| for large alpha |l|, and f(0) = 1/alpha, so G is positive definite and smooth for every
 * target. Its derivative in any direction is
 *     dG = Q [J o (Q' dH Q)] Q',
 *     J_ij = (f(lambda_i) - f(lambda_j))/(lambda_i - lambda_j),   J_ii = f'(lambda_i).
 * So every derivative in Hamilton's equations is a contraction of the third derivatives dH/dx_k with a
 * symmetric matrix M of weights, sum_ij M_ij dH_ij/dx_k:
 *     tr(G^-1 dG/dx_k)          M = Q diag(J_ii/f_i) Q'
 *     p' G^-1 dG/dx_k G^-1 p    M = Q (J o w w') Q',   w = diag(1/f) Q' p
 */
#ifndef TALWEG_DYNAMICS_SOFTABS_H
#define TALWEG_DYNAMICS_SOFTABS_H

#include <stdbool.h>
#include <stddef.h>

/* A metric in its eigenbasis. The caller owns the memory (tw_softabs_divide). */
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

/* f(l), and its divided difference between a and b (its derivative if a = b), accurate to rounding for all
 * finite arguments. */
double tw_softabs_value(double alpha, double l);
double tw_softabs_difference(double alpha, double a, double b);

/* The number of doubles of a metric of dimension d, and a metric whose arrays lie in that memory. */
size_t tw_softabs_doubles(size_t d);
tw_softabs tw_softabs_divide(size_t d, double alpha, double *memory);

/* Compute the metric of the Hessian in metric->q (lower triangle), which becomes Q. Returns false if
 * something is not finite. work: as for tw_eigen_symmetric. */
bool tw_softabs_update(tw_softabs *metric, double *work);

/* Set the constant metric diag(mass). */
void tw_softabs_set_constant(tw_softabs *metric, const double *mass);

/* v = G^-1 p. */
void tw_softabs_solve(tw_softabs *metric, const double *p, double *v);

/* p = G^1/2 z with the symmetric root, which does not depend on the signs of the eigenvectors. */
void tw_softabs_root(tw_softabs *metric, const double *z, double *p);

/* a' G b, and a' G^-1 b. */
double tw_softabs_inner(const tw_softabs *metric, const double *a, const double *b);
double tw_softabs_inverse_inner(const tw_softabs *metric, const double *a, const double *b);

/* The two matrices M above (d x d, symmetric). */
void tw_softabs_trace_weights(tw_softabs *metric, double *m);
void tw_softabs_quadratic_weights(tw_softabs *metric, const double *p, double *m);

#endif
