/* The starting points of chains, and the random numbers of their iterations. */
#include <math.h>
#include <string.h>

#include "math/random.h"
#include "model/model.h"
#include "sample/sampler.h"
#include "support/gp_case.h"
#include "support/observe.h"
#include "support/support.h"
#include "talweg/chains.h"

enum { N = 4, P = 5 };

static tw_sampler *new_sampler(const tw_target *target)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s = NULL;
    assert_int_equal(tw_sampler_new(target, &o, P, &s), TW_OK);
    return s;
}

/* x_j = mean + scale L z_j, with normals of chain j's own stream. */
static void each_chain_starts_at_a_draw_of_its_own(void **state)
{
    (void)state;
    gp_setting setting = {.n = N, .seed = 21, .cond = 50, .scale = 2, .form = GP_OPEN, .beta = 1.0};
    gp_case gp = gp_case_new(&setting);
    const tw_reference *q = gp.reference;
    tw_sampler *s = new_sampler(gp.target);
    assert_int_equal(tw_sampler_start(s, q, 1.5, 7), TW_OK);
    for (size_t j = 0; j < P; j++) {
        tw_stream stream = tw_stream_at(7, TW_STREAM_START, j, 0);
        double z[N], x[N];
        tw_stream_normals(&stream, N, z);
        for (size_t i = 0; i < N; i++) z[i] *= 1.5;
        tw_gaussian_positions(q->gaussian, 1, z, x);
        for (size_t i = 0; i < N; i++) assert_close(tw_sampler_positions(s)[i + j * N], x[i], 1e-10, "start");
    }
    tw_sampler_free(s);
    gp_case_free(&gp);
}

/* exp(x) overflows at most draws with a standard deviation of 2000: they are drawn closer, by halves. */
static void starts_without_density_are_drawn_closer(void **state)
{
    (void)state;
    const double y[2] = {1.0, 0.0}, k[4] = {4e6, 0.0, 0.0, 4e6};
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *prior = NULL;
    tw_target *target = NULL;
    assert_int_equal(
        tw_model_new(ctx, k, 2, OBSERVED(tw_likelihood_find("poisson"), 2, y, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_reference_prior(model, &prior), TW_OK);
    assert_int_equal(tw_target_new(model, prior, TW_FORM_OPEN, &target), TW_OK);
    tw_sampler *s = new_sampler(target);
    assert_int_equal(tw_sampler_start(s, prior, 1.0, 1), TW_OK);
    double largest = 0.0, scale = 0.0;
    for (size_t j = 0; j < P; j++) {
        tw_stream stream = tw_stream_at(1, TW_STREAM_START, j, 0);
        for (size_t i = 0; i < 2; i++) {
            double z = tw_stream_normal(&stream), x = tw_sampler_positions(s)[i + 2 * j];
            largest = fmax(largest, z);
            scale = x / (2000.0 * z);
            assert_close(log2(scale), round(log2(scale)), 1e-9, "a power of 1/2");
            assert_true(isfinite(tw_sampler_log_density(s)[j]));
        }
    }
    assert_true(scale < 1.0 && 2000.0 * largest > 710.0); /* so that the first draws would not do */
    tw_sampler_free(s);
    tw_target_free(target);
    tw_reference_free(prior);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* Without warm-up a run is a transition for each number 0, 1, ...; warm-up and pilots have others. */
static void draws_are_transitions_number_0_1_2(void **state)
{
    (void)state;
    enum { DRAWS = 3 };
    gp_setting setting = {.n = N, .seed = 22, .cond = 50, .scale = 2, .form = GP_OPEN, .beta = 1.0};
    gp_case gp = gp_case_new(&setting);
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    tw_draws *draws = NULL;
    tw_record records[P];
    double x[N * P];
    test_random random = {8};
    test_normals(&random, N * P, x);
    run.warmup = 0;
    run.draws = DRAWS;
    run.eps = 0.3;
    run.steps = 2;
    run.seed = 4;
    run.keep = true;
    tw_sampler *one = new_sampler(gp.target), *other = new_sampler(gp.target);
    assert_int_equal(tw_sampler_set_positions(one, x), TW_OK);
    assert_int_equal(tw_sampler_set_positions(other, x), TW_OK);
    assert_int_equal(tw_chains_run(one, &run, &draws), TW_OK);
    for (uint64_t i = 0; i < DRAWS; i++) {
        tw_move move = {.eps = 0.3, .steps = 2, .seed = 4, .iteration = i};
        tw_sampler_advance(other, &move, records);
        assert_memory_equal(draws->x + i * N * P, tw_sampler_positions(other), sizeof x);
    }
    tw_draws_free(draws);
    tw_sampler_free(one);
    tw_sampler_free(other);
    gp_case_free(&gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chain_starts_at_a_draw_of_its_own),
        cmocka_unit_test(starts_without_density_are_drawn_closer),
        cmocka_unit_test(draws_are_transitions_number_0_1_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
