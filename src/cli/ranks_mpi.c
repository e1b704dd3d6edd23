/* ranks_mpi.c: the ranks of the program (ranks.h) by MPI. MPI is initialised only in a process that mpirun or
 * srun started, so that talweg alone does not have its costs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ranks.h"
#include "cli/terminal.h"
#include "talweg/team_mpi.h"

/* The one team of the program: main() begins and ends it. */
static tw_team *ranks;

/* Standard error of a rank that has fallen silent; -1: it has not. */
static int own_stderr = -1;

const char *tw_ranks_library(void)
{
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) return "MPI";
    version[strcspn(version, ",\n")] = '\0';
    for (char *c = version; *c; c++) /* "MPICH Version:<tab>4.0.2" */
        if (*c == '\t') *c = ' ';
    return version;
}

/* What Open MPI, MPICH and others tell the processes that they start. */
static bool is_one_of_several(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

/* Only rank 0 prints. The failure of another rank is reported by tw_ranks_end, or by print_alone. */
static tw_status silence_output(tw_context *ctx)
{
    own_stderr = dup(STDERR_FILENO);
    if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)) return TW_OK;
    return tw_fail(ctx, TW_WRITE_FAILED, "/dev/null cannot be opened");
}

tw_status tw_ranks_begin(tw_context *ctx)
{
    int provided = 0;
    if (!is_one_of_several()) return TW_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "MPI could not be initialised");
    if (provided < MPI_THREAD_SERIALIZED)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "this MPI library does not support threads");
    TW_TRY(tw_team_mpi(ctx, MPI_COMM_WORLD, &ranks));
    tw_team_mpi_relay(ranks, tw_interrupt_seen, tw_interrupt_tell);
    if (ranks->rank > 0) TW_TRY(silence_output(ctx));
    return tw_context_set_team(ctx, ranks);
}

/* Print the failure of a rank that cannot reach the others. */
static void print_alone(const char *why)
{
    if (own_stderr >= 0) dup2(own_stderr, STDERR_FILENO);
    tw_terminal_say("error", TW_COLOUR_RED, why);
    fflush(stderr); /* all ends here */
}

/* Earlier failures are detected here, before ranks wait for each other in a matrix operation. */
tw_status tw_ranks_keep_step(tw_context *ctx)
{
    char nothing = 0;
    tw_status status = ranks ? ranks->broadcast(ranks->user, &nothing, sizeof nothing) : TW_OK;
    if (status != TW_OK) return tw_fail(ctx, status, "%s", ranks->reason(ranks->user));
    if (ranks) tw_team_mpi_keep_step(ranks, print_alone);
    return TW_OK;
}

static void finish(tw_context *ctx)
{
    tw_context_set_team(ctx, NULL);
    tw_team_mpi_free(ranks);
    ranks = NULL;
}

tw_status tw_ranks_end(tw_context *ctx, tw_status status)
{
    int begun = 0;
    MPI_Initialized(&begun);
    if (ranks) {
        tw_status all = tw_team_mpi_end(ranks, status, tw_context_message(ctx));
        bool leads = ranks->rank == 0;
        if (status == TW_OK && all != TW_OK) status = tw_fail(ctx, all, "%s", ranks->reason(ranks->user));
        if (!leads) status = TW_OK; /* rank 0 says it, and its exit code is mpirun's */
        finish(ctx);
    }
    if (begun) MPI_Finalize();
    return status;
}
