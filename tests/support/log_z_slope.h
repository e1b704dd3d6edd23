/* log_z_slope.h: derivatives of EP's and Laplace's log Z by differences. */
#ifndef TALWEG_TESTS_LOG_Z_SLOPE_H
#define TALWEG_TESTS_LOG_Z_SLOPE_H

#include "talweg/approximate.h"
#include "talweg/problem.h"

enum { LOG_Z_PARAMETERS = 16 };

/* Converged further than the defaults ask for, so that differences of log Z are of log Z and not of the iteration: EP to
 * `tolerance`, in its sites less so, since log Z is stationary in them. */
tw_approximation *log_z_fit(const tw_problem *problem, tw_approximation_kind kind, double tolerance);

/* d log Z/d theta_j at theta by differences of fourth order, with error h^4 f^(5)/30 and rounding tolerance/h. The problem is left
 * elsewhere. */
double log_z_difference(tw_problem *problem, tw_approximation_kind kind, double tolerance, double h,
                        const double *theta, size_t j);

#endif
