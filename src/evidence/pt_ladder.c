/* pt_ladder.c: temperatures with equal swap rates, and their number.
 *
 * To third order in the distance of a pair, its rejection rate is the increase of the communication barrier
 * Lambda(b) between its temperatures (Syed et al. 2022). So sums of rejection rates estimate Lambda at the
 * current temperatures, and the new temperatures are where the interpolated Lambda is k Lambda(1) / B.
 * Piecewise linear interpolation is accurate enough if this is repeated a few times.
 *
 * With even/odd swaps and B pairs of equal rejection rate r = Lambda / B, a copy has a round trip in 2 + 2 B
 * r / (1 - r) rounds, and each of its B + 1 replicas has one in
 *   (B + 1) (2 + 2 Lambda / (1 - Lambda / B))
 * rounds, which increases with the number of temperatures beyond about 2 Lambda.
 */
#include <math.h>

#include "evidence/pt.h"

/* Added to each rejection rate, so that Lambda increases even if q is so good that no swap is rejected. */
static const double least_rate = 1e-3;

/* The largest rejection rate in the formula for round trips, which is infinite at 1. */
static const double largest_rate = 0.99;

void tw_ladder_equalise(size_t steps, const double *rejection, const double *beta, size_t new_steps,
                        double *next, double *cumulated)
{
    cumulated[0] = 0.0;
    for (size_t k = 0; k < steps; k++) cumulated[k + 1] = cumulated[k] + rejection[k] + least_rate;
    size_t piece = 0;
    for (size_t k = 1; k < new_steps; k++) {
        double wanted = cumulated[steps] * (double)k / (double)new_steps;
        while (piece + 1 < steps && cumulated[piece + 1] < wanted) piece++;
        double share = (wanted - cumulated[piece]) / (cumulated[piece + 1] - cumulated[piece]);
        next[k] = beta[piece] + share * (beta[piece + 1] - beta[piece]);
    }
    next[0] = beta[0];
    next[new_steps] = beta[steps];
}

double tw_ladder_trip(size_t steps, double barrier)
{
    double rate = fmin(barrier / (double)steps, largest_rate);
    return (double)(steps + 1) * (2.0 + 2.0 * barrier / (1.0 - rate));
}

size_t tw_ladder_steps(size_t least, size_t most, double barrier, double rounds)
{
    size_t best = most;
    for (size_t steps = most; steps >= least; steps--) {
        double trip = tw_ladder_trip(steps, barrier);
        if (trip <= rounds) return steps;
        if (trip < tw_ladder_trip(best, barrier)) best = steps;
    }
    return best;
}
