/* cost.h: what a draw costs, in flops of dense level-3 BLAS: a model, never a stopwatch.
 *
 * Counted per chain; a matrix-vector product waits for memory and counts four times, one of c columns 1 + 3/c times
 * (measured: about 4 from 1 to 32 columns). What a transition is made of is in the methods' own files.
 */
#ifndef TALWEG_SAMPLE_COST_H
#define TALWEG_SAMPLE_COST_H

#include "sample/sampler.h"

/* A site's value and derivatives; a normal number. */
#define TW_COST_SITE 40.0
#define TW_COST_NORMAL 20.0

/* One product of a factor with a vector. */
double tw_cost_product(const tw_sampler *s);

/* How much more a flop of such a product costs a chain, its tile of columns being in lockstep. */
double tw_cost_lockstep(const tw_sampler *s);

/* The cost of one transition of one chain in a run that has just ended. */
double tw_cost_per_transition(tw_sampler *sampler, const tw_draws *draws);

#endif
