/* bench_ranks.c: what a second process is worth: annealed importance sampling on USPS 3-vs-5 at (4.85, 5.1), pilot included.
 *
 *   mpirun -n 2 build/bench/bench_ranks
 *
 * Rank 0 alone and all ranks together take turns, so that both see the same machine; one thread each. The efficiency on R
 * ranks is seconds(1) / (R seconds(R)), the median over the turns. The estimates must be equal to the bit.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "support_time.h"
#include "support_usps.h"
#include "talweg/evidence.h"
#include "talweg/team_mpi.h"

enum { TURNS = 5 };

/* Wait for the others without taking a processor from them. */
static void wait_for_all(void)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
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

static void compare(const bench_usps *u, const tw_team *team)
{
    double alone[TURNS] = {0.0}, together[TURNS], efficiency[TURNS], first = 0.0, log_z = 0.0;
    bool same = true;
    for (size_t k = 0; k < TURNS; k++) {
        wait_for_all();
        if (team->rank == 0) alone[k] = seconds_of_ais(u, NULL, &first);
        wait_for_all();
        together[k] = seconds_of_ais(u, team, &log_z);
        efficiency[k] = alone[k] / ((double)team->size * together[k]);
        same = same && log_z == first;
    }
    if (team->rank > 0) return;
    printf("AIS on USPS, rank 0 alone           %8.3f s\n", bench_median(TURNS, alone));
    printf("AIS on USPS, %3zu ranks              %8.3f s\n", team->size, bench_median(TURNS, together));
    printf("efficiency, median of %d turns       %8.3f\n", TURNS, bench_median(TURNS, efficiency));
    printf("log Z %.12f: %s\n", log_z, same ? "the same to the bit" : "NOT the same");
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
