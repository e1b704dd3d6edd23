/* The inner problem of the double loop, one site at a time: at convergence the tilted distribution of s - r
 * and the marginal of q with the new site r have the same mean and variance. */
#include <math.h>

#include "approximate/ep.h"
#include "model/model.h"
#include "support/observe.h"
#include "support/support.h"

/* One update from site (tau, nu) of a marginal N(mean, variance), for outer parameters that are those of N(2, 0.8). */
static void assert_moments_agree(const char *likelihood, double y, double w, double mean, double variance,
                                 double tau, double nu)
{
    const double k = 5.0, outer_precision = 1.0 / 0.8, outer_shift = 2.0 / 0.8;
    double rest_precision = 1.0 / variance - tau, rest_shift = mean / variance - nu,
           s_precision = outer_precision, s_shift = outer_shift;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_tilted t;
    assert_int_equal(
        tw_model_new(ctx, &k, 1, OBSERVED(tw_likelihood_find(likelihood), 1, &y, &w), 0.0, &model), TW_OK);
    tw_ep ep = {.model = model, .outer_precision = &s_precision, .outer_shift = &s_shift};
    assert_true(tw_ep_inner_update(&ep, 0, mean, variance, &tau, &nu));
    double a = outer_precision - tau, p = rest_precision + tau;
    assert_true(a > 0.0 && p > 0.0);
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(model->observed.likelihood, y, w), 0,
                                          (outer_shift - nu) / a, 1.0 / a, &t),
                     TW_OK);
    assert_close(t.mean, (rest_shift + nu) / p, 1e-8, "mean");
    assert_close(t.variance, 1.0 / p, 1e-8, "variance");
    tw_model_free(model);
    tw_context_free(ctx);
}

static void an_inner_update_makes_moments_agree(void **state)
{
    (void)state;
    assert_moments_agree("probit", 1.0, 1.0, 0.3, 2.0, 0.1, 0.2);
    assert_moments_agree("probit", -1.0, 1.0, 1.5, 3.0, 0.0, 0.0);
    assert_moments_agree("logit", -1.0, 1.0, -4.0, 2.0, 0.3, -1.0);
    assert_moments_agree("poisson", 0.0, 2.5, 0.0, 1.0, 0.2, 0.5);
    assert_moments_agree("poisson", 1.0, 0.3, 1.0, 2.0, 0.0, 0.0);
    assert_moments_agree("gaussian", -1.0, 2.0, 1.0, 2.0, 0.1, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inner_update_makes_moments_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
