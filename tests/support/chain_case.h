/* chain_case.h: an exact case of oracle.h with its approximation, run with one sampler and compared. */
#ifndef TALWEG_TESTS_CHAIN_CASE_H
#define TALWEG_TESTS_CHAIN_CASE_H

#include "support/oracle.h"
#include "talweg/chains.h"

typedef struct chain_case {
    tw_context *ctx;
    const oracle_case *oracle;
    tw_model *model;
    tw_approximation *ep;
    const double *smoothing; /* variances of the smoothed metric; NULL: EP's marginal ones */
} chain_case;

chain_case chain_case_new(const oracle_case *oracle);
void chain_case_free(chain_case *c);

/* Four chains from over-dispersed draws of EP's Gaussian. The caller frees the draws. */
tw_draws *chain_case_run(const chain_case *c, tw_method method, tw_metric metric,
                         const tw_chains_options *options);

/* Mean and sd of a site of each kind are within 4 of their standard errors of the exact ones: 2 comparisons a
 * kind, each false with probability 6.3e-5. R-hat must be below 1.05 and the ESS 100 or more for these errors
 * to mean anything. */
void chain_case_compare(const chain_case *c, const tw_draws *draws);

#endif
