/* rm_plan.c: the parts of a plan that need no particles: the next temperature, and how a budget is shared.
 *
 * Temperature (Jasra, Stephens, Doucet & Tsagaris 2011; Zhou, Johansen & Aston 2016): the conditional effective
 * sample size falls as the step grows, so bisection finds the step that keeps a given fraction.
 *
 * Particles: var log Z is about sum_k v_k / P_k and the cost is sum_k c_k P_k, so the best shares at a given
 * cost have d/dP_k (v_k / P_k + lambda c_k P_k) = 0: P_k proportional to sqrt(v_k / c_k).
 */
#include "evidence/rm_plan.h"

#include <math.h>

enum { HALVINGS = 60 };

double tw_conditional_ess(size_t n, const double *log_ratio, double step)
{
    double largest = -INFINITY, sum = 0.0, squares = 0.0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, log_ratio[j]);
    for (size_t j = 0; j < n; j++) {
        double w = exp(step * (log_ratio[j] - largest));
        sum += w;
        squares += w * w;
    }
    return sum * sum / (squares * (double)n);
}

double tw_next_temperature(size_t n, const double *log_ratio, double beta, double fraction)
{
    double low = beta, high = 1.0;
    if (tw_conditional_ess(n, log_ratio, 1.0 - beta) >= fraction) return 1.0;
    for (size_t i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        *(tw_conditional_ess(n, log_ratio, middle - beta) >= fraction ? &low : &high) = middle;
    }
    return high;
}

double tw_rm_plan_cost(const tw_rm_plan *plan, size_t k)
{
    const tw_rm_plan_step *before = &plan->step[k - 1];
    return 1.0 + (k > 1 ? (double)(before->moves * (before->leapfrog_steps + 1)) : 0.0);
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* P_k for a scale, before rounding. */
static double share(const tw_rm_plan *plan, size_t k, double scale, double particles, double spread)
{
    double wanted = scale * sqrt(plan->step[k].variance / tw_rm_plan_cost(plan, k));
    return clamp(wanted, particles / spread, particles * spread);
}

static double total_cost(const tw_rm_plan *plan, double scale, double particles, double spread)
{
    double sum = 0.0;
    for (size_t k = 1; k <= plan->steps; k++)
        sum += tw_rm_plan_cost(plan, k) * share(plan, k, scale, particles, spread);
    return sum;
}

void tw_rm_plan_share(tw_rm_plan *plan, size_t particles, size_t islands, double spread)
{
    double budget = 0.0, low = -100.0, high = 100.0, each = (double)particles; /* of log scale */
    for (size_t k = 1; k <= plan->steps; k++) budget += tw_rm_plan_cost(plan, k) * each;
    for (size_t i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        *(total_cost(plan, exp(middle), each, spread) < budget ? &low : &high) = middle;
    }
    for (size_t k = 1; k <= plan->steps; k++) {
        double on_island = round(share(plan, k, exp(low), each, spread) / (double)islands);
        plan->step[k].particles = islands * (on_island < 2.0 ? 2 : (size_t)on_island);
    }
}
