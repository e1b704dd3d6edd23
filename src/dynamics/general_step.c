/* general_step.c: one step of the generalised leapfrog for a general target.
 *
 * The step (Girolami & Calderhead 2011; the report's equations for tau + eps/2 and tau + eps):
 *     1.  p_half = p - eps/2 dH/dx(x, p_half)                            implicit in p_half
 *     2.  x' = x + eps/2 [G(x)^-1 + G(x')^-1] p_half                     implicit in x'
 *     3.  p' = p_half - eps/2 dH/dx(x', p_half)                          explicit
 * It is reversible and preserves volume only if equations 1 and 2 are solved, so they are iterated to a
 * tolerance, and a step that did not converge says so in its outcome. Residuals are measured in the metric,
 * momenta with G(x)^-1 and positions with G(x), so that the tolerance does not depend on the coordinates. The
 * initial guesses, p and x + eps G(x)^-1 p_half, depend on the current point alone. With a constant metric
 * neither equation is implicit, and the step is the leapfrog.
 */
#include <string.h>

#include "dynamics/general.h"

/* image = p - eps/2 dH/dx(x, trial). */
static bool momentum_map(void *user, const double *trial, double *image)
{
    tw_general *g = user;
    tw_general_energy_slope(g, &g->here, trial, image);
    for (size_t i = 0; i < g->target.d; i++) image[i] = g->here.p[i] - 0.5 * g->eps * image[i];
    return true;
}

static double momentum_inner(void *user, const double *a, const double *b)
{
    const tw_general *g = user;
    return tw_softabs_inverse_inner(&g->here.metric, a, b);
}

/* image = x + eps/2 [G(x)^-1 + G(trial)^-1] p_half. */
static bool position_map(void *user, const double *trial, double *image)
{
    tw_general *g = user;
    size_t d = g->target.d;
    memcpy(g->next.x, trial, d * sizeof *trial);
    if (!tw_general_update_metric(g, &g->next)) return false;
    tw_softabs_solve(&g->next.metric, g->half, image);
    for (size_t i = 0; i < d; i++) image[i] = g->here.x[i] + 0.5 * g->eps * (g->velocity[i] + image[i]);
    return true;
}

static double position_inner(void *user, const double *a, const double *b)
{
    const tw_general *g = user;
    return tw_softabs_inner(&g->here.metric, a, b);
}

/* Solve equation 1, from the guess p. */
static bool solve_momentum(tw_general *g)
{
    size_t d = g->target.d;
    if (g->metric == TW_GENERAL_CONSTANT) return momentum_map(g, g->here.p, g->half);
    tw_fixed_point_problem problem = {d, g, momentum_map, momentum_inner};
    memcpy(g->trial, g->here.p, d * sizeof *g->trial);
    return tw_fixed_point_solve(&problem, &g->rule, g->solver, g->trial, g->half).verdict == TW_CONVERGED;
}

/* Solve equation 2, from the guess of an explicit step. */
static bool solve_position(tw_general *g)
{
    size_t d = g->target.d;
    tw_softabs_solve(&g->here.metric, g->half, g->velocity);
    for (size_t i = 0; i < d; i++) g->trial[i] = g->here.x[i] + g->eps * g->velocity[i];
    if (g->metric == TW_GENERAL_CONSTANT) {
        memcpy(g->image, g->trial, d * sizeof *g->image);
        return true;
    }
    tw_fixed_point_problem problem = {d, g, position_map, position_inner};
    return tw_fixed_point_solve(&problem, &g->rule, g->solver, g->trial, g->image).verdict == TW_CONVERGED;
}

tw_general_outcome tw_general_step(tw_general *g)
{
    size_t d = g->target.d;
    if (!solve_momentum(g) || !solve_position(g)) return TW_GENERAL_UNSOLVED;
    memcpy(g->next.x, g->image, d * sizeof *g->image);
    if (!tw_general_update(g, &g->next)) return TW_GENERAL_NOT_FINITE;
    tw_general_energy_slope(g, &g->next, g->half, g->next.p);
    for (size_t i = 0; i < d; i++) g->next.p[i] = g->half[i] - 0.5 * g->eps * g->next.p[i];
    tw_general_copy(g, &g->next, &g->here);
    return TW_GENERAL_FINE;
}

tw_general_outcome tw_general_trajectory(tw_general *g, size_t steps)
{
    tw_general_outcome outcome = TW_GENERAL_FINE;
    for (size_t i = 0; i < steps && outcome == TW_GENERAL_FINE; i++) outcome = tw_general_step(g);
    return outcome;
}
