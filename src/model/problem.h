/* problem.h: what the rooms below ask about problems. */
#ifndef TALWEG_MODEL_PROBLEM_H
#define TALWEG_MODEL_PROBLEM_H

#include "talweg/problem.h"

/* Can a file bring it back? Only built-in likelihoods can be found again. */
tw_status tw_problem_check_saved(const tw_problem *problem);

/* NULL where both have the same cases, observations, likelihood and covariance, to the bit; else what is not
 * the same: "the number of cases". */
const char *tw_problem_difference(const tw_problem *a, const tw_problem *b);

#endif
