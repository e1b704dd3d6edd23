/* precision.h: kernels whose precision on given inputs is sparse. */
#ifndef TALWEG_COVARIANCE_PRECISION_H
#define TALWEG_COVARIANCE_PRECISION_H

#include "covariance/entries.h"
#include "covariance/kernel.h"
#include "covariance/panel.h"
#include "sparse/sparse.h"

/* A prior with a sparse precision: u ~ N(0, Q^-1), x = C u at the cases. Asked for a parameter's slope, it is dQ/dtheta in place of
 * Q; asked for new cases, x* = C* u + e at them, each e ~ N(0, v*) independent of u. */
struct tw_precision {
    tw_context *ctx;
    const size_t *slope; /* asked for: the number of a parameter; NULL: none */
    const tw_inputs *at; /* asked for: new cases; NULL: none */

    tw_sparse *q; /* NULL: there is none */
    bool moves;   /* with a slope: q is dQ/dtheta; false: Q does not depend on the parameter, and q is Q */
    tw_sparse *design; /* C; NULL: the identity */
    tw_constraints constraints;
    bool
        hidden; /* the cases need not determine u: all variables are to be sites of their own, which are not observed */
    tw_sparse *at_design; /* C* */
    double *at_variance;  /* v*, one for each new case */
};
void tw_precision_release(tw_precision *precision);

/* The design where case i sees variable of[i] of r by itself; the identity stays NULL. */
tw_status tw_precision_pick(tw_precision *precision, size_t n, size_t r, const uint32_t *of);

/* The precision of the n cases x (n x d): out->q is NULL where there is none, or where it is not sparse, and the covariances are
 * to be used. A sum or product has one where one of its leaves has no covariances. Release it also after a failure. */
tw_status tw_kernel_precision(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                              tw_precision *out);

/* dQ/dtheta_j in place of Q; all zeros where Q does not depend on it. */
tw_status tw_kernel_precision_slope(const tw_kernel *kernel, size_t j, size_t n, size_t d, const double *x,
                                    size_t ldx, tw_precision *out);

/* Q, and what the m new cases z (m x d) see. */
tw_status tw_kernel_precision_at(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                                 size_t m, const double *z, size_t ldz, tw_precision *out);

/* C becomes [C; I]: behind the n cases come all variables. */
tw_status tw_precision_show_variables(tw_precision *precision, size_t n);

/* ---- the parts of it ---- */

/* The precision of a leaf, where it has one. */
tw_status tw_leaf_precision_of(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                               const double *x, size_t ldx, tw_precision *out);

/* Is the slope in the k-th parameter of this slot of the node asked for? */
bool tw_precision_asks(const tw_precision *out, const tw_node *node, size_t slot, size_t *k);

/* Where the slope in a parameter of the node is asked for: out->moves; and where that is an amplitude, whose square or itself Q is
 * divided by, Q becomes -2 Q or -Q. */
void tw_precision_finish_slope(const tw_kernel *kernel, const tw_node *node, tw_precision *out);

/* Memory for what new cases see, at most `most` variables each: entries to be filled. */
tw_status tw_precision_begin_new(tw_precision *out, size_t most, tw_entries *seen);

/* An autoregressive process at the times t (leaf_chain.c); out->q stays NULL where two times are too near to each other. */
tw_status tw_chain_precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                             const double *x, size_t ldx, tw_precision *out);

/* That of a sum or product (compose.c). */
tw_status tw_precision_compose(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                               tw_precision *out);

/* Has a leaf no covariances? */
bool tw_kernel_has_precision_only(const tw_kernel *kernel);

/* Does a leaf that has covariances only stand beside one that has a precision only? Then the model is dense: covariance/full.h. */
bool tw_kernel_is_mixed(const tw_kernel *kernel);

/* TW_OK where the kernel has covariances, of given cases, and with `others` of any cases; else the words for what cannot be done
 * with it. */
tw_status tw_kernel_check_covariances(const tw_kernel *kernel, bool others);

#endif
