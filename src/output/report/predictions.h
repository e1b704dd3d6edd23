/* predictions.h: shared by the files about predictions. */
#ifndef TALWEG_OUTPUT_REPORT_PREDICTIONS_H
#define TALWEG_OUTPUT_REPORT_PREDICTIONS_H

#include "output/report/parts.h"

/* Cases with their observed and expected values (the probability of +1, or the mean of y). */
typedef struct tw_cases {
    size_t count;
    const double *y, *expected;
    double *own; /* released with the cases; `expected` may point to it */
    tw_scores scores;
} tw_cases;

/* surface.c: a figure of the predictions over one or two inputs; with more, *shown stays false. */
tw_status tw_report_surface(tw_report *report, bool *shown);

#endif
