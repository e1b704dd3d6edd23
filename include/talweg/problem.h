/* problem.h: a model with its parts: data, their scaling, kernel, likelihood. Files store problems, and predictions
 * need them besides the draws.
 */
#ifndef TALWEG_PROBLEM_H
#define TALWEG_PROBLEM_H

#include <talweg/base.h>
#include <talweg/covariance.h>
#include <talweg/data.h>
#include <talweg/likelihood.h>
#include <talweg/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts of a problem. */
typedef struct tw_problem_parts {
    tw_data *data;       /* the inputs of the kernel, y, and the likelihood's columns */
    tw_scaling *scaling; /* how they were standardised; NULL: not standardised */
    tw_kernel *kernel;
    const tw_likelihood *likelihood;
    const double *phi;     /* the likelihood's parameters (see likelihood.h); NULL: their initial values */
    const bool *phi_given; /* was each parameter given? NULL: all, if phi is not NULL */
    double jitter;
    tw_model_maker *make_model; /* NULL: tw_model_from_data */
} tw_problem_parts;

/* A model with its parts, which belong to the problem. */
typedef struct tw_problem {
    tw_context *ctx;
    tw_data *data;
    tw_scaling *scaling;
    tw_kernel *kernel;
    const tw_likelihood *likelihood;
    double *phi;     /* likelihood->parameters numbers; NULL if there are none */
    bool *phi_given; /* as many */
    double jitter;
    tw_model_maker *make_model;
    tw_model *model;
} tw_problem;

/* Make a problem and its model. The problem takes ownership of data, scaling and kernel, which are freed if the
 * call fails; phi and phi_given are copied. TW_BAD_ARGUMENT if data, kernel or likelihood is NULL. */
TW_API tw_status tw_problem_new(tw_context *ctx, const tw_problem_parts *parts, tw_problem **out);
TW_API void tw_problem_free(tw_problem *problem);

/* Free data, scaling and kernel of parts that were not passed to tw_problem_new. */
TW_API void tw_problem_parts_free(const tw_problem_parts *parts);

/* The meaning of labels. */
typedef struct tw_label_choice {
    const char *positive; /* the label that means +1; NULL: the larger */
    size_t count;         /* ordered levels, from the lowest to the highest: they become 1, 2, ... */
    const char *const *level;
} tw_label_choice;

/* Recode the labels of data for the likelihood: -1 and +1 for two classes, 1, 2, ... for ordered levels,
 * otherwise unchanged. choice NULL: the defaults. For new cases, `known` are the labels of the training data;
 * NULL: these are the training data. */
TW_API tw_status tw_labels_take(const tw_likelihood *likelihood, const tw_label_choice *choice,
                                const tw_levels *known, tw_data *data);

/* The observations of a problem. */
TW_API tw_observations tw_problem_observed(const tw_problem *problem);

/* The number of inputs of new cases, before standardising, and their names, which belong to the problem: NULL if
 * the data had no names. */
TW_API size_t tw_problem_inputs(const tw_problem *problem, const char *const **names);

/* Convert the inputs of new cases for the kernel of the problem: reordered by name if both have names
 * (tw_data_match), standardised, with the categories of the training data (tw_data_match_levels). A named input
 * that the kernel does not use may be absent. */
TW_API tw_status tw_problem_take_inputs(const tw_problem *problem, bool new_categories, tw_data *at);

/* ---- theta ---- *
 *
 * All parameters of a problem are one vector theta of real numbers (parameter.h): those of the kernel, followed
 * by those of the likelihood. Their names are those of covariance.h and likelihood.h: ell, sigma, noise. */

/* The number of parameters; the j-th parameter; and the index of a name, which is the number of parameters if the
 * name is unknown. */
TW_API size_t tw_problem_count(const tw_problem *problem);
TW_API const tw_parameter *tw_problem_parameter(const tw_problem *problem, size_t j);
TW_API size_t tw_problem_find(const tw_problem *problem, const char *name);

/* Was the value of the j-th parameter given? */
TW_API bool tw_problem_is_given(const tw_problem *problem, size_t j);

/* Copy the current theta. */
TW_API void tw_problem_get_theta(const tw_problem *problem, double *theta);

/* Set theta: the data are unchanged, K and its factor are recomputed. Objects made with the old model must be
 * freed first. After a failure (TW_BAD_ARGUMENT: a value outside its range) the problem is unchanged. */
TW_API tw_status tw_problem_set_theta(tw_problem *problem, const double *theta);

/* Add the likelihood's columns that new cases lack, if the column is constant in the problem's data. *differs is
 * the first missing column that is not constant there; NULL: none. */
TW_API tw_status tw_problem_fill_columns(const tw_problem *problem, tw_data *at, const tw_column **differs);

/* The parameters of the kernel that were not given, with their values: "ell = 1, sigma = 1"; "" if all were
 * given. tw_problem_warn_defaults sends a warning about them to the receiver of the context, if there are any. */
TW_API void tw_problem_describe_defaults(const tw_problem *problem, char *words, size_t bytes);
TW_API void tw_problem_warn_defaults(const tw_problem *problem);

/* Warn about leaves with length scales far below or far above all distances between inputs: nearly independent
 * cases, or a nearly constant function. */
TW_API void tw_problem_warn_lengths(const tw_problem *problem);

/* The number of censored cases. */
TW_API size_t tw_problem_censored(const tw_problem *problem);

/* Describe the likelihood's parameters that differ from their initial values, and its columns: "noise 0.5",
 * "exposure from 1 to 4". */
TW_API void tw_problem_describe_constants(const tw_problem *problem, char *words, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
