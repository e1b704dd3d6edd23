/* pilot.h: the pilot run of one candidate, which estimates its cost to reach the goal. */
#ifndef TALWEG_SAMPLE_PILOT_H
#define TALWEG_SAMPLE_PILOT_H

#include "sample/sampler.h"

/* The best candidate so far. */
typedef struct tw_leader {
    double flops_to_goal; /* INFINITY: there is none yet */
    double budget;        /* limit on the cost of all other pilots: a third of the leader's total cost */
    double flops_lost;    /* the cost of the other pilots so far */
    double ess_per_draw;
} tw_leader;

/* The iterations of warm-up that a run needs in all: enough to tune, and ten autocorrelation times
 * (1/ess_per_draw) to forget the start. If the options give a number, that number. */
size_t tw_pilot_warmup(const tw_auto_options *o, double ess_per_draw);

/* The iterations of warm-up that remain after `used` iterations of a pilot: at least a quarter of all. */
size_t tw_pilot_warmup_left(const tw_auto_options *o, double ess_per_draw, size_t used);

/* The remaining cost to reach the goal after `used` iterations, for n latents and this cost per draw. If
 * the options give a number of draws, the goal is the leader's effective draws in that number. */
double tw_pilot_cost_to_goal(const tw_auto_options *o, size_t n, const tw_leader *leader, double ess_per_draw,
                             double cost, size_t used);

/* Run the pilot of candidate c, with numbers from 1 on, and end it early if it cannot win. If c beats the
 * leader, it becomes the leader, and its final state and tuning go to `head` (NULL: not wanted). */
tw_status tw_pilot_run(const tw_posterior *p, const tw_auto_options *o, uint64_t number, tw_leader *leader,
                       tw_candidate *c, tw_head_start *head);

#endif
