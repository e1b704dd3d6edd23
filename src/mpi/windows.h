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

/* All ranks have the same list, in the same order, since they make the same calls; freeing is a collective call, and is put
 * off until the end. */
typedef struct tw_mpi_windows {
    MPI_Comm comm; /* all ranks: the caller's */
    MPI_Comm node; /* the ranks on this machine; MPI_COMM_NULL: not known */
    tw_mpi_window window[TW_MPI_MOST_WINDOWS];
    size_t count;
} tw_mpi_windows;

/* Find the ranks on this machine. All ranks call it, and the end, together; after a failure node is MPI_COMM_NULL. */
void tw_mpi_windows_begin(tw_mpi_windows *w, MPI_Comm comm);
void tw_mpi_windows_end(tw_mpi_windows *w);

/* Ranks on this machine; 0: not known. */
int tw_mpi_windows_ranks(const tw_mpi_windows *w);

/* All ranks call it together. *memory NULL, with *first true: there is none, and each rank has its own memory. *first: this rank
 * must fill it. Giving back is each rank's own affair: only when all have done so may the next call be made. */
void tw_mpi_windows_take(tw_mpi_windows *w, size_t bytes, void **memory, bool *first);
void tw_mpi_windows_give_back(tw_mpi_windows *w, void *memory);

#endif
