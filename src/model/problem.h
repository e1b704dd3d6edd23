/* problem.h: functions on problems for the rooms below. */
#ifndef TALWEG_MODEL_PROBLEM_H
#define TALWEG_MODEL_PROBLEM_H

#include "talweg/problem.h"

/* Check that a file can restore it: only built-in likelihoods can be found by name. */
tw_status tw_problem_check_saved(const tw_problem *problem);

/* NULL if both have the same cases, observations, likelihood and covariance, to the bit; otherwise the name
 * of the first difference, such as "the number of cases". */
const char *tw_problem_difference(const tw_problem *a, const tw_problem *b);

#endif
