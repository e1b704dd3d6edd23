/* ep_double_loop.c: the double-loop algorithm, which provably converges for log-concave likelihoods (Opper &
 * Winther 2005, Expectation consistent approximate inference, JMLR 6; Heskes & Zoeter 2002).
 *
 * EP's fixed points are those of  min over s  max over r  of
 *   F = -sum_n log Z_n(s_n - r_n) - log Z_K(r) + sum_n log Z_G(s_n),
 * where r_n = (nu_n, tau_n) is site n and s_n is a marginal in natural parameters (shift, precision). Z_n is
 * the integral of the likelihood times exp(b x - a x^2/2) with (b, a) = s_n - r_n, Z_K that of the prior
 * times all sites, and Z_G that of one Gaussian. For fixed s (tw_ep_hold_marginals) F is concave in r, so
 * sweeps that maximise it exactly in one r_n after another converge (tw_ep_inner_update). Setting s to the
 * marginals then decreases F. At convergence moments agree as in plain EP. During the iteration tau_n may be
 * negative; at the fixed point of a log-concave likelihood it is not.
 *
 * For one site, with the others fixed, q's marginal is Gaussian with natural parameters (h + nu, p + tau),
 * where (h, p) is the marginal without the site. Newton's method maximises the concave function
 *
 *   f(nu, tau) = -log Z_n(s - (nu, tau)) - log Z_G(h + nu, p + tau),
 *
 * which has gradient E_n[T] - E_G[T] and Hessian -(Cov_n[T] + Cov_G[T]) for the statistics T = (x, -x^2/2).
 * Cov_n follows from the cumulants of the tilted distribution up to the fourth.
 */
#include <math.h>

#include "approximate/ep.h"

enum { ITERATIONS = 50, HALVINGS = 33 };

tw_status tw_ep_hold_marginals(tw_ep *ep)
{
    tw_context *ctx = ep->model->ctx;
    const tw_approximation *r = ep->result;
    size_t n = ep->model->n;
    if (!ep->outer_precision) TW_TRY(tw_allocate_doubles(ctx, n, 1, "the double loop", &ep->outer_precision));
    if (!ep->outer_shift) TW_TRY(tw_allocate_doubles(ctx, n, 1, "the double loop", &ep->outer_shift));
    for (size_t i = 0; i < n; i++) {
        ep->outer_precision[i] = 1.0 / r->variance[i];
        ep->outer_shift[i] = r->mean[i] / r->variance[i];
    }
    return TW_OK;
}

/* Mean and covariance of T = (x, -x^2/2). */
typedef struct statistics {
    double mean[2];
    double cov[3]; /* (1,1), (1,2), (2,2) */
} statistics;

/* From the mean m, the variance v and the third and fourth cumulants of x. */
static statistics from_cumulants(double m, double v, double c3, double c4)
{
    statistics s;
    s.mean[0] = m;
    s.mean[1] = -0.5 * (v + m * m);
    s.cov[0] = v;
    s.cov[1] = -0.5 * (c3 + 2.0 * m * v);
    s.cov[2] = 0.25 * (c4 + 4.0 * m * c3 + 2.0 * v * v + 4.0 * m * m * v);
    return s;
}

/* The problem of one site. x is measured from `origin`, which keeps the statistics well scaled; the shifts
 * below are those of x - origin. */
typedef struct site_problem {
    const tw_model *model;
    size_t site;
    double origin;
    double outer_shift, outer_precision; /* s */
    double rest_shift, rest_precision;   /* (h, p) */
} site_problem;

/* log of the integral of exp(shift x - precision x^2/2), without log(2 pi)/2. */
static double log_gaussian_integral(double shift, double precision)
{
    return 0.5 * (shift * shift / precision - log(precision));
}

/* f at (nu, tau) and the statistics of both distributions; -inf outside the domain of f. */
static double objective(const site_problem *s, double nu, double tau, statistics *tilted,
                        statistics *gaussian)
{
    const tw_model *m = s->model;
    double a = s->outer_precision - tau, b = s->outer_shift - nu;
    double p = s->rest_precision + tau, h = s->rest_shift + nu;
    tw_tilted t;
    if (!(a > 0.0) || !(p > 0.0)) return -INFINITY;
    if (tw_likelihood_tilted(&m->observed, s->site, s->origin + b / a, 1.0 / a, &t) != TW_OK)
        return -INFINITY;
    *tilted = from_cumulants(t.mean - s->origin, t.variance, t.c3, t.c4);
    *gaussian = from_cumulants(h / p, 1.0 / p, 0.0, 0.0);
    return -t.log_z - log_gaussian_integral(b, a) - log_gaussian_integral(h, p);
}

/* Solve (Cov_n + Cov_G) step = E_n[T] - E_G[T]. Returns the Newton decrement gradient' step, or -1 if the
 * matrix is not positive definite. */
static double newton_step(const statistics *t, const statistics *g, double step[2])
{
    double a = t->cov[0] + g->cov[0], b = t->cov[1] + g->cov[1], c = t->cov[2] + g->cov[2];
    double g0 = t->mean[0] - g->mean[0], g1 = t->mean[1] - g->mean[1];
    double det = a * c - b * b;
    if (!(det > 0.0)) return -1.0;
    step[0] = (c * g0 - b * g1) / det;
    step[1] = (a * g1 - b * g0) / det;
    return g0 * step[0] + g1 * step[1];
}

/* Backtracking line search: halve the step until f gains at least a quarter of the first-order prediction.
 * The statistics are those of the last point tried. Returns false if no length succeeds: (nu, tau) is then
 * the maximum up to rounding. */
static bool line_search(const site_problem *s, const double step[2], double decrement, double *nu,
                        double *tau, double *best, statistics *t, statistics *g)
{
    double length = 1.0;
    for (int halvings = 0; halvings < HALVINGS; halvings++) {
        double trial = objective(s, *nu + length * step[0], *tau + length * step[1], t, g);
        if (trial >= *best + 0.25 * length * decrement - 1e-14 * fabs(*best)) {
            *nu += length * step[0];
            *tau += length * step[1];
            *best = trial;
            return true;
        }
        length *= 0.5;
    }
    return false;
}

/* Maximise f over (nu, tau) by Newton's method. */
static void maximise(const site_problem *s, double *nu, double *tau)
{
    statistics t = {{0}, {0}}, g = {{0}, {0}};
    double step[2] = {0.0, 0.0}, best = objective(s, *nu, *tau, &t, &g);
    for (int iteration = 0; iteration < ITERATIONS && isfinite(best); iteration++) {
        double decrement = newton_step(&t, &g, step);
        if (!(decrement > 1e-22) || !line_search(s, step, decrement, nu, tau, &best, &t, &g)) return;
    }
}

bool tw_ep_inner_update(const tw_ep *ep, size_t site, double mean, double variance, double *tau, double *nu)
{
    double precision = 1.0 / variance, shift = mean / variance, origin = mean;
    site_problem s = {.model = ep->model, .site = site, .origin = origin};
    /* exp(b x - a x^2/2) has the shift b - a origin as a function of x - origin. */
    double local_nu = *nu - *tau * origin;
    s.outer_precision = ep->outer_precision[site];
    s.outer_shift = ep->outer_shift[site] - ep->outer_precision[site] * origin;
    s.rest_precision = precision - *tau;
    s.rest_shift = shift - precision * origin - local_nu;
    maximise(&s, &local_nu, tau);
    *nu = local_nu + *tau * origin;
    return isfinite(*tau) && isfinite(*nu);
}
