/* draws.h: the type Draws, for the files that make draws, predict from them and save them. */
#ifndef TALWEG_PYTHON_DRAWS_H
#define TALWEG_PYTHON_DRAWS_H

#include "theta.h"

typedef struct tw_py_draws {
    PyObject_HEAD tw_py_problem *problem;
    tw_draws *draws;
    double warmup_seconds, sampling_seconds;
    tw_py_theta *theta; /* NULL: no parameter is unknown */
} tw_py_draws;

/* A Draws object. Takes ownership of the draws, also if it fails. */
PyObject *tw_py_draws_wrap(tw_py_problem *problem, tw_draws *draws, double warmup_seconds,
                           double sampling_seconds);

/* A summary as a dictionary. */
PyObject *tw_py_summary(const tw_chains_summary *summary);

/* The method Draws.save (run.c). */
PyObject *tw_py_draws_save(PyObject *self, PyObject *arguments);

#endif
