/* binding.h: what the files of the extension module _talweg share.
 *
 * The module is thin: it hands arrays to the library, runs computations without the interpreter's lock, and
 * wraps what comes out. Names, defaults and everything that a user reads are in Python, in ../talweg. It keeps
 * to the stable ABI of Python 3.11, so that one build serves every later version.
 */
#ifndef TALWEG_PYTHON_BINDING_H
#define TALWEG_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdbool.h>

#include <talweg/talweg.h>

/* Where a table of functions wants a void *: PyType_Slot and PyModuleDef_Slot do. */
#define TW_PY_SLOT(id, function)          \
    {                                     \
        id, (void *)(uintptr_t)(function) \
    }
#define TW_PY_METHOD_ROW(name, function)                                                  \
    {                                                                                     \
        name, (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS, NULL \
    }

/* What the module knows: its types and exceptions, and how many threads BLAS had before talweg took it. */
typedef struct tw_py_state {
    PyObject *array, *problem, *approximation, *draws; /* types */
    PyObject *error, *input_error, *numerical_error, *memory_error, *file_error;
    int computing;    /* computations under way */
    int blas_threads; /* to give back after the last of them */
} tw_py_state;

tw_py_state *tw_py_state_of(PyObject *self); /* of an object of one of the types */

/* Raise the exception that goes with a status. Returns NULL. */
PyObject *tw_py_raise(const tw_py_state *state, tw_status status, const char *message);

/* ---- arrays (array.c) ---- */

/* Where numbers are: up to three dimensions, strides in bytes. */
typedef struct tw_py_view {
    const void *data;
    const char *format; /* of the struct module: "d", "?", "Q" */
    Py_ssize_t item_bytes;
    int dimensions;
    Py_ssize_t shape[3], strides[3];
} tw_py_view;

/* An object that exports the memory of a view, read-only, and keeps `owner` alive as long as anyone looks. */
PyObject *tw_py_array(const tw_py_state *state, PyObject *owner, const tw_py_view *view);
PyObject *tw_py_vector(const tw_py_state *state, PyObject *owner, const double *data, size_t n);

/* Doubles that lie in an object of Python, column-major; nothing is copied. data is NULL for None. */
typedef struct tw_py_input {
    Py_buffer buffer;
    const double *data;
    size_t rows, columns, ld;
} tw_py_input;

bool tw_py_input_get(PyObject *from, const char *name, tw_py_input *out);
void tw_py_input_release(tw_py_input *input);

/* Columns of observations from a dictionary {name: array of n}; release them also after a failure. */
typedef struct tw_py_columns {
    size_t count;
    const char *name[TW_COLUMNS + 1];
    tw_py_input input[TW_COLUMNS + 1];
} tw_py_columns;
bool tw_py_columns_get(PyObject *from, size_t n, tw_py_columns *out);
void tw_py_columns_release(tw_py_columns *columns);
tw_status tw_py_columns_put(const tw_py_columns *columns, tw_data *data);

/* Names from a list of str, or from None: then there are none. They live as long as the list; release the array of them
 * also after a failure. */
typedef struct tw_py_names {
    size_t count;
    const char **name;
} tw_py_names;
bool tw_py_names_get(PyObject *from, tw_py_names *out);
void tw_py_names_release(tw_py_names *names);

/* The categories of inputs that are text, from a list with an item for each input: a list of str, or None where it is
 * numbers; or from None: all are numbers. Release it also after a failure. (table.c) */
typedef struct tw_py_levels {
    size_t count;
    tw_py_names *input;
} tw_py_levels;
bool tw_py_levels_get(PyObject *from, tw_py_levels *out);
void tw_py_levels_release(tw_py_levels *levels);
tw_status tw_py_levels_put(const tw_py_levels *levels, tw_data *data);

/* What labels mean, from a tuple (texts, levels, positive): the texts that y numbers, ordered levels, which of two is +1; each
 * may be None. Release it also after a failure. */
typedef struct tw_py_labels {
    tw_py_names texts, levels;
    const char *positive;
} tw_py_labels;
bool tw_py_labels_get(PyObject *from, tw_py_labels *out);
void tw_py_labels_release(tw_py_labels *labels);

/* Labels as the likelihood wants them; known: those of the training cases, or NULL. */
tw_status tw_py_labels_put(const tw_py_labels *labels, const tw_likelihood *likelihood,
                           const tw_levels *known, tw_data *data);

/* A likelihood's parameters from a dictionary {name: number}; those that are not in it have their initial values. */
enum { TW_PY_PARAMETERS = 64 };
bool tw_py_parameters_get(PyObject *from, const tw_likelihood *likelihood, double phi[TW_PY_PARAMETERS],
                          bool given[TW_PY_PARAMETERS]);

/* The same to be written to: contiguous, `count` numbers. */
double *tw_py_output_get(PyObject *from, const char *name, size_t count, Py_buffer *buffer);

/* ---- warnings (warning.c) ---- */

/* (code, numbers, index, file, name, other), and a list of those. */
PyObject *tw_py_warning(const tw_warning *warning);
PyObject *tw_py_warnings(const tw_warnings *warnings);

/* ---- dictionaries and structs (fields.c) ---- */

typedef enum tw_py_kind {
    TW_PY_REAL,     /* double */
    TW_PY_COUNT,    /* size_t */
    TW_PY_SEED,     /* uint64_t */
    TW_PY_FLAG,     /* bool */
    TW_PY_TEXT,     /* const char *, that of the dictionary while it lives */
    TW_PY_METHOD,   /* tw_method */
    TW_PY_METRIC,   /* tw_metric */
    TW_PY_EP_METHOD /* tw_ep_method */
} tw_py_kind;

/* A member of a struct; a table of them ends with a name that is NULL. */
typedef struct tw_py_field {
    const char *name;
    tw_py_kind kind;
    size_t offset;
} tw_py_field;

bool tw_py_read(PyObject *dictionary, const tw_py_field *fields,
                void *to); /* refuses keys it does not know */
PyObject *tw_py_build(const tw_py_field *fields, const void *from);

/* ---- problems and computations on them (problem.c, job.c) ---- */

typedef struct tw_py_team tw_py_team; /* team.c */

/* A model with its context. One computation at a time: the lock is held by it. */
typedef struct tw_py_problem {
    PyObject_HEAD tw_context *ctx;
    tw_problem *whole;
    const tw_model *model; /* that of the whole */
    const tw_likelihood *likelihood;
    tw_data *read; /* what read_data found in a file; else NULL */
    PyObject *log; /* called with every note and warning: log(text), log(warning) */
    pthread_mutex_t lock;
    tw_py_team *team; /* whose member computes; NULL: it is alone */
} tw_py_problem;

/* Problem.share (team.c), and what it leaves. */
PyObject *tw_py_share(PyObject *problem, PyObject *team);
void tw_py_team_free(tw_py_team *team);

/* A problem that is still empty, and what makes it one. Takes `whole` over, which is of its context. */
tw_py_problem *tw_py_problem_new(PyTypeObject *type, PyObject *log);
void tw_py_problem_fill(tw_py_problem *problem, tw_problem *whole);

typedef struct tw_py_job {
    tw_py_problem *problem;
    tw_py_state *state;
    PyObject *progress; /* a callable, or NULL */
    PyThreadState *thread;
    double asked; /* when Python was asked last, in seconds */
    bool stopped; /* progress said that it is enough */
    bool failed;  /* a Python exception is waiting: KeyboardInterrupt, or one of a callback */
} tw_py_job;

/* Let go of the interpreter's lock and take the problem's. progress may be None. False: an exception is set.
 * Between the two no Python may be touched, but by the functions below. */
bool tw_py_begin(tw_py_job *job, tw_py_problem *problem, PyObject *progress);

/* Take the interpreter's lock back. False where the status is a failure or something in Python went wrong: an
 * exception is set. */
bool tw_py_end(tw_py_job *job, tw_status status);

/* A moment, in seconds. */
double tw_py_seconds(void);

/* Give BLAS one thread, and put it back to what it had when the last computation is over. */
void tw_py_blas_borrow(tw_py_state *state);
void tw_py_blas_return(tw_py_state *state);

/* For the library's callbacks, user being a job: should it end? Looks at signals (Ctrl-C) and progress now
 * and then. */
bool tw_py_interrupted(void *job);
bool tw_py_progress(tw_py_job *job, const tw_progress *progress);

/* ---- Gaussian approximations (approximation.c) ---- */

typedef struct tw_py_approximation {
    PyObject_HEAD tw_py_problem *problem;
    tw_approximation *fit;
} tw_py_approximation;

/* The q that a path starts from. `start` is None (the prior), an approximation, or a pair (mean, covariance).
 * *own is to be freed; *q is what to use. */
typedef struct tw_py_start {
    const tw_reference *q;
    tw_reference *own;
    bool is_pair;
    tw_py_input mean, covariance;
} tw_py_start;

bool tw_py_start_read(tw_py_problem *problem, PyObject *from, tw_py_start *start);
tw_status tw_py_start_make(tw_py_problem *problem, tw_py_start *start); /* no Python */
void tw_py_start_release(tw_py_start *start);

/* Takes the fit over, also when it fails. */
PyObject *tw_py_approximation_wrap(tw_py_problem *problem, tw_approximation *fit);

/* NULL for None; false with an exception where it is not an approximation of this problem. */
bool tw_py_approximation_read(tw_py_problem *problem, PyObject *from, const tw_approximation **out);

/* ---- methods of Problem, each in the file of its subject ---- */
PyObject *tw_py_laplace(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_ep(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_correct(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_sample(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_evidence(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_check(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_predict(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_parts(PyObject *self, PyObject *unused);
PyObject *tw_py_texts(size_t count, const char *const *texts); /* a list of str; None where texts is NULL */
PyObject *tw_py_levels_list(const tw_data *data);              /* as tw_py_levels_get wants it */
PyObject *tw_py_defaults(PyObject *self, PyObject *unused);
PyObject *tw_py_fit(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *tw_py_hyper(PyObject *self, PyObject *arguments, PyObject *keywords);

/* Priors and what is fixed, from lists of str; the problem moves to what is fixed. False: an exception is set, and there may be
 * something to free. (fit.c) */
bool tw_py_priors_read(tw_py_problem *problem, PyObject *prior, PyObject *fix, tw_priors **out);

/* An estimate as a dictionary. (evidence.c) */
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
