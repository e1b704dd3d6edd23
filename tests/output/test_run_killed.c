/* Runs that did not end well: killed processes, truncated journals, full disks. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/journal/frame.h"
#include "support/run_place.h"
#include "support/scratch_file.h"
#include "support/support.h"

/* ---- kills ---- */

static void a_killed_run_is_completed(void **state)
{
    (void)state;
    run_place p;
    run_place_open(&p);
    run_leave_journal(&p, NULL, 37);
    assert_int_equal(scratch_count(&p.folder), 1);
    assert_run_opens(&p, 37);
    assert_non_null(strstr(p.said, "completed from the journal, with 37 draws"));
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
    run_place_close(&p);
}

/* talweg once wrote a second image, with the final facts and the problem again, behind the draws. Such a journal is
 * completed too, and its run has ended. */
static void a_second_image_counts(void **state)
{
    (void)state;
    run_place p;
    run_place_open(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 0), TW_OK); /* all but draws */
    size_t length = 0;
    char *image = run_read_bytes(p.run, &length);
    run_leave_journal(&p, &(tw_run_options){.overwrite = true}, 6);
    tw_journal_settings settings = {.n = RUN_N, .chains = RUN_CHAINS, .bytes = length};
    size_t bytes = sizeof settings + (length + 7) / 8 * 8;
    char *payload = calloc(1, bytes);
    assert_non_null(payload);
    memcpy(payload, &settings, sizeof settings);
    memcpy(payload + sizeof settings, image, length);
    const uint64_t frame[TW_FRAME_WORDS] = {TW_FRAME_IMAGE, bytes,
                                            tw_checksum(TW_CHECKSUM_START, bytes / 8, payload)};
    FILE *journal = fopen(p.journal, "ab");
    assert_non_null(journal);
    assert_int_equal(fwrite(frame, sizeof frame, 1, journal), 1);
    assert_int_equal(fwrite(payload, bytes, 1, journal), 1);
    assert_int_equal(fclose(journal), 0);
    assert_run_opens(&p, 6);
    tw_run *run = NULL;
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_false(tw_run_describe(run)->interrupted);
    tw_run_close(run);
    free(payload);
    free(image);
    run_place_close(&p);
}

static void a_run_without_draws_is_taken_away(void **state)
{
    (void)state;
    run_place p;
    run_place_open(&p);
    run_leave_journal(&p, NULL, 0);
    assert_run_refused(&p, TW_BAD_FILE, "run.nc: cannot be opened");
    assert_non_null(strstr(p.said, "ended before the first draw"));
    assert_int_equal(scratch_count(&p.folder), 0);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 5), TW_OK);
    run_leave_journal(&p, &(tw_run_options){.overwrite = true}, 0);
    assert_run_opens(&p, 5); /* the file that was to be replaced is still there */
    assert_int_equal(run_write(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, 0), TW_OK);
    tw_run *run = NULL; /* ended in warm-up, but ended: a file of facts */
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_describe(run)->draws, 0);
    tw_run_close(run);
    run_place_close(&p);
}

static void a_journal_is_not_lost_to_the_next_run(void **state)
{
    (void)state;
    run_place p;
    tw_run_writer *writer = NULL;
    run_place_open(&p);
    run_leave_journal(&p, NULL, 4);
    assert_int_equal(run_begin(p.ctx, p.run, NULL, p.problem, 0, &writer), TW_FILE_EXISTS);
    assert_non_null(strstr(tw_context_message(p.ctx), "has 4 draws of an unfinished run"));
    assert_int_equal(run_write(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, 9), TW_OK);
    assert_run_opens(&p, 9);
    assert_int_equal(scratch_count(&p.folder), 1);
    run_place_close(&p);
}

static void a_living_run_is_left_alone(void **state)
{
    (void)state;
    run_place p;
    tw_run_writer *writer = NULL, *second = NULL;
    const tw_run_options overwrite = {.overwrite = true};
    run_place_open(&p);
    assert_int_equal(run_begin(p.ctx, p.run, NULL, p.problem, 3, &writer), TW_OK);
    assert_run_refused(&p, TW_BAD_FILE, "another talweg is still writing this run");
    assert_int_equal(run_begin(p.ctx, p.run, &overwrite, p.problem, 0, &second), TW_BAD_FILE);
    tw_run_abandon(writer); /* it has draws: they stay */
    assert_run_opens(&p, 3);
    assert_int_equal(run_begin(p.ctx, p.run, &overwrite, p.problem, 0, &writer), TW_OK);
    tw_run_abandon(writer);
    assert_int_equal(scratch_count(&p.folder), 1);
    run_place_close(&p);
}

/* ---- journals cut anywhere ---- */

static void journals_may_be_cut_anywhere(void **state)
{
    (void)state;
    enum { DRAWS = 5, SIDE = 3 };
    run_place p;
    run_place_open(&p);
    run_leave_journal(&p, NULL, DRAWS);
    size_t length = 0, stride = tw_draw_stride(&(tw_journal_settings){.n = RUN_N, .chains = RUN_CHAINS});
    char *bytes = run_read_bytes(p.journal, &length);
    size_t head = length - DRAWS * stride;
    uint64_t bits = 7;
    for (size_t trial = 0; trial < 220; trial++) { /* all around the ends of frames, then anywhere */
        size_t frame = trial % (DRAWS + 1), side = trial / (DRAWS + 1);
        size_t at =
            side <= 2 * SIDE + 24 ? head + frame * stride + side - SIDE : scratch_bits(&bits) % length;
        if (at > length) continue;
        run_write_bytes(p.journal, bytes, at);
        if (at < head)
            assert_run_refused(&p, TW_BAD_DATA, "run.nc.journal is not the journal of a run");
        else if (at < head + stride)
            assert_run_refused(&p, TW_BAD_FILE, "cannot be opened");
        else
            assert_run_opens(&p, (at - head) / stride);
        unlink(p.run);
    }
    for (size_t trial = 0; trial < 60;
         trial++) { /* a byte changed: its frame and what follows do not count */
        size_t at = head + scratch_bits(&bits) % (length - head), draw = (at - head) / stride;
        bytes[at] = (char)(bytes[at] ^ (1 << trial % 8));
        run_write_bytes(p.journal, bytes, length);
        bytes[at] = (char)(bytes[at] ^ (1 << trial % 8));
        if (draw == 0)
            assert_run_refused(&p, TW_BAD_DATA, "run.nc.journal: the journal is damaged at its first draw");
        else
            assert_run_opens(&p, draw);
        unlink(p.run);
    }
    free(bytes);
    run_place_close(&p);
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
    run_place p;
    struct stat about;
    const tw_run_options overwrite = {.overwrite = true};
    size_t stride = tw_draw_stride(&(tw_journal_settings){.n = RUN_N, .chains = RUN_CHAINS});
    run_place_open(&p);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 2), TW_OK);
    run_leave_journal(&p, &overwrite, 0);
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
        assert_run_opens(&p, room ? room : 2); /* without a draw: what was there before */
    }
    struct rlimit before = limit_file_size(1000); /* not even the problem fits */
    tw_run_writer *writer = NULL;
    tw_status status = run_begin(p.ctx, p.run, &overwrite, p.problem, 0, &writer);
    lift_limit(&before);
    assert_int_equal(status, TW_WRITE_FAILED);
    assert_int_equal(scratch_count(&p.folder), 1);
    run_place_close(&p);
}

/* The journal is complete, but there is no room for the file: nothing is lost, not even the final facts. */
static void a_full_disk_at_the_end_costs_nothing(void **state)
{
    (void)state;
    run_place p;
    run_place_open(&p);
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
    assert_run_opens(&p, 400);
    tw_run *run = NULL;
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_false(tw_run_describe(run)->interrupted);
    assert_true(tw_run_describe(run)->warmup_seconds == facts.warmup_seconds);
    assert_int_equal(tw_run_describe(run)->sampling.transitions, facts.sampling.transitions);
    tw_run_close(run);
    run_place_close(&p);
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    run_place p;
    tw_run_writer *writer = NULL;
    run_place_open(&p);
    assert_int_equal(run_begin(p.ctx, "/dev/full", NULL, p.problem, 0, &writer), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "/dev/full is not a regular file"));
    assert_int_equal(run_begin(p.ctx, p.folder.path, NULL, p.problem, 0, &writer), TW_WRITE_FAILED);
    assert_int_equal(run_begin(p.ctx, scratch_path(&p.folder, "absent/run.nc"), NULL, p.problem, 0, &writer),
                     TW_WRITE_FAILED);
    assert_int_equal(scratch_count(&p.folder), 0);
    run_place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run_is_completed),
        cmocka_unit_test(a_second_image_counts),
        cmocka_unit_test(a_run_without_draws_is_taken_away),
        cmocka_unit_test(a_journal_is_not_lost_to_the_next_run),
        cmocka_unit_test(a_living_run_is_left_alone),
        cmocka_unit_test(journals_may_be_cut_anywhere),
        cmocka_unit_test(a_full_disk_keeps_the_draws),
        cmocka_unit_test(a_full_disk_at_the_end_costs_nothing),
        cmocka_unit_test(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
