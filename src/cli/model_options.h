/* model_options.h: the options that say which data and which model, shared by every command that needs them,
 * and those that every command has. */
#ifndef TALWEG_CLI_MODEL_OPTIONS_H
#define TALWEG_CLI_MODEL_OPTIONS_H

#include "cli/json.h"
#include "cli/likelihood_options.h"
#include "cli/options.h"
#include "talweg/output.h"

/* What the labels mean, where they are not numbers that say so. */
typedef struct tw_label_options {
    const char *positive; /* which of two is +1; NULL: the larger */
    const char *levels;   /* ordered levels, with commas between them; NULL: there are none */
} tw_label_options;

typedef struct tw_model_options {
    const char *data;
    const char *model_file;   /* NULL: none; its options are among the rest already (cli/model_file.h) */
    const char *label_column; /* NULL: the last */
    tw_label_options labels;
    tw_operands ignore;
    bool standardise;
    const char *likelihood;
    tw_likelihood_options given; /* its parameters and columns */
    const char *kernel;
    const char *log_ell; /* NULL: not given */
    const char *ell;     /* the same of the scales themselves */
    double log_sigma;    /* NaN: not given */
    double sigma;
    double constant, white;
    const char *kernel_matrix;
    const char *precision_matrix, *design_matrix;
    double jitter;
    bool distribute; /* its matrices lie over the processes that mpirun started */
} tw_model_options;

/* The groups for a command's table, whose values have these options as `member` of their struct `type`. The
 * last rows of the first, from log-ell to the matrices, are left out by commands that go through a grid of the
 * first two. */
enum { TW_MODEL_OPTION_COUNT = 19, TW_GRID_MODEL_OPTION_COUNT = 12 };
extern const tw_option tw_model_option_rows[TW_MODEL_OPTION_COUNT];
#define TW_MODEL_OPTION_GROUPS(type, member)                                                 \
    {"Data and model", tw_model_option_rows, TW_MODEL_OPTION_COUNT, offsetof(type, member)}, \
        TW_LIKELIHOOD_OPTION_GROUP(offsetof(type, member) + offsetof(tw_model_options, given))

/* Of commands that work with such a model. */
extern const tw_option tw_distribute_option_row;
#define TW_DISTRIBUTE_OPTION_GROUP(type, member)                              \
    {                                                                         \
        "Many machines", &tw_distribute_option_row, 1, offsetof(type, member) \
    }

/* Do the options of a group say what the model is? */
bool tw_group_is_of_model(const tw_option_group *group);

typedef struct tw_output_options {
    bool json, quiet, no_warnings, force;
} tw_output_options;
enum { TW_OUTPUT_OPTION_COUNT = 4 };
extern const tw_option tw_output_option_rows[TW_OUTPUT_OPTION_COUNT];
#define TW_OUTPUT_OPTION_GROUP(type, member)                                            \
    {                                                                                   \
        "Output", tw_output_option_rows, TW_OUTPUT_OPTION_COUNT, offsetof(type, member) \
    }

/* Read the data and build the model. */
tw_status tw_model_options_load(tw_context *ctx, const tw_model_options *options, tw_problem **out);

/* The same for data made in the program, which options->data only names: they become the problem's, and are
 * freed after a failure. */
tw_status tw_model_options_build(tw_context *ctx, const tw_model_options *options, tw_data *data,
                                 tw_problem **out);

/* Labels as a likelihood wants them: -1 and +1 for two classes, 1, 2, ... for ordered levels; for new cases as the labels of the
 * training data, known, were made. The message names the file. */
tw_status tw_labels_for(const tw_likelihood *likelihood, const char *path, const tw_label_options *options,
                        const tw_levels *known, tw_data *data);

/* Columns of the file path as columns of data: where its inputs do not matter. */
tw_status tw_read_columns(const char *path, size_t count, const tw_column_place *places, tw_data *data);

/* A model in a line or two, for people: likelihood, kernel and its parameters, rank. */
void tw_model_print(const tw_problem *problem, FILE *to);

/* The same for programs: {"cases", "inputs", "standardised", "likelihood", "kernel", "jitter", "parameters": {name:
 * natural value}}; the kernel is an expression, null for a given matrix. */
json_t *tw_model_encode(const tw_problem *problem, bool *ok);

/* DATA, log-ell and log-sigma, whose defaults depend on whether there is DATA, instead of the shared rows. */
enum { TW_BUILT_IN_OPTION_COUNT = 3 };
extern const tw_option tw_built_in_option_rows[TW_BUILT_IN_OPTION_COUNT];
#define TW_BUILT_IN_OPTION_GROUPS(type, member)                                                         \
    {"Data and parameters", tw_built_in_option_rows, TW_BUILT_IN_OPTION_COUNT, offsetof(type, member)}, \
        {"Parameters on the natural scale", tw_model_option_rows + TW_MODEL_OPTION_COUNT - 5, 2,        \
         offsetof(type, member)},                                                                       \
        {"Model", tw_model_option_rows + 1, TW_GRID_MODEL_OPTION_COUNT - 1, offsetof(type, member)},    \
        TW_LIKELIHOOD_OPTION_GROUP(offsetof(type, member) + offsetof(tw_model_options, given)),         \
    {                                                                                                   \
        "A given matrix", tw_model_option_rows + TW_MODEL_OPTION_COUNT - 3, 3, offsetof(type, member)   \
    }

/* The model of the options, or of that many cases of the built-in problem. */
tw_status tw_built_in_load(tw_context *ctx, const tw_model_options *options, size_t cases, tw_problem **out);

#endif
