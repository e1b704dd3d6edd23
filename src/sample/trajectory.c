/* trajectory.c: tune the length of trajectories.
 *
 * For one direction of a Gaussian, a trajectory that rotates (x, p) by an angle t has a correlation
 * rho = cos t between its ends, and 1 - rho = E|x' - x|^2 / (2 E|x - mean|^2). A chain with that correlation
 * has (1 - rho) / (1 + rho) effective draws per iteration. The squared deviations d^2 = (x - mean)^2, which
 * estimate variances and tails, have a correlation of cos^2 t between the ends, and
 * 1 - rho = E(d'^2 - d^2)^2 / (2 Var d^2). The slower of the two decides,
 *
 *     rate = (1 - rho) / (1 + rho) / L,     rho the larger of both, >= 0,     L leapfrog steps:
 *
 * effective draws per cost, from expected squared jumps. A negative rho counts as 0, since it helps means but
 * hurts variances. The jumps are those of the chain, including rejections. The norm is taken in x, where
 * directions of large posterior variance, which are the slow ones, have the largest weight. On a Gaussian
 * with unit mass the best length is pi/2, a quarter of the orbit, which decorrelates x and x^2; a longer one
 * decorrelates only x.
 *
 * Squares count only if the posterior has about the same scale in all directions of the metric, as in EP's.
 * In the prior's metric or with unit mass on x the orbits of the directions have different lengths: some
 * squares are slow at any length, and the slow directions need a long one.
 *
 * The lengths are T 1.5^k. The search goes up as long as the rate increases, otherwise down, and keeps the
 * best.
 */
#include <math.h>

#include "math/random.h"
#include "sample/warmup.h"

static const double rung = 1.5;    /* the ratio of successive lengths */
static const double clearly = 1.1; /* a ratio of rates that counts; a window shows a rate to about 10 % */

void tw_ladder_begin(tw_ladder *ladder, double length, bool round)
{
    *ladder = (tw_ladder){.length = length, .best = length, .round = round};
}

/* rho = 1 - E jump^2 / (2 Var), at least 0. */
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

/* Choose the next length. If the first step up is not better, the search changes its direction, once. */
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
    enum { KNOWN = 20 };       /* with fewer moves the error of the mean acceptance exceeds 0.05 */
    const double clear = 0.05; /* a smaller deficit does not justify another step */
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
