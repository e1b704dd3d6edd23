/* sampling_plan.c: make a plan from options: the Gaussian approximation, the target, and the choice of the
 * sampler. */
#include "sample/sampling_plan.h"

#include <string.h>

#include "base/team.h"
#include "model/model.h"

void tw_sampling_plan_free(tw_sampling_plan *p)
{
    if (!p) return;
    tw_approximation_free(p->own);
    tw_head_start_release(&p->head);
    tw_release(p->ctx, p);
}

tw_chains_options tw_sampling_chains(const tw_sampling_options *o)
{
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    run.warmup = o->warmup;
    run.draws = o->draws > 0 ? o->draws : o->max_draws;
    run.until_ess = o->draws > 0 ? 0.0 : o->until_ess;
    run.thin = o->thin;
    run.eps = o->eps;
    run.steps = o->steps;
    run.target_accept = o->target_accept;
    run.seed = o->seed;
    run.keep = o->keep;
    return run;
}

/* ---- numbers that the user left automatic ---- */

/* The number of chains. Chains in lockstep share every product with a matrix, which waits for memory if there
 * are few: 32 chains take twice the time of four and give eight times as many draws. A method that moves
 * columns one by one gets four chains. A run keeps 64 draws of each chain before its first look; with at most
 * MOST_NUMBERS numbers in a draw of all chains they take 512 MB. */
static size_t count_chains(const tw_sampling_options *o, size_t n)
{
    enum { FEWEST = 4, MOST_NUMBERS = 1 << 20 };
    const tw_method_info *method = tw_method_find(o->method);
    bool one_by_one = method && tw_method_row_of(method->method)->piece_columns == 1;
    size_t most = one_by_one ? FEWEST : TW_TILE_COLUMNS, room = MOST_NUMBERS / (n > 0 ? n : 1);
    if (o->chains != TW_AUTOMATIC) return o->chains;
    if (o->positions && o->position_columns > 1) return o->position_columns;
    return room < FEWEST ? FEWEST : room < most ? room : most;
}

/* The iterations of warm-up. Tuning needs a number of transitions of all chains together, but every chain
 * must forget its start, hence a minimum for each. */
static size_t count_warmup(const tw_sampling_options *o, size_t chains)
{
    enum { TRANSITIONS = 2000, FEWEST = 200, MOST = 500 };
    size_t each = TRANSITIONS / chains;
    if (o->warmup != TW_AUTOMATIC) return o->warmup;
    return each < FEWEST ? FEWEST : each < MOST ? each : MOST;
}

bool tw_is_past(double deadline)
{
    return deadline > 0.0 && tw_wall_seconds() > deadline;
}

/* ---- making the plan ---- */

typedef struct maker {
    tw_sampling_plan *plan;
    const tw_sampling_options *o;
    const tw_sampling_watch *watch;
    bool automatic;
} maker;

/* End if the caller's function says so or the deadline has passed. */
static bool on_progress(void *user, const tw_progress *now)
{
    const maker *m = user;
    bool asked = m->watch && m->watch->progress && m->watch->progress(m->watch->user, now);
    return asked || tw_is_past(m->plan->deadline);
}

static const tw_store *store_of(const maker *m)
{
    return m->watch ? m->watch->store : NULL;
}

/* ---- the Gaussian approximation ---- */

/* The pilot runs need one, and so may the metric, the start of the chains, and q. */
static bool needs_fit(const maker *m)
{
    const tw_sampling_options *o = m->o;
    const tw_metric_info *metric = tw_metric_describe(m->plan->sampler.metric);
    return m->automatic || metric->needs_gaussian || metric->needs_smoothing ||
           (!o->positions && strcmp(o->init, "ep") == 0) || (!o->reference && strcmp(o->from, "ep") == 0);
}

static tw_status fit(maker *m)
{
    tw_sampling_plan *p = m->plan;
    tw_ep_options ep = TW_EP_DEFAULTS;
    ep.user = m;
    ep.on_progress = on_progress;
    double start = tw_wall_seconds();
    TW_TRY(tw_auto_find_modes(p->posterior.model, &p->posterior.several_modes));
    if (m->o->ep && m->o->ep->converged) {
        p->posterior.approximation = m->o->ep;
        return TW_OK;
    }
    TW_TRY(tw_auto_approximation(p->posterior.model, &ep, &p->own));
    p->posterior.approximation = p->own;
    p->fit_seconds = tw_wall_seconds() - start;
    return TW_OK;
}

/* ---- the sampler ---- */

static tw_sampler_options sampler_of(const tw_sampling_options *o)
{
    tw_sampler_options s = TW_SAMPLER_DEFAULTS;
    const tw_method_info *method = tw_method_find(o->method);
    if (method) { /* otherwise the pilot runs choose */
        s.method = method->method;
        s.metric = strcmp(o->metric, "auto") == 0 ? method->metrics[0] : tw_metric_find(o->metric)->metric;
    }
    s.solver_tolerance = o->solver_tolerance;
    s.fixed_point = o->fixed_point;
    s.reverse_check = o->reverse_check;
    s.threads = tw_threads(o->threads);
    return s;
}

/* Chains can continue from the end of the winner's pilot run unless the user gave another start. */
static bool takes_head(const maker *m)
{
    return !m->o->positions && strcmp(m->o->init, "ep") == 0;
}

static tw_status run_pilots(maker *m)
{
    tw_sampling_plan *p = m->plan;
    tw_auto_options o = TW_AUTO_DEFAULTS;
    o.chains = p->chains;
    o.warmup = m->o->warmup;
    o.draws = m->o->draws;
    o.until_ess = m->o->until_ess;
    o.target_accept = p->run.target_accept;
    o.seed = p->run.seed;
    o.sampler = p->sampler;
    o.user = m;
    o.on_progress = on_progress;
    double start = tw_wall_seconds();
    TW_TRY(tw_auto_race(&p->posterior, &o, &p->choice, takes_head(m) ? &p->head : NULL));
    p->pilot_seconds = tw_wall_seconds() - start - p->head.seconds;
    return TW_OK;
}

static tw_status choose(maker *m)
{
    tw_sampling_plan *p = m->plan;
    bool found = false;
    if (!m->automatic) return TW_OK;
    TW_TRY(tw_sampling_get_choice(store_of(m), p, &found));
    if (!found) TW_TRY(run_pilots(m));
    p->sampler.method = p->choice.candidates[p->choice.best].method;
    p->sampler.metric = p->choice.candidates[p->choice.best].metric;
    if (p->head.x) p->run.warmup = p->head.warmup;
    return TW_OK;
}

/* ---- the plan ---- */

/* Check that all members of the team have the same model and options: otherwise their chains would not be
 * those of one run. */
static tw_status agree(const maker *m)
{
    const tw_sampling_options *o = m->o;
    const uint64_t numbers[] = {o->seed,      m->plan->chains, o->warmup, o->draws,
                                o->max_draws, o->thin,         o->steps};
    const tw_model *model = m->plan->posterior.model;
    TW_TRY(tw_model_agree(model->ctx, &model->observed, 0, NULL, NULL));
    return tw_team_agree(
        m->plan->ctx, tw_checksum(TW_CHECKSUM_START, sizeof numbers / sizeof *numbers, numbers), "options");
}

static tw_status make(maker *m)
{
    tw_sampling_plan *p = m->plan;
    const tw_sampling_options *o = m->o;
    TW_TRY(agree(m));
    p->sampler = sampler_of(o);
    p->run = tw_sampling_chains(o);
    p->run.warmup = count_warmup(o, p->chains);
    if (needs_fit(m)) TW_TRY(fit(m));
    p->posterior.from = o->reference;
    if (!o->reference && strcmp(o->from, "ep") == 0 && p->posterior.approximation)
        p->posterior.from = p->posterior.approximation->reference;
    TW_TRY(choose(m));
    TW_TRY(tw_sampling_get_chains(store_of(m), p));
    if (p->earlier.count == 0) tw_sampling_put_choice(store_of(m), p);
    return TW_OK;
}

tw_status tw_sampling_plan_new(const tw_model *model, const tw_sampling_options *options,
                               const tw_sampling_watch *watch, tw_sampling_plan **out)
{
    tw_sampling_options defaults = TW_SAMPLING_DEFAULTS;
    const tw_sampling_options *o = options ? options : &defaults;
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_sampling_options_check(model->ctx, o));
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_sampling_plan), "a plan", &memory));
    tw_sampling_plan *p = memory;
    *p = (tw_sampling_plan){.ctx = model->ctx,
                            .posterior = {.model = model, .beta = o->beta},
                            .from = o->from,
                            .init = o->init,
                            .positions = o->positions,
                            .position_rows = o->position_rows,
                            .position_columns = o->position_columns,
                            .chains = count_chains(o, tw_model_describe(model).n),
                            .deadline = o->max_seconds > 0.0 ? tw_wall_seconds() + o->max_seconds : 0.0};
    maker m = {.plan = p, .o = o, .watch = watch, .automatic = strcmp(o->method, "auto") == 0};
    tw_status status = make(&m);
    if (status != TW_OK) {
        tw_sampling_plan_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}
