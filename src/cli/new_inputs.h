/* new_inputs.h: where predict should predict: inputs, or covariances with the training cases, and labels. */
#ifndef TALWEG_CLI_NEW_INPUTS_H
#define TALWEG_CLI_NEW_INPUTS_H

#include "talweg/output.h"

typedef struct tw_new_inputs {
    size_t m;
    tw_data *data; /* inputs on the model's scale and labels; NULL: only covariances were given */
    tw_table *cross, *variance; /* n x m covariances and m prior variances; NULL with inputs */
    const double *y;            /* m labels, in data, or NULL */
} tw_new_inputs;

/* For a model with a kernel: the inputs in path. label NULL: the last column is y where there is one column
 * more than the model has inputs (or the label of a libsvm file), else there is none. */
tw_status tw_new_inputs_read(const tw_problem *problem, const char *path, const char *label,
                             tw_new_inputs *out);

/* For a model with a given matrix: covariances, prior variances, and labels unless path is "". */
tw_status tw_new_covariances_read(const tw_problem *problem, const char *cross, const char *diagonal,
                                  const char *path, const char *label, tw_new_inputs *out);

/* Also after a failure. */
void tw_new_inputs_free(tw_new_inputs *inputs);

#endif
