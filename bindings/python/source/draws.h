/* draws.h: the type Draws, for the file that makes them and the one that predicts from them. */
#ifndef TALWEG_PYTHON_DRAWS_H
#define TALWEG_PYTHON_DRAWS_H

#include "binding.h"

typedef struct tw_py_draws {
    PyObject_HEAD tw_py_problem *problem;
    tw_draws *draws;
    double *log_likelihood; /* [c + chains d]: log p(y | x) of each draw */
} tw_py_draws;

/* Takes both over, also when it fails. */
PyObject *tw_py_draws_wrap(tw_py_problem *problem, tw_draws *draws, double *log_likelihood);

#endif
