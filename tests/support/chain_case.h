/* chain_case.h: chains of a posed problem; an exact case of oracle.h, run with one sampler and compared. */
#ifndef TALWEG_TESTS_CHAIN_CASE_H
#define TALWEG_TESTS_CHAIN_CASE_H

#include "support/posed.h"
#include "talweg/chains.h"

/* Chains of p at one temperature, started from over-dispersed draws of EP's Gaussian. The caller frees the
 * draws. */
tw_draws *run_chains(const posed *p, double beta, const tw_sampler_options *sampler, size_t chains,
                     const tw_chains_options *options);

typedef struct chain_case {
    posed posed;
    const oracle_case *oracle;
    const double *smoothing; /* variances of the smoothed metric; NULL: EP's marginal variances */
} chain_case;

chain_case chain_case_new(const oracle_case *oracle);
void chain_case_free(chain_case *c);

/* Run four chains of the posterior. */
tw_draws *chain_case_run(const chain_case *c, tw_method method, tw_metric metric,
                         const tw_chains_options *options);

/* Mean and sd of one site of each kind must be within 4 standard errors of the exact values: 2 comparisons
 * per kind, each with a false-alarm rate of 6.3e-5. R-hat must be below 1.05 and the ESS at least 100, so
 * that these errors are meaningful. */
void chain_case_compare(const chain_case *c, const tw_draws *draws);

#endif
