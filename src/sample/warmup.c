/* warmup.c: the schedule of warm-up.
 *
 * 1. Search: single leapfrog steps, eps doubled or halved until the acceptance crosses 1/2.
 * 2. Settle (15% of the iterations): reach the bulk; dual averaging of eps at the natural length, with few
 * steps.
 * 3. Climb (up to 70%): windows of iterations, each at one length of the ladder of trajectory.c.
 * 4. Final (30%): the length stays; dual averaging anew, whose average is the step size of all that follows.
 *
 * The natural length is pi/2 times the scale of x in the metric's frame: 1 where the frame is the prior's,
 * EP's or the posterior's own curvature, and the largest standard deviation of x where the metric is the
 * identity on x. What the user fixed is not tuned, nor what the method does not have.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "sample/warmup.h"

static const double quarter_orbit = 1.57079632679489661923;

enum { SEARCH_LIMIT = 60, SHORTEST_CLIMB = 60, SETTLE_STEPS = 100 };

uint64_t tw_iteration_number(const tw_chains_options *o, tw_stage stage, size_t i)
{
    uint64_t warmup = stage == TW_STAGE_WARMUP;
    return o->pilot << 56 | warmup << 55 | (uint64_t)i;
}

void tw_warmup_release(tw_warmup *w)
{
    tw_release(w->sampler->ctx, w->before);
    tw_release(w->sampler->ctx, w->mean);
}

static double mean_acceptance(const tw_record *records, size_t count)
{
    double sum = 0.0;
    for (size_t j = 0; j < count; j++) sum += records[j].acceptance_rate;
    return sum / (double)count;
}

/* The search. Its moves are numbered behind those of the iterations proper. */
static double search_eps(tw_sampler *s, const tw_chains_options *o, tw_record *records)
{
    double eps = 1.0, factor = 0.0;
    for (size_t i = 0; i < SEARCH_LIMIT; i++) {
        tw_move move = {.eps = eps, .steps = 1, .seed = o->seed};
        move.iteration = tw_iteration_number(o, TW_STAGE_WARMUP, o->warmup + i);
        tw_sampler_advance(s, &move, records);
        double direction = mean_acceptance(records, s->columns) > 0.5 ? 2.0 : 0.5;
        if (factor != 0.0 && direction != factor) break;
        factor = direction;
        eps *= factor;
    }
    return eps;
}

/* The scale of x in the frame of a metric, before anything is known of the posterior. */
static double prior_scale(const tw_sampler *s)
{
    double largest = 0.0;
    if (tw_metric_describe(s->options.metric)->unit_scale) return 1.0;
    for (size_t i = 0; i < s->n; i++) largest = fmax(largest, s->target->base->variance[i]);
    return sqrt(largest);
}

static void plan(tw_warmup *w)
{
    size_t total = w->options->warmup;
    w->settle = total * 15 / 100;
    w->climb_end = total < SHORTEST_CLIMB ? w->settle : total * 70 / 100;
    w->window = total / 20 > 10 ? total / 20 : 10;
}

tw_status tw_warmup_begin(tw_sampler *s, const tw_chains_options *o, tw_record *records, tw_warmup *w)
{
    *w = (tw_warmup){.sampler = s, .options = o};
    w->tune_eps = s->method->info.has_eps && o->eps <= 0.0;
    w->tune_steps = s->method->info.has_steps && o->steps == 0;
    plan(w);
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, s->columns, "the positions before a move", &w->before));
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, 1, "the mean position", &w->mean));
    double eps = w->tune_eps ? search_eps(s, o, records) : o->eps;
    w->tuner = tw_step_tuner_at(eps > 0.0 ? eps : 1.0, o->target_accept, INFINITY);
    tw_ladder_begin(&w->ladder, quarter_orbit * prior_scale(s));
    return TW_OK;
}

static double current_eps(const tw_warmup *w)
{
    return w->tune_eps ? tw_step_tuner_eps(&w->tuner) : w->options->eps;
}

/* The mean number of steps that make a length. */
static size_t steps_for(const tw_warmup *w, double eps, size_t cap)
{
    double steps = w->ladder.length / eps;
    if (!(steps < (double)cap)) return cap;
    return steps < 1.0 ? 1 : (size_t)(steps + 0.5);
}

void tw_warmup_prepare(tw_warmup *w, size_t i, tw_move *move)
{
    const tw_chains_options *o = w->options;
    size_t cap = i < w->settle && o->max_steps > SETTLE_STEPS ? SETTLE_STEPS : o->max_steps;
    move->iteration = tw_iteration_number(o, TW_STAGE_WARMUP, i);
    move->eps = current_eps(w);
    move->steps = o->steps;
    if (w->tune_steps)
        move->steps = tw_jittered_steps(steps_for(w, move->eps, cap), cap, o->seed, move->iteration);
    if (w->tune_steps) memcpy(w->before, w->sampler->x, w->sampler->n * w->sampler->columns * sizeof(double));
}

/* Sums of a window: squared jumps, steps, and the moments of the positions. */
static void measure(tw_warmup *w, const tw_record *records)
{
    const tw_sampler *s = w->sampler;
    for (size_t j = 0; j < s->columns; j++) {
        const double *x = s->x + j * s->n, *before = w->before + j * s->n;
        for (size_t i = 0; i < s->n; i++) {
            double change = x[i] - before[i];
            w->ladder.jump += change * change;
            w->mean[i] += x[i];
        }
        w->square += tw_dot(s->n, x, x);
        w->ladder.steps += (double)records[j].steps;
        w->ladder.moves++;
    }
}

static void clear_window(tw_warmup *w)
{
    memset(w->mean, 0, w->sampler->n * sizeof *w->mean);
    w->square = w->ladder.jump = w->ladder.steps = 0.0;
    w->ladder.moves = 0;
}

/* E |x - mean|^2 over the window and all columns. */
static void update_variance(tw_warmup *w)
{
    double moves = (double)w->ladder.moves;
    double variance = (w->square - tw_dot(w->sampler->n, w->mean, w->mean) / moves) / moves;
    w->ladder.variance = fmax(w->ladder.variance, variance);
}

/* The end of the settling: lengths are measured from here on. On x itself the scale can now be read off the
 * draws: sqrt(E|x - mean|^2) is at least the largest direction's, so start a few rungs below it. */
static void begin_climb(tw_warmup *w)
{
    double scale = 1.0;
    if (!tw_metric_describe(w->sampler->options.metric)->unit_scale && w->ladder.moves > 0) {
        update_variance(w);
        scale = 0.5 * sqrt(w->ladder.variance);
    }
    tw_ladder_begin(&w->ladder, quarter_orbit * scale);
    clear_window(w);
}

static void end_window(tw_warmup *w)
{
    update_variance(w);
    tw_ladder_step(&w->ladder);
    clear_window(w);
}

void tw_warmup_learn(tw_warmup *w, size_t i, const tw_record *records)
{
    size_t next = i + 1;
    if (w->tune_eps) tw_step_tuner_learn(&w->tuner, mean_acceptance(records, w->sampler->columns));
    if (w->tune_steps && i < w->climb_end) {
        measure(w, records);
        if (next == w->settle && w->settle < w->climb_end) begin_climb(w);
        if (next > w->settle && (next - w->settle) % w->window == 0) end_window(w);
    }
    if (next != w->climb_end) return;
    w->ladder.length = w->ladder.best;
    tw_step_tuner_freeze(&w->tuner);
    tw_step_tuner_begin(&w->tuner);
}

tw_tuning tw_warmup_result(const tw_warmup *w)
{
    tw_tuning t = {.eps = w->options->eps, .steps = w->options->steps, .jittered = w->tune_steps};
    if (w->tune_eps) t.eps = exp(w->tuner.log_mean);
    if (w->tune_steps) t.steps = steps_for(w, t.eps, w->options->max_steps);
    return t;
}
