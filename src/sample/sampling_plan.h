/* sampling_plan.h: what the files of a sampling plan and its run share. */
#ifndef TALWEG_SAMPLE_SAMPLING_PLAN_H
#define TALWEG_SAMPLE_SAMPLING_PLAN_H

#include "sample/sampler.h"
#include "talweg/sampling_plan.h"

/* The part of the options that is for the chains. */
tw_chains_options tw_sampling_chains(const tw_sampling_options *options);

/* Has the moment passed? 0: there is none. */
bool tw_is_past(double deadline);

/* ---- sampling_run.c: a run on its way */

typedef struct tw_sampling_job {
    const tw_sampling_plan *plan;
    const tw_sampling_watch *watch; /* NULL: nobody */
    double start, warm;             /* moments: of the beginning, and when warm-up was over */
    double warm_cpu;                /* processor time when warm-up was over */
    bool late;                      /* the deadline has passed */
} tw_sampling_job;

/* ---- sampling_state.c: the run in a store, which may be NULL */

/* The choice of an earlier part, with the winner's head start, if there is one. */
tw_status tw_sampling_get_choice(const tw_store *store, tw_sampling_plan *plan, bool *found);

/* Keep the choice, or that there was nothing to choose: the first thing that the store has. */
void tw_sampling_put_choice(const tw_store *store, const tw_sampling_plan *plan);

/* Where the chains of an earlier part stood, into the plan; TW_BAD_DATA where it is none of this run. */
tw_status tw_sampling_get_chains(const tw_store *store, tw_sampling_plan *plan);

/* Keep where they stand: for tw_chains_options.on_state, with a job. */
void tw_sampling_put_chains(void *job, const tw_chains_state *state);

#endif
