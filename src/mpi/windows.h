/* windows.h: memory shared by the ranks of one machine, for data that all of them need. */
#ifndef TALWEG_MPI_WINDOWS_H
#define TALWEG_MPI_WINDOWS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { TW_MPI_MOST_WINDOWS = 16 };

typedef struct tw_mpi_window {
    MPI_Win win;
    void *memory;
    size_t bytes;
    bool used;
} tw_mpi_window;

/* All ranks have the same list in the same order, because they make the same calls. Freeing a window is a
 * collective call, so windows are freed only at the end. */
typedef struct tw_mpi_windows {
    MPI_Comm comm; /* all ranks; the caller owns it */
    MPI_Comm node; /* the ranks on this machine; MPI_COMM_NULL: unknown */
    tw_mpi_window window[TW_MPI_MOST_WINDOWS];
    size_t count;
} tw_mpi_windows;

/* Find the ranks on this machine; after a failure node is MPI_COMM_NULL. Begin and end are collective
 * calls. */
void tw_mpi_windows_begin(tw_mpi_windows *w, MPI_Comm comm);
void tw_mpi_windows_end(tw_mpi_windows *w);

/* The number of ranks on this machine; 0: unknown. */
int tw_mpi_windows_ranks(const tw_mpi_windows *w);

/* Take memory that the ranks of each machine share, a collective call. *first: this rank must fill it. If
 * *memory is NULL, with *first true, it is not available, and each rank uses its own memory. Each rank
 * gives memory back on its own; the next call must wait until all ranks have done so. */
void tw_mpi_windows_take(tw_mpi_windows *w, size_t bytes, void **memory, bool *first);
void tw_mpi_windows_give_back(tw_mpi_windows *w, void *memory);

#endif
