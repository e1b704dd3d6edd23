/* Ripley's two classes (250 training cases, 1000 test cases): predictions averaged over posterior draws,
 * compared with EP's, which are known to be close on such data. */
#include <stdlib.h>

#include "model/model.h"
#include "support/chain_case.h"
#include "support/observe.h"
#include "support/predict_case.h"
#include "support/support.h"

typedef struct ripley {
    tw_context *ctx;
    tw_data *train, *test;
    tw_kernel *kernel;
    tw_model *model;
    tw_approximation *ep;
    tw_draws *draws;
} ripley;

static tw_data *read_shared(tw_context *ctx, const char *name)
{
    char path[1024];
    tw_data *data = NULL;
    shared_path(name, path, sizeof path);
    assert_int_equal(tw_data_read(ctx, path, NULL, &data), TW_OK);
    assert_int_equal(tw_data_binary_labels(data), TW_OK);
    return data;
}

static ripley ripley_new(void)
{
    ripley r = {.ctx = context_for_shared("data/ripley_synth_test.csv")};
    tw_chains_options options = TW_CHAINS_DEFAULTS;
    r.train = read_shared(r.ctx, "data/ripley_synth_train.csv");
    r.test = read_shared(r.ctx, "data/ripley_synth_test.csv");
    r.kernel = new_kernel(r.ctx, "se(log_ell=-0.7, log_sigma=1.5)");
    assert_int_equal(tw_model_from_data(r.train, r.kernel, tw_likelihood_find("probit"), NULL, 0.0, &r.model),
                     TW_OK);
    assert_int_equal(tw_ep_fit(r.model, NULL, &r.ep), TW_OK);
    options.warmup = 150;
    options.draws = 1500;
    chain_case c = {.posed = {.ctx = r.ctx, .model = r.model, .ep = r.ep}};
    r.draws = chain_case_run(&c, TW_METHOD_HMC, TW_METRIC_EP, &options);
    return r;
}

static void ripley_free(ripley *r)
{
    tw_draws_free(r->draws);
    tw_approximation_free(r->ep);
    tw_model_free(r->model);
    tw_kernel_free(r->kernel);
    tw_data_free(r->test);
    tw_data_free(r->train);
    assert_int_equal(tw_context_bytes_in_use(r->ctx), 0);
    tw_context_free(r->ctx);
}

/* The probabilities of +1 by EP, and its mean log score. */
static double *predict_by_ep(const ripley *r, double *score)
{
    size_t m = r->test->n;
    double *block = malloc(4 * m * sizeof *block);
    tw_predictor *predictor = NULL;
    assert_non_null(block);
    assert_int_equal(tw_predictor_new(r->model, r->ep, &predictor), TW_OK);
    assert_int_equal(tw_predictor_at(predictor, r->kernel, r->train, r->test, block + m, block + 2 * m),
                     TW_OK);
    tw_predictor_free(predictor);
    assert_int_equal(tw_predict_observations(r->ctx, OBSERVED(r->model->observed.likelihood, m, NULL, NULL),
                                             block + m, block + 2 * m, block, NULL),
                     TW_OK);
    assert_int_equal(tw_predict_log_scores(r->ctx,
                                           OBSERVED(r->model->observed.likelihood, m, r->test->y, NULL),
                                           block + m, block + 2 * m, block + 3 * m),
                     TW_OK);
    *score =
        tw_predict_scores(OBSERVED(r->model->observed.likelihood, m, r->test->y, NULL), block, block + 3 * m)
            .log_score;
    return block;
}

/* Measured with 80,000 draws, EP's own error on these cases is up to 0.006, in its tails. */
static void draws_agree_with_ep(void **state)
{
    (void)state;
    ripley r = ripley_new();
    size_t m = r.test->n;
    double ep_score, difference = 0.0, *ep = predict_by_ep(&r, &ep_score);
    predict_columns p = predict_columns_new(m);
    tw_draw_source source = tw_draws_source(r.draws);
    tw_draws_predictor *predictor = NULL;
    assert_int_equal(tw_draws_predictor_new(r.model, &source, NULL, &predictor), TW_OK);
    assert_int_equal(tw_draws_predictor_at(predictor, r.kernel, r.train, r.test, 0, m, &p.at), TW_OK);
    for (size_t j = 0; j < m; j++) {
        assert_true(p.at.mcse[j] < 0.01);
        assert_close(p.at.expected[j], ep[j], 0.008 + 4.0 * p.at.mcse[j], "probability");
        difference += (p.at.expected[j] - ep[j]) / (double)m;
    }
    tw_draws_scores s = tw_draws_predictor_scores(predictor);
    assert_close(difference, 0.0, 0.003, "mean difference");
    assert_close(s.scores.log_score, ep_score, 0.002 + 4.0 * s.log_score_mcse, "mean log score");
    assert_true(s.log_score_mcse < 0.002);
    tw_draws_predictor_free(predictor);
    free(p.memory);
    free(ep);
    ripley_free(&r);
}

/* A part of the cases, from any place on, gives the rows of the whole. */
static void a_part_gives_rows_of_the_whole(void **state)
{
    (void)state;
    enum { FIRST = 491, COUNT = 30 };
    ripley r = ripley_new();
    size_t m = r.test->n;
    predict_columns whole = predict_columns_new(m), part = predict_columns_new(COUNT);
    tw_draw_source source = tw_draws_source(r.draws);
    tw_draws_predictor *predictor = NULL;
    assert_int_equal(tw_draws_predictor_new(r.model, &source, NULL, &predictor), TW_OK);
    assert_int_equal(tw_draws_predictor_at(predictor, r.kernel, r.train, r.test, 0, m, &whole.at), TW_OK);
    assert_int_equal(tw_draws_predictor_at(predictor, r.kernel, r.train, r.test, FIRST, COUNT, &part.at),
                     TW_OK);
    for (size_t j = 0; j < COUNT; j++) {
        assert_close(part.at.expected[j], whole.at.expected[FIRST + j], 1e-10, "probability");
        assert_close(part.at.log_score[j], whole.at.log_score[FIRST + j], 1e-10, "log score");
    }
    assert_int_equal(tw_draws_predictor_at(predictor, r.kernel, r.train, r.test, m - 3, 4, &part.at),
                     TW_BAD_DATA);
    tw_draws_predictor_free(predictor);
    free(whole.memory);
    free(part.memory);
    ripley_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_agree_with_ep),
        cmocka_unit_test(a_part_gives_rows_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
