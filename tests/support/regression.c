/* regression.c: Gaussian regression with an exact evidence; see regression.h. */
#include "support/regression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"

tw_problem *regression_pose(tw_context *ctx, const regression *r)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian")};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, r->n, r->d, r->x, r->n, r->y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, r->d == 1 ? "se" : "se(ard)", r->d, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

tw_priors *regression_priors(tw_problem *problem, const regression *r, const char *ell, const char *sigma)
{
    tw_priors *priors = NULL;
    char fix[40];
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, ell), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, sigma), TW_OK);
    snprintf(fix, sizeof fix, "noise=%.17g", r->noise);
    assert_int_equal(tw_priors_fix(priors, problem, fix), TW_OK);
    return priors;
}

static double covariance(const regression *r, const double *inverse2, double sigma2, size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t k = 0; k < r->d; k++) {
        double d = r->x[i + k * r->n] - r->x[j + k * r->n];
        sum += d * d * inverse2[k];
    }
    return sigma2 * exp(-0.5 * sum) + (i == j ? r->noise * r->noise : 0.0);
}

/* By a Cholesky factor, row by row. */
double regression_log_z(const regression *r, const double *theta)
{
    double l[REGRESSION_CASES][REGRESSION_CASES], w[REGRESSION_CASES], inverse2[REGRESSION_INPUTS], sum = 0.0;
    for (size_t k = 0; k < r->d; k++) inverse2[k] = exp(-2.0 * theta[k]);
    for (size_t i = 0; i < r->n; i++) {
        w[i] = r->y[i];
        for (size_t j = 0; j <= i; j++) {
            double v = covariance(r, inverse2, exp(2.0 * theta[r->d]), i, j);
            for (size_t k = 0; k < j; k++) v -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(v) : v / l[j][j];
        }
        for (size_t k = 0; k < i; k++) w[i] -= l[i][k] * w[k];
        w[i] /= l[i][i];
        sum -= 0.5 * w[i] * w[i] + log(l[i][i]) + 0.5 * log(2.0 * acos(-1.0));
    }
    return sum;
}
