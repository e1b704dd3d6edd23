/* csv.h: print numbers for CSV, for callers that have already set the numeric locale "C" (data/number.h). */
#ifndef TALWEG_OUTPUT_CSV_H
#define TALWEG_OUTPUT_CSV_H

#include "talweg/files.h"

/* Print one number with the fewest digits that restore it, or several separated by commas. */
void tw_csv_put_number(double value, FILE *to);
void tw_csv_put_numbers(size_t count, const double *values, FILE *to);

#endif
