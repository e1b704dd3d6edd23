/* marginals.c: the log of the integral of p(y | x) N(x; m, v) dx, for one observation, one v and many m.
 * Predictions averaged over draws need it, since the draws share v.
 *
 * If the likelihood has a formula, or if v = 0, it is evaluated directly. Otherwise the integral is a smooth
 * function of m: its values by quadrature (tilted.c) are interpolated to 1e-11, if that is cheaper than one
 * quadrature for every m. The interpolant is kept for the next call.
 */
#include <math.h>

#include "base/context.h"
#include "likelihood/likelihood.h"

enum { CHUNK = 256 };

static const double TOLERANCE = 1e-11;

/* log p by the likelihood's formula; for v = 0 from its terms. */
static void by_formula(const tw_marginal *p, size_t n, const double *m, double *log_p)
{
    const tw_likelihood *likelihood = p->one.likelihood;
    double room[(1 + TW_COLUMNS) * CHUNK];
    tw_observations all = tw_observations_repeat(&p->one, 0, CHUNK, room);
    for (size_t start = 0; start < n; start += CHUNK) {
        tw_observations part = tw_observations_part(&all, 0, tw_chunk(n, start, CHUNK));
        if (p->v == 0.0)
            likelihood->terms(&part, m + start, log_p + start, NULL, NULL, NULL);
        else
            likelihood->marginal(&part, m + start, p->v, log_p + start);
    }
}

static bool log_integral(void *user, double m, double *value)
{
    const tw_marginal *p = user;
    tw_tilted tilted;
    if (tw_likelihood_tilted(&p->one, 0, m, p->v, &tilted) != TW_OK) return false;
    *value = tilted.log_z;
    return true;
}

tw_marginal tw_marginal_of(const tw_observations *o, size_t i, double v)
{
    return (tw_marginal){.one = tw_observations_part(o, i, 1), .v = v, .low = INFINITY, .high = -INFINITY};
}

/* Extend the interpolation to all of m, with a margin for later calls. False if that would cost more than one
 * quadrature for each m. */
static bool reach(tw_marginal *p, size_t n, const double *m)
{
    double low = m[0], high = m[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(low, m[i]);
        high = fmax(high, m[i]);
    }
    if (low >= p->low && high <= p->high) return true;
    double margin = 0.15 * (high - low);
    low = fmin(low - margin, p->low);
    high = fmax(high + margin, p->high);
    p->low = INFINITY; /* invalid until the fit succeeds */
    p->high = -INFINITY;
    if (!(low < high) || !tw_chebyshev_fit(log_integral, p, low, high, TOLERANCE, n, &p->log_z)) return false;
    p->low = low;
    p->high = high;
    return true;
}

/* Interpolate if possible; otherwise use one quadrature for every m. */
static tw_status integrate(tw_marginal *p, size_t n, const double *m, double *log_p)
{
    if (reach(p, n, m)) {
        tw_chebyshev_evaluate(&p->log_z, n, m, log_p);
        return TW_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (!log_integral(p, m[i], &log_p[i])) return TW_NUMERICAL_FAILURE;
    return TW_OK;
}

tw_status tw_marginal_log(tw_marginal *marginal, size_t n, const double *m, double *log_p)
{
    if (marginal->v == 0.0 || marginal->one.likelihood->marginal)
        by_formula(marginal, n, m, log_p);
    else
        TW_TRY(integrate(marginal, n, m, log_p));
    for (size_t i = 0; i < n; i++)
        if (isnan(log_p[i])) return TW_NUMERICAL_FAILURE;
    return TW_OK;
}
