/* gradient.c: derivatives of EP's and Laplace's log Z with respect to all of theta.
 *
 * With q's sites (tau, nu), mean mu and covariance Sigma: b = nu - tau o mu = K^-1 mu and R = T - T Sigma T. At EP's fixed
 * point the derivative with respect to the sites vanishes, so that only K and the likelihood itself are left:
 *
 *   d log Z_EP / d theta_j = 1/2 sum_mn (b b' - R)_mn (dK / d theta_j)_mn
 *   d log Z_EP / d phi     = sum_n E[d log p(y_n | x_n, phi) / d phi] under the tilted distributions
 *
 * Laplace's log Z = log p(y, mode) - log|B|/2 has a part through the mode (Rasmussen & Williams 2006, section 5.5.1): with
 * s_n = d log Z / d mode_n = -1/2 Sigma_nn dlambda_n/dx and d mode / d theta_j = (I - K R) (dK / d theta_j) b it is
 * u' (dK / d theta_j) b, u = (I - R K) s, which makes the matrix b b' + u b' + b u' - R; and with respect to phi
 *
 *   sum_n [d log p_n - Sigma_nn/2 d lambda_n + (Sigma s)_n d slope_n].
 *
 * All parameters of the kernel are one contraction (gaussian/contract.h).
 */
#include <math.h>

#include "approximate/ep.h"
#include "gaussian/contract.h"

typedef struct work {
    const tw_problem *problem;
    const tw_approximation *a;
    double *b, *u;                  /* n each */
    double *s, *v, *value, *lambda; /* Laplace: n each */
    double *h;                      /* coordinates of q */
} work;

/* ---- the kernel ---- */

static void set_b(work *k)
{
    const tw_approximation *a = k->a;
    for (size_t i = 0; i < a->n; i++) k->b[i] = a->nu[i] - a->tau[i] * a->mean[i];
}

/* s at the mode. Where the curvature is negative and q's is 0 instead, log|B| does not follow it. */
static void set_s(work *k)
{
    const tw_approximation *a = k->a;
    const tw_observations *o = &k->problem->model->observed;
    o->likelihood->terms(o, a->mean, NULL, NULL, k->lambda, k->s);
    for (size_t i = 0; i < a->n; i++)
        k->s[i] *= k->lambda[i] < 0.0 && a->tau[i] == 0.0 ? 0.0 : -0.5 * a->variance[i];
}

/* y = Sigma x, by q's factor: the product itself is not kept. */
static void multiply_sigma(const work *k, const double *x, double *y)
{
    const tw_gaussian *q = k->a->reference->gaussian;
    tw_gaussian_pull_back(q, 1, x, k->h);
    tw_gaussian_spread(q, 1, k->h, y);
}

/* u = s - R K s, R x = T (x - Sigma T x); then Sigma s is left in v. */
static void set_u(work *k)
{
    const tw_approximation *a = k->a;
    tw_gaussian_multiply(k->problem->model->prior, 1, k->s, k->v);
    for (size_t i = 0; i < a->n; i++) k->value[i] = a->tau[i] * k->v[i];
    multiply_sigma(k, k->value, k->lambda);
    for (size_t i = 0; i < a->n; i++) k->u[i] = k->s[i] - a->tau[i] * (k->v[i] - k->lambda[i]);
    multiply_sigma(k, k->s, k->v);
}

static tw_status contract(const work *k, double *gradient)
{
    const tw_problem *problem = k->problem;
    const tw_contraction with = {.prior = problem->model->prior,
                                 .tau = k->a->tau,
                                 .b = k->b,
                                 .u = k->u,
                                 .kernel = problem->kernel,
                                 .d = problem->data->d,
                                 .x = problem->data->x,
                                 .hidden = problem->data->hidden};
    return tw_gaussian_contract(k->a->reference->gaussian, &with, gradient);
}

/* ---- the likelihood ---- */

/* part[k] = E[d log p / d phi_k] at one site. */
static tw_status add_tilted(const work *k, size_t site, double *part, double *gradient)
{
    const tw_approximation *a = k->a;
    const tw_observations *o = &k->problem->model->observed;
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

static tw_status ep_phi(const work *k, double *gradient)
{
    const tw_likelihood *likelihood = k->problem->likelihood;
    double *part = NULL;
    if (likelihood->parameters == 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(k->a->ctx, likelihood->parameters, 1, "derivatives", &part));
    for (size_t j = 0; j < likelihood->parameters; j++) gradient[j] = 0.0;
    tw_status status = TW_OK;
    for (size_t site = 0; site < k->a->n && status == TW_OK; site++)
        status = add_tilted(k, site, part, gradient);
    tw_release(k->a->ctx, part);
    return status;
}

/* v holds Sigma s; s and u are free by now. */
static void laplace_phi(work *k, double *gradient)
{
    const tw_approximation *a = k->a;
    const tw_observations *o = &k->problem->model->observed;
    double *slope = k->u;
    for (size_t j = 0; j < o->likelihood->parameters; j++) {
        o->likelihood->d_parameter(o, j, a->mean, k->value, slope, k->lambda);
        gradient[j] = 0.0;
        for (size_t i = 0; i < a->n; i++)
            gradient[j] += k->value[i] + k->v[i] * slope[i] -
                           (a->tau[i] == 0.0 ? 0.0 : 0.5 * a->variance[i] * k->lambda[i]);
    }
}

/* ---- both ---- */

static tw_status allocate(work *k)
{
    tw_context *ctx = k->a->ctx;
    size_t n = k->a->n;
    double **vectors[] = {&k->b, &k->u, &k->s, &k->v, &k->value, &k->lambda, &k->h};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TW_TRY(tw_allocate_doubles(ctx, n, 1, "derivatives of log Z", vectors[i]));
    return TW_OK;
}

static void release(work *k)
{
    double *arrays[] = {k->b, k->u, k->s, k->v, k->value, k->lambda, k->h};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(k->a->ctx, arrays[i]);
}

static tw_status differentiate(work *k, double *gradient)
{
    bool laplace = k->a->kind == TW_LAPLACE;
    double *phi = gradient + tw_kernel_count(k->problem->kernel);
    set_b(k);
    if (laplace) {
        set_s(k);
        set_u(k);
    }
    TW_TRY(contract(k, gradient));
    if (!laplace) return ep_phi(k, phi);
    laplace_phi(k, phi);
    return TW_OK;
}

static tw_status check_finite(const work *k, const double *gradient)
{
    for (size_t j = 0; j < tw_problem_count(k->problem); j++)
        if (!isfinite(gradient[j]))
            return tw_fail(k->a->ctx, TW_NUMERICAL_FAILURE,
                           "the derivative of log Z with respect to %s is not finite",
                           tw_problem_parameter(k->problem, j)->name);
    return TW_OK;
}

tw_status tw_approximation_gradient(const tw_problem *problem, const tw_approximation *a, double *gradient)
{
    work k = {.problem = problem, .a = a};
    if (a->n != problem->model->n)
        return tw_fail(a->ctx, TW_BAD_ARGUMENT,
                       "the approximation has %zu sites, but the problem has %zu cases", a->n,
                       problem->model->n);
    if (!a->converged)
        return tw_fail(a->ctx, TW_NOT_CONVERGED, "the derivatives of log Z need a converged approximation");
    tw_status status = allocate(&k);
    if (status == TW_OK) status = differentiate(&k, gradient);
    if (status == TW_OK) status = check_finite(&k, gradient);
    release(&k);
    return status;
}
