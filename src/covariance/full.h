/* full.h: covariances, in full, of leaves that have a sparse precision only, for kernels in which they stand beside leaves that have
 * covariances only. */
#ifndef TALWEG_COVARIANCE_FULL_H
#define TALWEG_COVARIANCE_FULL_H

#include "covariance/panel.h"

/* Of the n cases of a kernel: one n x n matrix for each such leaf, and for each of its parameters. */
struct tw_full {
    const tw_kernel *kernel;
    size_t n;
    double **value; /* by the number of a node; NULL where it has covariances of its own */
    double **slope; /* by the number of a parameter: dK/dtheta */
};

tw_status tw_full_new(const tw_kernel *kernel, size_t d, const tw_inputs *cases, bool slopes, tw_full **out);
void tw_full_free(tw_full *full);

/* For the tables of leaves. */
bool tw_full_uniform(const tw_panel *panel, const tw_node *node, double *value);
void tw_full_value(const tw_panel *panel, const tw_node *node, double *out);
void tw_full_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient);
#define TW_FULL_LEAF .uniform = tw_full_uniform, .value = tw_full_value, .contract = tw_full_contract

#endif
