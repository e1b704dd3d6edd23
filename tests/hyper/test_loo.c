/* Leave-one-out predictions on three labels: log p(y_n | the other two) = log p(y) - log p(the other two),
 * both by quadrature of closed forms over theta. */
#include <math.h>

#include "support/orthants.h"
#include "support/support.h"

static double log_normal(double x, double mean, double sd)
{
    double z = (x - mean) / sd;
    return -0.5 * z * z - log(sd) - 0.5 * log(2.0 * acos(-1.0));
}

static double log_prior(double log_ell, double log_sigma)
{
    return log_normal(log_ell, 0.3, 0.8) + log_normal(log_sigma, -0.7, 0.3);
}

/* p(y_i, y_j) = 1/4 + y_i y_j asin(rho_ij) / (2 pi), averaged over the prior. */
static double pair(double distance, double sign)
{
    enum { SIDE = 400 };
    const double step = 16.0 / SIDE;
    double total = 0.0;
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++) {
            double log_ell = -8.0 + i * step, s2 = exp(2.0 * (-8.0 + j * step));
            double rho = s2 * exp(-0.5 * distance * distance * exp(-2.0 * log_ell)) / (s2 + 1.0);
            total += exp(log_prior(log_ell, -8.0 + j * step)) *
                     (0.25 + sign * asin(rho) / (2.0 * acos(-1.0))) * step * step;
        }
    return total;
}

/* 4096 points with 4 particles each: errors of a few thousandths. Where sigma is large, an observation among three matters so
 * much that the weights have no variance: here it is about 1/2. */
static void leaving_out_is_a_ratio_of_evidences(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = NULL;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    double score[3], k[3];
    double log_z = orthants_solve(log_prior).log_z;
    const double exact[3] = {log_z - log(pair(1.3, -1.0)), log_z - log(pair(2.0, -1.0)),
                             log_z - log(pair(0.7, 1.0))};
    o.points = 4096;
    o.starts = 1;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "log_ell ~ normal(0.3, 0.8)"), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "log_sigma ~ normal(-0.7, 0.3)"), TW_OK);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    assert_int_equal(tw_hyper_leave_one_out(problem, r, score, k), TW_OK);
    for (size_t n = 0; n < 3; n++) {
        assert_close(score[n], exact[n], 0.03, "log p(y_n | the others)");
        assert_true(k[n] < 0.7);
    }
    tw_hyper_free(r);
    o.points = 64;
    o.kept = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    assert_int_equal(tw_hyper_leave_one_out(problem, r, score, k), TW_BAD_ARGUMENT);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaving_out_is_a_ratio_of_evidences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
