/* convergence.c: R-hat, and the energy's fraction of missing information.
 *
 * R-hat of half chains of N draws, with B/N the variance of their means and W the mean of their variances, is
 *   sqrt((B/W + N - 1) / N):
 * the square root of the variance of all over the variance within. It is taken of the normal scores of the
 * ranks, which exist for draws with heavy tails too, and of the scores of |draw - median|, which see chains
 * with one centre and different spreads; the larger counts.
 */
#include <math.h>

#include "diagnose/diagnose.h"
#include "diagnose/moments.h"

double tw_series_rhat(const tw_diagnose *d, const double *series)
{
    if (d->half < 2 || !tw_series_varies(d, series)) return NAN;
    size_t halves = 2 * d->chains;
    double *mean = d->autocovariance->mean, within = 0.0, n = (double)d->half;
    for (size_t s = 0; s < halves; s++) {
        const double *x = tw_half_chain(d, series, s);
        mean[s] = tw_mean_of(d->half, x);
        within += tw_variance_of(d->half, x, mean[s]) / (double)halves;
    }
    double between = n * tw_variance_of(halves, mean, tw_mean_of(halves, mean));
    return sqrt((between / within + n - 1.0) / n);
}

double tw_diagnose_rhat(tw_diagnose *d)
{
    if (d->has_nan) return NAN;
    tw_rank_scores(d);
    double bulk = tw_series_rhat(d, d->series);
    return tw_larger_rhat(d, bulk);
}

double tw_larger_rhat(tw_diagnose *d, double bulk)
{
    if (!isfinite(tw_diagnose_quantile(d, 0.5))) return NAN;
    tw_folded_rank_scores(d);
    double tail = tw_series_rhat(d, d->series);
    return isnan(bulk) || bulk > tail ? bulk : tail;
}

double tw_ebfmi(size_t n, const double *energy)
{
    double steps = 0.0, mean = n < 3 ? NAN : tw_mean_of(n, energy);
    if (!isfinite(mean)) return NAN;
    for (size_t i = 1; i < n; i++) steps += (energy[i] - energy[i - 1]) * (energy[i] - energy[i - 1]);
    double spread = (double)(n - 1) * tw_variance_of(n, energy, mean);
    return spread > 0.0 ? steps / spread : NAN;
}
