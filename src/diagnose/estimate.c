/* estimate.c: mean, sd and quantiles of all draws, and their Monte Carlo standard errors (MCSE).
 *
 *   mean:       sd / sqrt(ESS of the mean)
 *   sd:         sqrt((m_4 - m_2^2) / (4 m_2 ESS)), by the delta method for sqrt(m_2), with m_k the central moments
 *               and ESS that of (x - mean)^2
 *   p-quantile: the rank of the quantile among ESS draws is nearly Beta(ESS p + 1, ESS (1 - p) + 1). The MCSE is
 *               half the distance between the order statistics at the one-sigma points of this distribution, its
 *               quantiles at 15.86553% and 84.13447%.
 */
#include <math.h>

#include "diagnose/diagnose.h"
#include "diagnose/moments.h"
#include "math/beta.h"

#define ONE_SIGMA_BELOW 0.1586553
#define ONE_SIGMA_ABOVE 0.8413447

double tw_diagnose_mean(const tw_diagnose *d)
{
    return tw_mean_of(d->total, d->x);
}

double tw_diagnose_sd(const tw_diagnose *d)
{
    return sqrt(tw_variance_of(d->total, d->x, tw_diagnose_mean(d)));
}

/* Interpolate between the order statistics floor and ceil of 1 + (n - 1) p, counted from 1. Equal neighbours
 * are not interpolated: they may be infinite. */
double tw_diagnose_quantile(const tw_diagnose *d, double p)
{
    if (d->has_nan || !(p >= 0.0 && p <= 1.0)) return NAN;
    double index = 1.0 + (double)(d->total - 1) * p, low = floor(index), part = index - low;
    double below = d->sorted[(size_t)low - 1], above = d->sorted[(size_t)ceil(index) - 1];
    return part > 0.0 && below != above ? (1.0 - part) * below + part * above : below;
}

double tw_series_mcse(tw_diagnose *d, const double *series)
{
    double variance = tw_variance_of(d->total, series, tw_mean_of(d->total, series));
    return sqrt(variance) / sqrt(tw_series_ess(d, series));
}

double tw_diagnose_mcse_mean(tw_diagnose *d)
{
    return d->has_nan ? NAN : tw_series_mcse(d, d->x);
}

double tw_diagnose_mcse_sd(tw_diagnose *d)
{
    if (d->has_nan) return NAN;
    double mean = tw_diagnose_mean(d), n = (double)d->total, m_2 = 0.0, m_4 = 0.0;
    for (size_t i = 0; i < d->total; i++) {
        double square = (d->x[i] - mean) * (d->x[i] - mean);
        d->series[i] = square;
        m_2 += square / n;
        m_4 += square * square / n;
    }
    double ess = tw_series_ess(d, d->series);
    return sqrt((m_4 - m_2 * m_2) / (4.0 * m_2 * ess));
}

double tw_diagnose_mcse_quantile(tw_diagnose *d, double p)
{
    double ess = tw_diagnose_ess_quantile(d, p), n = (double)d->total;
    if (isnan(ess)) return NAN;
    double a = ess * p + 1.0, b = ess * (1.0 - p) + 1.0;
    double low = fmax(floor(tw_beta_quantile(ONE_SIGMA_BELOW, a, b) * n), 1.0);
    double high = fmin(ceil(tw_beta_quantile(ONE_SIGMA_ABOVE, a, b) * n), n);
    return 0.5 * (d->sorted[(size_t)high - 1] - d->sorted[(size_t)low - 1]);
}
