/* orthants.c: three labels with an exact evidence; see orthants.h. */
#include "support/orthants.h"

#include <math.h>

#include "support/support.h"

static const double inputs[3] = {0.0, 0.7, 2.0}, labels[3] = {1.0, 1.0, -1.0};

tw_problem *orthants_pose(tw_context *ctx)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("probit")};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, 3, 1, inputs, 3, labels, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, "se", 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

double orthants_z(double log_ell, double log_sigma)
{
    double ell2 = exp(2.0 * log_ell), sigma2 = exp(2.0 * log_sigma), sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            double d = inputs[i] - inputs[j];
            double rho = sigma2 * exp(-0.5 * d * d / ell2) / (sigma2 + 1.0);
            sum += labels[i] * labels[j] * asin(rho);
        }
    return 0.125 + sum / (4.0 * acos(-1.0));
}

double orthants_log_joint(const double *theta, const double *x)
{
    double l[3][3] = {{0.0}}, w[3], sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double d = (inputs[i] - inputs[j]) / exp(theta[0]), v = exp(2.0 * theta[1] - 0.5 * d * d);
            for (int k = 0; k < j; k++) v -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(v) : v / l[j][j];
        }
    for (int i = 0; i < 3; i++) {
        w[i] = x[i];
        for (int k = 0; k < i; k++) w[i] -= l[i][k] * w[k];
        w[i] /= l[i][i];
        sum += -0.5 * w[i] * w[i] - log(l[i][i]) - 0.5 * log(2.0 * acos(-1.0));
        sum += log(0.5 * erfc(-labels[i] * x[i] / sqrt(2.0)));
    }
    return sum;
}

orthants_answer orthants_solve(double (*log_prior)(double log_ell, double log_sigma))
{
    enum { SIDE = 800 };
    const double low = -12.0, step = 24.0 / SIDE;
    double total = 0.0, first[2] = {0.0, 0.0}, second[2] = {0.0, 0.0};
    orthants_answer a;
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++) {
            const double theta[2] = {low + i * step, low + j * step};
            double w = exp(log_prior(theta[0], theta[1])) * orthants_z(theta[0], theta[1]) * step * step;
            total += w;
            for (int k = 0; k < 2; k++) {
                first[k] += w * theta[k];
                second[k] += w * theta[k] * theta[k];
            }
        }
    a.log_z = log(total);
    for (int k = 0; k < 2; k++) {
        a.mean[k] = first[k] / total;
        a.sd[k] = sqrt(second[k] / total - a.mean[k] * a.mean[k]);
    }
    return a;
}
