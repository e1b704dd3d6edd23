/* path.c: from options to a path: fits, the distribution it starts from, temperatures, transitions. */
#include <math.h>
#include <string.h>

#include "cli/names.h"
#include "cli/path_options.h"
#include "cli/progress.h"
#include "cli/reference_file.h"
#include "cli/sampler_options.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/warning.h"

void tw_path_close(tw_path *p)
{
    tw_reference_free(p->own);
    tw_approximation_free(p->laplace);
    tw_approximation_free(p->ep);
    tw_release(p->ctx, p->beta);
}

/* ---- fits ---- */

static tw_status fit_laplace(tw_path *p, bool quiet)
{
    double start = tw_terminal_seconds();
    tw_terminal_progress(quiet, "Laplace ...");
    TW_TRY(tw_laplace_fit(p->model, NULL, &p->laplace));
    p->laplace_seconds = tw_terminal_seconds() - start;
    return TW_OK;
}

static tw_status fit_ep(tw_path *p, bool quiet)
{
    tw_ep_options ep = TW_EP_DEFAULTS;
    tw_meter meter = {0};
    double start = tw_terminal_seconds();
    tw_meter_begin(&meter, quiet, "expectation propagation", NULL);
    ep.user = &meter;
    ep.on_progress = tw_meter_show_sweep;
    if (p->along) tw_ep_sequence_predict(p->along, &ep);
    tw_status status = tw_ep_fit(p->model, &ep, &p->ep);
    tw_meter_end(&meter);
    if (status != TW_OK) return status;
    if (p->along) tw_ep_sequence_learn(p->along, p->ep);
    p->ep_seconds = tw_terminal_seconds() - start;
    return TW_OK;
}

static tw_status fit(tw_path *p, const char *from, bool quiet)
{
    if (!p->along || strcmp(from, "laplace") == 0) TW_TRY(fit_laplace(p, quiet));
    TW_TRY(fit_ep(p, quiet));
    if (!p->laplace && !p->ep->converged) TW_TRY(fit_laplace(p, quiet));
    p->gaussian = p->ep->converged ? p->ep : p->laplace->converged ? p->laplace : NULL;
    p->correction.log_z = NAN;
    return p->ep->converged ? tw_ep_correct(p->model, p->ep, 4, &p->correction) : TW_OK;
}

/* An approximation that did not converge is never used without a word. */
static tw_status choose_fit(tw_path *p, const char *wanted)
{
    bool ep = strcmp(wanted, "ep") == 0;
    const tw_approximation *fitted = ep ? p->ep : p->laplace;
    if (fitted->converged) {
        p->gaussian = fitted;
    } else if (!ep || !p->gaussian) {
        return tw_fail(p->ctx, TW_NOT_CONVERGED,
                       "%s did not converge (residual %.1e), and the path cannot start from it: start from "
                       "the prior (--from prior), or look at the scale of the inputs (--standardise, "
                       "--log-ell)",
                       ep ? "neither EP nor Laplace's approximation" : "Laplace's approximation",
                       fitted->residual);
    } else {
        tw_warn(p->ctx, &(tw_warning){.code = TW_WARN_FROM_LAPLACE, .number = {p->ep->residual}});
    }
    p->from = p->gaussian == p->ep ? "ep" : "laplace";
    p->reference = p->gaussian->reference;
    return TW_OK;
}

/* ---- where the path starts ---- */

static bool needs_fit(const char *from)
{
    return tw_name_is_among(from, "ep, laplace");
}

/* A q that was given is read, and refused, before anything is fitted. */
static tw_status read_start(tw_path *p, const char *from)
{
    if (needs_fit(from)) return TW_OK;
    TW_TRY(tw_reference_read(p->ctx, p->model, from, &p->from, &p->own));
    p->reference = p->own;
    return TW_OK;
}

/* ---- temperatures ---- */

static const double adaptive_fraction = 0.98;

static tw_status read_schedule(tw_path *p, const char *path)
{
    tw_table *table = NULL;
    TW_TRY(tw_table_read(p->ctx, path, &table));
    size_t count = table->rows * table->columns;
    tw_status status = tw_allocate_doubles(p->ctx, count, 1, "the temperatures", &p->beta);
    if (status == TW_OK && table->rows != 1 && table->columns != 1)
        status = tw_fail(p->ctx, TW_BAD_DATA, "a schedule is one row or one column, not %zu x %zu numbers",
                         table->rows, table->columns);
    for (size_t k = 0; status == TW_OK && k < count; k++) p->beta[k] = table->values[k];
    p->temperatures = count - 1;
    p->schedule = path;
    if (status == TW_OK) status = tw_schedule_check(p->ctx, p->temperatures, p->beta);
    tw_table_free(table);
    return status == TW_OK ? TW_OK : tw_fail_within(p->ctx, status, "%.1000s: ", path);
}

static tw_status fill_schedule(tw_path *p, size_t steps)
{
    p->temperatures = steps;
    TW_TRY(tw_allocate_doubles(p->ctx, steps + 1, 1, "the temperatures", &p->beta));
    return tw_schedule_fill(p->ctx, p->kind, steps, p->beta_min, p->beta);
}

/* Adaptive ones need transitions first: adapt_schedule. */
static tw_status make_schedule(tw_path *p, const tw_path_options *o)
{
    bool prior = strcmp(o->from, "prior") == 0;
    p->own_schedule = strcmp(o->schedule, "auto") != 0 || o->temperatures > 0;
    p->schedule = strcmp(o->schedule, "auto") != 0 ? o->schedule : prior ? "geometric" : "linear";
    p->kind = strcmp(p->schedule, "geometric") == 0 ? TW_SCHEDULE_GEOMETRIC
              : strcmp(p->schedule, "sigmoid") == 0 ? TW_SCHEDULE_SIGMOID
                                                    : TW_SCHEDULE_LINEAR;
    p->beta_min = o->beta_min > 0.0 ? o->beta_min : prior ? 1e-7 : 0.01;
    if (strcmp(p->schedule, "adaptive") == 0) return TW_OK;
    if (!tw_name_is_among(p->schedule, "geometric, linear, sigmoid")) return read_schedule(p, o->schedule);
    return fill_schedule(p, o->temperatures ? (size_t)o->temperatures : prior ? 400 : 50);
}

tw_rm_options tw_path_rm_options(const tw_path *p)
{
    tw_rm_options rm = TW_RM_DEFAULTS;
    rm.kernel = p->ais.kernel;
    if (p->own_schedule) rm.beta = p->beta, rm.steps = p->temperatures;
    rm.particles = p->ais.particles;
    if (rm.particles < 4 * rm.islands) rm.islands = rm.particles < 8 ? 2 : rm.particles / 4;
    if (rm.particles < 2 * rm.islands) rm.particles = 2 * rm.islands;
    rm.eps = p->ais.eps;
    rm.leapfrog_steps = p->ais.leapfrog_steps;
    rm.seed = p->ais.seed;
    return rm;
}

/* Each step keeps nearly all of the effective particles of a pilot run, which then has no part in the
 * estimate. */
static tw_status adapt_schedule(tw_path *p, const tw_path_options *o)
{
    tw_rm_options rm = tw_path_rm_options(p);
    rm.beta = NULL;
    rm.fraction = adaptive_fraction;
    if (o->temperatures) rm.max_steps = (size_t)o->temperatures;
    TW_TRY(tw_allocate_doubles(p->ctx, rm.max_steps + 1, 1, "the temperatures", &p->beta));
    TW_TRY(tw_schedule_adapt(p->model, p->reference, &rm, &p->temperatures, p->beta));
    p->ais.beta = p->beta;
    p->ais.steps = p->temperatures;
    return TW_OK;
}

/* ---- transitions ---- */

/* The metric ep is the precision of the best Gaussian there is, and smoothed averages over its marginals. */
static tw_status choose_metric(tw_path *p, const char *wanted)
{
    const tw_method_info *method = tw_method_describe(p->ais.kernel.method);
    tw_metric best = method->metrics[0];
    if (best == TW_METRIC_EP && strcmp(p->from, "prior") == 0) best = TW_METRIC_PRIOR;
    const tw_metric_info *metric =
        strcmp(wanted, "auto") != 0 ? tw_metric_find(wanted) : tw_metric_describe(best);
    p->metric = metric->name;
    p->ais.kernel.metric = metric->metric;
    if (!metric->needs_gaussian && !metric->needs_smoothing) return TW_OK;
    if (!p->gaussian)
        return tw_fail(p->ctx, TW_NOT_CONVERGED,
                       "the metric %s needs a fit, and neither EP nor Laplace's approximation converged: "
                       "take another --metric",
                       p->metric);
    p->ais.kernel.gaussian = p->gaussian->reference;
    p->ais.kernel.smoothing = p->gaussian->variance;
    return TW_OK;
}

static tw_status make_transitions(tw_path *p, const tw_path_options *o)
{
    const tw_method_info *method = tw_method_find(o->kernel_method);
    p->ais = TW_AIS_DEFAULTS;
    if (method) p->ais.kernel.method = method->method; /* else auto: hmc */
    p->kernel = tw_method_name(p->ais.kernel.method);
    p->ais.kernel.solver_tolerance = o->solver_tol;
    p->ais.kernel.fixed_point = (size_t)o->fixed_point;
    p->ais.kernel.threads = tw_terminal_threads(o->threads);
    p->ais.beta = p->beta;
    p->ais.steps = p->temperatures;
    p->ais.particles = (size_t)o->particles;
    p->ais.moves = (size_t)o->moves;
    p->ais.eps = o->eps;
    p->ais.leapfrog_steps = (size_t)o->steps;
    p->ais.burn_in = (size_t)o->burn_in;
    p->ais.seed = o->seed;
    return choose_metric(p, o->metric);
}

tw_status tw_path_open(const tw_model *model, const tw_path_options *options, bool quiet, tw_path *p)
{
    p->model = model;
    TW_TRY(make_schedule(p, options));
    TW_TRY(read_start(p, options->from));
    TW_TRY(fit(p, options->from, quiet));
    if (needs_fit(options->from)) TW_TRY(choose_fit(p, options->from));
    TW_TRY(make_transitions(p, options));
    if (p->beta) return TW_OK;
    tw_terminal_progress(quiet, "temperatures ...");
    return adapt_schedule(p, options);
}
