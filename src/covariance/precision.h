/* precision.h: sparse precisions of kernels. */
#ifndef TALWEG_COVARIANCE_PRECISION_H
#define TALWEG_COVARIANCE_PRECISION_H

#include "covariance/entries.h"
#include "covariance/kernel.h"
#include "covariance/panel.h"
#include "sparse/sparse.h"

/* A prior with a sparse precision: u ~ N(0, Q^-1), x = C u at the cases. On request it also has dQ/dtheta_j
 * instead of Q, or new cases, x* = C* u + e with independent e ~ N(0, v*). */
struct tw_precision {
    tw_context *ctx;
    const size_t *slope; /* request: the index j of a parameter; NULL: none */
    const tw_inputs *at; /* request: new cases; NULL: none */
    bool wants_log_det;  /* request: log_det even if it takes a factorisation */

    tw_sparse *q; /* NULL: none */
    bool moves;   /* with `slope`: true if q is dQ/dtheta_j; false if q is Q, which does not depend on it */
    tw_sparse *design;          /* C; NULL: the identity */
    tw_constraints constraints; /* for an intrinsic prior */
    bool has_log_det;
    double log_det; /* log |Q| where the constraints hold, without the rounding errors of a factor of Q */
    bool hidden;    /* the cases may not determine u, so all variables become unobserved sites of the model */
    tw_sparse *at_design; /* C* */
    double *at_variance;  /* v*, one for each new case */
};
void tw_precision_release(tw_precision *precision);

/* Set the design for x_i = u_of[i], with r variables; it stays NULL if it is the identity. */
tw_status tw_precision_pick(tw_precision *precision, size_t n, size_t r, const uint32_t *of);

/* The precision for n cases x (n x d). out->q is NULL if the kernel has no sparse precision; then use its
 * covariances. A sum or product has a sparse precision if one of its leaves has no covariance function and no
 * leaf is dense. Release it also after a failure. */
tw_status tw_kernel_precision(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                              tw_precision *out);

/* dQ/dtheta_j instead of Q; zeros if Q does not depend on theta_j. */
tw_status tw_kernel_precision_slope(const tw_kernel *kernel, size_t j, size_t n, size_t d, const double *x,
                                    size_t ldx, tw_precision *out);

/* Q, and the design and variances of m new cases z (m x d). */
tw_status tw_kernel_precision_at(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                                 size_t m, const double *z, size_t ldz, tw_precision *out);

/* log |Q| where the constraints hold, if *known, by a formula or a factor of a matrix of smaller condition. */
tw_status tw_kernel_precision_log_det(const tw_kernel *kernel, size_t n, size_t d, const double *x,
                                      size_t ldx, bool *known, double *log_det);

/* Replace C by [C; I]: all variables are appended to the n cases. */
tw_status tw_precision_show_variables(tw_precision *precision, size_t n);

/* ---- internal functions ---- */

/* The precision of a leaf, if it has one. */
tw_status tw_leaf_precision_of(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                               const double *x, size_t ldx, tw_precision *out);

/* Is the slope with respect to a parameter of this slot requested? *k is its index in the slot. */
bool tw_precision_asks(const tw_precision *out, const tw_node *node, size_t slot, size_t *k);

/* If the slope with respect to a parameter of the node is requested, set out->moves. If that is an amplitude,
 * multiply Q by -2 (a standard deviation sigma, Q ~ 1/sigma^2) or -1 (a variance). */
void tw_precision_finish_slope(const tw_kernel *kernel, const tw_node *node, tw_precision *out);

/* Allocate at_variance, and entries for at_design with at most `most` variables per new case. */
tw_status tw_precision_begin_new(tw_precision *out, size_t most, tw_entries *seen);

/* The autoregressive process ar1 (leaf_chain.c); out->q stays NULL if two times are too close. */
tw_status tw_chain_precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                             const double *x, size_t ldx, tw_precision *out);

/* The precision of a sum or product (compose.c). */
tw_status tw_precision_compose(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                               tw_precision *out);

/* Does the kernel have a leaf without a covariance function? */
bool tw_kernel_has_precision_only(const tw_kernel *kernel);

/* Does the kernel have both leaves with only a precision and leaves with only covariances? Then the model is
 * dense (covariance/full.h). */
bool tw_kernel_is_mixed(const tw_kernel *kernel);

/* Fail if the kernel has no covariances: between the training cases or, with `others`, between any cases. */
tw_status tw_kernel_check_covariances(const tw_kernel *kernel, bool others);

#endif
