/* hyper_oracle.c: compare runs with the oracle; see hyper_oracle.h. */
#include "support/hyper_oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"

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

/* Coal-mining disasters per year, 1851 to 1962, at (year - 1906.5)/10; the constant is fixed. */
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

/* In a sum, the name of a parameter includes that of its leaf: log_matern52.ell. */
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

double hyper_oracle_number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static void run(tw_context *ctx, json_t *item, bool coal, const tw_hyper_options *o, hyper_oracle_look *look)
{
    tw_problem *problem = coal ? pose_coal(ctx) : pose(ctx, item);
    tw_priors *priors = read_priors(problem, json_object_get(item, "priors"), coal ? "matern52." : "");
    tw_hyper_result *r = NULL;
    assert_int_equal(tw_hyper_run(problem, priors, o, &r), TW_OK);
    for (size_t k = 0; k < r->unknown; k++) {
        const json_t *row = json_array_get(json_object_get(item, "theta"), k);
        const char *name = json_string_value(json_object_get(row, "name"));
        assert_non_null(strstr(r->row[k].name, name + strlen("log_")));
    }
    look(item, r);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
}

void hyper_oracle_run(const tw_hyper_options *o, hyper_oracle_look *look)
{
    char path[4096];
    tw_context *ctx = context_for_shared("oracles/hyper.json");
    shared_path("oracles/hyper.json", path, sizeof path);
    json_t *root = json_load_file(path, 0, NULL), *cases = json_object_get(root, "cases");
    for (size_t k = 0; k < 3; k++)
        run(ctx, json_array_get(cases, k), k == 2, o, look); /* crabs, Pima, coal */
    json_decref(root);
    tw_context_free(ctx);
}

/* Check agreement within 4 joint errors, plus 0.001 for the boundary of the oracle's grid. */
static void assert_within(double ours, double our_error, double theirs, double their_error, const char *what)
{
    assert_close(ours, theirs, 4.0 * hypot(our_error, their_error) + 0.001, what);
}

void hyper_oracle_check_evidence(const json_t *item, const tw_estimate *e)
{
    assert_within(e->log_z, e->se, hyper_oracle_number(item, "log_evidence"),
                  hyper_oracle_number(item, "log_evidence_se"), e->method);
}

/* The deviation of a row from the oracle's, in units of the standard deviation. */
typedef struct deviation {
    double sd, q05, q50, q95;
} deviation;

static deviation deviate(const json_t *row, const tw_hyper_row *ours)
{
    double sd = hyper_oracle_number(row, "sd");
    return (deviation){(ours->sd - sd) / sd, (ours->q05 - hyper_oracle_number(row, "q05")) / sd,
                       (ours->q50 - hyper_oracle_number(row, "q50")) / sd,
                       (ours->q95 - hyper_oracle_number(row, "q95")) / sd};
}

static const json_t *row_of(const json_t *item, size_t k)
{
    return json_array_get(json_object_get(item, "theta"), k);
}

void hyper_oracle_print_rows(const json_t *item, const tw_hyper_result *r)
{
    for (size_t k = 0; k < r->unknown; k++) {
        const json_t *row = row_of(item, k);
        deviation d = deviate(row, &r->row[k]);
        printf("  %-18s mean %+.4f +- %.4f; in sd: sd %+.4f, 5%% %+.4f, 50%% %+.4f, 95%% %+.4f\n",
               r->row[k].name, r->row[k].mean - hyper_oracle_number(row, "mean"),
               hypot(r->row[k].mcse, hyper_oracle_number(row, "se")), d.sd, d.q05, d.q50, d.q95);
    }
    fflush(stdout);
}

void hyper_oracle_check_rows(const json_t *item, const tw_hyper_result *r, double scores)
{
    double error = scores / sqrt(r->estimate.weight_ess);
    for (size_t k = 0; k < r->unknown; k++) {
        const json_t *row = row_of(item, k);
        deviation d = deviate(row, &r->row[k]);
        assert_within(r->row[k].mean, r->row[k].mcse, hyper_oracle_number(row, "mean"),
                      hyper_oracle_number(row, "se"), "mean");
        assert_close(d.sd, 0.0, 0.03 + HYPER_ORACLE_SD * error, "sd");
        assert_close(d.q50, 0.0, 0.03 + HYPER_ORACLE_Q50 * error, "median");
        assert_close(d.q05, 0.0, 0.03 + HYPER_ORACLE_Q05 * error, "5 % quantile");
        assert_close(d.q95, 0.0, 0.03 + HYPER_ORACLE_Q05 * error, "95 % quantile");
    }
}
