/* Priors of a problem: read by name, fixed parameters, defaults on the scale of the data, and error
 * messages. */
#include <math.h>
#include <string.h>

#include "support/problem.h"
#include "support/support.h"
#include "talweg/prior.h"

enum { N = 40, D = 3 };

typedef struct posed_prior {
    tw_context *ctx;
    tw_problem *problem;
    tw_priors *priors;
} posed_prior;

/* Inputs of standard deviations scale, 2 scale, 4 scale. */
static posed_prior pose(const char *expression, const char *likelihood, double scale, double y_scale)
{
    posed_prior p = {.ctx = new_context()};
    test_random random = {11};
    double x[N * D], y[N];
    test_normals(&random, N * D, x);
    for (size_t i = 0; i < N; i++)
        y[i] = strcmp(likelihood, "gaussian") == 0 ? y_scale * test_normal(&random) : (i % 2 ? 1.0 : -1.0);
    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < N; i++) x[i + k * N] *= scale * (double)(1 << k);
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood)};
    assert_int_equal(tw_data_new(p.ctx, N, D, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(p.ctx, expression, D, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(p.ctx, &parts, &p.problem), TW_OK);
    assert_int_equal(tw_priors_new(p.problem, &p.priors), TW_OK);
    return p;
}

static void leave(posed_prior *p)
{
    tw_priors_free(p->priors);
    tw_problem_free(p->problem);
    assert_int_equal(tw_context_bytes_in_use(p->ctx), 0);
    tw_context_free(p->ctx);
}

static void priors_are_read_by_name(void **state)
{
    (void)state;
    posed_prior p = pose("se(ard) + matern32(ell=2)", "gaussian", 1.0, 1.0);
    const char *texts[] = {"se.ell~gamma(25, 4)", " log_se.sigma ~ normal( 0 , 1 ) ",
                           "matern32.log_ell ~ student_t(4, 0, 1e0)", "noise ~ half_normal(2)"};
    for (size_t k = 0; k < 4; k++) assert_int_equal(tw_priors_read(p.priors, p.problem, texts[k]), TW_OK);
    const bool has[] = {true, true, true, true, true, false, true};
    for (size_t j = 0; j < 7; j++) assert_true(p.priors->has[j] == has[j]);
    assert_int_equal(p.priors->prior[2].family, TW_PRIOR_GAMMA);
    assert_true(!p.priors->prior[2].of_log && p.priors->prior[2].a[0] == 25.0 &&
                p.priors->prior[2].a[1] == 4.0);
    assert_true(p.priors->prior[3].of_log && p.priors->prior[4].of_log);
    double theta[7], gradient[7] = {0.0}, sum = 0.0, slope;
    tw_problem_get_theta(p.problem, theta);
    double all = tw_priors_log_density(p.priors, p.problem, theta, gradient);
    for (size_t j = 0; j < 7; j++) {
        if (!has[j]) continue;
        sum +=
            tw_prior_log_density(&p.priors->prior[j], tw_problem_parameter(p.problem, j), theta[j], &slope);
        assert_true(gradient[j] == slope);
    }
    assert_close(all, sum, 1e-12, "all");
    leave(&p);
}

static void a_parameter_is_held_where_it_is_or_where_it_shall_be(void **state)
{
    (void)state;
    posed_prior p = pose("se(ard, sigma=3)", "probit", 1.0, 1.0);
    double theta[4];
    assert_int_equal(tw_priors_fix(p.priors, p.problem, "ell = 2"), TW_OK);
    assert_int_equal(tw_priors_fix(p.priors, p.problem, "sigma"), TW_OK);
    tw_problem_get_theta(p.problem, theta);
    for (size_t j = 0; j < 4; j++) {
        assert_true(p.priors->fixed[j]);
        assert_close(theta[j], log(j < 3 ? 2.0 : 3.0), 1e-15, "theta");
    }
    assert_int_equal(tw_priors_fix(p.priors, p.problem, "log_ell.2=-1"), TW_OK);
    tw_problem_get_theta(p.problem, theta);
    assert_true(theta[1] == -1.0);
    leave(&p);
}

/* Ten times larger inputs: ten times longer scales; and amplitudes follow y. */
static void defaults_follow_the_data(void **state)
{
    (void)state;
    double mean[2][5];
    for (size_t large = 0; large < 2; large++) {
        posed_prior p = pose("se(ard)", "gaussian", large ? 10.0 : 1.0, large ? 100.0 : 0.1);
        assert_int_equal(tw_priors_read(p.priors, p.problem, "default"), TW_OK);
        for (size_t j = 0; j < 5; j++) {
            assert_true(p.priors->has[j] && p.priors->prior[j].family == TW_PRIOR_NORMAL &&
                        p.priors->prior[j].of_log);
            mean[large][j] = p.priors->prior[j].a[0];
        }
        leave(&p);
    }
    for (size_t j = 0; j < 3; j++) assert_close(mean[1][j] - mean[0][j], log(10.0), 0.0101, "length");
    assert_close(mean[1][3] - mean[0][3], log(1000.0), 0.0101, "sigma");
    assert_close(mean[0][1] - mean[0][0], log(2.0), 0.5, "an input of twice the spread");
    posed_prior p =
        pose("se(3) + se(2, 3, ard)", "gaussian", 1.0, 0.1); /* leaves that look at some inputs only */
    assert_int_equal(tw_priors_read(p.priors, p.problem, "default"), TW_OK);
    assert_close(p.priors->prior[0].a[0], mean[0][2] - 0.5 * log(3.0), 0.0101, "one input");
    assert_close(p.priors->prior[3].a[0], mean[0][2] + 0.5 * log(2.0 / 3.0), 0.0101,
                 "the second of two inputs");
    leave(&p);
    p = pose("se(ell=2) + white", "probit", 1.0, 1.0);
    assert_int_equal(tw_priors_read(p.priors, p.problem, "white.variance ~ pc(1, 0.1)"), TW_OK);
    assert_int_equal(tw_priors_read(p.priors, p.problem, "default"), TW_OK);
    assert_false(p.priors->has[0]); /* a value that was given is not unknown */
    assert_true(p.priors->has[1] && p.priors->prior[2].family == TW_PRIOR_PC &&
                p.priors->prior[2].a[2] == 0.0);
    leave(&p);
}

/* Nine cases of two inputs, 0, 1, ..., 8 and 3, 5, 3, 5, ..., 3. */
enum { CASES = 9 };

static tw_prior default_of(const char *expression, const char *likelihood, const double *y, size_t j)
{
    tw_context *ctx = new_context();
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood)};
    tw_problem *problem = NULL;
    tw_prior prior;
    double x[2 * CASES];
    for (size_t i = 0; i < CASES; i++) {
        x[i] = (double)i;
        x[i + CASES] = i % 2 ? 5.0 : 3.0;
    }
    assert_int_equal(tw_data_new(ctx, CASES, 2, x, CASES, y, &parts.data), TW_OK);
    if (tw_kernel_parse(ctx, expression, 2, &parts.kernel) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    assert_int_equal(tw_prior_default(problem, j, &prior), TW_OK);
    assert_true(prior.family == TW_PRIOR_NORMAL && prior.of_log && !prior.flat);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return prior;
}

/* y has the mean c = 4 and the standard deviation s = 3: alone or without a constant a term reaches from 0, a standard
 * deviation of 5. The inputs have the variances 60/9 and 80/81, and the mean squares 204/9 and 145/9; of their 36
 * pairs the 19th differs by 3 in the first input. */
static void defaults_are_as_documented(void **state)
{
    (void)state;
    const double v1 = 60.0 / 9.0, v2 = 80.0 / 81.0, q1 = 204.0 / 9.0, q2 = 145.0 / 9.0;
    const double half = 5.0 / sqrt(2.0);
    const struct {
        const char *kernel;
        size_t j;
        double mean, sd;
    } cases[] = {
        {"se(1)", 0, log(3.0), 1.0},
        {"se(1)", 1, log(5.0), 1.0},
        {"se(1)", 2, log(3.0) - 1.0, 1.5},
        {"se(1) + matern32", 1, log(half), 1.0},
        {"se(1) + matern32", 3, log(half), 1.0},
        {"se(1) + constant", 1, log(3.0), 1.0},
        {"se(1) + constant", 2, 2.0 * log(5.0), 2.0},
        {"se(1) + matern32 + constant", 3, log(3.0 / sqrt(2.0)), 1.0},
        {"se(1) + white", 1, log(half), 1.0},
        {"se(1) + white", 2, 2.0 * log(3.0 / sqrt(2.0)), 2.0},
        {"linear", 0, log(5.0 / sqrt(v1 + v2)), 1.0},
        {"linear(2)", 0, log(5.0 / sqrt(v2)), 1.0},
        {"linear(ard)", 0, 0.5 * log(2.0 * v1 / 25.0), 1.0},
        {"linear(ard)", 1, 0.5 * log(2.0 * v2 / 25.0), 1.0},
        {"linear(ard) + se(1)", 0, 0.5 * log(2.0 * v1 / 12.5), 1.0},
        {"linear(ard) + se(1)", 3, log(half), 1.0},
        {"polynomial(degree=3)", 0, log(5.0) - 1.5 * log(2.0 * (q1 + q2)), 1.0},
        {"polynomial(degree=3)", 1, log(q1 + q2), 1.0},
        {"polynomial(ard, degree=3)", 1, 0.5 * log(2.0 * q2 / (0.5 * pow(5.0, 2.0 / 3.0))), 1.0},
        {"polynomial(ard, degree=3)", 2, log(0.5 * pow(5.0, 2.0 / 3.0)), 1.0},
        {"rw1(1)", 0, log(5.0) - 0.5 * log(8.0), 1.0},
        {"rw2(1)", 0, log(5.0) - 1.5 * log(8.0), 1.0},
        {"periodic(1, period=2)", 1, 0.0, 1.0},
    };
    double y[CASES];
    for (size_t i = 0; i < CASES; i++)
        y[i] = 4.0 + (i == 8 ? 0.0 : i % 2 ? 1.0 : -1.0) * 3.0 * sqrt(9.0 / 8.0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tw_prior prior = default_of(cases[k].kernel, "gaussian", y, cases[k].j);
        assert_close(prior.a[0], cases[k].mean, 1e-12, cases[k].kernel);
        assert_true(prior.a[1] == cases[k].sd);
    }
}

/* Alone, a label suggests E[x | y] = y 9/sqrt(10) phi(0)/Phi(0). Of nine, six are 1: their centre is a third of that. */
static void defaults_follow_the_latents_that_labels_suggest(void **state)
{
    (void)state;
    double y[CASES], one = 9.0 / sqrt(10.0) * sqrt(2.0 / acos(-1.0));
    for (size_t i = 0; i < CASES; i++) y[i] = i % 3 ? 1.0 : -1.0;
    assert_close(default_of("se", "probit", y, 1).a[0], log(one), 1e-12, "from 0");
    assert_close(default_of("se + constant", "probit", y, 1).a[0], log(one * sqrt(8.0 / 9.0)), 1e-12,
                 "about a constant");
}

static void a_length_of_all_inputs_has_their_penalised_complexity(void **state)
{
    (void)state;
    posed_prior p = pose("se", "probit", 1.0, 1.0);
    assert_int_equal(tw_priors_read(p.priors, p.problem, "ell ~ pc(1, 0.1)"), TW_OK);
    assert_true(p.priors->prior[0].a[2] == 1.5);
    leave(&p);
    p = pose("se(ard)", "probit", 1.0, 1.0);
    assert_int_equal(tw_priors_read(p.priors, p.problem, "ell.2 ~ pc(1, 0.1)"), TW_OK);
    assert_true(p.priors->prior[1].a[2] == 0.5);
    leave(&p);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"el ~ gamma(1, 2)", "unknown parameter \"el\" (did you mean ell?); choose from: ell, sigma"},
        {"ell gamma(1, 2)", "is not a prior: write one as in 'ell ~ gamma(25, 4)', or default"},
        {"~ gamma(1, 2)", "does not start with the name of a parameter"},
        {"ell ~ gama(1, 2)", "is not a prior: write one as in gamma(25, 4); choose from: normal"},
        {"ell ~ gamma(1 2)", "is not a prior"},
        {"ell ~ gamma(1, 2) x", "is not a prior"},
        {"ell ~ gamma(1)", "gamma takes 2 numbers, gamma(shape, rate), not 1"},
        {"ell ~ gamma(1, 2, 3, 4)", "is not a prior"},
        {"ell ~ gamma(-1, 2)", "number 1 of gamma(shape, rate) must be above 0, not -1"},
        {"ell ~ normal(1e999, 2)", "number 1 of normal(mean, sd) must be finite"},
        {"ell ~ uniform(2, 1)", "low must be below high"},
        {"ell ~ uniform(-2, -1)", "has no density above 0"},
        {"ell ~ pc(1, 1.5)", "alpha of pc(u, alpha) must be below 1"},
        {"log_ell ~ pc(1, 0.5)", "not of its logarithm"},
    };
    posed_prior p = pose("se", "probit", 1.0, 1.0);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(tw_priors_read(p.priors, p.problem, wrong[k][0]), TW_BAD_ARGUMENT);
        if (!strstr(tw_context_message(p.ctx), wrong[k][1]))
            fail_msg("%s: \"%s\"", wrong[k][0], tw_context_message(p.ctx));
        assert_false(p.priors->has[0]);
    }
    assert_int_equal(tw_priors_read(p.priors, p.problem, "ell ~ gamma(1, 2)"), TW_OK);
    assert_int_equal(tw_priors_read(p.priors, p.problem, "ell ~ gamma(1, 2)"), TW_BAD_ARGUMENT);
    assert_int_equal(tw_priors_fix(p.priors, p.problem, "ell=2"), TW_BAD_ARGUMENT);
    assert_int_equal(tw_priors_fix(p.priors, p.problem, "sigma=two"), TW_BAD_ARGUMENT);
    assert_int_equal(tw_priors_fix(p.priors, p.problem, "sgma=2"), TW_BAD_ARGUMENT);
    assert_int_equal(tw_priors_fix(p.priors, p.problem, "sigma=-2"), TW_BAD_ARGUMENT);
    assert_string_equal(tw_context_message(p.ctx), "sigma must be above 0, not -2");
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priors_are_read_by_name),
        cmocka_unit_test(a_parameter_is_held_where_it_is_or_where_it_shall_be),
        cmocka_unit_test(defaults_follow_the_data),
        cmocka_unit_test(defaults_are_as_documented),
        cmocka_unit_test(defaults_follow_the_latents_that_labels_suggest),
        cmocka_unit_test(a_length_of_all_inputs_has_their_penalised_complexity),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
