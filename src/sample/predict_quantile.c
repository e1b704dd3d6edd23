/* predict_quantile.c: quantiles of the latent function at a new input.
 *
 * Given x_s, f* is N(m_s, c), so over the draws it is a mixture of these. Its p-quantile q solves
 *   F(q) = mean over s of Phi((q - m_s) / sqrt(c)) = p
 * and lies between the smallest and the largest of the components' p-quantiles m_s + sqrt(c) Phi^-1(p).
 * Newton's method finds it; a step that would leave the current bracket is replaced by bisection. With more
 * than TW_PREDICT_QUANTILE draws, evenly spaced ones are used. If c = 0, F has jumps, which are smoothed over
 * 1e-9 of the range of the m_s. With places c differs between draws.
 */
#include <math.h>

#include "math/normal.h"
#include "math/vector.h"
#include "sample/predict.h"

enum { MOST_STEPS = 100, CHUNK = 128 };

static const double probability[TW_PREDICT_QUANTILES] = {0.05, 0.5, 0.95};
static const double normal_quantile[TW_PREDICT_QUANTILES] = {-1.6448536269514722, 0.0, 1.6448536269514722};

/* A mixture of normal distributions. Component s has the standard deviation max(sds[s], sd); sds NULL: sd. */
typedef struct mixture {
    size_t count;
    const double *means, *sds;
    double sd;
} mixture;

static double sd_at(const mixture *m, size_t s)
{
    return m->sds ? fmax(m->sds[s], m->sd) : m->sd;
}

/* F(q) and its density F'(q). With z = (q - m_s) / sd_s, component s has the density h(z) Phi(z) / sd_s, h
 * the hazard N(z)/Phi(z). */
static double cdf(const mixture *mix, double q, double *density)
{
    double z[CHUNK], phi[CHUNK], hazard[CHUNK], curvature[CHUNK], sum = 0.0, slope = 0.0;
    for (size_t start = 0; start < mix->count; start += CHUNK) {
        size_t m = mix->count - start < CHUNK ? mix->count - start : CHUNK;
        for (size_t s = 0; s < m; s++) z[s] = (q - mix->means[start + s]) / sd_at(mix, start + s);
        tw_normal_block(m, z, phi, hazard, curvature, NULL);
        tw_vector_exp(m, phi, phi);
        for (size_t s = 0; s < m; s++) {
            sum += phi[s];
            slope += hazard[s] * phi[s] / (mix->sds ? sd_at(mix, start + s) : 1.0);
        }
    }
    *density = slope / ((mix->sds ? 1.0 : mix->sd) * (double)mix->count);
    return sum / (double)mix->count;
}

/* Solve F(q) = p in [low, high], starting from q if it is inside and from the middle otherwise. */
static double solve(const mixture *mix, double p, double low, double high, double q)
{
    const double tolerance = 1e-9 * (mix->sd + high - low);
    if (!(q > low && q < high)) q = 0.5 * (low + high);
    for (int step = 0; step < MOST_STEPS && high - low > tolerance; step++) {
        double density = 0.0, excess = cdf(mix, q, &density) - p;
        if (excess > 0.0)
            high = q;
        else
            low = q;
        double next = q - excess / density;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - q) <= tolerance) return next;
        q = next;
    }
    return q;
}

/* The interval that contains quantile number k. */
static void bracket(const mixture *mix, size_t k, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < mix->count; s++) {
        double own = mix->means[s] + sd_at(mix, s) * normal_quantile[k];
        *low = fmin(*low, own);
        *high = fmax(*high, own);
    }
}

void tw_new_case_quantiles(const tw_draws_predictor *p, tw_new_case *c, const double *means)
{
    double least = INFINITY, most = -INFINITY, low, high;
    for (size_t s = 0; s < p->quantile_draws; s++) {
        least = fmin(least, means[s]);
        most = fmax(most, means[s]);
    }
    double sd = p->quantile_sds ? 0.0 : sqrt(c->variance);
    mixture mix = {p->quantile_draws, means,
                   p->quantile_sds ? p->quantile_sds + (means - p->quantile_means) : NULL,
                   fmax(sd, 1e-9 * (most - least))};
    /* Newton's method starts at the quantile of the Gaussian with the mixture's mean and variance. */
    double total_sd = sqrt(c->mean_variance + c->latent.squares / (double)c->draws);
    for (size_t k = 0; k < TW_PREDICT_QUANTILES; k++) {
        bracket(&mix, k, &low, &high);
        c->quantile[k] = low < high ? solve(&mix, probability[k], low, high,
                                            c->latent.mean + total_sd * normal_quantile[k])
                                    : low;
    }
}
