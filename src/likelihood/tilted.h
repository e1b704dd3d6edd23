/* tilted.h: the integrand p(y | x) N(x; m, v) of one site, shared by the files that compute its moments.
 *
 * With f(x) = l(x) - (x - m)^2/(2 v), moments are integrals of t^k exp(f(x) - f(x0)) over t = (x - x0)/scale,
 * for an x0 near the mode.
 */
#ifndef TALWEG_LIKELIHOOD_TILTED_H
#define TALWEG_LIKELIHOOD_TILTED_H

#include "likelihood/likelihood.h"
#include "math/quadrature.h"

#define TW_NO_PARAMETER ((size_t)-1)

enum {
    TW_TILT_NODES = 48, /* the most nodes of one call */
    TW_TILT_RINGS = 16,
    TW_TILT_EDGES = 4 * TW_TILT_RINGS + 4
};

/* The terms of the likelihood at one x. */
typedef struct tw_tilt_point {
    double value, slope, lambda, dlambda;
} tw_tilt_point;

/* One site: the likelihood, the observation repeated for the nodes, the Gaussian and the mode. */
typedef struct tw_tilt {
    double room[(1 + TW_COLUMNS) * TW_TILT_NODES];
    tw_observations one, all; /* the observation once; repeated for the nodes */
    double m, v;
    double x0, scale;
    tw_tilt_point at_x0;
    size_t edges;               /* only if p has a peak: edges of the first panels, */
    double edge[TW_TILT_EDGES]; /* in increasing order, */
    double width;               /* and the length scale of the peak */
    size_t parameter; /* d l/d phi of this parameter multiplies the integrand; TW_NO_PARAMETER: none */
    size_t evaluations;
} tw_tilt;

tw_tilt_point tw_tilt_terms(tw_tilt *s, double x);

/* f'(x), given the terms at x; decreasing if p is log-concave. */
static inline double tw_tilt_gradient(const tw_tilt *s, double x, tw_tilt_point p)
{
    return p.slope - (x - s->m) / s->v;
}

/* -f''(x). */
static inline double tw_tilt_curvature(const tw_tilt *s, tw_tilt_point p)
{
    return p.lambda + 1.0 / s->v;
}

/* log_f[i] = f(x0 + d[i]) - f(x0) for n <= TW_TILT_NODES nodes (tilted_log.c). */
void tw_tilt_logs(tw_tilt *s, size_t n, const double *d, double *log_f);

/* The same for equally spaced t = d/scale, n a multiple of TW_GROUP. Returns whether l is smooth enough for
 * moments up to t^k by a rule whose spacing is `ratio` times that of t. */
bool tw_tilt_smooth_logs(tw_tilt *s, size_t n, const double *t, size_t k, double ratio, double *log_f);

/* f(x0 + d) - f(x0), and the steepness |f'(x0 + d)|. */
double tw_tilt_log(tw_tilt *s, double d, double *steepness);

/* The moments up to t^4, which EP needs, from equally spaced nodes; false if these do not suffice
 * (tilted_even.c). Sets scale. */
enum { TW_TILT_EVEN_MOMENTS = 5 };
bool tw_tilt_even(tw_tilt *s, double *moment);

/* Moments by adaptive panels (tilted_panels.c). */
tw_quadrature tw_tilt_panels(tw_tilt *s, size_t moments);

/* For a p that is not log-concave: choose the edges of the first panels, and x0. */
void tw_tilt_find_wide(tw_tilt *s, const tw_observations *o, size_t i);

#endif
