/* factor.h: the Cholesky factor of a sparse matrix, P Q P' = L L', and operations with it.
 *
 * Blocks of vectors are stored in elimination order with the `columns` numbers of one variable adjacent:
 * column c of variable i is at [c + i * columns], so that a row is contiguous.
 */
#ifndef TALWEG_SPARSE_FACTOR_H
#define TALWEG_SPARSE_FACTOR_H

#include "sparse/analysis.h"

/* Workspace of factorisations and selected inverses. */
typedef struct tw_front {
    double *square;     /* most_below^2 */
    double *panel;      /* most_panel */
    uint32_t *position; /* most_below */
} tw_front;

tw_status tw_front_new(const tw_analysis *a, tw_front *front);
void tw_front_free(tw_context *ctx, tw_front *front);

/* On entry l holds the lower triangle of the matrix at the positions of tw_analysis_find, and zeros
 * elsewhere; on return it is L. False if the matrix is not positive definite; *failed is then the variable of
 * the failing pivot. */
bool tw_sparse_factor(const tw_analysis *a, tw_front *front, double *l, size_t *failed);

/* 2 sum log L_ii = log |Q|. */
double tw_sparse_log_det(const tw_analysis *a, const double *l);

/* z = the entries of Q^-1 on the pattern of L, at the positions of L. */
void tw_sparse_select(const tw_analysis *a, tw_front *front, const double *l, double *z);

/* ---- operations in place on X (n x columns, stored as above); columns <= TW_SPARSE_COLUMNS ---- */

enum { TW_SPARSE_COLUMNS = 16 };

void tw_sparse_solve_lower(const tw_analysis *a, const double *l, size_t columns, double *x);    /* L^-1 X */
void tw_sparse_solve_upper(const tw_analysis *a, const double *l, size_t columns, double *x);    /* L^-T X */
void tw_sparse_multiply_lower(const tw_analysis *a, const double *l, size_t columns, double *x); /* L X */
void tw_sparse_multiply_upper(const tw_analysis *a, const double *l, size_t columns, double *x); /* L' X */

#endif
