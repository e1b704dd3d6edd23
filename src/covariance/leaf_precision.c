/* leaf_precision.c: a prior with a given precision matrix:
 *
 *   precision(matrix="Q.mtx", design="A.mtx")       u ~ N(0, Q^-1),   x = A u at the cases; without a design x = u
 *
 * It has no inputs: row i of A, or variable i, belongs to case i.
 */
#include "covariance/attachment.h"
#include "covariance/full.h"
#include "covariance/precision.h"
#include "sparse/sparse.h"

enum { MATRIX = 0, DESIGN = 1 };

static tw_status check_shapes(const tw_kernel *kernel, const tw_node *node, size_t n)
{
    const tw_sparse *q = node->file[MATRIX]->matrix,
                    *a = node->file[DESIGN] ? node->file[DESIGN]->matrix : NULL;
    const char *path = node->file[a ? DESIGN : MATRIX]->path;
    size_t rows = a ? a->rows : q->rows;
    if (rows != n)
        return tw_fail(kernel->ctx, TW_BAD_DATA, "%.500s has %zu rows, but there are %zu cases", path, rows,
                       n);
    if (a && a->columns != q->rows)
        return tw_fail(
            kernel->ctx, TW_BAD_DATA,
            "%.500s: the design matrix has %zu columns, but the precision matrix has %zu variables", path,
            a->columns, q->rows);
    return TW_OK;
}

static tw_status precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out)
{
    (void)d, (void)x, (void)ldx;
    TW_TRY(check_shapes(kernel, node, n));
    if (out->at)
        return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                       "precision(matrix=\"%.500s\") has no inputs and cannot predict new cases: append rows "
                       "for the new cases to the design matrix, and use the draws of their latents",
                       node->file[MATRIX]->path);
    TW_TRY(tw_sparse_copy(node->file[MATRIX]->matrix, &out->q));
    return node->file[DESIGN] ? tw_sparse_copy(node->file[DESIGN]->matrix, &out->design) : TW_OK;
}

const tw_leaf tw_leaf_precision = {
    .name = "precision",
    .file = {{"matrix", true, tw_attachment_read_symmetric}, {"design", false, tw_attachment_read_general}},
    .precision = precision,
    TW_FULL_LEAF,
};
