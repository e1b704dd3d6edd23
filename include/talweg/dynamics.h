/* dynamics.h: the metrics of Hamiltonian samplers. */
#ifndef TALWEG_DYNAMICS_H
#define TALWEG_DYNAMICS_H

#include <stdbool.h>

#include <talweg/base.h>
#include <talweg/likelihood.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The metrics of Hamiltonian samplers, or the centres of other samplers. Checkpoints contain their numbers, so
 * add new ones at the end. */
typedef enum tw_metric {
    TW_METRIC_IDENTITY, /* unit mass on x */
    TW_METRIC_PRIOR,    /* unit mass in the prior's whitened coordinates */
    TW_METRIC_EP,       /* EP's precision */
    TW_METRIC_DENSE,    /* a precision, given by a Gaussian */
    TW_METRIC_HESSIAN,  /* from here on they depend on the position */
    TW_METRIC_FISHER,
    TW_METRIC_SMOOTHED,
    TW_METRIC_ANCHORED, /* EP's precision plus the excess of the smoothed curvature */
    TW_METRIC_COUNT
} tw_metric;

/* The properties of a metric. */
typedef struct tw_metric_info {
    tw_metric metric;
    const char *name;
    const char *meaning;     /* "EP's precision" */
    bool named;              /* a user may choose it by name; otherwise it needs a Gaussian from the caller */
    bool position_dependent; /* else constant */
    bool needs_gaussian;     /* of a fit or of the caller: tw_sampler_options's gaussian */
    bool needs_smoothing;    /* variances of a fit or of the caller: tw_sampler_options's smoothing */
    bool unit_scale;         /* the posterior has standard deviations of at most about 1 in its coordinates */
} tw_metric_info;

/* A row of the table; NULL if the number or name is unknown. */
TW_API const tw_metric_info *tw_metric_describe(tw_metric metric);
TW_API const tw_metric_info *tw_metric_find(const char *name);

/* "ep", "hessian", ... */
TW_API const char *tw_metric_name(tw_metric metric);

/* The metrics that a user may choose, as "identity, prior, ..."; and those of them that depend on the position
 * and need no Gaussian. */
TW_API const char *tw_metric_names(void);
TW_API const char *tw_metric_names_following(void);

/* Does the likelihood have the curvature that the metric needs? */
TW_API bool tw_metric_fits(tw_metric metric, const tw_likelihood *likelihood);

#ifdef __cplusplus
}
#endif

#endif
