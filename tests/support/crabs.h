/* crabs.h: real data for the tests of evidence: 200 crabs of two sexes, standardised, probit, squared-exponential kernel with
 * (log l, log sigma) = (1, 3), where EP is wrong by 0.6. A test that asks for them is skipped where they are absent. */
#ifndef TALWEG_TESTS_CRABS_H
#define TALWEG_TESTS_CRABS_H

#include "talweg/model.h"

tw_model *crabs_model(tw_context *ctx);

/* With another kernel. */
tw_model *crabs_with(tw_context *ctx, const char *expression);

#endif
