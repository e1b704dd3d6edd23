/* factor.h: A = L L' for a covariance matrix, with L lower triangular, or N x r where A is numerically
 * singular.
 *
 * A smooth kernel's Gram matrix often has eigenvalues below rounding error. Then no Cholesky factor exists in
 * double precision, and none is needed: x = L v with an N x r factor spans all that A spans, to a stated
 * residual, without jitter. Rows pivot[0..r) of such an L form a lower triangular matrix, so that v follows
 * from x by a triangular solve on those rows.
 */
#ifndef TALWEG_LINALG_FACTOR_H
#define TALWEG_LINALG_FACTOR_H

#include "base/context.h"
#include "linalg/cholesky.h"

typedef struct tw_factor {
    tw_context *ctx;
    size_t n, rank;
    double *l;        /* n x rank, leading dimension n; n x (n + 1) for a copy whose L is triangular */
    size_t *pivot;    /* rank row numbers, or NULL when L itself is lower triangular (then rank = n) */
    double *triangle; /* rank x rank, lower: rows `pivot` of L; NULL when L is triangular */
    double log_det;   /* log |L'L|: log |A|, or its pseudo-determinant where rank < n */
    bool borrowed;    /* l is somebody else's */
} tw_factor;

/* What happened on the way. */
typedef struct tw_factor_report {
    size_t rank;
    double residual;       /* largest entry of |A - L L'|; 0 for a plain Cholesky factor (not computed) */
    double jitter;         /* what was added to the diagonal: what the caller asked for */
    double log_det_change; /* log|A + jitter I| - log|A|; NaN where A itself has no Cholesky factor */
    tw_pivot failed;       /* where the plain Cholesky factorisation stopped; pivot 0: it did not */
} tw_factor_report;

/* Factor the symmetric A (n x n, lower triangle read) after adding jitter >= 0 to its diagonal. A numerically
 * singular A gets a rank-revealing factor. TW_NOT_POSITIVE_DEFINITE when an eigenvalue lies below -c n eps
 * lambda_max: the message says which, where Cholesky stopped, and what helps. */
tw_status tw_factor_new(tw_context *ctx, size_t n, const double *a, size_t lda, double jitter,
                        tw_factor **out, tw_factor_report *report);

/* The same in the memory of a factor that tw_factor_new made. A matrix of full rank needs no other. After an error the
 * factor may only be set again or freed. */
tw_status tw_factor_set(tw_factor *factor, const double *a, size_t lda, double jitter,
                        tw_factor_report *report);

/* A triangular factor whose numbers, n x n, lie in memory of the caller's that must outlive it. */
tw_status tw_factor_borrow(tw_context *ctx, size_t n, double *l, double log_det, tw_factor **out);

/* From now on the numbers of a triangular factor lie there. */
void tw_factor_move(tw_factor *factor, double *l);

/* A factor of the same shape as base, with its contents; to be overwritten by tw_factor_condition. Where L is
 * triangular it has a column more, so that a second triangle has room above it. */
tw_status tw_factor_copy(const tw_factor *base, tw_factor **out);
void tw_factor_free(tw_factor *factor);

/* X = L V: V is rank x columns, X is n x columns; they may not overlap. */
void tw_factor_multiply(const tw_factor *factor, size_t columns, const double *v, size_t ldv, double *x,
                        size_t ldx);

/* V = L' X. */
void tw_factor_multiply_transposed(const tw_factor *factor, size_t columns, const double *x, size_t ldx,
                                   double *v, size_t ldv);

/* The V with mean + L V = X, for X in that range; mean NULL is zero. */
void tw_factor_solve(const tw_factor *factor, size_t columns, const double *x, size_t ldx, const double *mean,
                     double *v, size_t ldv);

/* Condition on Gaussian sites: with T = diag(t), the factor of (A^-1 + T)^-1 is L_S = L C^-T where
 * C C' = I + L' T L. C is taken upper triangular ("reversed"), which keeps L_S lower triangular; nothing is
 * ever subtracted, so L_S is accurate where chol(A - V'V) fails. out is a copy of base, made anew here.
 * *log_det_m = log |I + L' T L|. False when that matrix is not finite or, where some t are negative, not positive definite. n^3 flops for a triangular L. */
bool tw_factor_condition(const tw_factor *base, const double *t, tw_factor *out, double *log_det_m);

/* Mix two precisions: the factor of (b A^-1 + (1-b) S^-1)^-1 for A = base, S = other, both of full rank:
 * L C^-T with C C' = b I + (1-b) (Ls^-1 L)' (Ls^-1 L). Arguments as above; 4/3 n^3 flops. */
bool tw_factor_mix(const tw_factor *base, const tw_factor *other, double b, tw_factor *out,
                   double *log_det_m);

/* The room of a copy whose L is triangular: the upper triangle, diagonal included, of an n x n matrix with
 * leading dimension n, stored above the diagonal of L. It holds whatever its owner likes until the factor is
 * made anew, whereupon it is zero. */
double *tw_factor_room(const tw_factor *factor);

/* Put A = L L' there: n^3/3 flops. */
void tw_factor_fill_room(tw_factor *factor);

/* A = L L', stored in full. */
void tw_factor_product(const tw_factor *factor, double *a, size_t lda);

#endif
