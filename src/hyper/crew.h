/* crew.h: workers that compute points: threads of this process, each with a context and a place of its own, and the members of the
 * team. A point is a function of its number alone, so that results are the same to the bit for any number of either. */
#ifndef TALWEG_HYPER_CREW_H
#define TALWEG_HYPER_CREW_H

#include "hyper/place.h"

typedef struct tw_crew {
    tw_context *ctx;
    size_t count;
    tw_context *branch[TW_MOST_THREADS]; /* of the workers */
    tw_place place[TW_MOST_THREADS];
} tw_crew;

/* As many workers as the options have threads. */
tw_status tw_crew_new(const tw_problem *problem, const tw_hyper_options *options, tw_crew **out);
void tw_crew_free(tw_crew *crew);

/* Compute item number `item` at a place. */
typedef tw_status tw_crew_function(void *user, tw_place *place, size_t item);

/* Have this member's share of the items 0..items-1 computed; every one has its own place in memory, and the caller gathers them.
 * Where one fails, or the context is interrupted, all members of the team fail. */
tw_status tw_crew_work(tw_crew *crew, size_t items, tw_crew_function *function, void *user);

#endif
