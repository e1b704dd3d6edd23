/* The constants of a model: those of the observations, also for sites beyond one chunk, the jitter of K, and
 * the normalisation of a density on the range of a singular K. */
#include <math.h>

#include "linalg/vector.h"
#include "model/model.h"
#include "support/observe.h"
#include "support/support.h"

/* More sites than are evaluated together, each with a constant of its own. */
static void every_site_has_its_own_constant(void **state)
{
    (void)state;
    enum { MANY = 600 };
    static double k[MANY * MANY], x[MANY], v[MANY], y[MANY], w[MANY];
    double log_likelihood, expected = 0.0;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *q = NULL;
    tw_target *t = NULL;
    for (size_t i = 0; i < MANY; i++) {
        k[i + i * MANY] = 1.0;
        v[i] = sin((double)i);
        y[i] = (double)(i % 5);
        w[i] = 0.5 + (double)(i % 7);
        expected += y[i] * (v[i] + log(w[i])) - w[i] * exp(v[i]) - lgamma(y[i] + 1.0);
    }
    assert_int_equal(
        tw_model_new(ctx, k, MANY, OBSERVED(tw_likelihood_find("poisson"), MANY, y, w), 0.0, &model), TW_OK);
    assert_int_equal(tw_reference_prior(model, &q), TW_OK);
    assert_int_equal(tw_target_new(model, q, TW_FORM_OPEN, &t), TW_OK);
    tw_target_evaluate(t, 1, v, &(tw_evaluation){.x = x, .log_likelihood = &log_likelihood});
    assert_close(log_likelihood, expected, 1e-12 * fabs(expected), "log likelihood");
    tw_target_free(t);
    tw_reference_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* A jitter is part of K for all that reads K, and not of its factor alone. */
static void the_jitter_is_in_the_matrix_and_in_its_factor(void **state)
{
    (void)state;
    const double k[9] = {2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 1.0}, y[3] = {1.0, -1.0, 1.0},
                 jitter = 0.25;
    double product[9], matrix[9], unit[9], transposed[9];
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    assert_int_equal(
        tw_model_new(ctx, k, 3, OBSERVED(tw_likelihood_find("probit"), 3, y, NULL), jitter, &model), TW_OK);
    tw_gaussian_block(model->prior, 0, 3, 0, 3, matrix);
    for (size_t i = 0; i < 9; i++) unit[i] = i % 4 ? 0.0 : 1.0;
    tw_gaussian_pull_back(model->prior, 3, unit, transposed);
    tw_gaussian_spread(model->prior, 3, transposed, product);
    for (size_t i = 0; i < 9; i++) {
        double expected = k[i] + (i % 4 ? 0.0 : jitter);
        assert_close(matrix[i], expected, 1e-15, "K");
        assert_close(product[i], expected, 1e-15, "L L'");
    }
    tw_model_free(model);
    tw_context_free(ctx);
}

/* K = u u' + w w' with u and w orthogonal: on their plane the prior is N(a; 0, 1) N(b; 0, 1) / (|u| |w|) at a u + b w,
 * a density in two dimensions however many rows there are. */
static void a_density_on_the_range_is_normalised_there(void **state)
{
    (void)state;
    const double u[4] = {1.0, 2.0, -1.0, 0.5}, w[4] = {2.0, -1.0, 1.0, 2.0}, y[4] = {1.0, -1.0, 1.0, 1.0};
    const double a = 0.7, b = -1.3;
    double k[16], x[4], again[4], v[4], density;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *q = NULL;
    tw_target *t = NULL;
    for (size_t i = 0; i < 4; i++) x[i] = a * u[i] + b * w[i];
    for (size_t i = 0; i < 16; i++) k[i] = u[i % 4] * u[i / 4] + w[i % 4] * w[i / 4];
    assert_int_equal(tw_model_new(ctx, k, 4, OBSERVED(tw_likelihood_find("probit"), 4, y, NULL), 0.0, &model),
                     TW_OK);
    assert_int_equal(tw_model_describe(model).rank, 2);
    assert_int_equal(tw_reference_prior(model, &q), TW_OK);
    assert_int_equal(tw_target_new(model, q, TW_FORM_OPEN, &t), TW_OK);
    assert_int_equal(tw_target_set_temperature(t, 0.0), TW_OK);
    tw_target_whiten(t, 1, x, v);
    tw_target_evaluate(t, 1, v, &(tw_evaluation){.x = again, .log_density = &density});
    for (size_t i = 0; i < 4; i++) assert_close(again[i], x[i], 1e-12, "x");
    double lengths = 0.5 * log(tw_dot(4, u, u) * tw_dot(4, w, w));
    assert_close(density, -0.5 * (a * a + b * b) - log(2 * acos(-1.0)) - lengths, 1e-12,
                 "the prior on its range");
    tw_target_free(t);
    tw_reference_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_site_has_its_own_constant),
        cmocka_unit_test(the_jitter_is_in_the_matrix_and_in_its_factor),
        cmocka_unit_test(a_density_on_the_range_is_normalised_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
