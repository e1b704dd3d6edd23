/* readers.h: the readers behind tw_table_read, one per format, and the table they fill.
 *
 * A reader gets the whole file and leaves the message of a failure without the file's name, which
 * tw_table_read puts in front. What it made so far is then in *table, which tw_table_read frees.
 */
#ifndef TALWEG_DATA_READERS_H
#define TALWEG_DATA_READERS_H

#include "data/file.h"
#include "talweg/data.h"

/* Give table its values, rows x columns zeros. */
tw_status tw_table_size(tw_table *table, size_t rows, size_t columns);

/* With `text`, columns that are text from top to bottom become categories, and what is wrong with a column is its flaw. */
tw_status tw_csv_read(const tw_file *file, bool text, tw_table *table);
tw_status tw_libsvm_read(const tw_file *file, tw_table *table);
tw_status tw_npy_read(const tw_file *file, bool text, tw_table *table);

/* A failure that concerns one column only, whose message is that of the context: where columns may be left out (`text`) it becomes the
 * column's flaw, unless it has one, and reading goes on; else it is returned as it is. */
tw_status tw_table_flaw(tw_table *table, bool text, size_t column, size_t line, tw_status failed);

/* tw_table_read for a table whose columns may be text. */
tw_status tw_table_read_text(tw_context *ctx, const char *path, tw_table **out);

/* Free the categories of so many columns. */
void tw_levels_free(tw_context *ctx, size_t count, tw_levels *levels);

/* A data set without anything in it. */
tw_status tw_data_allocate(tw_context *ctx, tw_data **out);

/* Copies of names, all in one block as tw_data has them; NULL among them is "". */
tw_status tw_names_copy(tw_context *ctx, size_t count, const char *const *from, char ***to);

/* What to do about values that are missing or not finite, for messages. */
#define TW_NOT_FINITE_ADVICE \
    "missing and non-finite values are not supported: remove or impute the row, or ignore the column"

/* Cases behind the others for the variables of a sparse prior: y is NaN, inputs are 0, columns those of the first case. */
tw_status tw_data_hide(tw_data *data, size_t more);

/* Labels of data that have none yet, as a file has them: those at the end that are NaN are such variables. */
tw_status tw_data_take_hidden(tw_data *data, const double *y);

#endif
