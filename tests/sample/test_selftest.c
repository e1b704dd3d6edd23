/* The self-test passes correct code and detects faults: in each function of a likelihood, and in implicit
 * equations that are not solved. */
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/setting.h"
#include "support/support.h"
#include "talweg/selftest.h"

/* MANY are more than the check of volume takes; mistakes show with FEW. */
enum { MANY = 16, FEW = 8 };

/* n points in the plane; length ell, deviation 3. */
static tw_model *make_model(tw_context *ctx, const tw_likelihood *likelihood, size_t n, double ell)
{
    double x[2 * MANY], y[MANY], w[MANY];
    tw_model *model = NULL;
    test_random random = {99};
    bool counts = strcmp(likelihood->name, "poisson") == 0;
    test_normals(&random, 2 * n, x);
    for (size_t i = 0; i < n; i++) {
        y[i] = counts ? (double)(i % 5) : x[i] + 0.3 * x[i + n] > 0.0 ? 1.0 : -1.0;
        w[i] = counts ? 0.5 + 0.1 * (double)i : 0.7;
    }
    double *k = dense_kernel(n, 2, x, ell, counts ? 1.0 : 3.0);
    assert_int_equal(tw_model_new(ctx, k, n, OBSERVED(likelihood, n, y, w), 0.0, &model), TW_OK);
    free(k);
    return model;
}

static tw_selftest run_model(tw_context *ctx, tw_model *model, const tw_selftest_options *options)
{
    tw_selftest found;
    assert_int_equal(tw_selftest_run(model, options, &found), TW_OK);
    assert_int_equal(found.count, TW_SELFTEST_CHECKS);
    tw_model_free(model);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    return found;
}

static tw_selftest run(const tw_likelihood *likelihood, size_t n, double ell,
                       const tw_selftest_options *options)
{
    tw_context *ctx = new_context();
    return run_model(ctx, make_model(ctx, likelihood, n, ell), options);
}

/* The check of this name of the first owner whose name begins so. */
static const tw_check *find(const tw_selftest *found, const char *of, const char *name)
{
    for (size_t k = 0; k < found->count; k++)
        if (strcmp(found->checks[k].name, name) == 0 && strncmp(found->checks[k].of, of, strlen(of)) == 0)
            return &found->checks[k];
    fail_msg("there is no check %s, %s", of, name);
    return NULL;
}

static void assert_failed(const tw_selftest *found, const char *of, const char *name)
{
    const tw_check *check = find(found, of, name);
    if (check->verdict != TW_CHECK_FAILED) fail_msg("%s, %s passed with %g", of, name, check->measured);
}

static void print_failures(const tw_selftest *found)
{
    for (size_t k = 0; k < found->count; k++)
        if (found->checks[k].verdict != TW_CHECK_PASSED)
            print_message("%s, %s: %g\n", found->checks[k].of, found->checks[k].name,
                          found->checks[k].measured);
}

static void everything_passes(const char *name, double ell, tw_metric metric)
{
    tw_selftest_options options = TW_SELFTEST_DEFAULTS;
    options.metric = metric;
    tw_selftest found = run(tw_likelihood_find(name), MANY, ell, &options);
    print_failures(&found);
    assert_int_equal(found.failed, 0);
    assert_int_equal(found.skipped, 0);
}

static void what_is_right_passes(void **state)
{
    (void)state;
    everything_passes("probit", 0.7, TW_METRIC_SMOOTHED);
    everything_passes("poisson", 0.7, TW_METRIC_FISHER);
    everything_passes("gaussian", 0.7, TW_METRIC_SMOOTHED);
    everything_passes("probit", 8.0, TW_METRIC_HESSIAN); /* K of lower rank */
}

/* Observations, constants and parameters that go through their ranges, at points on a line. */
static void every_likelihood_passes(void **state)
{
    (void)state;
    const tw_likelihood *likelihood = NULL;
    tw_selftest_options options = TW_SELFTEST_DEFAULTS;
    double x[FEW];
    for (size_t i = 0; i < FEW; i++) x[i] = 0.3 * (double)i;
    double *k = dense_kernel(FEW, 1, x, 1.0, 1.0);
    for (size_t l = 0; (likelihood = tw_likelihood_at(l)); l++) {
        tw_context *ctx = new_context();
        tw_model *model = NULL;
        setting_room room;
        tw_observations observed = setting_observations(likelihood, 3, FEW, &room);
        assert_int_equal(tw_model_new(ctx, k, FEW, &observed, 0.0, &model), TW_OK);
        options.metric = likelihood->smoothed ? TW_METRIC_SMOOTHED : TW_METRIC_FISHER;
        tw_selftest found = run_model(ctx, model, &options);
        print_message("%s\n", likelihood->name);
        print_failures(&found);
        assert_int_equal(found.failed + found.skipped, 0);
    }
    free(k);
}

static void unsolved_equations_are_found(void **state)
{
    (void)state;
    tw_selftest_options options = TW_SELFTEST_DEFAULTS;
    options.fixed_point = 1;
    tw_selftest found = run(tw_likelihood_find("probit"), FEW, 0.7, &options);
    assert_failed(&found, "generalised", "reversibility");
    assert_failed(&found, "generalised", "volume");
    assert_failed(&found, "generalised", "order of the energy error");
    assert_true(find(&found, "leapfrog", "reversibility")->verdict == TW_CHECK_PASSED);
    assert_true(find(&found, "leapfrog", "volume")->verdict == TW_CHECK_PASSED);
    options.fixed_point = 0;
    options.solver_tolerance = 1e-2;
    found = run(tw_likelihood_find("probit"), FEW, 0.7, &options);
    assert_failed(&found, "generalised", "reversibility");
}

/* A probit likelihood with one part off by `factor`. */
typedef struct broken {
    double slope, lambda, dlambda, tilted;
} broken;

static void broken_terms(const tw_observations *o, const double *x, double *value, double *slope,
                         double *lambda, double *dlambda)
{
    const broken *factor = o->likelihood->user;
    tw_likelihood_find("probit")->terms(o, x, value, slope, lambda, dlambda);
    for (size_t i = 0; i < o->n; i++) {
        if (slope) slope[i] *= factor->slope;
        if (lambda) lambda[i] *= factor->lambda;
        if (dlambda) dlambda[i] *= factor->dlambda;
    }
}

static tw_status broken_tilted(const tw_observations *o, size_t i, double m, double v, tw_tilted *out)
{
    const broken *factor = o->likelihood->user;
    tw_status status = tw_likelihood_find("probit")->tilted(o, i, m, v, out);
    out->variance *= factor->tilted;
    return status;
}

static tw_selftest run_broken(broken *factor)
{
    tw_likelihood likelihood = *tw_likelihood_find("probit");
    tw_selftest_options options = TW_SELFTEST_DEFAULTS;
    likelihood.user = factor;
    likelihood.terms = broken_terms;
    likelihood.tilted = broken_tilted;
    likelihood.smoothed = NULL; /* then RMHMC's metric is the curvature */
    return run(&likelihood, FEW, 0.7, &options);
}

/* An error of a thousandth in any part is seen where it is made. */
static void broken_likelihoods_are_found(void **state)
{
    (void)state;
    broken none = {1, 1, 1, 1}, slope = {1.001, 1, 1, 1}, lambda = {1, 1.001, 1, 1},
           dlambda = {1, 1, 1.001, 1};
    broken tilted = {1, 1, 1, 1.001};
    tw_selftest found = run_broken(&none);
    print_failures(&found);
    assert_int_equal(found.failed, 0);
    found = run_broken(&slope);
    assert_failed(&found, "likelihood", "slope");
    assert_failed(&found, "log density", "gradient");
    found = run_broken(&lambda);
    assert_failed(&found, "likelihood", "curvature");
    found = run_broken(&dlambda);
    assert_failed(&found, "likelihood", "slope of the curvature");
    assert_failed(&found, "generalised", "order of the energy error");
    found = run_broken(&tilted);
    assert_failed(&found, "expectation", "fixed point");
    assert_int_equal(found.failed, 1);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_model *model = make_model(ctx, tw_likelihood_find("probit"), FEW, 0.7);
    tw_selftest found;
    for (int k = 0; k < 4; k++) {
        tw_selftest_options options = TW_SELFTEST_DEFAULTS;
        if (k == 0) options.steps = 0;
        if (k == 1) options.eps = -1.0;
        if (k == 2) options.solver_tolerance = 0.0;
        if (k == 3) options.metric = TW_METRIC_EP;
        assert_int_equal(tw_selftest_run(model, &options, &found), TW_BAD_ARGUMENT);
    }
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_passes),         cmocka_unit_test(every_likelihood_passes),
        cmocka_unit_test(unsolved_equations_are_found), cmocka_unit_test(broken_likelihoods_are_found),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
