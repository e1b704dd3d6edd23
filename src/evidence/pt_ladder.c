/* pt_ladder.c: temperatures with equal swap rates.
 *
 * The rejection rate of a pair is, to third order in its distance, the increase of the communication barrier
 * Lambda(b) between its temperatures (Syed et al. 2022): sums of rejection rates estimate Lambda at the
 * present temperatures, and the new ones are where the interpolated Lambda is k Lambda(1) / B. Piecewise
 * linear interpolation is enough when this is repeated a few times.
 */
#include <string.h>

#include "evidence/pt.h"

/* Added to each rate: keeps Lambda rising where q is so good that nothing is ever rejected. */
static const double least_rate = 1e-3;

void tw_ladder_equalise(size_t steps, const double *rejection, double *beta, double *cumulated, double *old)
{
    memcpy(old, beta, (steps + 1) * sizeof *old);
    cumulated[0] = 0.0;
    for (size_t k = 0; k < steps; k++) cumulated[k + 1] = cumulated[k] + rejection[k] + least_rate;
    size_t piece = 0;
    for (size_t k = 1; k < steps; k++) {
        double wanted = cumulated[steps] * (double)k / (double)steps;
        while (piece + 1 < steps && cumulated[piece + 1] < wanted) piece++;
        double share = (wanted - cumulated[piece]) / (cumulated[piece + 1] - cumulated[piece]);
        beta[k] = old[piece] + share * (old[piece + 1] - old[piece]);
    }
}
