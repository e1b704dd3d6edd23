/* auto.c: choose a sampler by short pilot runs.
 *
 * Candidates lean on EP's Gaussian, or on Laplace's where EP failed. Each is run for a short while, and the
 * one with the most effective draws of its worst latent per flop of the cost model (cost.c) wins. Chains may
 * have more effective draws than draws, but hardly twice as many: a candidate that would lose even so, at the
 * least that one step can cost, is not run. (That spares most problems the Riemannian pilot, n^3 a step.) One
 * whose trajectories turn out so long that it would lose by twice that margin is given up on the way.
 *
 * A hundred draws cannot show a correlation time of hundreds: a slow chain looks better than it is. Slice
 * sampling, which is cheap, runs a second, thinned pilot where the first found few effective draws.
 */
#include <math.h>

#include "sample/cost.h"
#include "sample/sampler.h"
#include "sample/warmup.h"

enum { FIRST_LOOK = 20, PILOT_STEPS = 200, MOST_THINNED = 16, SECOND_PILOT = 64 };
static const double most_ess_per_draw = 2.0, over_dispersed = 1.5;

tw_status tw_auto_find_modes(const tw_model *model, bool *several)
{
    tw_approximation *laplace = NULL;
    *several = false;
    if (!model->observed.likelihood->peak) return TW_OK;
    tw_status status = tw_laplace_fit(model, NULL, &laplace);
    *several = status == TW_OK && laplace->several_modes;
    tw_approximation_free(laplace);
    return status == TW_NO_MEMORY ? status : TW_OK; /* a Laplace that fails says nothing of modes */
}

tw_status tw_auto_approximation(const tw_model *model, const tw_ep_options *options, tw_approximation **out)
{
    TW_TRY(tw_ep_fit(model, options, out));
    if ((*out)->converged) return TW_OK;
    tw_warn(model->ctx, &(tw_warning){.code = TW_WARN_STAND_IN, .number = {(double)(*out)->iterations}});
    tw_approximation_free(*out);
    return tw_laplace_fit(model, NULL, out);
}

static void add(tw_choice *choice, tw_method method, tw_metric metric)
{
    choice->candidates[choice->count++] = (tw_candidate){.method = method,
                                                         .metric = metric,
                                                         .reason = "",
                                                         .eps = NAN,
                                                         .acceptance = NAN,
                                                         .ess_per_draw = NAN,
                                                         .flops_per_draw = NAN,
                                                         .efficiency = NAN};
}

/* The trials of all methods that apply to this posterior, in order of their turns. Where there are several modes only those that
 * take their metric from the prior, which covers all of them. */
static void list_candidates(const tw_posterior *p, tw_choice *choice)
{
    unsigned last = 0;
    *choice = (tw_choice){0};
    for (unsigned turn = 1; turn <= last || turn == 1; turn++)
        for (size_t m = 0; m < TW_METHOD_COUNT; m++) {
            const tw_trial *trial = tw_method_row_of((tw_method)m)->trials;
            for (size_t k = 0; k < TW_MOST_TRIALS; k++) {
                if (trial[k].turn > last) last = trial[k].turn;
                if (trial[k].turn != turn || (trial[k].applies && !trial[k].applies(p))) continue;
                if (p->several_modes && trial[k].metric != TW_METRIC_PRIOR) continue;
                if (choice->count < TW_AUTO_MAX_CANDIDATES) add(choice, (tw_method)m, trial[k].metric);
            }
        }
}

static tw_status measure(const tw_auto_options *o, tw_sampling *sampling, const tw_draws *draws,
                         tw_candidate *c)
{
    tw_chains_summary summary;
    TW_TRY(tw_draws_summarise(draws, o->sampler.threads, NULL, &summary));
    c->tried = true;
    c->eps = draws->tuning.eps;
    c->steps = draws->tuning.steps;
    c->acceptance = summary.acceptance;
    c->ess_per_draw = isnan(summary.ess_min) ? 0.0 : summary.ess_min / (double)draws->sampling.transitions;
    c->flops_per_draw = tw_cost_per_transition(sampling->sampler, draws);
    c->efficiency = c->ess_per_draw / c->flops_per_draw;
    return TW_OK;
}

/* A pilot on its way, for those who watch and may end it. */
typedef struct watch {
    tw_context *ctx;
    const tw_auto_options *options;
    const tw_candidate *candidate;
    size_t total; /* iterations */
    tw_sampler *sampler;
    double step,
        to_beat; /* the least that one step costs, of a method that may be given up; the efficiency of
                             the best so far */
    size_t done; /* iterations */
    bool hopeless;
} watch;

/* By the steps that were taken so far, in the mean of the transitions: not by a clock. */
static bool is_hopeless(const watch *w)
{
    tw_sampler *s = w->sampler;
    double transitions = (double)(w->done * s->columns);
    if (!s->method->work || w->done < FIRST_LOOK) return false;
    return most_ess_per_draw * transitions < 0.5 * w->to_beat * s->method->work(s) * w->step;
}

static bool asked_to_end(void *user)
{
    watch *w = user;
    w->done++;
    w->hopeless = is_hopeless(w);
    return w->hopeless || tw_poll(w->ctx) != TW_OK;
}

/* Called before that. */
static bool relay(void *user, const tw_progress *p)
{
    const watch *w = user;
    tw_progress now = TW_PROGRESS("pilot", "iterations", w->done + 1, w->total);
    now.method = tw_method_name(w->candidate->method);
    now.metric = tw_metric_name(w->candidate->metric);
    now.acceptance = p->acceptance;
    return w->options->on_progress(w->options->user, &now);
}

static tw_status run_pilot(const tw_auto_options *o, uint64_t number, size_t thin, double to_beat,
                           tw_sampling *sampling, tw_candidate *c)
{
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    tw_draws *draws = NULL;
    run.warmup = o->warmup;
    run.draws = o->draws;
    run.thin = thin;
    run.target_accept = o->target_accept;
    run.seed = o->seed;
    run.pilot = number;
    run.max_steps = PILOT_STEPS;
    watch w = {.ctx = sampling->ctx,
               .options = o,
               .candidate = c,
               .total = o->warmup + o->draws * thin,
               .sampler = sampling->sampler,
               .to_beat = to_beat};
    if (w.sampler->method->work) w.step = w.sampler->method->least_cost(w.sampler);
    run.user = &w;
    if (o->on_progress) run.on_progress = relay;
    TW_TRY(tw_chains_run_until(sampling->sampler, &run, asked_to_end, &draws));
    tw_status status = TW_OK;
    if (w.hopeless)
        c->reason = "given up: it would lose even with two effective draws for each draw of so many steps";
    else
        status = draws->interrupted ? tw_interrupt(w.ctx) : measure(o, sampling, draws, c);
    tw_draws_free(draws);
    return status;
}

/* The first pilot and, for methods that want it and are slow, one that is thinned to about two kept draws for an
 * effective one. */
static tw_status run_pilots(const tw_auto_options *o, uint64_t number, double to_beat, tw_sampling *sampling,
                            tw_candidate *c)
{
    TW_TRY(run_pilot(o, number, 1, to_beat, sampling, c));
    if (!sampling->sampler->method->second_pilot) return TW_OK;
    double thin = fmin(MOST_THINNED, 0.5 / fmax(c->ess_per_draw, 1e-3));
    return thin < 2.0 ? TW_OK : run_pilot(o, number + SECOND_PILOT, (size_t)thin, to_beat, sampling, c);
}

/* Run the candidate unless it cannot reach the efficiency `to_beat`. */
static tw_status try_candidate(const tw_posterior *p, const tw_auto_options *o, uint64_t number,
                               double to_beat, tw_candidate *c)
{
    tw_sampler_options options = o->sampler;
    tw_sampling *sampling = NULL;
    options.method = c->method;
    options.metric = c->metric;
    TW_TRY(tw_sampling_new(p, &options, o->chains, &sampling));
    tw_status status =
        tw_sampler_start(sampling->sampler, p->approximation->reference, over_dispersed, o->seed);
    tw_sampler *s = sampling->sampler;
    if (status == TW_OK && most_ess_per_draw / s->method->least_cost(s) < to_beat)
        c->reason = "skipped: too expensive to win";
    else if (status == TW_OK)
        status = run_pilots(o, number, to_beat, sampling, c);
    tw_sampling_free(sampling);
    return status;
}

tw_status tw_auto_choose(const tw_posterior *p, const tw_auto_options *options, tw_choice *out)
{
    tw_auto_options defaults = TW_AUTO_DEFAULTS;
    const tw_auto_options *o = options ? options : &defaults;
    *out = (tw_choice){0};
    if (!p->approximation)
        return tw_fail(p->model->ctx, TW_BAD_ARGUMENT, "the automatic choice needs an approximation");
    list_candidates(p, out);
    double best = 0.0;
    for (size_t k = 0; k < out->count; k++) {
        tw_candidate *c = &out->candidates[k];
        TW_TRY(try_candidate(p, o, k + 1, best, c));
        if (!(c->efficiency > best)) continue;
        out->best = k;
        best = c->efficiency;
    }
    return TW_OK;
}
