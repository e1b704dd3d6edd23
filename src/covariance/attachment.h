/* attachment.h: the contents of a file that a leaf of a kernel names: a sparse matrix or a mesh of triangles.
 * The file is read once, when the expression is parsed; all copies of the kernel share the contents
 * (reference counted). */
#ifndef TALWEG_COVARIANCE_ATTACHMENT_H
#define TALWEG_COVARIANCE_ATTACHMENT_H

#include <stdatomic.h>

#include "covariance/mesh.h"
#include "talweg/sparse.h"

struct tw_attachment {
    tw_context *ctx;
    atomic_size_t holders; /* reference count */
    char *path;            /* as given in the expression */
    tw_sparse *matrix;     /* NULL: the file holds a mesh */
    tw_mesh mesh;
    double variance; /* for bym2: the scale of the graph, from tw_graph_scale */
};

/* Read the file that an argument of a leaf names. */
tw_status tw_attachment_new(tw_context *ctx, const tw_leaf_file *file, const char *path, tw_attachment **out);
tw_attachment *tw_attachment_hold(tw_attachment *attachment); /* may be NULL */
void tw_attachment_release(tw_attachment *attachment);

/* Do both have the same name and bitwise the same contents? */
bool tw_attachment_same(const tw_attachment *a, const tw_attachment *b);

/* Readers for tw_leaf_file: a symmetric matrix (a precision), and a general one (a design). */
tw_status tw_attachment_read_symmetric(tw_context *ctx, const char *path, tw_attachment *to);
tw_status tw_attachment_read_general(tw_context *ctx, const char *path, tw_attachment *to);

#endif
