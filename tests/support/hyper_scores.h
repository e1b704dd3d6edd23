/* hyper_scores.h: scores (estimate - truth) / error of a whole model's evidence and of the means of its parameters, by weighted points and by
 * chains, over many seeds. Errors come from 32 scrambles: a score is Student's t with 31 degrees of freedom, beyond 4.5 once in 10,000; that of
 * ais-joint has 64 weights and a longer tail. So one of 500 scores may be beyond 4.5 without a warning.
 *
 * TALWEG_SEEDS sets how many seeds, TALWEG_FIRST the first, TALWEG_CASE the number of the only case; TALWEG_NO_CHAIN leaves chains and ais-joint
 * out, TALWEG_EACH prints every run. */
#ifndef TALWEG_TESTS_HYPER_SCORES_H
#define TALWEG_TESTS_HYPER_SCORES_H

#include "talweg/hyper.h"

enum { HYPER_SCORED = 8, HYPER_GROUPS = 2 }; /* most parameters, and most groups of them */

/* Means are of theta, whatever the rows of a result report; errors are the truth's own. */
typedef struct hyper_truth {
    double log_z, log_z_error, mean[HYPER_SCORED], mean_error[HYPER_SCORED];
} hyper_truth;

/* Cases 0, 1, ..., and how to pose each in a context; the priors are of the problem. */
typedef struct hyper_scored_cases {
    size_t count, seeds;
    size_t groups; /* the first parameters have a score each, the last of these is shared by the rest */
    const char *mean_name[HYPER_GROUPS], *chain_name[HYPER_GROUPS];
    const char *(*name)(size_t number);
    tw_problem *(*pose)(size_t number, tw_context *ctx);
    tw_priors *(*priors)(size_t number, tw_problem *problem);
    hyper_truth (*solve)(size_t number);
} hyper_scored_cases;

/* Run and print all of them, and fail if too many scores are far off. */
void hyper_scores_check(const hyper_scored_cases *cases);

#endif
