/* ranks_faults.c: the n-th allocation fails on one rank: all ranks end with its message, none hangs, and no
 * memory remains in use.
 *
 *   mpirun -n 3 ranks_faults DATA.csv [STRIDE]
 *   mpirun -n 2 ranks_faults --alone
 *
 * Each command runs with n = 1, 1 + STRIDE, ... until it needs fewer than n allocations; the rank that fails
 * is n modulo the number of ranks. tests/cli/mpi.sh runs this with a time limit, which detects a rank that
 * waits forever. With --alone rank 1 fails while rank 0 waits for it in a call that is none of the team's, as in a
 * matrix operation: rank 1 says why and ends both.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/team.h"
#include "cli/commands.h"
#include "support/support.h"
#include "talweg/team_mpi.h"

enum { MOST_ARGUMENTS = 16, WORDS = 512, LIMIT = 100000 };

/* What a rank found. */
typedef struct ending {
    int status, failed; /* did its allocation fail? */
    int left;           /* bytes in use */
    char words[WORDS];
} ending;

static int rank, size;

static void run(const char *const *arguments, size_t fail_at, ending *out)
{
    failing_allocator allocator = {.fail_at = fail_at};
    tw_context *ctx = failing_context(&allocator);
    tw_team *team = NULL;
    size_t count = 0;
    while (arguments[count]) count++;
    tw_status status = tw_team_mpi(ctx, MPI_COMM_WORLD, &team);
    if (status == TW_OK) status = tw_context_set_team(ctx, team);
    if (status == TW_OK) status = tw_program_run(ctx, count, arguments);
    snprintf(out->words, sizeof out->words, "%s", tw_context_message(ctx));
    if (team) {
        tw_status all = tw_team_mpi_end(team, status, tw_context_message(ctx));
        const char *reason = team->reason(team->user);
        if (all != TW_OK && reason) snprintf(out->words, sizeof out->words, "%.*s", WORDS - 1, reason);
        if (status == TW_OK) status = all;
    }
    tw_context_set_team(ctx, NULL);
    tw_team_mpi_free(team);
    out->status = (int)status;
    out->failed = fail_at > 0 && allocator.calls >= fail_at;
    out->left = (int)tw_context_bytes_in_use(ctx);
    tw_context_free(ctx);
}

/* Do the ends of all ranks agree? `who` is the one whose allocation failed. */
static bool is_sound(const ending *all, int who)
{
    bool sound = true;
    for (int r = 0; r < size; r++) {
        bool ended = all[who].failed ? all[r].status != TW_OK : all[r].status == TW_OK;
        bool same = !all[who].failed || strstr(all[r].words, all[who].words) ||
                    strstr(all[r].words, "another rank has not enough memory");
        if (ended && same && all[r].left == 0) continue;
        printf("rank %d: status %d, %d bytes left: %s\n", r, all[r].status, all[r].left, all[r].words);
        sound = false;
    }
    return sound;
}

static size_t sweep(const char *const *arguments, size_t stride, size_t *wrong)
{
    ending mine = {0}, all[8];
    size_t runs = 0;
    for (size_t n = 1; n < LIMIT; n += stride, runs++) {
        int who = (int)(n % (size_t)size);
        run(arguments, rank == who ? n : 0, &mine);
        MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
        if (rank == 0 && !is_sound(all, who)) {
            printf("talweg %s: allocation %zu of rank %d\n", arguments[0], n, who);
            ++*wrong;
        }
        if (!all[who].failed) break;
    }
    return runs;
}

/* Memory that ranks on one machine share: all see what the first writes, what is in use is not given to another, and what was
 * given back is used again. */
static bool shares_memory(void)
{
    tw_context *ctx = new_context();
    tw_team *team = NULL;
    void *block[3] = {NULL};
    bool first = false,
         sound = tw_team_mpi(ctx, MPI_COMM_WORLD, &team) == TW_OK && tw_context_set_team(ctx, team) == TW_OK;
    void *any = NULL;
    sound = sound && tw_team_common(ctx, 8, &any, &first) == TW_OK;
    size_t times = any ? 3 : 0; /* some machines and MPI libraries have no such memory */
    tw_team_give_back(ctx, any);
    for (size_t time = 0; sound && time < times; time++) {
        for (size_t k = 0; k < 3 && sound; k++) {
            void *before = block[k];
            sound = tw_team_common(ctx, 4096, &block[k], &first) == TW_OK && block[k] && first == (rank == 0);
            sound = sound && (time == 0 || block[k] == before);
            for (size_t i = 0; i < k && time == 0; i++) sound = sound && block[i] != block[k];
            if (sound && first) memset(block[k], (int)(10 * time + k), 4096);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (size_t k = 0; k < 3 && sound; k++) {
            const char *bytes = block[k];
            sound = bytes[0] == (char)(10 * time + k) && bytes[4095] == bytes[0];
        }
        for (size_t k = 0; k < 3; k++) tw_team_give_back(ctx, block[k]);
    }
    if (team) sound = tw_team_mpi_end(team, TW_OK, "") == TW_OK && sound;
    tw_context_set_team(ctx, NULL);
    tw_team_mpi_free(team);
    tw_context_free(ctx);
    return sound;
}

static void fail_alone(void)
{
    tw_context *ctx = new_context();
    tw_team *team = NULL;
    char never;
    if (tw_team_mpi(ctx, MPI_COMM_WORLD, &team) != TW_OK) return;
    tw_team_mpi_keep_step(team, NULL);
    if (rank == 1)
        tw_team_mpi_end(team, TW_NO_MEMORY, "nothing is left here");
    else
        MPI_Recv(&never, 1, MPI_CHAR, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int provided = 0;
    size_t stride = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, wrong = 0;
    const char *data = argc > 1 ? argv[1] : "";
    const char *const commands[][MOST_ARGUMENTS] = {
        {"sample", data, "--method", "hmc", "--chains", "33", "--warmup", "4", "--draws", "2", "--quiet"},
        {"evidence", data, "--method", "ais,pt", "--particles", "33", "--temperatures", "2", "--rounds", "30",
         "--quiet"},
        {"grid", data, "--log-ell", "0:1:2", "--log-sigma", "0:1:3", "--quiet"}};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(data, "--alone") == 0) {
        fail_alone();
        MPI_Finalize();
        return 0;
    }
    FILE *results = fdopen(dup(fileno(stdout)), "w");
    if (!results || !freopen("/dev/null", "w", stderr)) return 1;
    if (!shares_memory()) {
        fprintf(results, "rank %d does not share memory as it should\n", rank);
        wrong++;
    }
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        size_t runs = sweep(commands[k], stride, &wrong);
        if (rank == 0) fprintf(results, "%s: %zu failing allocations\n", commands[k][0], runs);
    }
    MPI_Finalize();
    return wrong > 0;
}
