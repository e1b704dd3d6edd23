/* bench_ranks.c: the gain from a second process: annealed importance sampling on USPS 3-vs-5 at (4.85, 5.1),
 * pilot included.
 *
 *   mpirun -n 2 build/bench/bench_ranks
 *
 * Three ways alternate, so that all see the same machine: rank 0 alone; every rank with all of the work at
 * the same time, which shows what the machine allows; and all ranks together, one thread each. The efficiency
 * on R ranks is seconds(1) / (R seconds(R)), the median over the turns. The estimates must be equal to the
 * bit. Meetings are calls of the team; their time is that of messages and of waiting for other ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "support_time.h"
#include "support_usps.h"
#include "talweg/evidence.h"
#include "talweg/team_mpi.h"

enum { TURNS = 5, WAYS = 3, MOST_RANKS = 64 };
enum { ALONE, BESIDE, TOGETHER };

/* A team that counts its meetings. */
typedef struct counted {
    tw_team team; /* the context's team */
    const tw_team *inner;
    double meetings, bytes, seconds;
} counted;

/* Wait for the other ranks without using the processor. */
static void wait_for_all(void)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}

static void count(counted *c, double start, size_t bytes)
{
    c->meetings += 1.0;
    c->bytes += (double)bytes;
    c->seconds += bench_seconds() - start;
}

static tw_status gather(void *user, void *data, const size_t *offset)
{
    counted *c = user;
    double start = bench_seconds();
    tw_status status = c->inner->gather(c->inner->user, data, offset);
    count(c, start, offset[c->inner->size]);
    return status;
}

static tw_status broadcast(void *user, void *data, size_t bytes)
{
    counted *c = user;
    double start = bench_seconds();
    tw_status status = c->inner->broadcast(c->inner->user, data, bytes);
    count(c, start, bytes);
    return status;
}

static void give_up(void *user, tw_status status, const char *why)
{
    const counted *c = user;
    c->inner->give_up(c->inner->user, status, why);
}

static counted counted_team(const tw_team *inner)
{
    counted c = {.team = {.rank = inner->rank, .size = inner->size}, .inner = inner};
    c.team.gather = gather;
    c.team.broadcast = broadcast;
    c.team.give_up = give_up;
    return c;
}

static double seconds_of_ais(const bench_usps *u, const tw_team *team, double *log_z)
{
    tw_ais_options o = TW_AIS_DEFAULTS;
    tw_estimate estimate;
    o.kernel.method = TW_METHOD_HMC;
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = u->ep->reference;
    o.kernel.threads = 1;
    bench_check(u->ctx, tw_context_set_team(u->ctx, team));
    double start = bench_seconds();
    bench_check(u->ctx, tw_ais_run(u->model, u->ep->reference, &o, NULL, NULL, NULL, &estimate));
    *log_z = estimate.log_z;
    return bench_seconds() - start;
}

/* Run one of the ways; ranks without a part in it wait. */
static double seconds_of(const bench_usps *u, counted *c, int way, double *log_z)
{
    wait_for_all();
    c->team.user = c;
    if (way == ALONE && c->team.rank > 0) return 0.0;
    return seconds_of_ais(u, way == TOGETHER ? &c->team : NULL, log_z);
}

static void print_meetings(const counted *c)
{
    double mine[3] = {c->meetings / TURNS, c->bytes / TURNS, c->seconds / TURNS}, all[3 * MOST_RANKS] = {0.0};
    if (c->team.size > MOST_RANKS) return;
    MPI_Gather(mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (size_t r = 0; c->team.rank == 0 && r < c->team.size; r++)
        printf("rank %zu: %4.0f meetings, %8.1f kB, in them %6.3f s\n", r, all[3 * r], all[3 * r + 1] / 1e3,
               all[3 * r + 2]);
}

static void compare(const bench_usps *u, const tw_team *team)
{
    static const char *const name[WAYS] = {"rank 0 alone", "each rank alone, at once", "all ranks together"};
    double seconds[WAYS][TURNS], efficiency[WAYS][TURNS], log_z[WAYS] = {0.0};
    counted c = counted_team(team);
    bool same = true;
    for (size_t k = 0; k < TURNS; k++) {
        for (int way = 0; way < WAYS; way++) {
            seconds[way][k] = seconds_of(u, &c, way, &log_z[way]);
            efficiency[way][k] = seconds[ALONE][k] / seconds[way][k];
            if (way == TOGETHER) efficiency[way][k] /= (double)team->size;
            same = same && log_z[way] == log_z[ALONE];
        }
    }
    for (int way = 0; team->rank == 0 && way < WAYS; way++)
        printf("AIS on USPS, %-25s %7.3f s   efficiency %5.3f (median of %d turns)\n", name[way],
               bench_median(TURNS, seconds[way]), bench_median(TURNS, efficiency[way]), TURNS);
    print_meetings(&c);
    if (team->rank == 0)
        printf("log Z %.12f: %s\n", log_z[TOGETHER], same ? "the same to the bit" : "NOT the same");
}

int main(int argc, char **argv)
{
    int provided = 0;
    bench_usps usps;
    tw_team *team = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (bench_usps_new(4.85, 5.1, &usps)) {
        bench_check(usps.ctx, tw_team_mpi(usps.ctx, MPI_COMM_WORLD, &team));
        compare(&usps, team);
        tw_context_set_team(usps.ctx, NULL);
        tw_team_mpi_free(team);
        bench_usps_free(&usps);
    }
    MPI_Finalize();
    return 0;
}
