/* new_inputs.h: where predict should predict: inputs, or covariances with the training cases, and labels. */
#ifndef TALWEG_CLI_NEW_INPUTS_H
#define TALWEG_CLI_NEW_INPUTS_H

#include "cli/likelihood_options.h"
#include "talweg/output.h"

typedef struct tw_new_inputs {
    tw_context *ctx;
    size_t m;
    tw_data *
        data; /* inputs on the model's scale, labels and columns; where only covariances were given, no inputs */
    tw_table *cross, *variance; /* n x m covariances and m prior variances; NULL with inputs */
    const double *y;            /* m labels, in data, or NULL */
    double *label;              /* m of them as the file has them: */
    tw_levels labels;           /* numbers of these texts, where it has texts */
    bool *absent;               /* the model's inputs that the file does not have; NULL without inputs */
} tw_new_inputs;

/* The cases from `first` on as observations of the problem's likelihood. */
tw_observations tw_new_inputs_observed(const tw_new_inputs *inputs, const tw_problem *problem, size_t first,
                                       size_t count);

/* Which columns of a file are no inputs, NULL: see below; and whether categories may be new. */
typedef struct tw_new_columns {
    const char *label;
    const tw_likelihood_options *given;
    const tw_operands *ignore; /* left out */
    bool new_categories;
} tw_new_columns;

/* For a model with a kernel: the inputs in path. label NULL: y is the column of the same name as in the training
 * data; where that had none, the last column where there is one
 * more than the model has inputs, or where its name is none of an input (or the label of a libsvm file), else there is
 * none. Inputs are matched by name where both have names, else by their place. Columns of the
 * likelihood that are not given are those of the same name as in the training data; without one, the number of the training cases where they
 * have one value, else as the likelihood has it, with a warning. A libsvm file may have fewer
 * inputs than the model: the others are zero. */
tw_status tw_new_inputs_read(const tw_problem *problem, const char *path, tw_new_columns columns,
                             tw_new_inputs *out);

/* For a model with a given matrix: covariances, prior variances, and labels unless path is "". */
tw_status tw_new_covariances_read(const tw_problem *problem, const char *cross, const char *diagonal,
                                  const char *path, tw_new_columns columns, tw_new_inputs *out);

/* Also after a failure. */
void tw_new_inputs_free(tw_new_inputs *inputs);

#endif
