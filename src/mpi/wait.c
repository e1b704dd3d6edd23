/* wait.c: spin, then sleep; see wait.h. */
#include "mpi/wait.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_TRIES = 200 };

/* Ranks with equal shares of work meet within less than this time. Sleeping costs many times as much as a
 * message, because the rank must first get its processor back. */
static const double spin_seconds = 5e-3;

double tw_mpi_spins(int ranks)
{
    return ranks <= sysconf(_SC_NPROCESSORS_ONLN) ? spin_seconds : 0.0;
}

bool tw_mpi_wait_until(double spins, double end, MPI_Request *request, int *code)
{
    const struct timespec nap = {.tv_nsec = 50000};
    double start = MPI_Wtime();
    int done = 0;
    *code = MPI_SUCCESS;
    for (int tries = 0; !done && *code == MPI_SUCCESS; tries++) {
        *code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || tries <= LEAST_TRIES || MPI_Wtime() - start < spins) continue;
        if (MPI_Wtime() > end) return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

int tw_mpi_wait(double spins, MPI_Request *request)
{
    int code;
    tw_mpi_wait_until(spins, INFINITY, request, &code);
    return code;
}
