/* The behaviour of predictions from draws: the same numbers for any order of requests, bounded memory, scores
 * with correct errors; and refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample/predict.h"
#include "support/cloglog.h"
#include "support/observe.h"
#include "support/predict_case.h"
#include "support/support.h"

enum { COLUMNS = 10 };

static void fill_labels(size_t m, double *y)
{
    for (size_t j = 0; j < m; j++) y[j] = j % 3 ? 1.0 : -1.0;
}

/* Two columns more than two blocks of new inputs, draws in more than one block of a chain, averaged in batches:
 * to the bit for any number of threads and whether or not the draws are kept; to rounding for any batches. */
static void neither_threads_nor_blocks_matter(void **state)
{
    (void)state;
    enum { N = 8, MOST = 2 * TW_PREDICT_POINTS + 2, CHAINS = 2, DRAWS = TW_PREDICT_DRAWS + 47 };
    static const char *const names[] = {"probit", "logit"};
    static double y[MOST];
    fill_labels(MOST, y);
    for (size_t l = 0; l < 2; l++) {
        size_t m = l ? TW_PREDICT_TILE + 2 : MOST; /* quadrature is slow */
        predict_case c = predict_case_new(names[l], N, m, 0.9, 2.0, 1.0);
        predict_case_draw_prior(&c, CHAINS, DRAWS, 3);
        predict_columns first = predict_case_run(&c, NULL, 0, NULL, y);
        const tw_draws_predictor_options options[] = {{2, 1 << 28, true}, {1, 0, true}, {3, 0, true}};
        for (size_t i = 0; i < 3; i++) {
            predict_columns again = predict_case_run(&c, &options[i], 0, NULL, y);
            assert_memory_equal(again.memory, first.memory, COLUMNS * m * sizeof *first.memory);
            free(again.memory);
        }
        const size_t batches[] = {1, 7, TW_PREDICT_POINTS, m - 1};
        for (size_t i = 0; i < 4; i++) {
            predict_columns again = predict_case_run(&c, NULL, batches[i], NULL, y);
            for (size_t k = 0; k < COLUMNS * m;
                 k++) /* a variance that rounding leaves of 0 is one of 1e-8 squared,
                                                        and moves the quantiles, the last three, by as much */
                assert_close(again.memory[k], first.memory[k], k < 7 * m ? 1e-12 : 1e-7, "another batch");
            free(again.memory);
        }
        free(first.memory);
        predict_case_free(&c);
    }
}

/* What is at most in use, beside the model, for m new inputs and S draws. */
static size_t peak(size_t n, size_t m, size_t draws, size_t bytes)
{
    predict_case c = predict_case_new("probit", n, m, 0.9, 2.0, 1.0);
    tw_draws_predictor_options options = {1, bytes, false};
    predict_case_draw_prior(&c, 2, draws, 7);
    size_t before = tw_context_bytes_in_use(c.ctx);
    predict_columns p = predict_case_run(&c, &options, 0, NULL, NULL);
    size_t most = tw_context_bytes_peak(c.ctx);
    free(p.memory);
    predict_case_free(&c);
    return most - before;
}

/* The bound of predict.h, and no growth with either. */
static void memory_does_not_grow(void **state)
{
    (void)state;
    enum { N = 60, T = 4096, MOST = 8 * (2048 * N + 512 * (2 * N + 2 * T + 1024 + 1800) + 20 * T + 80000) };
    size_t few = peak(N, 600, 3000, 0);
    assert_true(few <= MOST);
    assert_int_equal(peak(N, 1100, 3000, 0), few);
    assert_int_equal(peak(N, 600, 6000, 0), few);
    assert_true(peak(N, 600, 6000, 1 << 28) > few);
    assert_true(peak(N, 600, 6000, 1 << 28) < few + 8 * N * 12000 + 1);
}

/* The mean log score and the root mean square error of a fixed test set, over 200 independent sets of draws:
 * their standard deviation is what the reported error says, to 20 % (its own error is 5 %). */
static void scores_have_the_errors_they_say(void **state)
{
    (void)state;
    enum { N = 6, M = 9, REPEATS = 200 };
    predict_case c = predict_case_new("gaussian", N, M, 1.4, 1.1, 0.8);
    double y[M], score[REPEATS], rmse[REPEATS], said[2] = {0.0, 0.0}, mean[2] = {0.0, 0.0},
                                                square[2] = {0.0, 0.0};
    for (size_t j = 0; j < M; j++) y[j] = 0.5 * (double)j - 2.0;
    for (size_t r = 0; r < REPEATS; r++) {
        tw_draws_predictor *predictor = NULL;
        tw_predictions none = {0};
        predict_case_draw_ep(&c, 4, 100, 1000 + r);
        tw_draw_source source = tw_draws_source(&c.draws);
        assert_int_equal(tw_draws_predictor_new(c.model, &source, NULL, &predictor), TW_OK);
        assert_int_equal(
            tw_draws_predictor_apply(predictor, c.cross, c.diagonal, NEW_CASES(4, y, NULL), &none), TW_OK);
        assert_int_equal(tw_draws_predictor_apply(predictor, c.cross + 4 * N, c.diagonal + 4,
                                                  NEW_CASES(M - 4, y + 4, NULL), &none),
                         TW_OK);
        tw_draws_scores s = tw_draws_predictor_scores(predictor);
        assert_int_equal(s.scores.cases, M);
        assert_true(isnan(s.error_rate_mcse));
        score[r] = s.scores.log_score;
        rmse[r] = s.scores.rmse;
        said[0] += s.log_score_mcse / REPEATS;
        said[1] += s.rmse_mcse / REPEATS;
        tw_draws_predictor_free(predictor);
    }
    for (size_t r = 0; r < REPEATS; r++) {
        mean[0] += score[r] / REPEATS;
        mean[1] += rmse[r] / REPEATS;
    }
    for (size_t r = 0; r < REPEATS; r++) {
        square[0] += (score[r] - mean[0]) * (score[r] - mean[0]) / (REPEATS - 1);
        square[1] += (rmse[r] - mean[1]) * (rmse[r] - mean[1]) / (REPEATS - 1);
    }
    assert_close(said[0] / sqrt(square[0]), 1.0, 0.2, "error of the log score");
    assert_close(said[1] / sqrt(square[1]), 1.0, 0.2, "error of the root mean square error");
    predict_case_free(&c);
}

/* Labels that were thought improbable: few draws make their probabilities, and the score is too low in the mean. The root mean square of its
 * distance from the score of 200,000 draws is what the reported error says, to 20 % (its own error is 5 %); by first order alone it is 1.7 of it. */
static void scores_of_surprises_have_the_errors_they_say(void **state)
{
    (void)state;
    enum { N = 6, M = 3, REPEATS = 200 };
    predict_case c = predict_case_new("gaussian", N, M, 1.4, 3.0, 0.3);
    double y[M], square = 0.0, said = 0.0, exact = 0.0;
    for (size_t j = 0; j < M; j++) y[j] = 12.0;
    for (size_t r = 0; r <= REPEATS; r++) {
        tw_draws_predictor *predictor = NULL;
        tw_predictions none = {0};
        predict_case_draw_ep(&c, r == 0 ? 100 : 8, r == 0 ? 2000 : 64, 1000 + r);
        tw_draw_source source = tw_draws_source(&c.draws);
        tw_draws_predictor_options options = TW_DRAWS_PREDICTOR_DEFAULTS;
        options.plain = true;
        assert_int_equal(tw_draws_predictor_new(c.model, &source, &options, &predictor), TW_OK);
        assert_int_equal(
            tw_draws_predictor_apply(predictor, c.cross, c.diagonal, NEW_CASES(M, y, NULL), &none), TW_OK);
        tw_draws_scores s = tw_draws_predictor_scores(predictor);
        if (r == 0) exact = s.scores.log_score;
        if (r > 0) square += (s.scores.log_score - exact) * (s.scores.log_score - exact) / REPEATS;
        if (r > 0) said += s.log_score_mcse * s.log_score_mcse / REPEATS;
        tw_draws_predictor_free(predictor);
    }
    assert_close(sqrt(square / said), 1.0, 0.2, "error of the log score");
    predict_case_free(&c);
}

/* Scores of two classes are those of tw_predict_scores; the error rate's error counts the cases near 1/2. */
static void binary_scores_are_the_usual_ones(void **state)
{
    (void)state;
    enum { N = 7, M = 40 };
    predict_case c = predict_case_new("probit", N, M, 0.9, 1.5, 1.0);
    tw_draws_predictor *predictor = NULL;
    double y[M], variance = 0.0;
    fill_labels(M, y);
    predict_case_draw_ep(&c, 4, 200, 5);
    predict_columns p = predict_columns_new(M);
    tw_draw_source source = tw_draws_source(&c.draws);
    assert_int_equal(tw_draws_predictor_new(c.model, &source, NULL, &predictor), TW_OK);
    assert_int_equal(tw_draws_predictor_apply(predictor, c.cross, c.diagonal, NEW_CASES(M, y, NULL), &p.at),
                     TW_OK);
    tw_draws_scores s = tw_draws_predictor_scores(predictor);
    tw_scores plain =
        tw_predict_scores(OBSERVED(tw_likelihood_find("probit"), M, y, NULL), p.at.expected, p.at.log_score);
    assert_close(s.scores.log_score, plain.log_score, 1e-13, "log score");
    assert_close(s.scores.error_rate, plain.error_rate, 1e-13, "error rate");
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++)
        assert_int_equal(s.scores.bin[b].cases, plain.bin[b].cases);
    for (size_t j = 0; j < M; j++) {
        double q = 0.5 * erfc(fabs(p.at.expected[j] - 0.5) / p.at.mcse[j] / sqrt(2.0));
        variance += q * (1.0 - q);
    }
    assert_close(s.error_rate_mcse, sqrt(variance) / M, 1e-13, "error of the error rate");
    assert_true(isnan(s.rmse_mcse) && s.log_score_mcse > 0.0);
    tw_draws_predictor_free(predictor);
    free(p.memory);
    predict_case_free(&c);
}

/* Labels that no draw thinks possible to double precision still have a score; draws that agree have no error,
 * too few draws an unknown one. */
static void extremes_have_answers(void **state)
{
    (void)state;
    predict_case c = predict_case_new("probit", 1, 1, 1.0, 100.0, 1.0);
    double y = -1.0;
    predict_case_draw_prior(&c, 2, 50, 3);
    c.cross[0] = c.k[0];
    for (size_t s = 0; s < 100; s++) c.draws.x[s] = 60.0 + 0.01 * (double)(s % 7);
    predict_columns p = predict_case_run(&c, NULL, 0, NULL, &y);
    assert_close(p.at.log_score[0], -1805.0, 5.0, "log Phi(-60)");
    assert_true(p.at.log_score_mcse[0] > 0.0);
    assert_true(p.at.mcse[0] == 0.0 && p.at.expected[0] == 1.0);
    free(p.memory);
    c.draws.draws = 3;
    p = predict_case_run(&c, NULL, 0, NULL, &y);
    assert_true(isnan(p.at.mcse[0]));
    free(p.memory);
    predict_case_free(&c);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    predict_case c = predict_case_new("poisson", 3, 2, 1.0, 1.0, 1.0);
    tw_draws_predictor *predictor = NULL;
    tw_predictions none = {0};
    const double w[] = {1.0, -1.0}, y[] = {1.0, 0.5};
    predict_case_draw_prior(&c, 1, 20, 3);
    tw_draw_source source = tw_draws_source(&c.draws), other = source;
    other.n = 4;
    assert_int_equal(tw_draws_predictor_new(c.model, &other, NULL, &predictor), TW_BAD_ARGUMENT);
    other = source;
    other.draws = 0;
    assert_int_equal(tw_draws_predictor_new(c.model, &other, NULL, &predictor), TW_BAD_ARGUMENT);
    assert_null(predictor);
    c.draws.x[7] = NAN;
    assert_int_equal(tw_draws_predictor_new(c.model, &source, NULL, &predictor), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(c.ctx), "draw 3 of chain 1"));
    c.draws.x[7] = 0.1;
    assert_int_equal(tw_draws_predictor_new(c.model, &source, NULL, &predictor), TW_OK);
    assert_int_equal(tw_draws_predictor_apply(predictor, c.cross, c.diagonal, NEW_CASES(2, NULL, w), &none),
                     TW_BAD_DATA);
    assert_int_equal(tw_draws_predictor_apply(predictor, c.cross, c.diagonal, NEW_CASES(2, y, NULL), &none),
                     TW_BAD_DATA);
    tw_draws_predictor_free(predictor);
    predict_case_free(&c);
}

/* A likelihood of one's own: two classes are predicted, others only where it says what to expect. */
static void own_likelihoods(void **state)
{
    (void)state;
    double k = 2.0, y = 1.0, x[40], expected = 0.0, diagonal = 2.0;
    tw_likelihood counts = *tw_likelihood_find("poisson");
    counts.expect = NULL;
    counts.predict = NULL;
    const tw_likelihood *mine[] = {&cloglog_likelihood, &counts};
    for (size_t l = 0; l < 2; l++) {
        tw_context *ctx = new_context();
        tw_model *model = NULL;
        tw_draws_predictor *predictor = NULL;
        tw_predictions out = {.expected = &expected};
        for (size_t s = 0; s < 40; s++) x[s] = 0.1 * (double)s - 2.0;
        tw_draws draws = {.ctx = ctx, .n = 1, .chains = 1, .draws = 40, .x = x};
        tw_draw_source source = tw_draws_source(&draws);
        assert_int_equal(tw_model_new(ctx, &k, 1, OBSERVED(mine[l], 1, &y, NULL), 0.0, &model), TW_OK);
        tw_status status = tw_draws_predictor_new(model, &source, NULL, &predictor);
        assert_int_equal(status, l ? TW_BAD_ARGUMENT : TW_OK);
        if (status == TW_OK) {
            double average = 0.0;
            for (size_t s = 0; s < 40; s++) average += -expm1(-exp(x[s])) / 40.0;
            assert_int_equal(
                tw_draws_predictor_apply(predictor, &k, &diagonal, NEW_CASES(1, NULL, NULL), &out), TW_OK);
            assert_close(expected, average, 1e-12, "probability of +1");
        }
        tw_draws_predictor_free(predictor);
        tw_model_free(model);
        tw_context_free(ctx);
    }
}

/* The n-th allocation fails, for every n, and nothing leaks. */
static void no_memory_is_an_answer(void **state)
{
    (void)state;
    double k = 2.0, y = 1.0, x[24] = {0.0};
    tw_status status = TW_NO_MEMORY;
    for (size_t n = 1; status != TW_OK; n++) {
        failing_allocator allocator = {0, 0};
        tw_context *ctx = failing_context(&allocator);
        tw_model *model = NULL;
        tw_data *data = NULL;
        tw_draws_predictor *predictor = NULL;
        tw_predictions none = {0};
        assert_int_equal(
            tw_model_new(ctx, &k, 1, OBSERVED(tw_likelihood_find("logit"), 1, &y, NULL), 0.0, &model), TW_OK);
        assert_int_equal(tw_data_new(ctx, 1, 1, x, 1, &y, &data), TW_OK);
        tw_kernel *kernel = new_kernel(ctx, "se");
        tw_draws draws = {.ctx = ctx, .n = 1, .chains = 2, .draws = 12, .x = x};
        tw_draw_source source = tw_draws_source(&draws);
        size_t before = tw_context_bytes_in_use(ctx);
        allocator.fail_at = allocator.calls + n;
        status = tw_draws_predictor_new(model, &source, NULL, &predictor);
        if (status == TW_OK) status = tw_draws_predictor_at(predictor, kernel, data, data, 0, 1, &none);
        assert_true(status == TW_OK || status == TW_NO_MEMORY);
        tw_draws_predictor_free(predictor);
        assert_int_equal(tw_context_bytes_in_use(ctx), before);
        tw_kernel_free(kernel);
        tw_data_free(data);
        tw_model_free(model);
        tw_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neither_threads_nor_blocks_matter),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(scores_have_the_errors_they_say),
        cmocka_unit_test(scores_of_surprises_have_the_errors_they_say),
        cmocka_unit_test(binary_scores_are_the_usual_ones),
        cmocka_unit_test(extremes_have_answers),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(own_likelihoods),
        cmocka_unit_test(no_memory_is_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
