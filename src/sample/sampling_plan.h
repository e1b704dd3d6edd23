/* sampling_plan.h: functions shared by the files of a sampling plan and its run. */
#ifndef TALWEG_SAMPLE_SAMPLING_PLAN_H
#define TALWEG_SAMPLE_SAMPLING_PLAN_H

#include "sample/sampler.h"
#include "talweg/sampling_plan.h"

/* The options of the chains, from those of the plan. */
tw_chains_options tw_sampling_chains(const tw_sampling_options *options);

/* Has the deadline passed, in tw_wall_seconds()? 0: no deadline. */
bool tw_is_past(double deadline);

/* ---- sampling_run.c: a run in progress */

typedef struct tw_sampling_job {
    const tw_sampling_plan *plan;
    const tw_sampling_watch *watch; /* NULL: none */
    /* Wall time at the start and at the end of warm-up; in a resumed run, as if it had not been
     * interrupted. */
    double start, warm;
    double warm_cpu; /* processor time at the end of warm-up */
    bool late;       /* the deadline has passed */
} tw_sampling_job;

/* ---- sampling_state.c: the state of a run in a store; store may be NULL */

/* Restore the choice of the sampler and the winner's head start; *found is false if the store has none. */
tw_status tw_sampling_get_choice(const tw_store *store, tw_sampling_plan *plan, bool *found);

/* Store the choice, empty if the user named the method. It is the first block that a run stores. */
void tw_sampling_put_choice(const tw_store *store, const tw_sampling_plan *plan);

/* Restore the state of the chains into the plan, if the store has one. TW_BAD_DATA if it does not belong to
 * this run. */
tw_status tw_sampling_get_chains(const tw_store *store, tw_sampling_plan *plan);

/* Store the state of the chains: the function tw_chains_options.on_state, with a tw_sampling_job as its
 * user. */
void tw_sampling_put_chains(void *job, const tw_chains_state *state);

#endif
