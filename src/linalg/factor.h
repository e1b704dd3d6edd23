/* factor.h: the factor A = L L' of a covariance matrix. L is lower triangular, or n x r if A is numerically
 * singular.
 *
 * The Gram matrix of a smooth kernel often has eigenvalues below rounding error. Then no Cholesky factor
 * exists in double precision, and none is needed: an n x r factor L spans the range of A up to a reported
 * residual, without jitter. Rows pivot[0..r) of such an L form a lower triangular matrix, so v with x = L v
 * follows from x by a triangular solve on those rows.
 */
#ifndef TALWEG_LINALG_FACTOR_H
#define TALWEG_LINALG_FACTOR_H

#include "base/context.h"
#include "linalg/cholesky.h"

typedef struct tw_factor {
    tw_context *ctx;
    size_t n, rank;
    double *l;        /* n x rank, leading dimension n; n x (n + 1) in a copy with a triangular L */
    size_t *pivot;    /* rank row numbers; NULL: L is lower triangular and rank = n */
    double *triangle; /* rank x rank, lower: rows `pivot` of L; NULL: L is triangular */
    double log_det;   /* log |L'L|: log |A|, or its pseudo-determinant if rank < n */
    bool borrowed;    /* the caller owns l */
} tw_factor;

/* How a factor was computed. */
typedef struct tw_factor_report {
    size_t rank;
    double residual;       /* largest entry of |A - L L'|; 0 for a plain Cholesky factor (not computed) */
    double jitter;         /* added to the diagonal, as requested by the caller */
    double log_det_change; /* log|A + jitter I| - log|A|; NaN if A has no Cholesky factor */
    tw_pivot failed;       /* where the plain Cholesky factorisation failed; pivot 0: it succeeded */
} tw_factor_report;

/* Factor the symmetric A (n x n, lower triangle read) after adding jitter >= 0 to its diagonal. A numerically
 * singular A gets a rank-revealing factor. Fails with TW_NOT_POSITIVE_DEFINITE if an eigenvalue is below
 * -c n eps lambda_max; the message gives that eigenvalue, the pivot at which Cholesky stopped, and a
 * remedy. */
tw_status tw_factor_new(tw_context *ctx, size_t n, const double *a, size_t lda, double jitter,
                        tw_factor **out, tw_factor_report *report);

/* The same in the memory of an existing factor from tw_factor_new; a matrix of full rank needs no further
 * memory. After an error the factor may only be set again or freed. */
tw_status tw_factor_set(tw_factor *factor, const double *a, size_t lda, double jitter,
                        tw_factor_report *report);

/* Make a triangular factor whose n x n numbers are in the caller's memory, which must outlive it. */
tw_status tw_factor_borrow(tw_context *ctx, size_t n, double *l, double log_det, tw_factor **out);

/* Move the numbers of a triangular factor to the caller's memory l. */
void tw_factor_move(tw_factor *factor, double *l);

/* Copy a factor; tw_factor_condition may overwrite the copy. The copy of a triangular L has one more
 * column, so that a second triangle fits above the diagonal. */
tw_status tw_factor_copy(const tw_factor *base, tw_factor **out);
void tw_factor_free(tw_factor *factor);

/* X = L V: V is rank x columns, X is n x columns; they must not overlap. */
void tw_factor_multiply(const tw_factor *factor, size_t columns, const double *v, size_t ldv, double *x,
                        size_t ldx);

/* V = L' X. */
void tw_factor_multiply_transposed(const tw_factor *factor, size_t columns, const double *x, size_t ldx,
                                   double *v, size_t ldv);

/* Solve mean + L V = X for V, with X in the range of mean + L V; mean NULL: zero. */
void tw_factor_solve(const tw_factor *factor, size_t columns, const double *x, size_t ldx, const double *mean,
                     double *v, size_t ldv);

/* Condition on Gaussian sites: with T = diag(t), the factor of (A^-1 + T)^-1 is L_S = L C^-T with
 * C C' = I + L' T L. An upper triangular C keeps L_S lower triangular. For t >= 0 nothing is subtracted,
 * so L_S is accurate even if the Cholesky factorisation of A - V'V fails. out is a copy of base, which is
 * overwritten. *log_det_m = log |I + L' T L|. Returns false if that matrix is not finite or, with negative
 * t, not positive definite. n^3 flops for a triangular L. */
bool tw_factor_condition(const tw_factor *base, const double *t, tw_factor *out, double *log_det_m);

/* Mix two precisions: the factor of (b A^-1 + (1-b) S^-1)^-1 for A = base and S = other = Ls Ls', both of
 * full rank, is L C^-T with C C' = b I + (1-b) (Ls^-1 L)' (Ls^-1 L). Arguments as above. 4/3 n^3 flops. */
bool tw_factor_mix(const tw_factor *base, const tw_factor *other, double b, tw_factor *out,
                   double *log_det_m);

/* The second triangle ("room") of a copy with a triangular L: the upper triangle, diagonal included, of an
 * n x n matrix with leading dimension n, stored above the diagonal of L. The owner may use it until the
 * factor is overwritten, which clears it. */
double *tw_factor_room(const tw_factor *factor);

/* Write A = L L' there. n^3/3 flops. */
void tw_factor_fill_room(tw_factor *factor);

/* A = L L', stored in full. */
void tw_factor_product(const tw_factor *factor, double *a, size_t lda);

#endif
