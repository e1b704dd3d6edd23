/* dynamics.h: the metrics of Hamiltonian samplers. */
#ifndef TALWEG_DYNAMICS_H
#define TALWEG_DYNAMICS_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Constant: identity (unit mass on x), prior (unit mass in the prior's
 * whitened coordinates), ep (EP's precision), dense (any, given by a factor). Position dependent: hessian,
 * fisher, smoothed. */
typedef enum tw_metric {
    TW_METRIC_IDENTITY,
    TW_METRIC_PRIOR,
    TW_METRIC_EP,
    TW_METRIC_DENSE,
    TW_METRIC_HESSIAN,
    TW_METRIC_FISHER,
    TW_METRIC_SMOOTHED
} tw_metric;

#ifdef __cplusplus
}
#endif

#endif
