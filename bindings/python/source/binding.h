/* binding.h: types and functions shared by the files of the extension module _talweg.
 *
 * The module is thin: it passes arrays to the library, runs computations without the interpreter's lock
 * (GIL), and wraps the results. Names, defaults and messages are in Python, in ../talweg. The module uses the
 * stable ABI of Python 3.11, so that one build serves every later version.
 */
#ifndef TALWEG_PYTHON_BINDING_H
#define TALWEG_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdbool.h>

#include <talweg/talweg.h>

/* A function as the void * of PyType_Slot and PyModuleDef_Slot; and a row of PyMethodDef. */
#define TW_PY_SLOT(id, function)          \
    {                                     \
        id, (void *)(uintptr_t)(function) \
    }
#define TW_PY_METHOD_ROW(name, function)                                                  \
    {                                                                                     \
        name, (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS, NULL \
    }

/* The state of the module:
 * its types and exceptions, and the number of threads that BLAS had before talweg set it to one. */
typedef struct tw_py_state {
    PyObject *array, *problem, *approximation, *draws; /* types */
    PyObject *error, *input_error, *numerical_error, *memory_error, *file_error;
    int computing;    /* number of running computations */
    int blas_threads; /* to restore after the last of them */
} tw_py_state;

tw_py_state *tw_py_state_of(PyObject *self); /* self: an object of one of the module's types */

/* Raise the exception of a status. Returns NULL. */
PyObject *tw_py_raise(const tw_py_state *state, tw_status status, const char *message);

/* ---- arrays (array.c) ---- */

/* An array in memory: up to three dimensions, strides in bytes. */
typedef struct tw_py_view {
    const void *data;
    const char *format; /* of the struct module: "d", "?", "Q" */
    Py_ssize_t item_bytes;
    int dimensions;
    Py_ssize_t shape[3], strides[3];
} tw_py_view;

/* An object that exports the memory of a view, read-only, and keeps `owner` alive while it exists. */
PyObject *tw_py_array(const tw_py_state *state, PyObject *owner, const tw_py_view *view);
PyObject *tw_py_vector(const tw_py_state *state, PyObject *owner, const double *data, size_t n);

/* The doubles of a Python object, column-major and not copied. data is NULL for None. */
typedef struct tw_py_input {
    Py_buffer buffer;
    const double *data;
    size_t rows, columns, ld;
} tw_py_input;

bool tw_py_input_get(PyObject *from, const char *name, tw_py_input *out);
void tw_py_input_release(tw_py_input *input);

/* Columns of observations, from a dictionary {name: array of n}. Release them also after a failure. */
typedef struct tw_py_columns {
    size_t count;
    const char *name[TW_COLUMNS + 1];
    tw_py_input input[TW_COLUMNS + 1];
} tw_py_columns;
bool tw_py_columns_get(PyObject *from, size_t n, tw_py_columns *out);
void tw_py_columns_release(tw_py_columns *columns);
tw_status tw_py_columns_put(const tw_py_columns *columns, tw_data *data);

/* Names, from a list of str; none for None. The texts live as long as the list.
 * Release the array also after a failure. */
typedef struct tw_py_names {
    size_t count;
    const char **name;
} tw_py_names;
bool tw_py_names_get(PyObject *from, tw_py_names *out);
void tw_py_names_release(tw_py_names *names);

/* The categories of inputs that are text (table.c), from a list with one item per input: a list of str, or
 * None for numbers. None instead of the list: all inputs are numbers. Release it also after a failure. */
typedef struct tw_py_levels {
    size_t count;
    tw_py_names *input;
} tw_py_levels;
bool tw_py_levels_get(PyObject *from, tw_py_levels *out);
void tw_py_levels_release(tw_py_levels *levels);
tw_status tw_py_levels_put(const tw_py_levels *levels, tw_data *data);

/* The meaning of labels, from a tuple (texts, levels, positive): the texts that y indexes, the ordered
 * levels, and the label that means +1; each may be None. Release it also after a failure. */
typedef struct tw_py_labels {
    tw_py_names texts, levels;
    const char *positive;
} tw_py_labels;
bool tw_py_labels_get(PyObject *from, tw_py_labels *out);
void tw_py_labels_release(tw_py_labels *labels);

/* Recode the labels of data for the likelihood; known: the labels of the training cases, or NULL. */
tw_status tw_py_labels_put(const tw_py_labels *labels, const tw_likelihood *likelihood,
                           const tw_levels *known, tw_data *data);

/* A likelihood's parameters, from a dictionary {name: number}; missing ones have their initial values. */
enum { TW_PY_PARAMETERS = 64 };
bool tw_py_parameters_get(PyObject *from, const tw_likelihood *likelihood, double phi[TW_PY_PARAMETERS],
                          bool given[TW_PY_PARAMETERS]);

/* A writable, contiguous array of `count` doubles. */
double *tw_py_output_get(PyObject *from, const char *name, size_t count, Py_buffer *buffer);

/* ---- warnings (warning.c) ---- */

/* A warning as a tuple (code, numbers, index, file, name, other); and a list of such tuples. */
PyObject *tw_py_warning(const tw_warning *warning);
PyObject *tw_py_warnings(const tw_warnings *warnings);

/* ---- dictionaries and structs (fields.c) ---- */

typedef enum tw_py_kind {
    TW_PY_REAL,     /* double */
    TW_PY_COUNT,    /* size_t */
    TW_PY_SEED,     /* uint64_t */
    TW_PY_FLAG,     /* bool */
    TW_PY_TEXT,     /* const char *, valid as long as the dictionary */
    TW_PY_METHOD,   /* tw_method */
    TW_PY_METRIC,   /* tw_metric */
    TW_PY_EP_METHOD /* tw_ep_method */
} tw_py_kind;

/* A member of a struct. A table of members ends with the name NULL. */
typedef struct tw_py_field {
    const char *name;
    tw_py_kind kind;
    size_t offset;
} tw_py_field;

/* Fill a struct from a dictionary; an unknown key is an error. */
bool tw_py_read(PyObject *dictionary, const tw_py_field *fields, void *to);

/* A dictionary from a struct. */
PyObject *tw_py_build(const tw_py_field *fields, const void *from);

/* ---- problems and computations on them (problem.c, job.c) ---- */

typedef struct tw_py_team tw_py_team; /* team.c */

/* A problem with its context. */
typedef struct tw_py_problem {
    PyObject_HEAD tw_context *ctx;
    tw_problem *whole;
    const tw_model *model; /* of `whole` */
    const tw_likelihood *likelihood;
    tw_data *read;        /* the data that read_data read from a file; otherwise NULL */
    PyObject *log;        /* called with every note and warning: log(text), log(warning) */
    pthread_mutex_t lock; /* held by the running computation: there is at most one */
    tw_py_team *team;     /* the team of its computations; NULL: none */
} tw_py_problem;

/* Problem.share (team.c); and freeing its team. */
PyObject *tw_py_share(PyObject *problem, PyObject *team);
void tw_py_team_free(tw_py_team *team);

/* Make an empty problem; fill it. tw_py_problem_fill takes ownership of `whole`, which must belong to the
 * problem's context. */
tw_py_problem *tw_py_problem_new(PyTypeObject *type, PyObject *log);
void tw_py_problem_fill(tw_py_problem *problem, tw_problem *whole);

typedef struct tw_py_job {
    tw_py_problem *problem;
    tw_py_state *state;
    PyObject *progress; /* a callable, or NULL */
    PyThreadState *thread;
    double asked; /* the time of the last call of Python, in seconds */
    bool stopped; /* the progress function asked to stop */
    bool failed;  /* a Python exception is pending: KeyboardInterrupt, or one of a callback */
} tw_py_job;

/* Release the interpreter's lock and take the problem's. progress may be None. Returns false if an exception
 * is set. Until tw_py_end only the functions below may use Python. */
bool tw_py_begin(tw_py_job *job, tw_py_problem *problem, PyObject *progress);

/* Take the interpreter's lock back and release the problem's. Returns false, with an exception set, if the
 * status is a failure or a callback raised an exception. */
bool tw_py_end(tw_py_job *job, tw_status status);

/* The current time, in seconds. */
double tw_py_seconds(void);

/* Set BLAS to one thread; restore its number of threads after the last computation. */
void tw_py_blas_borrow(tw_py_state *state);
void tw_py_blas_return(tw_py_state *state);

/* For the library's callbacks, with the job as `user`: must the computation stop? From time to time they
 * check for signals (Ctrl-C) and call the progress function. */
bool tw_py_interrupted(void *job);
bool tw_py_progress(tw_py_job *job, const tw_progress *progress);

/* ---- Gaussian approximations (approximation.c) ---- */

typedef struct tw_py_approximation {
    PyObject_HEAD tw_py_problem *problem;
    tw_approximation *fit;
} tw_py_approximation;

/* The q at the start of a path: None (the prior), an approximation, or a pair (mean, covariance). */
typedef struct tw_py_start {
    const tw_reference *q; /* the one to use */
    tw_reference *own;     /* the one to free, or NULL */
    bool is_pair;
    tw_py_input mean, covariance;
} tw_py_start;

bool tw_py_start_read(tw_py_problem *problem, PyObject *from, tw_py_start *start);
tw_status tw_py_start_make(tw_py_problem *problem, tw_py_start *start); /* does not use Python */
void tw_py_start_release(tw_py_start *start);

/* An Approximation object. Takes ownership of the fit, also if it fails. */
PyObject *tw_py_approximation_wrap(tw_py_problem *problem, tw_approximation *fit);

/* The fit of an Approximation object; NULL for None. Returns false, with an exception, if it is not an
 * approximation of this problem. */
bool tw_py_approximation_read(tw_py_problem *problem, PyObject *from, const tw_approximation **out);

/* ---- methods of Problem ---- */
PyObject *tw_py_laplace(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_ep(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_correct(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_sample(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_evidence(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_check(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_predict(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_parts(PyObject *self, PyObject *unused);
PyObject *tw_py_texts(size_t count, const char *const *texts); /* a list of str; None if texts is NULL */
PyObject *tw_py_levels_list(const tw_data *data);              /* in the format of tw_py_levels_get */
PyObject *tw_py_defaults(PyObject *self, PyObject *unused);
PyObject *tw_py_fit(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_hyper(PyObject *self, PyObject *arguments, PyObject *keywords);

/* Priors and fixed parameters, from lists of str (fit.c); the problem's parameters are set to the fixed
 * values. "default" means all parameters without a value or, with `every`, all that are not fixed. Returns false if
 * an exception is set; free *out also then. */
bool tw_py_priors_read(tw_py_problem *problem, PyObject *prior, PyObject *fix, bool every, tw_priors **out);

/* An estimate as a dictionary (evidence.c). */
PyObject *tw_py_estimate(const tw_estimate *estimate, double seconds);
PyObject *tw_py_constants(PyObject *self, PyObject *unused);
PyObject *tw_py_log_likelihood(PyObject *self, PyObject *arguments);

/* ---- functions of the module ---- */
PyObject *tw_py_compare(PyObject *module, PyObject *arguments);
PyObject *tw_py_doubt(PyObject *module, PyObject *arguments);
PyObject *tw_py_likelihoods(PyObject *module, PyObject *unused);
PyObject *tw_py_load(PyObject *module, PyObject *arguments);
PyObject *tw_py_read_data(PyObject *module, PyObject *arguments);
PyObject *tw_py_methods(PyObject *module, PyObject *unused);
PyObject *tw_py_metrics(PyObject *module, PyObject *unused);
PyObject *tw_py_findings(PyObject *module, PyObject *unused);

/* The types. */
extern PyType_Spec tw_py_array_spec, tw_py_problem_spec, tw_py_approximation_spec, tw_py_draws_spec;

#endif
