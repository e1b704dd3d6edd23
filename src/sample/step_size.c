/* step_size.c: dual averaging of log eps.
 *
 * With acceptance a_t (the mean over all columns) and target d, h_t = mean of d - a_s over s <= t, weighted
 * to forget the start, and log eps_t = centre - sqrt(t) / gamma h_t,     log eps-bar_t = t^-kappa log eps_t +
 * (1 - t^-kappa) log eps-bar_{t-1}, gamma = 0.05, kappa = 0.75, t_0 = 10. The average, not the last value, is
 * what sampling uses. Hoffman & Gelman put the centre at log(10 eps_0), to try long steps early; here an
 * ensemble gives a good eps_0 and the centre is log eps_0, which has no effect in the limit and wastes fewer
 * rejected trajectories before it.
 */
#include <math.h>

#include "sample/warmup.h"

static const double gamma_scale = 0.2, kappa = 0.75, offset = 10.0;

void tw_dual_averaging_begin(tw_dual_averaging *d, double eps, double target)
{
    *d = (tw_dual_averaging){
        .target = target, .centre = log(eps), .log_eps = log(eps), .log_eps_mean = log(eps)};
}

void tw_dual_averaging_update(tw_dual_averaging *d, double acceptance)
{
    double t = (double)++d->count, weight = 1.0 / (t + offset), forget = pow(t, -kappa);
    d->deficit = (1.0 - weight) * d->deficit + weight * (d->target - acceptance);
    d->log_eps = d->centre - sqrt(t) / gamma_scale * d->deficit;
    d->log_eps_mean = forget * d->log_eps + (1.0 - forget) * d->log_eps_mean;
}
