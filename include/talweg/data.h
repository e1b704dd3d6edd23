/* data.h: a data set: inputs, one observation per row, and where each column came from.
 *
 * Readers take CSV, libsvm sparse text and .npy, by the file's ending (.csv, .txt, .tsv and anything else:
 * CSV; .libsvm, .svm: libsvm; .npy). Errors name file, line, column and what was found.
 */
#ifndef TALWEG_DATA_H
#define TALWEG_DATA_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plain table of numbers, as read: rows x columns, column-major, leading dimension = rows. */
typedef struct tw_table {
    tw_context *ctx;
    size_t rows, columns;
    double *values;
    char **names; /* one per column, or NULL when the file had none */
} tw_table;

TW_API tw_status tw_table_read(tw_context *ctx, const char *path, tw_table **out);
TW_API void tw_table_free(tw_table *table);

/* n cases with d inputs each, and an observation y (NULL when the data have no label column). */
typedef struct tw_data {
    tw_context *ctx;
    size_t n, d;
    double *x;    /* n x d, column-major, leading dimension n */
    double *y;    /* n observations, or NULL */
    char **names; /* d names of the inputs, or NULL */
} tw_data;

/* Read a data set. label says which column is y: a name, a 1-based index ("3"), a negative index counted from
 * the end ("-1"), "none" for inputs only, or NULL for the last column. libsvm files have their label first.
 */
TW_API tw_status tw_data_read(tw_context *ctx, const char *path, const char *label, tw_data **out);

/* A data set from arrays of the caller's, which are copied. x has leading dimension ldx; y may be NULL. */
TW_API tw_status tw_data_new(tw_context *ctx, size_t n, size_t d, const double *x, size_t ldx,
                             const double *y, tw_data **out);
TW_API void tw_data_free(tw_data *data);

/* Labels of two classes: {0, 1} becomes {-1, +1}, {-1, +1} stays. Anything else is an error that says what
 * was found; a single class is a warning in the context's log. */
TW_API tw_status tw_data_binary_labels(tw_data *data);

/* The constants that standardised a data set, kept for prediction: x -> (x - centre) / scale per input, with
 * the population standard deviation as scale. Constant columns carry no information: they are dropped. */
typedef struct tw_scaling {
    tw_context *ctx;
    size_t d_in;    /* inputs before */
    size_t d_out;   /* inputs after: constant columns are gone */
    size_t *column; /* d_out indices of the columns kept */
    double *centre; /* d_out */
    double *scale;  /* d_out */
} tw_scaling;

TW_API tw_status tw_scaling_fit(const tw_data *data, tw_scaling **out);
TW_API tw_status tw_scaling_apply(const tw_scaling *scaling, tw_data *data);
TW_API void tw_scaling_free(tw_scaling *scaling);

#ifdef __cplusplus
}
#endif

#endif
