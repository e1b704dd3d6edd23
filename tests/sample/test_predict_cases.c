/* What belongs to a new case alone: its constant, in whatever block it is predicted (E[y] = w exp(m + c/2) is proportional
 * to it), and its failure. */
#include <math.h>
#include <stdlib.h>

#include "support/predict_case.h"
#include "support/support.h"

enum { N = 6, M = 2 * TW_PREDICT_BATCH + 9, DRAWS = 20 };

static void fill_constants(double *w)
{
    for (size_t i = 0; i < M; i++) w[i] = 0.5 + 0.25 * (double)(i % 11);
}

static void constants_of_covariances_at_hand(void **state)
{
    (void)state;
    static double w[M];
    predict_case c = predict_case_new("poisson", N, M, 1.3, 0.8, 1.0);
    fill_constants(w);
    predict_case_draw_ep(&c, 1, DRAWS, 3);
    predict_columns one = predict_case_run(&c, NULL, 0, NULL, NULL),
                    own = predict_case_run(&c, NULL, 0, w, NULL);
    for (size_t i = 0; i < M; i++) assert_close(own.at.expected[i] / one.at.expected[i], w[i], 1e-12, "E[y]");
    free(one.memory);
    free(own.memory);
    predict_case_free(&c);
}

/* The same from inputs, for all of them and for the cases from number 5 on. */
static void constants_of_new_inputs(void **state)
{
    (void)state;
    static double w[M], z[M], draws[N * DRAWS], expected[3][M];
    const double x[N] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, y[N] = {1, 0, 2, 1, 3, 0}, log_ell = 0.2;
    const tw_covariance covariance = {"se", 1, &log_ell, 0.1, 0.0, 0.0};
    tw_context *ctx = new_context();
    tw_data *train = NULL, *at = NULL;
    tw_model *model = NULL;
    tw_draws_predictor *p = NULL;
    fill_constants(w);
    for (size_t i = 0; i < M; i++) z[i] = 5.0 * (double)i / M;
    for (size_t i = 0; i < (size_t)N * DRAWS; i++) draws[i] = sin(0.7 * (double)i);
    assert_int_equal(tw_data_new(ctx, N, 1, x, N, y, &train), TW_OK);
    assert_int_equal(tw_data_new(ctx, M, 1, z, M, NULL, &at), TW_OK);
    assert_int_equal(tw_model_from_data(train, &covariance, tw_likelihood_find("poisson"), NULL, 0.0, &model),
                     TW_OK);
    tw_draws d = {.ctx = ctx, .n = N, .chains = 1, .draws = DRAWS, .x = draws};
    tw_draw_source source = tw_draws_source(&d);
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &p), TW_OK);
    for (size_t run = 0; run < 3; run++) {
        size_t first = run == 2 ? 5 : 0;
        tw_predictions out = {.expected = expected[run]};
        assert_int_equal(
            tw_draws_predictor_at(p, &covariance, train, at, first, M - first, run ? w : NULL, &out), TW_OK);
    }
    for (size_t i = 0; i < M; i++) assert_close(expected[1][i] / expected[0][i], w[i], 1e-12, "E[y]");
    for (size_t i = 5; i < M; i++)
        assert_close(expected[2][i - 5], expected[1][i], 1e-12 * expected[1][i], "from 5 on");
    tw_draws_predictor_free(p);
    tw_model_free(model);
    tw_data_free(at);
    tw_data_free(train);
    tw_context_free(ctx);
}

/* Probit whose probability of +1 cannot be had. */
static tw_status half_tilted(void *user, double y, double w, double m, double v, tw_tilted *out)
{
    (void)user;
    if (y > 0.0) return TW_NUMERICAL_FAILURE;
    return tw_likelihood_tilted(tw_likelihood_find("probit"), y, w, m, v, out);
}

/* The probability of +1 fails and that of the label, -1, does not: the case has failed all the same. */
static void a_failure_is_not_forgotten(void **state)
{
    (void)state;
    const double k = 1.0, y = -1.0, cross = 0.5, diagonal = 1.0, draws[4] = {0.1, 0.2, 0.3, -0.1};
    tw_likelihood own = *tw_likelihood_find("probit");
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_draws_predictor *p = NULL;
    tw_predictions out = {0};
    own.tilted = half_tilted;
    assert_int_equal(tw_model_new(ctx, 1, &k, 1, &own, &y, NULL, 0.0, &model), TW_OK);
    tw_draws d = {.ctx = ctx, .n = 1, .chains = 1, .draws = 4, .x = (double *)draws};
    tw_draw_source source = tw_draws_source(&d);
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &p), TW_OK);
    assert_int_equal(tw_draws_predictor_apply(p, 1, &cross, &diagonal, NULL, &y, &out), TW_NUMERICAL_FAILURE);
    tw_draws_predictor_free(p);
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_covariances_at_hand),
        cmocka_unit_test(constants_of_new_inputs),
        cmocka_unit_test(a_failure_is_not_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
