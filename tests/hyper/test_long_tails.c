/* Priors of any width on cases whose evidence has a closed form at every theta: a few observations with Gaussian noise, and three labels. The
 * integral over theta is a midpoint rule over normal scores of the priors' quantiles, so that it uses no density. For each case, many seeds: z-scores of log p(y) by
 * both estimates and of the means of theta. Their root mean square is near 1, and none is beyond 4.5 errors without a warning.
 * docs/hyperparameters.md has the table of 100 seeds. */
#include <math.h>

#include "support/hyper_case.h"
#include "support/hyper_scores.h"
#include "support/orthants.h"
#include "support/regression.h"
#include "support/support.h"

enum { SIDE = 400 };

typedef struct test_case {
    const char *name;
    size_t n; /* 0: the three labels of orthants.h */
    double x[REGRESSION_CASES], y[REGRESSION_CASES], noise;
    const char *ell, *sigma;
} test_case;

static const test_case cases[] = {
    {"3, normal(0, 1)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 1)",
     "log_sigma ~ normal(0, 1)"},
    {"3, normal(0, 3)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 3)",
     "log_sigma ~ normal(0, 3)"},
    {"3, normal(0, 5)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 5)",
     "log_sigma ~ normal(0, 5)"},
    {"3, normal(0, 20)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 20)",
     "log_sigma ~ normal(0, 20)"},
    {"3, student_t(3, 0, 2)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ student_t(3, 0, 2)",
     "log_sigma ~ student_t(3, 0, 2)"},
    {"3, uniform(-8, 8)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ uniform(-8, 8)",
     "log_sigma ~ uniform(-8, 8)"},
    {"3, of the values",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "ell ~ half_t(2, 3)",
     "sigma ~ half_t(2, 3)"},
    {"3, inv_gamma and pc",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "ell ~ inv_gamma(2, 1)",
     "sigma ~ pc(3, 0.05)"},
    {"3, a small noise, normal(0, 3)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.03,
     "log_ell ~ normal(0, 3)",
     "log_sigma ~ normal(0, 3)"},
    {"10, two modes, normal(0, 2)",
     10,
     {-2.0, -1.6, -1.1, -0.7, -0.2, 0.3, 0.6, 1.1, 1.7, 2.0},
     {-1.1, 0.4, -1.0, 0.3, -0.6, 0.9, -0.3, 1.1, 0.2, 1.5},
     0.35,
     "log_ell ~ normal(0, 2)",
     "log_sigma ~ normal(0, 2)"},
    {"10, two modes, normal(0, 4)",
     10,
     {-2.0, -1.6, -1.1, -0.7, -0.2, 0.3, 0.6, 1.1, 1.7, 2.0},
     {-1.1, 0.4, -1.0, 0.3, -0.6, 0.9, -0.3, 1.1, 0.2, 1.5},
     0.35,
     "log_ell ~ normal(0, 4)",
     "log_sigma ~ normal(0, 4)"},
    {"12, an ordinary case",
     12,
     {-2.0, -1.6, -1.2, -0.8, -0.5, -0.1, 0.2, 0.6, 1.0, 1.4, 1.8, 2.1},
     {-0.9, -1.1, -0.8, -0.7, -0.3, 0.1, 0.2, 0.7, 0.9, 0.8, 1.1, 0.7},
     0.15,
     "log_ell ~ normal(0, 1)",
     "log_sigma ~ normal(0, 1)"},
    {"12, far from the prior",
     12,
     {-2.0, -1.6, -1.2, -0.8, -0.5, -0.1, 0.2, 0.6, 1.0, 1.4, 1.8, 2.1},
     {-90.0, -110.0, -80.0, -70.0, -30.0, 10.0, 20.0, 70.0, 90.0, 80.0, 110.0, 70.0},
     15.0,
     "log_ell ~ normal(0, 1)",
     "log_sigma ~ normal(0, 1)"},
    {"labels, normal(0, 3)", 0, {0.0}, {0.0}, 0.0, "log_ell ~ normal(0, 3)", "log_sigma ~ normal(0, 3)"},
    {"labels, student_t(2, 0, 2)",
     0,
     {0.0},
     {0.0},
     0.0,
     "log_ell ~ student_t(2, 0, 2)",
     "log_sigma ~ student_t(2, 0, 2)"},
    {"labels, uniform(-10, 10)",
     0,
     {0.0},
     {0.0},
     0.0,
     "log_ell ~ uniform(-10, 10)",
     "log_sigma ~ uniform(-10, 10)"},
    {"7, student_t(3, -1, 1) and (4, 0, 3)",
     7,
     {-1.5, -0.9, -0.1, 0.2, 0.8, 1.9, 2.5},
     {1.3, 0.9, 0.2, 0.4, -0.3, -1.2, -0.9},
     0.3,
     "log_ell ~ student_t(3, -1, 1)",
     "log_sigma ~ student_t(4, 0, 3)"},
    {"2, student_t(3, 0, 1)",
     2,
     {0.0, 1.0},
     {0.2, 0.3},
     1.0,
     "log_ell ~ student_t(3, 0, 1)",
     "log_sigma ~ student_t(3, 0, 1)"},
    {"7, uniform and student_t(5, 1, 2)",
     7,
     {-1.5, -0.9, -0.1, 0.2, 0.8, 1.9, 2.5},
     {1.3, 0.9, 0.2, 0.4, -0.3, -1.2, -0.9},
     0.3,
     "log_ell ~ uniform(-6, 12)",
     "log_sigma ~ student_t(5, 1, 2)"},
    {"5, equal inputs in pairs, normal(1, 6)",
     5,
     {0.0, 0.0, 1.0, 1.0, 3.0},
     {0.4, -0.2, 1.0, 1.4, 0.1},
     0.4,
     "log_ell ~ normal(1, 6)",
     "log_sigma ~ normal(-1, 4)"},
};
enum { CASES = sizeof cases / sizeof *cases };

static regression data_of(const test_case *c)
{
    return (regression){c->n, 1, c->x, c->y, c->noise};
}

static tw_problem *pose(size_t number, tw_context *ctx)
{
    const test_case *c = &cases[number];
    regression data = data_of(c);
    return c->n == 0 ? orthants_pose(ctx) : regression_pose(ctx, &data);
}

static tw_priors *priors_of(size_t number, tw_problem *problem)
{
    const test_case *c = &cases[number];
    regression data = data_of(c);
    return c->n == 0 ? hyper_priors(problem, c->ell, c->sigma)
                     : regression_priors(problem, &data, c->ell, c->sigma);
}

/* ---- the truth ---- */

static double log_evidence(const test_case *c, double log_ell, double log_sigma)
{
    const double theta[2] = {log_ell, log_sigma};
    regression data = data_of(c);
    return c->n == 0 ? log(orthants_z(log_ell, log_sigma)) : regression_log_z(&data, theta);
}

static hyper_truth solve(size_t number)
{
    const test_case *c = &cases[number];
    tw_context *ctx = new_context();
    tw_problem *problem = pose(number, ctx);
    tw_priors *priors = priors_of(number, problem);
    static double q[2][SIDE];
    double total = 0.0, sum[2] = {0.0, 0.0}, largest = -INFINITY, density[SIDE];
    const double step = 16.0 / SIDE;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < SIDE; i++) {
            double v = ((double)i + 0.5) * step - 8.0;
            q[k][i] = tw_prior_quantile(&priors->prior[k], tw_problem_parameter(problem, k),
                                        0.5 * erfc(-v / sqrt(2.0)));
            density[i] = exp(-0.5 * v * v) * step / sqrt(2.0 * acos(-1.0));
        }
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            double level = log_evidence(c, q[0][i], q[1][j]);
            if (isnan(level)) continue; /* rounding where sigma is huge; Z is 0 there */
            if (level > largest) {
                double scale = exp(largest - level);
                total *= scale;
                sum[0] *= scale;
                sum[1] *= scale;
                largest = level;
            }
            double w = exp(level - largest) * density[i] * density[j];
            total += w;
            sum[0] += w * q[0][i];
            sum[1] += w * q[1][j];
        }
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return (hyper_truth){.log_z = largest + log(total), .mean = {sum[0] / total, sum[1] / total}};
}

/* ---- scores ---- */

static const char *name(size_t number)
{
    return cases[number].name;
}

static void scores_are_those_of_honest_errors(void **state)
{
    (void)state;
    hyper_scores_check(&(hyper_scored_cases){.count = CASES,
                                             .seeds = 8,
                                             .groups = 2,
                                             .mean_name = {"mean of log ell", "mean of log sigma"},
                                             .chain_name = {"chain, log ell", "chain, log sigma"},
                                             .name = name,
                                             .pose = pose,
                                             .priors = priors_of,
                                             .solve = solve});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_honest_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
