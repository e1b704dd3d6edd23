/* team.h: several workers that do one job together.
 *
 * Every member of a team runs the same calls on its own context and its own copy of the model. Chains, particles and
 * replicas are shared out by tiles of columns, the points of a grid by rows, which are cut by the job itself; who does
 * which tile is a function of its number and of the size of the team. What was found is handed round in the order of the
 * tiles, so that results are the same to the bit for any size. Callbacks (progress, draws, states) are called at rank 0
 * alone, whose answers count, and rank 0 alone writes files. talweg/team_mpi.h has a team of the processes that mpirun starts.
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
    void *user;        /* handed back to every function below */

    /* Each rank r has filled bytes [offset[r], offset[r + 1]) of data; afterwards all have all of it. */
    tw_status (*gather)(void *user, void *data, const size_t *offset);

    /* What rank 0 has, all have. */
    tw_status (*broadcast)(void *user, void *data, size_t bytes);

    /* This member cannot go on, with that status and for the reason `why`: every call of the others, also one that they
     * are waiting in, fails from now on. */
    void (*give_up)(void *user, tw_status status, const char *why);

    /* After a call that failed: the reason of the member that gave up first, valid until the team ends. May be NULL, and
     * may return NULL: not known. */
    const char *(*reason)(void *user);

    /* Optional, both or neither. Memory that the members on one machine have in common, for what all of them would compute
     * alike; *first: this member is the one on its machine that fills it. *memory NULL: there is none. What is given back may
     * be had again by a later call; the rest is kept until the team ends. */
    tw_status (*common)(void *user, size_t bytes, void **memory, bool *first);
    void (*give_back)(void *user, void *memory);

    /* Optional. What this member and the one of rank `with` have, they exchange: both call it, the others do not wait. It is
     * called after a call of all that succeeded, with nothing in between that could fail. NULL: a ladder of parallel
     * tempering stays whole at one member. */
    tw_status (*trade)(void *user, size_t with, size_t bytes, const void *mine, void *theirs);

    /* Members do not share out work: each does all of it, in step with the others, as those do over whom the matrices of one
     * model are spread (talweg/distributed.h). What rank 0 decides, all do; it alone writes files. */
    bool lockstep;
} tw_team;

/* Computations with this context are those of a member of a team, which must outlive it. NULL, the default: alone. */
TW_API tw_status tw_context_set_team(tw_context *ctx, const tw_team *team);

/* Is this rank 0, or alone? Its callbacks are called, and it writes the files: at other ranks a call that would write one
 * succeeds and writes nothing. */
TW_API bool tw_team_leads(tw_context *ctx);

/* The team that a context was given; NULL: none. */
TW_API const tw_team *tw_context_team(tw_context *ctx);

/* Check that all members have the same, by a digest of it (tw_checksum): all members call this, and where a digest differs from that of
 * rank 0 the call fails at all of them with TW_BAD_ARGUMENT. `what` is a plural for the message: "data". */
TW_API tw_status tw_team_agree(tw_context *ctx, uint64_t digest, const char *what);

/* Arrays of `bytes` for each of some items. */
typedef struct tw_shared_arrays {
    size_t count, bytes;
    void *const *array;
} tw_shared_arrays;

/* Compute items 0..items-1, each of which is a job of its own: work(user, item) fills its part of every array. Each member does
 * its share, in order and as if it were alone, and then all have all. Alone, one does all. Where an item fails, here or at another
 * member, the call fails at all of them. */
TW_API tw_status tw_team_compute(tw_context *ctx, size_t items, tw_status (*work)(void *user, size_t item),
                                 void *user, tw_shared_arrays arrays);

#ifdef __cplusplus
}
#endif

#endif
