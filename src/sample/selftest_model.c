/* selftest_model.c: check the parts of a model that samplers use: the factor of K, the likelihood's
 * derivatives, the gradient of the log density, and EP's fixed point. Derivatives are compared with central
 * differences of fourth order, f'(x) = [f(x - 2h) - 8 f(x - h) + 8 f(x + h) - f(x + 2h)] / (12 h) + O(h^4).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "linalg/vector.h"
#include "math/random.h"
#include "sample/selftest.h"

enum { POINTS = 4, DIRECTIONS = 4, PLACES = 2, COLUMNS = 32 };

static const double offset[POINTS] = {-2.0, -1.0, 1.0, 2.0};

static double difference(const double *f, double h)
{
    return (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h);
}

/* |difference - exact|, relative to the larger of |exact| and 1e6 times the rounding error of the
 * difference. */
static double mismatch(const double *f, double h, double exact)
{
    double size = fabs(f[0]) + fabs(f[1]) + fabs(f[2]) + fabs(f[3]);
    double floor = 1e6 * DBL_EPSILON * size / h + DBL_MIN;
    return fabs(difference(f, h) - exact) / fmax(fabs(exact), floor);
}

/* The larger of two numbers, or NaN if either is. */
static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* ---- K = L L' ---- */

/* The largest entry of |K E - L L' E|, E columns first .. first + count - 1 of the identity. work holds
 * (3 n + r) x COLUMNS numbers. */
static double factor_error(const tw_gaussian *g, size_t first, size_t count, double *work)
{
    size_t n = g->n;
    double *unit = work, *exact = unit + n * COLUMNS, *found = exact + n * COLUMNS, *w = found + n * COLUMNS;
    double largest = 0.0;
    memset(unit, 0, n * count * sizeof *unit);
    for (size_t j = 0; j < count; j++) unit[first + j + j * n] = 1.0;
    tw_gaussian_multiply(g, count, unit, exact);
    tw_gaussian_pull_back(g, count, unit, w);
    tw_gaussian_spread(g, count, w, found);
    for (size_t i = 0; i < n * count; i++) largest = fmax(largest, fabs(exact[i] - found[i]));
    return largest;
}

tw_status tw_selftest_factor(const tw_selftest_case *c)
{
    const tw_gaussian *prior = c->model->prior;
    size_t n = prior->n;
    double *work = NULL, largest = 0.0, scale = 0.0;
    TW_TRY(tw_allocate_doubles(c->ctx, 3 * n + prior->r, COLUMNS, "columns of the kernel matrix", &work));
    for (size_t first = 0; first < n; first += COLUMNS) {
        size_t count = n - first < COLUMNS ? n - first : COLUMNS;
        largest = fmax(largest, factor_error(prior, first, count, work));
    }
    for (size_t i = 0; i < n; i++) scale = fmax(scale, prior->variance[i]);
    tw_release(c->ctx, work);
    tw_selftest_note(c,
                     (tw_check){.name = "K = L L'",
                                .of = "factor of the kernel matrix",
                                .meaning = "largest entry of |K - L L'|, relative to the largest variance",
                                .cure = "the kernel matrix is not a covariance matrix, or a factor is broken",
                                .cases = n,
                                .measured = largest / scale,
                                .high = 20.0 * (double)n * DBL_EPSILON});
    return TW_OK;
}

/* ---- the likelihood ---- */

typedef struct mismatches {
    double slope, lambda, dlambda;
} mismatches;

/* Compare the derivatives of one site at x: differences of the value with the slope, of the slope with the
 * curvature lambda, and of lambda with its slope. */
static void compare_site(const tw_model *model, size_t i, double x, double h, mismatches *worst)
{
    tw_observations one = tw_observations_part(&model->observed, i, 1);
    double value[POINTS], slope[POINTS], lambda[POINTS], exact[3];
    for (size_t k = 0; k < POINTS; k++) {
        double place = x + h * offset[k];
        one.likelihood->terms(&one, &place, &value[k], &slope[k], &lambda[k], NULL);
        slope[k] = -slope[k]; /* lambda = -l'' */
    }
    one.likelihood->terms(&one, &x, NULL, &exact[0], &exact[1], &exact[2]);
    worst->slope = larger(worst->slope, mismatch(value, h, exact[0]));
    worst->lambda = larger(worst->lambda, mismatch(slope, h, exact[1]));
    worst->dlambda = larger(worst->dlambda, mismatch(lambda, h, exact[2]));
}

/* Check every site at the mean of its marginal under EP, and one and two standard deviations from it on both
 * sides. */
tw_status tw_selftest_likelihood(const tw_selftest_case *c)
{
    static const char *const names[] = {"slope", "curvature", "slope of the curvature"};
    const tw_approximation *ep = c->ep;
    mismatches worst = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < c->model->n; i++) {
        double sd = sqrt(ep->variance[i]), h = 1e-3 * fmin(fmax(sd, 0.01), 1.0);
        for (int place = -PLACES; place <= PLACES; place++)
            compare_site(c->model, i, ep->mean[i] + place * sd, h, &worst);
    }
    const double measured[] = {worst.slope, worst.lambda, worst.dlambda};
    for (size_t k = 0; k < 3; k++)
        tw_selftest_note(c, (tw_check){.name = names[k],
                                       .of = "likelihood",
                                       .meaning = "largest relative error against differences",
                                       .cure = "check `terms` of the likelihood",
                                       .cases = c->model->n,
                                       .measured = measured[k],
                                       .high = 1e-6});
    return TW_OK;
}

/* ---- the log density ---- */

/* Compare the slope of L_b along a direction d at v by differences with that by the gradient. work holds r +
 * 2 n numbers. */
static double compare_direction(const tw_selftest_case *c, const double *v, const double *d, double *work)
{
    size_t n = c->model->n, r = tw_target_rank(c->target);
    double f[POINTS] = {0}, h = 1e-3, exact, *moved = work, *x = moved + r, *slope = x + n, *gradient = moved;
    for (size_t k = 0; k < POINTS; k++) {
        tw_evaluation wanted = {.x = x, .log_density = &f[k]};
        for (size_t i = 0; i < r; i++) moved[i] = v[i] + h * offset[k] * d[i];
        tw_target_evaluate(c->target, 1, moved, &wanted);
    }
    tw_evaluation wanted = {.x = x, .gradient = gradient, .slope = slope, .log_density = &exact};
    tw_target_evaluate(c->target, 1, v, &wanted);
    exact = tw_dot(r, gradient, d);
    return mismatch(f, h, exact);
}

/* Check the gradient along random directions, scaled so that a unit step changes latents by about 1 at
 * most. */
tw_status tw_selftest_gradient(const tw_selftest_case *c)
{
    size_t n = c->model->n, r = tw_target_rank(c->target);
    double *memory = NULL, worst = 0.0, scale = 0.0;
    TW_TRY(tw_allocate_doubles(c->ctx, 4 * r + 3 * n, 1, "a gradient", &memory));
    double *v = memory, *d = v + r, *work = d + r, *x = work + r + 2 * n, *spare = x + n;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, sqrt(c->model->prior->variance[i]));
    for (uint64_t k = 0; k < DIRECTIONS; k++) {
        tw_stream stream = tw_stream_at(c->options->seed, TW_STREAM_CHECK, 1, k);
        tw_stream_normals(&stream, r, d);
        for (size_t i = 0; i < r; i++) d[i] /= fmax(1.0, scale);
        tw_selftest_position(c, k, spare, x);
        tw_target_whiten(c->target, 1, x, v);
        worst = larger(worst, compare_direction(c, v, d, work));
    }
    tw_release(c->ctx, memory);
    tw_selftest_note(c, (tw_check){.name = "gradient",
                                   .of = "log density",
                                   .meaning = "largest relative error against differences, random directions",
                                   .cure = "the likelihood's slope or the factor of K is wrong",
                                   .cases = n,
                                   .measured = worst,
                                   .high = 1e-6});
    return TW_OK;
}

/* ---- EP ---- */

/* The distance of a site from its fixed point: the difference between the moments of the tilted distribution
 * and of the marginal. The tilted moments are computed by quadrature, so that the likelihood's own `tilted`
 * is checked too. */
static double site_residual(const tw_selftest_case *c, size_t i)
{
    const tw_approximation *ep = c->ep;
    const tw_model *model = c->model;
    double m = ep->mean[i], v = ep->variance[i], precision = 1.0 / v - ep->tau[i];
    tw_tilted tilted;
    if (!(precision > 0.0)) return NAN;
    double cavity = 1.0 / precision, mean = cavity * (m / v - ep->nu[i]);
    if (tw_tilted_by_quadrature(&model->observed, i, mean, cavity, &tilted, NULL) != TW_OK) return NAN;
    return fmax(fabs(tilted.mean - m) / sqrt(v), fabs(tilted.variance / v - 1.0));
}

tw_status tw_selftest_ep(const tw_selftest_case *c)
{
    double worst = 0.0;
    for (size_t i = 0; i < c->model->n; i++) worst = larger(worst, site_residual(c, i));
    tw_selftest_note(c, (tw_check){.name = "fixed point",
                                   .of = "expectation propagation",
                                   .meaning = "tilted against marginal moments, worst site, in units of the "
                                              "marginal",
                                   .cure = c->ep->kind == TW_EP
                                               ? "check `tilted` of the likelihood"
                                               : "EP did not converge: check the scale of the inputs",
                                   .cases = c->model->n,
                                   .measured = worst,
                                   .high = 1e-5});
    return TW_OK;
}
