/* Runs that are continued from a journal, or from the file of an interrupted run: the final file equals that
 * of an uninterrupted run. Files that do not match are refused and left as they were. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "output/journal/journal.h"
#include "support/run_case.h"
#include "support/scratch_folder.h"
#include "support/support.h"

enum { DRAWS = 23, FIRST = 9 };

static const char *const statistics[] = {"lp",
                                         "acceptance_rate",
                                         "step_size",
                                         "n_steps",
                                         "diverging",
                                         "energy",
                                         "energy_error",
                                         "accepted",
                                         "irreversible",
                                         "energy_divergence",
                                         "implicit_failure",
                                         "factorisation",
                                         "log_likelihood"};

static tw_run *open_run(tw_context *ctx, const char *path)
{
    tw_run *run = NULL;
    if (tw_run_open(ctx, path, &run) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    return run;
}

static void assert_same_runs(tw_context *ctx, const char *a, const char *b)
{
    tw_run *one = open_run(ctx, a), *two = open_run(ctx, b);
    double x[DRAWS * RUN_N], y[DRAWS * RUN_N], s[DRAWS * RUN_CHAINS], t[DRAWS * RUN_CHAINS];
    assert_int_equal(tw_run_describe(one)->draws, DRAWS);
    assert_int_equal(tw_run_describe(two)->draws, DRAWS);
    for (size_t c = 0; c < RUN_CHAINS; c++) {
        assert_int_equal(tw_run_read_draws(one, c, 0, DRAWS, x), TW_OK);
        assert_int_equal(tw_run_read_draws(two, c, 0, DRAWS, y), TW_OK);
        assert_memory_equal(x, y, sizeof x);
    }
    for (size_t k = 0; k < sizeof statistics / sizeof *statistics; k++) {
        assert_int_equal(tw_run_read_statistic(one, statistics[k], s), TW_OK);
        assert_int_equal(tw_run_read_statistic(two, statistics[k], t), TW_OK);
        for (size_t i = 0; i < DRAWS * RUN_CHAINS; i++)
            assert_true(s[i] == t[i] || (isnan(s[i]) && isnan(t[i])));
    }
    tw_run_close(one);
    tw_run_close(two);
}

/* Where a run stopped: its process killed, with more draws in the journal than the checkpoint tells of; killed after
 * its end was written but before its file was made; or interrupted, its file complete. */
typedef enum left { KILLED, ENDED, COMPLETE, LEFT_KINDS } left;

static void leave(tw_context *ctx, const char *path, const tw_problem *problem, left how)
{
    tw_run_writer *w = NULL;
    tw_run_facts facts = run_facts(problem);
    assert_int_equal(run_begin(ctx, path, NULL, problem, FIRST + 2, &w), TW_OK);
    if (how == COMPLETE)
        assert_int_equal(tw_run_finish(w, &facts), TW_OK);
    else
        tw_run_abandon(w); /* the journal stays, since there are draws in it */
    if (how != ENDED) return;
    tw_journal journal;
    bool found = false;
    assert_int_equal(tw_journal_open(&journal, ctx, path, &found), TW_OK);
    assert_int_equal(tw_journal_append_facts(&journal, "facts", 5), TW_OK);
    tw_journal_close(&journal);
}

static void go_on(tw_context *ctx, const char *path, const tw_problem *problem)
{
    tw_run_writer *w = NULL;
    tw_run_facts facts = run_facts(problem);
    run_draw draw;
    run_draw_make(problem, FIRST - 1, &draw);
    tw_status status = tw_run_reopen(ctx, path, NULL, problem, &facts, FIRST, draw.x, &w);
    if (status != TW_OK) fail_msg("%s", tw_context_message(ctx));
    for (size_t i = FIRST; i < DRAWS; i++) {
        run_draw_make(problem, i, &draw);
        assert_int_equal(tw_run_append(w, &draw.draw), TW_OK);
    }
    assert_int_equal(tw_run_sync(w), TW_OK);
    assert_int_equal(tw_run_finish(w, &facts), TW_OK);
}

static void the_file_is_that_of_one_run(void **state)
{
    (void)state;
    scratch_folder folder = scratch_folder_new();
    tw_context *ctx = new_context();
    char whole[1024], path[1024];
    for (run_kind kind = RUN_KERNEL; kind <= RUN_MATRIX; kind++) {
        tw_problem *problem = NULL;
        assert_int_equal(run_problem_new(ctx, kind, &problem), TW_OK);
        snprintf(whole, sizeof whole, "%s", scratch_path(&folder, kind == RUN_KERNEL ? "k.nc" : "m.nc"));
        assert_int_equal(run_write(ctx, whole, NULL, problem, DRAWS), TW_OK);
        for (left how = KILLED; how < LEFT_KINDS; how++) {
            snprintf(path, sizeof path, "%s", scratch_path(&folder, "part.nc"));
            unlink(path);
            leave(ctx, path, problem, how);
            go_on(ctx, path, problem);
            assert_same_runs(ctx, whole, path);
            assert_int_equal(scratch_count(&folder),
                             kind == RUN_KERNEL ? 2 : 3); /* no journal, nothing else */
        }
        tw_problem_free(problem);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    scratch_folder_remove(&folder);
}

static void assert_refused(tw_context *ctx, const char *path, const tw_problem *problem, size_t draws,
                           const double *x, const char *words)
{
    tw_run_writer *w = NULL;
    tw_run_facts facts = run_facts(problem);
    assert_true(tw_run_reopen(ctx, path, NULL, problem, &facts, draws, x, &w) != TW_OK);
    assert_null(w);
    if (!strstr(tw_context_message(ctx), words)) fail_msg("not '%s' but: %s", words, tw_context_message(ctx));
}

/* Other draws, too few of them, none, another shape, only a summary: and what was there can still be gone on with. */
static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    scratch_folder folder = scratch_folder_new();
    tw_context *ctx = new_context();
    tw_problem *problem = NULL;
    char path[1024], summary[1024], whole[1024];
    run_draw draw;
    assert_int_equal(run_problem_new(ctx, RUN_MATRIX, &problem), TW_OK);
    snprintf(whole, sizeof whole, "%s", scratch_path(&folder, "whole.nc"));
    assert_int_equal(run_write(ctx, whole, NULL, problem, DRAWS), TW_OK);
    run_draw_make(problem, FIRST, &draw); /* the next one, not the last */
    for (left how = KILLED; how < LEFT_KINDS; how++) {
        snprintf(path, sizeof path, "%s", scratch_path(&folder, "part.nc"));
        unlink(path);
        leave(ctx, path, problem, how);
        assert_refused(ctx, path, problem, FIRST, draw.x, "does not have the draws");
        assert_refused(ctx, path, problem, FIRST + 3, NULL,
                       "after 12 draws of each chain, but the file has 11");
        go_on(ctx, path, problem);
        assert_same_runs(ctx, whole, path);
    }
    assert_refused(ctx, scratch_path(&folder, "absent.nc"), problem, FIRST, NULL, "absent.nc");
    snprintf(summary, sizeof summary, "%s", scratch_path(&folder, "summary.nc"));
    const tw_run_options options = {.summary_only = true, .threads = 1};
    assert_int_equal(run_write(ctx, summary, &options, problem, DRAWS), TW_OK);
    assert_refused(ctx, summary, problem, FIRST, NULL, "only a summary of the draws");
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    scratch_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_file_is_that_of_one_run),
                                       cmocka_unit_test(what_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
