/* general.c: one HMC or RMHMC transition of a general target.
 *
 * The momentum is drawn from N(0, G(x)); a trajectory and the Metropolis test on H follow. A trajectory is
 * rejected if an implicit equation was not solved, a number is not finite, or the reversed trajectory does
 * not return to the start. An accepted trajectory can thus be traversed in both directions, so that rejecting
 * the others keeps detailed balance.
 */
#include <math.h>

#include "dynamics/general.h"
#include "math/random.h"

/* Reverse the momentum at the end, integrate back, compare with the start, and restore the end. `reversal` is
 * the largest distance allowed, in the metric at the start; 0: no check. */
static tw_general_outcome check_reversal(tw_general *g, size_t steps)
{
    size_t d = g->target.d;
    if (g->reversal == 0.0) return TW_GENERAL_FINE;
    tw_general_copy(g, &g->here, &g->end);
    tw_general_reverse(g);
    tw_general_outcome outcome = tw_general_trajectory(g, steps);
    for (size_t i = 0; i < d; i++) g->trial[i] = g->here.x[i] - g->start.x[i];
    double missed = sqrt(tw_softabs_inner(&g->start.metric, g->trial, g->trial));
    tw_general_copy(g, &g->end, &g->here);
    return outcome == TW_GENERAL_FINE && missed <= g->reversal ? TW_GENERAL_FINE : TW_GENERAL_IRREVERSIBLE;
}

tw_general_record tw_general_transition(tw_general *g, size_t steps, uint64_t seed, uint64_t chain,
                                        uint64_t iteration)
{
    tw_general_record record = {TW_GENERAL_FINE, false, NAN};
    tw_stream accept = tw_stream_at(seed, TW_STREAM_ACCEPT, chain, iteration);
    tw_general_draw_momentum(g, seed, chain, iteration);
    tw_general_copy(g, &g->here, &g->start);
    double before = tw_general_energy(g);
    record.outcome = tw_general_trajectory(g, steps);
    if (record.outcome == TW_GENERAL_FINE) {
        record.energy_change = tw_general_energy(g) - before;
        record.outcome = check_reversal(g, steps);
        record.accepted =
            record.outcome == TW_GENERAL_FINE && tw_stream_uniform(&accept) < exp(-record.energy_change);
    }
    if (!record.accepted) tw_general_copy(g, &g->start, &g->here);
    return record;
}
