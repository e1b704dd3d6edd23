/* riemann_step.c: one step of the report's generalised leapfrog, solved to a tolerance.
 *
 * 1. Momentum, implicit. With q(xdot) = dlambda o xdot^2 the equation pi' = pi - eps/2 dH/dv(v, pi') reads
 *      pi' = pi - eps/2 f + eps/4 L' q(xdot'),      f = v + L'[-l' + dlambda o diag(G^-1)/2],
 *    and its velocity at the active sites solves a system of that size,
 *      xdot' = c0 + eps/4 C q(xdot'),   C = S^-1 (I - B^-1) S^-1,   c0 = S^-1 B^-1 S L (pi - eps/2 f):
 *    two triangular products per iteration.
 * 2. Position, implicit. v' = v + eps/2 (vdot + vdot') with vdot' = pi' - L' z(x') becomes, for the unknown
 *    zeta = z(x'),
 *      x'(zeta) = x + eps/2 (xdot + g) - eps/2 A zeta,      zeta = z(x'(zeta)) = S B^-1 S g at x':
 *    one factorisation of the active block and one product with A per iteration, so each is followed by Newton's
 *    correction from the same factor, which halves their number. The iteration carries (zeta, A zeta) together,
 *    so that the length of a change in v, eps/2 (rho' A rho)^1/2, costs nothing. The first guess adds the
 *    linear change of z over the step, z + S B^-1 S^-1 (eps dlambda o xdot^2), a function of (x, pi') alone.
 *    The point accepted is the last at which z was evaluated: x', v', and the factor belong together exactly.
 * 3. Momentum, explicit, at x'.
 */
#include <string.h>

#include "base/fault.h"
#include "dynamics/riemann.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"

/* Inner iterations of Newton's correction: four cost a tenth of a factorisation at 340 active sites, and more
 * of them save none. */
enum { NEWTON_TERMS = 4 };

/* to (n) = value on the active sites, 0 elsewhere. */
static void scatter(const tw_riemann *p, const double *compact, double *to)
{
    memset(to, 0, p->n * sizeof *to);
    for (size_t k = 0; k < p->active; k++) to[p->index[k]] = compact[k];
}

static void transposed(const tw_riemann *p, const double *x, double *v)
{
    tw_gaussian_pull_back(p->target->base, 1, x, v);
}

static void multiply(const tw_riemann *p, const double *v, double *x)
{
    tw_gaussian_spread(p->target->base, 1, v, x);
}

/* eps/4, with which q(xdot) enters both momentum steps. */
static double quarter_eps(const tw_riemann *p)
{
    return TW_FAULTY(TW_FAULT_VELOCITY_SIGN, 0.5, -0.5) * p->half_eps;
}

/* out = c0 + eps/4 C q(xdot). */
static bool momentum_map(void *user, const double *xdot, double *out)
{
    tw_riemann *p = user;
    double quarter = quarter_eps(p);
    p->momentum_evaluations++;
    for (size_t k = 0; k < p->active; k++) {
        p->lt[k] = p->dlambda[p->index[k]] * xdot[k] * xdot[k] / p->s[k];
        out[k] = p->lt[k];
    }
    tw_cholesky_inverse_multiply(p->active, p->b, p->active, out);
    for (size_t k = 0; k < p->active; k++) out[k] = p->start[k] + quarter * (p->lt[k] - out[k]) / p->s[k];
    return true;
}

/* A velocity's length in units of its own scale: the site's curvature plus the base's marginal precision. */
static double velocity_inner(void *user, const double *a, const double *b)
{
    const tw_riemann *p = user;
    const double *variance = p->target->base->variance;
    double sum = 0.0;
    for (size_t k = 0; k < p->active; k++) {
        size_t i = p->index[k];
        sum += (p->lambda[i] + 1.0 / variance[i]) * a[k] * b[k];
    }
    return sum;
}

/* xdot on the active sites for the momentum whose L-product is g: S^-1 B^-1 S g, with b holding the inverse
 * factor. */
static void velocity(const tw_riemann *p, const double *g, double *xdot)
{
    for (size_t k = 0; k < p->active; k++) xdot[k] = p->s[k] * g[p->index[k]];
    tw_cholesky_inverse_multiply(p->active, p->b, p->active, xdot);
    for (size_t k = 0; k < p->active; k++) xdot[k] /= p->s[k];
}

static bool solved(tw_riemann *p, const tw_fixed_point_result *result)
{
    const tw_fixed_point_rule *rule = &p->options.rule;
    if (!rule->fixed && 3 * result->evaluations > 2 * rule->cap) p->near_cap = true;
    return result->verdict == TW_CONVERGED;
}

/* Step 1: pi_half = pi', speed = xdot', and vdot, g, base for step 2. */
static bool half_step_momentum(tw_riemann *p)
{
    for (size_t i = 0; i < p->r; i++) p->pi_half[i] = p->pi[i] - p->half_eps * p->force[i];
    multiply(p, p->pi_half, p->g);
    velocity(p, p->g, p->start);
    memcpy(p->speed, p->start, p->active * sizeof *p->speed);
    if (p->options.rule.fixed) { /* the report starts from the velocity of the old momentum */
        multiply(p, p->pi, p->g);
        velocity(p, p->g, p->speed);
    }
    tw_fixed_point_problem problem = {p->active, p, momentum_map, velocity_inner};
    tw_fixed_point_result result =
        tw_fixed_point_solve(&problem, &p->options.rule, p->solver, p->speed, p->solved);
    if (!solved(p, &result)) return false;
    for (size_t k = 0; k < p->active; k++)
        p->compact[k] = p->dlambda[p->index[k]] * p->speed[k] * p->speed[k];
    scatter(p, p->compact, p->scatter);
    transposed(p, p->scatter, p->lt);
    for (size_t i = 0; i < p->r; i++) p->pi_half[i] += quarter_eps(p) * p->lt[i];
    return true;
}

/* The guess of zeta: z = lambda o xdot at x, plus its linear change. */
static void guess_zeta(tw_riemann *p)
{
    double eps = 2.0 * p->half_eps;
    for (size_t k = 0; k < p->active; k++)
        p->compact[k] = eps * p->dlambda[p->index[k]] / p->s[k] * p->solved[k] * p->solved[k];
    tw_cholesky_inverse_multiply(p->active, p->b, p->active, p->compact);
    for (size_t k = 0; k < p->active; k++) {
        double change = p->options.rule.fixed ? 0.0 : p->s[k] * p->compact[k];
        p->zeta[p->index[k]] += change;
    }
}

/* Newton's correction of zeta -> z(x'(zeta)), without another factorisation. The map's derivative is
 * -eps/2 S B^-1 S^-1 D A with D = diag(dlambda o xdot), so with rho = A (z - zeta) the next zeta is
 *   z - eps/2 S B^-1 S^-1 D y,   y + eps/2 C D y = rho,
 * y by a few iterations of two triangular solves. On the active sites A z = g - xdot: rho costs nothing. */
static void newton_correction(tw_riemann *p, const double *zeta, double *out)
{
    double h = p->half_eps, *rho = p->start, *y = p->solved, *t = p->lt, *u = p->compact;
    size_t active = p->active;
    for (size_t k = 0; k < active; k++)
        y[k] = rho[k] = p->g[p->index[k]] - p->speed[k] - zeta[p->n + p->index[k]];
    for (size_t j = 0; j < NEWTON_TERMS; j++) {
        for (size_t k = 0; k < active; k++)
            t[k] = u[k] = p->dlambda[p->index[k]] * p->speed[k] * y[k] / p->s[k];
        tw_cholesky_solve(active, p->b, active, 1, u, active);
        for (size_t k = 0; k < active; k++) y[k] = rho[k] - h * (t[k] - u[k]) / p->s[k];
    }
    for (size_t k = 0; k < active; k++) out[p->index[k]] -= h * p->s[k] * u[k];
}

/* (zeta', A zeta') from zeta, by Newton or, with a fixed count, zeta' = z(x'(zeta)). speed = xdot at x'. */
static bool position_map(void *user, const double *zeta, double *out)
{
    tw_riemann *p = user;
    size_t n = p->n;
    p->position_evaluations++;
    for (size_t i = 0; i < n; i++) p->x[i] = p->base[i] - p->half_eps * zeta[n + i];
    if (!tw_riemann_factor(p, p->x)) return false;
    tw_riemann_solve(p, p->g, p->compact);
    for (size_t k = 0; k < p->active; k++) {
        p->speed[k] = p->compact[k] / p->s[k];
        p->compact[k] *= p->s[k];
    }
    scatter(p, p->compact, out);
    if (!p->options.rule.fixed) newton_correction(p, zeta, out);
    tw_gaussian_multiply(p->target->base, 1, out, out + n);
    return true;
}

/* <a, b> = (eps/2)^2 a' A b: lengths in v. */
static double position_inner(void *user, const double *a, const double *b)
{
    const tw_riemann *p = user;
    return p->half_eps * p->half_eps * tw_dot(p->n, a, b + p->n);
}

/* Step 2: v, x, the factor at x, and speed = xdot there. */
static tw_step step_position(tw_riemann *p)
{
    size_t n = p->n, r = p->r;
    for (size_t k = 0; k < p->active; k++) p->compact[k] = p->lambda[p->index[k]] * p->solved[k];
    scatter(p, p->compact, p->zeta);
    transposed(p, p->zeta, p->vdot);
    for (size_t i = 0; i < r; i++) p->vdot[i] = p->pi_half[i] - p->vdot[i];
    multiply(p, p->pi_half, p->g);
    multiply(p, p->vdot, p->base);
    for (size_t i = 0; i < n; i++) p->base[i] = p->x[i] + p->half_eps * (p->base[i] + p->g[i]);
    guess_zeta(p);
    tw_gaussian_multiply(p->target->base, 1, p->zeta, p->zeta + n);
    tw_fixed_point_problem problem = {2 * n, p, position_map, position_inner};
    tw_fixed_point_result result = tw_fixed_point_solve(&problem, &p->options.rule, p->solver, p->zeta, p->z);
    if (!solved(p, &result)) return p->factored ? TW_STEP_IMPLICIT : TW_STEP_FACTORISATION;
    transposed(p, p->zeta, p->lt);
    for (size_t i = 0; i < r; i++) p->v[i] += p->half_eps * (p->vdot[i] + p->pi_half[i] - p->lt[i]);
    return TW_STEP_FINE;
}

/* Step 3: pi = pi' - eps/2 dH/dv(v', pi'), with xdot on the active sites in speed. */
static void finish_momentum(tw_riemann *p)
{
    for (size_t k = 0; k < p->active; k++) {
        double xdot = p->speed[k];
        p->compact[k] = p->dlambda[p->index[k]] * xdot * xdot;
    }
    scatter(p, p->compact, p->scatter);
    transposed(p, p->scatter, p->lt);
    for (size_t i = 0; i < p->r; i++)
        p->pi[i] = p->pi_half[i] - p->half_eps * p->force[i] + quarter_eps(p) * p->lt[i];
}

tw_step tw_riemann_leapfrog(tw_riemann *p, double eps)
{
    p->half_eps = 0.5 * eps;
    p->steps++;
    if (!half_step_momentum(p)) return TW_STEP_IMPLICIT;
    tw_step step = step_position(p);
    if (step != TW_STEP_FINE) return step;
    tw_riemann_settle(p);
    finish_momentum(p);
    return TW_STEP_FINE;
}
