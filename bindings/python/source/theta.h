/* theta.h: the unknown parameters of draws: a copy of the points, owned by the Draws object. */
#ifndef TALWEG_PYTHON_THETA_H
#define TALWEG_PYTHON_THETA_H

#include "binding.h"

/* The parameters as in a run file, and the estimate of log p(y). */
typedef struct tw_py_theta {
    tw_run_theta all; /* its arrays are in the same block of memory, after this struct */
    tw_estimate estimate;
    double seconds;
    char method[32]; /* of the estimate */
} tw_py_theta;

/* A copy; free it with free(). NULL: not enough memory. */
tw_py_theta *tw_py_theta_copy(const tw_run_theta *from, const tw_estimate *estimate, double seconds);

/* (rows, {name: draws}, facts):
 * a row is (name, prior, mean, sd, q05, q50, q95, mcse, ess_bulk, ess_tail, rhat). */
PyObject *tw_py_theta_build(const tw_problem *problem, const tw_py_theta *theta);

#endif
