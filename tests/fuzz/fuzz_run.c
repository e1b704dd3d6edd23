/* fuzz_run.c: run files without a seal, with arbitrary values, types or names. Every three bytes of the input
 * are one change to the file of a valid run; damage to the bytes of the file concerns HDF5. */
#include <limits.h>
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "fuzz/fuzz.h"
#include "support/run_case.h"

static const double hostile[] = {0.0,       -1.0, 1.0,   2.0,    3.5,          NAN,    INFINITY,
                                 -INFINITY, 1e19, 1e300, -1e300, 2147483648.0, 0x1p61, 0x1p63};
static const nc_type types[] = {NC_DOUBLE, NC_INT64, NC_UINT64, NC_BYTE, NC_INT, NC_FLOAT};

enum { HOSTILE = sizeof hostile / sizeof *hostile, TYPES = sizeof types / sizeof *types, MOST = 16 };

static void change_attribute(int group, int variable, const uint8_t *op)
{
    int count = 0;
    char name[NC_MAX_NAME + 1];
    static const char text[] = "se\xff\n<b>%s&\"\\";
    nc_inq_varnatts(group, variable, &count);
    if (count == 0 || nc_inq_attname(group, variable, op[1] % count, name) != NC_NOERR) return;
    if (op[2] % 8 == 0)
        nc_del_att(group, variable, name);
    else if (op[2] % 8 == 1)
        nc_put_att_text(group, variable, name, op[2] % sizeof text, text);
    else
        nc_put_att_double(group, variable, name, types[op[2] % TYPES], 1 + op[2] / 128,
                          (double[]){hostile[op[2] % HOSTILE], 1.0});
}

static void change_variable(int group, const uint8_t *op)
{
    int count = 0, rank = 0, dimensions[NC_MAX_VAR_DIMS];
    size_t at[4] = {0};
    nc_inq_nvars(group, &count);
    if (count == 0) return;
    int variable = op[1] % count;
    nc_inq_var(group, variable, NULL, NULL, &rank, dimensions, NULL);
    for (int k = 0; k < rank && k < 4; k++) {
        size_t length = 1;
        nc_inq_dimlen(group, dimensions[k], &length);
        at[k] = length ? op[2] % length : 0;
    }
    if (op[1] < 240)
        nc_put_var1_double(group, variable, at, &hostile[op[2] % HOSTILE]);
    else
        nc_rename_var(group, variable, "other");
}

static void change(int file, const uint8_t *op)
{
    int groups[MOST] = {0}, count = 0, group = file;
    nc_inq_grps(file, &count, NULL);
    if (count > 0 && count <= MOST) nc_inq_grps(file, NULL, groups);
    if (op[0] % 4 && count > 0) group = groups[op[0] / 4 % count];
    if (op[0] >= 250)
        nc_rename_grp(group, "other");
    else if (op[0] % 2)
        change_variable(group, op);
    else
        change_attribute(group, NC_GLOBAL, op);
}

/* All that can be read of a run. */
static tw_status read_all(tw_context *ctx, const char *path)
{
    tw_run *run = NULL;
    tw_problem *problem = NULL;
    tw_chains_summary summary;
    TW_TRY(tw_run_open(ctx, path, &run));
    tw_status status = tw_run_summarise(run, 1, NULL, &summary);
    if (status == TW_OK) status = tw_run_problem(run, &problem);
    tw_problem_free(problem);
    tw_run_close(run);
    return status;
}

/* A run with draws or one with estimates; its seal, the last 24 bytes, is left out. */
static char *make_run(size_t k, size_t *length)
{
    tw_context *ctx = fuzz_context();
    tw_problem *problem = NULL;
    const char *path = fuzz_path(".nc");
    tw_run_evidence evidence = {.laplace = -1.0, .ep = -2.0, .count = 2, .from = "ep", .kernel = "hmc/ep"};
    evidence.estimates[0].method = evidence.estimates[1].method = "ais";
    unlink(path);
    tw_status status = run_problem_new(ctx, k % 2 ? RUN_MATRIX : RUN_KERNEL, &problem);
    tw_run_facts facts = status == TW_OK ? run_facts(problem) : (tw_run_facts){0};
    if (status == TW_OK)
        status = k < 2 ? run_write(ctx, path, &(tw_run_options){.summary_only = k == 1}, problem, 4)
                       : tw_run_write_evidence(ctx, path, true, problem, &facts, &evidence);
    if (status != TW_OK) fuzz_fail(tw_context_message(ctx));
    tw_problem_free(problem);
    fuzz_end(ctx, status);
    char *bytes = fuzz_bytes(path, length);
    *length -= 24;
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { RUNS = 3 };
    static char *run[RUNS];
    static size_t length[RUNS];
    int file = -1;
    size_t k = size ? data[0] % RUNS : 0;
    if (!run[k]) run[k] = make_run(k, &length[k]);
    const char *path = fuzz_write(".nc", run[k], length[k]);
    if (nc_open(path, NC_WRITE, &file) != NC_NOERR) fuzz_fail("a good run cannot be opened");
    for (size_t i = 1; i + 3 <= size && i < 30; i += 3) change(file, data + i);
    nc_close(file);
    tw_context *ctx = fuzz_context();
    fuzz_end(ctx, read_all(ctx, path));
    return 0;
}

const size_t fuzz_variations = 40;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char seeds[][7] = {{0, 0, 5, 66}, {0, 3, 2, 5, 2, 10, 40}, {1, 0, 7, 3},
                                    {1, 5, 4, 7},  {2, 0, 6, 30},           {2, 9, 3, 5},
                                    {0, 6, 1, 1}};
    if (k >= sizeof seeds / sizeof *seeds) return NULL;
    char *seed = malloc(sizeof seeds[k]);
    if (!seed) fuzz_fail("no memory");
    memcpy(seed, seeds[k], *length = sizeof seeds[k]);
    return seed;
}
