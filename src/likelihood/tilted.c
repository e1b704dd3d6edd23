/* tilted.c: the tilted moments of any likelihood, by adaptive quadrature of its terms, and the
 * derivatives of its normaliser with respect to the likelihood's parameters.
 *
 * Where p is log-concave, the logarithm of the integrand, f(x) = l(x) - (x - m)^2/(2 v), is strictly concave. So
 *   1. its mode x0 is the root of a decreasing function, found by a safeguarded Newton iteration;
 *   2. on either side f drops by DROP below f(x0), and by concavity less than exp(-DROP) of the mass lies
 *      beyond: the two points give the range;
 *   3. with t = (x - x0)/scale, the integrals of t^k exp(f(x) - f(x0)), k = 0, 1, 2, ..., are found together
 *      (math/quadrature.h); the first panels are short where the likelihood may have a layer, so that one of
 *      width 1 is found inside a prior of width 1000;
 *   4. cumulants follow from the moments m_l by  c_l = m_l - sum_{k=1}^{l-1} binomial(l-1, k-1) c_k m_{l-k}.
 *
 * Where p is not log-concave but has a peak, f may have two modes, near the peak and near m. Since l is largest at the peak,
 * f has dropped by DROP where (x - m)^2/(2 v) = DROP + l(peak) - l(m). The first panels have edges about both places, at
 * distances that grow; x0 is the edge with the largest f. A first pass with few digits gives the scale of the second.
 *
 * f(x) - f(x0) is formed without the large parts of f. With x = x0 + d, l(x) = l0 + l0' d + rise(d),
 *   f(x) - f(x0) = rise(d) + (l0' - (x0 - m)/v) d - d^2/(2 v).
 * The difference of values l(x) - l0 - l0' d has a rounding error of eps |l|, too much where |l| is 1e6 or
 * more. rise is also the integral of l'(x0 + s) - l0' over s in [0, d], and two-point Hermite quadrature with
 * the derivatives at hand,
 *   d/2 (l1' - l0') + d^2/10 (lambda1 - lambda0) - d^3/120 (dlambda0 + dlambda1),
 * is free of |l|: it is taken wherever it agrees with the difference to within that rounding error. l may also be the small
 * sum of large parts (a log binomial coefficient and the rest, 1e9 each), whose rounding error does not show in |l|. It matters
 * where lambda is LARGE; the range is then short, sqrt(2 DROP/lambda), and where lambda changes by less than a tenth over d, the
 * formula's own error, d^7 l^(7)/1e5, is below 1e-13 within a few standard deviations: it is taken there, too.
 *
 * d log Z/d phi = E[d l/d phi] under the tilted distribution: the same integrand once more, times d l/d phi.
 */
#include <float.h>
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/constants.h"
#include "math/quadrature.h"

enum {
    NODES = TW_QUADRATURE_NODES,
    ORDERS = TW_QUADRATURE_MOMENTS - 1,
    ITERATIONS = 2000, /* more than halving or doubling can need from one end of the doubles to the other */
    LAYERS = 8,
    CUTS = 3,
    SIDE = 2 * LAYERS + CUTS + 1,
    RINGS = 16,
    WIDE = 4 * RINGS + 4
};

#define NO_PARAMETER ((size_t)-1)

static const double DROP = 46.0;
static const double GROWTH = 8.0;
static const double CUT[CUTS] = {0.18, 0.4, 0.65}; /* panels that suit a Gaussian of that range */
static const double LARGE = 1e5, COARSE = 1e-2;
static const double TOLERANCE = 1e-12; /* of a panel's moments, against the normaliser */

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

/* One site: the likelihood, the observation repeated for the nodes of a panel, the Gaussian, the mode. */
typedef struct site {
    double room[(1 + TW_COLUMNS) * NODES];
    tw_observations one, all; /* the first of them; all of them */
    double m, v;
    double x0, scale;
    point at_x0;
    size_t edges;      /* where p has a peak: of the first panels, */
    double edge[WIDE]; /* ascending in x */
    double width;      /* and the length over which p changes there */
    size_t parameter;  /* which d l/d phi multiplies the integrand; NO_PARAMETER: none does */
    size_t evaluations;
} site;

static point terms_at(site *s, double x)
{
    point p = {0.0, 0.0, 0.0, 0.0};
    s->one.likelihood->terms(&s->one, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    s->evaluations++;
    return p;
}

/* f'(x), decreasing. */
static double gradient(const site *s, double x, point p)
{
    return p.slope - (x - s->m) / s->v;
}

/* -f''(x). */
static double curvature(const site *s, point p)
{
    return p.lambda + 1.0 / s->v;
}

/* A second point on the other side of the mode from m: steps in the direction of the gradient, the first a
 * Newton step or eight standard deviations, whichever is shorter, each twice the last. */
static double beyond_mode(site *s, point at_m)
{
    double g = gradient(s, s->m, at_m), far = 8.0 * sqrt(s->v);
    double newton = fabs(g) / curvature(s, at_m);
    double step = newton < far ? newton : far, x = s->m;
    for (int i = 0; i < ITERATIONS; i++) {
        x = g > 0.0 ? x + step : x - step;
        step *= 2.0;
        double there = gradient(s, x, terms_at(s, x));
        if (g > 0.0 ? !(there > 0.0) : !(there < 0.0)) break;
    }
    return x;
}

/* Would a Newton step be below a hundredth of a standard deviation? That is near enough: what remains of the
 * gradient is part of the integrand. */
static bool near_mode(const site *s, double g, point p)
{
    return fabs(g) < 1e-2 * sqrt(curvature(s, p));
}

/* Newton's iteration for f'(x) = 0 between low and high; halving where a Newton step would leave the bracket
 * or is not shorter than half the last. A likelihood with a kink ends by the width of the bracket. */
static void find_mode(site *s)
{
    double x = s->m, low = x, high = x;
    point p = terms_at(s, x);
    double g = gradient(s, x, p);
    if (g > 0.0 && !near_mode(s, g, p)) high = beyond_mode(s, p);
    if (g < 0.0 && !near_mode(s, g, p)) low = beyond_mode(s, p);
    double last = high - low;
    for (int i = 0; i < ITERATIONS && high - low > 1e-3 / sqrt(curvature(s, p)); i++) {
        double step = g / curvature(s, p);
        bool newton = x + step >= low && x + step <= high && 2.0 * fabs(step) <= fabs(last);
        if (!newton) step = 0.5 * (low + high) - x;
        last = step;
        x += step;
        p = terms_at(s, x);
        g = gradient(s, x, p);
        if (near_mode(s, g, p)) break;
        *(g > 0.0 ? &low : &high) = x;
    }
    s->x0 = x;
    s->at_x0 = p;
}

/* Is the curvature large, and does it change by less than a tenth over d? */
static bool nearly_constant(double d, point p, point q)
{
    return p.lambda >= LARGE && fabs(d) * (fabs(p.dlambda) + fabs(q.dlambda)) <= 0.1 * (p.lambda + q.lambda);
}

/* f(x0 + d) - f(x0), given the terms p at x = x0 + d as rounded. */
static double relative_log(const site *s, double d, double x, point p)
{
    point p0 = s->at_x0;
    double rounded = x - s->x0, step = p.slope - p0.slope;
    double line = p0.slope * rounded;
    double rise = p.value - p0.value - line;
    double hermite =
        rounded *
        (0.5 * step + rounded * (0.1 * (p.lambda - p0.lambda) - rounded * (p.dlambda + p0.dlambda) / 120.0));
    double rounding = 16.0 * DBL_EPSILON * (fabs(p.value) + fabs(p0.value) + fabs(line));
    double gap = fabs(hermite - rise);
    if (gap <= rounding || (gap <= COARSE && nearly_constant(d, p0, p)))
        rise = hermite + step * (d - rounded);
    return rise + (gradient(s, s->x0, p0) - 0.5 * d / s->v) * d;
}

/* One end of the range: its distance from the mode and |f'| there. */
typedef struct range_end {
    double distance, slope;
} range_end;

/* How far from the mode, in the direction given by sign, f has dropped by DROP to 2 DROP: doubling from the
 * distance that a parabola would have, then bisection. Where f falls off a cliff, the end is at its foot. */
static range_end reach(site *s, double sign)
{
    double near = 0.0, d = sqrt(2.0 * DROP / curvature(s, s->at_x0)), far = INFINITY;
    range_end end = {d, 0.0};
    for (int i = 0; i < ITERATIONS && far - near > 1e-12 * near; i++) {
        double x = s->x0 + sign * d;
        point p = terms_at(s, x);
        double drop = -relative_log(s, sign * d, x, p);
        end = (range_end){d, fabs(gradient(s, x, p))};
        if (drop >= DROP && drop <= 2.0 * DROP) break;
        *(drop < DROP ? &near : &far) = d;
        d = far < INFINITY ? 0.5 * (near + far) : 2.0 * d;
    }
    return end;
}

static void integrand(void *user, size_t n, const double *t, double *f)
{
    site *s = user;
    double x[NODES] = {0.0}, value[NODES], slope[NODES], lambda[NODES], dlambda[NODES];
    for (size_t i = 0; i < n; i++) x[i] = s->x0 + s->scale * t[i];
    tw_observations nodes = s->all;
    nodes.n = n;
    nodes.likelihood->terms(&nodes, x, value, slope, lambda, dlambda);
    s->evaluations += n;
    for (size_t i = 0; i < n; i++) {
        point p = {value[i], slope[i], lambda[i], dlambda[i]};
        f[i] = exp(relative_log(s, s->scale * t[i], x[i], p));
    }
    if (s->parameter == NO_PARAMETER) return;
    nodes.likelihood->d_parameter(&nodes, s->parameter, x, value, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        if (f[i] > 0.0) f[i] *= value[i];
}

/* Moments about x0 in units of scale, to cumulants in units of x. */
static void to_cumulants(const site *s, size_t orders, const double *moment, double *c)
{
    double m[ORDERS + 1], power = 1.0, away = s->x0 - s->m;
    for (size_t l = 1; l <= orders; l++) {
        double binomial = 1.0;
        m[l] = c[l] = moment[l] / moment[0];
        for (size_t k = 1; k < l; k++) {
            c[l] -= binomial * c[k] * m[l - k];
            binomial *= (double)(l - k) / (double)k;
        }
    }
    for (size_t l = 1; l <= orders; l++) c[l] *= power *= s->scale;
    c[0] = s->at_x0.value - 0.5 * away * (away / s->v) - TW_HALF_LOG_TWO_PI +
           log(s->scale * moment[0] / sqrt(s->v));
    c[1] += s->x0;
}

/* Lengths that grow by GROWTH from first, while they are well below range; their number is returned. */
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

/* The edges of the first panels on one side, as ascending distances from the mode; their number is returned.
 * The likelihood may change over a length so far below the range that the nodes of a long panel step over it.
 * There are two places for such a layer: at the mode, where lambda varies over lambda/dlambda, and at the
 * end, where f falls by DROP over DROP/|f'| (half the range, for a parabola). Away from them panels grow. */
static size_t first_edges(const site *s, range_end end, double *edge)
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

/* ---- not log-concave ---- */

/* Put x among the ascending edges, where it is between the first and the last and not there already. */
static void add_edge(site *s, double x)
{
    size_t k = s->edges;
    if (!(x > s->edge[0] && x < s->edge[s->edges - 1])) return;
    while (s->edge[k - 1] > x) k--;
    if (s->edge[k - 1] == x || s->edges == WIDE) return;
    for (size_t i = s->edges++; i > k; i--) s->edge[i] = s->edge[i - 1];
    s->edge[k] = x;
}

/* Edges about a centre at distances that grow by 4 from half a length. */
static void add_rings(site *s, double centre, double length)
{
    add_edge(s, centre);
    for (int k = 0; k < RINGS; k++) {
        double d = ldexp(0.5 * length, 2 * k);
        add_edge(s, centre - d);
        add_edge(s, centre + d);
    }
}

/* The range, its first panels, and x0: the edge where f is largest. */
static void find_wide_range(site *s, const tw_observations *o, size_t i)
{
    double peak, sd = sqrt(s->v), best = -INFINITY;
    o->likelihood->peak(o, i, &peak, &s->width);
    double gain = terms_at(s, peak).value - terms_at(s, s->m).value;
    double range = sd * sqrt(2.0 * (DROP + fmax(gain, 0.0)));
    s->edge[0] = s->m - range;
    s->edge[1] = s->m + range;
    s->edges = 2;
    add_rings(s, s->m, sd);
    add_rings(s, peak, s->width);
    for (size_t k = 0; k < s->edges; k++) {
        point p = terms_at(s, s->edge[k]);
        double away = s->edge[k] - s->m, f = p.value - 0.5 * away * (away / s->v);
        if (!(f > best)) continue;
        best = f;
        s->x0 = s->edge[k];
        s->at_x0 = p;
    }
}

/* The integrals in units of s->scale, to a tolerance. */
static tw_quadrature integrate_edges(site *s, size_t moments, double tolerance)
{
    double edge[WIDE];
    for (size_t i = 0; i < s->edges; i++) edge[i] = (s->edge[i] - s->x0) / s->scale;
    return tw_quadrature_moments(integrand, s, moments, s->edges - 1, edge, tolerance);
}

/* f is within a few units of its largest over a tenth of the shorter of the two lengths. The mode with x0 has most of the mass,
 * or the deviation is no less than the distance to that which has: in units of the root mean square of x - x0 no digits are lost. */
static tw_quadrature integrate_wide(site *s, size_t moments)
{
    size_t parameter = s->parameter;
    s->parameter = NO_PARAMETER;
    s->scale = fmin(s->width, sqrt(s->v));
    tw_quadrature rough = integrate_edges(s, 3, 1e-4);
    double square = rough.moment[2] / rough.moment[0], normaliser = rough.moment[0] / sqrt(square);
    s->scale *= sqrt(square);
    s->parameter = parameter;
    return integrate_edges(s, moments, TOLERANCE * normaliser);
}

/* ---- both ---- */

/* The integrals over the whole range; scale is a twentieth of it, near the standard deviation. */
static tw_quadrature integrate(site *s, size_t moments)
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

/* Observation i of o, and the mode of its integrand. */
static tw_status begin(const tw_observations *o, size_t i, double m, double v, site *s)
{
    s->m = m;
    s->v = v;
    s->parameter = NO_PARAMETER;
    s->evaluations = 0;
    s->all = tw_observations_repeat(o, i, NODES, s->room);
    s->one = tw_observations_part(&s->all, 0, 1);
    s->edges = 0;
    if (o->likelihood->peak)
        find_wide_range(s, o, i);
    else
        find_mode(s);
    return isfinite(s->at_x0.value) && isfinite(s->at_x0.slope) ? TW_OK : TW_NUMERICAL_FAILURE;
}

tw_status tw_cumulants_by_quadrature(const tw_observations *o, size_t i, double m, double v, size_t orders,
                                     double *c, size_t *evaluations)
{
    site s;
    TW_TRY(begin(o, i, m, v, &s));
    tw_quadrature integral = integrate(&s, orders + 1);
    to_cumulants(&s, orders, integral.moment, c);
    if (evaluations) *evaluations = s.evaluations;
    return integral.converged ? TW_OK : TW_NOT_CONVERGED;
}

tw_status tw_tilted_by_quadrature(const tw_observations *o, size_t i, double m, double v, tw_tilted *out,
                                  size_t *evaluations)
{
    double c[5];
    tw_status status = tw_cumulants_by_quadrature(o, i, m, v, 4, c, evaluations);
    if (status != TW_NUMERICAL_FAILURE) *out = (tw_tilted){c[0], c[1], c[2], c[3], c[4]};
    return status;
}

tw_status tw_likelihood_d_log_z(const tw_observations *observed, size_t i, double m, double v, double *d)
{
    site s;
    if (!(v > 0.0) || !isfinite(v) || !isfinite(m)) return TW_BAD_ARGUMENT;
    if (observed->likelihood->parameters == 0) return TW_OK;
    TW_TRY(begin(observed, i, m, v, &s));
    tw_quadrature normaliser = integrate(&s, 1);
    if (!normaliser.converged) return TW_NOT_CONVERGED;
    for (size_t k = 0; k < observed->likelihood->parameters; k++) {
        s.parameter = k;
        tw_quadrature integral = integrate(&s, 1);
        d[k] = integral.moment[0] / normaliser.moment[0];
        if (!isfinite(d[k])) return TW_NUMERICAL_FAILURE;
        if (!integral.converged) return TW_NOT_CONVERGED;
    }
    return TW_OK;
}
