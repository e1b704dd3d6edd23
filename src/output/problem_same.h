/* problem_same.h: are two problems one? */
#ifndef TALWEG_OUTPUT_PROBLEM_SAME_H
#define TALWEG_OUTPUT_PROBLEM_SAME_H

#include "talweg/output.h"

/* NULL where both have the same cases, observations, likelihood and covariance, to the bit; else what is not
 * the same: "the number of cases". */
const char *tw_problem_difference(const tw_problem *a, const tw_problem *b);

#endif
