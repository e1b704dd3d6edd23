/* Predictions at new inputs against closed forms; expectations, log scores and calibration against hand
 * computation. */
#include <math.h>

#include "support/observe.h"
#include "support/support.h"
#include "talweg/approximate.h"

static const double pi = 3.14159265358979323846;

/* With a Gaussian likelihood and one training case everything is a formula: k = k(a, z), s2 = k(a, a) +
 * noise, mean = k y / s2, variance = k** - k^2 / s2. More new inputs than two batches hold. */
static void many_inputs_one_formula(void **state)
{
    (void)state;
    enum { M = 2 * TW_PREDICT_BATCH + 7 };
    static double z[M], mean[M], variance[M];
    const double a = 0.3, y = 1.7, noise = 0.4, log_noise = log(noise), log_ell = -0.2;
    tw_context *ctx = new_context();
    tw_kernel *kernel =
        new_kernel(ctx, "se(log_ell=-0.2, log_sigma=0.5) + constant(variance=0.2) + white(variance=0.05)");
    tw_data *train = NULL, *at = NULL;
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    tw_predictor *predictor = NULL;
    for (size_t i = 0; i < M; i++) z[i] = -3.0 + 6.0 * (double)i / M;
    assert_int_equal(tw_data_new(ctx, 1, 1, &a, 1, &y, &train), TW_OK);
    assert_int_equal(tw_data_new(ctx, M, 1, z, M, NULL, &at), TW_OK);
    assert_int_equal(
        tw_model_from_data(train, kernel, tw_likelihood_find("gaussian"), &log_noise, 0.0, &model), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    assert_int_equal(tw_predictor_new(model, ep, &predictor), TW_OK);
    assert_int_equal(tw_predictor_at(predictor, kernel, train, at, mean, variance), TW_OK);
    double prior = exp(1.0) + 0.2 + 0.05, s2 = prior + noise * noise;
    for (size_t i = 0; i < M; i++) {
        double scaled = (z[i] - a) / exp(log_ell), k = exp(1.0) * exp(-0.5 * scaled * scaled) + 0.2;
        assert_close(mean[i], k * y / s2, 1e-9, "mean");
        assert_close(variance[i], prior - k * k / s2, 1e-9, "variance");
    }
    at->d = 2; /* another number of inputs is refused */
    assert_int_equal(tw_predictor_at(predictor, kernel, train, at, mean, variance), TW_BAD_DATA);
    at->d = 1;
    tw_predictor_free(predictor);
    tw_approximation_free(ep);
    tw_model_free(model);
    tw_data_free(at);
    tw_data_free(train);
    tw_kernel_free(kernel);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static void expectations_follow_their_formulas(void **state)
{
    (void)state;
    enum { M = 4 };
    const double mean[M] = {0.0, 1.2, -2.0, 30.0}, variance[M] = {1.0, 0.3, 4.0, 0.0},
                 w[M] = {1.0, 2.0, 0.5, 3.0};
    double expected[M], sd[M];
    tw_context *ctx = new_context();
    const tw_likelihood *probit = tw_likelihood_find("probit");
    assert_int_equal(
        tw_predict_observations(ctx, OBSERVED(probit, M, NULL, NULL), mean, variance, expected, sd), TW_OK);
    for (size_t i = 0; i < M; i++) {
        double p = normal_cdf(mean[i] / sqrt(1.0 + variance[i]));
        assert_close(expected[i], p, 1e-14, "probit");
        assert_close(sd[i], 2.0 * sqrt(p * (1.0 - p)), 1e-12, "sd of a label");
    }
    const tw_likelihood *poisson = tw_likelihood_find("poisson"), *gaussian = tw_likelihood_find("gaussian");
    assert_int_equal(
        tw_predict_observations(ctx, OBSERVED(poisson, M - 1, NULL, w), mean, variance, expected, sd), TW_OK);
    for (size_t i = 0; i < M - 1; i++) {
        double rate = w[i] * exp(mean[i] + variance[i] / 2);
        assert_close(expected[i] / rate, 1.0, 1e-14, "rate");
        assert_close(sd[i] * sd[i] / (rate + rate * rate * (exp(variance[i]) - 1.0)), 1.0, 1e-12,
                     "var of a count");
    }
    assert_int_equal(
        tw_predict_observations(ctx, OBSERVED(gaussian, M, NULL, w), mean, variance, expected, NULL), TW_OK);
    assert_memory_equal(expected, mean, sizeof mean);
    assert_int_equal(
        tw_predict_observations(ctx, OBSERVED(gaussian, M, NULL, w), mean, variance, expected, sd), TW_OK);
    for (size_t i = 0; i < M; i++)
        assert_close(sd[i] * sd[i], variance[i] + w[i] * w[i], 1e-14, "var of a real observation");
    tw_likelihood own = *poisson;
    own.expect = NULL;
    own.predict = NULL;
    assert_int_equal(tw_predict_observations(ctx, OBSERVED(&own, M, NULL, w), mean, variance, expected, sd),
                     TW_BAD_ARGUMENT);
    assert_true(probit->two_classes && tw_likelihood_find("logit")->two_classes);
    assert_false(poisson->two_classes || gaussian->two_classes);
    tw_context_free(ctx);
}

static void log_scores_follow_their_formulas(void **state)
{
    (void)state;
    enum { M = 3 };
    const double mean[M] = {0.5, -40.0, 3.0}, variance[M] = {2.0, 1.0, 0.0}, w[M] = {0.3, 2.0, 1.5};
    const double y[M] = {1.5, -38.0, 2.0}, label[M] = {-1.0, 1.0, 1.0};
    double score[M];
    tw_context *ctx = new_context();
    const tw_likelihood *gaussian = tw_likelihood_find("gaussian"), *probit = tw_likelihood_find("probit");
    assert_int_equal(tw_predict_log_scores(ctx, OBSERVED(gaussian, M, y, w), mean, variance, score), TW_OK);
    for (size_t i = 0; i < M; i++) {
        double total = variance[i] + w[i] * w[i], error = y[i] - mean[i];
        assert_close(score[i], -0.5 * (log(2.0 * pi * total) + error * error / total), 1e-12, "gaussian");
    }
    assert_int_equal(tw_predict_log_scores(ctx, OBSERVED(probit, M, label, NULL), mean, variance, score),
                     TW_OK);
    assert_close(score[0], log(normal_cdf(-0.5 / sqrt(3.0))), 1e-13, "probit");
    /* log Phi(-40 / sqrt 2) by its asymptotic series, far beyond where Phi itself is a normal number */
    double t = 40.0 / sqrt(2.0), tail = 1.0 - 1.0 / (t * t) + 3.0 / pow(t, 4) - 15.0 / pow(t, 6);
    assert_close(score[1], -0.5 * t * t - log(t * sqrt(2.0 * pi)) + log(tail), 1e-6, "probit in the tail");
    assert_close(score[2], log(normal_cdf(3.0)), 1e-15, "probit without variance");
    tw_context_free(ctx);
}

static void scores_by_hand(void **state)
{
    (void)state;
    enum { M = 6 };
    const double p[M] = {0.05, 0.5, 0.95, 1.0, 0.61, 0.69}, y[M] = {-1, 1, -1, 1, 1, -1};
    double log_score[M];
    for (size_t i = 0; i < M; i++) log_score[i] = log(y[i] > 0 ? p[i] : 1 - p[i]);
    tw_scores s = tw_predict_scores(OBSERVED(tw_likelihood_find("logit"), M, y, NULL), p, log_score);
    assert_int_equal(s.cases, M);
    assert_close(s.error_rate, 2.5 / 6.0, 1e-15, "0.95 and 0.69 are wrong, 0.5 half");
    assert_close(s.log_score, (log(0.95) + log(0.5) + log(0.05) + log(0.61) + log(0.31)) / 6.0, 1e-15,
                 "score");
    assert_int_equal(s.bin[9].cases, 2); /* 1 belongs to the last bin */
    assert_close(s.bin[9].predicted, 0.975, 1e-15, "predicted");
    assert_close(s.bin[9].observed, 0.5, 1e-15, "observed");
    assert_int_equal(s.bin[6].cases, 2);
    assert_close(s.bin[6].predicted, 0.65, 1e-15, "predicted");
    assert_int_equal(s.bin[5].cases, 1);
    assert_int_equal(s.bin[0].cases, 1);
    assert_true(s.bin[1].cases == 0 && isnan(s.bin[1].predicted) && isnan(s.bin[1].observed) &&
                isnan(s.rmse));
    const double counts[2] = {3, 5}, rates[2] = {2, 7}, scores[2] = {-1, -2};
    s = tw_predict_scores(OBSERVED(tw_likelihood_find("poisson"), 2, counts, NULL), rates, scores);
    assert_close(s.rmse, sqrt(2.5), 1e-15, "rmse");
    assert_close(s.log_score, -1.5, 0.0, "score of counts");
    assert_true(isnan(s.error_rate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_inputs_one_formula),
        cmocka_unit_test(expectations_follow_their_formulas),
        cmocka_unit_test(log_scores_follow_their_formulas),
        cmocka_unit_test(scores_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
