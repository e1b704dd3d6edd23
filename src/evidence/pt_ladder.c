/* pt_ladder.c: temperatures with equal swap rates, and how many of them.
 *
 * The rejection rate of a pair is, to third order in its distance, the increase of the communication barrier
 * Lambda(b) between its temperatures (Syed et al. 2022): sums of rejection rates estimate Lambda at the
 * present temperatures, and the new ones are where the interpolated Lambda is k Lambda(1) / B. Piecewise
 * linear interpolation is enough when this is repeated a few times.
 *
 * With even/odd swaps and B pairs of equal rejection rate r = Lambda / B a copy has a round trip in 2 + 2 B r / (1 - r)
 * rounds, and each of its B + 1 replicas one in
 *   (B + 1) (2 + 2 Lambda / (1 - Lambda / B))
 * rounds: the longer, the more temperatures there are beyond about 2 Lambda.
 */
#include <math.h>

#include "evidence/pt.h"

/* Added to each rate: keeps Lambda rising where q is so good that nothing is ever rejected. */
static const double least_rate = 1e-3;

/* The formula is for replicas that move at all. */
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
