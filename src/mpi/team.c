/* team.c: a team over MPI (talweg/team_mpi.h).
 *
 * Every call begins with a meeting, a reduction of one number: which rank, if any, has given up. A rank that gives up
 * calls the meeting too, so that nobody waits for it in vain: all ranks learn of it in the same call, hear the reason,
 * and do not talk again. Nothing is sent while nobody waits, so that no rank can run ahead of another's failure.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "talweg/team_mpi.h"

enum { WHY_BYTES = 1024, CHUNK = 1 << 30, TRIES = 200 };

typedef struct mpi_team {
    tw_team team; /* first: what the caller holds */
    tw_context *ctx;
    MPI_Comm comm;
    int *count, *displacement; /* of the ranks, in bytes */
    bool over;                 /* somebody gave up, or the work has ended */
    tw_status how;             /* of the rank that gave up */
    char why[WHY_BYTES];
} mpi_team;

/* What a rank brings to a meeting when it gives up. */
typedef struct farewell {
    int status;
    char why[WHY_BYTES];
} farewell;

static void lose_mpi(mpi_team *m)
{
    m->over = true;
    m->how = TW_INTERRUPTED;
    snprintf(m->why, sizeof m->why, "MPI reports an error");
}

/* Wait for a message: at first in a loop, as MPI does, then in naps, so that a rank that shares its processor with others
 * lets them work. */
static int wait_for(MPI_Request *request)
{
    const struct timespec nap = {.tv_nsec = 50000};
    int done = 0, code = MPI_SUCCESS;
    for (int tries = 0; !done && code == MPI_SUCCESS; tries++) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tries > TRIES) nanosleep(&nap, NULL);
    }
    return code;
}

/* All ranks meet. Those with a farewell give up; the words of the first of them are heard by all. */
static tw_status meet(mpi_team *m, const farewell *mine)
{
    farewell heard = {TW_OK, ""};
    int rank = (int)m->team.rank, size = (int)m->team.size, leaves = mine ? rank : size, first = size;
    if (m->over) return m->how == TW_OK ? TW_INTERRUPTED : m->how;
    MPI_Request request;
    if (MPI_Iallreduce(&leaves, &first, 1, MPI_INT, MPI_MIN, m->comm, &request) != MPI_SUCCESS ||
        wait_for(&request) != MPI_SUCCESS) {
        lose_mpi(m);
        return m->how;
    }
    if (first == size) return TW_OK;
    if (mine && first == rank) heard = *mine;
    m->over = true;
    if (MPI_Bcast(&heard, (int)sizeof heard, MPI_BYTE, first, m->comm) != MPI_SUCCESS) {
        lose_mpi(m);
        return m->how;
    }
    m->how = (tw_status)heard.status;
    if (first == rank)
        snprintf(m->why, sizeof m->why, "%s", heard.why);
    else
        snprintf(m->why, sizeof m->why, "rank %d of %d: %.900s", first, size, heard.why);
    return m->how;
}

static tw_status result_of(mpi_team *m, int code)
{
    if (code == MPI_SUCCESS) return TW_OK;
    lose_mpi(m);
    return m->how;
}

/* What one rank has, all have; MPI counts in int. */
static int send_to_all(mpi_team *m, int from, char *data, size_t bytes)
{
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < bytes && code == MPI_SUCCESS; done += CHUNK) {
        size_t part = bytes - done < CHUNK ? bytes - done : CHUNK;
        MPI_Request request;
        code = MPI_Ibcast(data + done, (int)part, MPI_BYTE, from, m->comm, &request);
        if (code == MPI_SUCCESS) code = wait_for(&request);
    }
    return code;
}

static tw_status gather(void *user, void *data, const size_t *offset)
{
    mpi_team *m = user;
    size_t size = m->team.size;
    int code = MPI_SUCCESS;
    tw_status status = meet(m, NULL);
    if (status != TW_OK) return status;
    if (offset[size] > INT_MAX) {
        for (size_t r = 0; r < size && code == MPI_SUCCESS; r++)
            code = send_to_all(m, (int)r, (char *)data + offset[r], offset[r + 1] - offset[r]);
        return result_of(m, code);
    }
    for (size_t r = 0; r < size; r++) {
        m->displacement[r] = (int)offset[r];
        m->count[r] = (int)(offset[r + 1] - offset[r]);
    }
    MPI_Request request;
    code = MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, m->count, m->displacement, MPI_BYTE,
                           m->comm, &request);
    return result_of(m, code == MPI_SUCCESS ? wait_for(&request) : code);
}

static tw_status broadcast(void *user, void *data, size_t bytes)
{
    mpi_team *m = user;
    tw_status status = meet(m, NULL);
    return status == TW_OK ? result_of(m, send_to_all(m, 0, data, bytes)) : status;
}

static farewell say_farewell(tw_status status, const char *why)
{
    farewell mine = {.status = (int)status};
    snprintf(mine.why, sizeof mine.why, "%s", why ? why : tw_status_text(status));
    return mine;
}

static void give_up(void *user, tw_status status, const char *why)
{
    const farewell mine = say_farewell(status, why);
    meet(user, &mine);
}

static const char *reason(void *user)
{
    const mpi_team *m = user;
    return m->why[0] ? m->why : NULL;
}

/* ---- its life ---- */

static tw_status begin(mpi_team *m, MPI_Comm comm)
{
    int rank = 0, size = 0;
    void *memory = NULL;
    if (MPI_Comm_dup(comm, &m->comm) != MPI_SUCCESS || MPI_Comm_rank(m->comm, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(m->comm, &size) != MPI_SUCCESS)
        return tw_fail(m->ctx, TW_BAD_ARGUMENT, "this is no MPI communicator");
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    m->team = (tw_team){(size_t)rank, (size_t)size, m, gather, broadcast, give_up, reason};
    TW_TRY(tw_allocate(m->ctx, 2 * m->team.size, sizeof *m->count, "the ranks of a team", &memory));
    m->count = memory;
    m->displacement = m->count + size;
    return TW_OK;
}

tw_status tw_team_mpi(tw_context *ctx, MPI_Comm comm, tw_team **out)
{
    int ready = 0;
    void *memory = NULL;
    *out = NULL;
    MPI_Initialized(&ready);
    if (!ready) return tw_fail(ctx, TW_BAD_ARGUMENT, "a team of MPI needs MPI_Init first");
    TW_TRY(tw_allocate(ctx, 1, sizeof(mpi_team), "a team", &memory));
    mpi_team *m = memory;
    *m = (mpi_team){.ctx = ctx, .comm = MPI_COMM_NULL};
    tw_status status = begin(m, comm);
    if (status == TW_OK)
        *out = &m->team;
    else
        tw_team_mpi_free(&m->team);
    return status;
}

tw_status tw_team_mpi_end(tw_team *team, tw_status status, const char *why)
{
    mpi_team *m = (mpi_team *)(void *)team;
    const farewell mine = say_farewell(status, why);
    if (!m->over) meet(m, status == TW_OK ? NULL : &mine);
    m->over = true;
    return m->how;
}

void tw_team_mpi_free(tw_team *team)
{
    mpi_team *m = (mpi_team *)(void *)team;
    if (!m) return;
    if (m->comm != MPI_COMM_NULL) MPI_Comm_free(&m->comm);
    tw_release(m->ctx, m->count);
    tw_release(m->ctx, m);
}
