/* expected.h: what the draws of x say of observations at the training inputs. */
#ifndef TALWEG_OUTPUT_REPORT_EXPECTED_H
#define TALWEG_OUTPUT_REPORT_EXPECTED_H

#include "talweg/report.h"

/* E[y_n | y] for every case, the mean over all draws of E[y_n | x_n]; where observations are -1 and +1, the
 * probability of +1 instead. n numbers, which the caller releases. */
tw_status tw_expected_observations(tw_pool *pool, double **out);

#endif
