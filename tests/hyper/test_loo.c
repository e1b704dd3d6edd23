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

/* The sum is withheld, with a warning, where k is above 0.7 at some case, or near it at many. */
static void a_doubtful_sum_is_withheld(void **state)
{
    (void)state;
    enum { CASES = 40 };
    double score[CASES], k[CASES];
    tw_hyper_result r = {.n = CASES, .points = 512, .kept = 16};
    for (size_t i = 0; i < CASES; i++) {
        score[i] = i % 2 ? -1.0 : -2.0;
        k[i] = 0.3;
    }
    tw_leave_one_out loo = tw_hyper_sum_left_out(&r, score, k);
    assert_close(loo.sum, -60.0, 1e-12, "the sum");
    assert_close(loo.se, sqrt(CASES * 10.0 / (CASES - 1.0)), 1e-12, "its error");
    assert_true(loo.doubtful == 0 && r.warnings.count == 0);
    k[3] = k[4] = 0.69; /* two of forty near the limit */
    assert_true(tw_hyper_sum_left_out(&r, score, k).sum == loo.sum && r.warnings.count == 0);
    k[5] = 0.69;
    loo = tw_hyper_sum_left_out(&r, score, k);
    assert_true(isnan(loo.sum) && isnan(loo.se) && loo.doubtful == 0 && r.warnings.count == 1);
    k[3] = k[4] = 0.3;
    k[5] = 0.71;
    loo = tw_hyper_sum_left_out(&r, score, k);
    assert_true(isnan(loo.sum) && isnan(loo.se) && loo.doubtful == 1 && r.warnings.count == 2);
    assert_int_equal(r.warnings.warning[1].code, TW_WARN_LOO);
    assert_true(r.warnings.warning[1].number[0] == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaving_out_is_a_ratio_of_evidences),
                                       cmocka_unit_test(a_doubtful_sum_is_withheld)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
