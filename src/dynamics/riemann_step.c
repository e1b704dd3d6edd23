/* riemann_step.c: one step of the report's generalised leapfrog, with both implicit equations solved to a
 * tolerance.
 *
 * 1. Momentum, implicit. With q(xdot) = dlambda o xdot^2 the equation pi' = pi - eps/2 dH/dv(v, pi') reads
 *      pi' = pi - eps/2 f + eps/4 L' q(xdot'),      f = v + L'[-l' + dlambda o diag(G^-1)/2],
 *    and its velocity solves
 *      xdot' = c0 + eps/4 G^-1 q(xdot'),      c0 = G^-1 A^-1 L (pi - eps/2 f):
 *    which takes one response of the metric per iteration.
 * 2. Position, implicit. v' = v + eps/2 (vdot + vdot') with vdot = pi' - L' z(x), vdot' = pi' - L' z(x')
 *    becomes, for the unknown zeta = z(x'),
 *      x'(zeta) = x + eps/2 (xdot + g) - eps/2 A zeta,      zeta = z(x'(zeta)) = lambda o G^-1 A^-1 g at x'.
 *    An iteration takes one factorisation of the metric and one product with A. To need few of them, each is
 *    followed by Newton's correction with the same factor, and the initial guess solves the equation by
 *    responses of the factor at x. One factorisation is then enough, or two. The guess depends on (x, pi')
 *    alone. The iteration carries (zeta, A zeta), so the length of a change in v, eps/2 (rho' A rho)^1/2,
 *    costs nothing. The accepted point is the last at which z was evaluated, so x', v' and the factor are
 *    consistent exactly.
 * 3. Momentum, explicit, at x'.
 */
#include <string.h>

#include "base/fault.h"
#include "dynamics/riemann.h"
#include "linalg/vector.h"

/* The largest number of inner iterations of Newton's correction: more do not save a factorisation. */
enum { NEWTON_TERMS = 6 };

/* The allowed error of the guess, a velocity, times eps/2, as a fraction of the tolerance. */
static const double GUESS_FRACTION = 0.5;

void tw_riemann_curvature_force(const tw_riemann *p, const double *xdot, double *to)
{
    for (size_t i = 0; i < p->n; i++) to[i] = p->dlambda[i] * xdot[i] * xdot[i];
}

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

/* Did the solver converge? Also notes a solve that came near its cap. */
static bool converged(tw_riemann *p, const tw_fixed_point_result *result)
{
    const tw_fixed_point_rule *rule = &p->options.rule;
    if (!rule->fixed && 3 * result->evaluations > 2 * rule->cap) p->near_cap = true;
    return result->verdict == TW_CONVERGED;
}

/* Step 1: computes pi_half = pi' and solved = xdot'. */
static bool half_step_momentum(tw_riemann *p)
{
    for (size_t i = 0; i < p->r; i++) p->pi_half[i] = p->pi[i] - p->half_eps * p->force[i];
    tw_gaussian_spread(p->base, 1, p->pi_half, p->g);
    tw_curved_velocity(p->curved, p->g, p->start, NULL);
    memcpy(p->speed, p->start, p->n * sizeof *p->speed);
    if (p->options.rule.fixed) { /* the report starts with the velocity of the old momentum */
        tw_gaussian_spread(p->base, 1, p->pi, p->g);
        tw_curved_velocity(p->curved, p->g, p->speed, NULL);
    }
    tw_fixed_point_problem problem = {p->n, p, tw_riemann_momentum_map, tw_riemann_velocity_inner};
    tw_fixed_point_result result =
        tw_fixed_point_solve(&problem, &p->options.rule, p->solver, p->speed, p->solved);
    if (!converged(p, &result)) return false;
    tw_riemann_curvature_force(p, p->speed, p->sites);
    tw_gaussian_pull_back(p->base, 1, p->sites, p->coordinates);
    for (size_t i = 0; i < p->r; i++) p->pi_half[i] += tw_riemann_quarter_eps(p) * p->coordinates[i];
    return true;
}

/* out = xdot - G^-1 (lambda(x') - lambda) o u with x' = x + eps/2 (xdot + u); leaves lambda(x') in rest. */
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

/* Add to zeta the linear change of z over the step, (I - Lambda G^-1) (eps dlambda o xdot^2). */
static void guess_linearly(tw_riemann *p)
{
    tw_riemann_curvature_force(p, p->solved, p->sites);
    tw_curved_respond(p->curved, p->sites, NULL, p->rest);
    for (size_t i = 0; i < p->n; i++) p->zeta[i] += 2.0 * p->half_eps * p->rest[i];
}

/* Guess zeta, which is z at x initially. Solves the equation for u = xdot at x' with the factor of G, since
 * G(x') = G + diag(lambda(x') - lambda). If that does not converge, the guess is the linear change.
 *
 * With d = (lambda(x') - lambda) o u, the change of z is computed as d - lambda o G^-1 d. The equivalent
 * lambda(x') o u - z would multiply the error of u by up to (lambda A)^1/2. The guess is accurate enough
 * that z at x' usually confirms it, so that one factorisation is enough. */
static void guess_zeta(tw_riemann *p)
{
    tw_fixed_point_rule rule = p->options.rule;
    if (rule.fixed) return;
    rule.tolerance *= GUESS_FRACTION / p->half_eps;
    tw_fixed_point_problem problem = {p->n, p, tw_riemann_guess_map, tw_riemann_velocity_inner};
    memcpy(p->speed, p->solved, p->n * sizeof *p->speed);
    tw_fixed_point_result result = tw_fixed_point_solve(&problem, &rule, p->solver, p->speed, p->z);
    if (result.verdict != TW_CONVERGED) {
        guess_linearly(p);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        bool omitted = p->rest[i] * p->base->variance[i] <= p->options.threshold;
        p->zeta[i] = omitted ? 0.0 : p->zeta[i] + (p->sites[i] - p->lambda[i] * p->response[i]);
    }
}

/* Newton's correction of zeta -> z(x'(zeta)), without another factorisation. The map's derivative is
 * -eps/2 (I - Lambda G^-1) D A with D = diag(dlambda o xdot), so with rho = A (z - zeta) the next zeta is
 *   z - eps/2 (I - Lambda G^-1) D y,   y + eps/2 G^-1 D y = rho.
 * The equation for y is iterated to a tenth of the tolerance, at most NEWTON_TERMS times. */
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

/* Computes rho = A (z - zeta) in p->start, without a product: A z = g - xdot, except at sites that the metric
 * omits, where xdot is set to 0. Returns whether z = zeta to the tolerance; false if zeta is not 0 at an
 * omitted site, where this is not known. */
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

/* out = (zeta', A zeta') from zeta: Newton's iteration or, with a fixed count of iterations,
 * zeta' = z(x'(zeta)). Leaves xdot at x' in speed. */
static bool position_map(void *user, const double *zeta, double *out)
{
    tw_riemann *p = user;
    size_t n = p->n;
    p->position_evaluations++;
    for (size_t i = 0; i < n; i++) p->x[i] = p->middle[i] - p->half_eps * zeta[n + i];
    if (!tw_riemann_factor(p, p->x)) return false;
    tw_curved_velocity(p->curved, p->g, p->speed, out);
    if (!p->options.rule.fixed) {
        if (is_solved(p, zeta, out)) { /* A z = A zeta + rho, accurate where z - zeta is not 0 */
            for (size_t i = 0; i < n; i++) out[n + i] = zeta[n + i] + p->start[i];
            return true;
        }
        newton_correction(p, out);
    }
    tw_gaussian_multiply(p->base, 1, out, out + n);
    return true;
}

/* <a, b> = (eps/2)^2 a' A b, so that lengths are those of changes in v. */
static double position_inner(void *user, const double *a, const double *b)
{
    const tw_riemann *p = user;
    return p->half_eps * p->half_eps * tw_dot(p->n, a, b + p->n);
}

/* Compute z = lambda o xdot at x (in zeta and first), g = L pi', and middle = x + eps/2 (xdot + g) with
 * xdot = g - A z. */
static void set_middle(tw_riemann *p)
{
    for (size_t i = 0; i < p->n; i++) p->zeta[i] = p->first[i] = p->lambda[i] * p->solved[i];
    tw_gaussian_spread(p->base, 1, p->pi_half, p->g);
    tw_gaussian_multiply(p->base, 1, p->first, p->middle);
    for (size_t i = 0; i < p->n; i++) p->middle[i] = p->x[i] + p->half_eps * (2.0 * p->g[i] - p->middle[i]);
}

/* Step 2: computes v, x, the factor at x, and speed = xdot there. */
static tw_step step_position(tw_riemann *p)
{
    set_middle(p);
    guess_zeta(p);
    tw_gaussian_multiply(p->base, 1, p->zeta, p->zeta + p->n);
    tw_fixed_point_rule rule = p->options.rule;
    rule.depth = 0; /* Anderson mixing would spoil Newton's quadratic convergence */
    tw_fixed_point_problem problem = {2 * p->n, p, position_map, position_inner};
    tw_fixed_point_result result = tw_fixed_point_solve(&problem, &rule, p->solver, p->zeta, p->z);
    if (!converged(p, &result)) return p->factored ? TW_STEP_IMPLICIT : TW_STEP_FACTORISATION;
    for (size_t i = 0; i < p->n; i++) p->sites[i] = p->first[i] + p->zeta[i];
    tw_gaussian_pull_back(p->base, 1, p->sites, p->coordinates);
    for (size_t i = 0; i < p->r; i++) p->v[i] += p->half_eps * (2.0 * p->pi_half[i] - p->coordinates[i]);
    return TW_STEP_FINE;
}

/* Step 3: pi = pi' - eps/2 dH/dv(v', pi'), given xdot in speed. */
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
