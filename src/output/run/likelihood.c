/* likelihood.c: the observations of a problem in a run file.
 *
 *   observed_data   y(obs)
 *   constant_data   likelihood                      attribute: its name
 *                   phi(likelihood_parameter)       its parameters; likelihood_parameter: their names
 *                   exposure(obs) and others        its columns, if they are given
 *
 * Files of format 1, which are still read, have no parameters, and store the first column of the likelihood
 * as w(obs).
 */
#include <string.h>

#include "output/run/file.h"

enum { MOST_PARAMETERS = 64 };

/* ---- writing ---- */

static void put_parameters(tw_nc_writer *w, int group, const tw_problem *problem)
{
    const tw_likelihood *likelihood = problem->likelihood;
    const char *names[MOST_PARAMETERS];
    size_t count = likelihood->parameters < MOST_PARAMETERS ? likelihood->parameters : MOST_PARAMETERS;
    if (count == 0) return;
    for (size_t k = 0; k < count; k++) names[k] = likelihood->parameter[k].name;
    int parameter = tw_nc_names(w, group, "likelihood_parameter", count, names);
    tw_nc_doubles(w, group, "phi", 1, &parameter, problem->phi);
}

void tw_likelihood_put(tw_nc_writer *w, int group, int obs, const tw_problem *problem)
{
    const tw_data *data = problem->data;
    tw_nc_put_text(w, group, "likelihood", problem->likelihood->name);
    put_parameters(w, group, problem);
    for (size_t k = 0; k < data->columns; k++)
        tw_nc_doubles(w, group, data->column[k].name, 1, &obs, data->column[k].values);
}

/* ---- reading ---- */

static tw_status get_likelihood(const tw_nc_reader *r, int group, const tw_likelihood **out)
{
    char *name = NULL;
    TW_TRY(tw_nc_text(r, group, "likelihood", &name));
    *out = tw_likelihood_find(name);
    tw_status status = TW_OK;
    if (!*out)
        status = tw_fail(r->ctx, TW_BAD_DATA, "constant_data: the likelihood \"%.60s\" is not one of %s",
                         name, tw_likelihood_names());
    tw_release(r->ctx, name);
    return status;
}

/* Set *value to the number called `name`, if there is one. */
static void pick(size_t count, char *const *names, const double *values, const char *name, double *value)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0) *value = values[k];
}

/* The initial values, replaced by those of the file. */
static tw_status get_parameters(const tw_nc_reader *r, int group, const tw_likelihood *likelihood,
                                double *phi)
{
    size_t count = 0;
    double *values = NULL;
    char **names = NULL;
    for (size_t k = 0; k < likelihood->parameters; k++)
        phi[k] = tw_parameter_theta(&likelihood->parameter[k], likelihood->parameter[k].initial);
    if (!tw_nc_has_variable(group, "phi")) return TW_OK;
    TW_TRY(tw_nc_dimension(r, group, "likelihood_parameter", &count));
    TW_TRY(tw_nc_read_vector(r, group, "phi", count, &values));
    tw_status status = tw_nc_read_names(r, group, "likelihood_parameter", count, &names);
    for (size_t k = 0; status == TW_OK && k < likelihood->parameters; k++)
        pick(count, names, values, likelihood->parameter[k].name, &phi[k]);
    tw_release(r->ctx, names);
    tw_release(r->ctx, values);
    return status;
}

/* Read column k into `to`, if it is present. */
static tw_status get_column(const tw_nc_reader *r, int group, size_t k, double *to, tw_observations *out)
{
    const char *name = out->likelihood->column[k].name;
    if (k == 0 && tw_nc_has_variable(group, "w")) name = "w";
    if (!tw_nc_has_variable(group, name)) return TW_OK;
    out->column[k] = to;
    return tw_nc_read_doubles(r, group, name, 1, &out->n, to);
}

tw_status tw_observations_get(const tw_nc_reader *r, size_t n, tw_observations *out, double **block)
{
    int observed = -1, group = -1, variable = -1;
    const tw_likelihood *likelihood = NULL;
    TW_TRY(tw_nc_find_group(r, "observed_data", &observed));
    TW_TRY(tw_nc_find_group(r, "constant_data", &group));
    TW_TRY(get_likelihood(r, group, &likelihood));
    TW_TRY(tw_nc_find_variable(r, observed, "y", 1, &n, &variable));
    size_t numbers = n * (1 + likelihood->columns) + likelihood->parameters;
    TW_TRY(tw_allocate_doubles(r->ctx, numbers, 1, "the observations", block));
    double *phi = *block, *y = phi + likelihood->parameters;
    *out = (tw_observations){.likelihood = likelihood, .phi = phi, .n = n, .y = y};
    TW_TRY(get_parameters(r, group, likelihood, phi));
    TW_TRY(tw_nc_read_doubles(r, observed, "y", 1, &n, y));
    for (size_t k = 0; k < likelihood->columns; k++) TW_TRY(get_column(r, group, k, y + (k + 1) * n, out));
    return TW_OK;
}
