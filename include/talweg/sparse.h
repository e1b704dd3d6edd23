/* sparse.h: sparse matrices, and selected entries of their inverses.
 *
 * A matrix is stored by columns: the entries of column j are at start[j] to start[j + 1] - 1, with increasing rows.
 * For a symmetric matrix only the lower triangle is stored, with its whole diagonal.
 */
#ifndef TALWEG_SPARSE_H
#define TALWEG_SPARSE_H

#include <stdint.h>

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sparse matrix in compressed columns. */
typedef struct tw_sparse {
    tw_context *ctx;      /* owns the memory */
    size_t rows, columns; /* each below 2^31 */
    bool symmetric;       /* the lower triangle is stored */
    size_t *start;        /* columns + 1 */
    uint32_t *row;        /* start[columns] */
    double *value;        /* start[columns] */
} tw_sparse;

/* The libraries that order sparse matrices in this build, as "AMD 2.4.6, METIS 5.1.0"; NULL: none, and the
 * factorisation of a sparse matrix fails with a message that says what to install. */
TW_API const char *tw_sparse_orderings(void);

/* The matrix of `count` entries value[k] at (row[k], column[k]), counted from 0, in any order. Symmetric: entries
 * of either triangle, each at most once; missing diagonal entries are zero. TW_BAD_DATA names an entry that is
 * outside the matrix, occurs twice or is not finite. */
TW_API tw_status tw_sparse_new(tw_context *ctx, size_t rows, size_t columns, bool symmetric, size_t count,
                               const uint32_t *row, const uint32_t *column, const double *value,
                               tw_sparse **out);
TW_API void tw_sparse_free(tw_sparse *matrix);

/* Read a file in Matrix Market's coordinate format: real, integer or pattern (ones); general or symmetric. With
 * `symmetric`, a general matrix must equal its transpose to 1e-12 of its largest entry. Files may be compressed
 * with gzip. */
TW_API tw_status tw_sparse_read(tw_context *ctx, const char *path, bool symmetric, tw_sparse **out);

/* y = M x. x has one number for each column of M, y one for each row. */
TW_API void tw_sparse_multiply(const tw_sparse *matrix, const double *x, double *y);

/* The entries of Q^-1 where the symmetric positive definite Q has entries: value (as many as Q stores, in its
 * order) and log_det = log |Q|; either may be NULL. By the recursion of Takahashi, Fagan & Chen (1973) on the
 * Cholesky factor, without forming Q^-1. TW_NOT_POSITIVE_DEFINITE names the variable of the pivot that failed. */
TW_API tw_status tw_selected_inverse(const tw_sparse *q, double *value, double *log_det);

#ifdef __cplusplus
}
#endif

#endif
