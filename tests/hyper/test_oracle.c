/* Real data: posteriors of kernel parameters and evidence of whole models, against annealed importance sampling on a grid of
 * parameters (TALWEG_SHARED/oracles/hyper.json; skipped where that is absent). */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"
#include "talweg/hyper.h"

static tw_problem *pose(tw_context *ctx, const json_t *item)
{
    char name[256], path[4096];
    tw_problem_parts parts = {.likelihood =
                                  tw_likelihood_find(json_string_value(json_object_get(item, "likelihood")))};
    tw_problem *problem = NULL;
    snprintf(name, sizeof name, "data/%s", json_string_value(json_object_get(item, "data")));
    shared_path(name, path, sizeof path);
    assert_int_equal(tw_data_read(ctx, path, NULL, &parts.data), TW_OK);
    assert_int_equal(tw_data_class_labels(parts.data, NULL, NULL), TW_OK);
    assert_int_equal(tw_scaling_fit(parts.data, &parts.scaling), TW_OK);
    assert_int_equal(tw_scaling_apply(parts.scaling, parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, json_string_value(json_object_get(item, "kernel")), parts.data->d,
                                     &parts.kernel),
                     TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

/* Explosions in coal mines, counted by year, 1851 to 1962, at (year - 1906.5)/10; the constant is fixed. */
static tw_problem *pose_coal(tw_context *ctx)
{
    enum { YEARS = 112, FIRST = 1851 };
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson")};
    tw_problem *problem = NULL;
    double x[YEARS], count[YEARS] = {0.0}, when;
    char path[4096], name[64];
    shared_path("data/coal_disasters.csv", path, sizeof path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%63s", name), 1);
    while (fscanf(file, "%lf", &when) == 1) count[(size_t)when - FIRST]++;
    fclose(file);
    for (size_t i = 0; i < YEARS; i++) x[i] = ((double)(FIRST + i) - 1906.5) / 10.0;
    assert_int_equal(tw_data_new(ctx, YEARS, 1, x, YEARS, count, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, "matern52 + constant(variance=4)", 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

/* Of a sum, a leaf's parameter has the leaf's name before it: log_matern52.ell. */
static tw_priors *read_priors(const tw_problem *problem, json_t *texts, const char *leaf)
{
    const char *name;
    json_t *text;
    tw_priors *priors = NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    json_object_foreach(texts, name, text)
    {
        char prior[200];
        snprintf(prior, sizeof prior, "log_%s%s ~ %s", leaf, name + strlen("log_"), json_string_value(text));
        assert_int_equal(tw_priors_read(priors, problem, prior), TW_OK);
    }
    return priors;
}

static double number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

/* Within 4 joint errors, where ours is that of 32 scrambles and theirs adds 0.001 for the edge of their grid. */
static void assert_within(double ours, double our_error, double theirs, double their_error, const char *what)
{
    assert_close(ours, theirs, 4.0 * hypot(our_error, their_error) + 0.001, what);
}

static void compare(const json_t *item, const tw_hyper_result *r)
{
    const json_t *theta = json_object_get(item, "theta");
    printf("%s: log p(y) %.4f +- %.4f (%.4f), %.0f of %zu points count, %.1f ms each\n",
           json_string_value(json_object_get(item, "name")), r->estimate.log_z, r->estimate.se,
           number(item, "log_evidence"), r->estimate.weight_ess, r->points,
           1e3 * r->cpu_points / (double)r->points);
    assert_within(r->estimate.log_z, r->estimate.se, number(item, "log_evidence"),
                  number(item, "log_evidence_se"), "log p(y)");
    assert_within(r->joint.log_z, r->joint.se, number(item, "log_evidence"), number(item, "log_evidence_se"),
                  "log p(y), the second way");
    assert_true(r->estimate.weight_ess > 0.75 * (double)r->points && r->estimate.pareto_k < 0.7);
    for (size_t k = 0; k < r->unknown; k++) {
        const json_t *row = json_array_get(theta, k);
        double sd = number(row, "sd"), noise = 4.0 * r->row[k].mcse;
        assert_non_null(
            strstr(r->row[k].name, json_string_value(json_object_get(row, "name")) + strlen("log_")));
        assert_within(r->row[k].mean, r->row[k].mcse, number(row, "mean"), number(row, "se"), "mean");
        assert_close(r->row[k].sd, sd, 0.03 * sd + noise, "sd");
        assert_close(r->row[k].q50, number(row, "q50"), 0.03 * sd + 2.0 * noise, "median");
        assert_close(r->row[k].q05, number(row, "q05"), 0.03 * sd + 3.0 * noise, "5 % quantile");
        assert_close(r->row[k].q95, number(row, "q95"), 0.03 * sd + 3.0 * noise, "95 % quantile");
    }
}

static void posteriors_and_evidence_are_those_of_the_oracle(void **state)
{
    (void)state;
    char path[4096];
    tw_context *ctx = context_for_shared("oracles/hyper.json");
    shared_path("oracles/hyper.json", path, sizeof path);
    json_t *root = json_load_file(path, 0, NULL), *cases = json_object_get(root, "cases");
    for (size_t k = 0; k < 3; k++) { /* crabs, Pima, coal */
        json_t *item = json_array_get(cases, k);
        tw_problem *problem = k < 2 ? pose(ctx, item) : pose_coal(ctx);
        tw_priors *priors = read_priors(problem, json_object_get(item, "priors"), k < 2 ? "" : "matern52.");
        tw_hyper_options o = TW_HYPER_DEFAULTS;
        tw_hyper_result *r = NULL;
        o.points = 256;
        o.starts = 1;
        o.kept = 0;
        o.joint_particles = 48;
        assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
        compare(item, r);
        tw_hyper_free(r);
        tw_priors_free(priors);
        tw_problem_free(problem);
    }
    json_decref(root);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_and_evidence_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
