/* EP's residual: the largest difference between a tilted and a marginal moment, for means and variances. A
 * single sweep takes given sites and measures their residual; here they are wrong at one site, in one
 * moment. */
#include <math.h>

#include "support/dense.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { N = 12 };

/* The largest gaps by their definition: marginals by elimination, cavities by division of Gaussians. */
static void gaps(const test_problem *p, const double *tau, const double *nu, double *of_mean,
                 double *of_variance)
{
    dense_gaussian q = dense_posterior(N, p->k, tau, nu);
    *of_mean = *of_variance = 0.0;
    for (size_t i = 0; i < N; i++) {
        double v = q.sigma[i + i * N], precision = 1.0 / v - tau[i], shift = q.mean[i] / v - nu[i];
        tw_tilted t;
        assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(tw_likelihood_find("probit"), p->y[i], 1.0), 0,
                                              shift / precision, 1.0 / precision, &t),
                         TW_OK);
        *of_mean = fmax(*of_mean, fabs(t.mean - q.mean[i]) / sqrt(v));
        *of_variance = fmax(*of_variance, fabs(t.variance / v - 1.0));
    }
    dense_free(&q);
}

static double residual_of(tw_model *model, const double *tau, const double *nu)
{
    tw_approximation *ep = NULL;
    tw_ep_options options = TW_EP_DEFAULTS;
    options.max_sweeps = 1;
    options.tau = tau;
    options.nu = nu;
    assert_int_equal(tw_ep_fit(model, &options, &ep), TW_OK);
    assert_false(ep->converged);
    double residual = ep->residual;
    tw_approximation_free(ep);
    return residual;
}

static void it_is_the_largest_gap_of_any_moment(void **state)
{
    (void)state;
    test_problem *p = test_problem_new(N, 31, 1e3);
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    assert_int_equal(
        tw_model_new(ctx, p->k, N, OBSERVED(tw_likelihood_find("probit"), N, p->y, NULL), 0.0, &model),
        TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    assert_true(ep->converged);
    for (int wrong_variance = 0; wrong_variance < 2; wrong_variance++) {
        double tau[N], nu[N], of_mean, of_variance;
        for (size_t i = 0; i < N; i++) {
            tau[i] = ep->tau[i];
            nu[i] = ep->nu[i];
        }
        /* tau + d and nu + d mean have the same mean and a smaller variance. */
        tau[5] += wrong_variance ? 0.2 : 0.0;
        nu[5] += wrong_variance ? 0.2 * ep->mean[5] : 0.1;
        gaps(p, tau, nu, &of_mean, &of_variance);
        assert_true(wrong_variance ? of_variance > 1.1 * of_mean : of_mean > 1.1 * of_variance);
        assert_close(residual_of(model, tau, nu), fmax(of_mean, of_variance), 1e-9, "residual");
    }
    tw_approximation_free(ep);
    tw_model_free(model);
    test_problem_free(p);
    tw_context_free(ctx);
}

static bool note_share(void *user, const tw_progress *p)
{
    double *last = user;
    assert_true(p->share > 0.0 && p->share <= 1.0 && p->done > 0 && p->residual > 0.0);
    assert_true(p->share == 1.0 || p->share > last[0] || last[0] == 1.0);
    last[0] = p->share;
    return false;
}

/* Both tolerances count: with a residual of a half allowed, log Z still has to settle. (Updates of 0.015 are then left
 * out.) */
static void log_z_has_to_settle_too(void **state)
{
    (void)state;
    test_problem *p = test_problem_new(N, 32, 1e3);
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *ep = NULL, *loose = NULL;
    tw_ep_options options = TW_EP_DEFAULTS;
    double last = 1.0;
    options.site_tolerance = 0.5;
    options.user = &last;
    options.on_progress = note_share;
    for (size_t i = 0; i < (size_t)N * N; i++) p->k[i] *= 500.0;
    assert_int_equal(
        tw_model_new(ctx, p->k, N, OBSERVED(tw_likelihood_find("probit"), N, p->y, NULL), 0.0, &model),
        TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    assert_int_equal(tw_ep_fit(model, &options, &loose), TW_OK);
    assert_true(ep->converged && loose->converged && last == 1.0);
    assert_close(loose->log_z, ep->log_z, 1e-4, "log Z");
    tw_approximation_free(ep);
    tw_approximation_free(loose);
    tw_model_free(model);
    test_problem_free(p);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_largest_gap_of_any_moment),
        cmocka_unit_test(log_z_has_to_settle_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
