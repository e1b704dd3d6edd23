/* cost.h: what a draw costs, in flops of dense level-3 BLAS: a model, never a stopwatch.
 *
 * Counted per chain, in flops of a Cholesky factorisation: RMHMC's own cost. A table of six numbers, measured with n = 50 to 3200
 * and 1 to 128 columns on one processor with 34 Gflop/s: bench/bench_cost.c prints what transitions take there beside what is charged
 * here. What a transition is made of is in the methods' own files.
 */
#ifndef TALWEG_SAMPLE_COST_H
#define TALWEG_SAMPLE_COST_H

#include "sample/sampler.h"

/* A site's value or slope: 4.5 ns; a normal number: 9 ns. */
#define TW_COST_SITE 150.0
#define TW_COST_NORMAL 300.0

/* A draw of one latent in a summary, which sorts it: 60 ns. */
#define TW_COST_SUMMARY 2000.0

/* Flops of one product of a factor with a vector. */
double tw_cost_product(const tw_sampler *s);

/* The cost of a flop of such a product for one chain, its tile of columns being in lockstep: by BLAS in double precision, and from a
 * packed factor in single precision. */
double tw_cost_double(const tw_sampler *s);
double tw_cost_single(const tw_sampler *s);

/* The cost of one transition of one chain in a run that has just ended. */
double tw_cost_per_transition(tw_sampler *sampler, const tw_draws *draws);

#endif
