/* evidence_plan.c: make a plan from options: the fits, the start of the path, temperatures, transitions, and
 * the options of every method.
 *
 * The default schedule depends on the start of the path; it was chosen on the data sets of docs/evidence.md.
 * From a Gaussian fit it has 50 equal steps. From the prior it has 400 steps that are equal in log b, because
 * R = log p(y, x) - log q(x) then varies by orders of magnitude more near b = 0.
 */
#include "evidence/evidence_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/team.h"
#include "model/model.h"

enum {
    PRIOR_TEMPERATURES = 400,
    FIT_TEMPERATURES = 50,
    PRIOR_LADDER = 40,   /* steps of parallel tempering's ladder from the prior */
    LEAST_LADDER = 8,    /* of which the warm-up keeps at least this many */
    MOST_EFFORT = 64,    /* a goal for the error may use this multiple of `particles` */
    ISLAND_PARTICLES = 4 /* the smallest island of resample-move, if there are few particles */
};
static const double prior_beta_min = 1e-7, fit_beta_min = 0.01;
static const double adaptive_fraction = 0.98; /* of the effective sample size that a step keeps */

void tw_evidence_plan_free(tw_evidence_plan *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    tw_reference_free(p->prior);
    tw_fits_release(&p->fits);
    tw_release(ctx, p->beta);
    tw_release(ctx, p->ladder);
    tw_release(ctx, p);
}

typedef struct maker {
    tw_evidence_plan *plan;
    const tw_evidence_options *o;
    const tw_evidence_watch *watch;
    bool from_prior, adaptive;
    tw_schedule_kind kind;
    double beta_min;
} maker;

/* ---- fits ---- */

/* Use the caller's fits, which the caller releases, or make fits. */
static tw_status fit(maker *m)
{
    tw_fits *fits = &m->plan->fits;
    tw_fits_options o = TW_FITS_DEFAULTS;
    if (m->o->fits) {
        *fits = *m->o->fits;
        fits->own_laplace = fits->own_ep = NULL;
        return TW_OK;
    }
    if (m->watch) {
        o.user = m->watch->user;
        o.on_progress = m->watch->progress;
    }
    return tw_fits_make(m->plan->model, &o, fits);
}

/* ---- the start of the path ---- */

static bool log_concave(const tw_model *model)
{
    return !model->observed.likelihood->peak;
}

static tw_status start_from_prior(maker *m)
{
    m->from_prior = true;
    m->plan->from = "prior";
    TW_TRY(tw_reference_prior(m->plan->model, &m->plan->prior));
    m->plan->reference = m->plan->prior;
    return TW_OK;
}

/* Start from EP or Laplace's approximation, as requested, if it converged. EP that did not converge is
 * replaced, with a warning, by Laplace's approximation if the likelihood is log-concave, otherwise by the
 * prior. EP is also replaced by the prior if the posterior has several modes: particles that start at one
 * mode reach the others by chance, and the weights do not show it. Laplace's approximation of a likelihood
 * that is not log-concave gives a warning for the same reason. */
static tw_status choose_fit(maker *m)
{
    tw_evidence_plan *p = m->plan;
    bool ep = strcmp(m->o->from, "ep") == 0;
    const tw_approximation *wanted = ep ? p->fits.ep : p->fits.laplace;
    tw_warning instead = {.code = TW_WARN_FROM_LAPLACE, .number = {wanted ? wanted->residual : NAN}};
    if (ep && wanted && wanted->converged && p->fits.laplace && p->fits.laplace->several_modes) {
        tw_warnings_add(&p->warnings, &(tw_warning){.code = TW_WARN_FROM_PRIOR_MODES});
        return start_from_prior(m);
    }
    if (wanted && wanted->converged) {
        p->fits.gaussian = wanted;
    } else if (ep && !log_concave(p->model)) {
        instead.code = TW_WARN_FROM_PRIOR;
        tw_warnings_add(&p->warnings, &instead);
        return start_from_prior(m);
    } else if (!ep || !p->fits.gaussian) {
        return tw_fail(p->ctx, TW_NOT_CONVERGED,
                       "%s did not converge (residual %.1e), so the path cannot start from it: start from "
                       "the prior, or check the scale of the inputs and the length scale",
                       ep ? "neither EP nor Laplace's approximation" : "Laplace's approximation",
                       wanted ? wanted->residual : NAN);
    } else {
        tw_warnings_add(&p->warnings, &instead);
    }
    p->from = p->fits.gaussian == p->fits.ep ? "ep" : "laplace";
    p->reference = p->fits.gaussian->reference;
    p->one_mode = !ep && !log_concave(p->model);
    if (p->one_mode) tw_warnings_add(&p->warnings, &(tw_warning){.code = TW_WARN_ONE_MODE});
    return TW_OK;
}

static tw_status choose_start(maker *m)
{
    tw_evidence_plan *p = m->plan;
    p->from = m->o->from;
    if (m->o->reference) {
        p->reference = m->o->reference;
        return TW_OK;
    }
    return m->from_prior ? start_from_prior(m) : choose_fit(m);
}

/* ---- temperatures ---- */

/* Fill the schedule, unless it is adaptive, which needs transitions (adapt_schedule). */
static tw_status make_schedule(maker *m)
{
    const tw_evidence_options *o = m->o;
    tw_evidence_plan *p = m->plan;
    bool automatic = !o->beta && strcmp(o->schedule, "auto") == 0;
    p->own_schedule = !automatic || o->temperatures > 0;
    p->schedule = !automatic ? o->schedule : m->from_prior ? "geometric" : "linear";
    m->kind = TW_SCHEDULE_LINEAR;
    (void)tw_schedule_named(p->schedule, &m->kind);
    m->beta_min = o->beta_min > 0.0 ? o->beta_min : m->from_prior ? prior_beta_min : fit_beta_min;
    if (m->adaptive) return TW_OK;
    p->temperatures = o->temperatures ? o->temperatures
                      : m->from_prior ? PRIOR_TEMPERATURES
                                      : FIT_TEMPERATURES;
    TW_TRY(tw_allocate_doubles(p->ctx, p->temperatures + 1, 1, "the temperatures", &p->beta));
    if (!o->beta) return tw_schedule_fill(p->ctx, m->kind, p->temperatures, m->beta_min, p->beta);
    memcpy(p->beta, o->beta, (p->temperatures + 1) * sizeof *p->beta);
    return TW_OK;
}

/* Choose the temperatures in a pilot run, which has no part in the estimate: each step keeps
 * adaptive_fraction of its effective sample size. */
static tw_status adapt_schedule(maker *m)
{
    tw_evidence_plan *p = m->plan;
    tw_rm_options rm = p->rm;
    rm.beta = NULL;
    rm.fraction = adaptive_fraction;
    if (m->o->temperatures) rm.max_temperatures = m->o->temperatures;
    const tw_evidence_watch *w = m->watch;
    tw_progress now = TW_PROGRESS("temperatures", NULL, 0, 0);
    bool stops = w && w->progress && tw_team_leads(p->ctx) && w->progress(w->user, &now);
    if (tw_team_stops(p->ctx, stops)) return tw_interrupt(p->ctx);
    TW_TRY(tw_allocate_doubles(p->ctx, rm.max_temperatures + 1, 1, "the temperatures", &p->beta));
    return tw_schedule_adapt(p->model, p->reference, &rm, &p->temperatures, p->beta);
}

/* ---- transitions ---- */

/* The metric ep is the precision of the best Gaussian fit, and the metric smoothed averages over its
 * marginals. */
static tw_status choose_metric(maker *m, tw_sampler_options *kernel)
{
    tw_evidence_plan *p = m->plan;
    tw_metric best = tw_method_describe(kernel->method)->metrics[0];
    if (best == TW_METRIC_EP && m->from_prior) best = TW_METRIC_PRIOR;
    const tw_metric_info *metric =
        strcmp(m->o->metric, "auto") != 0 ? tw_metric_find(m->o->metric) : tw_metric_describe(best);
    p->metric = metric->name;
    kernel->metric = metric->metric;
    if (!metric->needs_gaussian && !metric->needs_smoothing) return TW_OK;
    if (!p->fits.gaussian)
        return tw_fail(p->ctx, TW_NOT_CONVERGED,
                       "the metric %s needs a fit, but neither EP nor Laplace's approximation converged: use "
                       "another metric",
                       p->metric);
    kernel->gaussian = p->fits.gaussian->reference;
    kernel->smoothing = p->fits.gaussian->variance;
    return TW_OK;
}

/* Is a method among them that anneals, and so cannot correct transitions that miss a tail? Tempering shows it by its
 * round trips. */
static bool anneals(const tw_evidence_plan *p)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->method[k] != TW_EVIDENCE_TEMPERING) return true;
    return false;
}

static tw_status choose_kernel(maker *m, tw_sampler_options *kernel)
{
    const tw_evidence_options *o = m->o;
    const tw_method_info *method = tw_method_find(o->kernel_method);
    *kernel = TW_SAMPLER_DEFAULTS;
    if (method) kernel->method = method->method; /* otherwise auto: hmc */
    m->plan->kernel = tw_method_name(kernel->method);
    kernel->solver_tolerance = o->solver_tolerance;
    kernel->fixed_point = o->fixed_point;
    kernel->threads = tw_threads(o->threads);
    TW_TRY(choose_metric(m, kernel));
    if (kernel->method == TW_METHOD_SLICE && kernel->metric == TW_METRIC_EP && anneals(m->plan))
        tw_warnings_add(&m->plan->warnings, &(tw_warning){.code = TW_WARN_SLICE_EP});
    return TW_OK;
}

/* ---- methods ---- */

static void plan_ais(maker *m, const tw_sampler_options *kernel)
{
    const tw_evidence_options *o = m->o;
    tw_ais_options *ais = &m->plan->ais;
    *ais = TW_AIS_DEFAULTS;
    ais->kernel = *kernel;
    ais->particles = o->particles;
    ais->moves = o->moves;
    ais->eps = o->eps;
    ais->steps = o->steps;
    ais->burn_in = o->burn_in;
    ais->seed = o->seed;
}

/* With few particles there are fewer islands, of ISLAND_PARTICLES each, but at least two. */
static void plan_rm(maker *m, const tw_sampler_options *kernel)
{
    const tw_evidence_options *o = m->o;
    tw_rm_options *rm = &m->plan->rm;
    *rm = TW_RM_DEFAULTS;
    rm->kernel = *kernel;
    rm->particles = o->particles;
    if (rm->particles < ISLAND_PARTICLES * rm->islands)
        rm->islands = rm->particles < (size_t)2 * ISLAND_PARTICLES ? 2 : rm->particles / ISLAND_PARTICLES;
    if (rm->particles < 2 * rm->islands) rm->particles = 2 * rm->islands;
    rm->eps = o->eps;
    rm->steps = o->steps;
    rm->seed = o->seed;
}

/* From the prior the ladder is geometric and longer. The warm-up tunes every ladder to equal swap rates; if
 * this one is so long that replicas do not travel, the warm-up removes temperatures, down to LEAST_LADDER
 * steps. */
static tw_status plan_pt(maker *m, const tw_sampler_options *kernel)
{
    const tw_evidence_options *o = m->o;
    tw_evidence_plan *p = m->plan;
    tw_pt_options *pt = &p->pt;
    *pt = TW_PT_DEFAULTS;
    pt->kernel = *kernel;
    pt->copies = o->copies;
    pt->rounds = pt->warmup = o->rounds;
    pt->moves = o->moves;
    pt->eps = o->eps;
    pt->steps = o->steps;
    pt->seed = o->seed;
    if (p->own_schedule || !m->from_prior) return TW_OK;
    TW_TRY(tw_allocate_doubles(p->ctx, PRIOR_LADDER + 1, 1, "the ladder", &p->ladder));
    pt->temperatures = PRIOR_LADDER;
    pt->least_temperatures = LEAST_LADDER;
    pt->beta = p->ladder;
    return tw_schedule_fill(p->ctx, m->kind, PRIOR_LADDER, m->beta_min, p->ladder);
}

/* AIS always uses the schedule, the other methods only if the caller gave it. */
static void assign_schedule(tw_evidence_plan *p)
{
    p->ais.beta = p->beta;
    p->ais.temperatures = p->temperatures;
    if (!p->own_schedule) return;
    p->pt.beta = p->rm.beta = p->beta;
    p->pt.temperatures = p->rm.temperatures = p->temperatures;
}

/* Check that all members of the team have the same model and options: otherwise their particles would not be
 * those of one run. */
static tw_status agree(const maker *m)
{
    const tw_evidence_options *o = m->o;
    const uint64_t numbers[] = {o->seed,         o->particles, o->copies, o->rounds,
                                o->temperatures, o->moves,     o->steps};
    const tw_model *model = m->plan->model;
    TW_TRY(tw_model_agree(model->ctx, &model->observed, 0, NULL, NULL));
    return tw_team_agree(
        m->plan->ctx, tw_checksum(TW_CHECKSUM_START, sizeof numbers / sizeof *numbers, numbers), "options");
}

static tw_status make(maker *m)
{
    tw_evidence_plan *p = m->plan;
    tw_sampler_options kernel;
    TW_TRY(agree(m));
    TW_TRY(tw_evidence_read_methods(p->ctx, m->o->methods, &p->count, p->method));
    TW_TRY(fit(m));
    if (isfinite(p->fits.correction.log_z) && !p->fits.correction.decreasing)
        tw_warnings_add(&p->warnings, &(tw_warning){.code = TW_WARN_CORRECTION});
    TW_TRY(choose_start(m));
    TW_TRY(make_schedule(m));
    TW_TRY(choose_kernel(m, &kernel));
    plan_ais(m, &kernel);
    plan_rm(m, &kernel);
    TW_TRY(plan_pt(m, &kernel));
    if (m->adaptive) TW_TRY(adapt_schedule(m));
    assign_schedule(p);
    return TW_OK;
}

tw_status tw_evidence_plan_new(const tw_model *model, const tw_evidence_options *options,
                               const tw_evidence_watch *watch, tw_evidence_plan **out)
{
    tw_evidence_options defaults = TW_EVIDENCE_DEFAULTS;
    const tw_evidence_options *o = options ? options : &defaults;
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_evidence_options_check(model->ctx, o));
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_evidence_plan), "a plan", &memory));
    tw_evidence_plan *p = memory;
    *p = (tw_evidence_plan){.ctx = model->ctx, .model = model, .until_se = o->until_se};
    p->max_particles = o->max_particles ? o->max_particles : MOST_EFFORT * o->particles;
    maker m = {.plan = p, .o = o, .watch = watch};
    m.from_prior = strcmp(o->from, "prior") == 0 && !o->reference;
    m.adaptive = strcmp(o->schedule, "adaptive") == 0 && !o->beta;
    tw_status status = make(&m);
    if (status != TW_OK) {
        tw_evidence_plan_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}

void tw_evidence_plan_print(const tw_evidence_plan *p, char words[TW_WORDS_BYTES])
{
    snprintf(words, TW_WORDS_BYTES,
             "path from %s, %zu temperature%s (%.300s); %s with metric %s, %zu transition%s at each", p->from,
             p->temperatures, p->temperatures == 1 ? "" : "s", p->schedule, p->kernel, p->metric,
             p->ais.moves, p->ais.moves == 1 ? "" : "s");
}
