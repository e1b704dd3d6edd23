/* The memory of a chain, from the model to its draws: the peak in matrices of n x n. One RMHMC chain from EP
 * has five, apart from vectors: K, its factor, EP's factor, the tempered base with its factor in one, and B;
 * the limit of six includes the vectors. HMC has two in addition to K, and vectors for each column. And the
 * behaviour if allocations fail. */
#include <stdlib.h>

#include "support/observe.h"
#include "support/posed.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/sampling_plan.h"

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
    /* with a factor and two vectors a column in single precision, half a matrix and one vector */
    assert_true(matrices <= 4.0 && each <= 11.0);
    test_problem_free(problem);
}

/* Model, EP, choice, run and summary with an allocator that fails at the n-th request. */
static tw_status whole_job(tw_context *ctx, const test_problem *p)
{
    tw_model *model = NULL;
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result = {0};
    tw_sampling_options o = TW_SAMPLING_DEFAULTS;
    o.chains = 2;
    o.warmup = 5;
    o.draws = 8;
    o.threads = 2;
    tw_status status =
        tw_model_new(ctx, p->k, p->n, OBSERVED(tw_likelihood_find("probit"), p->n, p->y, NULL), 0.0, &model);
    if (status == TW_OK) status = tw_sampling_plan_new(model, &o, NULL, &plan);
    if (status == TW_OK) status = tw_sampling_run(plan, NULL, &result);
    tw_sampling_result_release(&result);
    tw_sampling_plan_free(plan);
    tw_model_free(model);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_problem *p = test_problem_new(4, 3, 10.0);
    failing_allocator allocator = {0};
    for (size_t n = 1;; n++) {
        allocator.fail_at = n;
        tw_context *ctx = failing_context(&allocator);
        tw_status status = whole_job(ctx, p);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
        if (status == TW_OK) break;
        assert_int_equal(status, TW_NO_MEMORY);
        assert_true(n < 2000);
    }
    test_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rmhmc_chain_takes_six_matrices),
        cmocka_unit_test(hmc_takes_two_matrices_beyond_the_covariance),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
