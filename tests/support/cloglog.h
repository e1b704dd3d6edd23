/* cloglog.h: an example of a user's likelihood: Bernoulli with the complementary log-log link. */
#ifndef TALWEG_TESTS_CLOGLOG_H
#define TALWEG_TESTS_CLOGLOG_H

#include "talweg/likelihood.h"

/* p(+1 | x) = 1 - exp(-exp(x)), p(-1 | x) = exp(-exp(x)). */
extern const tw_likelihood cloglog_likelihood;

#endif
