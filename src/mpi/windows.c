/* windows.c: memory shared by the ranks of one machine. Ranks do not allocate anything by themselves: a
 * rank that fails to do so would have to notify the others, which do not wait for such a message. */
#include "mpi/windows.h"

void tw_mpi_windows_begin(tw_mpi_windows *w, MPI_Comm comm)
{
    int rank = 0;
    w->comm = comm;
    MPI_Comm_rank(comm, &rank);
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &w->node) != MPI_SUCCESS) {
        w->node = MPI_COMM_NULL;
        return;
    }
    MPI_Comm_set_errhandler(w->node, MPI_ERRORS_RETURN);
}

void tw_mpi_windows_end(tw_mpi_windows *w)
{
    while (w->count > 0) {
        tw_mpi_window *last = &w->window[--w->count];
        if (last->win != MPI_WIN_NULL) MPI_Win_free(&last->win);
    }
    if (w->node != MPI_COMM_NULL) MPI_Comm_free(&w->node);
}

int tw_mpi_windows_ranks(const tw_mpi_windows *w)
{
    int ranks = 0;
    if (w->node != MPI_COMM_NULL) MPI_Comm_size(w->node, &ranks);
    return ranks;
}

/* Is `mine` true on all ranks? */
static bool all_have(const tw_mpi_windows *w, bool mine)
{
    int good = mine, all = 0;
    return MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, w->comm) == MPI_SUCCESS && all;
}

/* Do all ranks know their machine, and does a machine have several ranks? Otherwise sharing saves nothing. */
static bool shares_nodes(const tw_mpi_windows *w)
{
    int ranks = tw_mpi_windows_ranks(w), largest = 0;
    MPI_Allreduce(&ranks, &largest, 1, MPI_INT, MPI_MAX, w->comm);
    return all_have(w, ranks > 0) && largest > 1;
}

/* Is this the first rank on its machine? It provides the memory. */
static bool is_first(const tw_mpi_windows *w)
{
    int rank = 0;
    MPI_Comm_rank(w->node, &rank);
    return rank == 0;
}

static bool open_window(const tw_mpi_windows *w, size_t bytes, tw_mpi_window *new_one)
{
    MPI_Aint size = 0;
    int unit = 0;
    void *base = NULL;
    if (MPI_Win_allocate_shared(is_first(w) ? (MPI_Aint)bytes : 0, 1, MPI_INFO_NULL, w->node, &base,
                                &new_one->win) != MPI_SUCCESS)
        return false;
    MPI_Win_set_errhandler(new_one->win, MPI_ERRORS_RETURN);
    new_one->bytes = bytes;
    return MPI_Win_shared_query(new_one->win, 0, &size, &unit, &new_one->memory) == MPI_SUCCESS;
}

/* A window that was given back, or a new one; NULL: not available. */
static tw_mpi_window *find_window(tw_mpi_windows *w, size_t bytes)
{
    for (size_t k = 0; k < w->count; k++)
        if (!w->window[k].used && w->window[k].bytes == bytes) return &w->window[k];
    if (w->count == TW_MPI_MOST_WINDOWS) return NULL;
    tw_mpi_window *new_one = &w->window[w->count++];
    *new_one = (tw_mpi_window){.win = MPI_WIN_NULL};
    return all_have(w, open_window(w, bytes, new_one)) ? new_one : NULL;
}

void tw_mpi_windows_take(tw_mpi_windows *w, size_t bytes, void **memory, bool *first)
{
    *memory = NULL;
    *first = true;
    if (!shares_nodes(w)) return;
    tw_mpi_window *found = find_window(w, bytes);
    if (!found) return;
    found->used = true;
    *memory = found->memory;
    *first = is_first(w);
}

void tw_mpi_windows_give_back(tw_mpi_windows *w, void *memory)
{
    for (size_t k = 0; k < w->count; k++)
        if (w->window[k].memory == memory) w->window[k].used = false;
}
