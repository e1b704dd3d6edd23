/* predict_quantile.c: quantiles of the latent function at a new input.
 *
 * Given x_s it is N(m_s, c), and over the draws a mixture of these: its p-quantile q solves
 *   F(q) = mean over s of Phi((q - m_s) / sqrt(c)) = p,
 * which lies between the smallest and the largest of the p-quantiles m_s + sqrt(c) Phi^-1(p) of its parts. Newton's method
 * finds it, with bisection where a step would leave that interval. Of more than TW_PREDICT_QUANTILE draws, evenly spread
 * ones are used. Where c = 0 the mixture has steps, which are smoothed over 1e-9 of its range. Where parameters differ between
 * draws, so does c.
 */
#include <math.h>

#include "math/normal.h"
#include "math/vector.h"
#include "sample/predict.h"

enum { MOST_STEPS = 100, CHUNK = 128 };

static const double probability[TW_PREDICT_QUANTILES] = {0.05, 0.5, 0.95};
static const double normal_quantile[TW_PREDICT_QUANTILES] = {-1.6448536269514722, 0.0, 1.6448536269514722};

/* A mixture of normal distributions; sds NULL: all have sd, the least of them. */
typedef struct mixture {
    size_t count;
    const double *means, *sds;
    double sd;
} mixture;

static double sd_at(const mixture *m, size_t s)
{
    return m->sds ? fmax(m->sds[s], m->sd) : m->sd;
}

/* F(q) and its slope. */
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

/* From q, which need not be between low and high. */
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

/* Between which the quantile number k lies. */
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
    for (size_t s = 0; s < p->spread_draws; s++) {
        least = fmin(least, means[s]);
        most = fmax(most, means[s]);
    }
    double finest = p->spread_sd ? 0.0 : sqrt(c->variance);
    mixture mix = {p->spread_draws, means, p->spread_sd ? p->spread_sd + (means - p->spread) : NULL,
                   fmax(finest, 1e-9 * (most - least))};
    double all = sqrt(c->given + c->latent.squares / (double)c->draws); /* were the mixture Gaussian */
    for (size_t k = 0; k < TW_PREDICT_QUANTILES; k++) {
        bracket(&mix, k, &low, &high);
        c->quantile[k] =
            low < high ? solve(&mix, probability[k], low, high, c->latent.mean + all * normal_quantile[k])
                       : low;
    }
}
