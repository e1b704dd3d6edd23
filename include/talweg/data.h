/* data.h: a data set: inputs, one observation per row, the names of its columns, and how it was standardised.
 *
 * Readers go by the ending of the file's name:
 *   .npy           a NumPy array: 1-D or 2-D, float, integer or bool, little-endian
 *   .libsvm .svm   sparse text: "label index:value ...", indices from 1 on, increasing; the rest is zero
 *   anything else  CSV: fields separated by commas, semicolons, tabs or spaces, found out from the file; a
 *                  first line with any field that is not a number is a header, unless the next line has text at the
 *                  same places and numbers at the others; "quoted" fields, blank lines and lines that start with # are
 *                  fine. In a data set a column may be text from top to bottom: its categories
 * and what is compressed by gzip is read as if it were not (.csv.gz). The decimal mark is a point in every locale. Values that are missing or not finite are refused, except in columns that are left out. Errors
 * (TW_BAD_FILE: cannot be read; TW_BAD_DATA: its contents) name file, line, column and what was found.
 *
 * Whatever a function makes through `out` belongs to the caller, who frees it with the _free function of its
 * type before the context; *out is NULL after a failure. All matrices are column-major.
 */
#ifndef TALWEG_DATA_H
#define TALWEG_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The format that the ending of a file's name stands for. */
typedef enum tw_format { TW_FORMAT_CSV, TW_FORMAT_LIBSVM, TW_FORMAT_NPY } tw_format;
TW_API tw_format tw_format_of(const char *path);

/* The texts of categories, in order: the number k, from 0 on, stands for text[k]. count 0: numbers are themselves. */
typedef struct tw_levels {
    size_t count;
    char **text; /* all in one block */
} tw_levels;

/* A copy, whose `text` is the caller's to release. */
TW_API tw_status tw_levels_copy(tw_context *ctx, const tw_levels *from, tw_levels *to);

/* Why a column cannot be used: a value is missing, or is no number. The line where that was found (else the row), and
 * the message; NULL where there is nothing wrong. */
typedef struct tw_flaw {
    size_t line;
    char *words;
} tw_flaw;

/* A plain table of numbers, as read: rows x columns, leading dimension = rows. In a table from a libsvm file
 * the label is the first column. */
typedef struct tw_table {
    tw_context *ctx;
    size_t rows, columns;
    double *values;
    char **names;      /* one per column, all in one block, or NULL when the file had none */
    tw_levels *levels; /* one per column, or NULL when none is text */
    tw_flaw *flaws;    /* one per column, or NULL when all can be used */
    size_t *lines;     /* the line of each row, from 1 on; NULL where the file has none */
} tw_table;

/* Read a table of numbers, whatever its columns mean. */
TW_API tw_status tw_table_read(tw_context *ctx, const char *path, tw_table **out);
TW_API void tw_table_free(tw_table *table);

/* A column that is no input: known constants of the observations, such as the exposures of counts. */
enum { TW_DATA_COLUMNS = 8, TW_DATA_COLUMN_NAME = 32 };
typedef struct tw_constants {
    char name[TW_DATA_COLUMN_NAME]; /* what a likelihood calls it (see likelihood.h): "exposure" */
    double *values;                 /* n */
    char *source;                   /* what its column was called in the file: "population"; or NULL */
} tw_constants;

/* n cases with d inputs each, and an observation y (NULL when the data have no label column). */
typedef struct tw_data {
    tw_context *ctx;
    size_t n, d;
    double *x;         /* n x d, leading dimension n */
    double *y;         /* n observations, or NULL */
    char **names;      /* d names of the inputs, all in one block, or NULL */
    tw_levels *levels; /* d of them, the categories of the inputs that are text, or NULL: none is */
    tw_levels
        labels; /* what y stands for, where it was not numbers as they are: -1 and +1 of two classes (in this order), or
                          1, 2, ... of ordered levels; before tw_data_class_labels and the like, 0, 1, ... of any texts */
    char *label_source; /* what the column of y was called in the file, or NULL */
    tw_levels ignored;  /* the names of the columns that were left out when the file was read */
    size_t *lines;      /* the line of the file in which each case stands, or NULL */
    size_t columns;
    tw_constants column[TW_DATA_COLUMNS]; /* the first `columns` of them */
    size_t
        hidden; /* of the n cases so many at the end are variables of a sparse prior: y is NaN there, and inputs mean nothing */
} tw_data;

/* Read a data set. label says which column is y: a name, a 1-based index ("3"), a negative index counted from
 * the end ("-1"), "none" for inputs only, or NULL for the last column. In a libsvm file NULL stands for its
 * label, and "none" leaves that out.
 */
TW_API tw_status tw_data_read(tw_context *ctx, const char *path, const char *label, tw_data **out);

/* The same with more columns taken out of the inputs, as constants of the observations: `column` says which, as label
 * does, and `name` what it is called from then on. In a libsvm file the label is column 1. */
typedef struct tw_column_place {
    const char *name, *column;
} tw_column_place;
TW_API tw_status tw_data_read_columns(tw_context *ctx, const char *path, const char *label, size_t count,
                                      const tw_column_place *columns, tw_data **out);

/* The same with columns left out altogether. A first column without a name that numbers the rows, or has a text of its own
 * for each, is left out in any case, and the log says so. */
typedef struct tw_reading {
    const char *label;
    size_t count; /* columns beside y and the inputs */
    const tw_column_place *columns;
    size_t ignored; /* columns left out, named as label is */
    const char *const *ignore;
    const tw_levels *
        leave_out; /* names of further columns to leave out, where the file has them and nothing above asks for
                                   them: for new cases, `ignored` of the training data; NULL: none */
} tw_reading;
TW_API tw_status tw_data_read_as(tw_context *ctx, const char *path, const tw_reading *reading, tw_data **out);

/* Call the inputs of the data so: d names, which are copied; NULL: they have none. */
TW_API tw_status tw_data_set_names(tw_data *data, const char *const *names);

/* Put the inputs of the data in the order of these d names. Where the data or the names to go by (NULL) have none, the order is
 * as it is. `needed` (NULL: all are) says which must be there: another that is not becomes zeros. TW_BAD_DATA: a name that is needed is missing, or
 * is there twice; an input has none of these names; another number of inputs. */
TW_API tw_status tw_data_match(tw_data *data, size_t d, const char *const *names, const bool *needed);

/* Add inputs that are zero, up to d of them: a libsvm file does not say how many inputs there are, only which of
 * them are not zero. TW_BAD_ARGUMENT where there are more than d already. */
TW_API tw_status tw_data_widen(tw_data *data, size_t d);

/* A data set from arrays of the caller's, which are copied and must be finite. x has leading dimension
 * ldx >= n; y may be NULL. */
TW_API tw_status tw_data_new(tw_context *ctx, size_t n, size_t d, const double *x, size_t ldx,
                             const double *y, tw_data **out);
TW_API void tw_data_free(tw_data *data);

/* Give the data a column of constants, in place of one of the same name: n numbers, which are copied; a likelihood
 * checks them. And look one up; NULL where there is none of that name. */
TW_API tw_status tw_data_set_column(tw_data *data, const char *name, const double *values);
TW_API const double *tw_data_column(const tw_data *data, const char *name);

/* What the column of y ("label") or of a constant ("exposure") was called where the data come from, so that the same column of new
 * cases can be found; NULL where it had no name. */
TW_API tw_status tw_data_set_source(tw_data *data, const char *role, const char *name);
TW_API const char *tw_data_source(const tw_data *data, const char *role);

/* An input that is something else: it leaves the inputs, and becomes y ("label") or a constant of that name. */
TW_API tw_status tw_data_take(tw_data *data, size_t input, const char *role);

/* The same with one value for all cases. */
TW_API tw_status tw_data_repeat_column(tw_data *data, const char *name, double value);

/* A built-in problem of two classes in the plane: inputs uniform on [-2, 2]^2 and y = sign(f(x) + e), f(x) =
 * 3 (sin(2 x_1) - x_2), e standard normal, so that p(y = +1 | x) = Phi(f(x)) is known and no rule errs less
 * than about 7 % of the time. `part` numbers independent sets: 0 to train with, 1 to test. */
TW_API tw_status tw_data_two_classes(tw_context *ctx, size_t n, uint64_t seed, uint64_t part, tw_data **out);

/* Labels of two classes, as -1 and +1: {0, 1} becomes {-1, +1}, {-1, +1} stays, and of any other two whole numbers or texts the larger,
 * or the one later in the order of bytes, is +1; the log says which, and data->labels keeps them. `positive` (or NULL) says which
 * is +1 instead; `known` (or NULL) are the labels of a model's data, which these must be of, too. Anything else is an error that
 * says what was found and leaves the data alone; a single class of numbers is a warning in the context's log. */
TW_API tw_status tw_data_class_labels(tw_data *data, const char *positive, const tw_levels *known);
TW_API tw_status tw_data_binary_labels(tw_data *data); /* with neither */

/* Labels that are text: y holds numbers 0, 1, ..., count - 1 of these texts, which are copied; they stand in the
 * order of bytes, as the readers put them. For data from arrays, before tw_data_class_labels or tw_data_order_labels. */
TW_API tw_status tw_data_set_label_texts(tw_data *data, size_t count, const char *const *texts);

/* Labels of ordered levels, as 1, 2, ... in the order of these texts (or numbers as text). */
TW_API tw_status tw_data_order_labels(tw_data *data, size_t count, const char *const *levels);

/* The categories of an input, NULL where it is numbers; and make an input of whole numbers 0, 1, ..., count - 1 one of
 * categories with these texts, which are copied. */
TW_API const tw_levels *tw_data_levels(const tw_data *data, size_t input);
TW_API tw_status tw_data_set_levels(tw_data *data, size_t input, size_t count, const char *const *texts);

/* The categories of new cases as the training cases have them, input by input, for those that are needed (NULL: all). A category that those do not have is TW_NEW_CATEGORY;
 * with `new_ones` each is one of its own. */
TW_API tw_status tw_data_match_levels(tw_data *data, const tw_data *train, const bool *needed, bool new_ones);

/* The constants that standardised a data set, kept for prediction: x -> (x - centre) / scale per input, with
 * the population standard deviation as scale. Constant columns carry no information: they are dropped, and
 * the log says so. Categories stay as they are. */
typedef struct tw_scaling {
    tw_context *ctx;
    size_t d_in;    /* inputs before */
    size_t d_out;   /* inputs after: constant columns are gone */
    size_t *column; /* d_out indices of the columns kept */
    double *centre; /* d_out */
    double *scale;  /* d_out */
    char **names;   /* d_in names of the inputs before, all in one block, or NULL */
} tw_scaling;

/* Find the constants; data stay as they are. */
TW_API tw_status tw_scaling_fit(const tw_data *data, tw_scaling **out);

/* Standardise data of d_in inputs in place, to d_out inputs. After a failure (another number of inputs, a
 * value so far out that it would overflow) the data are as before. */
TW_API tw_status tw_scaling_apply(const tw_scaling *scaling, tw_data *data);
TW_API void tw_scaling_free(tw_scaling *scaling);

#ifdef __cplusplus
}
#endif

#endif
