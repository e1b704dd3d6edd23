/* log_z_slope.h: derivatives of EP's and Laplace's log Z by finite differences. */
#ifndef TALWEG_TESTS_LOG_Z_SLOPE_H
#define TALWEG_TESTS_LOG_Z_SLOPE_H

#include "talweg/approximate.h"
#include "talweg/problem.h"

enum { LOG_Z_PARAMETERS = 16 };

/* Fit more tightly than by default, so that differences of log Z are not differences of the iteration: EP to
 * `tolerance`, and less tightly in its sites, since log Z is stationary in them. */
tw_approximation *log_z_fit(const tw_problem *problem, tw_approximation_kind kind, double tolerance);

/* d log Z/d theta_j at theta by fourth-order differences, with error h^4 f^(5)/30 and rounding error
 * tolerance/h. The problem is left at another theta. */
double log_z_difference(tw_problem *problem, tw_approximation_kind kind, double tolerance, double h,
                        const double *theta, size_t j);

#endif
