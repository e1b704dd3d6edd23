/* readers.h: the file readers behind tw_table_read, one per format, and the table that they fill.
 *
 * A reader parses a whole file. Its error messages omit the file's name, which tw_table_read prepends. After
 * a failure tw_table_read frees whatever the reader put into *table.
 */
#ifndef TALWEG_DATA_READERS_H
#define TALWEG_DATA_READERS_H

#include "data/file.h"
#include "talweg/data.h"

/* Allocate the values of the table: rows x columns zeros. */
tw_status tw_table_size(tw_table *table, size_t rows, size_t columns);

/* With `text`, columns of text become categories, and an error in one column becomes that column's flaw. */
tw_status tw_csv_read(const tw_file *file, bool text, tw_table *table);
tw_status tw_libsvm_read(const tw_file *file, tw_table *table);
tw_status tw_npy_read(const tw_file *file, bool text, tw_table *table);

/* Handle a failure that concerns one column only, whose message the context holds. If columns may be left out
 * (`text`), the message becomes the column's flaw unless it has one already, and the reader continues;
 * otherwise the function returns the failure. */
tw_status tw_table_flaw(tw_table *table, bool text, size_t column, size_t line, tw_status failed);

/* tw_table_read for a table whose columns may be text. */
tw_status tw_table_read_text(tw_context *ctx, const char *path, tw_table **out);

/* Free the categories of `count` columns. */
void tw_levels_free(tw_context *ctx, size_t count, tw_levels *levels);

/* Allocate an empty data set. */
tw_status tw_data_allocate(tw_context *ctx, tw_data **out);

/* Copy names into one block, as tw_data holds them; NULL becomes "". */
tw_status tw_names_copy(tw_context *ctx, size_t count, const char *const *from, char ***to);

/* Advice in messages about missing or non-finite values. */
#define TW_NOT_FINITE_ADVICE \
    "missing and non-finite values are not supported: remove or impute the row, or ignore the column"

/* Append cases for the variables of a sparse prior that have no observation: y is NaN, the inputs are 0, and
 * the constants equal those of the first case. */
tw_status tw_data_hide(tw_data *data, size_t more);

/* Set the labels of data that have none, as a file stores them: trailing NaNs mark variables without an
 * observation. */
tw_status tw_data_take_hidden(tw_data *data, const double *y);

#endif
