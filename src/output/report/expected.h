/* expected.h: the expected observations at the training inputs, from draws of x. */
#ifndef TALWEG_OUTPUT_REPORT_EXPECTED_H
#define TALWEG_OUTPUT_REPORT_EXPECTED_H

#include "talweg/report.h"

/* E[y_n | y] for every case, the mean over all draws of E[y_n | x_n]; for observations of -1 and +1, the
 * probability of +1. The caller releases the n numbers. */
tw_status tw_expected_observations(tw_pool *pool, double **out);

#endif
