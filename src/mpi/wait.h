/* wait.h: how a rank waits for a message: it first spins, as MPI does, and then sleeps for short times, so
 * that other ranks on the same processor can work. */
#ifndef TALWEG_MPI_WAIT_H
#define TALWEG_MPI_WAIT_H

#include <mpi.h>
#include <stdbool.h>

/* The seconds for which a rank spins, with this number of ranks on its machine: 0 if they share processors. */
double tw_mpi_spins(int ranks);

/* Wait until the request is complete; false if MPI_Wtime() reaches `end` first. *code is MPI's return code. */
bool tw_mpi_wait_until(double spins, double end, MPI_Request *request, int *code);

/* The same without a time limit; returns MPI's return code. */
int tw_mpi_wait(double spins, MPI_Request *request);

#endif
