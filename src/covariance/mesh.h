/* mesh.h: triangles in the plane, for fields that are linear on each of them. */
#ifndef TALWEG_COVARIANCE_MESH_H
#define TALWEG_COVARIANCE_MESH_H

#include <stdint.h>

#include "covariance/precision.h"

typedef struct tw_mesh {
    size_t nodes, triangles;
    double *node;     /* 2 x nodes: both coordinates of one after the other */
    uint32_t *corner; /* 3 x triangles */
} tw_mesh;

/* Release it also after a failure. */
tw_status tw_mesh_read(tw_context *ctx, const char *path, tw_mesh *to);
void tw_mesh_free(tw_context *ctx, tw_mesh *mesh);

/* The area of a triangle, coordinates divided by scale[2]; its sign says which way round its corners are. */
double tw_mesh_area(const tw_mesh *mesh, size_t triangle, const double *scale);

/* A field on a mesh, in coordinates divided by scale. */
typedef struct tw_mesh_field {
    size_t power;
    double c, scale[2];
    bool slope[2]; /* one of them: dQ/dlog scale_k, summed over these k, in place of Q */
} tw_mesh_field;

/* The precision c K (M^-1 K)^(power - 1) of the nodes, K = M + G (mesh.c). out->q alone is made, and out->hidden set. */
tw_status tw_mesh_precision(const tw_mesh *mesh, const tw_mesh_field *of, tw_precision *out);

/* What n cases see of the corners of their triangles. input: both coordinates of the cases, n each. */
tw_status tw_mesh_design(const tw_mesh *mesh, size_t n, const double *const input[2], const tw_precision *of,
                         tw_sparse **design);

#endif
