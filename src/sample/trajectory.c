/* trajectory.c: how long a trajectory should be.
 *
 * For one direction of a Gaussian, a trajectory that turns by an angle leaves a correlation rho between its
 * ends, and 1 - rho = E|x' - x|^2 / (2 E|x - mean|^2). A chain with that correlation has (1 - rho) / (1 +
 * rho) effective draws per iteration, so the worth of a length is
 *
 *     rate = (1 - rho) / (1 + rho) / L,     rho >= 0,     L leapfrog steps,
 *
 * an expected squared jump made into effective draws per cost. Negative rho gets no credit: it helps means
 * and hurts variances. Jumps are those of the chain itself, rejections included. The norm is taken in x,
 * where the directions of large posterior variance, the slow ones, weigh most. On a Gaussian with unit mass
 * the best length is pi/2, a quarter of the orbit.
 *
 * The ladder of lengths is T 1.5^k: up as long as the rate rises, else down, and the best one stays.
 */
#include <math.h>

#include "math/random.h"
#include "sample/warmup.h"

static const double rung = 1.5;

void tw_ladder_begin(tw_ladder *ladder, double length)
{
    *ladder = (tw_ladder){.length = length, .best = length};
}

static double rate(double jump, double variance, double steps)
{
    double rho = variance > 0.0 ? fmax(0.0, 1.0 - 0.5 * jump / variance) : 0.0;
    return (1.0 - rho) / (1.0 + rho) / steps;
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
    double jump = l->jump / (double)l->moves, steps = l->steps / (double)l->moves;
    bool first = l->direction == 0;
    bool better = first || rate(jump, l->variance, steps) > rate(l->best_jump, l->variance, l->best_steps);
    if (better) {
        l->best = l->length;
        l->best_jump = jump;
        l->best_steps = steps;
    }
    if (first) {
        l->direction = 1;
        l->length = l->best * rung;
    } else {
        climb(l, better);
    }
    l->jump = l->steps = 0.0;
    l->moves = 0;
}

size_t tw_jittered_steps(size_t mean, size_t cap, uint64_t seed, uint64_t iteration)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_TRAJECTORY, 0, iteration);
    size_t low = (mean + 1) / 2, high = 3 * mean / 2;
    size_t steps = low + (size_t)(tw_stream_uniform(&stream) * (double)(high - low + 1));
    return steps < cap ? steps : cap;
}
