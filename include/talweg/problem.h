/* problem.h: a model together with all that it was made of: data, how they were scaled, kernel, likelihood. That
 * is what files keep, and what predictions need beside the draws.
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

/* What a problem is made of. */
typedef struct tw_problem_parts {
    tw_data *data;       /* the inputs as the kernel sees them, y, and the likelihood's columns */
    tw_scaling *scaling; /* how they were standardised; NULL: they were not */
    tw_kernel *kernel;
    const tw_likelihood *likelihood;
    const double *phi;     /* the likelihood's parameters (see likelihood.h); NULL: their initial values */
    const bool *phi_given; /* did somebody give it? One for each; NULL: all of phi, where there is one */
    double jitter;
    tw_model_maker *make_model; /* NULL: tw_model_from_data */
} tw_problem_parts;

/* A model together with all that it was made of, which is the problem's. */
typedef struct tw_problem {
    tw_context *ctx;
    tw_data *data;
    tw_scaling *scaling;
    tw_kernel *kernel;
    const tw_likelihood *likelihood;
    double *phi;     /* likelihood->parameters of them; NULL where there are none */
    bool *phi_given; /* as many */
    double jitter;
    tw_model_maker *make_model;
    tw_model *model;
} tw_problem;

/* Make a problem and its model. Data, scaling and kernel are taken over in any case: they belong to the problem, or are
 * freed where this fails; phi and phi_given are copied. A part that is missing (data, kernel, likelihood NULL) is TW_BAD_ARGUMENT. */
TW_API tw_status tw_problem_new(tw_context *ctx, const tw_problem_parts *parts, tw_problem **out);
TW_API void tw_problem_free(tw_problem *problem);

/* Free data, scaling and kernel of parts that will not become a problem. */
TW_API void tw_problem_parts_free(const tw_problem_parts *parts);

/* What labels mean, where they are not numbers that say so. */
typedef struct tw_label_choice {
    const char *positive; /* which of two is +1; NULL: the larger */
    size_t count;         /* ordered levels, from the lowest to the highest: they become 1, 2, ... */
    const char *const *level;
} tw_label_choice;

/* Labels of data that are to become part of a problem, as the likelihood wants them: -1 and +1 for two classes, 1, 2, ... for
 * ordered levels, else numbers as they are. choice NULL: nothing is chosen. The labels of new cases are made as those of the
 * training data, known, were (NULL: these are the training data). */
TW_API tw_status tw_labels_take(const tw_likelihood *likelihood, const tw_label_choice *choice,
                                const tw_levels *known, tw_data *data);

/* Its observations. */
TW_API tw_observations tw_problem_observed(const tw_problem *problem);

/* How many inputs new cases must have, before they are standardised, and what they are called: NULL where the data had no
 * names. The names are the problem's. */
TW_API size_t tw_problem_inputs(const tw_problem *problem, const char *const **names);

/* Inputs of new cases as the problem's kernel sees them: in the order of the problem's, by name where both have names
 * (tw_data_match), on their scale, with their categories (tw_data_match_levels). An input with a name that the kernel does not look at
 * may be absent. */
TW_API tw_status tw_problem_take_inputs(const tw_problem *problem, bool new_categories, tw_data *at);

/* ---- theta ---- *
 *
 * All parameters of a problem are one vector theta of real numbers (parameter.h): those of the kernel and behind them those
 * of the likelihood. They are called as covariance.h and likelihood.h say: ell, sigma, noise. */

/* How many there are; what the j-th is; and which one a name means: the number of parameters where it means none. */
TW_API size_t tw_problem_count(const tw_problem *problem);
TW_API const tw_parameter *tw_problem_parameter(const tw_problem *problem, size_t j);
TW_API size_t tw_problem_find(const tw_problem *problem, const char *name);

/* Did somebody give the j-th its value? */
TW_API bool tw_problem_is_given(const tw_problem *problem, size_t j);

/* theta as it is, copied. */
TW_API void tw_problem_get_theta(const tw_problem *problem, double *theta);

/* The same problem at another theta: the data stay, K and its factor are made again. What was made of the model before must
 * be freed first. Where this fails (TW_BAD_ARGUMENT: a value outside its range), the problem is as it was. */
TW_API tw_status tw_problem_set_theta(tw_problem *problem, const double *theta);

/* Give new cases the likelihood's columns that the problem's data have and they lack, where all training cases have the
 * same value. *differs is the first column that they lack still, because it does not; NULL: there is none. */
TW_API tw_status tw_problem_fill_columns(const tw_problem *problem, tw_data *at, const tw_column **differs);

/* The parameters of the kernel that were not given, with their values, in words: "ell = 1, sigma = 1"; "" where there are none.
 * tw_problem_warn_defaults hands a warning of them to the receiver of the context, where there are any. */
TW_API void tw_problem_describe_defaults(const tw_problem *problem, char *words, size_t bytes);
TW_API void tw_problem_warn_defaults(const tw_problem *problem);

/* Warn of length scales that are far below, or far above, all distances between inputs, leaf by leaf: cases that say nothing
 * of each other, or a function that is as good as constant. */
TW_API void tw_problem_warn_lengths(const tw_problem *problem);

/* How many cases are censored. */
TW_API size_t tw_problem_censored(const tw_problem *problem);

/* The likelihood's parameters, where they are not the initial ones, and columns in words: "noise 0.5", "exposure from 1
 * to 4". */
TW_API void tw_problem_describe_constants(const tw_problem *problem, char *words, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
