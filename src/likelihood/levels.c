/* levels.c: the probability of each level of an ordinal likelihood if the latent value is N(m, v),
 *
 *   P(y = j) = int p(y = j | x) N(x; m, v) dx,
 *
 * from the likelihood's own formula, or by quadrature.
 */
#include <math.h>

#include "base/context.h"
#include "likelihood/likelihood.h"

enum { CHUNK = 256 };

/* The log of the integral, for the y of at most CHUNK observations. */
static tw_status log_marginal(const tw_observations *part, const double *m, double v, double *log_p)
{
    const tw_likelihood *likelihood = part->likelihood;
    tw_tilted tilted;
    if (v == 0.0) {
        likelihood->terms(part, m, log_p, NULL, NULL, NULL);
        return TW_OK;
    }
    if (likelihood->marginal) {
        likelihood->marginal(part, m, v, log_p);
        return TW_OK;
    }
    for (size_t i = 0; i < part->n; i++) {
        TW_TRY(tw_likelihood_tilted(part, i, m[i], v, &tilted));
        log_p[i] = tilted.log_z;
    }
    return TW_OK;
}

static tw_status fill_chunk(tw_observations part, const double *m, double v, double *p)
{
    size_t levels = part.likelihood->levels;
    double y[CHUNK], log_p[CHUNK];
    part.y = y;
    for (size_t j = 0; j < levels; j++) {
        for (size_t i = 0; i < part.n; i++) y[i] = (double)(j + 1);
        TW_TRY(log_marginal(&part, m, v, log_p));
        for (size_t i = 0; i < part.n; i++) {
            if (isnan(log_p[i])) return TW_NUMERICAL_FAILURE;
            p[i * levels + j] = exp(log_p[i]);
        }
    }
    return TW_OK;
}

tw_status tw_likelihood_levels(const tw_observations *observed, const double *m, double v, double *p)
{
    size_t levels = observed->likelihood->levels;
    if (levels == 0) return TW_BAD_ARGUMENT;
    for (size_t start = 0; start < observed->n; start += CHUNK) {
        tw_observations part = tw_observations_part(observed, start, tw_chunk(observed->n, start, CHUNK));
        TW_TRY(fill_chunk(part, m + start, v, p + start * levels));
    }
    return TW_OK;
}

tw_status tw_levels_sum(const tw_observations *o, size_t i, double v, size_t count, const double *m,
                        double *sums)
{
    size_t levels = o->likelihood->levels;
    double room[(1 + TW_COLUMNS) * CHUNK], p[CHUNK * TW_LEVELS] = {0.0};
    tw_observations all = tw_observations_repeat(o, i, CHUNK, room);
    for (size_t start = 0; start < count; start += CHUNK) {
        tw_observations part = tw_observations_part(&all, 0, tw_chunk(count, start, CHUNK));
        TW_TRY(fill_chunk(part, m + start, v, p));
        for (size_t k = 0; k < part.n * levels; k++) sums[k % levels] += p[k];
    }
    return TW_OK;
}
