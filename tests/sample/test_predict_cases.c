/* Properties of a single new case: its constant, in any block of predictions (E[y] = w exp(m + c/2) is
 * proportional to it), its failure, and the contribution of its draws to the errors of scores. */
#include <math.h>
#include <stdlib.h>

#include "support/observe.h"
#include "support/predict_case.h"
#include "support/support.h"
#include "talweg/diagnose.h"

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
    const double x[N] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, y[N] = {1, 0, 2, 1, 3, 0};
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "se(log_ell=0.2, log_sigma=0.1)");
    tw_data *train = NULL, *at = NULL;
    tw_model *model = NULL;
    tw_draws_predictor *p = NULL;
    fill_constants(w);
    for (size_t i = 0; i < M; i++) z[i] = 5.0 * (double)i / M;
    for (size_t i = 0; i < (size_t)N * DRAWS; i++) draws[i] = sin(0.7 * (double)i);
    assert_int_equal(tw_data_new(ctx, N, 1, x, N, y, &train), TW_OK);
    assert_int_equal(tw_data_new(ctx, M, 1, z, M, NULL, &at), TW_OK);
    assert_int_equal(tw_model_from_data(train, kernel, tw_likelihood_find("poisson"), NULL, 0.0, &model),
                     TW_OK);
    tw_draws d = {.ctx = ctx, .n = N, .chains = 1, .draws = DRAWS, .x = draws};
    tw_draw_source source = tw_draws_source(&d);
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &p), TW_OK);
    for (size_t run = 0; run < 3; run++) {
        size_t first = run == 2 ? 5 : 0;
        tw_predictions out = {.expected = expected[run]};
        if (run == 1) assert_int_equal(tw_data_set_column(at, "exposure", w), TW_OK);
        assert_int_equal(tw_draws_predictor_at(p, kernel, train, at, first, M - first, &out), TW_OK);
    }
    for (size_t i = 0; i < M; i++) assert_close(expected[1][i] / expected[0][i], w[i], 1e-12, "E[y]");
    for (size_t i = 5; i < M; i++)
        assert_close(expected[2][i - 5], expected[1][i], 1e-12 * expected[1][i], "from 5 on");
    tw_draws_predictor_free(p);
    tw_model_free(model);
    tw_data_free(at);
    tw_data_free(train);
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

/* One training case: f* | x_s ~ N(k x_s, 1 - k^2) at distance d, k = exp(-d^2/2), so that P(y = j | x_s) is a difference of two
 * normal distribution functions; cuts -1 and 0. */
static void levels_are_averaged_over_draws(void **state)
{
    (void)state;
    static double z[M], levels[3 * M];
    const double x = 0.0, y = 2.0, cut[4] = {-INFINITY, -1.0, 0.0, INFINITY};
    double draws[DRAWS];
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "se(ell=1, sigma=1)");
    tw_data *train = NULL, *at = NULL;
    tw_model *model = NULL;
    tw_draws_predictor *p = NULL;
    for (size_t i = 0; i < M; i++) z[i] = 4.0 * (double)i / M;
    for (size_t s = 0; s < DRAWS; s++) draws[s] = 2.0 * sin(0.7 * (double)s);
    assert_int_equal(tw_data_new(ctx, 1, 1, &x, 1, &y, &train), TW_OK);
    assert_int_equal(tw_data_new(ctx, M, 1, z, M, NULL, &at), TW_OK);
    assert_int_equal(tw_model_from_data(train, kernel, tw_likelihood_find("ordinal3"), NULL, 0.0, &model),
                     TW_OK);
    tw_draws d = {.ctx = ctx, .n = 1, .chains = 1, .draws = DRAWS, .x = draws};
    tw_draw_source source = tw_draws_source(&d);
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &p), TW_OK);
    tw_predictions out = {.levels = levels};
    assert_int_equal(tw_draws_predictor_at(p, kernel, train, at, 0, M, &out), TW_OK);
    for (size_t i = 0; i < 3 * M; i++) {
        double k = exp(-0.5 * z[i / 3] * z[i / 3]), by = sqrt(0.5 / (2.0 - k * k)), sum = 0.0;
        for (size_t s = 0; s < DRAWS; s++)
            sum +=
                0.5 * (erfc(by * (k * draws[s] - cut[i % 3 + 1])) - erfc(by * (k * draws[s] - cut[i % 3])));
        assert_close(levels[i], sum / DRAWS, 1e-13,
                     "probability of a level"); /* a difference of numbers below 2 */
    }
    tw_draws_predictor_free(p);
    tw_model_free(model);
    tw_data_free(at);
    tw_data_free(train);
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

/* Probit whose probability of +1 cannot be had. */
static tw_status half_tilted(const tw_observations *o, size_t i, double m, double v, tw_tilted *out)
{
    if (o->y[i] > 0.0) return TW_NUMERICAL_FAILURE;
    return tw_likelihood_find("probit")->tilted(o, i, m, v, out);
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
    own.marginal = NULL;
    assert_int_equal(tw_model_new(ctx, &k, 1, OBSERVED(&own, 1, &y, NULL), 0.0, &model), TW_OK);
    tw_draws d = {.ctx = ctx, .n = 1, .chains = 1, .draws = 4, .x = (double *)draws};
    tw_draw_source source = tw_draws_source(&d);
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &p), TW_OK);
    assert_int_equal(tw_draws_predictor_apply(p, &cross, &diagonal, NEW_CASES(1, &y, NULL), &out),
                     TW_NUMERICAL_FAILURE);
    tw_draws_predictor_free(p);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* The first-order error of a log score, with the bias and the growth that leaving out groups shows; series: of mean 1. */
static double jackknifed(double error, size_t groups, const double *without, size_t each,
                         const double *series)
{
    double mean = 0.0, squares = 0.0, first = 0.0, count = (double)groups;
    for (size_t g = 0; g < groups; g++) mean += without[g] / count;
    for (size_t g = 0; g < groups; g++) {
        double of_group = 0.0;
        for (size_t s = g * each; s < (g + 1) * each; s++) of_group += series[s] / (double)each;
        first += (1.0 - of_group) * (1.0 - of_group) / ((count - 1.0) * (count - 1.0));
        squares += (without[g] - mean) * (without[g] - mean);
    }
    return hypot(error * sqrt(fmax(squares / first, 1.0)), (count - 1.0) * mean);
}

/* One training input and S draws x_s: the latent value of new case j is N(r_j x_s, c_j) with r_j = k_j / k, and its
 * observation N(r_j x_s, c_j + 1). The errors of the mean log score and of the root mean square error R are those of the
 * series sum_j p_js / (P_j m) and sum_j (y_j - E_j) r_j x_s / (m R), that of the score with the jackknife's bias and growth. */
static void errors_of_scores_are_those_of_their_series(void **state)
{
    (void)state;
    enum { S = 64, CASES = 3, GROUPS = 8, EACH = S / GROUPS };
    const double k = 2.0, first = 0.3, cross[CASES] = {1.5, -0.4, 0.9}, diagonal[CASES] = {2.0, 2.0, 2.0};
    const double y[CASES] = {0.7, 1.9, -1.1};
    double x[S], score[S] = {0.0}, error[S] = {0.0}, square = 0.0, without[GROUPS] = {0.0};
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_draws_predictor *p = NULL;
    tw_diagnose *diagnose = NULL;
    tw_predictions out = {0};
    for (size_t s = 0; s < S; s++) x[s] = sin(1.3 * (double)s) + 0.2 * cos(0.1 * (double)(s * s));
    for (size_t j = 0; j < CASES; j++) {
        double r = cross[j] / k, variance = diagonal[j] - r * cross[j] + 1.0, mean_p = 0.0, mean = 0.0,
               density[S];
        for (size_t s = 0; s < S; s++) {
            density[s] = exp(-0.5 * (y[j] - r * x[s]) * (y[j] - r * x[s]) / variance);
            mean_p += density[s] / S;
            mean += r * x[s] / S;
        }
        square += (y[j] - mean) * (y[j] - mean) / CASES;
        for (size_t s = 0; s < S; s++) {
            score[s] += density[s] / (mean_p * CASES);
            error[s] += (y[j] - mean) * r * x[s] / CASES;
        }
        for (size_t g = 0; g < GROUPS; g++) {
            double rest = mean_p * S;
            for (size_t s = g * EACH; s < (g + 1) * EACH; s++) rest -= density[s];
            without[g] += log(rest / (S - EACH) / mean_p) / CASES;
        }
    }
    assert_int_equal(
        tw_model_new(ctx, &k, 1, OBSERVED(tw_likelihood_find("gaussian"), 1, &first, NULL), 0.0, &model),
        TW_OK);
    tw_draws d = {.ctx = ctx, .n = 1, .chains = 1, .draws = S, .x = x};
    tw_draw_source source = tw_draws_source(&d);
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &p), TW_OK);
    assert_int_equal(tw_draws_predictor_apply(p, cross, diagonal, NEW_CASES(CASES, y, NULL), &out), TW_OK);
    tw_draws_scores is = tw_draws_predictor_scores(p);
    assert_int_equal(tw_diagnose_new(ctx, S, 1, &diagnose), TW_OK);
    tw_diagnose_load(diagnose, score, S);
    assert_close(is.log_score_mcse, jackknifed(tw_diagnose_mcse_mean(diagnose), GROUPS, without, EACH, score),
                 1e-12, "error of the log score");
    tw_diagnose_load(diagnose, error, S);
    assert_close(is.scores.rmse, sqrt(square), 1e-12, "rmse");
    assert_close(is.rmse_mcse, tw_diagnose_mcse_mean(diagnose) / sqrt(square), 1e-12, "error of the rmse");
    tw_diagnose_free(diagnose);
    tw_draws_predictor_free(p);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* Of three times the last two are bounds: only the first has an error, |y - E|, which is off by what E is off by. */
static void bounds_do_not_count_in_the_error(void **state)
{
    (void)state;
    enum { S = 64, CASES = 3 };
    const double k = 0.5, first = 1.0, cross[CASES] = {0.3, -0.2, 0.4}, diagonal[CASES] = {0.5, 0.5, 0.5};
    const double y[CASES] = {3.0, 0.2, 5.0}, censored[CASES] = {0.0, 1.0, 1.0};
    double x[S], expected[CASES], mcse[CASES];
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_draws_predictor *p = NULL;
    tw_predictions out = {.expected = expected, .mcse = mcse};
    for (size_t s = 0; s < S; s++) x[s] = 0.5 * sin(1.3 * (double)(s * s % 37));
    assert_int_equal(
        tw_model_new(ctx, &k, 1, OBSERVED(tw_likelihood_find("exponential"), 1, &first, NULL), 0.0, &model),
        TW_OK);
    tw_draws d = {.ctx = ctx, .n = 1, .chains = 1, .draws = S, .x = x};
    tw_draw_source source = tw_draws_source(&d);
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &p), TW_OK);
    assert_int_equal(tw_draws_predictor_apply(p, cross, diagonal, NEW_CASES(CASES, y, censored), &out),
                     TW_OK);
    tw_draws_scores is = tw_draws_predictor_scores(p);
    assert_close(is.scores.rmse, fabs(y[0] - expected[0]), 1e-12, "error");
    assert_close(is.rmse_mcse, mcse[0], 1e-12, "its error");
    tw_draws_predictor_free(p);
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_covariances_at_hand),
        cmocka_unit_test(constants_of_new_inputs),
        cmocka_unit_test(levels_are_averaged_over_draws),
        cmocka_unit_test(a_failure_is_not_forgotten),
        cmocka_unit_test(errors_of_scores_are_those_of_their_series),
        cmocka_unit_test(bounds_do_not_count_in_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
