/* Predictions from a Gaussian approximation against the formulas with K^-1, by elimination. */
#include <stdlib.h>
#include <string.h>

#include "approximate/approximate.h"
#include "support/dense.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 36, M = 11, D = 2 };

/* Training points and new ones, and the joint kernel of both; K is its N x N corner. */
typedef struct setting {
    double x[(N + M) * D], y[N];
    double k[N * N], cross[N * M], diagonal[M];
} setting;

static void fill(setting *s, double ell, double white)
{
    test_random random = {77};
    test_normals(&random, (N + M) * D, s->x);
    double *joint = dense_kernel(N + M, D, s->x, ell, 3.0);
    for (size_t j = 0; j < N; j++) {
        s->y[j] = test_uniform(&random) < 0.5 ? -1.0 : 1.0;
        for (size_t i = 0; i < N; i++) s->k[i + j * N] = joint[i + j * (N + M)] + (i == j ? white : 0.0);
    }
    for (size_t j = 0; j < M; j++) {
        s->diagonal[j] = joint[(N + j) * (N + M + 1)] + white;
        for (size_t i = 0; i < N; i++) s->cross[i + j * N] = joint[i + (N + j) * (N + M)];
    }
    free(joint);
}

/* k' K^-1 mu and k** - k' (K^-1 - K^-1 Sigma K^-1) k. */
static void assert_predictions(const setting *s, const tw_approximation *q, const double *mean,
                               const double *variance)
{
    static double weights[N * M];
    dense_gaussian posterior = dense_posterior(N, s->k, q->tau, q->nu);
    dense_solve(N, s->k, M, s->cross, weights);
    for (size_t j = 0; j < M; j++) {
        double sigma_w[N], expected_mean = 0.0, expected = s->diagonal[j];
        const double *w = weights + j * N;
        dense_multiply(N, posterior.sigma, w, sigma_w);
        for (size_t i = 0; i < N; i++) {
            expected_mean += w[i] * posterior.mean[i];
            expected += w[i] * (sigma_w[i] - s->cross[i + j * N]);
        }
        assert_close(mean[j], expected_mean, 1e-10, "predicted mean");
        assert_close(variance[j], expected, 1e-10, "predicted variance");
    }
    dense_free(&posterior);
}

static void predict(const tw_model *model, const tw_approximation *q, size_t columns, const double *from,
                    const double *diagonal, double *mean, double *variance)
{
    tw_predictor *predictor = NULL;
    double *cross = malloc(N * columns * sizeof *cross);
    assert_non_null(cross);
    memcpy(cross, from, N * columns * sizeof *cross);
    assert_int_equal(tw_predictor_new(model, q, &predictor), TW_OK);
    assert_int_equal(tw_predictor_apply(predictor, columns, cross, diagonal, mean, variance), TW_OK);
    tw_predictor_free(predictor);
    free(cross);
}

static void predictions_follow_the_dense_formulas(void **state)
{
    (void)state;
    static setting s;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    double mean[M], variance[M];
    fill(&s, 0.8, 0.1);
    assert_int_equal(
        tw_model_new(ctx, s.k, N, OBSERVED(tw_likelihood_find("probit"), N, s.y, NULL), 0.0, &model), TW_OK);
    for (int kind = 0; kind < 2; kind++) {
        tw_approximation *q = NULL;
        assert_int_equal(kind ? tw_ep_fit(model, NULL, &q) : tw_laplace_fit(model, NULL, &q), TW_OK);
        predict(model, q, M, s.cross, s.diagonal, mean, variance);
        assert_predictions(&s, q, mean, variance);
        tw_approximation_free(q);
    }
    tw_model_free(model);
    tw_context_free(ctx);
}

/* At the training inputs the latent function is x itself; also where K is singular. */
static void training_inputs_give_back_the_marginals(void **state)
{
    (void)state;
    static setting s;
    const double ells[] = {0.8, 12.0};
    for (size_t i = 0; i < 2; i++) {
        tw_context *ctx = new_context();
        tw_model *model = NULL;
        tw_approximation *q = NULL;
        double diagonal[N], mean[N], variance[N];
        fill(&s, ells[i], 0.0);
        for (size_t j = 0; j < N; j++) diagonal[j] = s.k[j + j * N];
        assert_int_equal(
            tw_model_new(ctx, s.k, N, OBSERVED(tw_likelihood_find("logit"), N, s.y, NULL), 0.0, &model),
            TW_OK);
        assert_true(i == 0 || tw_model_describe(model).rank < N);
        assert_int_equal(tw_ep_fit(model, NULL, &q), TW_OK);
        predict(model, q, N, s.k, diagonal, mean, variance);
        for (size_t j = 0; j < N; j++) {
            assert_close(mean[j], q->mean[j], 1e-10, "mean at a training input");
            assert_close(variance[j], q->variance[j], 1e-10, "variance at a training input");
        }
        tw_approximation_free(q);
        tw_model_free(model);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

/* Sites without precision, in part and altogether: what is left is the prior, shifted by nu. */
static void sites_of_precision_zero_do_not_count(void **state)
{
    (void)state;
    static setting s;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    double tau[N], nu[N], mean[M], variance[M];
    fill(&s, 0.8, 0.1);
    assert_int_equal(
        tw_model_new(ctx, s.k, N, OBSERVED(tw_likelihood_find("probit"), N, s.y, NULL), 0.0, &model), TW_OK);
    for (size_t every = 1; every <= 3; every++) { /* 1: all of them are zero */
        tw_approximation *q = NULL;
        for (size_t i = 0; i < N; i++) {
            tau[i] = i % every ? 0.3 + 0.05 * (double)i : 0.0;
            nu[i] = 0.1 * (double)(i % 5) - 0.15;
        }
        assert_int_equal(tw_approximation_from_sites(model, TW_EP, tau, nu, &q), TW_OK);
        predict(model, q, M, s.cross, s.diagonal, mean, variance);
        assert_predictions(&s, q, mean, variance);
        tw_approximation_free(q);
    }
    tw_model_free(model);
    tw_context_free(ctx);
}

/* Where rounding explains more than there is, the variance is 0 and not negative. */
static void no_variance_is_negative(void **state)
{
    (void)state;
    static setting s;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *q = NULL;
    double mean[M], variance[M], less[M];
    fill(&s, 0.8, 0.0);
    assert_int_equal(
        tw_model_new(ctx, s.k, N, OBSERVED(tw_likelihood_find("probit"), N, s.y, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &q), TW_OK);
    predict(model, q, M, s.cross, s.diagonal, mean, variance);
    for (size_t j = 0; j < M; j++) less[j] = s.diagonal[j] - variance[j] - 1e-15;
    predict(model, q, M, s.cross, less, mean, variance);
    for (size_t j = 0; j < M; j++) assert_true(variance[j] >= 0.0 && variance[j] < 1e-14);
    tw_approximation_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* One input at a time gives the bits of a batch of the same size, and batches may be of any size. */
static void batches_do_not_matter(void **state)
{
    (void)state;
    static setting s;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *q = NULL;
    double mean[M], variance[M], one_mean, one_variance;
    fill(&s, 0.8, 0.1);
    assert_int_equal(
        tw_model_new(ctx, s.k, N, OBSERVED(tw_likelihood_find("probit"), N, s.y, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &q), TW_OK);
    predict(model, q, M, s.cross, s.diagonal, mean, variance);
    for (size_t j = 0; j < M; j++) {
        predict(model, q, 1, s.cross + j * N, s.diagonal + j, &one_mean, &one_variance);
        assert_close(one_mean, mean[j], 1e-13, "mean");
        assert_close(one_variance, variance[j], 1e-13, "variance");
    }
    tw_approximation_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_follow_the_dense_formulas),
        cmocka_unit_test(training_inputs_give_back_the_marginals),
        cmocka_unit_test(sites_of_precision_zero_do_not_count),
        cmocka_unit_test(no_variance_is_negative),
        cmocka_unit_test(batches_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
