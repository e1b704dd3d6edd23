/* Run files are restored to the bit: problem, facts, draws, statistics, summary, evidence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/run_case.h"
#include "support/scratch_folder.h"
#include "support/support.h"

static void assert_same(size_t n, const double *a, const double *b)
{
    assert_memory_equal(a, b, n * sizeof *a);
}

static tw_run *open_run(tw_context *ctx, const char *path)
{
    tw_run *run = NULL;
    if (tw_run_open(ctx, path, &run) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    return run;
}

static tw_problem *new_problem(tw_context *ctx, run_kind kind)
{
    tw_problem *problem = NULL;
    assert_int_equal(run_problem_new(ctx, kind, &problem), TW_OK);
    return problem;
}

/* ---- what comes back ---- */

static void assert_same_problem(const tw_problem *a, const tw_problem *b)
{
    size_t n = a->data->n, d = a->data->d;
    double k[2][RUN_N * RUN_N];
    assert_int_equal(a->data->n, b->data->n);
    assert_int_equal(a->data->d, b->data->d);
    assert_same(a->data->n * a->data->d, a->data->x, b->data->x);
    assert_same(a->data->n, a->data->y, b->data->y);
    assert_ptr_equal(a->likelihood, b->likelihood);
    assert_true(a->jitter == b->jitter);
    assert_true(a->data->columns == b->data->columns && !a->scaling == !b->scaling);
    assert_true(!a->data->names == !b->data->names);
    for (size_t j = 0; a->data->names && b->data->names && j < a->data->d; j++)
        assert_string_equal(a->data->names[j], b->data->names[j]);
    for (size_t c = 0; c < a->data->columns; c++) {
        assert_string_equal(a->data->column[c].name, b->data->column[c].name);
        assert_same(a->data->n, a->data->column[c].values, b->data->column[c].values);
    }
    assert_same(a->likelihood->parameters, a->phi, b->phi);
    assert_true(tw_kernel_same(a->kernel, b->kernel));
    assert_int_equal(tw_kernel_gram(a->kernel, n, d, a->data->x, n, k[0], n), TW_OK);
    assert_int_equal(tw_kernel_gram(b->kernel, n, d, b->data->x, n, k[1], n), TW_OK);
    assert_same(n * n, k[0], k[1]);
    if (!a->scaling || !b->scaling) return;
    assert_int_equal(a->scaling->d_in, b->scaling->d_in);
    assert_int_equal(a->scaling->d_out, b->scaling->d_out);
    assert_memory_equal(a->scaling->column, b->scaling->column, a->scaling->d_out * sizeof(size_t));
    assert_same(a->scaling->d_out, a->scaling->centre, b->scaling->centre);
    assert_same(a->scaling->d_out, a->scaling->scale, b->scaling->scale);
}

static void assert_same_totals(const tw_totals *a, const tw_totals *b)
{
    assert_true(a->transitions == b->transitions && a->leapfrog_steps == b->leapfrog_steps &&
                a->acceptance == b->acceptance && a->energy_divergence == b->energy_divergence &&
                a->implicit_failure == b->implicit_failure && a->irreversible == b->irreversible &&
                a->factorisation == b->factorisation);
}

static void assert_same_facts(const tw_run_facts *a, const tw_run_facts *b)
{
    assert_true(a->n == b->n && a->chains == b->chains && a->beta == b->beta && a->warmup == b->warmup);
    assert_true(a->thin == b->thin && a->seed == b->seed && a->interrupted == b->interrupted);
    assert_true(a->tuning.eps == b->tuning.eps && a->tuning.steps == b->tuning.steps &&
                a->tuning.jittered == b->tuning.jittered);
    assert_true(a->warmup_seconds == b->warmup_seconds && a->sampling_seconds == b->sampling_seconds);
    assert_string_equal(a->data, b->data);
    assert_string_equal(a->command, b->command);
    assert_string_equal(a->method, b->method);
    assert_string_equal(a->metric, b->metric);
    assert_string_equal(a->from, b->from);
    assert_same_totals(&a->warmup_totals, &b->warmup_totals);
    assert_same_totals(&a->sampling, &b->sampling);
}

static double statistic(const run_draw *d, size_t chain, const char *name)
{
    const tw_record *r = &d->records[chain];
    if (strcmp(name, "lp") == 0) return r->log_density;
    if (strcmp(name, "acceptance_rate") == 0) return r->acceptance_rate;
    if (strcmp(name, "step_size") == 0) return d->draw.eps;
    if (strcmp(name, "n_steps") == 0) return (double)r->steps;
    if (strcmp(name, "diverging") == 0)
        return r->energy_divergence || r->implicit_failure || r->irreversible || r->factorisation;
    if (strcmp(name, "energy") == 0) return r->energy;
    if (strcmp(name, "energy_error") == 0) return r->energy_error;
    if (strcmp(name, "accepted") == 0) return r->accepted;
    if (strcmp(name, "energy_divergence") == 0) return r->energy_divergence;
    if (strcmp(name, "implicit_failure") == 0) return r->implicit_failure;
    if (strcmp(name, "irreversible") == 0) return r->irreversible;
    if (strcmp(name, "factorisation") == 0) return r->factorisation;
    assert_string_equal(name, "log_likelihood");
    return d->log_likelihood[chain];
}

static void assert_statistics(tw_run *run, const tw_problem *problem, size_t draws)
{
    static const char *const names[] = {
        "lp",           "acceptance_rate", "step_size",     "n_steps",           "diverging",
        "energy",       "energy_error",    "accepted",      "energy_divergence", "implicit_failure",
        "irreversible", "factorisation",   "log_likelihood"};
    double *found = calloc(draws * RUN_CHAINS, sizeof *found);
    run_draw draw;
    assert_non_null(found);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        assert_int_equal(tw_run_read_statistic(run, names[k], found), TW_OK);
        for (size_t i = 0; i < draws; i++) {
            run_draw_make(problem, i, &draw);
            for (size_t c = 0; c < RUN_CHAINS; c++) {
                double expected = statistic(&draw, c, names[k]);
                assert_true(found[i + draws * c] == expected ||
                            (isnan(expected) && isnan(found[i + draws * c])));
            }
        }
    }
    free(found);
}

static void assert_draws(tw_run *run, const tw_problem *problem, size_t draws)
{
    double *latents = calloc(draws * RUN_CHAINS * RUN_N, sizeof *latents), row[RUN_N];
    run_draw draw;
    assert_non_null(latents);
    assert_int_equal(tw_run_read_latents(run, 0, RUN_N, latents), TW_OK);
    for (size_t i = 0; i < draws; i++) {
        run_draw_make(problem, i, &draw);
        for (size_t c = 0; c < RUN_CHAINS; c++) {
            assert_int_equal(tw_run_read_draws(run, c, i, 1, row), TW_OK);
            assert_same(RUN_N, row, draw.x + RUN_N * c);
            for (size_t k = 0; k < RUN_N; k++)
                assert_true(latents[i + draws * (c + RUN_CHAINS * k)] == draw.x[k + RUN_N * c]);
        }
    }
    assert_int_equal(tw_run_read_latents(run, 5, 1, latents), TW_OK);
    assert_true(latents[draws - 1] == (run_draw_make(problem, draws - 1, &draw), draw.x[5]));
    free(latents);
}

/* 700 draws: more than are written at a time. */
static void a_run_comes_back_to_the_bit(void **state)
{
    (void)state;
    const tw_run_options options[] = {{0}, {.compress = 4, .pointwise = true}};
    for (int kind = 0; kind < 2; kind++)
        for (int o = 0; o < 2; o++) {
            tw_context *ctx = new_context();
            scratch_folder folder = scratch_folder_new();
            const char *path = scratch_path(&folder, "run.nc");
            tw_problem *problem = new_problem(ctx, (run_kind)kind), *again = NULL;
            tw_run_facts facts = run_facts(problem);
            assert_int_equal(run_write(ctx, path, &options[o], problem, 700), TW_OK);
            assert_int_equal(scratch_count(&folder), 1);
            tw_run *run = open_run(ctx, path);
            assert_same_facts(tw_run_describe(run), &facts);
            assert_int_equal(tw_run_describe(run)->draws, 700);
            assert_true(tw_run_describe(run)->has_x);
            assert_string_equal(tw_run_describe(run)->version, tw_version());
            assert_int_equal(strlen(tw_run_describe(run)->created_at), 20);
            assert_int_equal(tw_run_problem(run, &again), TW_OK);
            assert_same_problem(problem, again);
            assert_draws(run, problem, 700);
            assert_statistics(run, problem, 700);
            assert_int_equal(tw_run_read_evidence(run)->count, 0);
            assert_true(isnan(tw_run_read_evidence(run)->ep));
            tw_problem_free(again);
            tw_run_close(run);
            tw_problem_free(problem);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            tw_context_free(ctx);
            scratch_folder_remove(&folder);
        }
}

/* ---- summaries ---- */

static tw_draws *draws_in_memory(tw_context *ctx, const tw_problem *problem, size_t count, double *x,
                                 tw_record *records)
{
    static tw_draws draws;
    run_draw draw;
    for (size_t i = 0; i < count; i++) {
        run_draw_make(problem, i, &draw);
        memcpy(x + i * RUN_N * RUN_CHAINS, draw.x, sizeof draw.x);
        memcpy(records + i * RUN_CHAINS, draw.records, sizeof draw.records);
    }
    draws = (tw_draws){.ctx = ctx,
                       .method = TW_METHOD_HMC,
                       .n = RUN_N,
                       .chains = RUN_CHAINS,
                       .draws = count,
                       .x = x,
                       .records = records,
                       .sampling = run_facts(problem).sampling};
    return &draws;
}

static void a_summary_is_that_of_the_draws(void **state)
{
    (void)state;
    enum { DRAWS = 90 };
    double x[DRAWS * RUN_N * RUN_CHAINS];
    tw_record records[DRAWS * RUN_CHAINS];
    tw_summary expected[RUN_N], found[RUN_N];
    tw_chains_summary in_memory, in_file;
    for (int summary_only = 0; summary_only < 2; summary_only++) {
        tw_context *ctx = new_context();
        scratch_folder folder = scratch_folder_new();
        const char *path = scratch_path(&folder, "run.nc");
        const tw_run_options options = {.summary_only = summary_only, .threads = 2};
        tw_problem *problem = new_problem(ctx, RUN_KERNEL);
        assert_int_equal(
            tw_draws_summarise(draws_in_memory(ctx, problem, DRAWS, x, records), 2, expected, &in_memory),
            TW_OK);
        assert_int_equal(run_write(ctx, path, &options, problem, DRAWS), TW_OK);
        tw_run *run = open_run(ctx, path);
        assert_int_equal(tw_run_summarise(run, 2, found, &in_file), TW_OK);
        assert_memory_equal(expected, found, sizeof found);
        assert_memory_equal(&in_memory, &in_file, sizeof in_file);
        assert_int_equal(tw_run_describe(run)->has_x, !summary_only);
        assert_int_equal(tw_run_read_draws(run, 0, 0, 1, x), summary_only ? TW_BAD_ARGUMENT : TW_OK);
        if (summary_only) assert_non_null(strstr(tw_context_message(ctx), "only a summary of the draws"));
        assert_statistics(run, problem, DRAWS);
        assert_int_equal(tw_run_summarise(run, 1, NULL, &in_file), TW_OK);
        assert_memory_equal(&in_memory, &in_file, sizeof in_file);
        tw_run_close(run);
        tw_problem_free(problem);
        tw_context_free(ctx);
        scratch_folder_remove(&folder);
    }
}

/* A resumed run needs the draws of the interrupted one, so that has them even if only a summary was wanted. */
static void an_interrupted_run_keeps_its_draws(void **state)
{
    (void)state;
    const tw_run_options options = {.summary_only = true, .threads = 1};
    for (int interrupted = 0; interrupted < 2; interrupted++) {
        tw_context *ctx = new_context();
        scratch_folder folder = scratch_folder_new();
        const char *path = scratch_path(&folder, "run.nc");
        tw_problem *problem = new_problem(ctx, RUN_KERNEL);
        tw_run_facts facts = run_facts(problem);
        tw_run_writer *writer = NULL;
        assert_int_equal(run_begin(ctx, path, &options, problem, 20, &writer), TW_OK);
        facts.interrupted = interrupted;
        assert_int_equal(tw_run_finish(writer, &facts), TW_OK);
        tw_run *run = open_run(ctx, path);
        assert_int_equal(tw_run_describe(run)->has_x, interrupted);
        tw_run_close(run);
        tw_problem_free(problem);
        tw_context_free(ctx);
        scratch_folder_remove(&folder);
    }
}

/* ---- evidence ---- */

static void evidence_comes_back(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    scratch_folder folder = scratch_folder_new();
    const char *path = scratch_path(&folder, "evidence.nc");
    tw_problem *problem = new_problem(ctx, RUN_MATRIX), *again = NULL;
    tw_run_facts facts = {.data = "d.csv", .seed = 3};
    tw_run_evidence e = {
        .laplace = -3.5, .ep = -3.25, .ep_corrected = NAN, .from = "ep", .kernel = "hmc/ep", .count = 2};
    tw_chains_summary none;
    e.estimates[0] = (tw_estimate){.method = "ais",
                                   .log_z = -3.1,
                                   .se = 0.02,
                                   .se_bootstrap = 0.021,
                                   .weight_ess = 200.5,
                                   .acceptance = 0.8,
                                   .particles = 256,
                                   .temperatures = 40,
                                   .failures = 0.001,
                                   .unbiased = true,
                                   .pareto_k = 0.3,
                                   .missed = 0.01,
                                   .draws = 5,
                                   .trips = NAN,
                                   .drift = NAN,
                                   .apart = NAN};
    e.estimates[1] = (tw_estimate){.method = "thermodynamic",
                                   .log_z = -3.2,
                                   .se = 0.01,
                                   .se_bootstrap = NAN,
                                   .weight_ess = NAN,
                                   .acceptance = 0.7,
                                   .particles = 32,
                                   .temperatures = 12,
                                   .pareto_k = NAN,
                                   .missed = NAN,
                                   .draws = 0x1fffffffffffff,
                                   .trips = 1.5,
                                   .drift = -0.02,
                                   .apart = 0.03};
    e.seconds[0] = 1.5;
    e.seconds[1] = 2.5;
    assert_int_equal(tw_run_write_evidence(ctx, path, false, problem, &facts, &e), TW_OK);
    assert_int_equal(tw_run_write_evidence(ctx, path, false, problem, &facts, &e), TW_FILE_EXISTS);
    tw_run *run = open_run(ctx, path);
    const tw_run_evidence *f = tw_run_read_evidence(run);
    assert_true(f->laplace == e.laplace && f->ep == e.ep && isnan(f->ep_corrected) && f->count == 2);
    assert_string_equal(f->from, "ep");
    assert_string_equal(f->kernel, "hmc/ep");
    for (size_t i = 0; i < 2; i++) {
        const tw_estimate *a = &e.estimates[i], *b = &f->estimates[i];
        assert_string_equal(a->method, b->method);
        assert_same(5, &a->log_z, &b->log_z);
        assert_same(2, &a->pareto_k, &b->pareto_k);
        assert_same(3, &a->trips, &b->trips);
        assert_true(a->particles == b->particles && a->temperatures == b->temperatures &&
                    a->draws == b->draws && a->failures == b->failures && a->unbiased == b->unbiased &&
                    f->seconds[i] == e.seconds[i]);
    }
    assert_int_equal(tw_run_describe(run)->draws, 0);
    assert_int_equal(tw_run_problem(run, &again), TW_OK);
    assert_same_problem(problem, again);
    assert_int_equal(tw_run_summarise(run, 1, NULL, &none), TW_OK);
    assert_true(isnan(none.rhat_max));
    assert_int_equal(tw_run_read_latents(run, 0, 1, &none.rhat_max), TW_BAD_ARGUMENT);
    tw_problem_free(again);
    tw_run_close(run);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    scratch_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_back_to_the_bit),
        cmocka_unit_test(a_summary_is_that_of_the_draws),
        cmocka_unit_test(an_interrupted_run_keeps_its_draws),
        cmocka_unit_test(evidence_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
