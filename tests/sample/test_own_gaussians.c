/* Columns with separate Gaussians: if all are equal, the draws are those of a shared one; if they differ,
 * each column equals that of a sampler with its Gaussian alone. */
#include <math.h>
#include <string.h>

#include "gaussian/dense.h"
#include "sample/sampler.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/approximate.h"
#include "talweg/chains.h"

enum { N = 30, P = 35, TRANSITIONS = 3 }; /* two tiles of columns */

/* Products of one column round otherwise than those of many; three transitions enlarge that little. */
static const double tolerance = 1e-9;

typedef struct fixture {
    tw_context *ctx;
    test_problem *problem;
    tw_model *model;
    tw_approximation *ep;
    tw_reference *prior;
    tw_target *target;
} fixture;

static fixture fixture_new(double scale, tw_context *ctx)
{
    fixture f = {.ctx = ctx, .problem = test_problem_new(N, 44, 100)};
    for (size_t i = 0; i < N * N; i++) f.problem->k[i] *= scale;
    assert_int_equal(tw_model_new(ctx, f.problem->k, N,
                                  OBSERVED(tw_likelihood_find("probit"), N, f.problem->y, NULL), 0.0,
                                  &f.model),
                     TW_OK);
    assert_int_equal(tw_ep_fit(f.model, NULL, &f.ep), TW_OK);
    assert_int_equal(tw_reference_prior(f.model, &f.prior), TW_OK);
    assert_int_equal(tw_target_new(f.model, f.prior, TW_FORM_OPEN, &f.target), TW_OK);
    return f;
}

static void fixture_free(fixture *f)
{
    tw_target_free(f->target);
    tw_reference_free(f->prior);
    tw_approximation_free(f->ep);
    tw_model_free(f->model);
    test_problem_free(f->problem);
}

/* The Gaussian of a model that a metric takes. */
static tw_frame_column column_of(const fixture *f, tw_metric metric)
{
    const tw_reference *q = f->ep->reference;
    if (metric != TW_METRIC_EP) return (tw_frame_column){.gaussian = f->model->prior};
    return (tw_frame_column){.gaussian = q->gaussian, .tau = q->tau, .nu = q->nu, .log_z = q->log_z};
}

static tw_sampler *new_sampler(const fixture *f, tw_method method, tw_metric metric, size_t columns,
                               size_t threads)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s = NULL;
    o.method = method;
    o.metric = metric;
    o.gaussian = f->ep->reference;
    o.solver_tolerance = 1e-12;
    o.threads = threads;
    assert_int_equal(tw_sampler_new(f->target, &o, columns, &s), TW_OK);
    return s;
}

static void advance(tw_sampler *s, uint64_t first_chain, tw_record *records)
{
    for (uint64_t i = 1; i <= TRANSITIONS; i++) {
        tw_move move = {.seed = 6, .first_chain = first_chain, .iteration = i, .eps = 0.15, .steps = 4};
        tw_sampler_advance(s, &move, records);
    }
}

static const struct {
    tw_method method;
    tw_metric metric;
} samplers[] = {{TW_METHOD_HMC, TW_METRIC_EP},
                {TW_METHOD_HMC, TW_METRIC_PRIOR},
                {TW_METHOD_SLICE, TW_METRIC_EP},
                {TW_METHOD_SLICE, TW_METRIC_PRIOR},
                {TW_METHOD_RMHMC, TW_METRIC_HESSIAN}};
enum { SAMPLERS = sizeof samplers / sizeof samplers[0] };

static void equal_gaussians_draw_what_one_shared_draws(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    fixture f = fixture_new(4.0, ctx);
    for (size_t k = 0; k < SAMPLERS; k++) {
        tw_sampler *shared = new_sampler(&f, samplers[k].method, samplers[k].metric, P, 1);
        tw_sampler *each = new_sampler(&f, samplers[k].method, samplers[k].metric, P, 2);
        tw_record records[P];
        tw_frame_column columns[P];
        double largest = 0.0;
        for (size_t j = 0; j < P; j++) columns[j] = column_of(&f, samplers[k].metric);
        assert_int_equal(tw_sampler_start(shared, f.ep->reference, 1.0, 3), TW_OK);
        assert_int_equal(tw_sampler_set_positions(each, tw_sampler_positions(shared)), TW_OK);
        assert_int_equal(tw_sampler_set_gaussians(each, columns), TW_OK);
        advance(shared, 0, records);
        advance(each, 0, records);
        for (size_t i = 0; i < N * P; i++)
            largest = fmax(largest, fabs(tw_sampler_positions(each)[i] - tw_sampler_positions(shared)[i]));
        for (size_t j = 0; j < P; j++)
            assert_close(tw_sampler_log_density(each)[j], tw_sampler_log_density(shared)[j], tolerance,
                         "density");
        print_message("%s: largest difference %.1e\n", tw_method_name(samplers[k].method), largest);
        assert_true(largest <= tolerance);
        tw_sampler_free(each);
        tw_sampler_free(shared);
    }
    fixture_free(&f);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Column j has the prior (or EP) of a model with j's own scale: it goes where a single chain of that model goes. */
static void each_column_goes_its_own_way(void **state)
{
    (void)state;
    enum { MODELS = 3 };
    tw_context *ctx = new_context();
    fixture f[MODELS];
    for (size_t j = 0; j < MODELS; j++) f[j] = fixture_new(1.0 + 2.0 * (double)j, ctx);
    for (size_t k = 0; k < SAMPLERS; k++) {
        tw_sampler *each = new_sampler(&f[0], samplers[k].method, samplers[k].metric, MODELS, 1);
        tw_frame_column columns[MODELS];
        tw_record records[MODELS];
        static double start[N * MODELS];
        assert_int_equal(tw_sampler_start(each, f[0].ep->reference, 1.0, 3), TW_OK);
        memcpy(start, tw_sampler_positions(each), sizeof start);
        for (size_t j = 0; j < MODELS; j++) columns[j] = column_of(&f[j], samplers[k].metric);
        assert_int_equal(tw_sampler_set_gaussians(each, columns), TW_OK);
        advance(each, 0, records);
        for (size_t j = 0; j < MODELS; j++) {
            tw_sampler *alone = new_sampler(&f[j], samplers[k].method, samplers[k].metric, 1, 1);
            tw_record record;
            assert_int_equal(tw_sampler_set_positions(alone, start + j * N), TW_OK);
            advance(alone, j, &record);
            for (size_t i = 0; i < N; i++)
                assert_close(tw_sampler_positions(each)[i + j * N], tw_sampler_positions(alone)[i], tolerance,
                             "a position");
            assert_close(tw_sampler_log_density(each)[j], tw_sampler_log_density(alone)[0], tolerance,
                         "density");
            tw_sampler_free(alone);
        }
        tw_sampler_free(each);
    }
    for (size_t j = 0; j < MODELS; j++) fixture_free(&f[j]);
    tw_context_free(ctx);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    fixture f = fixture_new(2.0, ctx);
    const double k = 1.0;
    tw_gaussian *small = NULL;
    tw_gaussian_report report;
    assert_int_equal(tw_gaussian_dense_new(ctx, 1, &k, 1, &small), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(small, 0.0, &report), TW_OK);
    tw_frame_column other = {.gaussian = small}, sites = column_of(&f, TW_METRIC_EP),
                    bare = column_of(&f, TW_METRIC_PRIOR);
    tw_sampler *hmc = new_sampler(&f, TW_METHOD_HMC, TW_METRIC_EP, 1, 1);
    tw_sampler *identity = new_sampler(&f, TW_METHOD_HMC, TW_METRIC_IDENTITY, 1, 1);
    tw_sampler *rmhmc = new_sampler(&f, TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 1, 1);
    assert_int_equal(tw_sampler_set_gaussians(hmc, &other), TW_BAD_ARGUMENT);
    assert_int_equal(tw_sampler_set_gaussians(identity, &bare), TW_BAD_ARGUMENT);
    assert_int_equal(tw_sampler_set_gaussians(rmhmc, &sites), TW_BAD_ARGUMENT);
    tw_sampler_free(hmc);
    tw_sampler_free(identity);
    tw_sampler_free(rmhmc);
    tw_gaussian_free(small);
    fixture_free(&f);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_gaussians_draw_what_one_shared_draws),
        cmocka_unit_test(each_column_goes_its_own_way),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
