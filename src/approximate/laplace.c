/* laplace.c: Laplace's approximation: the mode of p(x | y) by Newton's method, and the Gaussian of its
 * curvature.
 *
 * Maximise psi = log p(y | x) - a' x / 2 with x = K a, so that no inverse of K occurs and K may be singular.
 * With g = l' - a (the gradient in x) and W = diag(lambda) the Newton step is dx = (K^-1 + W)^-1 g = K da
 * (newton.c).
 *
 * The decrement g' dx = dx' (K^-1 + W) dx is the squared length of the step in units of q's standard
 * deviations, and half of it is the predicted gain of psi. The line search halves the step until psi gains a
 * fraction of that. The mode is found when the decrement is below twice the tolerance, the full step has been
 * taken, and the next step is below the tolerance too and would not change log|B|. The rounding error of psi replaces
 * the tolerance if it is larger, but then steps must have ceased to become shorter: psi may be known less well than
 * the mode. The condition on log|B| is needed because psi is flat at the
 * mode but log|B| is not: with a broad prior, lambda varies much within q's standard deviation. Since q's
 * variance is at most K_nn / (1 + lambda_n K_nn), log|B| changes by at most
 * sum_n |change of log(1 + lambda_n K_nn)|. At the mode log Z = psi - log|B|/2, and q has sites tau = lambda,
 * nu = lambda x + l'. log Z uses psi at q's mean, which is one more step (energy.c).
 *
 * The main cost is factoring B = I + W^1/2 K W^1/2, and two measures save factorisations. Steps use conjugate
 * gradients with the factor of a few sites as preconditioner, and log|B| comes from q. A dense problem starts
 * with every fourth case only, then every second one, whose factors cost a sixty-fourth and an eighth:
 * x = K a at their mode is a good start for all cases, and their factor is a good preconditioner.
 *
 * A likelihood that is not log-concave may have lambda < 0. During the iteration such sites count as 0, so
 * that every step goes uphill; at the mode they have their true values, log|B| = log|I + K W|. There may be
 * several modes. A second start is the posterior mean of Gaussian observations at the likelihoods' peaks,
 * with their widths as noise; a third uses only the peaks of cases that are outliers at the mode so far
 * (lambda < 0). The highest mode is the result, and a warning says if modes differ. With symmetric cases all
 * starts may end at a saddle point; then the case that fits worst there provides another start.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "approximate/approximate.h"
#include "approximate/newton.h"
#include "linalg/vector.h"

enum { HALVINGS = 40, NESTED_FROM = 256, NESTED_STEPS = 12 };
static const double FAR = 0.3, NEAR = 0.01; /* relative accuracy of a step: far from the mode and near it */
static const double LOG_DET = 1e-8;         /* limit on the change of log|B|/2 by the next step, in nats */
static const double SURE = 0.1;             /* fraction of LOG_DET that applies to an inexact step */
static const double SHRINKS =
    0.25; /* a step whose decrement is above this share of the last is rounding error */

typedef struct laplace {
    const tw_model *model;
    size_t stride;                   /* only every stride-th case counts; 1: all */
    double psi, rounding;            /* psi at x, and its rounding error */
    double *a, *x;                   /* x = K a */
    double *slope, *lambda;          /* of the likelihood at x; lambda is newton's */
    double *trial, *value, *changed; /* work */
    tw_newton newton;                /* the Newton step */
    bool direct;                     /* the step comes from a factorisation, not from conjugate gradients */
} laplace;

/* log p(y | x) of the cases that count, with its terms in s->value and, if wanted, slopes and curvatures. */
static double log_likelihood(const laplace *s, const double *x, double *slope, double *lambda)
{
    const tw_model *m = s->model;
    double sum = 0.0;
    m->observed.likelihood->terms(&m->observed, x, s->value, slope, lambda, NULL);
    for (size_t i = 0; s->stride > 1 && i < m->n; i++) {
        if (i % s->stride == 0) continue;
        s->value[i] = 0.0;
        if (slope) slope[i] = 0.0;
        if (lambda) lambda[i] = 0.0;
    }
    for (size_t i = 0; i < m->n; i++) sum += s->value[i];
    return sum;
}

/* Compute slopes and curvatures at x; negative curvatures become 0. */
static void refresh_terms(laplace *s)
{
    log_likelihood(s, s->x, s->slope, s->lambda);
    for (size_t i = 0; i < s->model->n; i++) s->lambda[i] = fmax(s->lambda[i], 0.0);
}

/* Compute the Newton step to a relative accuracy by conjugate gradients; directly if the accuracy is 0 or
 * they fail, and afresh near the mode of a sparse problem. Returns its decrement; NaN if lambda K exceeds double precision, so that B cannot be factored
 * or the step does not go uphill. */
static double newton_step(laplace *s, double accuracy)
{
    double decrement = NAN;
    bool whole = s->newton.curved->kind->whole, far = accuracy >= (whole ? FAR : NEAR);
    for (size_t i = 0; i < s->model->n; i++) s->newton.gradient[i] = s->slope[i] - s->a[i];
    if (far) decrement = tw_newton_conjugate(&s->newton, accuracy);
    s->direct = !isfinite(decrement);
    if (s->direct && whole)
        decrement = tw_newton_afresh(&s->newton, s->slope, s->a, s->x);
    else if (s->direct)
        decrement = tw_newton_direct(&s->newton);
    return decrement >= -s->rounding ? fmax(decrement, 0.0) : NAN;
}

/* Move to the trial point, whose terms are in value. psi is summed again from a and x, as the next line
 * search will do. Its value in the last line search differs if x = K a holds only to rounding. */
static void accept(laplace *s, double t)
{
    double parts = 0.0, psi = 0.0;
    for (size_t i = 0; i < s->model->n; i++) {
        s->a[i] += t * s->newton.da[i];
        s->x[i] = s->trial[i];
        psi += s->value[i] - 0.5 * s->a[i] * s->x[i];
        parts += fabs(s->value[i]) + fabs(s->a[i] * s->x[i]) + s->lambda[i] * s->x[i] * s->x[i];
    }
    s->psi = psi;
    s->rounding = 16.0 * DBL_EPSILON * parts;
}

/* Halve the step until psi gains a ten-thousandth of the decrement. Returns the length of the step; 0 if
 * even a tiny step does not help. Near the mode it takes the full step, because the gain may be below the
 * rounding error of psi, whose terms may be much larger than their sum. */
static double line_search(laplace *s, double decrement, bool near)
{
    size_t n = s->model->n;
    double ax = tw_dot(n, s->a, s->x), cross = tw_dot(n, s->a, s->newton.dx),
           dd = tw_dot(n, s->newton.da, s->newton.dx);
    double t = 1.0;
    for (int halvings = 0; halvings < HALVINGS; halvings++) {
        for (size_t i = 0; i < n; i++) s->trial[i] = s->x[i] + t * s->newton.dx[i];
        double psi = log_likelihood(s, s->trial, NULL, NULL) - 0.5 * (ax + t * (2.0 * cross + t * dd));
        if (psi >= s->psi + 1e-4 * t * decrement - s->rounding || (near && isfinite(psi))) {
            accept(s, t);
            return t;
        }
        t *= 0.5;
    }
    return 0.0;
}

/* A bound on the change of log|B|/2 by the step dx. */
static double log_det_change(laplace *s)
{
    const tw_model *m = s->model;
    double sum = 0.0, *lambda = s->changed;
    for (size_t i = 0; i < m->n; i++) s->trial[i] = s->x[i] + s->newton.dx[i];
    log_likelihood(s, s->trial, NULL, lambda);
    for (size_t i = 0; i < m->n; i++) {
        double k = m->prior->variance[i];
        sum += fabs(log1p(k * fmax(lambda[i], 0.0)) - log1p(k * s->lambda[i]));
    }
    return 0.5 * sum;
}

/* Compute psi, its rounding error and the terms at the start x. */
static void begin(laplace *s)
{
    s->psi = log_likelihood(s, s->x, NULL, NULL) - 0.5 * tw_dot(s->model->n, s->a, s->x);
    s->rounding = 16.0 * DBL_EPSILON * fabs(s->psi);
    refresh_terms(s);
}

/* Compute the next step, after one of length t: the more accurate the smaller the last decrement `before`.
 * Returns its decrement. settled: the last step was a full one near the mode. *converged: x is the mode; the next
 * step is below the tolerance, or steps no longer become shorter, because they are rounding errors. */
static double next_step(laplace *s, double before, double t, bool settled, double tolerance, bool *converged)
{
    refresh_terms(s);
    double decrement = newton_step(s, t > 0.0 ? fmax(NEAR, fmin(FAR, before)) : 0.0);
    if (settled && !isfinite(decrement)) decrement = before; /* rounding errors: no step goes uphill */
    bool arrived = 0.5 * decrement <= tolerance || !(decrement < SHRINKS * before);
    *converged = settled && arrived && log_det_change(s) <= (s->direct ? 1.0 : SURE) * LOG_DET;
    return decrement;
}

/* Newton's iteration from x. Afterwards psi and the residual are those of the last point. */
static tw_status iterate(laplace *s, const tw_laplace_options *options, tw_approximation *out)
{
    begin(s);
    double decrement = newton_step(s, FAR);
    while (!out->converged && out->iterations < options->max_steps && isfinite(decrement)) {
        TW_TRY(tw_poll(s->model->ctx));
        bool near = 0.5 * decrement <= fmax(options->tolerance, s->rounding);
        double t = line_search(s, decrement, near);
        if (t == 0.0 && s->direct) { /* psi cannot increase by more than rounding errors */
            out->converged = near;
            break;
        }
        if (t > 0.0) out->iterations++;
        decrement = next_step(s, decrement, t, near && t == 1.0, options->tolerance, &out->converged);
    }
    if (!s->newton.curved->kind->whole && s->newton.largest * DBL_EPSILON > 0.5) {
        out->converged = false; /* 1 + lambda K rounds to lambda K: steps are rounding errors */
        decrement = NAN;
    }
    if (!(0.5 * decrement <= TW_MOST_ROUNDING)) out->converged = false;
    out->residual = decrement >= 0.0 ? sqrt(decrement) : INFINITY;
    return TW_OK;
}

/* Newton's method on every stride-th case, until steps are shorter than the effect of the other cases. */
static void iterate_roughly(laplace *s, size_t stride)
{
    s->stride = stride;
    begin(s);
    for (size_t i = 0; i < NESTED_STEPS; i++) {
        double decrement = newton_step(s, 0.0);
        if (!(decrement > 1.0) || line_search(s, decrement, false) == 0.0) break;
        refresh_terms(s);
    }
    s->stride = 1;
}

/* Start with few cases. If their mode is worse than x = 0 for all cases, or not finite, start from 0. */
static void begin_with_few(laplace *s)
{
    size_t n = s->model->n;
    double all = tw_curved_cost(s->newton.curved, (double)n).factor,
           half = tw_curved_cost(s->newton.curved, 0.5 * (double)n).factor;
    if (n < NESTED_FROM || half > 0.25 * all) return; /* in a sparse problem few cases cost no less */
    begin(s);
    double from_zero = s->psi;
    iterate_roughly(s, 4);
    iterate_roughly(s, 2);
    begin(s);
    if (s->psi > from_zero && isfinite(s->psi)) return;
    memset(s->a, 0, n * sizeof *s->a);
    memset(s->x, 0, n * sizeof *s->x);
}

/* ---- several modes ---- */

/* The further starts, after that from 0. */
typedef enum start_kind { FROM_ALL_PEAKS, FROM_OUTLIERS, STARTS, FROM_WORST = STARTS } start_kind;

/* Move to the posterior mean of Gaussian observations at the peaks, which is a Newton step from 0: the
 * peaks of all cases, of those that are outliers at the mode x, or of the least probable case there.
 * Returns false if there are none. */
static bool go_to_peaks(laplace *s, start_kind kind)
{
    const tw_observations *o = &s->model->observed;
    size_t n = s->model->n, count = 0, worst = 0;
    log_likelihood(s, s->x, NULL, s->lambda);
    for (size_t i = 1; i < n; i++)
        if (s->value[i] < s->value[worst]) worst = i;
    for (size_t i = 0; i < n; i++) {
        double peak, width;
        bool taken = kind == FROM_ALL_PEAKS || (kind == FROM_OUTLIERS ? s->lambda[i] < 0.0 : i == worst);
        o->likelihood->peak(o, i, &peak, &width);
        s->lambda[i] = taken ? 1.0 / (width * width) : 0.0;
        s->slope[i] = s->lambda[i] * peak;
        count += taken;
    }
    memset(s->a, 0, n * sizeof *s->a);
    if (count == 0 || !isfinite(newton_step(s, 0.0))) return false;
    memcpy(s->a, s->newton.da, n * sizeof *s->a);
    memcpy(s->x, s->newton.dx, n * sizeof *s->x);
    return true;
}

/* Do two modes differ, in units of standard deviations at the first? */
static bool differ(size_t n, const double *x, const double *other, const double *lambda, const double *k)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double square = (x[i] - other[i]) * (x[i] - other[i]);
        largest = fmax(largest, square * (1.0 / k[i] + lambda[i]));
    }
    return largest > 1e-6;
}

/* Find the mode from another start, and keep the higher of it and the previous one. kept (2 n numbers) is
 * work. If they differ, *lower is the difference of their psi. */
static tw_status try_start(laplace *s, start_kind kind, const tw_laplace_options *options, double *kept,
                           tw_approximation *out, double *lower)
{
    size_t n = s->model->n;
    double psi = s->psi;
    tw_approximation second = {.iterations = 0};
    memcpy(kept, s->a, n * sizeof *kept);
    memcpy(kept + n, s->x, n * sizeof *kept);
    if (go_to_peaks(s, kind)) TW_TRY(iterate(s, options, &second));
    out->iterations += second.iterations;
    if (second.converged && out->converged && differ(n, s->x, kept + n, s->lambda, s->model->prior->variance))
        *lower = fabs(s->psi - psi);
    if (second.converged && (s->psi > psi || !out->converged)) {
        out->converged = true;
        out->residual = second.residual;
        return TW_OK;
    }
    memcpy(s->a, kept, n * sizeof *kept);
    memcpy(s->x, kept + n, n * sizeof *kept);
    s->psi = psi;
    refresh_terms(s);
    return TW_OK;
}

/* Fail if terms overflow at the start; the message names the first such case. */
static tw_status check_start(const laplace *s)
{
    const tw_observations *o = &s->model->observed;
    log_likelihood(s, s->x, s->slope, s->lambda);
    for (size_t i = 0; i < s->model->n; i++)
        if (!isfinite(s->value[i]) || !isfinite(s->slope[i]) || !isfinite(s->lambda[i]))
            return tw_fail(s->model->ctx, TW_NUMERICAL_FAILURE,
                           "case %zu: log p(y | x) or its derivatives overflow at y = %g, x = 0 under the %s "
                           "likelihood: the observation, one of its constants or a parameter is too extreme",
                           i + 1, o->y[i], o->likelihood->name);
    return TW_OK;
}

/* Start from 0 and, if the likelihood is not log-concave, from the other starts. */
static tw_status iterate_all(laplace *s, const tw_laplace_options *options, tw_approximation *out)
{
    double *kept = NULL, lower = NAN;
    TW_TRY(check_start(s));
    if (!s->model->observed.likelihood->peak) begin_with_few(s);
    TW_TRY(iterate(s, options, out));
    if (!s->model->observed.likelihood->peak) return TW_OK;
    TW_TRY(tw_allocate_doubles(s->model->ctx, s->model->n, 2, "Laplace's first mode", &kept));
    tw_status status = TW_OK;
    for (int kind = 0; status == TW_OK && kind < STARTS; kind++)
        status = try_start(s, (start_kind)kind, options, kept, out, &lower);
    out->several_modes = !isnan(lower);
    if (status == TW_OK && out->several_modes)
        tw_warn(s->model->ctx, &(tw_warning){.code = TW_WARN_MODES, .number = {lower}});
    tw_release(s->model->ctx, kept);
    return status;
}

static tw_status allocate(laplace *s)
{
    tw_context *ctx = s->model->ctx;
    size_t n = s->model->n;
    double **vectors[] = {&s->a, &s->x, &s->slope, &s->trial, &s->value, &s->changed};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TW_TRY(tw_allocate_doubles(ctx, n, 1, "Laplace's vectors", vectors[i]));
    TW_TRY(tw_newton_new(s->model->prior, &s->newton));
    s->lambda = s->newton.lambda;
    return TW_OK;
}

static void release(laplace *s)
{
    double *arrays[] = {s->a, s->x, s->slope, s->trial, s->value, s->changed};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(s->model->ctx, arrays[i]);
    tw_newton_free(&s->newton);
}

/* Set the sites at the mode, with their true curvatures. */
static void set_sites(laplace *s, tw_approximation *out)
{
    if (s->model->observed.likelihood->peak) log_likelihood(s, s->x, s->slope, s->lambda);
    for (size_t i = 0; i < s->model->n; i++) {
        out->tau[i] = s->lambda[i];
        out->nu[i] = s->lambda[i] * s->x[i] + s->slope[i];
    }
}

/* If the sites at x do not give a distribution, x is a saddle point. Then there are other modes: go to
 * one. */
static tw_status leave_saddle(laplace *s, const tw_laplace_options *options, tw_approximation *a)
{
    tw_approximation other = {.iterations = 0};
    double psi = s->psi;
    if (!s->model->observed.likelihood->peak || !a->converged) return TW_OK;
    if (tw_approximation_rebuild(s->model, a) == TW_OK) return TW_OK;
    a->converged = false;
    if (!go_to_peaks(s, FROM_WORST)) return TW_OK;
    TW_TRY(iterate(s, options, &other));
    a->iterations += other.iterations;
    a->residual = other.residual;
    set_sites(s, a);
    if (!other.converged) return TW_OK;
    a->converged = a->several_modes = true;
    tw_warn(s->model->ctx, &(tw_warning){.code = TW_WARN_MODES, .number = {fabs(s->psi - psi)}});
    return TW_OK;
}

/* Compute q from its sites. If sites with negative precisions do not give a distribution, x is not a mode: they
 * are then set to 0, and the result has not converged. */
static tw_status rebuild(const tw_model *model, tw_approximation *a)
{
    tw_status status = a->reference ? TW_OK : tw_approximation_rebuild(model, a);
    if (status == TW_OK || !model->observed.likelihood->peak) return status;
    a->converged = false;
    for (size_t i = 0; i < a->n; i++) a->tau[i] = fmax(a->tau[i], 0.0);
    return tw_approximation_rebuild(model, a);
}

/* log Z at q's mean, which is one Newton step from x, with log|B| from q. */
static tw_status measure(laplace *s, tw_approximation *a)
{
    const tw_gaussian *prior = s->model->prior, *q = a->reference->gaussian;
    double energy, error, parts = 0.0;
    TW_TRY(tw_approximation_energy(s->model, a, &energy, &error));
    double psi = log_likelihood(s, a->mean, NULL, NULL) - 0.5 * energy;
    for (size_t i = 0; i < a->n; i++) parts += fabs(s->value[i]) + fabs(s->slope[i] * a->mean[i]);
    a->rounding = error + DBL_EPSILON * parts + tw_approximation_rounding(s->model, a);
    a->log_z = psi - 0.5 * (prior->log_det - q->log_det);
    memcpy(a->mean, q->mean, a->n * sizeof *a->mean);
    if (!(a->rounding <= TW_MOST_ROUNDING) || !isfinite(a->residual)) a->log_z = NAN;
    return TW_OK;
}

tw_status tw_laplace_fit(const tw_model *model, const tw_laplace_options *options, tw_approximation **out)
{
    tw_laplace_options defaults = TW_LAPLACE_DEFAULTS;
    laplace s = {.model = model, .stride = 1};
    tw_approximation *a = NULL;
    *out = NULL;
    if (!options) options = &defaults;
    if (options->max_steps == 0 || !(options->tolerance > 0.0))
        return tw_fail(model->ctx, TW_BAD_ARGUMENT,
                       "Laplace needs at least one step and a tolerance above 0");
    tw_status status = tw_approximation_allocate(model, TW_LAPLACE, &a);
    if (status == TW_OK) status = allocate(&s);
    if (status == TW_OK) status = iterate_all(&s, options, a);
    if (status == TW_OK) set_sites(&s, a);
    if (status == TW_OK) status = leave_saddle(&s, options, a);
    if (status == TW_OK) status = rebuild(model, a);
    if (status == TW_OK) status = measure(&s, a);
    release(&s);
    if (status != TW_OK) {
        tw_approximation_free(a);
        return status;
    }
    *out = a;
    return TW_OK;
}
