/* surface.h: what the files of figures over the inputs share. */
#ifndef TALWEG_OUTPUT_REPORT_SURFACE_H
#define TALWEG_OUTPUT_REPORT_SURFACE_H

#include "output/report/parts.h"

enum { TW_MAP_HEIGHT = 380 };

/* An input as the user knows it: before it was standardised. */
double tw_surface_input(const tw_problem *problem, size_t input, double value);

/* The input's name where it is a plain word, else "first input" or "second input". */
const char *tw_surface_name(const tw_problem *problem, size_t input);

/* surface_cases.c: two maps of the cases, over the first two inputs. */
tw_status tw_surface_cases(tw_report *r);

#endif
