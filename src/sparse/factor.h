/* factor.h: the Cholesky factor of a sparse matrix, P Q P' = L L', and what is read off it.
 *
 * Vectors in the order of elimination are kept as blocks of `columns` of them side by side: number c of entry i is at
 * [c + i * columns], so that gathering a row moves neighbours.
 */
#ifndef TALWEG_SPARSE_FACTOR_H
#define TALWEG_SPARSE_FACTOR_H

#include "sparse/analysis.h"

/* Work space of factorisations and selected inverses. */
typedef struct tw_front {
    double *square;     /* most_below^2 */
    double *panel;      /* most_panel */
    uint32_t *position; /* most_below */
} tw_front;

tw_status tw_front_new(const tw_analysis *a, tw_front *front);
void tw_front_free(tw_context *ctx, tw_front *front);

/* l has the lower triangle of the matrix in its places (tw_analysis_find), zeros elsewhere, and becomes L. False where the
 * matrix is not positive definite: *failed is the variable at whose pivot that shows. */
bool tw_sparse_factor(const tw_analysis *a, tw_front *front, double *l, size_t *failed);

/* 2 sum log L_ii = log |Q|. */
double tw_sparse_log_det(const tw_analysis *a, const double *l);

/* z = the entries of Q^-1 on the pattern of L, in the places of L. */
void tw_sparse_select(const tw_analysis *a, tw_front *front, const double *l, double *z);

/* ---- X in the order of elimination, n x columns as above, in place; columns are at most TW_SPARSE_COLUMNS ---- */

enum { TW_SPARSE_COLUMNS = 16 };

void tw_sparse_solve_lower(const tw_analysis *a, const double *l, size_t columns, double *x);    /* L^-1 X */
void tw_sparse_solve_upper(const tw_analysis *a, const double *l, size_t columns, double *x);    /* L^-T X */
void tw_sparse_multiply_lower(const tw_analysis *a, const double *l, size_t columns, double *x); /* L X */
void tw_sparse_multiply_upper(const tw_analysis *a, const double *l, size_t columns, double *x); /* L' X */

#endif
