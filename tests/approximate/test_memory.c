/* The memory of the approximations, and their behaviour if allocations fail. */

#include "approximate/approximate.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

/* At most three n x n matrices beside K at any time, the factor of K among them, and vectors. */
static void fitting_takes_three_matrices_beside_the_covariance(void **state)
{
    (void)state;
    enum { N = 400, VECTORS = 64 };
    test_problem *p = test_problem_new(N, 71, 1e4);
    for (int method = TW_EP_AUTO; method <= TW_EP_PARALLEL; method++) {
        tw_context *ctx = new_context();
        tw_model *model = NULL;
        tw_approximation *ep = NULL;
        tw_ep_options options = TW_EP_DEFAULTS;
        options.method = (tw_ep_method)method;
        options.max_sweeps = 4;
        assert_int_equal(
            tw_model_new(ctx, p->k, N, OBSERVED(tw_likelihood_find("probit"), N, p->y, NULL), 0.0, &model),
            TW_OK);
        assert_int_equal(tw_ep_fit(model, &options, &ep), TW_OK);
        assert_in_range(tw_context_bytes_peak(ctx), 1, (4 * N + VECTORS) * N * sizeof(double));
        tw_approximation_free(ep);
        tw_model_free(model);
        tw_context_free(ctx);
    }
    test_problem_free(p);
}

typedef tw_status step(const tw_model *model, const tw_approximation *ep);

static tw_status fit_laplace(const tw_model *model, const tw_approximation *ep)
{
    (void)ep;
    tw_approximation *q = NULL;
    tw_status status = tw_laplace_fit(model, NULL, &q);
    assert_true((status == TW_OK) == (q != NULL));
    tw_approximation_free(q);
    return status;
}

static tw_status fit_ep_by(const tw_model *model, tw_ep_method method)
{
    tw_approximation *q = NULL;
    tw_ep_options options = TW_EP_DEFAULTS;
    options.method = method;
    tw_status status = tw_ep_fit(model, &options, &q);
    assert_true((status == TW_OK) == (q != NULL));
    tw_approximation_free(q);
    return status;
}

static tw_status fit_ep(const tw_model *model, const tw_approximation *ep)
{
    (void)ep;
    return fit_ep_by(model, TW_EP_AUTO);
}

static tw_status fit_double_loop(const tw_model *model, const tw_approximation *ep)
{
    (void)ep;
    return fit_ep_by(model, TW_EP_DOUBLE_LOOP);
}

static tw_status correct(const tw_model *model, const tw_approximation *ep)
{
    tw_correction correction;
    return tw_ep_correct(model, ep, 4, &correction);
}

static tw_status prepare_predictions(const tw_model *model, const tw_approximation *ep)
{
    tw_predictor *predictor = NULL;
    tw_status status = tw_predictor_new(model, ep, &predictor);
    assert_true((status == TW_OK) == (predictor != NULL));
    tw_predictor_free(predictor);
    return status;
}

static tw_status restore(const tw_model *model, const tw_approximation *ep)
{
    tw_approximation *q = NULL;
    tw_status status = tw_approximation_from_sites(model, TW_EP, ep->tau, ep->nu, &q);
    assert_true((status == TW_OK) == (q != NULL));
    tw_approximation_free(q);
    return status;
}

/* The first allocation fails, the second, and so on until none does; nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { N = 12 };
    step *const steps[] = {fit_laplace, fit_ep, fit_double_loop, correct, prepare_predictions, restore};
    test_problem *p = test_problem_new(N, 72, 100.0);
    failing_allocator allocator = {.fail_at = 0};
    tw_context *ctx = failing_context(&allocator);
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    assert_int_equal(
        tw_model_new(ctx, p->k, N, OBSERVED(tw_likelihood_find("logit"), N, p->y, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    size_t before = tw_context_bytes_in_use(ctx);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        tw_status status = TW_NO_MEMORY;
        size_t at = 0;
        while (status != TW_OK) {
            allocator = (failing_allocator){.fail_at = ++at};
            status = steps[i](model, ep);
            assert_true(status == TW_OK || status == TW_NO_MEMORY);
            assert_int_equal(tw_context_bytes_in_use(ctx), before);
        }
        assert_in_range(at, 4, 200);
    }
    allocator = (failing_allocator){.fail_at = 0};
    tw_approximation_free(ep);
    tw_model_free(model);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    test_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitting_takes_three_matrices_beside_the_covariance),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
