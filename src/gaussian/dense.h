/* dense.h: the Gaussian that stores its covariance and a factor of it, both n x n.
 *
 * F is the lower triangular Cholesky factor, or n x r if A is numerically singular (linalg/factor.h). A
 * conditioned Gaussian keeps A in the memory of its factor, above the diagonal.
 */
#ifndef TALWEG_GAUSSIAN_DENSE_H
#define TALWEG_GAUSSIAN_DENSE_H

#include "gaussian/gaussian.h"

/* The result of the factorisation; see tw_factor_report. */
typedef struct tw_gaussian_report {
    double residual;       /* largest entry of |A - F F'| if r < n, else 0 */
    double jitter;         /* the number added to the diagonal */
    double log_det_change; /* change of log |A| by the jitter; NaN if A is singular */
} tw_gaussian_report;

/* N(0, A) with A a copy of k (n x n, leading dimension ldk), or zeros if k is NULL. Call
 * tw_gaussian_dense_factor before any use. */
tw_status tw_gaussian_dense_new(tw_context *ctx, size_t n, const double *k, size_t ldk, tw_gaussian **out);

/* The memory of A, n x n, which covariance/ fills. */
double *tw_gaussian_dense_matrix(tw_gaussian *g);

/* Subtract U'U from the lower triangle of A, U r x n: the variance that r whitened observations explain. */
void tw_gaussian_dense_explain(tw_gaussian *g, size_t r, const double *u);

/* Add jitter >= 0 to the diagonal of A and factor it. For new kernel parameters, refill A and factor again: r
 * becomes the rank of the new matrix. A matrix of full rank needs no further memory. */
tw_status tw_gaussian_dense_factor(tw_gaussian *g, double jitter, tw_gaussian_report *report);

/* The rank of A without rounding, if it is known to be below n. Call it before tw_gaussian_dense_factor. */
void tw_gaussian_dense_expect(tw_gaussian *g, size_t rank);

/* The same for a member of a team: K and F are stored once per machine if the team has common memory. The
 * member with *first set fills and factors K; then all members call tw_gaussian_dense_share with the status
 * of that (TW_OK for the others). Without a team, the caller is first. */
tw_status tw_gaussian_dense_common(tw_context *ctx, size_t n, tw_gaussian **out, bool *first);
tw_status tw_gaussian_dense_share(tw_gaussian *g, bool first, tw_status status, tw_gaussian_report *report);

/* N(mean, a) with a factor only, so that it cannot multiply by A. a must be positive definite. */
tw_status tw_gaussian_dense_given(tw_context *ctx, size_t n, const double *mean, const double *a, size_t lda,
                                  tw_gaussian **out);

#endif
