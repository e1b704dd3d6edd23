/* What a chain takes of memory, from the model to its draws: all that is allocated at any time, in matrices of
 * n x n. One RMHMC chain from EP holds five, vectors apart: K, its factor, EP's factor, the tempered base and its
 * factor in one, and B; so the limit of six includes its vectors. HMC holds two beyond K, and vectors for each
 * column. */
#include <stdlib.h>

#include "support/posed.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/sample.h"

enum { N = 300 };

static const size_t matrix = N * N * sizeof(double), vector = N * sizeof(double);

/* Peak of memory of a run from the data on: EP, then a few transitions at changing temperatures. */
static size_t peak_of_run(const test_problem *problem, tw_sampler_options o, tw_form form, size_t columns)
{
    tw_context *ctx = new_context();
    posed p = pose_in(ctx, N, problem->k, tw_likelihood_find("probit"), problem->y);
    tw_target *target = NULL;
    tw_sampler *s = NULL;
    tw_record *records = calloc(columns, sizeof *records);
    double *x = calloc(N * columns, sizeof *x);
    assert_non_null(records);
    assert_non_null(x);
    if (o.method == TW_METHOD_HMC) o.gaussian = p.ep->reference;
    assert_int_equal(tw_target_new(p.model, p.ep->reference, form, &target), TW_OK);
    assert_int_equal(tw_sampler_new(target, &o, columns, &s), TW_OK);
    assert_int_equal(tw_sampler_set_positions(s, x), TW_OK);
    for (size_t k = 0; k < 3; k++) {
        tw_move move = {.eps = 0.1, .steps = 2, .seed = 1, .iteration = k, .first_chain = 0};
        assert_int_equal(tw_target_set_temperature(target, 0.5 * (double)k), TW_OK);
        tw_sampler_refresh(s);
        tw_sampler_advance(s, &move, records);
        assert_true(records[0].accepted && records[columns - 1].accepted);
    }
    size_t peak = tw_context_bytes_peak(ctx);
    tw_sampler_free(s);
    tw_target_free(target);
    posed_free(&p);
    free(x);
    free(records);
    return peak;
}

static void one_rmhmc_chain_takes_six_matrices(void **state)
{
    (void)state;
    test_problem *problem = test_problem_new(N, 5, 1e4);
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    o.method = TW_METHOD_RMHMC;
    o.metric = TW_METRIC_HESSIAN;
    size_t peak = peak_of_run(problem, o, TW_FORM_FOLDED, 1);
    print_message("RMHMC: %.2f matrices at the peak\n", (double)peak / (double)matrix);
    assert_in_range(peak, 4 * matrix, 6 * matrix);
    test_problem_free(problem);
}

static void hmc_takes_two_matrices_beyond_the_covariance(void **state)
{
    (void)state;
    test_problem *problem = test_problem_new(N, 5, 1e4);
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    o.metric = TW_METRIC_EP;
    size_t few = peak_of_run(problem, o, TW_FORM_OPEN, 320);
    size_t many = peak_of_run(problem, o, TW_FORM_OPEN, 640);
    double each = (double)(many - few) / 320.0 / (double)vector;
    double matrices = ((double)few - 320.0 * each * (double)vector) / (double)matrix;
    print_message("HMC: %.2f matrices and %.1f vectors a column\n", matrices, each);
    assert_true(matrices <= 4.0 && each <= 10.0);
    test_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rmhmc_chain_takes_six_matrices),
        cmocka_unit_test(hmc_takes_two_matrices_beyond_the_covariance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
