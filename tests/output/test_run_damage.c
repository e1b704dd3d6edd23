/* Run files that are damaged or from another program, and failing allocations. */
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "support/run_place.h"
#include "support/scratch_file.h"
#include "support/support.h"

/* Where bytes of the seal and of the rest are damaged at once, HDF5 reads what is damaged, and may lose some of its own
 * memory on the way. Other tests find files that talweg forgets to close. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

/* ---- files that are no runs ---- */

/* Everything that can be read of a run, for its effects. */
static void read_all(run_place *p)
{
    tw_run *run = NULL;
    tw_problem *problem = NULL;
    tw_chains_summary summary;
    if (tw_run_open(p->ctx, p->run, &run) != TW_OK) return;
    if (tw_run_problem(run, &problem) == TW_OK) tw_problem_free(problem);
    (void)tw_run_summarise(run, 1, NULL, &summary);
    tw_run_close(run);
}

static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    run_place p;
    size_t length = 0;
    uint64_t bits = 3;
    run_place_open(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 20), TW_OK);
    char *bytes = run_read_bytes(p.run, &length), *damaged = malloc(length);
    assert_non_null(damaged);
    for (size_t trial = 0; trial < 80; trial++) {
        size_t kept = trial < 12 ? trial : scratch_bits(&bits) % (length - 24); /* of it, and its seal */
        run_write_bytes(p.run, bytes, kept);
        assert_run_refused(&p, TW_BAD_DATA,
                           kept < 8 ? "run.nc: this is not a NetCDF-4 file"
                                    : "run.nc: this NetCDF-4 file is truncated");
    }
    for (size_t trial = 0; trial < 150;
         trial++) { /* HDF5 would not survive all of these; the seal keeps them off */
        memcpy(damaged, bytes, length);
        for (size_t k = 0; k < 1 + trial % 4; k++)
            damaged[8 + scratch_bits(&bits) % (length - 8)] = (char)scratch_bits(&bits);
        run_write_bytes(p.run, damaged, length);
        size_t seal = length - 24, changed = 8;
        while (changed < seal && damaged[changed] == bytes[changed]) changed++;
        if (changed < seal && memcmp(damaged + seal, bytes + seal, 8) == 0)
            assert_run_refused(&p, TW_BAD_DATA, "run.nc: the file is damaged");
        else
            read_all(&p);
    }
    free(damaged);
    free(bytes);
    run_place_close(&p);
}

static void other_files_are_named(void **state)
{
    (void)state;
    run_place p;
    int file = -1;
    run_place_open(&p);
    assert_run_refused(&p, TW_BAD_FILE, "run.nc: cannot be opened");
    run_write_bytes(p.run, "chain,draw,lp\n1,1,0\n", 20);
    assert_run_refused(&p, TW_BAD_DATA, "run.nc: this is not a NetCDF-4 file");
    assert_int_equal(nc_create(p.run, NC_CLOBBER, &file), NC_NOERR); /* the classic format */
    nc_close(file);
    assert_run_refused(&p, TW_BAD_DATA, "run.nc: this is not a NetCDF-4 file");
    assert_int_equal(nc_create(p.run, NC_CLOBBER | NC_NETCDF4, &file), NC_NOERR);
    nc_put_att_text(file, NC_GLOBAL, "inference_library", 5, "Turin");
    nc_close(file);
    assert_run_refused(&p, TW_BAD_DATA, "inference_library is not talweg");
    run_write_bytes(p.journal, "diary", 5);
    assert_run_refused(&p, TW_BAD_DATA, "run.nc.journal is not the journal of a run");
    run_place_close(&p);
}

/* What is taken out of a good file is what the message tells of. */
static void what_is_missing_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *group, *variable, *says;
    } cases[] = {{"posterior", "x", "posterior/x is missing"},
                 {"sample_stats", "energy", "sample_stats/energy is missing"},
                 {"sample_stats", NULL, "the group sample_stats is missing"},
                 {"posterior", NULL, "the group summary is missing"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run_place p;
        int file = -1, group = -1, variable = -1;
        run_place_open(&p);
        assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 3), TW_OK);
        assert_int_equal(nc_open(p.run, NC_WRITE, &file), NC_NOERR);
        assert_int_equal(nc_inq_ncid(file, cases[k].group, &group), NC_NOERR);
        if (cases[k].variable) {
            assert_int_equal(nc_inq_varid(group, cases[k].variable, &variable), NC_NOERR);
            assert_int_equal(nc_rename_var(group, variable, "other"), NC_NOERR);
        } else {
            assert_int_equal(nc_rename_grp(group, "other"), NC_NOERR);
        }
        nc_close(file);
        assert_run_refused(&p, TW_BAD_DATA, cases[k].says);
        run_place_close(&p);
    }
}

/* ---- memory ---- */

static size_t peak_of(size_t draws, size_t *reading)
{
    run_place p;
    tw_chains_summary summary;
    tw_run *run = NULL;
    run_place_open(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, draws), TW_OK);
    size_t peak = tw_context_bytes_peak(p.ctx);
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_summarise(run, 1, NULL, &summary), TW_OK);
    assert_true(summary.ess_bulk_min > 0.0);
    *reading = tw_context_bytes_peak(p.ctx);
    tw_run_close(run);
    run_place_close(&p);
    return peak;
}

/* 40,000 draws of 3 chains of 12 latents are 12 MB. */
static void memory_does_not_grow_with_draws(void **state)
{
    (void)state;
    size_t some_reading = 0, many_reading = 0, some = peak_of(2000, &some_reading);
    size_t many = peak_of(40000, &many_reading);
    assert_true(many <= some);
    assert_true(many_reading < ((size_t)40 << 20) + 40000 * RUN_CHAINS * 110);
}

/* A run from beginning to end, and all that can be read of it. */
static tw_status whole_life(tw_context *ctx, const char *path, const tw_run_options *options)
{
    tw_problem *problem = NULL, *again = NULL;
    tw_run *run = NULL;
    tw_chains_summary summary;
    tw_status status = run_problem_new(ctx, RUN_KERNEL, &problem);
    if (status == TW_OK) status = run_write(ctx, path, options, problem, 12);
    if (status == TW_OK) status = tw_run_open(ctx, path, &run);
    if (status == TW_OK) status = tw_run_problem(run, &again);
    if (status == TW_OK) status = tw_run_summarise(run, 1, NULL, &summary);
    tw_problem_free(again);
    tw_run_close(run);
    tw_problem_free(problem);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const tw_run_options options[] = {{.overwrite = true, .pointwise = true},
                                      {.overwrite = true, .summary_only = true}};
    scratch_folder folder = scratch_folder_new();
    for (int o = 0; o < 2; o++) {
        size_t failures = 0;
        for (size_t n = 1;; n++) {
            failing_allocator allocator = {.fail_at = n};
            tw_context *ctx = failing_context(&allocator);
            tw_status status = whole_life(ctx, scratch_path(&folder, "run.nc"), &options[o]);
            bool reached = allocator.calls >= n;
            assert_int_equal(status, reached ? TW_NO_MEMORY : TW_OK);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            assert_true(scratch_count(&folder) <= 2); /* the file, and a journal with draws */
            tw_context_free(ctx);
            failures += reached;
            if (!reached) break;
        }
        assert_true(failures > 60);
    }
    scratch_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_do_no_harm),  cmocka_unit_test(other_files_are_named),
        cmocka_unit_test(what_is_missing_is_named),  cmocka_unit_test(memory_does_not_grow_with_draws),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
