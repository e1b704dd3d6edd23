/* sampling_run.c: run the chains of a plan: start, warm-up, sampling, summary and warnings. */
#include <string.h>

#include "sample/sampling_plan.h"
#include "sample/summarise.h"

/* Starts have 1.5 times the standard deviations of EP, so that R-hat can detect chains that have not
 * converged. */
static const double over_dispersed = 1.5;

static tw_status start(const tw_sampling_plan *p, tw_sampler *sampler)
{
    tw_reference *prior = NULL;
    if (p->head.x) return tw_sampler_start_at(sampler, sampler->n, sampler->columns, p->head.x);
    if (p->positions)
        return tw_sampler_start_at(sampler, p->position_rows, p->position_columns, p->positions);
    if (strcmp(p->init, "ep") == 0)
        return tw_sampler_start(sampler, p->posterior.approximation->reference, over_dispersed, p->run.seed);
    TW_TRY(tw_reference_prior(p->posterior.model, &prior));
    tw_status status = tw_sampler_start(sampler, prior, 1.0, p->run.seed);
    tw_reference_free(prior);
    return status;
}

/* ---- callbacks ---- */

/* The last call in warm-up sets the time at which warm-up ended. */
static bool on_progress(void *user, const tw_progress *now)
{
    tw_sampling_job *j = user;
    if (strcmp(now->stage, "warm-up") == 0) {
        j->warm = tw_wall_seconds();
        j->warm_cpu = tw_cpu_seconds();
    }
    j->late = tw_is_past(j->plan->deadline);
    bool asked = j->watch && j->watch->progress && j->watch->progress(j->watch->user, now);
    return asked || j->late;
}

static tw_status on_draw(void *user, const tw_draw *draw)
{
    const tw_sampling_job *j = user;
    return j->watch->on_draw(j->watch->user, draw);
}

static tw_status on_look(void *user, tw_chains_summary *out)
{
    const tw_sampling_job *j = user;
    return j->watch->on_look(j->watch->user, out);
}

static bool wants_state(void *user)
{
    const tw_sampling_job *j = user;
    return j->watch->store->is_due(j->watch->store->user);
}

/* A run that was interrupted before its first draw repeats its warm-up, with identical results. */
static tw_status run_chains(tw_sampling_job *j, tw_sampler *sampler, tw_draws **out)
{
    const tw_sampling_plan *p = j->plan;
    tw_chains_options o = p->run;
    o.user = j;
    o.on_progress = on_progress;
    if (j->watch && j->watch->on_draw) o.on_draw = on_draw;
    if (j->watch && j->watch->on_look) o.on_look = on_look;
    if (j->watch && j->watch->store) {
        o.wants_state = wants_state;
        o.on_state = tw_sampling_put_chains;
    }
    if (p->earlier.count > 0) o.resume = &p->earlier;
    if (p->head.x) o.known = &p->head.tuning;
    double now = tw_wall_seconds();
    j->warm = now - p->earlier_sampling;
    j->start = j->warm - p->earlier_warmup;
    j->warm_cpu = tw_cpu_seconds();
    return tw_chains_run(sampler, &o, out);
}

/* ---- the run ---- */

/* Without an ESS goal, an ESS below TW_ESS_ENOUGH is a warning; in an interrupted run with a goal, an ESS
 * below the goal. A run that ended at its largest number of draws without reaching its goal gets one warning
 * that says so. */
void tw_sampling_judge(tw_sampling_result *r)
{
    const tw_draws *d = r->draws;
    tw_warning ended = {.code = r->out_of_time ? TW_WARN_TIME : TW_WARN_INTERRUPTED,
                        .number = {(double)d->draws}};
    tw_warning missed = {.code = TW_WARN_ESS_GOAL,
                         .number = {r->summary.ess_min, d->until_ess, (double)d->draws}};
    double enough = !(d->until_ess > 0.0) ? TW_ESS_ENOUGH : d->interrupted ? d->until_ess : 0.0;
    r->warnings.count = 0;
    if (d->interrupted) tw_warnings_add(&r->warnings, &ended);
    tw_judge_chains(d->chains, d->draws, enough, &r->summary, &d->sampling, &r->warnings);
    if (!d->interrupted && r->summary.ess_min < d->until_ess) tw_warnings_add(&r->warnings, &missed);
}

void tw_sampling_result_release(tw_sampling_result *r)
{
    tw_draws_free(r->draws);
    *r = (tw_sampling_result){0};
}

tw_status tw_sampling_run(const tw_sampling_plan *plan, const tw_sampling_watch *watch,
                          tw_sampling_result *out)
{
    tw_sampling_job j = {.plan = plan, .watch = watch};
    tw_sampling *sampling = NULL;
    *out = (tw_sampling_result){0};
    TW_TRY(tw_sampling_new(&plan->posterior, &plan->sampler, plan->chains, &sampling));
    tw_sampler *s = sampling->sampler;
    if (s->method->reaches && !s->method->reaches(s))
        tw_warn(plan->ctx, &(tw_warning){.code = TW_WARN_SLICE_TAILS});
    tw_status status = start(plan, s);
    if (status == TW_OK) status = run_chains(&j, s, &out->draws);
    out->out_of_time = j.late && out->draws && out->draws->interrupted;
    out->warmup_seconds = plan->head.seconds + j.warm - j.start;
    out->sampling_seconds = tw_wall_seconds() - j.warm;
    out->sampling_cpu_seconds = tw_cpu_seconds() - j.warm_cpu;
    tw_sampling_free(sampling);
    if (status == TW_OK) status = tw_draws_summarise(out->draws, plan->sampler.threads, NULL, &out->summary);
    if (status != TW_OK)
        tw_sampling_result_release(out);
    else if (plan->run.keep)
        tw_sampling_judge(out);
    return status;
}
