/* reference_file.c: reads the reference q of --from from files (reference_file.h). */
#include "cli/reference_file.h"

#include <stdio.h>
#include <string.h>

#include "talweg/base.h"
#include "talweg/output.h"
#include "talweg/warning.h"

static tw_status check_shapes(tw_context *ctx, size_t n, const char *from, const tw_table *mean,
                              const tw_table *covariance)
{
    size_t count = mean->rows * mean->columns;
    if (count != n || (mean->rows != 1 && mean->columns != 1))
        return tw_fail(ctx, TW_BAD_DATA, "--from %.500s: the mean has %zu x %zu numbers for %zu cases", from,
                       mean->rows, mean->columns, n);
    if (covariance->rows == n && covariance->columns == n) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "--from %.500s: the covariance is %zu x %zu for %zu cases", from,
                   covariance->rows, covariance->columns, n);
}

static tw_status make_gaussian(tw_context *ctx, const tw_model *model, const char *from, const tw_table *mean,
                               const tw_table *covariance, tw_reference **out)
{
    size_t n = tw_model_describe(model).n;
    TW_TRY(check_shapes(ctx, n, from, mean, covariance));
    tw_status status = tw_covariance_check_matrix(ctx, n, covariance->values, n);
    if (status == TW_OK) status = tw_reference_gaussian(model, mean->values, covariance->values, n, out);
    return status == TW_OK ? TW_OK : tw_fail_within(ctx, status, "--from %.500s: ", from);
}

static tw_status read_gaussian(tw_context *ctx, const tw_model *model, const char *from, const char *comma,
                               tw_reference **out)
{
    char name[4096];
    tw_table *mean = NULL, *covariance = NULL;
    if (comma == from || !comma[1])
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--from %.500s: a mean and a covariance matrix must be two files separated by a comma",
                       from);
    if ((size_t)(comma - from) >= sizeof name)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--from: the name of the mean file is too long");
    snprintf(name, sizeof name, "%.*s", (int)(comma - from), from);
    tw_status status = tw_table_read(ctx, name, &mean);
    if (status == TW_OK) status = tw_table_read(ctx, comma + 1, &covariance);
    if (status == TW_OK) status = make_gaussian(ctx, model, from, mean, covariance, out);
    tw_table_free(mean);
    tw_table_free(covariance);
    return status;
}

/* Use the sites of a saved approximation with the current prior.
 * They may come from another kernel: any q is valid. */
static tw_status use_saved(tw_context *ctx, const tw_model *model, const char *from,
                           const tw_approximation *saved, tw_reference **out)
{
    size_t n = tw_model_describe(model).n;
    if (saved->n != n)
        return tw_fail(ctx, TW_BAD_DATA, "--from %.500s was made for %zu cases, but there are %zu", from,
                       saved->n, n);
    if (!saved->converged) tw_warn(ctx, &(tw_warning){.code = TW_WARN_SAVED, .file = from});
    return tw_reference_sites(model, saved->tau, saved->nu, out);
}

static tw_status read_saved(tw_context *ctx, const tw_model *model, tw_model_maker *make_model,
                            const char *from, tw_reference **out)
{
    tw_problem *problem = NULL;
    tw_approximation *saved = NULL;
    tw_status status = tw_approximation_load_by(ctx, from, make_model, &problem, &saved);
    if (status == TW_OK) status = use_saved(ctx, model, from, saved, out);
    tw_approximation_free(saved);
    tw_problem_free(problem);
    return status;
}

tw_status tw_reference_read(tw_context *ctx, const tw_model *model, tw_model_maker *make_model,
                            const char *from, const char **name, tw_reference **out)
{
    const char *comma = strchr(from, ',');
    *name = comma ? "gaussian" : strcmp(from, "prior") == 0 ? "prior" : "saved";
    if (comma) return read_gaussian(ctx, model, from, comma, out);
    return strcmp(from, "prior") == 0 ? tw_reference_prior(model, out)
                                      : read_saved(ctx, model, make_model, from, out);
}
