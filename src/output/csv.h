/* csv.h: numbers as CSV has them, for code that holds the numeric locale "C" (data/number.h) itself. */
#ifndef TALWEG_OUTPUT_CSV_H
#define TALWEG_OUTPUT_CSV_H

#include "talweg/files.h"

/* One number, with the fewest digits that read back to it; or several with commas between them. */
void tw_csv_put_number(double value, FILE *to);
void tw_csv_put_numbers(size_t count, const double *values, FILE *to);

#endif
