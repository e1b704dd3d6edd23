/* warmup.c: the schedule of warm-up.
 *
 * 1. Search: take single leapfrog steps, and double or halve eps until the acceptance crosses 1/2.
 * 2. Settle (15% of the iterations): reach the bulk of the posterior; dual averaging of eps at the natural
 *    length, with at most SETTLE_STEPS steps.
 * 3. Climb (until 70%): each window of iterations tries one length of the ladder (trajectory.c). Windows are
 *    long if the natural length is nearly right, and short if its scale must still be found.
 * 4. Final (30%): the length is fixed; dual averaging starts again, and its average is the step size of
 *    sampling.
 *
 * If every trajectory is a quarter of the orbit (tw_takes_quarters), step 3 is left out and the step size
 * divides the quarter. If an earlier run gives the tuning (options->known), warm-up consists of step 4 alone,
 * from that tuning.
 *
 * The natural length is pi/2 times the scale of x in the metric's frame: 1 if the frame is the prior's, EP's
 * or that of the posterior's curvature, and the largest standard deviation of x if the metric is the identity
 * on x. Values that the user fixed are not tuned.
 */
#include <math.h>
#include <string.h>

#include "sample/warmup.h"

static const double quarter_orbit = 1.57079632679489661923; /* pi/2 */

enum { SEARCH_LIMIT = 60, SHORTEST_CLIMB = 60, SETTLE_STEPS = 100 };

uint64_t tw_iteration_number(const tw_chains_options *o, tw_stage stage, size_t i)
{
    uint64_t warmup = stage == TW_STAGE_WARMUP;
    return o->pilot << 56 | warmup << 55 | (uint64_t)i;
}

void tw_warmup_release(tw_warmup *w)
{
    tw_release(w->sampler->ctx, w->before);
    tw_release(w->sampler->ctx, w->centre);
}

static double mean_acceptance(const tw_record *records, size_t count)
{
    double sum = 0.0;
    for (size_t j = 0; j < count; j++) sum += records[j].acceptance_rate;
    return sum / (double)count;
}

/* An exact rotation has no error if the sites are Gaussian, so acceptance does not limit eps: a quarter of
 * the orbit does. */
static double largest_eps(const tw_sampler *s)
{
    return s->frame.turns ? quarter_orbit : INFINITY;
}

/* Step 1. The random numbers of its moves are those of iterations after the last one of warm-up. */
static double search_eps(tw_sampler *s, const tw_chains_options *o, tw_record *records)
{
    double eps = 1.0, factor = 0.0, largest = largest_eps(s);
    for (size_t i = 0; i < SEARCH_LIMIT && eps < largest; i++) {
        tw_move move = {.eps = eps, .steps = 1, .seed = o->seed};
        move.iteration = tw_iteration_number(o, TW_STAGE_WARMUP, o->warmup + i);
        tw_sampler_advance(s, &move, records);
        double direction = mean_acceptance(records, s->columns) > 0.5 ? 2.0 : 0.5;
        if (factor != 0.0 && direction != factor) break;
        factor = direction;
        eps *= factor;
    }
    return fmin(eps, largest);
}

static bool has_unit_scale(const tw_sampler *s)
{
    return tw_metric_describe(s->options.metric)->unit_scale;
}

/* Has the posterior about the same scale in all directions of the metric's frame? All metrics of unit scale
 * except the prior's follow the curvature of the posterior. */
static bool is_round(const tw_sampler *s)
{
    return has_unit_scale(s) && s->options.metric != TW_METRIC_PRIOR;
}

/* The scale of x in the metric's frame before the first draw. */
static double prior_scale(const tw_sampler *s)
{
    double largest = 0.0;
    if (has_unit_scale(s)) return 1.0;
    for (size_t i = 0; i < s->n; i++) largest = fmax(largest, s->target->base->variance[i]);
    return sqrt(largest);
}

static void plan(tw_warmup *w)
{
    if (w->options->known) return; /* step 4 alone: settle = climb_end = 0 */
    size_t total = w->options->warmup, windows = is_round(w->sampler) ? 10 : 20;
    w->settle = total * 15 / 100;
    w->climb_end = total < SHORTEST_CLIMB || w->quarters ? w->settle : total * 70 / 100;
    w->window = total / windows > 10 ? total / windows : 10;
}

tw_status tw_warmup_begin(tw_sampler *s, const tw_chains_options *o, tw_record *records, tw_warmup *w)
{
    *w = (tw_warmup){.sampler = s, .options = o};
    w->tune_eps = s->method->info.has_eps && o->eps <= 0.0;
    w->tune_steps = s->method->info.has_steps && o->steps == 0;
    w->quarters = tw_takes_quarters(s, o);
    plan(w);
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, s->columns, "the positions before a move", &w->before));
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, 4, "the moments of the positions", &w->centre));
    w->first = w->centre + s->n;
    w->second = w->first + s->n;
    w->fourth = w->second + s->n;
    tw_sampler_share(s);
    memcpy(w->centre, s->x, s->n * sizeof *w->centre);
    const tw_tuning *known = o->known;
    double eps = known ? known->eps : w->tune_eps ? search_eps(s, o, records) : o->eps;
    double length = known && !w->quarters ? TW_MEAN_OF_JITTERED_EPS * known->eps * (double)known->steps
                                          : quarter_orbit * prior_scale(s);
    w->tuner = tw_step_tuner_at(eps > 0.0 ? eps : 1.0, o->target_accept, largest_eps(s));
    tw_ladder_begin(&w->ladder, length, is_round(s));
    return TW_OK;
}

static double current_eps(const tw_warmup *w)
{
    return w->tune_eps ? tw_step_tuner_eps(&w->tuner) : w->options->eps;
}

/* The mean number of steps that gives the ladder's length. */
static size_t steps_for(const tw_warmup *w, double eps, size_t cap)
{
    double steps = w->ladder.length / (eps * (w->tune_eps ? TW_MEAN_OF_JITTERED_EPS : 1.0));
    if (!(steps < (double)cap)) return cap;
    return steps < 1.0 ? 1 : (size_t)(steps + 0.5);
}

/* The smallest number of equal steps of at most eps that make a quarter of the orbit; eps becomes their
 * length. With more than `cap` steps, take `cap` steps of eps, which make less than a quarter. The 1e-9 keeps
 * rounding from adding a step to an eps that divides the quarter already. */
static size_t divide_quarter(double *eps, size_t cap)
{
    double wanted = ceil(quarter_orbit / *eps - 1e-9);
    size_t steps = wanted < (double)cap ? (size_t)wanted : cap;
    *eps = fmin(*eps, quarter_orbit / (double)steps);
    return steps;
}

void tw_warmup_prepare(tw_warmup *w, size_t i, tw_move *move)
{
    const tw_chains_options *o = w->options;
    size_t cap = i < w->settle && o->max_steps > SETTLE_STEPS ? SETTLE_STEPS : o->max_steps;
    move->iteration = tw_iteration_number(o, TW_STAGE_WARMUP, i);
    move->eps = current_eps(w);
    move->steps = o->steps;
    if (w->quarters) {
        w->tried.steps = divide_quarter(&move->eps, cap);
        tw_quarter_move(move->eps, w->tried.steps, cap, move);
        return;
    }
    if (w->tune_steps)
        move->steps = tw_jittered_steps(steps_for(w, move->eps, cap), cap, o->seed, move->iteration);
    if (w->tune_steps && w->tune_eps) move->eps = tw_jittered_eps(move->eps, o->seed, move->iteration);
    if (!w->tune_steps) return;
    tw_sampler_share(w->sampler);
    memcpy(w->before, w->sampler->x, w->sampler->n * w->sampler->columns * sizeof(double));
}

/* Add the move of one column from `before` to x to the jumps of this window and to the moments. */
static void measure_column(tw_warmup *w, const double *x, const double *before)
{
    tw_jumps *sum = &w->ladder.sum;
    for (size_t i = 0; i < w->sampler->n; i++) {
        double d = x[i] - w->centre[i], d_before = before[i] - w->centre[i];
        double change = d - d_before, square = d * d, square_change = square - d_before * d_before;
        sum->x += change * change;
        sum->square += square_change * square_change;
        w->first[i] += d;
        w->second[i] += square;
        w->fourth[i] += square * square;
    }
}

static void measure(tw_warmup *w, const tw_record *records)
{
    tw_sampler *s = w->sampler;
    tw_sampler_share(s);
    for (size_t j = 0; j < s->columns; j++) {
        measure_column(w, s->x + j * s->n, w->before + j * s->n);
        w->ladder.sum.steps += (double)records[j].steps;
        w->ladder.moves++;
        w->moments++;
    }
}

/* Over all positions since the moments were cleared: E |x - mean|^2 = sum_i [E d_i^2 - (E d_i)^2], and
 * sum_i Var d_i^2 = sum_i [E d_i^4 - (E d_i^2)^2]. */
static void update_variance(tw_warmup *w)
{
    double moves = (double)w->moments;
    tw_spread now = {0.0, 0.0};
    for (size_t i = 0; i < w->sampler->n; i++) {
        double mean = w->first[i] / moves, square = w->second[i] / moves;
        now.x += square - mean * mean;
        now.square += w->fourth[i] / moves - square * square;
    }
    w->ladder.variance = now;
}

/* Set the centre of the deviations to the mean so far, and the moments to zero. */
static void clear_moments(tw_warmup *w)
{
    size_t n = w->sampler->n;
    for (size_t i = 0; w->moments > 0 && i < n; i++) w->centre[i] += w->first[i] / (double)w->moments;
    memset(w->first, 0, n * sizeof *w->first);
    memset(w->second, 0, n * sizeof *w->second);
    memset(w->fourth, 0, n * sizeof *w->fourth);
    w->moments = 0;
}

/* Start step 3. If the metric is the identity on x, the draws now give the scale: sqrt(E|x - mean|^2) is an
 * upper bound of the largest standard deviation, so the climb starts at half of it. */
static void begin_climb(tw_warmup *w)
{
    double scale = 1.0;
    if (!has_unit_scale(w->sampler) && w->moments > 0) {
        update_variance(w);
        scale = 0.5 * sqrt(w->ladder.variance.x);
    }
    clear_moments(w);
    tw_ladder_begin(&w->ladder, quarter_orbit * scale, is_round(w->sampler));
}

static void end_window(tw_warmup *w)
{
    update_variance(w);
    tw_ladder_step(&w->ladder);
}

void tw_warmup_learn(tw_warmup *w, size_t i, const tw_record *records)
{
    size_t next = i + 1;
    if (w->tune_eps) tw_step_tuner_learn(&w->tuner, mean_acceptance(records, w->sampler->columns));
    if (w->quarters && i >= w->climb_end) tw_quarters_learn(&w->tried, w->sampler->columns, records);
    if (w->tune_steps && !w->quarters && i < w->climb_end) {
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
    if (!w->quarters) return t;
    size_t cap = w->options->max_steps, steps = divide_quarter(&t.eps, cap);
    t.steps = tw_quarters_enough(&w->tried, w->options->target_accept, steps, cap);
    t.eps = fmin(t.eps, quarter_orbit / (double)t.steps);
    t.jittered = false;
    return t;
}
