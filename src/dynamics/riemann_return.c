/* riemann_return.c: a sufficient test that a step is reversible.
 *
 * An implicit equation may have several solutions. A transition is exact only if the solver, started at the
 * end of a step with the momentum reversed, finds the start of the step. The solver has two parts: equations
 * that are iterated with the current factor of the metric, which decide the solution that is found, and
 * Newton's iteration, which refines that solution to the tolerance and needs a factor at every point. The
 * reversed step begins with the factor at the end of the step, which exists already. So the first part of the
 * reversed step is run, and its results are compared with the known solutions (primes mark the end of the
 * step, G is factored there):
 *
 *   momentum:  xdot = c0 + eps/4 G^-1 q(xdot) from xdot = c0 must find -xdot'. So
 *              c0 = -xdot' - eps/4 G^-1 q(xdot') is known without a product with L.
 *   position:  u = -xdot' - G^-1 (lambda(x) - lambda') o u from u = -xdot' must find minus xdot at the start.
 *
 * An iteration has found its solution if the map takes it to within CLOSE of the solution and brings it
 * nearer by the factor CONTRACTION: the map contracts there, so further iterations converge to that solution.
 * Newton's iteration ends at the start of the step. The matrix of its corrections there is I - D, and the
 * derivative of the momentum equation at its solution is D = eps/2 G^-1 diag(dlambda o xdot), so Newton's
 * iteration is safe if the momentum equation contracts. tw_riemann_contracts checks that before the position
 * moves. If any condition fails, the test has no answer, and the caller integrates back.
 */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "dynamics/riemann.h"

/* CLOSE is in whitened coordinates, like the solver's tolerance. Newton's iteration starts further away in
 * most steps and converges. */
static const double CLOSE = 1e-3, CONTRACTION = 0.9;

/* With a larger tolerance the errors of the solver may exceed a tenth of the caller's limit on the
 * distance between the start and the end of the reversed trajectory. */
static const double MAX_TOLERANCE = 1e-6;

/* The largest safe norm of the momentum equation's derivative, of which Newton's correction sums six
 * powers. */
static const double MAX_DERIVATIVE = 0.6;

/* An iteration of the reversed step. */
typedef struct reversed_solve {
    tw_riemann *point;
    bool (*map)(void *user, const double *u, double *out);
    const double *expected; /* n: minus the solution */
    const double *lambda;   /* n: at the position of u, as the map leaves it; NULL: the position is fixed */
    bool found;
} reversed_solve;

/* The distance between u and the solution. At a site that the metric omits at one end, the velocity there
 * is 0 and says nothing. There z = lambda o xdot counts, which acts on the other sites and should be
 * negligible. */
static double distance(const reversed_solve *w, const double *u)
{
    const tw_riemann *p = w->point;
    const double *variance = p->base->variance;
    double sum = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        double d = u[i] + w->expected[i], z;
        if (u[i] != 0.0 && w->expected[i] != 0.0) {
            sum += p->weight[i] * d * d;
        } else if (w->lambda) {
            z = u[i] != 0.0 ? w->lambda[i] * u[i] : p->first[i];
            sum += variance[i] * z * z;
        }
    }
    return sqrt(sum);
}

/* Apply the map. Returns false, which ends the iteration, once the solution is found. */
static bool map_until_found(void *user, const double *u, double *out)
{
    reversed_solve *w = user;
    if (!w->map(w->point, u, out)) return false;
    double after = distance(w, out);
    w->found = after <= CLOSE && after <= CONTRACTION * distance(w, u);
    return !w->found;
}

static double inner(void *user, const double *a, const double *b)
{
    return tw_riemann_velocity_inner(((reversed_solve *)user)->point, a, b);
}

/* Iterate from u; returns true if the iteration finds the expected solution. */
static bool finds(reversed_solve solve, double *u)
{
    tw_riemann *p = solve.point;
    tw_fixed_point_problem problem = {p->n, &solve, map_until_found, inner};
    (void)tw_fixed_point_solve(&problem, &p->options.rule, p->solver, u, p->z);
    return TW_FAULTY(TW_FAULT_BLIND, solve.found, true);
}

/* d <- eps/2 G^-1 diag(dlambda o xdot) d; returns the ratio of the new to the old length. */
static double apply_derivative(tw_riemann *p, double *d)
{
    double before = tw_riemann_velocity_inner(p, d, d);
    for (size_t i = 0; i < p->n; i++) p->sites[i] = p->dlambda[i] * p->solved[i] * d[i];
    tw_curved_respond(p->curved, p->sites, p->response, NULL);
    for (size_t i = 0; i < p->n; i++) d[i] = p->half_eps * p->response[i];
    return before > 0.0 ? sqrt(tw_riemann_velocity_inner(p, d, d) / before) : 0.0;
}

bool tw_riemann_contracts(tw_riemann *p)
{
    double *d = p->zeta;
    for (size_t i = 0; i < p->n; i++) d[i] = p->solved[i] - p->start[i];
    double first = apply_derivative(p, d), second = apply_derivative(p, d);
    return first <= MAX_DERIVATIVE && second <= MAX_DERIVATIVE;
}

bool tw_riemann_surely_returns(tw_riemann *p)
{
    size_t n = p->n;
    double quarter = tw_riemann_quarter_eps(p), *u = p->zeta, *reversed = p->solved;
    if (p->options.rule.fixed || p->options.rule.tolerance > MAX_TOLERANCE) return false;
    tw_riemann_curvature_force(p, p->speed, p->sites);
    tw_curved_respond(p->curved, p->sites, p->response, NULL);
    for (size_t i = 0; i < n; i++) u[i] = p->start[i] = -p->speed[i] - quarter * p->response[i];
    if (!finds((reversed_solve){.point = p, .map = tw_riemann_momentum_map, .expected = p->speed}, u))
        return false;
    for (size_t i = 0; i < n; i++) u[i] = reversed[i] = -p->speed[i];
    return finds(
        (reversed_solve){.point = p, .map = tw_riemann_guess_map, .expected = p->departed, .lambda = p->rest},
        u);
}
