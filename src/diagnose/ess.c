/* ess.c: effective sample sizes.
 *
 * Of M half chains of N draws, let a_t be the mean autocovariance at lag t, W = a_0 N/(N-1) the mean
 * variance, and V = a_0 + variance of the chains' means the total variance. The autocorrelation at lag t is
 *     rho_t = 1 - (W - a_t) / V,
 * which increases if one chain has another mean (Vehtari et al. 2021, eq. 10). The autocorrelation time is
 *     tau = -1 + 2 sum_t rho_t
 * over Geyer's (1992) initial positive and monotone sequence of pairs P_k = rho_2k + rho_2k+1: up to the
 * first negative pair, each pair at most as large as its predecessor. The ESS is M N / tau, at most M N
 * log10(M N).
 *
 * tw_time_within replaces V by its value if the means differ by chance alone: V = a_0 / (1 - tau/N), since
 * the mean of N draws has variance V tau/N, which a_0 lacks. It iterates between tau and V.
 *
 * As in R's package posterior, the last lag is even and counts once, and only if its term is positive; and
 * tau is 2 if the first pair ends the sum (N < 6, or rho_1 <= -1).
 */
#include <float.h>
#include <math.h>

#include "diagnose/diagnose.h"
#include "diagnose/moments.h"

bool tw_series_varies(const tw_diagnose *d, const double *series)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t s = 0; s < 2 * d->chains; s++) {
        const double *x = tw_half_chain(d, series, s);
        for (size_t i = 0; i < d->half; i++) {
            if (!isfinite(x[i])) return false;
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
    }
    return high - low >= DBL_EPSILON;
}

static void load_halves(tw_diagnose *d, const double *series)
{
    for (size_t s = 0; s < 2 * d->chains; s++)
        tw_autocovariance_take(d->autocovariance, s, tw_half_chain(d, series, s));
    tw_autocovariance_start(d->autocovariance);
}

/* The total variance V, from `within` = a_0 and the variance of the chains' means. */
static double total_variance(const tw_autocovariance *a, double within)
{
    return within + tw_variance_of(a->chains, a->mean, tw_mean_of(a->chains, a->mean));
}

/* Compute rho_0, rho_1, ... up to the first negative pair; of this pair, keep only a positive even term.
 * Returns the even lag of the last pair. */
static size_t positive_sequence(tw_diagnose *d, double all)
{
    tw_autocovariance *a = d->autocovariance;
    double n = (double)a->length, within = tw_autocovariance_at(a, 0) * n / (n - 1.0);
    double even = 1.0, odd = 1.0 - (within - tw_autocovariance_at(a, 1)) / all;
    size_t t = 0;
    d->rho[0] = even;
    d->rho[1] = odd;
    while (t + 5 < a->length && even + odd > 0.0) {
        t += 2;
        even = 1.0 - (within - tw_autocovariance_at(a, t)) / all;
        odd = 1.0 - (within - tw_autocovariance_at(a, t + 1)) / all;
        bool keep = even + odd >= 0.0;
        d->rho[t] = keep || even > 0.0 ? even : 0.0;
        d->rho[t + 1] = keep ? odd : 0.0;
    }
    return t;
}

/* Reduce each pair before the last to at most the preceding pair. */
static void make_monotone(double *rho, size_t last)
{
    for (size_t t = 2; t + 2 <= last; t += 2) {
        double before = rho[t - 2] + rho[t - 1];
        if (rho[t] + rho[t + 1] > before) rho[t] = rho[t + 1] = 0.5 * before;
    }
}

static double draws_in_halves(const tw_diagnose *d)
{
    return 2.0 * (double)d->chains * (double)d->half;
}

/* tau for total variance `all`, and the last lag of its sum. */
static double correlation_time(tw_diagnose *d, double all, size_t *last)
{
    *last = positive_sequence(d, all);
    make_monotone(d->rho, *last);
    double tau = *last == 0 ? 2.0 : -1.0 + d->rho[*last];
    for (size_t t = 0; t < *last; t++) tau += 2.0 * d->rho[t];
    return fmax(tau, 1.0 / log10(draws_in_halves(d)));
}

double tw_series_ess(tw_diagnose *d, const double *series)
{
    if (d->half < 3 || !tw_series_varies(d, series)) return NAN;
    load_halves(d, series);
    double a_0 = tw_autocovariance_at(d->autocovariance, 0);
    if (!isfinite(a_0)) return NAN;
    size_t last;
    return draws_in_halves(d) / correlation_time(d, total_variance(d->autocovariance, a_0), &last);
}

/* Sokal's error: the sum of correlations up to lag m, from S draws, has relative variance 2 (2 m + 1) / S. */
double tw_time_within(tw_diagnose *d, double enough)
{
    enum { ROUNDS = 3 };
    double n = (double)d->half, a_0 = tw_autocovariance_at(d->autocovariance, 0), tau = 1.0;
    size_t last = 0;
    for (size_t round = 0; round < ROUNDS; round++)
        tau = correlation_time(d, a_0 / (1.0 - fmin(tau / n, 0.5)), &last);
    double size = draws_in_halves(d), error = sqrt(2.0 * (2.0 * (double)last + 1.0) / size);
    return fmax(fmin(tau, size / enough), 1.0) * (1.0 + 2.0 * error);
}

double tw_diagnose_ess_bulk(tw_diagnose *d)
{
    if (d->has_nan) return NAN;
    tw_rank_scores(d);
    return tw_series_ess(d, d->series);
}

double tw_diagnose_ess_fold(tw_diagnose *d)
{
    if (d->has_nan || !isfinite(tw_diagnose_quantile(d, 0.5))) return NAN;
    tw_folded_rank_scores(d);
    return tw_series_ess(d, d->series);
}

double tw_diagnose_ess_mean(tw_diagnose *d)
{
    return d->has_nan ? NAN : tw_series_ess(d, d->x);
}

double tw_diagnose_ess_sd(tw_diagnose *d)
{
    if (d->has_nan) return NAN;
    double mean = tw_diagnose_mean(d);
    for (size_t i = 0; i < d->total; i++) d->series[i] = fabs(d->x[i] - mean);
    return tw_series_ess(d, d->series);
}

/* The ESS of the indicator of x <= quantile. For p = 1 the indicator would be constant, so p = 1 means half a
 * draw below the largest. */
double tw_diagnose_ess_quantile(tw_diagnose *d, double p)
{
    if (d->has_nan) return NAN;
    double range = d->sorted[d->total - 1] - d->sorted[0];
    if (!isfinite(range) || range < DBL_EPSILON) return NAN;
    double quantile = tw_diagnose_quantile(d, p == 1.0 ? ((double)d->total - 0.5) / (double)d->total : p);
    for (size_t i = 0; i < d->total; i++) d->series[i] = d->x[i] <= quantile ? 1.0 : 0.0;
    return tw_series_ess(d, d->series);
}

/* The smaller of the two; NaN if either is NaN. */
double tw_diagnose_ess_tail(tw_diagnose *d)
{
    double low = tw_diagnose_ess_quantile(d, 0.05), high = tw_diagnose_ess_quantile(d, 0.95);
    return isnan(low) || low < high ? low : high;
}
