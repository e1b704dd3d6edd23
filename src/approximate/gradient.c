/* gradient.c: derivatives of EP's and Laplace's log Z with respect to the parameters theta of the kernel and
 * phi of the likelihood.
 *
 * Let q have sites (tau, nu), mean mu and covariance Sigma; b = nu - tau o mu = K^-1 mu and R = T - T Sigma
 * T. At EP's fixed point the derivative of log Z with respect to the sites is zero, so only the direct
 * dependence on K and on the likelihood remains:
 *
 *   d log Z_EP / d theta_j = 1/2 sum_mn (b b' - R)_mn (dK / d theta_j)_mn
 *   d log Z_EP / d phi     = sum_n E[d log p(y_n | x_n, phi) / d phi] under the tilted distributions
 *
 * Laplace's log Z = log p(y, mode) - log|B|/2 also depends on theta through the mode (Rasmussen & Williams
 * 2006, section 5.5.1). With
 *   s_n = d log Z / d mode_n = -1/2 Sigma_nn dlambda_n/dx_n,
 *   d mode / d theta_j = (I - K R) (dK / d theta_j) b,
 * that part is u' (dK / d theta_j) b, u = (I - R K) s, so the matrix above becomes b b' + u b' + b u' - R.
 * The derivative with respect to phi is
 *
 *   sum_n [d log p_n - Sigma_nn/2 d lambda_n + (Sigma s)_n d slope_n],   slope_n = d log p_n / dx_n.
 *
 * One contraction gives the derivatives with respect to all parameters of the kernel (gaussian/contract.h).
 */
#include <math.h>

#include "approximate/ep.h"
#include "gaussian/contract.h"

typedef struct work {
    const tw_problem *problem;
    const tw_approximation *a;
    double *b, *u;                  /* n each */
    double *s, *v, *value, *lambda; /* for Laplace, n each */
    double *h;                      /* coordinates of q's factor */
} work;

/* ---- the kernel ---- */

static void set_b(work *w)
{
    const tw_approximation *a = w->a;
    for (size_t i = 0; i < a->n; i++) w->b[i] = a->nu[i] - a->tau[i] * a->mean[i];
}

/* s at the mode. If the likelihood's curvature lambda is negative, q has tau = 0 instead,
 * and log|B| does not depend on it. */
static void set_s(work *w)
{
    const tw_approximation *a = w->a;
    const tw_observations *o = &w->problem->model->observed;
    o->likelihood->terms(o, a->mean, NULL, NULL, w->lambda, w->s);
    for (size_t i = 0; i < a->n; i++)
        w->s[i] *= w->lambda[i] < 0.0 && a->tau[i] == 0.0 ? 0.0 : -0.5 * a->variance[i];
}

/* y = Sigma x = F (F' x) with q's factor F. */
static void multiply_sigma(const work *w, const double *x, double *y)
{
    const tw_gaussian *q = w->a->reference->gaussian;
    tw_gaussian_pull_back(q, 1, x, w->h);
    tw_gaussian_spread(q, 1, w->h, y);
}

/* u = s - R K s, where R x = T (x - Sigma T x); then v = Sigma s, for laplace_phi. */
static void set_u(work *w)
{
    const tw_approximation *a = w->a;
    tw_gaussian_multiply(w->problem->model->prior, 1, w->s, w->v);
    for (size_t i = 0; i < a->n; i++) w->value[i] = a->tau[i] * w->v[i];
    multiply_sigma(w, w->value, w->lambda);
    for (size_t i = 0; i < a->n; i++) w->u[i] = w->s[i] - a->tau[i] * (w->v[i] - w->lambda[i]);
    multiply_sigma(w, w->s, w->v);
}

static tw_status contract(const work *w, double *gradient)
{
    const tw_problem *problem = w->problem;
    const tw_contraction with = {.prior = problem->model->prior,
                                 .tau = w->a->tau,
                                 .b = w->b,
                                 .u = w->u,
                                 .kernel = problem->kernel,
                                 .d = problem->data->d,
                                 .x = problem->data->x,
                                 .hidden = problem->data->hidden};
    return tw_gaussian_contract(w->a->reference->gaussian, &with, gradient);
}

/* ---- the likelihood ---- */

/* gradient[j] += E[d log p / d phi_j] under the tilted distribution of one site; `part` is work space. */
static tw_status add_tilted(const work *w, size_t site, double *part, double *gradient)
{
    const tw_approximation *a = w->a;
    const tw_observations *o = &w->problem->model->observed;
    tw_cavity cavity;
    if (!tw_ep_cavity(a->tau[site], a->nu[site], a->mean[site], a->variance[site], &cavity))
        return tw_fail(a->ctx, TW_NUMERICAL_FAILURE, "the cavity of site %zu is not a proper distribution",
                       site + 1);
    tw_status status = tw_likelihood_d_log_z(o, site, cavity.mean, cavity.variance, part);
    if (status != TW_OK)
        return tw_fail(a->ctx, status, "the derivatives of log Z at site %zu exceed double precision",
                       site + 1);
    for (size_t j = 0; j < o->likelihood->parameters; j++) gradient[j] += part[j];
    return TW_OK;
}

static tw_status ep_phi(const work *w, double *gradient)
{
    const tw_likelihood *likelihood = w->problem->likelihood;
    double *part = NULL;
    if (likelihood->parameters == 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(w->a->ctx, likelihood->parameters, 1, "derivatives", &part));
    for (size_t j = 0; j < likelihood->parameters; j++) gradient[j] = 0.0;
    tw_status status = TW_OK;
    for (size_t site = 0; site < w->a->n && status == TW_OK; site++)
        status = add_tilted(w, site, part, gradient);
    tw_release(w->a->ctx, part);
    return status;
}

/* v holds Sigma s. The contraction is done, so u serves as work space. */
static void laplace_phi(work *w, double *gradient)
{
    const tw_approximation *a = w->a;
    const tw_observations *o = &w->problem->model->observed;
    double *slope = w->u;
    for (size_t j = 0; j < o->likelihood->parameters; j++) {
        o->likelihood->d_parameter(o, j, a->mean, w->value, slope, w->lambda);
        gradient[j] = 0.0;
        for (size_t i = 0; i < a->n; i++)
            gradient[j] += w->value[i] + w->v[i] * slope[i] -
                           (a->tau[i] == 0.0 ? 0.0 : 0.5 * a->variance[i] * w->lambda[i]);
    }
}

/* ---- both ---- */

static tw_status allocate(work *w)
{
    tw_context *ctx = w->a->ctx;
    size_t n = w->a->n;
    double **vectors[] = {&w->b, &w->u, &w->s, &w->v, &w->value, &w->lambda, &w->h};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TW_TRY(tw_allocate_doubles(ctx, n, 1, "derivatives of log Z", vectors[i]));
    return TW_OK;
}

static void release(work *w)
{
    double *arrays[] = {w->b, w->u, w->s, w->v, w->value, w->lambda, w->h};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(w->a->ctx, arrays[i]);
}

static tw_status differentiate(work *w, double *gradient)
{
    bool laplace = w->a->kind == TW_LAPLACE;
    double *phi = gradient + tw_kernel_count(w->problem->kernel);
    set_b(w);
    if (laplace) {
        set_s(w);
        set_u(w);
    }
    TW_TRY(contract(w, gradient));
    if (!laplace) return ep_phi(w, phi);
    laplace_phi(w, phi);
    return TW_OK;
}

static tw_status check_finite(const work *w, const double *gradient)
{
    for (size_t j = 0; j < tw_problem_count(w->problem); j++)
        if (!isfinite(gradient[j]))
            return tw_fail(w->a->ctx, TW_NUMERICAL_FAILURE,
                           "the derivative of log Z with respect to %s is not finite",
                           tw_problem_parameter(w->problem, j)->name);
    return TW_OK;
}

tw_status tw_approximation_gradient(const tw_problem *problem, const tw_approximation *a, double *gradient)
{
    work w = {.problem = problem, .a = a};
    if (a->n != problem->model->n)
        return tw_fail(a->ctx, TW_BAD_ARGUMENT,
                       "the approximation has %zu sites, but the problem has %zu cases", a->n,
                       problem->model->n);
    if (!a->converged)
        return tw_fail(a->ctx, TW_NOT_CONVERGED, "the derivatives of log Z need a converged approximation");
    tw_status status = allocate(&w);
    if (status == TW_OK) status = differentiate(&w, gradient);
    if (status == TW_OK) status = check_finite(&w, gradient);
    release(&w);
    return status;
}
