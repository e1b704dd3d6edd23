/* riemann_return.c: does a step certainly lead back?
 *
 * An implicit equation may have several solutions, and a transition is exact only if the solver, started from the end of a
 * step with the momentum reversed, finds the point where the step began. The solver has two parts: equations that are iterated
 * with the factor of the metric at hand, which decide what solution is found, and Newton's iteration, which takes what they found
 * to the tolerance and needs a factor at every point. The factor at the end of a step is that with which the way back begins. So
 * the first part of the way back is run as it would be, and compared with what it has to find:
 *
 *   momentum:  xdot = c0 + eps/4 G^-1 q(xdot) from xdot = c0, has to find -xdot' of the step, so that
 *              c0 = -xdot' - eps/4 G^-1 q(xdot'), without a product with L;
 *   position:  u = xdot - G^-1 (lambda(x) - lambda') o u from u = xdot = -xdot', has to find -xdot of the step's begin.
 *
 * An iteration has found it when the map brings it to within `close_to` of the solution, and nearer than it was: there the map
 * contracts, and what follows can only converge to it. Newton's iteration ends where the step began, and the matrix of its corrections there,
 * I - eps/2 G^-1 diag(dlambda o xdot), is that of the momentum equation's derivative: it is safe where that contracts, which is
 * looked at before the step leaves. Where any of these does not hold, nothing is said: the caller integrates back.
 */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "dynamics/riemann.h"

/* On the whitened scale, as the tolerances of the solver. Newton's iteration begins further away in most
 * steps and converges. */
static const double close_to = 1e-3, contracts = 0.9;

/* What is solved to less than this need not lead back to a tenth of what is compared. */
static const double sharp = 1e-6;

/* The derivative of the momentum equation, of which Newton's corrections sum six powers, is at most this. */
static const double safe = 0.6;

typedef struct way_back {
    tw_riemann *point;
    bool (*map)(void *user, const double *u, double *out);
    const double *expected; /* less the solution, n */
    const double *lambda;   /* where u leads, as the map leaves it; NULL: both are at one place */
    bool found;
} way_back;

/* The distance between u and the solution. Where the metric leaves a site out at one end, velocities say nothing and what pushes
 * others counts, z = lambda o xdot, which should be next to nothing there. */
static double distance(const way_back *w, const double *u)
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

/* The map, until the solution is found: false ends the iteration. */
static bool watch(void *user, const double *u, double *out)
{
    way_back *w = user;
    if (!w->map(w->point, u, out)) return false;
    double after = distance(w, out);
    w->found = after <= close_to && after <= contracts * distance(w, u);
    return !w->found;
}

static double inner(void *user, const double *a, const double *b)
{
    return tw_riemann_velocity_inner(((way_back *)user)->point, a, b);
}

/* Iterate from u; true if it comes to what is expected. */
static bool finds(way_back way, double *u)
{
    tw_riemann *p = way.point;
    tw_fixed_point_problem problem = {p->n, &way, watch, inner};
    (void)tw_fixed_point_solve(&problem, &p->options.rule, p->solver, u, p->z);
    return TW_FAULTY(TW_FAULT_BLIND, way.found, true);
}

/* d <- eps/2 G^-1 diag(dlambda o xdot) d; returns by what it became longer. */
static double derive(tw_riemann *p, double *d)
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
    double first = derive(p, d), second = derive(p, d);
    return first <= safe && second <= safe;
}

bool tw_riemann_surely_returns(tw_riemann *p)
{
    size_t n = p->n;
    double quarter = tw_riemann_quarter_eps(p), *u = p->zeta, *reversed = p->solved;
    if (p->options.rule.fixed || p->options.rule.tolerance > sharp) return false;
    tw_riemann_curvature_force(p, p->speed, p->sites);
    tw_curved_respond(p->curved, p->sites, p->response, NULL);
    for (size_t i = 0; i < n; i++) u[i] = p->start[i] = -p->speed[i] - quarter * p->response[i];
    if (!finds((way_back){.point = p, .map = tw_riemann_momentum_map, .expected = p->speed}, u)) return false;
    for (size_t i = 0; i < n; i++) u[i] = reversed[i] = -p->speed[i];
    return finds(
        (way_back){.point = p, .map = tw_riemann_guess_map, .expected = p->departed, .lambda = p->rest}, u);
}
