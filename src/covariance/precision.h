/* precision.h: kernels whose precision on given inputs is sparse. */
#ifndef TALWEG_COVARIANCE_PRECISION_H
#define TALWEG_COVARIANCE_PRECISION_H

#include "covariance/kernel.h"
#include "sparse/sparse.h"

/* A prior with a sparse precision: u ~ N(0, Q^-1), x = C u at the cases. */
struct tw_precision {
    tw_context *ctx;
    tw_sparse *q;      /* NULL: there is none */
    tw_sparse *design; /* C; NULL: the identity */
    tw_constraints constraints;
    bool
        hidden; /* the cases need not determine u: all variables are to be sites of their own, which are not observed */
};
void tw_precision_release(tw_precision *precision);

/* The design where case i sees variable of[i] of r by itself; the identity stays NULL. */
tw_status tw_precision_pick(tw_precision *precision, size_t n, size_t r, const uint32_t *of);

/* The precision of the n cases x (n x d): out->q is NULL where there is none, or where it is not sparse, and the covariances are
 * to be used. A sum or product has one where one of its leaves has no covariances. Release it also after a failure. */
tw_status tw_kernel_precision(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                              tw_precision *out);

/* C becomes [C; I]: behind the n cases come all variables. */
tw_status tw_precision_show_variables(tw_precision *precision, size_t n);

/* ---- the parts of it ---- */

/* The precision of a leaf, where it has one. */
tw_status tw_leaf_precision_of(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                               const double *x, size_t ldx, tw_precision *out);

/* That of a sum or product (compose.c). */
tw_status tw_precision_compose(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                               tw_precision *out);

/* TW_OK where all leaves have covariances; else the words for what cannot be done with the kernel. */
tw_status tw_kernel_check_covariances(const tw_kernel *kernel);

#endif
