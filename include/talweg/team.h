/* team.h: several workers that do one job together.
 *
 * Every member of a team runs the same calls on its own context and its own copy of the model. Chains, particles and
 * replicas are shared out by tiles of columns, which are cut by the job itself; who does which tile is a function of
 * its number and of the size of the team. What was found is handed round in the order of the tiles, so that results are
 * the same to the bit for any size. Callbacks (progress, draws, states) are called at rank 0 alone, whose answers count,
 * and rank 0 alone writes files. talweg/team_mpi.h has a team of the processes that mpirun starts.
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
} tw_team;

/* Computations with this context are those of a member of a team, which must outlive it. NULL, the default: alone. */
TW_API tw_status tw_context_set_team(tw_context *ctx, const tw_team *team);

/* Is this rank 0, or alone? Its callbacks are called, and it writes the files: at other ranks a call that would write one
 * succeeds and writes nothing. */
TW_API bool tw_team_leads(tw_context *ctx);

#ifdef __cplusplus
}
#endif

#endif
