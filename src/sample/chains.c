/* chains.c: run the chains of an ensemble: warm-up, then sampling.
 *
 * Every iteration is one transition of all columns. Warm-up (warmup.h) tunes the transition; sampling uses
 * the final tuning, so that it is a time-homogeneous Markov chain. An interrupt ends the run after the
 * current iteration, and the draws so far are the result. Random numbers are functions of the iteration, so a
 * run can resume after any iteration of sampling.
 *
 * A run with an ESS goal summarises its draws after FIRST_LOOK of them and then each time their number has
 * grown by half. It does so before the next iteration, so that a run resumed at that point ends there too.
 */
#include <math.h>
#include <string.h>

#include "sample/summarise.h"
#include "sample/warmup.h"

void tw_draws_free(tw_draws *d)
{
    if (!d) return;
    tw_context *ctx = d->ctx;
    tw_release(ctx, d->x);
    tw_release(ctx, d->records);
    tw_release(ctx, d->log_likelihood);
    tw_release(ctx, d);
}

enum { FIRST_LOOK = 64 };

/* The first number of draws after `draws` at which a run checks its goal. */
static size_t next_look(size_t draws)
{
    size_t look = FIRST_LOOK;
    while (look <= draws) look += look / 2;
    return look;
}

/* A run in progress. */
typedef struct run {
    tw_sampler *sampler;
    const tw_chains_options *options;
    tw_draws *draws;
    tw_record *records; /* of the current iteration */
    double *state;      /* numbers of tw_chains_state; NULL: not requested */
    tw_chains_end *ends;
    size_t room; /* draws of each chain for which memory is allocated */
} run;

static tw_status check_resume(tw_sampler *s, const tw_chains_options *o)
{
    const tw_chains_state *state = o->resume;
    if (state->count != tw_sampler_state_size(s))
        return tw_fail(s->ctx, TW_BAD_ARGUMENT, "the state has %zu numbers, but this sampler needs %zu",
                       state->count, tw_sampler_state_size(s));
    if (o->keep || !o->on_draw)
        return tw_fail(
            s->ctx, TW_BAD_ARGUMENT,
            "a resumed run does not repeat its earlier draws: it needs on_draw and cannot keep draws");
    if (state->draws != state->iteration / o->thin || state->draws > o->draws)
        return tw_fail(s->ctx, TW_BAD_ARGUMENT,
                       "a run of %zu draws cannot resume after %zu draws in %zu iterations", o->draws,
                       state->draws, state->iteration);
    return TW_OK;
}

tw_status tw_chains_options_check(tw_context *ctx, const tw_method_info *method, const tw_chains_options *o)
{
    if (o->eps < 0.0 || !isfinite(o->eps))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the step size must be above 0, not %g", o->eps);
    if (!(o->target_accept > 0.0 && o->target_accept < 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the target acceptance must be between 0 and 1, not %g",
                       o->target_accept);
    if (!(o->until_ess >= 0.0) || !isfinite(o->until_ess))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the ESS goal must be above 0, not %g", o->until_ess);
    if (o->draws == 0 || o->thin == 0 || o->max_steps == 0 || o->pilot > 127)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a run needs at least one draw, thin >= 1 and max_steps >= 1");
    bool tunes = method && ((method->has_eps && o->eps == 0.0) || (method->has_steps && o->steps == 0));
    if (tunes && o->warmup == 0 && !o->known)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "without warm-up nothing is tuned: give the step size and the number of steps, or some warm-up");
    return TW_OK;
}

/* Replace an array by one of `wanted` numbers, with a copy of the `used` first ones. */
static tw_status extend(tw_context *ctx, size_t used, size_t wanted, const char *what, double **array)
{
    double *longer = NULL;
    TW_TRY(tw_allocate_doubles(ctx, wanted, 1, what, &longer));
    if (*array) memcpy(longer, *array, used * sizeof *longer);
    tw_release(ctx, *array);
    *array = longer;
    return TW_OK;
}

static tw_status extend_records(tw_draws *d, size_t room)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(d->ctx, room * d->chains, sizeof(tw_record), "the records of the draws", &memory));
    if (d->records) memcpy(memory, d->records, d->draws * d->chains * sizeof(tw_record));
    tw_release(d->ctx, d->records);
    d->records = memory;
    return TW_OK;
}

/* Allocate memory for all draws or, in a run with an ESS goal, for those up to the next look. */
static tw_status make_room(run *r)
{
    const tw_chains_options *o = r->options;
    tw_draws *d = r->draws;
    size_t look = next_look(d->draws), room = o->until_ess > 0.0 && look < o->draws ? look : o->draws;
    size_t block = d->n * d->chains;
    if (block > 0 && room > SIZE_MAX / sizeof(double) / block)
        return tw_fail(d->ctx, TW_NO_MEMORY, "%zu draws of %zu chains are too many", room, d->chains);
    TW_TRY(extend_records(d, room));
    r->room = room;
    if (!o->keep) return TW_OK;
    TW_TRY(extend(d->ctx, d->draws * d->chains, room * d->chains, "the log likelihoods of the draws",
                  &d->log_likelihood));
    return extend(d->ctx, d->draws * block, room * block, "the draws", &d->x);
}

static tw_status allocate_draws(run *r)
{
    tw_sampler *s = r->sampler;
    const tw_chains_options *o = r->options;
    void *memory = NULL;
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(tw_draws), "the draws", &memory));
    tw_draws *d = r->draws = memory;
    *d = (tw_draws){.ctx = s->ctx,
                    .method = s->options.method,
                    .n = s->n,
                    .chains = s->columns,
                    .until_ess = o->until_ess};
    d->tuning = o->known ? *o->known : (tw_tuning){.eps = o->eps, .steps = o->steps};
    if (o->draws > SIZE_MAX / sizeof(tw_record) / s->columns)
        return tw_fail(s->ctx, TW_NO_MEMORY, "%zu draws of %zu chains are too many", o->draws, s->columns);
    TW_TRY(tw_allocate(s->ctx, s->columns, sizeof(tw_record), "the records of an iteration", &memory));
    r->records = memory;
    if (o->wants_state)
        TW_TRY(tw_allocate_doubles(s->ctx, tw_sampler_state_size(s), 1, "the run's state", &r->state));
    if (!o->keep && o->on_draw) return TW_OK; /* on_draw gets the records */
    return make_room(r);
}

/* Add the records of an iteration to the sums and report progress; true if the run should end. */
static bool account(run *r, tw_stage stage, size_t i, size_t total)
{
    const tw_chains_options *o = r->options;
    tw_totals *sums = stage == TW_STAGE_WARMUP ? &r->draws->warmup : &r->draws->sampling;
    tw_totals_add(sums, r->sampler->columns, r->records);
    tw_progress now =
        TW_PROGRESS(stage == TW_STAGE_WARMUP ? "warm-up" : "sampling", "iterations", i + 1, total);
    now.acceptance = sums->acceptance / (double)sums->transitions;
    tw_context *ctx = r->sampler->ctx;
    bool stops = o->on_progress && tw_team_leads(ctx) && o->on_progress(o->user, &now);
    if (r->ends && r->ends(o->user, r->draws)) stops = true;
    r->draws->interrupted = tw_team_any(ctx, stops);
    return r->draws->interrupted || tw_team_status(ctx) != TW_OK;
}

/* Pass the state after `done` iterations to on_state, if wants_state asks for it. Saving and sharing
 * communicate, so all members of a team take part; only the leader calls on_state. */
static void emit_state(run *r, size_t done)
{
    const tw_chains_options *o = r->options;
    const tw_draws *d = r->draws;
    if (!o->wants_state || !tw_team_ask(r->sampler->ctx, o->wants_state, o->user)) return;
    tw_sampler_save(r->sampler, r->state);
    tw_sampler_share(r->sampler);
    if (!tw_team_reports(r->sampler->ctx)) return;
    tw_chains_state state = {.iteration = done,
                             .draws = d->draws,
                             .tuning = d->tuning,
                             .warmup = d->warmup,
                             .sampling = d->sampling,
                             .count = tw_sampler_state_size(r->sampler),
                             .numbers = r->state,
                             .x = r->sampler->x};
    o->on_state(o->user, &state);
}

/* Restore the state of an earlier run, if there is one; returns the number of completed iterations of
 * sampling. */
static size_t resume_run(run *r)
{
    const tw_chains_state *state = r->options->resume;
    if (!state) return 0;
    tw_sampler_restore(r->sampler, state->numbers);
    r->draws->draws = state->draws;
    r->draws->tuning = state->tuning;
    r->draws->warmup = state->warmup;
    r->draws->sampling = state->sampling;
    return state->iteration;
}

static tw_status warm_up(run *r)
{
    const tw_chains_options *o = r->options;
    tw_warmup w;
    tw_status status = tw_warmup_begin(r->sampler, o, r->records, &w);
    for (size_t i = 0; status == TW_OK && i < o->warmup; i++) {
        tw_move move = {.seed = o->seed};
        tw_warmup_prepare(&w, i, &move);
        tw_sampler_advance(r->sampler, &move, r->records);
        tw_warmup_learn(&w, i, r->records);
        if (account(r, TW_STAGE_WARMUP, i, o->warmup)) break;
    }
    if (status == TW_OK) r->draws->tuning = tw_warmup_result(&w);
    tw_warmup_release(&w);
    return status == TW_OK ? tw_team_status(r->sampler->ctx) : status;
}

/* Summarise the draws in memory, or else ask on_look. If a few latents show that the goal is not reached, the summary
 * stays empty. */
static tw_status summarise(const run *r, tw_chains_summary *out)
{
    const tw_chains_options *o = r->options;
    size_t threads = r->sampler->options.threads;
    bool short_of_it;
    if (!o->keep) return o->on_look(o->user, out);
    TW_TRY(tw_draws_fall_short(r->draws, threads, o->until_ess, &short_of_it));
    return short_of_it ? TW_OK : tw_draws_summarise(r->draws, threads, NULL, out);
}

/* Check whether the ESS goal is reached. */
static tw_status look(run *r, bool *reached)
{
    const tw_chains_options *o = r->options;
    tw_draws *d = r->draws;
    tw_context *ctx = r->sampler->ctx;
    tw_chains_summary summary = tw_summarise_totals(&d->sampling);
    tw_status status = TW_OK;
    *reached = false;
    if (!(o->until_ess > 0.0) || d->draws == 0 || d->draws != next_look(d->draws - 1)) return TW_OK;
    if (tw_team_leads(ctx)) status = summarise(r, &summary);
    *reached = tw_summary_reaches(&summary, o->until_ess);
    tw_team_follow(ctx, reached, sizeof *reached);
    tw_team_follow(ctx, &status, sizeof status);
    return status;
}

static tw_status store(run *r)
{
    tw_sampler *s = r->sampler;
    tw_draws *d = r->draws;
    if (d->records && d->draws == r->room) TW_TRY(make_room(r));
    size_t block = s->n * s->columns, index = d->draws++;
    tw_sampler_share(s);
    TW_TRY(tw_team_status(s->ctx)); /* after a failure the columns of other members are missing */
    if (d->records) memcpy(d->records + index * s->columns, r->records, s->columns * sizeof *r->records);
    if (d->x) memcpy(d->x + index * block, s->x, block * sizeof *d->x);
    if (d->log_likelihood)
        memcpy(d->log_likelihood + index * s->columns, s->log_likelihood,
               s->columns * sizeof *d->log_likelihood);
    if (!r->options->on_draw) return TW_OK;
    tw_draw draw = {index, s->n, s->columns, s->x, s->log_likelihood, r->records, d->tuning.eps};
    tw_status status = TW_OK;
    if (tw_team_leads(s->ctx)) status = r->options->on_draw(r->options->user, &draw);
    tw_team_follow(s->ctx, &status, sizeof status);
    return status;
}

/* The move of iteration i of sampling. */
static tw_move sampling_move(const run *r, size_t i)
{
    const tw_chains_options *o = r->options;
    const tw_tuning *t = &r->draws->tuning;
    tw_move move = {.eps = t->eps, .steps = t->steps, .seed = o->seed};
    move.iteration = tw_iteration_number(o, TW_STAGE_SAMPLING, i);
    if (t->jittered) move.steps = tw_jittered_steps(t->steps, o->max_steps, o->seed, move.iteration);
    if (t->jittered && o->eps == 0.0) move.eps = tw_jittered_eps(t->eps, o->seed, move.iteration);
    if (tw_takes_quarters(r->sampler, o)) tw_quarter_move(t->eps, t->steps, o->max_steps, &move);
    return move;
}

static tw_status draw_all(run *r)
{
    const tw_chains_options *o = r->options;
    size_t total = o->draws * o->thin;
    for (size_t i = resume_run(r); i < total; i++) {
        bool reached = false;
        if (i % o->thin == 0) TW_TRY(look(r, &reached));
        if (reached) break;
        tw_move move = sampling_move(r, i);
        tw_sampler_advance(r->sampler, &move, r->records);
        /* After a failure the records of other members are missing. */
        TW_TRY(tw_team_status(r->sampler->ctx));
        if ((i + 1) % o->thin == 0) TW_TRY(store(r));
        bool ends = account(r, TW_STAGE_SAMPLING, i, o->until_ess > 0.0 ? 0 : total);
        emit_state(r, i + 1);
        if (ends) break;
    }
    return TW_OK;
}

tw_status tw_chains_run(tw_sampler *sampler, const tw_chains_options *options, tw_draws **out)
{
    tw_chains_options defaults = TW_CHAINS_DEFAULTS;
    return tw_chains_run_until(sampler, options ? options : &defaults, NULL, out);
}

tw_status tw_chains_run_until(tw_sampler *sampler, const tw_chains_options *options, tw_chains_end *ends,
                              tw_draws **out)
{
    run r = {.sampler = sampler, .options = options, .ends = ends};
    *out = NULL;
    TW_TRY(tw_chains_options_check(sampler->ctx, &sampler->method->info, options));
    if (options->until_ess > 0.0 && !options->keep && !options->on_look)
        return tw_fail(sampler->ctx, TW_BAD_ARGUMENT,
                       "a run with an ESS goal needs its draws: keep them, or give on_look");
    if (options->resume) TW_TRY(check_resume(sampler, options));
    tw_status status = allocate_draws(&r);
    bool warms = !options->resume && (options->warmup > 0 || !options->known);
    if (status == TW_OK && warms) status = warm_up(&r);
    if (status == TW_OK && !r.draws->interrupted) status = draw_all(&r);
    if (status == TW_OK) status = tw_team_status(sampler->ctx);
    tw_release(sampler->ctx, r.records);
    tw_release(sampler->ctx, r.state);
    if (status != TW_OK) {
        tw_draws_free(r.draws);
        r.draws = NULL;
    }
    *out = r.draws;
    return status;
}
