/* step_size.c: dual averaging of log eps (Nesterov 2009; Hoffman & Gelman 2014, section 3.2).
 *
 * With acceptance a_t (the mean over all columns) and target d, h_t = mean of d - a_s over s <= t, weighted to forget
 * the start, and
 *
 *   log eps_t = centre - sqrt(t) / gamma h_t,
 *   log eps-bar_t = t^-kappa log eps_t + (1 - t^-kappa) log eps-bar_{t-1},
 *
 * gamma = 0.2, kappa = 0.75, t_0 = 10. Where all transitions are of one target, the average, not the last value, is what
 * is frozen. Where the target changes with the temperature the tuner starts again at each from the step size it has, and
 * the last value follows: after t transitions a deficit of h has moved log eps by about 5 t^(3/2) h / (t + 10).
 * Hoffman & Gelman put the centre at log(10 eps_0), to try long steps early; here an ensemble gives a good eps_0 and the
 * centre is log eps_0, which has no effect in the limit and wastes fewer rejected trajectories before it.
 */
#include "sample/step_size.h"

#include <math.h>

static const double gamma_scale = 0.2, kappa = 0.75, offset = 10.0;

tw_step_tuner tw_step_tuner_at(double eps, double target, double largest)
{
    tw_step_tuner t = {.target = target, .log_largest = log(largest), .log_eps = log(eps)};
    tw_step_tuner_begin(&t);
    return t;
}

void tw_step_tuner_begin(tw_step_tuner *t)
{
    t->centre = t->log_mean = t->log_eps;
    t->deficit = t->count = 0.0;
}

void tw_step_tuner_learn(tw_step_tuner *t, double acceptance)
{
    t->count += 1.0;
    double weight = 1.0 / (t->count + offset), forget = pow(t->count, -kappa);
    t->deficit = (1.0 - weight) * t->deficit + weight * (t->target - acceptance);
    t->log_eps = fmin(t->centre - sqrt(t->count) / gamma_scale * t->deficit, t->log_largest);
    t->log_mean = forget * t->log_eps + (1.0 - forget) * t->log_mean;
}

void tw_step_tuner_freeze(tw_step_tuner *t)
{
    t->log_eps = t->log_mean;
}

double tw_step_tuner_eps(const tw_step_tuner *t)
{
    return exp(t->log_eps);
}
