/* theta.c: unknown parameters of a run: a variable for each in the group posterior, (chain, draw), in
 * addition to x; and the group unknown_parameters:
 *
 *   parameter(parameter), prior(parameter)        names as reported, and priors as written
 *   index(parameter), as_log(parameter)           their indices in theta; whether the logarithm is reported
 *   mean, sd, q05, q50, q95, mcse (parameter)     their posterior, from the weighted points or chains
 *   ess_bulk, ess_tail, rhat (parameter)          for chains; for weighted points the effective number of weights, NaN, NaN
 *   theta(point, parameter)                       all points, on the scale of theta (logarithms of positive parameters)
 *   log_weight(point)                             log w: the mean of w is p(y); 0 for chains
 *   log_z(point)                                  estimates of log p(y | theta); NaN for chains
 *   point_of_draw(draw)                           the point of each draw
 *   attributes                                    scrambles, weight_ess, pareto_k
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "output/run/file.h"

static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"mean", offsetof(tw_hyper_row, mean)},         {"sd", offsetof(tw_hyper_row, sd)},
    {"q05", offsetof(tw_hyper_row, q05)},           {"q50", offsetof(tw_hyper_row, q50)},
    {"q95", offsetof(tw_hyper_row, q95)},           {"mcse", offsetof(tw_hyper_row, mcse)},
    {"ess_bulk", offsetof(tw_hyper_row, ess_bulk)}, {"ess_tail", offsetof(tw_hyper_row, ess_tail)},
    {"rhat", offsetof(tw_hyper_row, rhat)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- writing ---- */

void tw_run_theta_of(const tw_problem *problem, const tw_priors *priors, const tw_hyper_result *r,
                     const size_t *point, tw_run_theta_room *out)
{
    *out = (tw_run_theta_room){.all = {.unknown = r->unknown,
                                       .points = r->points,
                                       .scrambles = r->scrambles,
                                       .draws = r->points,
                                       .row = r->row,
                                       .prior = out->prior,
                                       .index = out->index,
                                       .theta = r->theta,
                                       .log_weight = r->log_weight,
                                       .log_z = r->log_z,
                                       .point = point,
                                       .weight_ess = r->estimate.weight_ess,
                                       .pareto_k = r->estimate.pareto_k}};
    for (size_t k = 0; k < r->unknown; k++) {
        size_t j = out->index[k] = r->row[k].index;
        tw_prior_print(&priors->prior[j], tw_problem_parameter(problem, j), out->words[k],
                       sizeof out->words[k]);
        out->prior[k] = out->words[k];
    }
}

double tw_run_theta_reported(const tw_problem *problem, const tw_run_theta *t, size_t k, size_t point)
{
    double theta = t->theta[k + point * t->unknown];
    return t->row[k].as_log ? theta : tw_parameter_value(tw_problem_parameter(problem, t->index[k]), theta);
}

static void put_draws(tw_nc_writer *w, const tw_problem *problem, const tw_run_theta *t, double *values)
{
    int group = -1, dimensions[2] = {-1, -1};
    if (!tw_nc_ok(w, nc_inq_grp_ncid(w->file, "posterior", &group))) return;
    if (!tw_nc_ok(w, nc_inq_dimid(group, "chain", &dimensions[0]))) return;
    if (!tw_nc_ok(w, nc_inq_dimid(group, "draw", &dimensions[1]))) return;
    for (size_t k = 0; k < t->unknown; k++) {
        for (size_t i = 0; i < t->draws; i++) values[i] = tw_run_theta_reported(problem, t, k, t->point[i]);
        tw_nc_doubles(w, group, t->row[k].name, 2, dimensions, values);
    }
}

static int put_names(tw_nc_writer *w, int group, const tw_run_theta *t)
{
    const char *names[TW_HYPER_MOST], *priors[TW_HYPER_MOST];
    for (size_t k = 0; k < t->unknown; k++) {
        names[k] = t->row[k].name;
        priors[k] = t->prior[k];
    }
    int dimension = tw_nc_names(w, group, "parameter", t->unknown, names), variable = -1;
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_def_var(group, "prior", NC_STRING, 1, &dimension, &variable));
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_var_string(group, variable, priors));
    return dimension;
}

static void put_rows(tw_nc_writer *w, int group, int dimension, const tw_run_theta *t)
{
    double values[TW_HYPER_MOST];
    for (size_t c = 0; c < COLUMNS; c++) {
        for (size_t k = 0; k < t->unknown; k++)
            memcpy(&values[k], (const char *)&t->row[k] + columns[c].offset, sizeof *values);
        tw_nc_doubles(w, group, columns[c].name, 1, &dimension, values);
    }
    int index = tw_nc_variable(w, group, "index", NC_INT64, 1, &dimension);
    for (size_t k = 0; k < t->unknown; k++) values[k] = (double)t->index[k];
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_var_double(group, index, values));
    int as_log = tw_nc_flag(w, group, "as_log", 1, &dimension);
    for (size_t k = 0; k < t->unknown; k++) values[k] = t->row[k].as_log;
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_var_double(group, as_log, values));
}

static void put_points(tw_nc_writer *w, int group, int parameter, const tw_run_theta *t, double *values)
{
    const int both[2] = {tw_nc_index(w, group, "point", t->points), parameter};
    int draw = tw_nc_index(w, group, "draw", t->draws);
    tw_nc_doubles(w, group, "theta", 2, both, t->theta);
    tw_nc_doubles(w, group, "log_weight", 1, both, t->log_weight);
    tw_nc_doubles(w, group, "log_z", 1, both, t->log_z);
    for (size_t i = 0; i < t->draws; i++) values[i] = (double)t->point[i];
    int variable = tw_nc_variable(w, group, "point_of_draw", NC_INT64, 1, &draw);
    tw_nc_describe(w, group, variable, "the point that each draw is of");
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_var_double(group, variable, values));
}

static void put_group(tw_nc_writer *w, const tw_run_theta *t, double *values)
{
    int group = tw_nc_group(w, "unknown_parameters");
    tw_nc_put_count(w, group, "scrambles", t->scrambles, NC_INT64);
    tw_nc_put_number(w, group, "weight_ess", t->weight_ess);
    tw_nc_put_number(w, group, "pareto_k", t->pareto_k);
    int dimension = put_names(w, group, t);
    put_rows(w, group, dimension, t);
    put_points(w, group, dimension, t, values);
}

tw_status tw_theta_put(const tw_problem *problem, const tw_run_theta *t, unsigned compress, tw_writer *writer)
{
    enum { GROUPS = 1 << 18 };
    tw_context *ctx = writer->ctx;
    tw_nc_writer w = {.ctx = ctx, .path = writer->path, .file = -1, .compress = compress, .rows = 256};
    double *values = NULL;
    size_t numbers = (t->unknown + 3) * t->points + (t->unknown + 3) * t->draws;
    TW_TRY(tw_writer_reserve(writer, GROUPS + sizeof(double) * numbers));
    TW_TRY(tw_allocate_doubles(ctx, t->draws, 1, "the parameters of draws", &values));
    tw_nc_reopen(&w, writer->temporary);
    put_draws(&w, problem, t, values);
    put_group(&w, t, values);
    tw_release(ctx, values);
    return tw_nc_finish(&w);
}

/* ---- reading ---- */

static tw_status get_rows(const tw_nc_reader *r, int group, tw_theta_store *s)
{
    size_t unknown = s->all.unknown;
    double values[TW_HYPER_MOST];
    void *memory = NULL;
    TW_TRY(tw_allocate(r->ctx, unknown, sizeof *s->row, "parameters", &memory));
    s->row = memory;
    for (size_t c = 0; c < COLUMNS; c++) {
        TW_TRY(tw_nc_read_doubles(r, group, columns[c].name, 1, &unknown, values));
        for (size_t k = 0; k < unknown; k++)
            memcpy((char *)&s->row[k] + columns[c].offset, &values[k], sizeof *values);
    }
    TW_TRY(tw_nc_read_doubles(r, group, "as_log", 1, &unknown, values));
    for (size_t k = 0; k < unknown; k++) {
        s->row[k].as_log = values[k] != 0.0;
        s->row[k].index = s->index[k];
        memset(s->row[k].name, 0, sizeof s->row[k].name);
        strncpy(s->row[k].name, s->names[k], sizeof s->row[k].name - 1);
    }
    return TW_OK;
}

/* Read whole numbers from 0 to below `below`. */
static tw_status get_numbers(const tw_nc_reader *r, int group, const char *name, size_t length, size_t below,
                             size_t **out)
{
    void *memory = NULL, *values = NULL;
    TW_TRY(tw_allocate(r->ctx, length, sizeof(size_t), name, &memory));
    *out = memory;
    TW_TRY(tw_allocate(r->ctx, length, sizeof(long long), name, &values));
    const long long *found = values;
    tw_status status = tw_nc_read_integers(r, group, name, 1, &length, values);
    for (size_t i = 0; status == TW_OK && i < length; i++) {
        (*out)[i] = (size_t)found[i];
        if (found[i] < 0 || (size_t)found[i] >= below)
            status =
                tw_fail(r->ctx, TW_BAD_DATA,
                        "unknown_parameters: %s has the value %lld, above the limit %zu: the file is damaged",
                        name, found[i], below - 1);
    }
    tw_release(r->ctx, values);
    return status;
}

static tw_status get_points(const tw_nc_reader *r, int group, const tw_run_facts *facts, tw_theta_store *s)
{
    const size_t lengths[2] = {s->all.points, s->all.unknown};
    uint64_t scrambles = 0;
    TW_TRY(tw_allocate_doubles(r->ctx, lengths[0], lengths[1], "points", &s->theta));
    TW_TRY(tw_nc_read_doubles(r, group, "theta", 2, lengths, s->theta));
    TW_TRY(tw_nc_read_vector(r, group, "log_weight", lengths[0], &s->log_weight));
    TW_TRY(tw_nc_read_vector(r, group, "log_z", lengths[0], &s->log_z));
    TW_TRY(get_numbers(r, group, "point_of_draw", facts->draws, s->all.points, &s->point));
    TW_TRY(tw_nc_count(r, group, "scrambles", &scrambles));
    TW_TRY(tw_nc_number(r, group, "weight_ess", &s->all.weight_ess));
    TW_TRY(tw_nc_number(r, group, "pareto_k", &s->all.pareto_k));
    s->all.scrambles = (size_t)scrambles;
    if (s->all.weight_ess > 0.0 && scrambles > 0) return TW_OK;
    return tw_fail(r->ctx, TW_BAD_DATA, "unknown_parameters: no weight is above 0: the file is damaged");
}

static tw_status get_all(const tw_nc_reader *r, int group, const tw_run_facts *facts, tw_theta_store *s)
{
    TW_TRY(tw_nc_dimension(r, group, "parameter", &s->all.unknown));
    TW_TRY(tw_nc_dimension(r, group, "point", &s->all.points));
    if (s->all.unknown == 0 || s->all.unknown > TW_HYPER_MOST || facts->chains != 1)
        return tw_fail(r->ctx, TW_BAD_DATA, "%zu unknown parameters in %zu chains: the file is damaged",
                       s->all.unknown, facts->chains);
    TW_TRY(tw_nc_read_names(r, group, "parameter", s->all.unknown, &s->names));
    TW_TRY(tw_nc_read_names(r, group, "prior", s->all.unknown, &s->priors));
    TW_TRY(get_numbers(r, group, "index", s->all.unknown, SIZE_MAX, &s->index));
    TW_TRY(get_rows(r, group, s));
    return get_points(r, group, facts, s);
}

tw_status tw_theta_get(const tw_nc_reader *r, const tw_run_facts *facts, tw_theta_store *s)
{
    int group = -1;
    *s = (tw_theta_store){.all = {.unknown = 0}};
    if (facts->draws == 0 || !tw_nc_has_group(r, "unknown_parameters")) return TW_OK;
    TW_TRY(tw_nc_find_group(r, "unknown_parameters", &group));
    TW_TRY(get_all(r, group, facts, s));
    s->all.draws = facts->draws;
    s->all.row = s->row;
    s->all.prior = (const char *const *)s->priors;
    s->all.index = s->index;
    s->all.theta = s->theta;
    s->all.log_weight = s->log_weight;
    s->all.log_z = s->log_z;
    s->all.point = s->point;
    return TW_OK;
}

void tw_theta_release(tw_context *ctx, tw_theta_store *s)
{
    void *blocks[] = {s->row, s->names, s->priors, s->index, s->point, s->theta, s->log_weight, s->log_z};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) tw_release(ctx, blocks[i]);
    *s = (tw_theta_store){.all = {.unknown = 0}};
}

/* ---- an open run ---- */

const tw_run_theta *tw_run_read_theta(const tw_run *run)
{
    return run->theta.all.unknown ? &run->theta.all : NULL;
}

tw_status tw_run_places(const tw_problem *problem, const tw_run_theta *t, size_t stride,
                        tw_theta_places **out)
{
    *out = NULL;
    if (!t) return TW_OK;
    const tw_theta_draws draws = {.unknown = t->unknown,
                                  .points = t->points,
                                  .draws = t->draws,
                                  .index = t->index,
                                  .theta = t->theta,
                                  .point = t->point,
                                  .stride = stride,
                                  .effective = t->weight_ess};
    return tw_theta_places_new(problem, &draws, out);
}
