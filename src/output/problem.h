/* problem.h: what the files that keep a problem share. */
#ifndef TALWEG_OUTPUT_PROBLEM_H
#define TALWEG_OUTPUT_PROBLEM_H

#include "base/context.h"
#include "talweg/output.h"

/* Only built-in likelihoods can be found again. */
tw_status tw_problem_check_saved(const tw_problem *problem);

#endif
