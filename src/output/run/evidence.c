/* evidence.c: the group evidence: estimates of log Z, and the approximations.
 *
 *   estimate(estimate)              the method's name
 *   log_z, se, se_bootstrap, weight_ess, acceptance, failures, seconds, particles, temperatures (estimate)
 *   pareto_k, missed, trips, drift, apart (estimate)
 *                                   absent in older files: NaN
 *   draws(estimate)                 absent in older files: 0
 *   unbiased(estimate)              a flag
 *   laplace, ep, ep_corrected       log Z; NaN if not computed
 *   attributes                      from, kernel
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "output/run/file.h"

typedef struct column {
    const char *name;
    size_t offset;
    bool whole, may_lack;
} column;

static const column columns[] = {
    {"log_z", offsetof(tw_estimate, log_z), false, false},
    {"se", offsetof(tw_estimate, se), false, false},
    {"se_bootstrap", offsetof(tw_estimate, se_bootstrap), false, false},
    {"weight_ess", offsetof(tw_estimate, weight_ess), false, false},
    {"acceptance", offsetof(tw_estimate, acceptance), false, false},
    {"failures", offsetof(tw_estimate, failures), false, false},
    {"particles", offsetof(tw_estimate, particles), true, false},
    {"temperatures", offsetof(tw_estimate, temperatures), true, false},
    {"pareto_k", offsetof(tw_estimate, pareto_k), false, true},
    {"missed", offsetof(tw_estimate, missed), false, true},
    {"draws", offsetof(tw_estimate, draws), true, true},
    {"trips", offsetof(tw_estimate, trips), false, true},
    {"drift", offsetof(tw_estimate, drift), false, true},
    {"apart", offsetof(tw_estimate, apart), false, true},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_estimates(tw_nc_writer *w, int group, const tw_run_evidence *e)
{
    const char *names[TW_RUN_MOST_ESTIMATES] = {0};
    double values[TW_RUN_MOST_ESTIMATES];
    for (size_t i = 0; i < e->count; i++) names[i] = e->estimates[i].method;
    int dimension = tw_nc_names(w, group, "estimate", e->count, names);
    for (size_t k = 0; k < COLUMNS; k++) {
        const column *c = &columns[k];
        for (size_t i = 0; i < e->count; i++) {
            const char *at = (const char *)&e->estimates[i] + c->offset;
            values[i] =
                c->whole ? (double)*(const size_t *)(const void *)at : *(const double *)(const void *)at;
        }
        int variable = tw_nc_variable(w, group, c->name, c->whole ? NC_INT64 : NC_DOUBLE, 1, &dimension);
        if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_var_double(group, variable, values));
    }
    tw_nc_doubles(w, group, "seconds", 1, &dimension, e->seconds);
    int unbiased = tw_nc_flag(w, group, "unbiased", 1, &dimension);
    for (size_t i = 0; i < e->count; i++) values[i] = e->estimates[i].unbiased;
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_var_double(group, unbiased, values));
}

void tw_evidence_put(tw_nc_writer *w, const tw_run_evidence *e)
{
    int group = tw_nc_group(w, "evidence");
    tw_nc_put_text(w, group, "from", e->from ? e->from : "");
    tw_nc_put_text(w, group, "kernel", e->kernel ? e->kernel : "");
    tw_nc_doubles(w, group, "laplace", 0, NULL, &e->laplace);
    tw_nc_doubles(w, group, "ep", 0, NULL, &e->ep);
    tw_nc_doubles(w, group, "ep_corrected", 0, NULL, &e->ep_corrected);
    if (e->count > 0) put_estimates(w, group, e);
}

/* ---- reading ---- */

/* Convert a count that is stored as a double; an invalid number becomes 0, and one that is too large the
 * largest count. */
static size_t to_count(double value)
{
    return !(value >= 1.0) ? 0 : value < (double)SIZE_MAX ? (size_t)value : SIZE_MAX;
}

static tw_status get_column(const tw_nc_reader *r, int group, const column *c, size_t count,
                            tw_estimate *estimates)
{
    double values[TW_RUN_MOST_ESTIMATES] = {0.0};
    bool lacks = c->may_lack && !tw_nc_has_variable(group, c->name);
    if (!lacks) TW_TRY(tw_nc_read_doubles(r, group, c->name, 1, &count, values));
    for (size_t i = 0; i < count; i++) {
        void *at = (char *)&estimates[i] + c->offset;
        if (c->whole)
            *(size_t *)at = to_count(values[i]);
        else
            *(double *)at = lacks ? NAN : values[i];
    }
    return TW_OK;
}

static tw_status get_estimates(const tw_nc_reader *r, int group, tw_evidence_store *store)
{
    tw_run_evidence *e = &store->evidence;
    double values[TW_RUN_MOST_ESTIMATES];
    size_t count = 0;
    TW_TRY(tw_nc_dimension(r, group, "estimate", &count));
    if (count > TW_RUN_MOST_ESTIMATES)
        return tw_fail(r->ctx, TW_BAD_DATA, "evidence has %zu estimates, but the limit is %d", count,
                       TW_RUN_MOST_ESTIMATES);
    TW_TRY(tw_nc_read_names(r, group, "estimate", count, &store->methods));
    for (size_t k = 0; k < COLUMNS; k++) TW_TRY(get_column(r, group, &columns[k], count, e->estimates));
    TW_TRY(tw_nc_read_doubles(r, group, "seconds", 1, &count, e->seconds));
    TW_TRY(tw_nc_read_doubles(r, group, "unbiased", 1, &count, values));
    for (size_t i = 0; i < count; i++) {
        e->estimates[i].method = store->methods[i];
        e->estimates[i].unbiased = values[i] != 0.0;
    }
    e->count = count;
    return TW_OK;
}

tw_status tw_evidence_get(const tw_nc_reader *r, tw_evidence_store *store)
{
    tw_run_evidence *e = &store->evidence;
    int group = -1;
    *store = (tw_evidence_store){.evidence = {.laplace = NAN, .ep = NAN, .ep_corrected = NAN}};
    e->from = e->kernel = "";
    if (!tw_nc_has_group(r, "evidence")) return TW_OK;
    TW_TRY(tw_nc_find_group(r, "evidence", &group));
    TW_TRY(tw_nc_text(r, group, "from", &store->from));
    TW_TRY(tw_nc_text(r, group, "kernel", &store->kernel));
    e->from = store->from;
    e->kernel = store->kernel;
    TW_TRY(tw_nc_read_doubles(r, group, "laplace", 0, NULL, &e->laplace));
    TW_TRY(tw_nc_read_doubles(r, group, "ep", 0, NULL, &e->ep));
    TW_TRY(tw_nc_read_doubles(r, group, "ep_corrected", 0, NULL, &e->ep_corrected));
    return tw_nc_has_variable(group, "estimate") ? get_estimates(r, group, store) : TW_OK;
}

void tw_evidence_release(tw_context *ctx, tw_evidence_store *store)
{
    tw_release(ctx, store->from);
    tw_release(ctx, store->kernel);
    tw_release(ctx, store->methods);
    *store = (tw_evidence_store){.from = NULL};
}
