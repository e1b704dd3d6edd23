/* Predictions from a run file equal those from the same draws in memory, to the bit: with a kernel and
 * standardised inputs, and with a given matrix; read once, or again for every block. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/observe.h"
#include "support/predict_case.h"
#include "support/run_case.h"
#include "support/scratch_folder.h"
#include "support/support.h"

enum { DRAWS = 40, NEW = 6, COLUMNS = 7 };

/* The draws of run_write, as tw_chains_run keeps them. */
static tw_draws draws_in_memory(const tw_problem *problem)
{
    tw_draws draws = {.ctx = problem->ctx, .n = RUN_N, .chains = RUN_CHAINS, .draws = DRAWS};
    draws.x = malloc((size_t)DRAWS * RUN_N * RUN_CHAINS * sizeof *draws.x);
    assert_non_null(draws.x);
    for (size_t i = 0; i < DRAWS; i++) {
        run_draw one;
        run_draw_make(problem, i, &one);
        memcpy(draws.x + i * RUN_N * RUN_CHAINS, one.x, sizeof one.x);
    }
    return draws;
}

/* The training cases themselves, scaled covariances: any will do. */
static predict_columns predict(const tw_problem *problem, const tw_draw_source *source, size_t bytes)
{
    double cross[RUN_N * NEW], diagonal[NEW], w[NEW];
    predict_columns out = predict_columns_new(NEW);
    tw_draws_predictor_options options = {2, bytes, false};
    tw_draws_predictor *predictor = NULL;
    assert_int_equal(tw_draws_predictor_new(problem->model, source, &options, &predictor), TW_OK);
    for (size_t j = 0; j < NEW; j++) {
        diagonal[j] = 2.0;
        w[j] = 0.5 + (double)j;
        for (size_t i = 0; i < RUN_N; i++)
            cross[i + j * RUN_N] = 0.5 * cos((double)(i + j)) / (double)(1 + i);
    }
    assert_int_equal(tw_draws_predictor_apply(predictor, cross, diagonal,
                                              OBSERVED(problem->likelihood, NEW, problem->data->y, w),
                                              &out.at),
                     TW_OK);
    tw_draws_predictor_free(predictor);
    return out;
}

static void a_file_predicts_as_memory_does(void **state)
{
    (void)state;
    scratch_folder folder = scratch_folder_new();
    for (int kind = RUN_KERNEL; kind <= RUN_MATRIX; kind++) {
        tw_context *ctx = new_context();
        tw_problem *problem = NULL, *again = NULL;
        tw_run_options options = {.overwrite = true, .threads = 1};
        tw_run *run = NULL;
        const char *path = scratch_path(&folder, "run.nc");
        assert_int_equal(run_problem_new(ctx, (run_kind)kind, &problem), TW_OK);
        assert_int_equal(run_write(ctx, path, &options, problem, DRAWS), TW_OK);
        assert_int_equal(tw_run_open(ctx, path, &run), TW_OK);
        assert_int_equal(tw_run_problem(run, &again), TW_OK);
        tw_draws draws = draws_in_memory(problem);
        tw_draw_source memory = tw_draws_source(&draws), file = tw_run_source(run);
        predict_columns expected = predict(problem, &memory, 1 << 20);
        for (size_t bytes = 0; bytes <= 1 << 20; bytes += 1 << 20) {
            predict_columns found = predict(again, &file, bytes);
            assert_memory_equal(found.memory, expected.memory, NEW * COLUMNS * sizeof *found.memory);
            free(found.memory);
        }
        free(expected.memory);
        free(draws.x);
        tw_problem_free(again);
        tw_run_close(run);
        tw_problem_free(problem);
        tw_context_free(ctx);
    }
    scratch_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_predicts_as_memory_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
