/* cost.h: what a draw costs, in flops of dense level-3 BLAS: a model, never a stopwatch. */
#ifndef TALWEG_SAMPLE_COST_H
#define TALWEG_SAMPLE_COST_H

#include "talweg/chains.h"

/* The cost of one transition of one chain in a run that has just ended. */
double tw_cost_per_transition(tw_sampler *sampler, const tw_draws *draws);

/* The least that a transition of one chain can cost, where the columns are now: one step, few iterations. */
double tw_cost_at_least(tw_sampler *sampler);

#endif
