/* step_size.c: dual averaging of log eps (Nesterov 2009; Hoffman & Gelman 2014, section 3.2).
 *
 * With a_t the acceptance (mean over all columns) and d its target,
 *
 *   h_t = (1 - 1/(t + t_0)) h_{t-1} + (d - a_t) / (t + t_0),
 *   log eps_t = centre - sqrt(t) / gamma h_t,
 *   log eps-bar_t = t^-kappa log eps_t + (1 - t^-kappa) log eps-bar_{t-1},
 *
 * gamma = 0.2, kappa = 0.75, t_0 = 10. If the target distribution is fixed, sampling uses the average
 * eps-bar. If it changes with the temperature, the tuner starts again at each temperature from its current
 * step size, and the current eps_t is used: t transitions with a deficit h change log eps by about 5 t^(3/2)
 * h / (t + 10). Hoffman & Gelman set the centre to log(10 eps_0), to try long steps early. Here an ensemble
 * gives a good eps_0, so the centre is log eps_0: the limit is the same, and fewer trajectories are rejected
 * on the way.
 */
#include "sample/step_size.h"

#include <math.h>

static const double gamma_scale = 0.2, kappa = 0.75, t_0 = 10.0;

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
    double weight = 1.0 / (t->count + t_0), forget = pow(t->count, -kappa);
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
