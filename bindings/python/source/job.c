/* job.c: runs a computation without the interpreter's lock, and responds to Ctrl-C.
 *
 * Python records a signal at once but runs its handler in the main thread, between bytecodes, never while C
 * code runs. So the library's callbacks, which run in the calling thread, take the interpreter's lock every
 * twentieth of a second and check for signals (PyErr_CheckSignals, which does nothing in other threads). An
 * exception of the handler, usually KeyboardInterrupt, ends the computation and is raised when the library
 * has returned.
 *
 * talweg is parallel itself and sets BLAS to one thread. numpy may use the same BLAS in the same process, so
 * its number of threads is restored after the last computation.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "binding.h"

static const double seconds_between_checks = 0.05;

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));

double tw_py_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tw_py_blas_borrow(tw_py_state *state)
{
    if (state->computing++ > 0 || !openblas_get_num_threads) return;
    state->blas_threads = openblas_get_num_threads();
    openblas_set_num_threads(1);
}

void tw_py_blas_return(tw_py_state *state)
{
    if (--state->computing > 0 || !openblas_set_num_threads) return;
    openblas_set_num_threads(state->blas_threads);
}

/* ---- callbacks ---- */

/* Take and release the interpreter's lock, around calls of Python. */
static void enter(tw_py_job *job)
{
    PyEval_RestoreThread(job->thread);
}

static void leave(tw_py_job *job)
{
    job->asked = tw_py_seconds();
    job->thread = PyEval_SaveThread();
}

/* Call the problem's log with `what`, and release the reference to it. */
static void pass_on(tw_py_job *job, PyObject *what)
{
    PyObject *result = what ? PyObject_CallFunctionObjArgs(job->problem->log, what, NULL) : NULL;
    job->failed = !result;
    Py_XDECREF(what);
    Py_XDECREF(result);
}

static void on_log(void *user, tw_log_level level, const char *text)
{
    tw_py_job *job = user;
    enter(job);
    if (!job->failed && level == TW_LOG_INFO)
        pass_on(job, PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"));
    leave(job);
}

static void on_warning(void *user, const tw_warning *warning)
{
    tw_py_job *job = user;
    enter(job);
    if (!job->failed) pass_on(job, tw_py_warning(warning));
    leave(job);
}

bool tw_py_interrupted(void *user)
{
    tw_py_job *job = user;
    if (!job->failed && !job->stopped && tw_py_seconds() - job->asked >= seconds_between_checks) {
        enter(job);
        job->failed = PyErr_CheckSignals() != 0;
        leave(job);
    }
    return job->failed || job->stopped;
}

/* progress(stage, done, total, acceptance) */
static PyObject *call_progress(PyObject *progress, const tw_progress *p)
{
    char stage[64];
    if (p->metric)
        snprintf(stage, sizeof stage, "pilot run of %s with %s", p->method, p->metric);
    else
        snprintf(stage, sizeof stage, "%s", p->stage);
    return PyObject_CallFunction(progress, "snnd", stage, (Py_ssize_t)p->done, (Py_ssize_t)p->total,
                                 p->acceptance);
}

bool tw_py_progress(tw_py_job *job, const tw_progress *p)
{
    bool due = p->done == p->total || tw_py_seconds() - job->asked >= seconds_between_checks;
    if (job->progress && due && !job->failed && !job->stopped) {
        enter(job);
        job->failed = PyErr_CheckSignals() != 0;
        PyObject *result = job->failed ? NULL : call_progress(job->progress, p);
        int verdict = result ? PyObject_IsTrue(result) : -1;
        job->failed = verdict < 0;
        job->stopped = verdict > 0;
        Py_XDECREF(result);
        leave(job);
    }
    return tw_py_interrupted(job);
}

/* ---- begin and end ---- */

bool tw_py_begin(tw_py_job *job, tw_py_problem *problem, PyObject *progress)
{
    *job = (tw_py_job){
        .problem = problem, .state = tw_py_state_of((PyObject *)problem), .asked = tw_py_seconds()};
    if (progress && progress != Py_None) job->progress = progress;
    tw_py_blas_borrow(job->state);
    job->thread = PyEval_SaveThread();
    if (pthread_mutex_lock(&problem->lock) != 0) { /* EDEADLK: this thread has it */
        PyEval_RestoreThread(job->thread);
        tw_py_blas_return(job->state);
        PyErr_SetString(PyExc_RuntimeError, "a progress function must not compute with the same model");
        return false;
    }
    tw_context_set_log(problem->ctx, on_log, job);
    tw_context_set_warn(problem->ctx, on_warning, job);
    tw_context_set_interrupt(problem->ctx, tw_py_interrupted, job);
    return true;
}

bool tw_py_end(tw_py_job *job, tw_status status)
{
    tw_py_problem *problem = job->problem;
    PyEval_RestoreThread(job->thread);
    tw_context_set_log(problem->ctx, NULL, NULL);
    tw_context_set_warn(problem->ctx, NULL, NULL);
    tw_context_set_interrupt(problem->ctx, NULL, NULL);
    if (!job->failed && PyErr_CheckSignals() != 0) job->failed = true;
    if (!job->failed && status != TW_OK) {
        const char *stopped = "the progress function ended the computation before it had a result";
        tw_py_raise(job->state, status, job->stopped ? stopped : tw_context_message(problem->ctx));
        job->failed = true;
    }
    pthread_mutex_unlock(&problem->lock);
    tw_py_blas_return(job->state);
    return !job->failed;
}
