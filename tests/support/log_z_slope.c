/* log_z_slope.c: finite differences of log Z; see log_z_slope.h. */
#include "support/log_z_slope.h"

#include <string.h>

#include "support/support.h"

tw_approximation *log_z_fit(const tw_problem *problem, tw_approximation_kind kind, double tolerance)
{
    tw_ep_options ep = TW_EP_DEFAULTS;
    tw_laplace_options laplace = {.max_steps = 400, .tolerance = 1e-14};
    tw_approximation *a = NULL;
    ep.tolerance = tolerance;
    ep.site_tolerance = 1e-8;
    ep.max_sweeps = 500;
    assert_int_equal(kind == TW_EP ? tw_ep_fit(problem->model, &ep, &a)
                                   : tw_laplace_fit(problem->model, &laplace, &a),
                     TW_OK);
    if (!a->converged) fail_msg("%s does not converge", problem->likelihood->name);
    return a;
}

static double log_z_at(tw_problem *problem, tw_approximation_kind kind, double tolerance, const double *theta,
                       size_t j, double step)
{
    double there[LOG_Z_PARAMETERS];
    memcpy(there, theta, tw_problem_count(problem) * sizeof *theta);
    there[j] += step;
    assert_int_equal(tw_problem_set_theta(problem, there), TW_OK);
    tw_approximation *a = log_z_fit(problem, kind, tolerance);
    double log_z = a->log_z;
    tw_approximation_free(a);
    return log_z;
}

double log_z_difference(tw_problem *problem, tw_approximation_kind kind, double tolerance, double h,
                        const double *theta, size_t j)
{
    double near =
        log_z_at(problem, kind, tolerance, theta, j, h) - log_z_at(problem, kind, tolerance, theta, j, -h);
    double far = log_z_at(problem, kind, tolerance, theta, j, 2.0 * h) -
                 log_z_at(problem, kind, tolerance, theta, j, -2.0 * h);
    return (8.0 * near - far) / (12.0 * h);
}
