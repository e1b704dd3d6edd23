/* sparse.h: what the files of this room share beside talweg/sparse.h. */
#ifndef TALWEG_SPARSE_SPARSE_H
#define TALWEG_SPARSE_SPARSE_H

#include "base/context.h"
#include "talweg/sparse.h"

/* What an intrinsic prior says nothing about is held at zero: V'u = 0, with orthonormal V (variables x count). A pinned variable for
 * each of them makes Q positive definite where its diagonal is added to it once more. */
enum { TW_MOST_CONSTRAINTS = 4 };
typedef struct tw_constraints {
    size_t count;
    double *v;
    size_t pin[TW_MOST_CONSTRAINTS];
} tw_constraints;

/* Memory for a matrix of `count` entries. */
tw_status tw_sparse_allocate(tw_context *ctx, size_t rows, size_t columns, size_t count, tw_sparse **out);

tw_status tw_sparse_copy(const tw_sparse *from, tw_sparse **out);

/* The rows of a general matrix as columns. */
tw_status tw_sparse_transpose(const tw_sparse *from, tw_sparse **out);

/* b' Q^-1 b for each column b of a general matrix; Q symmetric and positive definite. */
tw_status tw_sparse_forms(const tw_sparse *q, const tw_sparse *b, double *form);

/* The Laplacian of a graph that a file has (graph_file.c), and its parts that are not connected: how many, and for each variable the
 * smallest one of its part. */
tw_status tw_graph_read(tw_context *ctx, const char *path, tw_sparse **out);
size_t tw_graph_parts(const tw_sparse *laplacian, uint32_t *part);

/* The geometric mean of the variances of u with this precision and sum 0; the graph is connected and has two areas at least. */
tw_status tw_graph_scale(const tw_sparse *laplacian, double *variance);

/* Zeroed arrays of indices, and of places in arrays. */
tw_status tw_index_allocate(tw_context *ctx, size_t count, const char *what, uint32_t **out);
tw_status tw_start_allocate(tw_context *ctx, size_t count, const char *what, size_t **out);

#endif
