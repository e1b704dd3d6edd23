/* draws.h: the type Draws, for the files that make them, predict from them and write them. */
#ifndef TALWEG_PYTHON_DRAWS_H
#define TALWEG_PYTHON_DRAWS_H

#include "binding.h"

typedef struct tw_py_draws {
    PyObject_HEAD tw_py_problem *problem;
    tw_draws *draws;
    double *log_likelihood; /* [c + chains d]: log p(y | x) of each draw */
    double warmup_seconds, sampling_seconds;
} tw_py_draws;

/* Takes both over, also when it fails. */
PyObject *tw_py_draws_wrap(tw_py_problem *problem, tw_draws *draws, double *log_likelihood);

/* A method of Draws, in run.c. */
PyObject *tw_py_draws_save(PyObject *self, PyObject *arguments);

#endif
