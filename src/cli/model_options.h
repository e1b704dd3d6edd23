/* model_options.h: the options of data and model, shared by all commands that need a model,
 * and the output options. */
#ifndef TALWEG_CLI_MODEL_OPTIONS_H
#define TALWEG_CLI_MODEL_OPTIONS_H

#include "cli/json.h"
#include "cli/likelihood_options.h"
#include "cli/options.h"
#include "talweg/output.h"

/* How to recode labels. */
typedef struct tw_label_options {
    const char *positive; /* the label that means +1; NULL: the larger */
    const char *levels;   /* comma-separated levels in order; NULL: none */
} tw_label_options;

typedef struct tw_model_options {
    const char *data;
    const char *model_file;   /* NULL: none; its options are already merged (cli/model_file.h) */
    const char *label_column; /* NULL: the last */
    tw_label_options labels;
    tw_operands ignore;
    bool standardise;
    const char *likelihood;
    tw_likelihood_options given; /* its parameters and columns */
    const char *kernel;
    const char *log_ell; /* comma-separated numbers; NULL: not given */
    const char *ell;     /* the same on the natural scale */
    double log_sigma;    /* NaN: not given */
    double sigma;        /* the same on the natural scale */
    double constant, white;
    const char *kernel_matrix;
    const char *precision_matrix, *design_matrix;
    double jitter;
    bool distribute; /* distribute the matrices over the processes of mpirun */
} tw_model_options;

/* The groups for a command whose struct `type` holds these options as `member`. talweg grid omits the last
 * rows, from log-ell to the matrices. */
enum { TW_MODEL_OPTION_COUNT = 19, TW_GRID_MODEL_OPTION_COUNT = 12 };
extern const tw_option tw_model_option_rows[TW_MODEL_OPTION_COUNT];
#define TW_MODEL_OPTION_GROUPS(type, member)                                                 \
    {"Data and model", tw_model_option_rows, TW_MODEL_OPTION_COUNT, offsetof(type, member)}, \
        TW_LIKELIHOOD_OPTION_GROUP(offsetof(type, member) + offsetof(tw_model_options, given))

/* --distribute, for the commands that support it. */
extern const tw_option tw_distribute_option_row;
#define TW_DISTRIBUTE_OPTION_GROUP(type, member)                              \
    {                                                                         \
        "Many machines", &tw_distribute_option_row, 1, offsetof(type, member) \
    }

/* Does a group hold options of the model? */
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

/* Build the model for given data (NULL: read options->data). Takes ownership of the data, also after a
 * failure; options->data is their name in messages. */
tw_status tw_model_options_build(tw_context *ctx, const tw_model_options *options, tw_data *data,
                                 tw_problem **out);

/* Recode labels for a likelihood: -1 and +1 for two classes, 1, 2, ... for ordered levels. For new cases
 * `known` holds the labels of the training data, which are recoded in the same way. Messages name the
 * file. */
tw_status tw_labels_for(const tw_likelihood *likelihood, const char *path, const tw_label_options *options,
                        const tw_levels *known, tw_data *data);

/* Read columns of the file `path` into data; for models that do not use the file's inputs. */
tw_status tw_read_columns(const char *path, size_t count, const tw_column_place *places, tw_data *data);

/* Print a model in a line or two: likelihood, kernel and its parameters, rank. */
void tw_model_print(const tw_problem *problem, FILE *to);

/* A model as JSON: {"cases", "inputs", "standardised", "likelihood", "kernel", "jitter", "parameters": {name:
 * natural value}}. The kernel is an expression, or null for a given matrix. */
json_t *tw_model_encode(const tw_problem *problem, bool *ok);

/* The rows DATA, log-ell and log-sigma of commands with a built-in problem: DATA is optional, and the
 * defaults of the others depend on it. */
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

/* Load the model of the options; without DATA, that of the built-in problem with this number of cases. */
tw_status tw_built_in_load(tw_context *ctx, const tw_model_options *options, size_t cases, tw_problem **out);

#endif
