/* precision.h: kernels whose precision on given inputs is sparse. */
#ifndef TALWEG_COVARIANCE_PRECISION_H
#define TALWEG_COVARIANCE_PRECISION_H

#include "covariance/kernel.h"
#include "talweg/sparse.h"

/* The precision of the n cases x (n x d): *q is NULL where there is none, or where it is not sparse, and the covariances are
 * to be used. Only a kernel of one leaf has one. */
tw_status tw_kernel_precision(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                              tw_sparse **q);

/* TW_OK where all leaves have covariances; else the words for what cannot be done with the kernel. */
tw_status tw_kernel_check_covariances(const tw_kernel *kernel);

/* ---- leaf_spde.c ---- */

/* The precision of a field on a lattice of two inputs. */
tw_status tw_lattice_precision(const tw_kernel *kernel, const tw_node *node, size_t n, const double *x,
                               size_t ldx, tw_sparse **q);

#endif
