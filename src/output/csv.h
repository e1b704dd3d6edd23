/* csv.h: columns of numbers as a CSV file with a header line. */
#ifndef TALWEG_OUTPUT_CSV_H
#define TALWEG_OUTPUT_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"

/* rows x columns numbers, one array and one name per column, with the fewest digits that read back to the
 * same number, in every locale. */
typedef struct tw_csv {
    size_t rows, columns;
    const char *const *names;
    const double *const *values;
} tw_csv;

/* To a file, whole or not at all (output/writer.h). */
tw_status tw_csv_save(tw_context *ctx, const tw_csv *csv, const char *path, bool overwrite);

/* To an open stream, whose errors the caller looks for. */
tw_status tw_csv_print(tw_context *ctx, const tw_csv *csv, FILE *to);

/* The same in parts: the names, then rows as they come. */
void tw_csv_header(const tw_csv *csv, FILE *to);
tw_status tw_csv_rows(tw_context *ctx, const tw_csv *csv, FILE *to);

/* One number, as above, or several with commas between them; the locale is the caller's matter. */
void tw_csv_number(double value, FILE *to);
void tw_csv_numbers(size_t count, const double *values, FILE *to);

#endif
