/* data.h: data sets: inputs, one observation per row, the names of the columns, and standardisation.
 *
 * The ending of the file name determines the format:
 *   .npy           a NumPy array: 1-D or 2-D, float, integer or bool, little-endian
 *   .libsvm .svm   sparse text: "label index:value ...", indices from 1 on, increasing; the rest is zero
 *   anything else  CSV: fields separated by commas, semicolons, tabs or spaces, found out from the file; a
 *                  first line with any field that is not a number is a header, unless the next line has text at the
 *                  same places and numbers at the others; "quoted" fields, blank lines and lines that start with # are
 *                  fine. In a data set a column may be text from top to bottom: its categories
 * Files compressed with gzip (.csv.gz) are decompressed. The decimal mark is a point in every locale. Missing and
 * non-finite values are errors, except in ignored columns. Error messages (TW_BAD_FILE: cannot be read;
 * TW_BAD_DATA: invalid contents) name the file, line, column and value.
 *
 * The caller owns objects returned through `out` and frees them with the _free function of their type before the
 * context; *out is NULL after a failure. All matrices are column-major.
 */
#ifndef TALWEG_DATA_H
#define TALWEG_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The format that the ending of a file name means. */
typedef enum tw_format { TW_FORMAT_CSV, TW_FORMAT_LIBSVM, TW_FORMAT_NPY } tw_format;
TW_API tw_format tw_format_of(const char *path);

/* The texts of categories, in order: the code k = 0, 1, ... means text[k]. count 0: plain numbers. */
typedef struct tw_levels {
    size_t count;
    char **text; /* all in one block */
} tw_levels;

/* Copy; the caller releases `text`. */
TW_API tw_status tw_levels_copy(tw_context *ctx, const tw_levels *from, tw_levels *to);

/* Why a column cannot be used: a missing value, or text among numbers. The line (or row) of the first such value,
 * and the message; NULL if the column can be used. */
typedef struct tw_flaw {
    size_t line;
    char *words;
} tw_flaw;

/* A table of numbers, as read: rows x columns, leading dimension = rows. In a table from a libsvm file the label
 * is the first column. */
typedef struct tw_table {
    tw_context *ctx;
    size_t rows, columns;
    double *values;
    char **names;      /* one per column, all in one block, or NULL if the file has none */
    tw_levels *levels; /* one per column, or NULL when none is text */
    tw_flaw *flaws;    /* one per column, or NULL when all can be used */
    size_t *lines;     /* the line of each row, from 1; NULL if the format has no lines */
} tw_table;

/* Read a table of numbers. */
TW_API tw_status tw_table_read(tw_context *ctx, const char *path, tw_table **out);
TW_API void tw_table_free(tw_table *table);

/* A column that is not an input: known constants of the observations, such as the exposures of counts. */
enum { TW_DATA_COLUMNS = 8, TW_DATA_COLUMN_NAME = 32 };
typedef struct tw_constants {
    char name[TW_DATA_COLUMN_NAME]; /* its name in the likelihood (see likelihood.h): "exposure" */
    double *values;                 /* n */
    char *source;                   /* the name of the column in the file: "population"; or NULL */
} tw_constants;

/* n cases with d inputs each, and an observation y (NULL if the data have no label column). */
typedef struct tw_data {
    tw_context *ctx;
    size_t n, d;
    double *x;          /* n x d, leading dimension n */
    double *y;          /* n observations, or NULL */
    char **names;       /* d names of the inputs, all in one block, or NULL */
    tw_levels *levels;  /* d of them, the categories of the inputs that are text, or NULL: none is */
    tw_levels labels;   /* the meaning of y, if y was recoded: the labels of -1 and +1 for two classes, or
                           of 1, 2, ... for ordered levels; before tw_data_class_labels or
                           tw_data_order_labels, of 0, 1, ... for text */
    char *label_source; /* the name of the column of y in the file, or NULL */
    tw_levels ignored;  /* the names of the columns that were ignored */
    size_t *lines;      /* the line of each case in the file, or NULL */
    size_t columns;
    tw_constants column[TW_DATA_COLUMNS]; /* the first `columns` of them */
    size_t hidden; /* the last `hidden` of the n cases are hidden variables of a sparse prior: y is NaN
                      there, and inputs have no meaning */
} tw_data;

/* Read a data set. label is the column of y: a name, a 1-based index ("3"), a negative index counted from the end
 * ("-1"), "none" for inputs only, or NULL for the last column. In a libsvm file NULL means its label, and "none"
 * ignores the label.
 */
TW_API tw_status tw_data_read(tw_context *ctx, const char *path, const char *label, tw_data **out);

/* The same with further columns that are constants of the observations, not inputs: `column` selects the column,
 * as label does, and `name` is its new name. In a libsvm file the label is column 1. */
typedef struct tw_column_place {
    const char *name, *column;
} tw_column_place;
TW_API tw_status tw_data_read_columns(tw_context *ctx, const char *path, const char *label, size_t count,
                                      const tw_column_place *columns, tw_data **out);

/* The same with ignored columns. A first column without a name that numbers the rows, or has a different text in
 * each row, is always ignored, with a note in the log. */
typedef struct tw_reading {
    const char *label;
    size_t count; /* columns besides y and the inputs */
    const tw_column_place *columns;
    size_t ignored; /* ignored columns, selected as label is */
    const char *const *ignore;
    const tw_levels *leave_out; /* names of further columns to ignore, if the file has them and no other
                                   member selects them: for new cases, `ignored` of the training data;
                                   NULL: none */
} tw_reading;
TW_API tw_status tw_data_read_as(tw_context *ctx, const char *path, const tw_reading *reading, tw_data **out);

/* Set the names of the inputs: d names, which are copied; NULL: none. */
TW_API tw_status tw_data_set_names(tw_data *data, const char *const *names);

/* Reorder the inputs of the data by these d names. If the data have no names, or names is NULL, the order is
 * unchanged. `needed` marks the inputs that must be present (NULL: all); a missing input that is not needed
 * becomes zeros. TW_BAD_DATA: a needed name is missing or occurs twice, an input has none of these names, or the
 * number of inputs differs. */
TW_API tw_status tw_data_match(tw_data *data, size_t d, const char *const *names, const bool *needed);

/* Add zero inputs up to a total of d: a libsvm file lists only nonzero inputs. TW_BAD_ARGUMENT if there are
 * already more than d. */
TW_API tw_status tw_data_widen(tw_data *data, size_t d);

/* A data set from arrays, which are copied and must be finite. x has leading dimension ldx >= n; y may be NULL. */
TW_API tw_status tw_data_new(tw_context *ctx, size_t n, size_t d, const double *x, size_t ldx,
                             const double *y, tw_data **out);
TW_API void tw_data_free(tw_data *data);

/* Set a column of constants, replacing one of the same name: n numbers, which are copied; the likelihood checks
 * them. And look up a column; NULL if the name is unknown. */
TW_API tw_status tw_data_set_column(tw_data *data, const char *name, const double *values);
TW_API const double *tw_data_column(const tw_data *data, const char *name);

/* The original name of the column of y ("label") or of a constant ("exposure"), by which the same column of new
 * cases is found; NULL if it had no name. */
TW_API tw_status tw_data_set_source(tw_data *data, const char *role, const char *name);
TW_API const char *tw_data_source(const tw_data *data, const char *role);

/* Remove an input from the inputs and make it y ("label") or a constant of that name. */
TW_API tw_status tw_data_take(tw_data *data, size_t input, const char *role);

/* The same with one value for all cases. */
TW_API tw_status tw_data_repeat_column(tw_data *data, const char *name, double value);

/* A built-in problem of two classes in the plane: inputs uniform on [-2, 2]^2 and y = sign(f(x) + e), f(x) = 3
 * (sin(2 x_1) - x_2), e standard normal, so that p(y = +1 | x) = Phi(f(x)) is known and the best possible error
 * rate is about 7 %. `part` numbers independent sets: 0 for training, 1 for testing. */
TW_API tw_status tw_data_two_classes(tw_context *ctx, size_t n, uint64_t seed, uint64_t part, tw_data **out);

/* Recode labels of two classes as -1 and +1: {0, 1} becomes {-1, +1}, {-1, +1} is unchanged, and of any other two
 * whole numbers or texts the larger (texts in byte order) becomes +1, with a note in the log; data->labels keeps
 * the originals. `positive` (or NULL) is the label that becomes +1 instead; `known` (or NULL) are the labels of a
 * model's data, which these must match. Other labels are an error that leaves the data unchanged; a single class
 * of numbers gives a warning. */
TW_API tw_status tw_data_class_labels(tw_data *data, const char *positive, const tw_levels *known);
TW_API tw_status tw_data_binary_labels(tw_data *data); /* with neither */

/* Text labels: y holds codes 0, 1, ..., count - 1 of these texts, which are copied and must be in byte order, as
 * the readers sort them. For data from arrays, before tw_data_class_labels or tw_data_order_labels. */
TW_API tw_status tw_data_set_label_texts(tw_data *data, size_t count, const char *const *texts);

/* Labels of ordered levels, as 1, 2, ... in the order of these texts (or numbers as text). */
TW_API tw_status tw_data_order_labels(tw_data *data, size_t count, const char *const *levels);

/* The categories of an input, NULL if it is numeric; and a function that makes an input with codes 0, 1, ...,
 * count - 1 categorical, with these texts, which are copied. */
TW_API const tw_levels *tw_data_levels(const tw_data *data, size_t input);
TW_API tw_status tw_data_set_levels(tw_data *data, size_t input, size_t count, const char *const *texts);

/* Recode the categories of new cases as in the training cases, for the inputs that are needed (NULL: all). An
 * unknown category is TW_NEW_CATEGORY; with `new_ones` it becomes a new category. */
TW_API tw_status tw_data_match_levels(tw_data *data, const tw_data *train, const bool *needed, bool new_ones);

/* The constants that standardised a data set, kept for prediction: x -> (x - centre) / scale per input, with the
 * population standard deviation as scale. Constant columns carry no information and are dropped, with a note in
 * the log. Categories are unchanged. */
typedef struct tw_scaling {
    tw_context *ctx;
    size_t d_in;    /* inputs before */
    size_t d_out;   /* inputs after, without constant columns */
    size_t *column; /* d_out indices of the columns kept */
    double *centre; /* d_out */
    double *scale;  /* d_out */
    char **names;   /* d_in names of the inputs before, all in one block, or NULL */
} tw_scaling;

/* Compute the constants; data are unchanged. */
TW_API tw_status tw_scaling_fit(const tw_data *data, tw_scaling **out);

/* Standardise data of d_in inputs in place, to d_out inputs. After a failure (a wrong number of inputs, a value
 * that would overflow) the data are unchanged. */
TW_API tw_status tw_scaling_apply(const tw_scaling *scaling, tw_data *data);
TW_API void tw_scaling_free(tw_scaling *scaling);

#ifdef __cplusplus
}
#endif

#endif
