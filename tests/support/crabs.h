/* crabs.h: real data for tests of evidence: the sexes of 200 crabs, standardised inputs, probit,
 * squared-exponential kernel with (log l, log sigma) = (1, 3), where EP's log Z is wrong by 0.6. Tests are
 * skipped if the data are absent. */
#ifndef TALWEG_TESTS_CRABS_H
#define TALWEG_TESTS_CRABS_H

#include "talweg/model.h"

tw_model *crabs_model(tw_context *ctx);

/* The same with another kernel. */
tw_model *crabs_with(tw_context *ctx, const char *expression);

#endif
