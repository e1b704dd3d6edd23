/* riemann_step.c: one step of the report's generalised leapfrog, solved to a tolerance.
 *
 * 1. Momentum, implicit. With q(xdot) = dlambda o xdot^2 the equation pi' = pi - eps/2 dH/dv(v, pi') reads
 *      pi' = pi - eps/2 f + eps/4 L' q(xdot'),      f = v + L'[-l' + dlambda o diag(G^-1)/2],
 *    and its velocity solves
 *      xdot' = c0 + eps/4 G^-1 q(xdot'),      c0 = G^-1 A^-1 L (pi - eps/2 f):
 *    one response of the metric per iteration.
 * 2. Position, implicit. v' = v + eps/2 (vdot + vdot') with vdot = pi' - L' z(x), vdot' = pi' - L' z(x') becomes, for the unknown
 *    zeta = z(x'),
 *      x'(zeta) = x + eps/2 (xdot + g) - eps/2 A zeta,      zeta = z(x'(zeta)) = lambda o G^-1 A^-1 g at x':
 *    one factorisation of the metric and one product with A per iteration, so each is followed by Newton's
 *    correction from the same factor, and the first guess solves the equation with the factor at x, which responses alone
 *    do: one factorisation is enough, or two. The guess is a function of (x, pi') alone. The iteration carries
 *    (zeta, A zeta) together, so that the length of a change in v, eps/2 (rho' A rho)^1/2, costs nothing.
 *    The point accepted is the last at which z was evaluated: x', v', and the factor belong together exactly.
 * 3. Momentum, explicit, at x'.
 */
#include <string.h>

#include "base/fault.h"
#include "dynamics/riemann.h"
#include "linalg/vector.h"

/* Inner iterations of Newton's correction at most: more of them save no factorisation. */
enum { NEWTON_TERMS = 6 };

/* The guess is a velocity; times eps/2 it may be off by this share of the tolerance. */
static const double guess_share = 0.5;

/* to = q(xdot) = dlambda o xdot^2. */
void tw_riemann_curvature_force(const tw_riemann *p, const double *xdot, double *to)
{
    for (size_t i = 0; i < p->n; i++) to[i] = p->dlambda[i] * xdot[i] * xdot[i];
}

/* eps/4, with which q(xdot) enters both momentum steps. */
double tw_riemann_quarter_eps(const tw_riemann *p)
{
    return TW_FAULTY(TW_FAULT_VELOCITY_SIGN, 0.5, -0.5) * p->half_eps;
}

/* out = c0 + eps/4 G^-1 q(xdot). */
bool tw_riemann_momentum_map(void *user, const double *xdot, double *out)
{
    tw_riemann *p = user;
    double quarter = tw_riemann_quarter_eps(p);
    p->momentum_evaluations++;
    tw_riemann_curvature_force(p, xdot, p->sites);
    tw_curved_respond(p->curved, p->sites, p->response, NULL);
    for (size_t i = 0; i < p->n; i++) out[i] = p->start[i] + quarter * p->response[i];
    return true;
}

double tw_riemann_velocity_inner(void *user, const double *a, const double *b)
{
    const tw_riemann *p = user;
    return tw_dot_weighted(p->n, p->weight, a, b);
}

static bool solved(tw_riemann *p, const tw_fixed_point_result *result)
{
    const tw_fixed_point_rule *rule = &p->options.rule;
    if (!rule->fixed && 3 * result->evaluations > 2 * rule->cap) p->near_cap = true;
    return result->verdict == TW_CONVERGED;
}

/* Step 1: pi_half = pi', solved = xdot'. */
static bool half_step_momentum(tw_riemann *p)
{
    for (size_t i = 0; i < p->r; i++) p->pi_half[i] = p->pi[i] - p->half_eps * p->force[i];
    tw_gaussian_spread(p->base, 1, p->pi_half, p->g);
    tw_curved_velocity(p->curved, p->g, p->start, NULL);
    memcpy(p->speed, p->start, p->n * sizeof *p->speed);
    if (p->options.rule.fixed) { /* the report starts from the velocity of the old momentum */
        tw_gaussian_spread(p->base, 1, p->pi, p->g);
        tw_curved_velocity(p->curved, p->g, p->speed, NULL);
    }
    tw_fixed_point_problem problem = {p->n, p, tw_riemann_momentum_map, tw_riemann_velocity_inner};
    tw_fixed_point_result result =
        tw_fixed_point_solve(&problem, &p->options.rule, p->solver, p->speed, p->solved);
    if (!solved(p, &result)) return false;
    tw_riemann_curvature_force(p, p->speed, p->sites);
    tw_gaussian_pull_back(p->base, 1, p->sites, p->coordinates);
    for (size_t i = 0; i < p->r; i++) p->pi_half[i] += tw_riemann_quarter_eps(p) * p->coordinates[i];
    return true;
}

/* out = xdot - G^-1 (lambda(x') - lambda) o u at x' = x + eps/2 (xdot + u), with lambda(x') in rest. */
bool tw_riemann_guess_map(void *user, const double *u, double *out)
{
    tw_riemann *p = user;
    double *x = p->start, *lambda = p->rest;
    p->guess_evaluations++;
    for (size_t i = 0; i < p->n; i++) x[i] = p->x[i] + p->half_eps * (p->solved[i] + u[i]);
    tw_riemann_curvature(p, x, lambda, NULL);
    for (size_t i = 0; i < p->n; i++) p->sites[i] = (lambda[i] - p->lambda[i]) * u[i];
    tw_curved_respond(p->curved, p->sites, p->response, NULL);
    for (size_t i = 0; i < p->n; i++) out[i] = p->solved[i] - p->response[i];
    return true;
}

/* The linear change of z over the step: (I - Lambda G^-1) (eps dlambda o xdot^2). */
static void guess_linearly(tw_riemann *p)
{
    tw_riemann_curvature_force(p, p->solved, p->sites);
    tw_curved_respond(p->curved, p->sites, NULL, p->rest);
    for (size_t i = 0; i < p->n; i++) p->zeta[i] += 2.0 * p->half_eps * p->rest[i];
}

/* The guess of zeta, which is z at x: the equation for u = xdot at x', with G(x') = G + diag(lambda(x') - lambda) and
 * the factor of G; or else one linear step. With d = (lambda(x') - lambda) o u the change of z is d - lambda o G^-1 d, and not lambda(x') o u - z,
 * which would multiply what u is off by up to (lambda A)^1/2: so close that z at x' confirms it, and one factorisation is enough. */
static void guess_zeta(tw_riemann *p)
{
    tw_fixed_point_rule rule = p->options.rule;
    if (rule.fixed) return;
    rule.tolerance *= guess_share / p->half_eps;
    tw_fixed_point_problem problem = {p->n, p, tw_riemann_guess_map, tw_riemann_velocity_inner};
    memcpy(p->speed, p->solved, p->n * sizeof *p->speed);
    tw_fixed_point_result result = tw_fixed_point_solve(&problem, &rule, p->solver, p->speed, p->z);
    if (result.verdict != TW_CONVERGED) {
        guess_linearly(p);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        bool left_out = p->rest[i] * p->base->variance[i] <= p->options.threshold;
        p->zeta[i] = left_out ? 0.0 : p->zeta[i] + (p->sites[i] - p->lambda[i] * p->response[i]);
    }
}

/* Newton's correction of zeta -> z(x'(zeta)), without another factorisation. The map's derivative is
 * -eps/2 (I - Lambda G^-1) D A with D = diag(dlambda o xdot), so with rho = A (z - zeta) the next zeta is
 *   z - eps/2 (I - Lambda G^-1) D y,   y + eps/2 G^-1 D y = rho,
 * y by a few iterations, as many as the tolerance needs. */
static void newton_correction(tw_riemann *p, double *out)
{
    double h = p->half_eps, *rho = p->start, *y = p->solved, enough = 0.1 * p->options.rule.tolerance;
    size_t n = p->n;
    memcpy(y, rho, n * sizeof *y);
    for (size_t j = 0; j < NEWTON_TERMS; j++) {
        double change = 0.0;
        for (size_t i = 0; i < n; i++) p->sites[i] = p->dlambda[i] * p->speed[i] * y[i];
        tw_curved_respond(p->curved, p->sites, p->response, p->rest);
        for (size_t i = 0; i < n; i++) {
            double next = rho[i] - h * p->response[i];
            change += p->weight[i] * (next - y[i]) * (next - y[i]);
            y[i] = next;
        }
        if (change <= enough * enough) break;
    }
    for (size_t i = 0; i < n; i++) out[i] -= h * p->rest[i];
}

/* rho = A (z - zeta), which costs nothing where xdot is not 0, since A z = g - xdot there. Is z = zeta to the tolerance
 * already? Not known where zeta is not 0 on a site that the metric leaves out. */
static bool is_solved(tw_riemann *p, const double *zeta, const double *z)
{
    double *rho = p->start, square = 0.0, limit = p->options.rule.tolerance / p->half_eps;
    bool known = true;
    for (size_t i = 0; i < p->n; i++) {
        rho[i] = p->g[i] - p->speed[i] - zeta[p->n + i];
        square += (z[i] - zeta[i]) * rho[i];
        known = known && (zeta[i] == 0.0 || p->speed[i] != 0.0);
    }
    return known && square <= limit * limit;
}

/* (zeta', A zeta') from zeta, by Newton or, with a fixed count, zeta' = z(x'(zeta)). speed = xdot at x'. */
static bool position_map(void *user, const double *zeta, double *out)
{
    tw_riemann *p = user;
    size_t n = p->n;
    p->position_evaluations++;
    for (size_t i = 0; i < n; i++) p->x[i] = p->middle[i] - p->half_eps * zeta[n + i];
    if (!tw_riemann_factor(p, p->x)) return false;
    tw_curved_velocity(p->curved, p->g, p->speed, out);
    if (!p->options.rule.fixed) {
        if (is_solved(p, zeta, out)) { /* A z as far as its product with z - zeta needs it */
            for (size_t i = 0; i < n; i++) out[n + i] = zeta[n + i] + p->start[i];
            return true;
        }
        newton_correction(p, out);
    }
    tw_gaussian_multiply(p->base, 1, out, out + n);
    return true;
}

/* <a, b> = (eps/2)^2 a' A b: lengths in v. */
static double position_inner(void *user, const double *a, const double *b)
{
    const tw_riemann *p = user;
    return p->half_eps * p->half_eps * tw_dot(p->n, a, b + p->n);
}

/* z = lambda o xdot at x in zeta and first, g = L pi', and middle = x + eps/2 (xdot + g) with xdot = g - A z. */
static void set_middle(tw_riemann *p)
{
    for (size_t i = 0; i < p->n; i++) p->zeta[i] = p->first[i] = p->lambda[i] * p->solved[i];
    tw_gaussian_spread(p->base, 1, p->pi_half, p->g);
    tw_gaussian_multiply(p->base, 1, p->first, p->middle);
    for (size_t i = 0; i < p->n; i++) p->middle[i] = p->x[i] + p->half_eps * (2.0 * p->g[i] - p->middle[i]);
}

/* Step 2: v, x, the factor at x, and speed = xdot there. */
static tw_step step_position(tw_riemann *p)
{
    set_middle(p);
    guess_zeta(p);
    tw_gaussian_multiply(p->base, 1, p->zeta, p->zeta + p->n);
    tw_fixed_point_rule rule = p->options.rule;
    rule.depth = 0; /* differences of earlier residuals would spoil Newton's quadratic convergence */
    tw_fixed_point_problem problem = {2 * p->n, p, position_map, position_inner};
    tw_fixed_point_result result = tw_fixed_point_solve(&problem, &rule, p->solver, p->zeta, p->z);
    if (!solved(p, &result)) return p->factored ? TW_STEP_IMPLICIT : TW_STEP_FACTORISATION;
    for (size_t i = 0; i < p->n; i++) p->sites[i] = p->first[i] + p->zeta[i];
    tw_gaussian_pull_back(p->base, 1, p->sites, p->coordinates);
    for (size_t i = 0; i < p->r; i++) p->v[i] += p->half_eps * (2.0 * p->pi_half[i] - p->coordinates[i]);
    return TW_STEP_FINE;
}

/* Step 3: pi = pi' - eps/2 dH/dv(v', pi'), with xdot in speed. */
static void finish_momentum(tw_riemann *p)
{
    tw_riemann_curvature_force(p, p->speed, p->sites);
    tw_gaussian_pull_back(p->base, 1, p->sites, p->coordinates);
    for (size_t i = 0; i < p->r; i++)
        p->pi[i] = p->pi_half[i] - p->half_eps * p->force[i] + tw_riemann_quarter_eps(p) * p->coordinates[i];
}

tw_step tw_riemann_leapfrog(tw_riemann *p, double eps)
{
    p->half_eps = 0.5 * eps;
    p->steps++;
    if (!half_step_momentum(p)) return TW_STEP_IMPLICIT;
    if (p->certify && !p->doubtful) p->doubtful = !tw_riemann_contracts(p);
    memcpy(p->departed, p->solved, p->n * sizeof *p->departed);
    tw_step step = step_position(p);
    if (step != TW_STEP_FINE) return step;
    tw_riemann_settle(p);
    finish_momentum(p);
    if (p->certify && !p->doubtful) p->doubtful = !tw_riemann_surely_returns(p);
    return TW_STEP_FINE;
}
