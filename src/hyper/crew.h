/* crew.h: workers that compute points: the threads of this process, each with its own context and tw_place,
 * and the members of the team. A point depends on its number only, so results are the same to the bit for any
 * number of threads and members. */
#ifndef TALWEG_HYPER_CREW_H
#define TALWEG_HYPER_CREW_H

#include <stdatomic.h>

#include "evidence/walk.h"
#include "hyper/place.h"

typedef struct tw_crew {
    tw_context *ctx;
    size_t count;
    atomic_bool over;                    /* a worker failed, or the caller interrupted */
    tw_context *branch[TW_MOST_THREADS]; /* contexts of the workers */
    tw_place place[TW_MOST_THREADS];
} tw_crew;

/* One worker for each thread of the options. */
tw_status tw_crew_new(const tw_problem *problem, const tw_hyper_options *options, tw_crew **out);
void tw_crew_free(tw_crew *crew);

/* Computes item number `item`, with a worker's tw_place. */
typedef tw_status tw_crew_function(void *user, tw_place *place, size_t item);

/* Compute this member's share of the items 0..items-1. Each item writes to its own memory, and the caller
 * gathers the results. If an item fails or the context is interrupted, the call fails for all members of the
 * team. */
tw_status tw_crew_work(tw_crew *crew, size_t items, tw_crew_function *function, void *user);

/* Inside a long item, once per iteration: the calling thread reports progress. TW_INTERRUPTED if the work is over. */
tw_status tw_crew_tell(tw_crew *crew, const tw_place *place, const tw_watch *watch, const tw_progress *now);

#endif
