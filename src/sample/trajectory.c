/* trajectory.c: how long a trajectory should be.
 *
 * For one direction of a Gaussian, a trajectory that turns by an angle t leaves a correlation rho = cos t between its
 * ends, and 1 - rho = E|x' - x|^2 / (2 E|x - mean|^2). A chain with that correlation has (1 - rho) / (1 +
 * rho) effective draws per iteration. The squares of deviations, d^2 = (x - mean)^2, from which spread and tails are
 * estimated, have a correlation of cos^2 t between the ends, and 1 - rho = E(d'^2 - d^2)^2 / (2 Var d^2). The worth of a
 * length is that of the slower of the two,
 *
 *     rate = (1 - rho) / (1 + rho) / L,     rho the larger of both, >= 0,     L leapfrog steps,
 *
 * expected squared jumps made into effective draws per cost. Negative rho gets no credit: it helps means
 * and hurts variances. Jumps are those of the chain itself, rejections included. The norm is taken in x,
 * where the directions of large posterior variance, the slow ones, weigh most. On a Gaussian with unit mass
 * the best length is pi/2, a quarter of the orbit, which renews x and x^2 both; a longer one would renew x alone.
 *
 * Squares count where the posterior is round in the metric, as in EP's. Elsewhere, in the prior's metric or on x itself, its
 * directions have orbits of different lengths: some squares are slow at any length, and the slow directions need a long one.
 *
 * The ladder of lengths is T 1.5^k: up as long as the rate rises, else down, and the best one stays.
 */
#include <math.h>

#include "math/random.h"
#include "sample/warmup.h"

static const double rung = 1.5, clearly = 1.1; /* rates of a window are known to some 10 % */

void tw_ladder_begin(tw_ladder *ladder, double length, bool round)
{
    *ladder = (tw_ladder){.length = length, .best = length, .round = round};
}

static double correlation(double jump, double variance)
{
    return variance > 0.0 ? fmax(0.0, 1.0 - 0.5 * jump / variance) : 0.0;
}

static double rate(const tw_ladder *l, const tw_jumps *mean)
{
    double rho = correlation(mean->x, l->variance.x);
    if (l->round) rho = fmax(rho, correlation(mean->square, l->variance.square));
    return (1.0 - rho) / (1.0 + rho) / mean->steps;
}

/* The next rung. A first step up that does not pay turns the ladder round, once. */
static void climb(tw_ladder *l, bool better)
{
    if (!better && l->committed) l->done = true;
    if (!better) l->direction = -1;
    l->committed = true;
    l->length = l->done ? l->best : l->best * (l->direction > 0 ? rung : 1.0 / rung);
}

void tw_ladder_step(tw_ladder *l)
{
    if (l->done || l->moves == 0) return;
    double moves = (double)l->moves;
    const tw_jumps mean = {l->sum.x / moves, l->sum.square / moves, l->sum.steps / moves};
    bool first = l->direction == 0;
    bool better = first || rate(l, &mean) > (l->round ? clearly : 1.0) * rate(l, &l->best_mean);
    if (better) {
        l->best = l->length;
        l->best_mean = mean;
    }
    if (first) {
        l->direction = 1;
        l->length = l->best * rung;
    } else {
        climb(l, better);
    }
    l->sum = (tw_jumps){0};
    l->moves = 0;
}

size_t tw_jittered_steps(size_t mean, size_t cap, uint64_t seed, uint64_t iteration)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_TRAJECTORY, 0, iteration);
    size_t low = (mean + 1) / 2, high = 3 * mean / 2;
    size_t steps = low + (size_t)(tw_stream_uniform(&stream) * (double)(high - low + 1));
    return steps < cap ? steps : cap;
}

bool tw_takes_quarters(const tw_sampler *s, const tw_chains_options *o)
{
    return s->frame.turns && s->options.metric == TW_METRIC_EP && o->eps == 0.0 && o->steps == 0;
}

void tw_quarter_move(double eps, size_t steps, size_t cap, tw_move *move)
{
    tw_stream stream = tw_stream_at(move->seed, TW_STREAM_TRAJECTORY, 1, move->iteration);
    double angle = eps * (0.9 + 0.2 * tw_stream_uniform(&stream));
    bool fine = tw_stream_uniform(&stream) < 0.125 && 2 * steps <= cap;
    move->eps = fine ? 0.5 * angle : angle;
    move->steps = fine ? 2 * steps : steps;
}

void tw_quarters_learn(tw_quarters *q, size_t columns, const tw_record *records)
{
    if (q->steps > TW_FEW_STEPS) return;
    for (size_t j = 0; j < columns; j++) {
        if (records[j].steps != q->steps) continue;
        q->accepted[q->steps] += records[j].acceptance_rate;
        q->moves[q->steps]++;
    }
}

size_t tw_quarters_enough(const tw_quarters *q, double target, size_t steps, size_t cap)
{
    enum { KNOWN = 20 };       /* moves: the mean of fewer is known to no better than 0.05 */
    const double clear = 0.05; /* less is no reason for another step */
    while (steps < cap && steps <= TW_FEW_STEPS && q->moves[steps] >= KNOWN &&
           q->accepted[steps] < (target - clear) * (double)q->moves[steps])
        steps++;
    return steps;
}

double tw_jittered_eps(double largest, uint64_t seed, uint64_t iteration)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_TRAJECTORY, 1, iteration);
    return largest * (1.0 - 0.5 * tw_stream_uniform(&stream));
}
