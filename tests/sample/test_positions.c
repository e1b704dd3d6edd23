/* Starting points that a sampler accepts, and its positions after a change of temperature. */

#include "sample/sampler.h"
#include "support/gp_case.h"
#include "support/observe.h"
#include "support/support.h"

enum { N = 4, P = 3 };

/* exp(800) overflows: no density and no metric there, for whatever method. */
static void start_without_density_is_refused(void **state)
{
    (void)state;
    const tw_method methods[] = {TW_METHOD_HMC, TW_METHOD_RMHMC, TW_METHOD_SLICE};
    double k[N * N] = {0.0}, y[N] = {1, 0, 2, 1}, x[N * P] = {0.0};
    tw_context *ctx = new_context();
    tw_model *model;
    tw_reference *q;
    tw_target *target;
    for (size_t i = 0; i < N; i++) k[i + i * N] = 2.0;
    x[N + 2] = 800.0;
    assert_int_equal(
        tw_model_new(ctx, k, N, OBSERVED(tw_likelihood_find("poisson"), N, y, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_reference_prior(model, &q), TW_OK);
    assert_int_equal(tw_target_new(model, q, TW_FORM_OPEN, &target), TW_OK);
    for (size_t m = 0; m < 3; m++) {
        tw_sampler_options o = TW_SAMPLER_DEFAULTS;
        tw_sampler *s;
        o.method = methods[m];
        if (o.method == TW_METHOD_RMHMC) o.metric = TW_METRIC_HESSIAN;
        assert_int_equal(tw_sampler_new(target, &o, P, &s), TW_OK);
        assert_int_equal(tw_sampler_set_positions(s, x), TW_BAD_ARGUMENT);
        tw_sampler_free(s);
    }
    tw_target_free(target);
    tw_reference_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

static void check_density(const tw_target *t, tw_sampler *s, const double *x)
{
    double v[N * P], again[N * P], density[P], likelihood[P];
    tw_evaluation wanted = {.x = again, .log_density = density, .log_likelihood = likelihood};
    tw_target_whiten(t, P, x, v);
    tw_target_evaluate(t, P, v, &wanted);
    for (size_t j = 0; j < P; j++) {
        assert_close(tw_sampler_log_density(s)[j], density[j], 1e-10, "log density");
        assert_close(tw_sampler_log_likelihood(s)[j], likelihood[j], 1e-10, "log likelihood");
    }
    for (size_t i = 0; i < N * P; i++) assert_close(tw_sampler_positions(s)[i], x[i], 1e-11, "x");
}

/* Positions stay where they are, and the densities are those of the new temperature: for targets whose base
 * changes with it, too. */
static void check_refresh(tw_method method, tw_metric metric, gp_form form)
{
    gp_setting setting = {.n = N, .seed = 3, .cond = 50, .scale = 2, .form = form, .beta = 1.0};
    gp_case gp = gp_case_new(&setting);
    const double betas[] = {0.5, 0.1, 1.0};
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s;
    double x[N * P];
    test_random random = {6};
    test_normals(&random, N * P, x);
    o.method = method;
    o.metric = metric;
    assert_int_equal(tw_sampler_new(gp.target, &o, P, &s), TW_OK);
    assert_int_equal(tw_sampler_set_positions(s, x), TW_OK);
    check_density(gp.target, s, x);
    for (size_t b = 0; b < 3; b++) {
        assert_int_equal(tw_target_set_temperature(gp.target, betas[b]), TW_OK);
        tw_sampler_refresh(s);
        check_density(gp.target, s, x);
    }
    tw_sampler_free(s);
    gp_case_free(&gp);
}

static void refresh_follows_the_temperature(void **state)
{
    (void)state;
    const gp_form forms[] = {GP_PRIOR, GP_OPEN, GP_FOLDED, GP_DENSE};
    for (size_t f = 0; f < 4; f++) {
        check_refresh(TW_METHOD_HMC, TW_METRIC_PRIOR, forms[f]);
        check_refresh(TW_METHOD_HMC, TW_METRIC_IDENTITY, forms[f]);
        check_refresh(TW_METHOD_SLICE, TW_METRIC_PRIOR, forms[f]);
        check_refresh(TW_METHOD_RMHMC, TW_METRIC_HESSIAN, forms[f]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_without_density_is_refused),
        cmocka_unit_test(refresh_follows_the_temperature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
