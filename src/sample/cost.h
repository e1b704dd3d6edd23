/* cost.h: a model of the cost of a draw. It never uses measured times, so that a choice by cost is
 * reproducible.
 *
 * Costs are per chain, in units of a flop of Cholesky factorisation, which dominates RMHMC. The model has six
 * constants, measured with n = 50 to 3200 and 1 to 128 columns on a processor with 34 Gflop/s.
 * bench/bench_cost.c prints measured times of transitions next to their costs in this model. The file of each
 * method counts the operations of its transition.
 */
#ifndef TALWEG_SAMPLE_COST_H
#define TALWEG_SAMPLE_COST_H

#include "sample/sampler.h"

/* The value or slope of a site (4.5 ns), and a normal random number (9 ns). */
#define TW_COST_SITE 150.0
#define TW_COST_NORMAL 300.0

/* One draw of one latent in a summary, which sorts the draws (60 ns). */
#define TW_COST_SUMMARY 2000.0

/* Flops of the product of the metric's factor with a vector. */
double tw_cost_product(const tw_sampler *s);

/* The cost of a flop of such a product, per chain, in a tile of columns in lockstep: by BLAS in double
 * precision, and with a packed factor in single precision. */
double tw_cost_double(const tw_sampler *s);
double tw_cost_single(const tw_sampler *s);

/* The mean cost of one transition of one chain in a run that has just ended. */
double tw_cost_per_transition(tw_sampler *sampler, const tw_draws *draws);

#endif
