/* weights.c: the effective number of importance weights, and the log of their mean with its standard error.
 *
 * With m the largest log weight and w_i = exp(l_i - m) <= 1:
 *   ESS            (sum w)^2 / sum w^2
 *   log mean exp   m + log(sum w / n)
 *   delta method   se^2 = sum (w - mean)^2 / (n (n - 1) mean^2), the variance of the mean over its square, since
 *                  d log(mean) = d mean / mean
 *   bootstrap      the standard deviation of the log mean of n weights drawn with replacement
 */
#include <math.h>

#include "math/random.h"
#include "talweg/diagnose.h"

/* The largest log weight; NaN if n = 0 or if a log weight is NaN or +inf. */
static double largest(size_t n, const double *log_weight)
{
    double m = n > 0 ? -INFINITY : NAN;
    for (size_t i = 0; i < n; i++) {
        if (isnan(log_weight[i]) || log_weight[i] == INFINITY) return NAN;
        m = fmax(m, log_weight[i]);
    }
    return m;
}

double tw_weights_ess(size_t n, const double *log_weight)
{
    double m = largest(n, log_weight), sum = 0.0, squares = 0.0;
    if (m == -INFINITY) return 0.0;
    for (size_t i = 0; i < n; i++) {
        double w = exp(log_weight[i] - m);
        sum += w;
        squares += w * w;
    }
    return isnan(m) ? NAN : sum * sum / squares;
}

double tw_log_mean_exp(size_t n, const double *log_weight, double *se)
{
    double m = largest(n, log_weight), sum = 0.0, squares = 0.0;
    if (se) *se = NAN;
    if (!isfinite(m)) return m;
    for (size_t i = 0; i < n; i++) sum += exp(log_weight[i] - m);
    double mean = sum / (double)n;
    if (!se || n < 2) return m + log(mean);
    for (size_t i = 0; i < n; i++) {
        double ratio = exp(log_weight[i] - m) / mean - 1.0;
        squares += ratio * ratio;
    }
    *se = sqrt(squares / ((double)n * (double)(n - 1)));
    return m + log(mean);
}

/* The log of the mean of n weights drawn with replacement, minus m. */
static double resampled_log_mean(size_t n, const double *log_weight, double m, tw_stream stream)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        size_t drawn = (size_t)(tw_stream_uniform(&stream) * (double)n);
        sum += exp(log_weight[drawn] - m);
    }
    return log(sum / (double)n);
}

double tw_log_mean_exp_bootstrap(size_t n, const double *log_weight, uint64_t seed, size_t replicates)
{
    double m = largest(n, log_weight), mean = 0.0, squares = 0.0;
    if (!isfinite(m) || replicates < 2) return NAN;
    for (size_t r = 0; r < replicates; r++) {
        double value = resampled_log_mean(n, log_weight, m, tw_stream_at(seed, TW_STREAM_BOOTSTRAP, 0, r));
        if (value == -INFINITY) return INFINITY;
        double change = value - mean; /* Welford's update of mean and sum of squares */
        mean += change / (double)(r + 1);
        squares += change * (value - mean);
    }
    return sqrt(squares / (double)(replicates - 1));
}
