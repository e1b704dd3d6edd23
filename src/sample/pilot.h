/* pilot.h: the pilot run of one candidate, and what it would cost it to go on to the goal. */
#ifndef TALWEG_SAMPLE_PILOT_H
#define TALWEG_SAMPLE_PILOT_H

#include "sample/sampler.h"

/* What there is to beat. */
typedef struct tw_leader {
    double flops_to_goal; /* INFINITY: nobody leads yet */
    double budget;     /* the most that the pilots of all others may cost: a third of what it takes in all */
    double flops_lost; /* by those so far */
    double ess_per_draw;
} tw_leader;

/* Iterations of warm-up that a run needs in all, of a sampler that is worth so many effective draws per draw: to tune, and ten
 * times its autocorrelation time, to forget the start; as many as were asked for, where they were. */
size_t tw_pilot_warmup(const tw_auto_options *o, double ess_per_draw);

/* Run it, as long as it can win; then it leads. `number`: of the candidate, from 1 on. The winner's head start goes to `head`, which may be
 * NULL, where c comes out ahead of the leader. */
tw_status tw_pilot_run(const tw_posterior *p, const tw_auto_options *o, uint64_t number, tw_leader *leader,
                       tw_candidate *c, tw_head_start *head);

#endif
