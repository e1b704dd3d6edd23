/* team_mpi.h: a team (talweg/team.h) whose members are the processes of an MPI communicator. In the library
 * talweg_mpi, which is built if MPI is found.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
 *     tw_context_new(NULL, &ctx);
 *     tw_team_mpi(ctx, MPI_COMM_WORLD, &team);
 *     tw_context_set_team(ctx, team);
 *     ... the same calls on every rank; rank 0 writes the files and has the callbacks ...
 *     tw_team_mpi_end(team, status, tw_context_message(ctx));
 *     tw_context_set_team(ctx, NULL);
 *     tw_team_mpi_free(team);
 *     MPI_Finalize();
 *
 * Results are bitwise identical to those of one process. examples/many_machines.c is a complete program.
 */
#ifndef TALWEG_TEAM_MPI_H
#define TALWEG_TEAM_MPI_H

#include <mpi.h>
#include <talweg/team.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All ranks must call it. The team uses a duplicate of comm, so that its messages do not mix with others.
 * TW_BAD_ARGUMENT if MPI is not initialised. */
TW_API tw_status tw_team_mpi(tw_context *ctx, MPI_Comm comm, tw_team **out);

/* Run the ranks in lockstep (tw_team.lockstep). A rank that fails alone cannot notify the others, which
 * may wait for it in a matrix operation: after some seconds it passes its reason to `say` (NULL: prints it
 * to standard error) and aborts all ranks. */
TW_API void tw_team_mpi_keep_step(tw_team *team, void (*say)(const char *why));

/* Relay a request to stop, such as a signal: if is_asked() is true at any rank, hear() is called at every
 * rank during their next common call. This takes no extra messages. Callbacks at rank 0 may then return
 * true (tw_progress). */
TW_API void tw_team_mpi_relay(tw_team *team, bool (*is_asked)(void), void (*hear)(void));

/* All ranks must call it at the end, with their status and, after a failure, the reason: a rank that is
 * still in another call then ends, too. Returns TW_OK if no rank failed, otherwise the status of the first
 * one that failed, whose message is team->reason(team->user). */
TW_API tw_status tw_team_mpi_end(tw_team *team, tw_status status, const char *why);

/* Call it before MPI_Finalize, and after freeing the contexts that use the team. */
TW_API void tw_team_mpi_free(tw_team *team);

#ifdef __cplusplus
}
#endif

#endif
