/* Several run files together: chains are in their right positions, the summary is that of all chains to the
 * bit, and files that do not belong together are refused with the reason. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "support/run_case.h"
#include "support/scratch_folder.h"
#include "support/support.h"
#include "talweg/report.h"

enum { LONG = 60, SHORT = 41, ALL_CHAINS = 2 * RUN_CHAINS };

/* Draw i of the second file is draw i + 500 of the formula. */
static void write_run(const tw_problem *problem, const char *path, const tw_run_facts *facts, size_t first,
                      size_t draws, bool summary_only)
{
    tw_run_options options = {.summary_only = summary_only};
    tw_run_writer *writer = NULL;
    run_draw draw;
    assert_int_equal(tw_run_create(problem->ctx, path, &options, problem, facts, &writer), TW_OK);
    for (size_t i = 0; i < draws; i++) {
        run_draw_make(problem, first + i, &draw);
        draw.draw.index = i;
        assert_int_equal(tw_run_append(writer, &draw.draw), TW_OK);
    }
    assert_int_equal(tw_run_finish(writer, facts), TW_OK);
}

/* Files in a folder: a (LONG draws), b (SHORT draws, another seed), and others that cannot be used with a. */
typedef struct files {
    tw_context *ctx;
    scratch_folder folder;
    char path[9][600];
} files;

enum { A, B, SAME_SEED, OTHER_BETA, OTHER_PROBLEM, SUMMARY, OTHER_SUMMARY, EVIDENCE, EMPTY };

static const char *path_of(files *f, size_t k, const char *name)
{
    snprintf(f->path[k], sizeof f->path[k], "%s", scratch_path(&f->folder, name));
    return f->path[k];
}

static void write_others(files *f, const tw_problem *problem, tw_run_facts facts)
{
    tw_problem *other = NULL;
    tw_run_evidence evidence = {
        .laplace = -1.0, .ep = NAN, .ep_corrected = NAN, .from = "ep", .kernel = "hmc/ep"};
    write_run(problem, path_of(f, SAME_SEED, "same.nc"), &facts, 0, SHORT, false);
    write_run(problem, path_of(f, EMPTY, "empty.nc"), &facts, 0, 0, false);
    assert_int_equal(
        tw_run_write_evidence(f->ctx, path_of(f, EVIDENCE, "evidence.nc"), false, problem, &facts, &evidence),
        TW_OK);
    facts.seed = 7;
    write_run(problem, path_of(f, SUMMARY, "summary.nc"), &facts, 0, SHORT, true);
    facts.beta = 0.5;
    write_run(problem, path_of(f, OTHER_BETA, "beta.nc"), &facts, 0, SHORT, false);
    facts.beta = 0.75;
    assert_int_equal(run_problem_new(f->ctx, RUN_MATRIX, &other), TW_OK);
    write_run(other, path_of(f, OTHER_PROBLEM, "problem.nc"), &facts, 0, SHORT, false);
    tw_problem_free(other);
}

static int make_files(void **state)
{
    static files f;
    tw_problem *problem = NULL;
    f.ctx = new_context();
    f.folder = scratch_folder_new();
    assert_int_equal(run_problem_new(f.ctx, RUN_KERNEL, &problem), TW_OK);
    tw_run_facts facts = run_facts(problem);
    write_run(problem, path_of(&f, A, "a.nc"), &facts, 0, LONG, false);
    facts.seed = 3;
    write_run(problem, path_of(&f, B, "b.nc"), &facts, 500, SHORT, false);
    write_others(&f, problem, run_facts(problem));
    tw_problem_free(problem);
    *state = &f;
    return 0;
}

static int remove_files(void **state)
{
    files *f = *state;
    scratch_folder_remove(&f->folder);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
    return 0;
}

static tw_pool *open_two(files *f, size_t first, size_t second)
{
    const char *paths[] = {f->path[first], f->path[second]};
    tw_pool *pool = NULL;
    if (tw_pool_open(f->ctx, 2, paths, &pool) != TW_OK) fail_msg("%s", tw_context_message(f->ctx));
    return pool;
}

/* Latent k, draw i of chain c of the pool of a and b. */
static double value_at(const tw_problem *problem, size_t k, size_t c, size_t i)
{
    run_draw draw;
    run_draw_make(problem, c < RUN_CHAINS ? i : 500 + i, &draw);
    return draw.x[k + RUN_N * (c % RUN_CHAINS)];
}

static void chains_stand_one_after_the_other(void **state)
{
    files *f = *state;
    static double x[SHORT * ALL_CHAINS * RUN_N], energy[SHORT * ALL_CHAINS];
    tw_pool *pool = open_two(f, A, B);
    assert_true(pool->chains == ALL_CHAINS && pool->draws == SHORT && pool->n == RUN_N && pool->has_x);
    assert_true(pool->sampling_seconds == 5.0 && pool->sampling.transitions == 42 && pool->chained == 2);
    assert_int_equal(tw_pool_read_latents(pool, 2, 5, x), TW_OK);
    for (size_t k = 0; k < 5; k++)
        for (size_t c = 0; c < ALL_CHAINS; c++)
            for (size_t i = 0; i < SHORT; i++)
                assert_true(x[i + SHORT * (c + ALL_CHAINS * k)] == value_at(pool->problem, 2 + k, c, i));
    assert_int_equal(tw_pool_read_statistic(pool, "energy", energy), TW_OK);
    run_draw draw;
    run_draw_make(pool->problem, 500 + 11, &draw);
    assert_true(energy[11 + SHORT * (RUN_CHAINS + 1)] == draw.records[1].energy);
    tw_pool_close(pool);
}

/* A file with the chains of two. */
static void merged_chains_are_those_of_their_files(void **state)
{
    files *f = *state;
    static double x[SHORT * ALL_CHAINS * RUN_N], energy[2][SHORT * ALL_CHAINS];
    const tw_run_options options = {.threads = 1};
    tw_pool *pool = open_two(f, A, B), *merged = NULL;
    const char *path = scratch_path(&f->folder, "merged.nc");
    if (tw_pool_save(pool, path, &options) != TW_OK) fail_msg("%s", tw_context_message(f->ctx));
    assert_int_equal(tw_pool_open(f->ctx, 1, &path, &merged), TW_OK);
    assert_true(merged->chains == ALL_CHAINS && merged->draws == SHORT && merged->sampling.transitions == 42);
    assert_int_equal(tw_pool_read_latents(merged, 0, RUN_N, x), TW_OK);
    for (size_t k = 0; k < RUN_N; k++)
        for (size_t c = 0; c < ALL_CHAINS; c++)
            for (size_t i = 0; i < SHORT; i++)
                assert_true(x[i + SHORT * (c + ALL_CHAINS * k)] == value_at(pool->problem, k, c, i));
    assert_int_equal(tw_pool_read_statistic(pool, "energy", energy[0]), TW_OK);
    assert_int_equal(tw_pool_read_statistic(merged, "energy", energy[1]), TW_OK);
    assert_memory_equal(energy[0], energy[1], sizeof energy[0]);
    tw_pool_close(merged);
    tw_pool_close(pool);
}

/* Against the diagnostics of the same numbers in memory. */
static void the_summary_is_that_of_all_chains(void **state)
{
    files *f = *state;
    static double x[SHORT * ALL_CHAINS];
    tw_summary rows[RUN_N], expected;
    tw_chains_summary summary;
    size_t order[RUN_N];
    tw_diagnose *workspace = NULL;
    tw_pool *pool = open_two(f, A, B);
    assert_int_equal(tw_pool_summarise(pool, 2, rows, &summary), TW_OK);
    assert_int_equal(tw_diagnose_new(f->ctx, SHORT, ALL_CHAINS, &workspace), TW_OK);
    for (size_t k = 0; k < RUN_N; k++) {
        for (size_t c = 0; c < ALL_CHAINS; c++)
            for (size_t i = 0; i < SHORT; i++) x[i + SHORT * c] = value_at(pool->problem, k, c, i);
        tw_diagnose_load(workspace, x, SHORT);
        expected = tw_diagnose_summary(workspace);
        assert_memory_equal(&rows[k], &expected, sizeof expected);
    }
    assert_int_equal(tw_pool_order(pool, rows, order), TW_OK);
    assert_int_equal(order[0], summary.worst);
    for (size_t k = 1; k < RUN_N; k++) assert_true(rows[order[k - 1]].ess <= rows[order[k]].ess);
    assert_true(summary.ess_min == rows[order[0]].ess && summary.acceptance == 20.5 / 21.0);
    tw_diagnose_free(workspace);
    tw_pool_close(pool);
}

static void one_file_is_itself(void **state)
{
    files *f = *state;
    tw_summary rows[RUN_N], same[RUN_N];
    tw_chains_summary summary;
    for (size_t k = 0; k < 2; k++) {
        const char *paths[] = {f->path[k ? SUMMARY : A], f->path[EVIDENCE]};
        tw_pool *pool = NULL;
        assert_int_equal(tw_pool_open(f->ctx, 2, paths, &pool), TW_OK); /* estimates do no harm */
        assert_int_equal(pool->chained, 1);
        assert_int_equal(pool->has_x, k == 0);
        assert_int_equal(tw_pool_summarise(pool, 1, rows, &summary), TW_OK);
        assert_int_equal(tw_run_summarise(pool->run[0], 1, same, &summary), TW_OK);
        assert_memory_equal(rows, same, sizeof rows);
        tw_pool_close(pool);
    }
}

static void what_does_not_belong_together_is_refused(void **state)
{
    files *f = *state;
    const struct {
        size_t first, second;
        const char *says;
    } bad[] = {
        {A, A, "have the same seed"},
        {A, SAME_SEED, "their chains are the same"},
        {A, OTHER_BETA, "temperature"},
        {A, OTHER_PROBLEM, "differ in the likelihood"},
        {A, SUMMARY, "only a summary of its draws"},
        {SUMMARY, B, "only a summary of its draws"},
        {EVIDENCE, OTHER_PROBLEM, "must be runs of the same problem"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const char *paths[] = {f->path[bad[k].first], f->path[bad[k].second]};
        tw_pool *pool = NULL;
        assert_int_equal(tw_pool_open(f->ctx, 2, paths, &pool), TW_BAD_DATA);
        assert_null(pool);
        if (!strstr(tw_context_message(f->ctx), bad[k].says))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", k, tw_context_message(f->ctx), bad[k].says);
    }
    tw_pool *pool = NULL;
    assert_int_equal(tw_pool_open(f->ctx, 0, NULL, &pool), TW_BAD_ARGUMENT);
}

static void without_draws_there_is_no_summary(void **state)
{
    files *f = *state;
    tw_chains_summary summary;
    tw_pool *pool = open_two(f, EVIDENCE, EMPTY);
    assert_int_equal(pool->chained, 0);
    assert_int_equal(tw_pool_summarise(pool, 1, NULL, &summary), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(f->ctx), "no draws"));
    tw_pool_close(pool);
}

/* The n-th allocation fails, for every n: an error, and nothing is left. */
static void no_memory(void **state)
{
    files *f = *state;
    const char *paths[] = {f->path[A], f->path[B]};
    tw_status status = TW_NO_MEMORY;
    for (size_t n = 1; status != TW_OK; n++) {
        failing_allocator allocator = {.fail_at = n};
        tw_context *ctx = failing_context(&allocator);
        tw_summary rows[RUN_N];
        tw_chains_summary summary;
        tw_pool *pool = NULL;
        if (!ctx) continue;
        status = tw_pool_open(ctx, 2, paths, &pool);
        if (status == TW_OK) status = tw_pool_summarise(pool, 1, rows, &summary);
        assert_true(status == TW_OK || status == TW_NO_MEMORY);
        tw_pool_close(pool);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
        assert_true(n < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_stand_one_after_the_other),
        cmocka_unit_test(merged_chains_are_those_of_their_files),
        cmocka_unit_test(the_summary_is_that_of_all_chains),
        cmocka_unit_test(one_file_is_itself),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(without_draws_there_is_no_summary),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
