/* convergence.c: R-hat, its p-value, and the energy's fraction of missing information.
 *
 * Of M half chains of N draws, let B/N be the variance of the means and W the mean of the variances. Then
 *     R-hat = sqrt((B/W + N - 1) / N),
 * the square root of the total variance over the variance within. It is computed for the normal scores of the
 * ranks, which exist for heavy-tailed draws too, and for the scores of |draw - median|, which detect chains
 * with the same centre but different spreads. The result is the larger.
 *
 * The p-value is the probability of such an R-hat if the half chains agree. Let the draws have variance V and
 * autocorrelation time tau. A mean then has variance tau V/N, and W has expectation V (N - tau) / (N - 1).
 * The scores are normal, so
 *     B / (tau V) = (N (R-hat^2 - 1) + 1) / tau * (N - tau) / (N - 1)
 * has nearly an F distribution with M - 1 and M (N/tau - 1) degrees of freedom. For tau the code takes an
 * upper bound of the autocorrelation time within half chains, which does not grow if the chains' means
 * differ. Slow chains could explain any R-hat; therefore tau is at most that of `enough` effective draws in
 * all.
 */
#include <math.h>

#include "diagnose/diagnose.h"
#include "diagnose/moments.h"
#include "math/beta.h"

static const double enough = 400.0;

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
    if (d->has_nan || !isfinite(tw_diagnose_quantile(d, 0.5))) return NAN;
    tw_rank_scores(d);
    double bulk = tw_series_rhat(d, d->series);
    tw_folded_rank_scores(d);
    double fold = tw_series_rhat(d, d->series);
    return isnan(bulk) || bulk > fold ? bulk : fold;
}

/* P(F > f) for a and b degrees of freedom. */
static double upper_tail(double f, double a, double b)
{
    return tw_beta_cdf(b / (b + a * f), 0.5 * b, 0.5 * a);
}

static double p_value(tw_diagnose *d, double rhat)
{
    double n = (double)d->half, halves = 2.0 * (double)d->chains;
    if (isinf(rhat)) return 0.0;
    double tau = tw_time_within(d, enough), within = fmax(n - tau, 0.5 * n) / (n - 1.0);
    double ratio = within * (n * (rhat * rhat - 1.0) + 1.0) / tau;
    return upper_tail(ratio, halves - 1.0, halves * fmax(n / tau - 1.0, 1.0));
}

tw_mixing tw_series_mixing(tw_diagnose *d, const double *series)
{
    tw_mixing m = {.ess = tw_series_ess(d, series), .rhat = tw_series_rhat(d, series), .chance = NAN};
    if (isfinite(m.ess) && !isnan(m.rhat)) m.chance = p_value(d, m.rhat);
    return m;
}

double tw_rhat_chance_of_many(double chance, size_t n)
{
    return -expm1((double)n * log1p(-chance));
}

double tw_ebfmi(size_t n, const double *energy)
{
    double steps = 0.0, mean = n < 3 ? NAN : tw_mean_of(n, energy);
    if (!isfinite(mean)) return NAN;
    for (size_t i = 1; i < n; i++) steps += (energy[i] - energy[i - 1]) * (energy[i] - energy[i - 1]);
    double spread = (double)(n - 1) * tw_variance_of(n, energy, mean);
    return spread > 0.0 ? steps / spread : NAN;
}
