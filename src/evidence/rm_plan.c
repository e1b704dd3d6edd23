/* rm_plan.c: the choice of the next temperature, and of the numbers of particles within a budget.
 *
 * Temperature (Jasra, Stephens, Doucet & Tsagaris 2011; Zhou, Johansen & Aston 2016): the conditional
 * effective sample size falls as the step grows, so bisection finds the step that keeps a given fraction.
 *
 * Particles: over the periods g between resamplings, var log Z is about sum_g v_g / P_g, and the cost is
 * sum_g c_g P_g. The minimum at a given cost has d/dP_g (v_g / P_g + lambda c_g P_g) = 0, so P_g is
 * proportional to sqrt(v_g / c_g).
 */
#include "evidence/rm_plan.h"

#include <math.h>

enum { HALVINGS = 60 };
static const double negligible = 700.0; /* a weight below exp(-700) of the largest is negligible */

double tw_conditional_ess(size_t n, const double *log_weight, const double *log_ratio, double step)
{
    double largest = -INFINITY, heaviest = -INFINITY, total = 0.0, sum = 0.0, squares = 0.0;
    for (size_t j = 0; j < n; j++) heaviest = fmax(heaviest, log_weight[j]);
    for (size_t j = 0; j < n; j++)
        if (log_weight[j] > heaviest - negligible) largest = fmax(largest, log_ratio[j]);
    for (size_t j = 0; j < n; j++) {
        double weight = exp(log_weight[j] - heaviest), w = exp(step * fmin(log_ratio[j] - largest, 0.0));
        total += weight;
        sum += weight * w;
        squares += weight * w * w;
    }
    return sum * sum / (squares * total);
}

double tw_next_temperature(size_t n, const double *log_weight, const double *log_ratio, double beta,
                           double fraction)
{
    double low = beta, high = 1.0;
    if (tw_conditional_ess(n, log_weight, log_ratio, 1.0 - beta) >= fraction) return 1.0;
    for (size_t i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        *(tw_conditional_ess(n, log_weight, log_ratio, middle - beta) >= fraction ? &low : &high) = middle;
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

/* The last step of the period of step k. */
static size_t period_end(const tw_rm_plan *plan, size_t k)
{
    while (k < plan->steps && !plan->step[k].resample) k++;
    return k;
}

/* The cost of one particle from step k to the end of its period. */
static double period_cost(const tw_rm_plan *plan, size_t k)
{
    double sum = 0.0;
    for (size_t end = period_end(plan, k); k <= end; k++) sum += tw_rm_plan_cost(plan, k);
    return sum;
}

/* P of the period that begins with step k, before rounding: scale sqrt(v / c) within the spread. */
static double share(const tw_rm_plan *plan, size_t k, double scale, double particles, double spread)
{
    double variance = plan->step[period_end(plan, k)].variance;
    double wanted = scale * sqrt(variance / period_cost(plan, k));
    return clamp(wanted, particles / spread, particles * spread);
}

static double total_cost(const tw_rm_plan *plan, double scale, double particles, double spread)
{
    double sum = 0.0;
    for (size_t k = 1; k <= plan->steps; k = period_end(plan, k) + 1)
        sum += period_cost(plan, k) * share(plan, k, scale, particles, spread);
    return sum;
}

void tw_rm_plan_share(tw_rm_plan *plan, size_t particles, size_t islands, double spread)
{
    double budget = 0.0, each = (double)particles;
    double low = -100.0, high = 100.0; /* bounds on the logarithm of scale */
    for (size_t k = 1; k <= plan->steps; k++) budget += tw_rm_plan_cost(plan, k) * each;
    for (size_t i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        *(total_cost(plan, exp(middle), each, spread) < budget ? &low : &high) = middle;
    }
    for (size_t k = 1; k <= plan->steps; k = period_end(plan, k) + 1) {
        double on_island = round(share(plan, k, exp(low), each, spread) / (double)islands);
        for (size_t i = k; i <= period_end(plan, k); i++)
            plan->step[i].particles = islands * (on_island < 2.0 ? 2 : (size_t)on_island);
    }
}
