/* mesh.h: a mesh of triangles in the plane, for fields that are linear on each triangle. */
#ifndef TALWEG_COVARIANCE_MESH_H
#define TALWEG_COVARIANCE_MESH_H

#include <stdint.h>

#include "covariance/precision.h"

typedef struct tw_mesh {
    size_t nodes, triangles;
    double *node;     /* 2 x nodes: the coordinates of each node */
    uint32_t *corner; /* 3 x triangles: the nodes of each triangle */
} tw_mesh;

/* Read a mesh from a file. Free it also after a failure. */
tw_status tw_mesh_read(tw_context *ctx, const char *path, tw_mesh *to);
void tw_mesh_free(tw_context *ctx, tw_mesh *mesh);

/* The signed area of a triangle, with coordinates divided by scale[2];
 * the sign is the orientation of its corners. */
double tw_mesh_area(const tw_mesh *mesh, size_t triangle, const double *scale);

/* A field on a mesh, in coordinates divided by scale. */
typedef struct tw_mesh_field {
    size_t power;
    double c, scale[2];
    bool slope[2]; /* if any is true: compute the sum of dQ/dlog scale_k over these k instead of Q */
} tw_mesh_field;

/* The precision c K (M^-1 K)^(power - 1) of the nodes, K = M + G (mesh.c).
 * Sets only out->q and out->hidden. */
tw_status tw_mesh_precision(const tw_mesh *mesh, const tw_mesh_field *of, tw_precision *out);

/* The design of n cases: the weights of the corners of their triangles. input: both coordinates of the cases,
 * n each. `design` is &of->design, or &of->at_design for new cases. */
tw_status tw_mesh_design(const tw_mesh *mesh, size_t n, const double *const input[2], const tw_precision *of,
                         tw_sparse **design);

#endif
