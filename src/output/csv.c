/* csv.c: write tables as CSV. */
#include "output/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"

/* 17 digits always suffice for a double; most numbers in practice need at most 15. */
void tw_csv_put_number(double value, FILE *to)
{
    char text[32] = "NaN";
    for (int digits = 15; digits <= 17 && !isnan(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, to);
}

void tw_csv_put_numbers(size_t count, const double *values, FILE *to)
{
    for (size_t k = 0; k < count; k++) {
        if (k) fputc(',', to);
        tw_csv_put_number(values[k], to);
    }
}

tw_status tw_csv_numbers(tw_context *ctx, size_t count, const double *values, FILE *to)
{
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(ctx, &locale));
    tw_csv_put_numbers(count, values, to);
    tw_number_locale_end(&locale);
    return TW_OK;
}

/* Print a name as a field; if it contains a separator, a quote or a line end, in quotes with inner quotes
 * doubled. */
void tw_csv_text(const char *name, FILE *to)
{
    bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    if (quoted) fputc('"', to);
    for (const char *c = name; *c; c++) {
        if (*c == '"') fputc('"', to);
        fputc(*c, to);
    }
    if (quoted) fputc('"', to);
}

void tw_csv_header(const tw_csv *csv, FILE *to)
{
    for (size_t j = 0; j < csv->columns; j++) {
        if (j) fputc(',', to);
        tw_csv_text(csv->names[j], to);
    }
    fputc('\n', to);
}

static void put_cell(const tw_csv *csv, size_t i, size_t j, FILE *to)
{
    const tw_levels *texts = csv->texts ? csv->texts[j] : NULL;
    double value = csv->values[j][i];
    if (texts && value >= 0.0 && value < (double)texts->count)
        tw_csv_text(texts->text[(size_t)value], to);
    else if (!csv->blank || !isnan(value))
        tw_csv_put_number(value, to);
}

tw_status tw_csv_rows(tw_context *ctx, const tw_csv *csv, FILE *to)
{
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(ctx, &locale));
    for (size_t i = 0; i < csv->rows; i++) {
        for (size_t j = 0; j < csv->columns; j++) {
            if (j) fputc(',', to);
            put_cell(csv, i, j, to);
        }
        fputc('\n', to);
    }
    tw_number_locale_end(&locale);
    return TW_OK;
}

tw_status tw_csv_print(tw_context *ctx, const tw_csv *csv, FILE *to)
{
    tw_csv_header(csv, to);
    return tw_csv_rows(ctx, csv, to);
}

tw_status tw_csv_save(tw_context *ctx, const tw_csv *csv, const char *path, bool overwrite)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_writer_open(ctx, path, overwrite, &writer));
    return tw_writer_close(writer, tw_csv_print(ctx, csv, tw_writer_stream(writer)));
}
