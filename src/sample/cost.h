/* cost.h: what a draw costs, in flops of dense level-3 BLAS: a model, never a stopwatch.
 *
 * Counted per chain. A table of four numbers, measured on one processor with 22 Gflop/s in products with 32 columns, n = 50 to
 * 3200 (bench/bench_samplers.c times transitions): what a product with c columns waits for memory, what one in single
 * precision saves, a site and a normal number. What a transition is made of is in the methods' own files.
 */
#ifndef TALWEG_SAMPLE_COST_H
#define TALWEG_SAMPLE_COST_H

#include "sample/sampler.h"

/* A site's value and derivatives: 6 ns; a normal number: 9 ns; a flop in single precision. */
#define TW_COST_SITE 130.0
#define TW_COST_NORMAL 200.0
#define TW_COST_SINGLE 0.65

/* One product of a factor with a vector. */
double tw_cost_product(const tw_sampler *s);

/* How much more a flop of such a product costs a chain, its tile of columns being in lockstep. */
double tw_cost_lockstep(const tw_sampler *s);

/* The cost of one transition of one chain in a run that has just ended. */
double tw_cost_per_transition(tw_sampler *sampler, const tw_draws *draws);

#endif
