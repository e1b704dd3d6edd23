/* team_mpi.h: a team (talweg/team.h) whose members are the processes of an MPI communicator. In the library
 * talweg_mpi, which is built where MPI is found.
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
 * Results are those of one process to the bit. examples/many_machines.c is a whole program.
 */
#ifndef TALWEG_TEAM_MPI_H
#define TALWEG_TEAM_MPI_H

#include <mpi.h>
#include <talweg/team.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All ranks call it. The team talks on a copy of comm, so that its messages and those of others do not meet.
 * TW_BAD_ARGUMENT where MPI was not initialised. */
TW_API tw_status tw_team_mpi(tw_context *ctx, MPI_Comm comm, tw_team **out);

/* From now on the ranks run in lockstep (tw_team's lockstep). One that fails alone cannot meet the others, who wait for it in the
 * middle of a matrix: after some seconds it hands its reason to `say` (NULL: prints it on standard error) and aborts all. */
TW_API void tw_team_mpi_keep_step(tw_team *team, void (*say)(const char *why));

/* All ranks call it when their work is over, with how it ended and, after a failure, why: a rank that is still in
 * another call then ends too. Returns TW_OK if no rank failed, else the status of the first one that did, whose words
 * are in team->reason(team->user). */
TW_API tw_status tw_team_mpi_end(tw_team *team, tw_status status, const char *why);

/* Before MPI_Finalize, and after the contexts that use the team. */
TW_API void tw_team_mpi_free(tw_team *team);

#ifdef __cplusplus
}
#endif

#endif
