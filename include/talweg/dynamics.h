/* dynamics.h: the metrics of Hamiltonian samplers. */
#ifndef TALWEG_DYNAMICS_H
#define TALWEG_DYNAMICS_H

#include <stdbool.h>

#include <talweg/base.h>
#include <talweg/likelihood.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The metrics of Hamiltonian samplers, which are the frames of others. Their numbers stand in checkpoints: new ones
 * come last. */
typedef enum tw_metric {
    TW_METRIC_IDENTITY, /* unit mass on x */
    TW_METRIC_PRIOR,    /* unit mass in the prior's whitened coordinates */
    TW_METRIC_EP,       /* EP's precision */
    TW_METRIC_DENSE,    /* any precision, given by a Gaussian */
    TW_METRIC_HESSIAN,  /* these depend on the position */
    TW_METRIC_FISHER,
    TW_METRIC_SMOOTHED,
    TW_METRIC_ANCHORED, /* EP's precision, and what the smoothed curvature has beyond it */
    TW_METRIC_COUNT
} tw_metric;

/* What there is to know of a metric. */
typedef struct tw_metric_info {
    tw_metric metric;
    const char *name;
    const char *meaning;     /* "EP's precision" */
    bool named;              /* a user may name it; else it needs a Gaussian that only a caller has */
    bool position_dependent; /* else constant */
    bool needs_gaussian;     /* of a fit or of the caller: tw_sampler_options's gaussian */
    bool needs_smoothing;    /* variances of a fit or of the caller: tw_sampler_options's smoothing */
    bool unit_scale; /* the posterior has a standard deviation of about 1 in its coordinates at most */
} tw_metric_info;

/* A row of the table; NULL where there is none of that number or name. */
TW_API const tw_metric_info *tw_metric_describe(tw_metric metric);
TW_API const tw_metric_info *tw_metric_find(const char *name);

/* "ep", "hessian", ... */
TW_API const char *tw_metric_name(tw_metric metric);

/* Those that a user may name, as "identity, prior, ..."; and of them those that follow the position and stand by themselves,
 * without a Gaussian. */
TW_API const char *tw_metric_names(void);
TW_API const char *tw_metric_names_following(void);

/* Does the likelihood have the curvature that the metric is made of? */
TW_API bool tw_metric_fits(tw_metric metric, const tw_likelihood *likelihood);

#ifdef __cplusplus
}
#endif

#endif
