/* team.c: a team over MPI (talweg/team_mpi.h).
 *
 * Every call starts with an allgather, in which each rank sends all others one slot of a fixed size: whether
 * it fails, whether it was asked to stop, and its payload, if that fits. A rank that fails does not know
 * which call the others are in. Since all slots have the same size, it can join any of them, and no rank
 * waits forever: all ranks learn of the failure in the same call, receive the reason, and do not communicate
 * again. A payload that does not fit into the slots follows in a separate message. No rank sends a message
 * for which no other rank waits, so no rank can run ahead of another's failure.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mpi/wait.h"
#include "mpi/windows.h"
#include "talweg/team_mpi.h"

enum { WHY_BYTES = 1024, CHUNK = 1 << 30, PATIENCE = 5 }; /* bytes, bytes, seconds */
enum {
    MOST_PAYLOAD = 4096,
    LEAST_PAYLOAD = 64,
    ALL_PAYLOAD = 65536
}; /* bytes: limits for one slot, and for all slots */

/* The header before the payload of a rank. */
typedef struct slot_head {
    int fails, asked;
} slot_head;

typedef struct mpi_team {
    tw_team team; /* first member: the caller's pointer */
    tw_context *ctx;
    MPI_Comm comm;
    double spins;                 /* seconds for which a rank spins before it sleeps */
    int *count, *displacement;    /* of the ranks, in bytes */
    size_t payload;               /* largest payload of a rank in a slot, in bytes */
    char *own, *slots;            /* the slot of this rank, and those of all */
    tw_mpi_windows windows;       /* memory shared by the ranks of one machine */
    bool over;                    /* a rank failed, or the work has ended */
    void (*say)(const char *why); /* in lockstep: prints the reason of a rank that fails alone */
    bool (*is_asked)(void);       /* was this rank asked to stop? NULL: never */
    void (*hear)(void);           /* called when a rank was asked to stop */
    tw_status how;                /* status of the rank that failed */
    char why[WHY_BYTES];          /* its reason */
} mpi_team;

/* The message of a rank that fails. */
typedef struct failure {
    int status;
    char why[WHY_BYTES];
} failure;

static void mpi_failed(mpi_team *m)
{
    m->over = true;
    m->how = TW_INTERRUPTED;
    snprintf(m->why, sizeof m->why, "MPI reports an error");
}

/* In lockstep, a rank that fails alone may wait for others that wait for it in a matrix operation. It waits
 * for PATIENCE seconds and then aborts all ranks. */
static int wait_in_time(const mpi_team *m, const failure *mine, MPI_Request *request)
{
    int code;
    if (!mine || !m->team.lockstep) return tw_mpi_wait(m->spins, request);
    if (tw_mpi_wait_until(m->spins, MPI_Wtime() + PATIENCE, request, &code)) return code;
    char words[WHY_BYTES + 64];
    snprintf(words, sizeof words, "rank %zu of %zu: %s", m->team.rank, m->team.size, mine->why);
    if (m->say)
        m->say(words);
    else
        fprintf(stderr, "%s\n", words);
    MPI_Abort(m->comm, tw_status_exit_code((tw_status)mine->status));
    return MPI_ERR_OTHER;
}

static size_t slot_bytes(const mpi_team *m)
{
    return sizeof(slot_head) + m->payload;
}

static char *payload_of(const mpi_team *m, size_t rank)
{
    return m->slots + rank * slot_bytes(m) + sizeof(slot_head);
}

/* All ranks receive the message of the first rank that fails. */
static tw_status receive_failure(mpi_team *m, int first, const failure *mine)
{
    failure received = {TW_OK, ""};
    int rank = (int)m->team.rank;
    if (mine && first == rank) received = *mine;
    m->over = true;
    if (MPI_Bcast(&received, (int)sizeof received, MPI_BYTE, first, m->comm) != MPI_SUCCESS) {
        mpi_failed(m);
        return m->how;
    }
    m->how = (tw_status)received.status;
    if (first == rank)
        snprintf(m->why, sizeof m->why, "%s", received.why);
    else
        snprintf(m->why, sizeof m->why, "rank %d of %zu: %.900s", first, m->team.size, received.why);
    return m->how;
}

static slot_head head_of(const mpi_team *m, size_t rank)
{
    slot_head head;
    memcpy(&head, m->slots + rank * slot_bytes(m), sizeof head);
    return head;
}

/* Call hear() if a rank was asked to stop. */
static void hear_of_requests(const mpi_team *m)
{
    for (size_t r = 0; m->hear && r < m->team.size; r++)
        if (head_of(m, r).asked) {
            m->hear();
            return;
        }
}

/* All ranks exchange their slots. A rank with a message fails. */
static tw_status exchange(mpi_team *m, const failure *mine)
{
    const slot_head head = {.fails = mine != NULL, .asked = m->is_asked && m->is_asked()};
    MPI_Request request;
    if (m->over) return m->how == TW_OK ? TW_INTERRUPTED : m->how;
    memcpy(m->own, &head, sizeof head);
    if (MPI_Iallgather(m->own, (int)slot_bytes(m), MPI_BYTE, m->slots, (int)slot_bytes(m), MPI_BYTE, m->comm,
                       &request) != MPI_SUCCESS ||
        wait_in_time(m, mine, &request) != MPI_SUCCESS) {
        mpi_failed(m);
        return m->how;
    }
    hear_of_requests(m);
    for (size_t r = 0; r < m->team.size; r++)
        if (head_of(m, r).fails) return receive_failure(m, (int)r, mine);
    return TW_OK;
}

static tw_status result_of(mpi_team *m, int code)
{
    if (code == MPI_SUCCESS) return TW_OK;
    mpi_failed(m);
    return m->how;
}

/* Broadcast in chunks, since MPI counts in int. */
static int send_to_all(mpi_team *m, int from, char *data, size_t bytes)
{
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < bytes && code == MPI_SUCCESS; done += CHUNK) {
        size_t part = bytes - done < CHUNK ? bytes - done : CHUNK;
        MPI_Request request;
        code = MPI_Ibcast(data + done, (int)part, MPI_BYTE, from, m->comm, &request);
        if (code == MPI_SUCCESS) code = tw_mpi_wait(m->spins, &request);
    }
    return code;
}

static bool fits_slots(const mpi_team *m, const size_t *offset)
{
    for (size_t r = 0; r < m->team.size; r++)
        if (offset[r + 1] - offset[r] > m->payload) return false;
    return true;
}

static tw_status gather_in_slots(mpi_team *m, char *data, const size_t *offset)
{
    size_t rank = m->team.rank;
    memcpy(m->own + sizeof(slot_head), data + offset[rank], offset[rank + 1] - offset[rank]);
    tw_status status = exchange(m, NULL);
    for (size_t r = 0; status == TW_OK && r < m->team.size; r++)
        if (r != rank) memcpy(data + offset[r], payload_of(m, r), offset[r + 1] - offset[r]);
    return status;
}

static tw_status gather(void *user, void *data, const size_t *offset)
{
    mpi_team *m = user;
    size_t size = m->team.size;
    int code = MPI_SUCCESS;
    if (fits_slots(m, offset)) return gather_in_slots(m, data, offset);
    tw_status status = exchange(m, NULL);
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
    return result_of(m, code == MPI_SUCCESS ? tw_mpi_wait(m->spins, &request) : code);
}

static tw_status broadcast(void *user, void *data, size_t bytes)
{
    mpi_team *m = user;
    bool fits = bytes <= m->payload, leads = m->team.rank == 0;
    if (fits && leads) memcpy(m->own + sizeof(slot_head), data, bytes);
    tw_status status = exchange(m, NULL);
    if (status != TW_OK) return status;
    if (!fits) return result_of(m, send_to_all(m, 0, data, bytes));
    if (!leads) memcpy(data, payload_of(m, 0), bytes);
    return TW_OK;
}

/* Exchange with one other rank, between two collective calls: neither rank can fail before both are done. */
static tw_status trade(void *user, size_t with, size_t bytes, const void *mine, void *theirs)
{
    enum { TRADE = 1 };
    mpi_team *m = user;
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < bytes && code == MPI_SUCCESS; done += CHUNK) {
        int part = (int)(bytes - done < CHUNK ? bytes - done : CHUNK), sent;
        MPI_Request in, out;
        code = MPI_Irecv((char *)theirs + done, part, MPI_BYTE, (int)with, TRADE, m->comm, &in);
        if (code != MPI_SUCCESS) break;
        sent = MPI_Isend((const char *)mine + done, part, MPI_BYTE, (int)with, TRADE, m->comm, &out);
        code = sent == MPI_SUCCESS ? tw_mpi_wait(m->spins, &out) : sent;
        if (code == MPI_SUCCESS) code = tw_mpi_wait(m->spins, &in);
    }
    return result_of(m, code);
}

static failure make_failure(tw_status status, const char *why)
{
    failure mine = {.status = (int)status};
    snprintf(mine.why, sizeof mine.why, "%s", why ? why : tw_status_text(status));
    return mine;
}

static void give_up(void *user, tw_status status, const char *why)
{
    const failure mine = make_failure(status, why);
    exchange(user, &mine);
}

static const char *reason(void *user)
{
    const mpi_team *m = user;
    return m->why[0] ? m->why : NULL;
}

/* ---- shared memory ---- */

static tw_status common(void *user, size_t bytes, void **memory, bool *first)
{
    mpi_team *m = user;
    *memory = NULL;
    *first = true;
    tw_status status = exchange(m, NULL); /* a barrier: no rank still uses memory that was given back */
    if (status == TW_OK) tw_mpi_windows_take(&m->windows, bytes, memory, first);
    return status;
}

static void give_back(void *user, void *memory)
{
    mpi_team *m = user;
    tw_mpi_windows_give_back(&m->windows, memory);
}

/* ---- start and end ---- */

static tw_status make_slots(mpi_team *m)
{
    void *memory = NULL;
    m->payload = ALL_PAYLOAD / m->team.size;
    if (m->payload > MOST_PAYLOAD) m->payload = MOST_PAYLOAD;
    if (m->payload < LEAST_PAYLOAD) m->payload = LEAST_PAYLOAD;
    TW_TRY(tw_allocate(m->ctx, m->team.size + 1, slot_bytes(m), "the messages of a team", &memory));
    m->own = memory;
    m->slots = m->own + slot_bytes(m);
    memset(m->own, 0, slot_bytes(m));
    return TW_OK;
}

/* The local part of the start, which may fail on one rank. */
static tw_status make(tw_context *ctx, MPI_Comm comm, mpi_team **out)
{
    int rank = 0, size = 0;
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(mpi_team), "a team", &memory));
    mpi_team *m = *out = memory;
    *m = (mpi_team){.ctx = ctx, .comm = MPI_COMM_NULL, .windows = {.node = MPI_COMM_NULL}};
    if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS || MPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "this is not an MPI communicator");
    m->team = (tw_team){.rank = (size_t)rank,
                        .size = (size_t)size,
                        .user = m,
                        .gather = gather,
                        .broadcast = broadcast,
                        .give_up = give_up,
                        .reason = reason,
                        .common = common,
                        .give_back = give_back,
                        .trade = trade};
    TW_TRY(tw_allocate(ctx, 2 * m->team.size, sizeof *m->count, "the ranks of a team", &memory));
    m->count = memory;
    m->displacement = m->count + size;
    return make_slots(m);
}

/* Before the team exists, failures cannot be exchanged: all ranks first check that all are ready. */
static tw_status join(mpi_team *m, MPI_Comm comm, tw_context *ctx, tw_status status)
{
    int failed = !m || status != TW_OK, any = 0;
    if (MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "this is not an MPI communicator");
    if (!m || status != TW_OK) return status;
    if (any) return tw_fail(ctx, TW_NO_MEMORY, "another rank has not enough memory for the team");
    if (MPI_Comm_dup(comm, &m->comm) != MPI_SUCCESS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "this is not an MPI communicator");
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    tw_mpi_windows_begin(&m->windows, m->comm);
    int here = tw_mpi_windows_ranks(&m->windows);
    if (here > 0) m->spins = tw_mpi_spins(here);
    return TW_OK;
}

tw_status tw_team_mpi(tw_context *ctx, MPI_Comm comm, tw_team **out)
{
    int ready = 0;
    mpi_team *m = NULL;
    *out = NULL;
    MPI_Initialized(&ready);
    if (!ready) return tw_fail(ctx, TW_BAD_ARGUMENT, "an MPI team needs MPI_Init first");
    tw_status status = make(ctx, comm, &m);
    status = join(m, comm, ctx, status);
    if (status == TW_OK)
        *out = (tw_team *)(void *)m;
    else
        tw_team_mpi_free((tw_team *)(void *)m);
    return status;
}

void tw_team_mpi_keep_step(tw_team *team, void (*say)(const char *why))
{
    mpi_team *m = (mpi_team *)(void *)team;
    m->say = say;
    m->team.lockstep = true;
}

void tw_team_mpi_relay(tw_team *team, bool (*is_asked)(void), void (*hear)(void))
{
    mpi_team *m = (mpi_team *)(void *)team;
    m->is_asked = is_asked;
    m->hear = hear;
}

tw_status tw_team_mpi_end(tw_team *team, tw_status status, const char *why)
{
    mpi_team *m = (mpi_team *)(void *)team;
    const failure mine = make_failure(status, why);
    if (!m->over) exchange(m, status == TW_OK ? NULL : &mine);
    m->over = true;
    return m->how;
}

void tw_team_mpi_free(tw_team *team)
{
    mpi_team *m = (mpi_team *)(void *)team;
    if (!m) return;
    tw_mpi_windows_end(&m->windows);
    if (m->comm != MPI_COMM_NULL) MPI_Comm_free(&m->comm);
    tw_release(m->ctx, m->count);
    tw_release(m->ctx, m->own);
    tw_release(m->ctx, m);
}
