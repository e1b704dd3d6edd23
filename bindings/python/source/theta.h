/* theta.h: unknown parameters beside draws: the points that the draws are of, in memory of Python's own. */
#ifndef TALWEG_PYTHON_THETA_H
#define TALWEG_PYTHON_THETA_H

#include "binding.h"

/* What a run file has of them, and the estimate of log p(y). */
typedef struct tw_py_theta {
    tw_run_theta all; /* points into the block behind it */
    tw_estimate estimate;
    double seconds;
    char method[32]; /* of the estimate */
} tw_py_theta;

/* A copy, freed with free(); NULL: there is no memory. */
tw_py_theta *tw_py_theta_copy(const tw_run_theta *from, const tw_estimate *estimate, double seconds);

/* (rows, {name: draws}, facts): a row is (name, prior, mean, sd, q05, q50, q95, mcse, ess_bulk, ess_tail, rhat). */
PyObject *tw_py_theta_build(const tw_problem *problem, const tw_py_theta *theta);

#endif
