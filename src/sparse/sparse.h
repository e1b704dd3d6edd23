/* sparse.h: functions of this room for other rooms, in addition to talweg/sparse.h. */
#ifndef TALWEG_SPARSE_SPARSE_H
#define TALWEG_SPARSE_SPARSE_H

#include "base/context.h"
#include "talweg/sparse.h"

/* Constraints V'u = 0 for the combinations that an intrinsic prior does not determine; V (variables x count)
 * is orthonormal. For each constraint there is a pinned variable: doubling its diagonal entry makes Q
 * positive definite. */
enum { TW_MOST_CONSTRAINTS = 4 };
typedef struct tw_constraints {
    size_t count;
    double *v;
    size_t pin[TW_MOST_CONSTRAINTS];
} tw_constraints;

/* Allocate a matrix with `count` entries. */
tw_status tw_sparse_allocate(tw_context *ctx, size_t rows, size_t columns, size_t count, tw_sparse **out);

tw_status tw_sparse_copy(const tw_sparse *from, tw_sparse **out);

/* The transpose of a general matrix. */
tw_status tw_sparse_transpose(const tw_sparse *from, tw_sparse **out);

/* b' Q^-1 b for each column b of a general matrix; Q symmetric and positive definite. */
tw_status tw_sparse_forms(const tw_sparse *q, const tw_sparse *b, double *form);

/* Read the Laplacian of a graph from a file (graph_file.c). tw_graph_parts finds its connected components: it
 * returns their number and sets part to the smallest variable of each variable's component. */
tw_status tw_graph_read(tw_context *ctx, const char *path, tw_sparse **out);
size_t tw_graph_parts(const tw_sparse *laplacian, uint32_t *part);

/* The geometric mean of the variances of u with this precision and sum 0. The graph must be connected and
 * have at least two areas. */
tw_status tw_graph_scale(const tw_sparse *laplacian, double *variance);

/* Allocate zeroed arrays of indices, and of positions in arrays. */
tw_status tw_index_allocate(tw_context *ctx, size_t count, const char *what, uint32_t **out);
tw_status tw_start_allocate(tw_context *ctx, size_t count, const char *what, size_t **out);

#endif
