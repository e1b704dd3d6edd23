/* team.h: a team of workers that share one computation.
 *
 * Every member of a team makes the same calls with its own context and its own copy of the model. Chains, particles
 * and replicas are divided into tiles of columns, and the points of a grid into rows; the computation defines the
 * tiles, and the member that processes a tile depends on its number and the size of the team. Results are gathered
 * in the order of the tiles, so they are bitwise identical for any size. Callbacks (progress, draws, states) are
 * called only at rank 0, whose return values apply to all, and only rank 0 writes files. talweg/team_mpi.h has a
 * team of MPI processes.
 */
#ifndef TALWEG_TEAM_H
#define TALWEG_TEAM_H

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One member's view of a team: a table of functions, which all members call in the same order. */
typedef struct tw_team {
    size_t rank, size; /* rank = 0..size-1 */
    void *user;        /* passed to every function below */

    /* Each rank r has filled bytes [offset[r], offset[r + 1]) of data; afterwards all ranks have all of data. */
    tw_status (*gather)(void *user, void *data, const size_t *offset);

    /* Send the data of rank 0 to all ranks. */
    tw_status (*broadcast)(void *user, void *data, size_t bytes);

    /* This member fails, with that status and the reason `why`: from now on every call of the others fails,
     * including calls in which they wait. */
    void (*give_up)(void *user, tw_status status, const char *why);

    /* After a failed call: the reason of the member that failed first, valid until the team ends. May be NULL,
     * and may return NULL: unknown. */
    const char *(*reason)(void *user);

    /* Optional, both or neither. Memory shared by the members on one machine, for data that all of them need;
     * *first: this member must fill it. *memory NULL: not available. Memory that is given back may be reused by a
     * later call; the rest is kept until the team ends. */
    tw_status (*common)(void *user, size_t bytes, void **memory, bool *first);
    void (*give_back)(void *user, void *memory);

    /* Optional. Exchange data with the member of rank `with`: both call it, the others do not wait. It is called
     * after a successful collective call, with nothing in between that could fail. NULL: a ladder of parallel
     * tempering is not split between members. */
    tw_status (*trade)(void *user, size_t with, size_t bytes, const void *mine, void *theirs);

    /* Members do not divide work: each does all of it, in step with the others, as with a distributed model
     * (talweg/distributed.h). All members follow the decisions of rank 0, and only rank 0 writes files. */
    bool lockstep;
} tw_team;

/* Make the context a member of a team, which must outlive it. NULL (the default): no team. */
TW_API tw_status tw_context_set_team(tw_context *ctx, const tw_team *team);

/* Is this rank 0, or not in a team? Only there are callbacks called and files written: at other ranks a call that
 * writes a file succeeds and writes nothing. */
TW_API bool tw_team_leads(tw_context *ctx);

/* The team of a context; NULL: none. */
TW_API const tw_team *tw_context_team(tw_context *ctx);

/* Check that all members have the same input, by its digest (tw_checksum): all members call it. If a digest differs
 * from that of rank 0, the call fails on all members with TW_BAD_ARGUMENT. `what` is a plural for the message, such
 * as "data". */
TW_API tw_status tw_team_agree(tw_context *ctx, uint64_t digest, const char *what);

/* Arrays with `bytes` for each item. */
typedef struct tw_shared_arrays {
    size_t count, bytes;
    void *const *array;
} tw_shared_arrays;

/* Compute independent items 0..items-1: work(user, item) fills its part of every array. Each member computes its
 * share, in order and as if without a team, and then all members have all items. Without a team all items are
 * computed here. If an item fails, the call fails at all members. */
TW_API tw_status tw_team_compute(tw_context *ctx, size_t items, tw_status (*work)(void *user, size_t item),
                                 void *user, tw_shared_arrays arrays);

#ifdef __cplusplus
}
#endif

#endif
