/* resample.c: systematic resampling (Kitagawa 1996).
 *
 * The points (i + u) / count, i = 0..count-1, are equally spaced and shifted by one uniform number u. The
 * ancestor of particle i is the j whose interval of cumulative weights, [C_{j-1}, C_j) of length W_j,
 * contains the point of i.
 */
#include "evidence/resample.h"

#include <math.h>

void tw_resample_systematic(size_t n, const double *log_weight, double u, size_t count, size_t *ancestor)
{
    double largest = -INFINITY, total = 0.0, sum = 0.0;
    size_t next = 0,
           last = 0; /* last: the last weight above 0; it gets the points that rounding leaves over */
    for (size_t j = 0; j < n; j++) largest = fmax(largest, log_weight[j]);
    for (size_t j = 0; j < n; j++) total += exp(log_weight[j] - largest);
    for (size_t j = 0; j < n && next < count; j++) {
        double weight = exp(log_weight[j] - largest);
        sum += weight;
        if (weight > 0.0) last = j;
        while (next < count && ((double)next + u) * total < sum * (double)count) ancestor[next++] = j;
    }
    while (next < count) ancestor[next++] = last;
}
