/* full.h: dense covariances of leaves that have only a sparse precision. They are needed if a kernel also has
 * leaves with covariances only. */
#ifndef TALWEG_COVARIANCE_FULL_H
#define TALWEG_COVARIANCE_FULL_H

#include "covariance/panel.h"

/* For the n cases of a kernel: one n x n matrix for each such leaf, and one for each of its parameters. */
struct tw_full {
    const tw_kernel *kernel;
    size_t n;
    double **value; /* K, by the index of the node; NULL for leaves with covariances */
    double **slope; /* dK/dtheta, by the index of the parameter; NULL: not requested */
};

tw_status tw_full_new(const tw_kernel *kernel, size_t d, const tw_inputs *cases, bool slopes, tw_full **out);
void tw_full_free(tw_full *full);

/* The functions of tw_leaf for such leaves. */
bool tw_full_uniform(const tw_panel *panel, const tw_node *node, double *value);
void tw_full_value(const tw_panel *panel, const tw_node *node, double *out);
void tw_full_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient);
#define TW_FULL_LEAF .uniform = tw_full_uniform, .value = tw_full_value, .contract = tw_full_contract

#endif
