/* wait.h: how a rank waits for a message: at first in a loop, as MPI does, then in naps, so that a rank that shares its
 * processor with others lets them work. */
#ifndef TALWEG_MPI_WAIT_H
#define TALWEG_MPI_WAIT_H

#include <mpi.h>
#include <stdbool.h>

/* Seconds for which a rank waits in a loop, with so many ranks on its machine: none where they have to share processors. */
double tw_mpi_spins(int ranks);

/* Wait until the request is done, or until MPI_Wtime() is `end`: false. *code: what MPI says. */
bool tw_mpi_wait_until(double spins, double end, MPI_Request *request, int *code);

/* The same without an end; returns what MPI says. */
int tw_mpi_wait(double spins, MPI_Request *request);

#endif
