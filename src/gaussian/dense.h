/* dense.h: the Gaussian that stores its covariance and a factor of it, n x n each.
 *
 * F is the lower triangular Cholesky factor, or n x r where A is numerically singular (linalg/factor.h). A
 * conditioned one keeps its A in the same memory as its factor, above the diagonal.
 */
#ifndef TALWEG_GAUSSIAN_DENSE_H
#define TALWEG_GAUSSIAN_DENSE_H

#include "gaussian/gaussian.h"

/* What its factorisation found; see tw_factor_report. */
typedef struct tw_gaussian_report {
    double residual;       /* largest entry of |A - F F'| where r < n, else 0 */
    double jitter;         /* what was added to the diagonal */
    double log_det_change; /* what the jitter did to log |A|; NaN where A itself is singular */
} tw_gaussian_report;

/* N(0, A) with memory for A: a copy of k (n x n, leading dimension ldk), or zeros where k is NULL. It can be used
 * after tw_gaussian_dense_factor. */
tw_status tw_gaussian_dense_new(tw_context *ctx, size_t n, const double *k, size_t ldk, tw_gaussian **out);

/* That memory, n x n, to be filled by covariance/. */
double *tw_gaussian_dense_matrix(tw_gaussian *g);

/* Subtract U'U from its lower triangle, U r x n: what r whitened observations explain. */
void tw_gaussian_dense_explain(tw_gaussian *g, size_t r, const double *u);

/* Factor the matrix in that memory, after adding jitter >= 0 to its diagonal. For a kernel with new parameters, fill
 * the memory and factor again: r becomes the rank of the new matrix, and one of full rank needs no more memory. */
tw_status tw_gaussian_dense_factor(tw_gaussian *g, double jitter, tw_gaussian_report *report);

/* The same for a member of a team: K and F lie once in the memory of each machine, where the team has such memory. The
 * member that is *first fills and factors it; then all call tw_gaussian_dense_share with how that went (the others: TW_OK).
 * Who is alone is first. */
tw_status tw_gaussian_dense_common(tw_context *ctx, size_t n, tw_gaussian **out, bool *first);
tw_status tw_gaussian_dense_share(tw_gaussian *g, bool first, tw_status status, tw_gaussian_report *report);

/* N(mean, a) with a factor only: it cannot multiply by its A. a must be positive definite. */
tw_status tw_gaussian_dense_given(tw_context *ctx, size_t n, const double *mean, const double *a, size_t lda,
                                  tw_gaussian **out);

#endif
