/* laplace.c: the mode of p(x | y) by Newton's method, and the Gaussian of its curvature.
 *
 * Rasmussen & Williams (2006), Algorithm 3.1, with a line search. The unknown is a = K^-1 x, so that no
 * inverse occurs: psi(a) = log p(y | K a) - a' K a / 2 Newton:  b = W x + l',   a* = b - S B^-1 S K b,   W =
 * diag(lambda), S = W^1/2, B = I + S K S and x moves on the line x + t K (a* - a), whose K-product is
 * computed once. log Z = psi - log|B|/2 at the mode, and q has sites tau = lambda, nu = lambda x + l'.
 * Convergence: the Newton step is below the tolerance in units of the prior's standard deviation, and psi has
 * settled.
 */
#include <math.h>
#include <string.h>

#include "approximate/approximate.h"
#include "linalg/product.h"

typedef struct laplace {
    const tw_model *model;
    double psi;
    double *a, *x;                         /* where we are: x = K a */
    double *slope, *lambda;                /* of the likelihood at x */
    double *b, *da, *dx, *trial_x, *value; /* work */
    double *l;                             /* n x n: the factor of B */
    double log_det_b;
} laplace;

static double log_likelihood(const laplace *s, const double *x, double *slope, double *lambda)
{
    const tw_model *m = s->model;
    double sum = 0.0;
    m->likelihood->terms(m->likelihood->user, m->n, m->y, m->w, x, s->value, slope, lambda, NULL);
    for (size_t i = 0; i < m->n; i++) sum += s->value[i];
    return sum;
}

/* The Newton direction da = a* - a, dx = K da. False when B could not be factored. */
static bool newton_direction(laplace *s)
{
    const tw_model *m = s->model;
    size_t n = m->n;
    tw_pivot failed;
    for (size_t j = 0; j < n; j++) {
        double sj = sqrt(s->lambda[j]);
        for (size_t i = j; i < n; i++) s->l[i + j * n] = (i == j) + sqrt(s->lambda[i]) * sj * m->k[i + j * n];
    }
    if (!tw_cholesky_in_place(n, s->l, n, &failed)) return false;
    s->log_det_b = tw_cholesky_log_det(n, s->l, n);
    for (size_t i = 0; i < n; i++) s->b[i] = s->lambda[i] * s->x[i] + s->slope[i];
    tw_product_symmetric(n, 1, m->k, n, s->b, n, s->dx, n);
    for (size_t i = 0; i < n; i++) s->da[i] = sqrt(s->lambda[i]) * s->dx[i];
    tw_cholesky_solve(n, s->l, n, 1, s->da, n);
    for (size_t i = 0; i < n; i++) s->da[i] = s->b[i] - sqrt(s->lambda[i]) * s->da[i] - s->a[i];
    tw_product_symmetric(n, 1, m->k, n, s->da, n, s->dx, n);
    return true;
}

/* Halve the step until psi does not fall. Returns its length, 0 when even a tiny step does not help. */
static double line_search(laplace *s)
{
    size_t n = s->model->n;
    double ax = tw_dot(n, s->a, s->x), cross = tw_dot(n, s->a, s->dx), dd = tw_dot(n, s->da, s->dx);
    for (double t = 1.0; t > 1e-12; t *= 0.5) {
        for (size_t i = 0; i < n; i++) s->trial_x[i] = s->x[i] + t * s->dx[i];
        double psi = log_likelihood(s, s->trial_x, NULL, NULL) - 0.5 * (ax + t * (2.0 * cross + t * dd));
        if (!(psi >= s->psi - 1e-13 * fabs(s->psi))) continue;
        for (size_t i = 0; i < n; i++) s->a[i] += t * s->da[i];
        memcpy(s->x, s->trial_x, n * sizeof *s->x);
        s->psi = psi;
        return t;
    }
    return 0.0;
}

/* The largest Newton step, in units of the prior's standard deviation. */
static double step_size(const laplace *s)
{
    size_t n = s->model->n;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double step = fabs(s->dx[i]) / sqrt(fmax(s->model->k[i + i * n], 1e-300));
        if (!(step <= largest)) largest = step;
    }
    return largest;
}

static void clamp_curvature(size_t n, double *lambda)
{
    for (size_t i = 0; i < n; i++)
        lambda[i] = fmax(lambda[i], 0.0); /* where a user's likelihood is not log-concave */
}

static void iterate(laplace *s, const tw_laplace_options *options, tw_approximation *out)
{
    size_t n = s->model->n;
    s->psi = log_likelihood(s, s->x, s->slope, s->lambda);
    clamp_curvature(n, s->lambda);
    for (out->iterations = 1; out->iterations <= options->max_steps; out->iterations++) {
        double before = s->psi;
        if (!newton_direction(s)) break;
        out->residual = step_size(s);
        double t = line_search(s);
        log_likelihood(s, s->x, s->slope, s->lambda);
        clamp_curvature(n, s->lambda);
        bool settled =
            fabs(s->psi - before) <= options->tolerance && out->residual <= sqrt(options->tolerance);
        out->converged = settled && t == 1.0;
        if (out->converged || t == 0.0) break;
    }
    if (out->iterations > options->max_steps) out->iterations = options->max_steps;
    if (newton_direction(s))
        out->residual = step_size(s); /* log|B| at the mode, and how far from it we are */
    out->log_z = s->psi - 0.5 * s->log_det_b;
}

static tw_status allocate(laplace *s)
{
    tw_context *ctx = s->model->ctx;
    size_t n = s->model->n;
    double **vectors[] = {&s->a, &s->x, &s->slope, &s->lambda, &s->b, &s->da, &s->dx, &s->trial_x, &s->value};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TW_TRY(tw_allocate_doubles(ctx, n, 1, "Laplace's vectors", vectors[i]));
    return tw_allocate_doubles(ctx, n, n, "Laplace's factor", &s->l);
}

static void release(laplace *s)
{
    double *arrays[] = {s->a, s->x, s->slope, s->lambda, s->b, s->da, s->dx, s->trial_x, s->value, s->l};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(s->model->ctx, arrays[i]);
}

tw_status tw_laplace_fit(const tw_model *model, const tw_laplace_options *options, tw_approximation **out)
{
    tw_laplace_options defaults = TW_LAPLACE_DEFAULTS;
    laplace s = {.model = model};
    tw_approximation *a = NULL;
    *out = NULL;
    if (!options) options = &defaults;
    if (options->max_steps == 0 || !(options->tolerance > 0.0))
        return tw_fail(model->ctx, TW_BAD_ARGUMENT,
                       "Laplace needs at least one step and a tolerance above 0");
    tw_status status = tw_approximation_allocate(model, TW_LAPLACE, &a);
    if (status == TW_OK) status = allocate(&s);
    if (status == TW_OK) {
        iterate(&s, options, a);
        for (size_t i = 0; i < model->n; i++) {
            a->tau[i] = s.lambda[i];
            a->nu[i] = s.lambda[i] * s.x[i] + s.slope[i];
        }
    }
    release(&s);
    if (status == TW_OK) status = tw_approximation_rebuild(model, a);
    if (status != TW_OK) {
        tw_approximation_free(a);
        return status;
    }
    *out = a;
    return TW_OK;
}
