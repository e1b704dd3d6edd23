/* tilted_panels.c: tilted moments by adaptive panels.
 *
 * If p is log-concave, so is the integrand:
 *   1. On either side, find a point where f has dropped by DROP below f(x0). By concavity, less than
 *      exp(-DROP) of the mass lies beyond; the two points give the range.
 *   2. With t = (x - x0)/scale, compute the integrals of t^k exp(f(x) - f(x0)), k = 0, 1, 2, ..., together
 *      (math/quadrature.h). The first panels are short where the likelihood may have a thin layer, so that
 *      a layer of width 1 is found inside a prior of width 1000.
 *
 * If p is not log-concave but has a peak, f may have two modes, near the peak and near m. l is largest at the
 * peak, so f has dropped by DROP where (x - m)^2/(2 v) = DROP + l(peak) - l(m). The first panels have edges
 * around both points, at growing distances; x0 is the edge with the largest f. A first, rough pass gives the
 * scale of the second.
 */
#include <math.h>

#include "likelihood/tilted.h"
#include "math/vector.h"

enum {
    NODES = TW_QUADRATURE_NODES,
    ITERATIONS = 2000, /* more than bisection or doubling needs over the whole range of doubles */
    LAYERS = 8,
    CUTS = 3,
    SIDE = 2 * LAYERS + CUTS + 1
};

static const double DROP = 46.0;
static const double GROWTH = 8.0;
static const double CUT[CUTS] = {0.18, 0.4, 0.65}; /* edges that suit a Gaussian, as fractions of the range */
static const double TOLERANCE = 1e-12;             /* of a panel's moments, relative to the normaliser */

/* One end of the range: its distance from the mode and |f'| there. */
typedef struct range_end {
    double distance, slope;
} range_end;

/* The distance from the mode, in the direction `sign`, where f has dropped by DROP to 2 DROP: double the
 * distance that a parabola would have, then bisect. At a discontinuity of f, bisection converges to it. */
static range_end reach(tw_tilt *s, double sign)
{
    double near = 0.0, d = sqrt(2.0 * DROP / tw_tilt_curvature(s, s->at_x0)), far = INFINITY;
    range_end end = {d, 0.0};
    for (int i = 0; i < ITERATIONS && far - near > 1e-12 * near; i++) {
        end.distance = d;
        double drop = -tw_tilt_log(s, sign * d, &end.slope);
        if (drop >= DROP && drop <= 2.0 * DROP) break;
        *(drop < DROP ? &near : &far) = d;
        d = far < INFINITY ? 0.5 * (near + far) : 2.0 * d;
    }
    return end;
}

static void integrand(void *user, size_t n, const double *t, double *f)
{
    tw_tilt *s = user;
    double d[NODES] = {0.0}, x[NODES], change[NODES];
    for (size_t i = 0; i < n; i++) d[i] = s->scale * t[i];
    tw_tilt_logs(s, n, d, f);
    tw_vector_exp(n, f, f);
    if (s->parameter == TW_NO_PARAMETER) return;
    tw_observations nodes = s->all;
    nodes.n = n;
    for (size_t i = 0; i < n; i++) x[i] = s->x0 + d[i];
    nodes.likelihood->d_parameter(&nodes, s->parameter, x, change, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        if (f[i] > 0.0) f[i] *= change[i];
}

/* Lengths that grow by GROWTH from `first` while they are well below range. Returns their number. */
static size_t growing_lengths(double first, double range, double *length)
{
    size_t count = 0;
    double least = 1e-5 * range, d = first <= least ? least : first;
    while (d < 0.1 * range && count < LAYERS) {
        length[count++] = d;
        d *= GROWTH;
    }
    return count;
}

/* The edges of the first panels on one side, as increasing distances from the mode. Returns their number. The
 * likelihood may change over a length so far below the range that the nodes of a long panel miss it. Such a
 * layer can be in two places: at the mode, where lambda varies over lambda/dlambda, and at the end, where f
 * falls by DROP over DROP/|f'| (half the range, for a parabola). Panels grow with the distance from these. */
static size_t first_edges(const tw_tilt *s, range_end end, double *edge)
{
    double at_mode[LAYERS], at_end[LAYERS], range = end.distance;
    size_t inner = growing_lengths(4.0 * s->at_x0.lambda / fabs(s->at_x0.dlambda), range, at_mode);
    size_t outer = growing_lengths(2.0 * DROP / end.slope, range, at_end), count = 0;
    for (size_t i = 0; i < inner; i++) edge[count++] = at_mode[i];
    for (size_t i = 0; i < CUTS; i++) edge[count++] = CUT[i] * range;
    for (size_t i = outer; i > 0; i--) edge[count++] = range - at_end[i - 1];
    edge[count++] = range;
    return count;
}

/* ---- p not log-concave ---- */

/* Insert x among the increasing edges, if it is strictly inside the range and not an edge already. */
static void add_edge(tw_tilt *s, double x)
{
    size_t k = s->edges;
    if (!(x > s->edge[0] && x < s->edge[s->edges - 1])) return;
    while (s->edge[k - 1] > x) k--;
    if (s->edge[k - 1] == x || s->edges == TW_TILT_EDGES) return;
    for (size_t i = s->edges++; i > k; i--) s->edge[i] = s->edge[i - 1];
    s->edge[k] = x;
}

/* Add edges around a centre, at distances that grow by 4 from length/2. */
static void add_rings(tw_tilt *s, double centre, double length)
{
    add_edge(s, centre);
    for (int k = 0; k < TW_TILT_RINGS; k++) {
        double d = ldexp(0.5 * length, 2 * k);
        add_edge(s, centre - d);
        add_edge(s, centre + d);
    }
}

/* Set the range, the edges of its first panels, and x0, the edge where f is largest. */
void tw_tilt_find_wide(tw_tilt *s, const tw_observations *o, size_t i)
{
    double peak, sd = sqrt(s->v), best = -INFINITY;
    o->likelihood->peak(o, i, &peak, &s->width);
    double gain = tw_tilt_terms(s, peak).value - tw_tilt_terms(s, s->m).value;
    double range = sd * sqrt(2.0 * (DROP + fmax(gain, 0.0)));
    s->edge[0] = s->m - range;
    s->edge[1] = s->m + range;
    s->edges = 2;
    add_rings(s, s->m, sd);
    add_rings(s, peak, s->width);
    for (size_t k = 0; k < s->edges; k++) {
        tw_tilt_point p = tw_tilt_terms(s, s->edge[k]);
        double away = s->edge[k] - s->m, f = p.value - 0.5 * away * (away / s->v);
        if (!(f > best)) continue;
        best = f;
        s->x0 = s->edge[k];
        s->at_x0 = p;
    }
}

/* The integrals in units of s->scale, with this tolerance. */
static tw_quadrature integrate_edges(tw_tilt *s, size_t moments, double tolerance)
{
    double edge[TW_TILT_EDGES];
    for (size_t i = 0; i < s->edges; i++) edge[i] = (s->edge[i] - s->x0) / s->scale;
    return tw_quadrature_moments(integrand, s, moments, s->edges - 1, edge, tolerance);
}

/* f is within a few units of its maximum over a tenth of the shorter of the two lengths, so the rough pass
 * uses that length. Either the mode at x0 has most of the mass, or the standard deviation is at least the
 * distance to the mode that has; so in units of the root mean square of x - x0 no digits are lost. */
static tw_quadrature integrate_wide(tw_tilt *s, size_t moments)
{
    size_t parameter = s->parameter;
    s->parameter = TW_NO_PARAMETER;
    s->scale = fmin(s->width, sqrt(s->v));
    tw_quadrature rough = integrate_edges(s, 3, 1e-4);
    double square = rough.moment[2] / rough.moment[0], normaliser = rough.moment[0] / sqrt(square);
    s->scale *= sqrt(square);
    s->parameter = parameter;
    return integrate_edges(s, moments, TOLERANCE * normaliser);
}

/* ---- all likelihoods ---- */

/* The integrals over the whole range. For a log-concave p, scale is a twentieth of the range, near the
 * standard deviation. */
tw_quadrature tw_tilt_panels(tw_tilt *s, size_t moments)
{
    if (s->edges > 0) return integrate_wide(s, moments);
    range_end end[2] = {reach(s, -1.0), reach(s, 1.0)};
    double distance[2][SIDE], edge[2 * SIDE + 1];
    size_t left = first_edges(s, end[0], distance[0]), right = first_edges(s, end[1], distance[1]);
    s->scale = (end[0].distance + end[1].distance) / 20.0;
    for (size_t i = 0; i < left; i++) edge[i] = -distance[0][left - 1 - i] / s->scale;
    edge[left] = 0.0;
    for (size_t i = 0; i < right; i++) edge[left + 1 + i] = distance[1][i] / s->scale;
    /* f is concave and 2 DROP at most at the ends, so the normaliser is at least the range over 2 DROP. */
    double least_normaliser = 20.0 / (2.0 * DROP);
    return tw_quadrature_moments(integrand, s, moments, left + right, edge, TOLERANCE * least_normaliser);
}
