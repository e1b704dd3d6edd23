/* Saving draws from memory: the file equals the one made through a journal, and loading restores the draws. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "support/run_place.h"
#include "support/support.h"

enum { DRAWS = 700 }; /* more than are written at a time */

/* The draws of run_case.h, kept as tw_chains_run keeps them. */
typedef struct kept {
    tw_draws draws;
    double x[DRAWS * RUN_CHAINS * RUN_N], log_likelihood[DRAWS * RUN_CHAINS];
    tw_record records[DRAWS * RUN_CHAINS];
} kept;

static kept *keep(const tw_problem *problem, size_t draws)
{
    kept *k = calloc(1, sizeof *k);
    tw_run_facts facts = run_facts(problem);
    run_draw draw;
    assert_non_null(k);
    for (size_t i = 0; i < draws; i++) {
        run_draw_make(problem, i, &draw);
        memcpy(k->x + i * RUN_CHAINS * RUN_N, draw.x, sizeof draw.x);
        memcpy(k->log_likelihood + i * RUN_CHAINS, draw.log_likelihood, sizeof draw.log_likelihood);
        memcpy(k->records + i * RUN_CHAINS, draw.records, sizeof draw.records);
    }
    k->draws = (tw_draws){.method = TW_METHOD_HMC,
                          .n = RUN_N,
                          .chains = RUN_CHAINS,
                          .draws = draws,
                          .x = k->x,
                          .records = k->records,
                          .log_likelihood = k->log_likelihood,
                          .tuning = facts.tuning,
                          .warmup = facts.warmup_totals,
                          .sampling = facts.sampling,
                          .interrupted = facts.interrupted};
    return k;
}

/* Of the facts, only what draws do not know. */
static tw_status save(tw_context *ctx, const char *path, const tw_run_options *options,
                      const tw_problem *problem, const kept *k)
{
    tw_run_facts facts = run_facts(problem);
    facts.n = facts.chains = facts.draws = 0;
    facts.tuning = (tw_tuning){0};
    facts.warmup_totals = facts.sampling = (tw_totals){0};
    return tw_run_save(ctx, path, options, problem, &facts, &k->draws);
}

/* ---- the file ---- */

/* Every byte, in files of the same second; `other` has the file that a journal made. */
static bool same_file(run_place *p, const char *other, const tw_run_options *options, const kept *k)
{
    size_t lengths[2] = {0};
    char dates[2][32];
    const char *paths[2] = {p->run, other};
    assert_int_equal(run_write(p->ctx, other, options, p->problem, k->draws.draws), TW_OK);
    assert_int_equal(save(p->ctx, p->run, options, p->problem, k), TW_OK);
    for (int f = 0; f < 2; f++) {
        tw_run *run = NULL;
        assert_int_equal(tw_run_open(p->ctx, paths[f], &run), TW_OK);
        strcpy(dates[f], tw_run_describe(run)->created_at);
        tw_run_close(run);
    }
    char *bytes[2] = {run_read_bytes(p->run, &lengths[0]), run_read_bytes(other, &lengths[1])};
    bool comparable = strcmp(dates[0], dates[1]) == 0;
    if (comparable) {
        assert_int_equal(lengths[0], lengths[1]);
        assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    }
    free(bytes[0]);
    free(bytes[1]);
    return comparable;
}

static void a_saved_file_is_the_one_a_journal_makes(void **state)
{
    (void)state;
    const tw_run_options options[] = {{.overwrite = true},
                                      {.overwrite = true, .compress = 4, .pointwise = true},
                                      {.overwrite = true, .summary_only = true, .threads = 2}};
    const size_t draws[] = {DRAWS, 300, 60};
    for (int o = 0; o < 3; o++) {
        run_place p;
        run_place_open(&p);
        char other[1024];
        snprintf(other, sizeof other, "%s", scratch_path(&p.folder, "other.nc"));
        kept *k = keep(p.problem, draws[o]);
        while (!same_file(&p, other, &options[o], k)) continue; /* a second went by between the two */
        assert_int_equal(scratch_count(&p.folder), 2);
        free(k);
        run_place_close(&p);
    }
}

/* ---- back again ---- */

static void assert_same_record(const tw_record *a, const tw_record *b)
{
    assert_true(a->log_density == b->log_density && a->energy == b->energy && a->steps == b->steps);
    assert_true(a->energy_error == b->energy_error || (isnan(a->energy_error) && isnan(b->energy_error)));
    assert_true(a->acceptance_rate == b->acceptance_rate && a->accepted == b->accepted);
    assert_true(a->energy_divergence == b->energy_divergence && a->implicit_failure == b->implicit_failure);
    assert_true(a->irreversible == b->irreversible && a->factorisation == b->factorisation);
}

static void assert_same_sums(const tw_draws *a, const tw_draws *b)
{
    assert_true(a->method == b->method && a->n == b->n && a->chains == b->chains && a->draws == b->draws);
    assert_true(a->tuning.eps == b->tuning.eps && a->tuning.steps == b->tuning.steps);
    assert_true(a->tuning.jittered == b->tuning.jittered && a->interrupted == b->interrupted);
    assert_memory_equal(&a->warmup, &b->warmup, sizeof a->warmup); /* no padding in it */
    assert_memory_equal(&a->sampling, &b->sampling, sizeof a->sampling);
}

static void draws_come_back_to_the_bit(void **state)
{
    (void)state;
    run_place p;
    tw_run *run = NULL;
    tw_draws *again = NULL;
    run_place_open(&p);
    kept *k = keep(p.problem, DRAWS);
    k->draws.interrupted = true;
    assert_int_equal(save(p.ctx, p.run, NULL, p.problem, k), TW_OK);
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_load(run, &again), TW_OK);
    tw_run_close(run);
    assert_memory_equal(again->x, k->x, sizeof k->x);
    for (size_t i = 0; i < DRAWS * RUN_CHAINS; i++) assert_same_record(&again->records[i], &k->records[i]);
    assert_memory_equal(again->log_likelihood, k->log_likelihood, sizeof k->log_likelihood);
    assert_same_sums(again, &k->draws);
    tw_draws_free(again);
    free(k);
    run_place_close(&p);
}

static void what_cannot_be_written_or_read_is_refused(void **state)
{
    (void)state;
    run_place p;
    tw_run *run = NULL;
    tw_draws *none = NULL;
    const tw_run_options options = {.summary_only = true, .threads = 1};
    run_place_open(&p);
    kept *k = keep(p.problem, 20);
    assert_int_equal(save(p.ctx, p.run, &options, p.problem, k), TW_OK);
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_load(run, &none), TW_BAD_ARGUMENT);
    assert_null(none);
    tw_run_close(run);
    assert_int_equal(save(p.ctx, p.run, &(tw_run_options){.compress = 10}, p.problem, k), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "from 0 to 9"));
    k->draws.x = NULL;
    assert_int_equal(save(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, k), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "not kept"));
    k->draws.draws = 0;
    assert_int_equal(save(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, k), TW_OK);
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_describe(run)->draws, 0);
    tw_run_close(run);
    free(k);
    run_place_close(&p);
}

/* ---- what is in the way, and the end before the end ---- */

static void what_is_there_is_not_overwritten(void **state)
{
    (void)state;
    run_place p;
    size_t before = 0, after = 0;
    run_place_open(&p);
    kept *k = keep(p.problem, 20);
    assert_int_equal(run_write(p.ctx, p.run, NULL, p.problem, 3), TW_OK);
    char *bytes = run_read_bytes(p.run, &before);
    assert_int_equal(save(p.ctx, p.run, NULL, p.problem, k), TW_FILE_EXISTS);
    assert_non_null(strstr(tw_context_message(p.ctx), "run.nc already exists"));
    char *again = run_read_bytes(p.run, &after);
    assert_int_equal(before, after);
    assert_memory_equal(bytes, again, after);
    assert_int_equal(save(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, k), TW_OK);
    assert_run_opens(&p, 20);
    assert_int_equal(scratch_count(&p.folder), 1);
    free(bytes);
    free(again);
    free(k);
    run_place_close(&p);
}

/* A journal would become the file when that is opened. */
static void a_journal_is_in_the_way(void **state)
{
    (void)state;
    run_place p;
    run_place_open(&p);
    kept *k = keep(p.problem, 20);
    run_leave_journal(&p, NULL, 5);
    assert_int_equal(save(p.ctx, p.run, NULL, p.problem, k), TW_FILE_EXISTS);
    assert_non_null(strstr(tw_context_message(p.ctx), "run.nc.journal has 5 draws"));
    assert_int_equal(scratch_count(&p.folder), 1);
    assert_int_equal(save(p.ctx, p.run, &(tw_run_options){.overwrite = true}, p.problem, k), TW_OK);
    assert_run_opens(&p, 20);
    assert_int_equal(scratch_count(&p.folder), 1);
    run_leave_journal(&p, &(tw_run_options){.overwrite = true}, 5);
    assert_int_equal(save(p.ctx, scratch_path(&p.folder, ""), NULL, p.problem, k), TW_WRITE_FAILED);
    assert_int_equal(access(p.journal, F_OK), 0);
    free(k);
    run_place_close(&p);
}

static void a_journal_is_in_the_way_of_estimates_too(void **state)
{
    (void)state;
    run_place p;
    tw_run *run = NULL;
    const tw_run_evidence none = {.laplace = -1.5, .ep = NAN, .ep_corrected = NAN, .from = "", .kernel = ""};
    run_place_open(&p);
    const tw_run_facts facts = {.seed = 1};
    run_leave_journal(&p, NULL, 5);
    assert_int_equal(tw_run_write_evidence(p.ctx, p.run, false, p.problem, &facts, &none), TW_FILE_EXISTS);
    assert_int_equal(access(p.journal, F_OK), 0);
    assert_int_equal(tw_run_write_evidence(p.ctx, p.run, true, p.problem, &facts, &none), TW_OK);
    assert_int_equal(tw_run_open(p.ctx, p.run, &run), TW_OK);
    assert_int_equal(tw_run_describe(run)->draws, 0);
    assert_true(tw_run_read_evidence(run)->laplace == -1.5);
    tw_run_close(run);
    run_place_close(&p);
}

static bool at_the_second_question(void *user)
{
    return ++*(int *)user > 1;
}

static void an_interrupted_save_leaves_nothing(void **state)
{
    (void)state;
    const tw_run_options options = {.overwrite = true, .pointwise = true};
    for (int there = 0; there < 2; there++) {
        run_place p;
        int asked = 0;
        run_place_open(&p);
        kept *k = keep(p.problem, DRAWS);
        if (there) run_leave_journal(&p, NULL, 5);
        tw_context_set_interrupt(p.ctx, at_the_second_question, &asked);
        assert_int_equal(save(p.ctx, p.run, &options, p.problem, k), TW_INTERRUPTED);
        assert_int_equal(asked, 2);
        tw_context_set_interrupt(p.ctx, NULL, NULL);
        assert_int_equal(scratch_count(&p.folder), there);
        if (there) assert_run_opens(&p, 5);
        free(k);
        run_place_close(&p);
    }
}

/* ---- memory ---- */

static tw_status there_and_back(tw_context *ctx, const char *path, const kept *k)
{
    const tw_run_options options = {.overwrite = true};
    tw_problem *problem = NULL;
    tw_run *run = NULL;
    tw_draws *again = NULL;
    tw_status status = run_problem_new(ctx, RUN_MATRIX, &problem);
    if (status == TW_OK) status = save(ctx, path, &options, problem, k);
    if (status == TW_OK) status = tw_run_open(ctx, path, &run);
    if (status == TW_OK) status = tw_run_load(run, &again);
    tw_draws_free(again);
    tw_run_close(run);
    tw_problem_free(problem);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    run_place p;
    size_t n = 0;
    run_place_open(&p);
    kept *k = keep(p.problem, 12);
    for (bool reached = true; reached;) {
        failing_allocator allocator = {.fail_at = ++n};
        tw_context *ctx = failing_context(&allocator);
        tw_status status = there_and_back(ctx, p.run, k);
        reached = allocator.calls >= n;
        assert_int_equal(status, reached ? TW_NO_MEMORY : TW_OK);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        assert_true(scratch_count(&p.folder) <= 1);
        tw_context_free(ctx);
    }
    assert_true(n > 30);
    free(k);
    run_place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_file_is_the_one_a_journal_makes),
        cmocka_unit_test(draws_come_back_to_the_bit),
        cmocka_unit_test(what_cannot_be_written_or_read_is_refused),
        cmocka_unit_test(what_is_there_is_not_overwritten),
        cmocka_unit_test(a_journal_is_in_the_way),
        cmocka_unit_test(a_journal_is_in_the_way_of_estimates_too),
        cmocka_unit_test(an_interrupted_save_leaves_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
