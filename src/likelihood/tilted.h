/* tilted.h: one site's integrand p(y | x) N(x; m, v), shared by the files that find its moments.
 *
 * With f(x) = l(x) - (x - m)^2/(2 v), moments are integrals of t^k exp(f(x) - f(x0)) over t = (x - x0)/scale, for an x0 near
 * the mode.
 */
#ifndef TALWEG_LIKELIHOOD_TILTED_H
#define TALWEG_LIKELIHOOD_TILTED_H

#include "likelihood/likelihood.h"
#include "math/quadrature.h"

#define TW_NO_PARAMETER ((size_t)-1)

enum {
    TW_TILT_NODES = 48, /* as many at once */
    TW_TILT_RINGS = 16,
    TW_TILT_EDGES = 4 * TW_TILT_RINGS + 4
};

/* The terms of the likelihood at one x. */
typedef struct tw_tilt_point {
    double value, slope, lambda, dlambda;
} tw_tilt_point;

/* One site: the likelihood, the observation repeated for the nodes, the Gaussian, the mode. */
typedef struct tw_tilt {
    double room[(1 + TW_COLUMNS) * TW_TILT_NODES];
    tw_observations one, all; /* the first of them; all of them */
    double m, v;
    double x0, scale;
    tw_tilt_point at_x0;
    size_t edges;               /* where p has a peak: of the first panels, */
    double edge[TW_TILT_EDGES]; /* ascending in x */
    double width;               /* and the length over which p changes there */
    size_t parameter;           /* which d l/d phi multiplies the integrand; TW_NO_PARAMETER: none does */
    size_t evaluations;
} tw_tilt;

tw_tilt_point tw_tilt_terms(tw_tilt *s, double x);

/* f'(x), given the terms at x; decreasing where p is log-concave. */
static inline double tw_tilt_gradient(const tw_tilt *s, double x, tw_tilt_point p)
{
    return p.slope - (x - s->m) / s->v;
}

/* -f''(x). */
static inline double tw_tilt_curvature(const tw_tilt *s, tw_tilt_point p)
{
    return p.lambda + 1.0 / s->v;
}

/* log_f[i] = f(x0 + d[i]) - f(x0) for n <= TW_TILT_NODES places (tilted_log.c). */
void tw_tilt_logs(tw_tilt *s, size_t n, const double *d, double *log_f);

/* The same for equally spaced t = d/scale, n a multiple of TW_GROUP. Is l smooth enough between them for moments up to t^k by a
 * rule whose nodes are `ratio` of their distance apart? */
bool tw_tilt_smooth_logs(tw_tilt *s, size_t n, const double *t, size_t k, double ratio, double *log_f);

/* f(x0 + d) - f(x0) and |f'(x0 + d)|. */
double tw_tilt_log(tw_tilt *s, double d, double *steepness);

/* The moments up to t^4, all that EP needs, by equally spaced nodes, where that is enough: else false (tilted_even.c). Sets scale. */
enum { TW_TILT_EVEN_MOMENTS = 5 };
bool tw_tilt_even(tw_tilt *s, double *moment);

/* The same by adaptive panels (tilted_panels.c). */
tw_quadrature tw_tilt_panels(tw_tilt *s, size_t moments);

/* For a p that is not log-concave: the first panels, and x0. */
void tw_tilt_find_wide(tw_tilt *s, const tw_observations *o, size_t i);

#endif
