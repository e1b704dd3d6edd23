/* pilot.c: the pilot run of one candidate.
 *
 * A pilot runs as many chains as the final run, in lockstep and from the same starts. It has two legs:
 * warm-up with a few draws, and then the draws that measure it. Its rate r of effective draws per draw and its
 * cost per draw give its remaining cost to the goal (pilot_cost.c). A pilot ends early if by that cost it
 * cannot win:
 *   - before it starts, assuming the least cost of a step and r = 1;
 *   - during its first leg, assuming its cost so far and r = 1, or the r that its jumps bound;
 *   - after its first leg, assuming twice the estimated r. A slow sampler with cheap draws also ends here,
 *     but may still win.
 * A pilot does not start, or ends before it is tuned, if all losers together would cost more than a third of
 * the leader's total cost, that is a quarter of the whole.
 *
 * An estimate of r from few effective draws E is too large, because a slow chain does not show how slow it
 * is. So r counts as r E / (E + 100), and as a quarter of that if transitions failed. The race depends only
 * on the seed and on the cost model (cost.h).
 */
#include "sample/pilot.h"

#include <math.h>
#include <string.h>

#include "sample/cost.h"
#include "sample/warmup.h"

enum {
    WATCHED = 64,         /* the largest number of latents that are measured */
    FIRST_ITERATIONS = 8, /* iterations before the cost of a transition is judged */
    ENOUGH_JUMPS = 256,   /* jumps, of all chains, before they are judged */
    PILOT_STEPS = 200,    /* the largest number of leapfrog steps */
    SECOND_LEG = 64       /* added to the pilot's number for the streams of its second leg */
};
static const double best_rate = 1.0, slow_rate = 0.05; /* effective draws per draw */
static const double over_dispersed = 1.5;  /* ratio of the starts' spread to the approximation's */
static const double believed_from = 100.0; /* E at which r counts half */
static const double clearly = 1.5;         /* ratio of costs or rates that an estimate must exceed */

static double within(double low, double x, double high)
{
    return fmax(low, fmin(x, high));
}

/* The number of latents that are measured: every k-th one, at most WATCHED. Measuring all of them would
 * cost more than the draws. */
static size_t watched(size_t n)
{
    size_t step = (n + WATCHED - 1) / WATCHED;
    return (n + step - 1) / step;
}

/* The cost of summarising a pilot's draws. */
static double cost_of_measuring(const tw_auto_options *o, size_t n, size_t draws)
{
    return TW_COST_SUMMARY * (double)(o->chains * draws) * (double)watched(n);
}

/* ---- a running pilot ---- */

typedef struct pilot {
    tw_context *ctx;
    const tw_auto_options *options;
    size_t n;
    tw_leader *leader;
    tw_candidate *candidate;
    tw_sampling *sampling;
    tw_tuning tuning;
    double believed, bound; /* effective draws per draw: the shrunk estimate, and the bound by jumps */
    const double *variance; /* the approximation's */
    double step;            /* the least cost of a step */
    size_t done, total;     /* iterations of this leg */
    size_t used;            /* iterations of all legs */
    double moves, measured; /* the cost of its transitions and of its summaries so far */
    double begun;           /* wall time at its start */
    const char *hopeless;   /* why it cannot win; NULL: it can */
} pilot;

/* The iterations of a leg. Tuning learns from the transitions of all chains together, so many chains need
 * fewer iterations, but each chain must also forget its start. A short run has short pilots. */
typedef struct leg {
    size_t warmup, draws;
} leg;

static leg leg_of(const pilot *p, bool second)
{
    const tw_auto_options *o = p->options;
    const tw_method_row *method = tw_method_row_of(p->candidate->method);
    double chains = (double)o->chains, most = o->draws > 0 ? fmax(20.0, (double)o->draws) : INFINITY;
    double warmup = method->info.has_eps ? within(60.0, 2000.0 / chains, 200.0) : 16.0;
    double draws = second ? within(64.0, 2048.0 / chains, 256.0) : within(16.0, 512.0 / chains, 64.0);
    if (o->warmup != TW_AUTOMATIC) warmup = fmin(warmup, fmax(20.0, (double)o->warmup));
    return (leg){second ? 0 : (size_t)warmup, (size_t)fmin(draws, most)};
}

/* A bound on the effective draws per draw that holds in short runs of slow chains too. With the
 * correlation rho of successive draws, 1 - rho = E (x' - x)^2 / (2 Var x), the autocorrelation time of a
 * reversible chain is at least (1 + rho) / (1 - rho), because it is a convex function of the chain's
 * eigenvalues. The variance is the approximation's. */
static double bound_by_jumps(const pilot *p, const tw_draws *d)
{
    double least = INFINITY;
    size_t step = (d->n + WATCHED - 1) / WATCHED, block = d->n * d->chains;
    for (size_t i = 0; i < d->n; i += step) {
        double sum = 0.0, variance = p->variance[i];
        for (size_t j = i; j + block < block * d->draws; j += d->n)
            sum += (d->x[j + block] - d->x[j]) * (d->x[j + block] - d->x[j]);
        if (variance > 0.0) least = fmin(least, sum / variance);
    }
    double moved = 0.5 * least / (double)(d->chains * (d->draws - 1));
    return fmin(best_rate, moved / fmax(2.0 - moved, moved));
}

static double transitions_of(const tw_draws *d)
{
    return (double)(d->warmup.transitions + d->sampling.transitions);
}

/* The cost of the transitions of this leg; if the method counts its work, of all legs. */
static double cost_so_far(const pilot *p, const tw_draws *d)
{
    tw_sampler *s = p->sampling->sampler;
    double transitions = transitions_of(d);
    if (s->method->work) return p->step * s->method->work(s);
    double steps = (double)(d->warmup.leapfrog_steps + d->sampling.leapfrog_steps);
    return transitions * s->method->cost(s, steps / transitions);
}

/* Is it too expensive even with r = 1? Never against a slow leader, whose cost is underestimated. */
static bool is_too_dear(const pilot *p, double cost)
{
    if (isinf(p->leader->budget)) return false;
    return tw_pilot_cost_to_goal(p->options, p->n, p->leader, best_rate, cost, p->used) >
           clearly * p->leader->flops_to_goal;
}

/* Is it too slow even with the r that its jumps bound? */
static bool moves_too_little(const pilot *p, const tw_draws *d, double cost)
{
    if (d->draws < 2 || d->draws * d->chains < ENOUGH_JUMPS) return false;
    double rate = fmin(best_rate, clearly * bound_by_jumps(p, d));
    return tw_pilot_cost_to_goal(p->options, p->n, p->leader, rate, cost, p->used) > p->leader->flops_to_goal;
}

/* With a pilot of this cost per transition, would the losers exceed the leader's budget? */
static bool is_over_budget(const pilot *p, double cost)
{
    size_t draws = leg_of(p, false).draws + leg_of(p, true).draws;
    double iterations = (double)(leg_of(p, false).warmup + draws);
    double moves = (double)p->options->chains * cost * iterations;
    return p->leader->flops_lost + moves + cost_of_measuring(p->options, p->n, draws) > p->leader->budget;
}

/* Why the pilot cannot win, from the mean cost of its transitions so far. The budget is checked once and
 * early, because a pilot that ends later would have cost something and shown nothing. Only the first leg
 * is judged. */
static const char *why_hopeless(const pilot *p, const tw_draws *d)
{
    bool has_steps = p->sampling->sampler->method->info.has_steps;
    if (p->used > p->done || p->done < FIRST_ITERATIONS) return NULL;
    double cost = cost_so_far(p, d) / transitions_of(d);
    if (has_steps && is_too_dear(p, cost)) return "stopped early: too slow even if every draw were effective";
    if (moves_too_little(p, d, cost)) return "stopped early: too slow, as its moves are short";
    return p->done == FIRST_ITERATIONS && is_over_budget(p, cost)
               ? "stopped early: a pilot of its cost does not pay"
               : NULL;
}

static bool asked_to_end(void *user, const tw_draws *so_far)
{
    pilot *p = user;
    p->done++;
    p->used++;
    p->hopeless = why_hopeless(p, so_far);
    return p->hopeless || tw_poll(p->ctx) != TW_OK;
}

/* tw_chains_run_until calls this before asked_to_end, hence done + 1. */
static bool relay(void *user, const tw_progress *now)
{
    const pilot *p = user;
    tw_progress here = TW_PROGRESS("pilot", "iterations", p->done + 1, p->total);
    here.method = tw_method_name(p->candidate->method);
    here.metric = tw_metric_name(p->candidate->metric);
    here.acceptance = now->acceptance;
    return p->options->on_progress(p->options->user, &here);
}

/* ---- legs ---- */

/* Copy the latents that are measured. */
static tw_status thin_out(tw_context *ctx, const tw_draws *all, tw_draws *few)
{
    size_t step = (all->n + WATCHED - 1) / WATCHED, columns = all->chains * all->draws;
    *few = *all;
    few->n = watched(all->n);
    TW_TRY(tw_allocate_doubles(ctx, few->n, columns, "the latents that a pilot watches", &few->x));
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < few->n; i++) few->x[i + j * few->n] = all->x[i * step + j * all->n];
    return TW_OK;
}

/* The factor of r for failed transitions. Divergent steps indicate a tail in which chains may stay for
 * long, and the run would end with a warning. Failures in the first leg do not count: chains may have
 * started in such a tail. */
static double trust(const tw_draws *d, bool second)
{
    const tw_totals *t = &d->sampling;
    bool fails = t->energy_divergence + t->implicit_failure + t->irreversible + t->factorisation > 0;
    return second && fails ? 0.25 : 1.0;
}

static tw_status measure(pilot *p, const tw_draws *draws, bool second)
{
    tw_candidate *c = p->candidate;
    tw_chains_summary summary = {0};
    tw_draws few;
    tw_status status = thin_out(p->ctx, draws, &few);
    if (status == TW_OK) status = tw_draws_summarise(&few, p->options->sampler.threads, NULL, &summary);
    tw_release(p->ctx, few.x);
    TW_TRY(status);
    double ess = isnan(summary.ess_min) ? 0.0 : summary.ess_min;
    c->eps = draws->tuning.eps;
    c->steps = draws->tuning.steps;
    c->acceptance = summary.acceptance;
    c->ess_per_draw = ess / (double)draws->sampling.transitions;
    c->flops_per_draw = tw_cost_per_transition(p->sampling->sampler, draws);
    c->efficiency = c->ess_per_draw / c->flops_per_draw;
    p->bound = bound_by_jumps(p, draws);
    p->believed = trust(draws, second) * fmin(p->bound, c->ess_per_draw * ess / (ess + believed_from));
    c->flops_to_goal =
        tw_pilot_cost_to_goal(p->options, p->n, p->leader, p->believed, c->flops_per_draw, p->used);
    return TW_OK;
}

/* Update the cost of the pilot after a leg. A method that counts its work counts that of all legs. */
static void count_cost(pilot *p, const tw_draws *d)
{
    bool counts_work = p->sampling->sampler->method->work;
    double before = counts_work ? 0.0 : p->moves;
    if (counts_work || transitions_of(d) > 0.0) p->moves = before + cost_so_far(p, d);
    if (!p->hopeless) p->measured += cost_of_measuring(p->options, p->n, d->draws);
    p->candidate->flops_spent = p->moves + p->measured;
}

/* Remove the measurements of a pilot that ended early. */
static void forget(tw_candidate *c)
{
    c->eps = c->acceptance = c->ess_per_draw = c->flops_per_draw = c->efficiency = c->flops_to_goal = NAN;
    c->steps = 0;
}

static tw_status run_leg(pilot *p, uint64_t number, bool second)
{
    const tw_auto_options *o = p->options;
    leg l = leg_of(p, second);
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    tw_draws *draws = NULL;
    run.warmup = l.warmup;
    run.draws = l.draws;
    run.known = second ? &p->tuning : NULL;
    run.target_accept = o->target_accept;
    run.seed = o->seed;
    run.pilot = number + (second ? SECOND_LEG : 0);
    run.max_steps = PILOT_STEPS;
    run.user = p;
    if (o->on_progress) run.on_progress = relay;
    p->done = 0;
    p->total = l.warmup + l.draws;
    TW_TRY(tw_chains_run_until(p->sampling->sampler, &run, asked_to_end, &draws));
    count_cost(p, draws);
    p->tuning = draws->tuning;
    tw_status status = TW_OK;
    if (p->hopeless)
        p->candidate->reason = p->hopeless;
    else
        status = draws->interrupted ? tw_interrupt(p->ctx) : measure(p, draws, second);
    tw_draws_free(draws);
    return status;
}

/* After the first leg: would it lose even with twice the estimated r? */
static bool loses(const pilot *p)
{
    const tw_candidate *c = p->candidate;
    double rate = fmin(p->bound, 2.0 * p->believed);
    return tw_pilot_cost_to_goal(p->options, p->n, p->leader, rate, c->flops_per_draw, p->used) >
           p->leader->flops_to_goal;
}

/* Is this a cheap method with slow chains? A second leg would then take long, and its estimate is not
 * needed. */
static bool is_slow(const pilot *p)
{
    return p->sampling->sampler->method->cheap && fmin(p->bound, 2.0 * p->believed) < slow_rate;
}

static tw_status run_legs(pilot *p, uint64_t number)
{
    tw_candidate *c = p->candidate;
    TW_TRY(run_leg(p, number, false));
    if (p->hopeless) return TW_OK;
    if (loses(p)) {
        c->reason = "stopped early: too slow even at twice its measured ESS";
        forget(c);
        return TW_OK;
    }
    c->tried = true;
    return is_slow(p) ? TW_OK : run_leg(p, number, true);
}

/* Keep the final positions and the tuning for the final run. */
static tw_status keep_head(const pilot *p, tw_head_start *head)
{
    tw_sampler *s = p->sampling->sampler;
    tw_head_start_release(head);
    head->seconds = tw_wall_seconds() - p->begun;
    TW_TRY(tw_allocate_doubles(p->ctx, s->n, s->columns, "where the pilot ended", &head->x));
    tw_sampler_share(s);
    memcpy(head->x, s->x, s->n * s->columns * sizeof *s->x);
    head->ctx = p->ctx;
    head->tuning = p->tuning;
    head->iterations = p->used;
    head->warmup = tw_pilot_warmup_left(p->options, p->candidate->ess_per_draw, p->used);
    return TW_OK;
}

/* The cost of a slow leader is underestimated, so its budget for other pilots is unlimited. */
static void take_lead(const pilot *p)
{
    const tw_candidate *c = p->candidate;
    p->leader->flops_to_goal = c->flops_to_goal;
    p->leader->ess_per_draw = c->ess_per_draw;
    p->leader->budget = is_slow(p) ? INFINITY : (c->flops_spent + c->flops_to_goal) / 3.0;
}

/* Before the start: is it too expensive even with r = 1 at this least cost, or its pilot over the budget? */
static bool cannot_win(const pilot *p, double cost)
{
    bool cannot =
        tw_pilot_cost_to_goal(p->options, p->n, p->leader, best_rate, cost, 0) > p->leader->flops_to_goal;
    if (cannot) p->candidate->reason = "skipped: too expensive to win";
    if (cannot || !is_over_budget(p, cost)) return cannot;
    p->candidate->reason = "skipped: a pilot of its cost does not pay";
    return true;
}

static tw_status run(pilot *p, const tw_posterior *posterior, uint64_t number, tw_head_start *head)
{
    tw_candidate *c = p->candidate;
    tw_sampler *s = p->sampling->sampler;
    if (s->method->reaches && !s->method->reaches(s)) {
        c->reason = "skipped: it would seldom reach the tails";
        return TW_OK;
    }
    TW_TRY(tw_sampler_start(s, posterior->approximation->reference, over_dispersed, p->options->seed));
    p->step = s->method->least_cost(s);
    if (cannot_win(p, p->step)) return TW_OK;
    TW_TRY(run_legs(p, number));
    c->iterations = p->used;
    if (!(c->flops_to_goal < p->leader->flops_to_goal)) return TW_OK;
    take_lead(p);
    return head ? keep_head(p, head) : TW_OK;
}

tw_status tw_pilot_run(const tw_posterior *posterior, const tw_auto_options *o, uint64_t number,
                       tw_leader *leader, tw_candidate *c, tw_head_start *head)
{
    tw_sampler_options options = o->sampler;
    const tw_method_row *method = tw_method_row_of(c->method);
    pilot p = {.ctx = posterior->model->ctx,
               .options = o,
               .n = posterior->model->n,
               .leader = leader,
               .candidate = c,
               .variance = posterior->approximation->variance,
               .begun = tw_wall_seconds()};
    if (method->floor && cannot_win(&p, method->floor(posterior))) return TW_OK;
    options.method = c->method;
    options.metric = c->metric;
    TW_TRY(tw_sampling_new(posterior, &options, o->chains, &p.sampling));
    tw_status status = run(&p, posterior, number, head);
    tw_sampling_free(p.sampling);
    return status;
}
