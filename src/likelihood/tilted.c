/* tilted.c: the tilted moments of any likelihood by quadrature of its terms, and the derivatives of the
 * normaliser with respect to the likelihood's parameters.
 *
 * If p is log-concave, the log integrand f(x) = l(x) - (x - m)^2/(2 v) is strictly concave. Its mode x0 is
 * the root of a decreasing function, which a safeguarded Newton iteration finds. Moments about x0 come from
 * equally spaced nodes (tilted_even.c). Adaptive panels (tilted_panels.c) compute them if these fail, if p is
 * not log-concave, for orders above four, and for derivatives. Both use the logarithms of tilted_log.c.
 * Cumulants follow from the moments m_l by
 *   c_l = m_l - sum_{k=1}^{l-1} binomial(l-1, k-1) c_k m_{l-k}.
 *
 * d log Z/d phi = E[d l/d phi] under the tilted distribution, the integral of the same integrand times
 * d l/d phi.
 */
#include <math.h>

#include "likelihood/tilted.h"
#include "math/constants.h"

enum {
    ORDERS = TW_QUADRATURE_MOMENTS - 1,
    ITERATIONS = 2000 /* more than bisection or doubling needs over the whole range of doubles */
};

tw_tilt_point tw_tilt_terms(tw_tilt *s, double x)
{
    tw_tilt_point p = {0.0, 0.0, 0.0, 0.0};
    s->one.likelihood->terms(&s->one, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    s->evaluations++;
    return p;
}

/* A point on the other side of the mode from m, found by steps in the direction of the gradient. The first is
 * a Newton step or eight standard deviations, whichever is shorter; each is twice the last. */
static double beyond_mode(tw_tilt *s, tw_tilt_point at_m)
{
    double g = tw_tilt_gradient(s, s->m, at_m), far = 8.0 * sqrt(s->v);
    double newton = fabs(g) / tw_tilt_curvature(s, at_m);
    double step = newton < far ? newton : far, x = s->m;
    for (int i = 0; i < ITERATIONS; i++) {
        x = g > 0.0 ? x + step : x - step;
        step *= 2.0;
        double there = tw_tilt_gradient(s, x, tw_tilt_terms(s, x));
        if (g > 0.0 ? !(there > 0.0) : !(there < 0.0)) break;
    }
    return x;
}

/* Whether a Newton step would be below a fifth of a standard deviation. That is near enough, since the
 * integrand includes the remaining gradient. */
static bool near_mode(const tw_tilt *s, double g, tw_tilt_point p)
{
    return fabs(g) < 0.2 * sqrt(tw_tilt_curvature(s, p));
}

/* Newton's iteration for f'(x) = 0 in a bracket. It bisects if a Newton step would leave the bracket or is
 * not shorter than half the last. For a likelihood with a kink, the width of the bracket ends the iteration. */
static void find_mode_between(tw_tilt *s)
{
    double x = s->m, low = x, high = x;
    tw_tilt_point p = tw_tilt_terms(s, x);
    double g = tw_tilt_gradient(s, x, p);
    if (g > 0.0) high = beyond_mode(s, p);
    if (g < 0.0) low = beyond_mode(s, p);
    double last = high - low;
    for (int i = 0; i < ITERATIONS && high - low > 1e-3 / sqrt(tw_tilt_curvature(s, p)); i++) {
        double step = g / tw_tilt_curvature(s, p);
        bool newton = x + step >= low && x + step <= high && 2.0 * fabs(step) <= fabs(last);
        if (!newton) step = 0.5 * (low + high) - x;
        last = step;
        x += step;
        p = tw_tilt_terms(s, x);
        g = tw_tilt_gradient(s, x, p);
        if (near_mode(s, g, p)) break;
        *(g > 0.0 ? &low : &high) = x;
    }
    s->x0 = x;
    s->at_x0 = p;
}

/* Three plain Newton steps usually suffice; otherwise use the bracketed search, which cannot fail. */
static void find_mode(tw_tilt *s)
{
    double x = s->m;
    for (int i = 0; i < 4; i++) {
        tw_tilt_point p = tw_tilt_terms(s, x);
        double g = tw_tilt_gradient(s, x, p);
        s->x0 = x;
        s->at_x0 = p;
        if (near_mode(s, g, p)) return;
        x += g / tw_tilt_curvature(s, p);
    }
    find_mode_between(s);
}

/* Convert moments about x0 in units of scale to cumulants in units of x. */
static void to_cumulants(const tw_tilt *s, size_t orders, const double *moment, double *c)
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

/* Set up observation i of o, and find the mode of its integrand. */
static tw_status begin(const tw_observations *o, size_t i, double m, double v, tw_tilt *s)
{
    s->m = m;
    s->v = v;
    s->parameter = TW_NO_PARAMETER;
    s->evaluations = 0;
    s->all = tw_observations_repeat(o, i, TW_TILT_NODES, s->room);
    s->one = tw_observations_part(&s->all, 0, 1);
    s->edges = 0;
    if (o->likelihood->peak)
        tw_tilt_find_wide(s, o, i);
    else
        find_mode(s);
    return isfinite(s->at_x0.value) && isfinite(s->at_x0.slope) ? TW_OK : TW_NUMERICAL_FAILURE;
}

tw_status tw_cumulants_by_quadrature(const tw_observations *o, size_t i, double m, double v, size_t orders,
                                     double *c, size_t *evaluations)
{
    tw_tilt s;
    TW_TRY(begin(o, i, m, v, &s));
    tw_quadrature integral = {.converged = true};
    bool even = !o->likelihood->peak && orders < TW_TILT_EVEN_MOMENTS;
    if (!even || !tw_tilt_even(&s, integral.moment)) integral = tw_tilt_panels(&s, orders + 1);
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
    tw_tilt s;
    if (!(v > 0.0) || !isfinite(v) || !isfinite(m)) return TW_BAD_ARGUMENT;
    if (observed->likelihood->parameters == 0) return TW_OK;
    TW_TRY(begin(observed, i, m, v, &s));
    tw_quadrature normaliser = tw_tilt_panels(&s, 1);
    if (!normaliser.converged) return TW_NOT_CONVERGED;
    for (size_t k = 0; k < observed->likelihood->parameters; k++) {
        s.parameter = k;
        tw_quadrature integral = tw_tilt_panels(&s, 1);
        d[k] = integral.moment[0] / normaliser.moment[0];
        if (!isfinite(d[k])) return TW_NUMERICAL_FAILURE;
        if (!integral.converged) return TW_NOT_CONVERGED;
    }
    return TW_OK;
}
