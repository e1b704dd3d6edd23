/* attachment.h: what a leaf of a kernel reads from a file: a sparse matrix, or a mesh of triangles. It is read once, when the expression is parsed, and
 * shared by all copies of the kernel. */
#ifndef TALWEG_COVARIANCE_ATTACHMENT_H
#define TALWEG_COVARIANCE_ATTACHMENT_H

#include <stdatomic.h>

#include "covariance/mesh.h"
#include "talweg/sparse.h"

struct tw_attachment {
    tw_context *ctx;
    atomic_size_t holders;
    char *path;        /* as it was given */
    tw_sparse *matrix; /* NULL where it is a mesh */
    tw_mesh mesh;
    double variance; /* of a graph for bym2: tw_graph_scale */
};

/* Read the file that an argument of a leaf names. */
tw_status tw_attachment_new(tw_context *ctx, const tw_leaf_file *file, const char *path, tw_attachment **out);
tw_attachment *tw_attachment_hold(tw_attachment *attachment); /* NULL stays NULL */
void tw_attachment_release(tw_attachment *attachment);

/* The same file, with the same contents to the bit? */
bool tw_attachment_same(const tw_attachment *a, const tw_attachment *b);

/* Readers for tables of leaves: a precision matrix, which is symmetric, and a design matrix. */
tw_status tw_attachment_read_symmetric(tw_context *ctx, const char *path, tw_attachment *to);
tw_status tw_attachment_read_general(tw_context *ctx, const char *path, tw_attachment *to);

#endif
