/* Runs that did not end well: processes that were killed, journals cut anywhere, disks that were full, files that
 * are damaged or somebody else's, and memory that ran out. */
#include <fcntl.h>
#include <math.h>
#include <netcdf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/journal_frame.h"
#include "support/run_case.h"
#include "support/scratch_file.h"
#include "support/scratch_folder.h"
#include "support/support.h"

/* A folder with a problem, for runs called run.nc. */
typedef struct place {
    tw_context *ctx;
    tw_problem *problem;
    scratch_folder folder;
    char run[1024], journal[1024];
    char said[2048]; /* what came to the log last */
} place;

static void keep_words(void *user, tw_log_level level, const char *text)
{
    place *p = user;
    (void)level;
    snprintf(p->said, sizeof p->said, "%s", text);
}

static void open_place(place *p)
{
    *p = (place){.ctx = new_context(), .folder = scratch_folder_new()};
    assert_int_equal(run_problem_new(p->ctx, RUN_KERNEL, &p->problem), TW_OK);
    snprintf(p->run, sizeof p->run, "%s", scratch_path(&p->folder, "run.nc"));
    snprintf(p->journal, sizeof p->journal, "%s", scratch_path(&p->folder, "run.nc.journal"));
    tw_context_set_log(p->ctx, keep_words, p);
}

static void close_place(place *p)
{
    tw_problem_free(p->problem);
    assert_int_equal(tw_context_bytes_in_use(p->ctx), 0);
    tw_context_free(p->ctx);
    scratch_folder_remove(&p->folder);
}

static char *read_bytes(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* A process that makes so many draws and is then killed. */
static void leave_journal(place *p, const tw_run_options *options, size_t draws)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tw_run_writer *writer = NULL;
        if (run_begin(p->ctx, p->run, options, p->problem, draws, &writer) != TW_OK) _exit(1);
        raise(SIGKILL);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
}

/* The run opens with so many draws, the last of which is right. */
static void assert_opens(place *p, size_t draws)
{
    tw_run *run = NULL;
    run_draw last;
    double x[RUN_N];
    if (tw_run_open(p->ctx, p->run, &run) != TW_OK) fail_msg("%s", tw_context_message(p->ctx));
    assert_int_equal(tw_run_describe(run)->draws, draws);
    run_draw_make(p->problem, draws - 1, &last);
    assert_int_equal(tw_run_read_draws(run, RUN_CHAINS - 1, draws - 1, 1, x), TW_OK);
    assert_memory_equal(x, last.x + RUN_N * (RUN_CHAINS - 1), sizeof x);
    tw_run_close(run);
    assert_int_equal(access(p->journal, F_OK), -1);
}

static void assert_refused(place *p, tw_status expected, const char *words)
{
    tw_run *run = NULL;
    tw_status status = tw_run_open(p->ctx, p->run, &run);
    if (status != expected || !strstr(tw_context_message(p->ctx), words))
        fail_msg("%d, \"%s\" does not say \"%s\"", (int)status, tw_context_message(p->ctx), words);
    assert_null(run);
}

/* ---- kills ---- */

static void a_killed_run_is_completed(void **state)
{
    (void)state;
    place p;
    open_place(&p);
    leave_journal(&p, NULL, 37);
    assert_int_equal(scratch_count(&p.folder), 1);
    assert_opens(&p, 37);
    assert_non_null(strstr(p.said, "completed from its journal, with 37 draws"));
    tw_run *run = NULL;
    tw_totals expected = {0};
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    const tw_run_facts *f = tw_run_describe(run);
    for (size_t i = 0; i < 37; i++) {
        run_draw draw;
        run_draw_make(p.problem, i, &draw);
        for (size_t c = 0; c < RUN_CHAINS; c++) {
            expected.acceptance += draw.records[c].acceptance_rate;
            expected.leapfrog_steps += draw.records[c].steps;
            expected.implicit_failure += draw.records[c].implicit_failure;
        }
    }
    assert_true(f->interrupted && f->tuning.eps == 0.3 && f->tuning.jittered);
    assert_int_equal(f->sampling.transitions, 37 * RUN_CHAINS);
    assert_true(f->sampling.acceptance == expected.acceptance);
    assert_int_equal(f->sampling.leapfrog_steps, expected.leapfrog_steps);
    assert_int_equal(f->sampling.implicit_failure, expected.implicit_failure);
    tw_run_close(run);
    close_place(&p);
}

static void a_run_without_draws_is_taken_away(void **state)
{
    (void)state;
    place p;
    open_place(&p);
    leave_journal(&p, NULL, 0);
    assert_refused(&p, TW_BAD_FILE, "run.nc: cannot be opened");
    assert_non_null(strstr(p.said, "ended before the first draw"));
    assert_int_equal(scratch_count(&p.folder), 0);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 5), TW_OK);
    leave_journal(&p, &(tw_run_options){.overwrite = true}, 0);
    assert_opens(&p, 5); /* the file that was to be replaced is still there */
    assert_int_equal(run_write(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, 0), TW_OK);
    tw_run *run = NULL; /* ended in warm-up, but ended: a file of facts */
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_describe(run)->draws, 0);
    tw_run_close(run);
    close_place(&p);
}

static void a_journal_is_not_lost_to_the_next_run(void **state)
{
    (void)state;
    place p;
    tw_run_writer *writer = NULL;
    open_place(&p);
    leave_journal(&p, NULL, 4);
    assert_int_equal(run_begin(p.ctx, p.run, NULL, p.problem, 0, &writer), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "has 4 draws of a run that did not end"));
    assert_int_equal(run_write(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, 9), TW_OK);
    assert_opens(&p, 9);
    assert_int_equal(scratch_count(&p.folder), 1);
    close_place(&p);
}

static void a_living_run_is_left_alone(void **state)
{
    (void)state;
    place p;
    tw_run_writer *writer = NULL, *second = NULL;
    const tw_run_options overwrite = {.overwrite = true};
    open_place(&p);
    assert_int_equal(run_begin(p.ctx, p.run, NULL, p.problem, 3, &writer), TW_OK);
    assert_refused(&p, TW_BAD_FILE, "still being written by another talweg");
    assert_int_equal(run_begin(p.ctx, p.run, &overwrite, p.problem, 0, &second), TW_BAD_FILE);
    tw_run_abandon(writer); /* it has draws: they stay */
    assert_opens(&p, 3);
    assert_int_equal(run_begin(p.ctx, p.run, &overwrite, p.problem, 0, &writer), TW_OK);
    tw_run_abandon(writer);
    assert_int_equal(scratch_count(&p.folder), 1);
    close_place(&p);
}

/* ---- journals cut anywhere ---- */

static void journals_may_be_cut_anywhere(void **state)
{
    (void)state;
    enum { DRAWS = 5, SIDE = 3 };
    place p;
    open_place(&p);
    leave_journal(&p, NULL, DRAWS);
    size_t length = 0, stride = tw_draw_stride(&(tw_journal_settings){.n = RUN_N, .chains = RUN_CHAINS});
    char *bytes = read_bytes(p.journal, &length);
    size_t head = length - DRAWS * stride;
    uint64_t bits = 7;
    for (size_t trial = 0; trial < 220; trial++) { /* all around the ends of frames, then anywhere */
        size_t frame = trial % (DRAWS + 1), side = trial / (DRAWS + 1);
        size_t at =
            side <= 2 * SIDE + 24 ? head + frame * stride + side - SIDE : scratch_bits(&bits) % length;
        if (at > length) continue;
        write_bytes(p.journal, bytes, at);
        if (at < head)
            assert_refused(&p, TW_BAD_DATA, "run.nc.journal: this is no journal");
        else if (at < head + stride)
            assert_refused(&p, TW_BAD_FILE, "cannot be opened");
        else
            assert_opens(&p, (at - head) / stride);
        unlink(p.run);
    }
    for (size_t trial = 0; trial < 60;
         trial++) { /* a byte changed: its frame and what follows do not count */
        size_t at = head + scratch_bits(&bits) % (length - head), draw = (at - head) / stride;
        bytes[at] = (char)(bytes[at] ^ (1 << trial % 8));
        write_bytes(p.journal, bytes, length);
        bytes[at] = (char)(bytes[at] ^ (1 << trial % 8));
        if (draw == 0)
            assert_refused(&p, TW_BAD_FILE, "cannot be opened");
        else
            assert_opens(&p, draw);
        unlink(p.run);
    }
    free(bytes);
    close_place(&p);
}

/* ---- disks that are full ---- */

static struct rlimit limit_file_size(rlim_t bytes)
{
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = bytes;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    return before;
}

static void lift_limit(const struct rlimit *before)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, before), 0);
    signal(SIGXFSZ, SIG_DFL);
}

/* Full at any point of the run: what was written is there, and completed when there is room again. */
static void a_full_disk_keeps_the_draws(void **state)
{
    (void)state;
    place p;
    struct stat about;
    const tw_run_options overwrite = {.overwrite = true};
    size_t stride = tw_draw_stride(&(tw_journal_settings){.n = RUN_N, .chains = RUN_CHAINS});
    open_place(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 2), TW_OK);
    leave_journal(&p, &overwrite, 0);
    assert_int_equal(stat(p.journal, &about), 0);
    unlink(p.journal);
    for (size_t room = 0; room < 3; room++) { /* room for so many draws */
        tw_run_writer *writer = NULL;
        run_draw draw;
        tw_status status = run_begin(p.ctx, p.run, &overwrite, p.problem, 0, &writer);
        assert_int_equal(status, TW_OK);
        struct rlimit before = limit_file_size((rlim_t)about.st_size + room * stride + 100);
        for (size_t i = 0; status == TW_OK && i < 3; i++) {
            run_draw_make(p.problem, i, &draw);
            status = tw_run_append(writer, &draw.draw);
        }
        lift_limit(&before);
        assert_int_equal(status, TW_WRITE_FAILED);
        assert_non_null(
            strstr(tw_context_message(p.ctx), "run.nc.journal: could not be written: File too large"));
        tw_run_abandon(writer);
        assert_opens(&p, room ? room : 2); /* without a draw: what was there before */
    }
    struct rlimit before = limit_file_size(1000); /* not even the problem fits */
    tw_run_writer *writer = NULL;
    tw_status status = run_begin(p.ctx, p.run, &overwrite, p.problem, 0, &writer);
    lift_limit(&before);
    assert_int_equal(status, TW_WRITE_FAILED);
    assert_int_equal(scratch_count(&p.folder), 1);
    close_place(&p);
}

/* The journal is complete, but there is no room for the file: nothing is lost, not even the final facts. */
static void a_full_disk_at_the_end_costs_nothing(void **state)
{
    (void)state;
    place p;
    open_place(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 2), TW_OK);
    const tw_run_options options = {.overwrite = true, .pointwise = true};
    tw_run_writer *writer = NULL;
    tw_run_facts facts = run_facts(p.problem);
    struct stat about;
    assert_int_equal(run_begin(p.ctx, p.run, &options, p.problem, 400, &writer), TW_OK);
    assert_int_equal(stat(p.journal, &about), 0);
    struct rlimit before = limit_file_size((rlim_t)about.st_size + 60000);
    tw_status status = tw_run_finish(writer, &facts);
    lift_limit(&before);
    assert_int_equal(status, TW_WRITE_FAILED);
    assert_non_null(strstr(tw_context_message(p.ctx), "the draws are safe in"));
    assert_non_null(strstr(tw_context_message(p.ctx), "File too large"));
    assert_int_equal(scratch_count(&p.folder), 2);
    assert_opens(&p, 400);
    tw_run *run = NULL;
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_false(tw_run_describe(run)->interrupted);
    assert_true(tw_run_describe(run)->warmup_seconds == facts.warmup_seconds);
    assert_int_equal(tw_run_describe(run)->sampling.transitions, facts.sampling.transitions);
    tw_run_close(run);
    close_place(&p);
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    place p;
    tw_run_writer *writer = NULL;
    open_place(&p);
    assert_int_equal(run_begin(p.ctx, "/dev/full", NULL, p.problem, 0, &writer), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "/dev/full is not a regular file"));
    assert_int_equal(run_begin(p.ctx, p.folder.path, NULL, p.problem, 0, &writer), TW_WRITE_FAILED);
    assert_int_equal(run_begin(p.ctx, scratch_path(&p.folder, "absent/run.nc"), NULL, p.problem, 0, &writer),
                     TW_WRITE_FAILED);
    assert_int_equal(scratch_count(&p.folder), 0);
    close_place(&p);
}

/* ---- files that are no runs ---- */

/* Everything that can be read of a run, for its effects. */
static void read_all(place *p)
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
    place p;
    size_t length = 0;
    uint64_t bits = 3;
    open_place(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 20), TW_OK);
    char *bytes = read_bytes(p.run, &length), *damaged = malloc(length);
    assert_non_null(damaged);
    for (size_t trial = 0; trial < 80; trial++) {
        size_t kept = trial < 12 ? trial : scratch_bits(&bits) % (length - 24); /* of it, and its seal */
        write_bytes(p.run, bytes, kept);
        assert_refused(&p, TW_BAD_DATA,
                       kept < 8 ? "run.nc: this is not a NetCDF-4 file" : "run.nc: not all of");
    }
    for (size_t trial = 0; trial < 300;
         trial++) { /* HDF5 would not survive all of these; the seal keeps them off */
        memcpy(damaged, bytes, length);
        for (size_t k = 0; k < 1 + trial % 4; k++)
            damaged[8 + scratch_bits(&bits) % (length - 8)] = (char)scratch_bits(&bits);
        write_bytes(p.run, damaged, length);
        size_t seal = length - 24, changed = 8;
        while (changed < seal && damaged[changed] == bytes[changed]) changed++;
        if (changed < seal && memcmp(damaged + seal, bytes + seal, 8) == 0)
            assert_refused(&p, TW_BAD_DATA, "run.nc: the file is damaged");
        else
            read_all(&p);
    }
    free(damaged);
    free(bytes);
    close_place(&p);
}

static void other_files_are_named(void **state)
{
    (void)state;
    place p;
    int file = -1;
    open_place(&p);
    assert_refused(&p, TW_BAD_FILE, "run.nc: cannot be opened");
    write_bytes(p.run, "chain,draw,lp\n1,1,0\n", 20);
    assert_refused(&p, TW_BAD_DATA, "run.nc: this is not a NetCDF-4 file");
    assert_int_equal(nc_create(p.run, NC_CLOBBER, &file), NC_NOERR); /* the classic format */
    nc_close(file);
    assert_refused(&p, TW_BAD_DATA, "run.nc: this is not a NetCDF-4 file");
    assert_int_equal(nc_create(p.run, NC_CLOBBER | NC_NETCDF4, &file), NC_NOERR);
    nc_put_att_text(file, NC_GLOBAL, "inference_library", 5, "Turin");
    nc_close(file);
    assert_refused(&p, TW_BAD_DATA, "inference_library is not talweg");
    write_bytes(p.journal, "diary", 5);
    assert_refused(&p, TW_BAD_DATA, "run.nc.journal: this is no journal");
    close_place(&p);
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
        place p;
        int file = -1, group = -1, variable = -1;
        open_place(&p);
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
        assert_refused(&p, TW_BAD_DATA, cases[k].says);
        close_place(&p);
    }
}

/* ---- memory ---- */

static size_t peak_of(size_t draws, size_t *reading)
{
    place p;
    tw_chains_summary summary;
    tw_run *run = NULL;
    open_place(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, draws), TW_OK);
    size_t peak = tw_context_bytes_peak(p.ctx);
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_summarise(run, 1, NULL, &summary), TW_OK);
    assert_true(summary.ess_bulk_min > 0.0);
    *reading = tw_context_bytes_peak(p.ctx);
    tw_run_close(run);
    close_place(&p);
    return peak;
}

/* 120,000 draws of 3 chains of 12 latents are 35 MB. */
static void memory_does_not_grow_with_draws(void **state)
{
    (void)state;
    size_t some_reading = 0, many_reading = 0, some = peak_of(2000, &some_reading);
    size_t many = peak_of(120000, &many_reading);
    assert_true(many <= some);
    assert_true(many_reading < ((size_t)40 << 20) + 120000 * RUN_CHAINS * 110);
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
        cmocka_unit_test(a_killed_run_is_completed),
        cmocka_unit_test(a_run_without_draws_is_taken_away),
        cmocka_unit_test(a_journal_is_not_lost_to_the_next_run),
        cmocka_unit_test(a_living_run_is_left_alone),
        cmocka_unit_test(journals_may_be_cut_anywhere),
        cmocka_unit_test(a_full_disk_keeps_the_draws),
        cmocka_unit_test(a_full_disk_at_the_end_costs_nothing),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(other_files_are_named),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(memory_does_not_grow_with_draws),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
