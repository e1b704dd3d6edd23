/* Posteriors of parameters with lobes (support/lobes.h, and two of more rows or parameters) that were wrong without a
 * warning: log p(y) and the means are within 4.5 errors over two seeds each, with truths by quadrature; none warns.
 * test_long_lobes.c has many cases. A score is about Student's t with 31 degrees of freedom, beyond 4.5 once in
 * 10,000. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/lobes.h"
#include "support/support.h"

enum { SEEDS = 2 };
static const double limit = 4.5;

static const lobes_truth truths[] = {
    {-44.7286, {NAN, NAN, NAN}, {NAN, NAN, 0.245 * 0.245}},
    {-14.0407, {NAN, NAN, NAN}, {NAN, NAN, NAN}},
    {-5.296968, {1.477888, -3.632273}, {1.491334, 1.817729}}, /* TALWEG_SHARED/oracles/two_modes.json */
};

static void check(const tw_hyper_result *r, const lobes_truth *truth)
{
    assert_true(fabs(r->estimate.log_z - truth->log_z) < limit * r->estimate.se);
    for (size_t k = 0; k < r->unknown; k++) {
        double variance = r->row[k].sd * r->row[k].sd;
        if (!isnan(truth->mean[k]))
            assert_true(fabs(r->row[k].mean - truth->mean[k]) < limit * r->row[k].mcse);
        if (!isnan(truth->variance[k]))
            assert_true(variance > 0.5 * truth->variance[k] && variance < 2.0 * truth->variance[k]);
    }
}

static void run(const lobes_case *c, const lobes_truth *truth, uint64_t seed)
{
    tw_context *ctx = new_context();
    tw_problem *problem = lobes_pose(c, ctx);
    tw_priors *priors = lobes_priors(c, problem);
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.seed = seed;
    o.threads = 1;
    o.kept = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    printf("%s, seed %d: log p(y) %.3f +- %.3f\n", c->name, (int)seed, r->estimate.log_z, r->estimate.se);
    check(r, truth);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void lobes_are_found(void **state)
{
    (void)state;
    for (size_t k = 0; k < lobes_known; k++) {
        lobes_case c = lobes_make(LOBES_KNOWN, k);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) run(&c, &truths[k], seed);
    }
}

/* ---- noise of more rows or more parameters ---- */

/* The fractional part. */
static double part(double x)
{
    return x - floor(x);
}

/* n rows of noise in d inputs, from formulas that any program can follow. */
static tw_problem *pose_noise(tw_context *ctx, size_t n, size_t d, const char *kernel)
{
    static const double step[] = {0.7548776662466927, 0.5698402909980532, 0.4301597090019468};
    double x[300], y[100];
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian")};
    tw_problem *problem = NULL;
    for (size_t i = 0; i < n; i++) {
        double number = (double)(i + 1);
        for (size_t k = 0; k < d; k++) x[i + k * n] = part(0.5 + number * step[k]);
        y[i] = 1.4 * sin(2.0 * acos(-1.0) * part(number * number * 0.6180339887498949));
    }
    assert_int_equal(tw_data_new(ctx, n, d, x, n, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, kernel, d, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

/* log_ell ~ normal(-0.7, 1), log_sigma ~ normal(0, 1), log_noise ~ normal(-1, 1.5). */
static tw_priors *give_priors(tw_problem *problem)
{
    tw_priors *priors = NULL;
    char text[160];
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    for (size_t j = 0; j < tw_problem_count(problem); j++) {
        const char *name = tw_problem_parameter(problem, j)->name;
        bool ell = strncmp(name, "ell", 3) == 0, noise = strcmp(name, "noise") == 0;
        snprintf(text, sizeof text, "log_%s ~ normal(%g, %g)", name,
                 ell     ? -0.7
                 : noise ? -1.0
                         : 0.0,
                 noise ? 1.5 : 1.0);
        assert_int_equal(tw_priors_read(priors, problem, text), TW_OK);
    }
    return priors;
}

/* The noise is the last parameter, and `error` that of the truths. */
static void check_noise(size_t n, size_t d, const char *kernel, uint64_t seed, double log_z, double mean,
                        double sd, double error)
{
    tw_context *ctx = new_context();
    tw_problem *problem = pose_noise(ctx, n, d, kernel);
    tw_priors *priors = give_priors(problem);
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.seed = seed;
    o.kept = o.joint_particles = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    const tw_hyper_row *noise = &r->row[r->unknown - 1];
    assert_close(r->estimate.log_z, log_z, limit * hypot(r->estimate.se, error), "log p(y)");
    assert_close(noise->mean, mean, limit * hypot(noise->mcse, error), "mean of log noise");
    assert_close(noise->sd, sd, 0.3 * sd, "sd of log noise");
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

/* 6 % of the posterior has a length scale below all distances and no noise, and 80 % of the variance of log noise. By
 * quadrature with the eigenvalues of the kernel matrix, to all digits given. */
static void a_lobe_of_a_hundred_rows_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        check_noise(100, 2, "se", seed, -139.126808, -0.206036, 0.495908, 0.0);
}

/* By importance sampling from the prior with 3 x 262,144 points, of which 10,400 are effective each. */
static void lobes_of_five_parameters_are_found(void **state)
{
    (void)state;
    check_noise(12, 3, "se(ard)", 1, -16.5765, -1.7393, 1.0430, 0.0008);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lobes_are_found),
        cmocka_unit_test(a_lobe_of_a_hundred_rows_is_found),
        cmocka_unit_test(lobes_of_five_parameters_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
