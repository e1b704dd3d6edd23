/* pilot_cost.c: the remaining cost of a candidate to reach the goal of a run.
 *
 * A sampler with r effective draws per draw and f flops per draw has, after a number of iterations, a
 * remaining cost of
 *
 *   chains ( f (W - iterations + D) + s D n ),
 *   W = max(iterations to tune, 10 / r),     D = max(goal / (r chains), 20 / r, 64),
 *
 * where W - iterations counts as at least W/4. Warm-up takes ten autocorrelation times. The chains have
 * twenty, so that R-hat can be judged, and at least the draws before the first look of a run with a goal. s
 * is the cost of summarising a draw of one latent twice, at the last look and at the end.
 */
#include <math.h>

#include "sample/cost.h"
#include "sample/pilot.h"

enum { FIRST_LOOK = 64 };              /* the fewest draws per chain in a run with a goal */
static const double worst_rate = 1e-4; /* effective draws per draw: slower samplers count as this one */

size_t tw_pilot_warmup(const tw_auto_options *o, double ess_per_draw)
{
    const double most = 1000.0, transitions = 2000.0;
    if (o->warmup != TW_AUTOMATIC) return o->warmup;
    double tuning = fmax(100.0, fmin(transitions / (double)o->chains, 500.0));
    return (size_t)fmin(most, fmax(tuning, 10.0 / fmax(ess_per_draw, worst_rate)));
}

size_t tw_pilot_warmup_left(const tw_auto_options *o, double ess_per_draw, size_t used)
{
    size_t all = tw_pilot_warmup(o, ess_per_draw), least = (all + 3) / 4;
    return all > used + least ? all - used : least;
}

double tw_pilot_cost_to_goal(const tw_auto_options *o, size_t n, const tw_leader *leader, double ess_per_draw,
                             double cost, size_t used)
{
    double chains = (double)o->chains, r = fmax(ess_per_draw, worst_rate);
    double draws = o->draws > 0
                       ? (double)o->draws * (leader->ess_per_draw > 0.0 ? leader->ess_per_draw / r : 1.0)
                       : fmax(FIRST_LOOK, fmax(o->until_ess / (r * chains), 20.0 / r));
    double summaries = (o->draws > 0 ? 1.0 : 2.0) * TW_COST_SUMMARY * (double)n;
    double warmup = (double)tw_pilot_warmup_left(o, ess_per_draw, used);
    return chains * (cost * (warmup + draws) + summaries * draws);
}
