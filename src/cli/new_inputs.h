/* new_inputs.h: the cases to predict:
 * their inputs, or their covariances with the training cases, and labels. */
#ifndef TALWEG_CLI_NEW_INPUTS_H
#define TALWEG_CLI_NEW_INPUTS_H

#include "cli/likelihood_options.h"
#include "talweg/output.h"

typedef struct tw_new_inputs {
    tw_context *ctx;
    size_t m;
    tw_data *data;              /* inputs on the model's scale (none with covariances), labels and columns */
    tw_table *cross, *variance; /* n x m covariances and m prior variances; NULL with inputs */
    const double *y;            /* m labels, in data; NULL: none */
    double *label;              /* m labels as in the file; indices into `labels` if they are texts */
    tw_levels labels;           /* the texts of labels; empty for numbers */
    bool *absent;               /* which of the model's inputs the file lacks; NULL with covariances */
} tw_new_inputs;

/* `count` cases from `first` on, as observations of the problem's likelihood. */
tw_observations tw_new_inputs_observed(const tw_new_inputs *inputs, const tw_problem *problem, size_t first,
                                       size_t count);

/* The columns of a file that are not inputs. */
typedef struct tw_new_columns {
    const char *label;                  /* NULL: found as described below */
    const tw_likelihood_options *given; /* columns of the likelihood */
    const tw_operands *ignore;          /* columns to ignore */
    bool new_categories;                /* accept categories that the training data do not have */
} tw_new_columns;

/* Read new inputs for a model with a kernel. If columns.label is NULL, y is the column named as in the
 * training data; if that name is not known, the last column, if its name is not that of an input or (without
 * names) if there is one more column than inputs; in a libsvm file, its label. Otherwise there is no y.
 * Inputs are matched by name if both files have names, otherwise by position. A column of the likelihood that
 * is not given is the one named as in the training data; if there is none, its value in the training data if
 * that is constant, otherwise its default, with a warning. A libsvm file may have fewer inputs than the
 * model: the others are zero. */
tw_status tw_new_inputs_read(const tw_problem *problem, const char *path, tw_new_columns columns,
                             tw_new_inputs *out);

/* Read new cases for a model with a given matrix:
 * covariances, prior variances, and labels unless path is "". */
tw_status tw_new_covariances_read(const tw_problem *problem, const char *cross, const char *diagonal,
                                  const char *path, tw_new_columns columns, tw_new_inputs *out);

/* Call it also after a failure. */
void tw_new_inputs_free(tw_new_inputs *inputs);

#endif
