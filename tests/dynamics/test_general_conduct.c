/* The phase point of a general target: the distribution of its momenta, gradients that are not finite, and
 * steps that do not return. */
#include <math.h>

#include "math/random.h"
#include "support/general_targets.h"
#include "support/support.h"
#include "talweg/general.h"

/* log p = -|x|^2/2. */
static double round_value(void *user, const double *x)
{
    (void)user;
    return -0.5 * (x[0] * x[0] + x[1] * x[1]);
}

static void round_gradient(void *user, const double *x, double *g)
{
    (void)user;
    g[0] = -x[0];
    g[1] = -x[1];
}

/* The same without a slope beyond x_0 = 1. */
static void cliff_gradient(void *user, const double *x, double *g)
{
    round_gradient(user, x, g);
    if (x[0] > 1.0) g[1] = NAN;
}

static void a_step_to_where_there_is_no_slope_is_not_finite(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const tw_general_target target = {2, NULL, round_value, cliff_gradient, NULL, NULL};
    const double x[2] = {0.9, 0.0}, p[2] = {5.0, 0.0}, beyond[2] = {2.0, 0.0};
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.metric = TW_GENERAL_CONSTANT;
    tw_general *g = NULL;
    assert_int_equal(tw_general_new(ctx, &target, &options, &g), TW_OK);
    assert_int_equal(tw_general_set_position(g, x), TW_OK);
    tw_general_set_momentum(g, p);
    assert_int_equal(tw_general_step(g), TW_GENERAL_NOT_FINITE);
    assert_true(tw_general_position(g)[0] == x[0]);
    assert_int_equal(tw_general_set_position(g, beyond), TW_NUMERICAL_FAILURE);
    tw_general_free(g);
    tw_context_free(ctx);
}

/* H = -log p + log|G|/2 + p' G^-1 p/2, and p = G^1/2 z, the normals z from the stream of seed, chain and iteration; here G = diag(4, 9). */
static void momenta_and_energy_are_what_they_say(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const tw_general_target target = {2, NULL, round_value, round_gradient, NULL, NULL};
    const double mass[2] = {4.0, 9.0}, x[2] = {0.1, 0.2};
    const uint64_t number[4][3] = {{1, 0, 0}, {1, 0, 5}, {1, 7, 0}, {2, 0, 0}};
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.metric = TW_GENERAL_CONSTANT;
    options.mass = mass;
    tw_general *g = NULL;
    assert_int_equal(tw_general_new(ctx, &target, &options, &g), TW_OK);
    assert_int_equal(tw_general_set_position(g, x), TW_OK);
    for (size_t i = 0; i < 4; i++) {
        tw_stream stream = tw_stream_at(number[i][0], TW_STREAM_MOMENTUM, number[i][1], number[i][2]);
        double z[2];
        tw_stream_normals(&stream, 2, z);
        tw_general_draw_momentum(g, number[i][0], number[i][1], number[i][2]);
        assert_close(tw_general_momentum(g)[0], 2.0 * z[0], 1e-15, "p_0");
        assert_close(tw_general_momentum(g)[1], 3.0 * z[1], 1e-15, "p_1");
        double kinetic = 0.5 * (z[0] * z[0] + z[1] * z[1]), potential = -round_value(NULL, x);
        assert_close(tw_general_energy(g), potential + 0.5 * log(4.0 * 9.0) + kinetic, 1e-14, "H");
    }
    tw_general_free(g);
    tw_context_free(ctx);
}

/* Implicit equations solved to a tenth only lead nowhere back to 1e-6: such transitions are rejected where they are
 * looked at. */
static void a_way_that_does_not_lead_back_is_rejected(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const tw_general_target target = banana_target();
    const double x[2] = {0.6, 0.4};
    for (int looked_at = 0; looked_at < 2; looked_at++) {
        tw_general_options options = TW_GENERAL_DEFAULTS;
        tw_general *g = NULL;
        size_t accepted = 0, irreversible = 0;
        options.tolerance = 0.1;
        options.eps = 0.2;
        options.reversal = looked_at ? 1e-6 : 0.0;
        assert_int_equal(tw_general_new(ctx, &target, &options, &g), TW_OK);
        for (uint64_t i = 0; i < 50; i++) {
            assert_int_equal(tw_general_set_position(g, x), TW_OK);
            tw_general_record record = tw_general_transition(g, 4, 1, 0, i);
            accepted += record.accepted;
            irreversible += record.outcome == TW_GENERAL_IRREVERSIBLE;
            assert_true(record.accepted == (tw_general_position(g)[0] != x[0]));
        }
        print_message("%zu accepted, %zu irreversible\n", accepted, irreversible);
        assert_true(looked_at ? accepted == 0 && irreversible > 40 : accepted > 25 && irreversible == 0);
        tw_general_free(g);
    }
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_to_where_there_is_no_slope_is_not_finite),
        cmocka_unit_test(a_way_that_does_not_lead_back_is_rejected),
        cmocka_unit_test(momenta_and_energy_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
