/* predict_quantile.c: quantiles of the latent function at a new input.
 *
 * Given x_s it is N(m_s, c), and over the draws a mixture of these: its p-quantile q solves
 *   F(q) = mean over s of Phi((q - m_s) / sqrt(c)) = p,
 * which lies between the smallest and the largest of the p-quantiles m_s + sqrt(c) Phi^-1(p) of its parts. Newton's method
 * finds it, with bisection where a step would leave that interval. Of more than TW_PREDICT_QUANTILE draws, evenly spread
 * ones are used. Where c = 0 the mixture has steps, which are smoothed over 1e-9 of its range.
 */
#include <math.h>

#include "math/normal.h"
#include "math/vector.h"
#include "sample/predict.h"

enum { MOST_STEPS = 100, CHUNK = 128 };

static const double probability[TW_PREDICT_QUANTILES] = {0.05, 0.5, 0.95};
static const double normal_quantile[TW_PREDICT_QUANTILES] = {-1.6448536269514722, 0.0, 1.6448536269514722};

/* F(q) and its slope. */
static double cdf(size_t count, const double *means, double sd, double q, double *density)
{
    double z[CHUNK], phi[CHUNK], hazard[CHUNK], curvature[CHUNK], sum = 0.0, slope = 0.0;
    for (size_t start = 0; start < count; start += CHUNK) {
        size_t m = count - start < CHUNK ? count - start : CHUNK;
        for (size_t s = 0; s < m; s++) z[s] = (q - means[start + s]) / sd;
        tw_normal_block(m, z, phi, hazard, curvature, NULL);
        tw_vector_exp(m, phi, phi);
        for (size_t s = 0; s < m; s++) {
            sum += phi[s];
            slope += hazard[s] * phi[s];
        }
    }
    *density = slope / (sd * (double)count);
    return sum / (double)count;
}

/* From q, which need not be between low and high. */
static double solve(size_t count, const double *means, double sd, double p, double low, double high, double q)
{
    const double tolerance = 1e-9 * (sd + high - low);
    if (!(q > low && q < high)) q = 0.5 * (low + high);
    for (int step = 0; step < MOST_STEPS && high - low > tolerance; step++) {
        double density = 0.0, excess = cdf(count, means, sd, q, &density) - p;
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

void tw_new_case_quantiles(const tw_draws_predictor *p, tw_new_case *c, const double *means)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t s = 0; s < p->spread_draws; s++) {
        least = fmin(least, means[s]);
        most = fmax(most, means[s]);
    }
    double width = most - least, sd = fmax(sqrt(c->variance), 1e-9 * width);
    double all = sqrt(c->variance + c->latent.squares / (double)c->draws); /* were the mixture Gaussian */
    for (size_t k = 0; k < TW_PREDICT_QUANTILES; k++) {
        double away = sd * normal_quantile[k];
        c->quantile[k] = width > 0.0 ? solve(p->spread_draws, means, sd, probability[k], least + away,
                                             most + away, c->latent.mean + all * normal_quantile[k])
                                     : least + away;
    }
}
