/* marginals.c: log of the integral of p(y | x) N(x; m, v) dx, for one observation, one v and many m: what a
 * prediction averaged over draws needs, since the draws share v.
 *
 *   probit     log Phi(y m / sqrt(1 + v))
 *   gaussian   log N(y; m, w^2 + v)
 * are the likelihoods' own terms at another x or w, and so is v = 0. For the others the integral is a smooth
 * function of m, whose values by quadrature (tilted.c) are interpolated, to 1e-11, where that is cheaper than a
 * quadrature for every m; what was fitted is kept for the next call.
 */
#include <math.h>

#include "base/context.h"
#include "likelihood/likelihood.h"

enum { CHUNK = 256 };

static const double TOLERANCE = 1e-11;

/* The likelihood's own value at scale * m, for a constant w. */
static void values(const tw_marginal *p, double w, double scale, size_t n, const double *m, double *log_p)
{
    const tw_likelihood *likelihood = p->likelihood;
    double ys[CHUNK], ws[CHUNK], x[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) {
        ys[i] = p->y;
        ws[i] = w;
    }
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        for (size_t i = 0; i < count; i++) x[i] = scale * m[start + i];
        likelihood->terms(likelihood->user, count, ys, ws, x, log_p + start, NULL, NULL, NULL);
    }
}

static bool log_integral(void *user, double m, double *value)
{
    const tw_marginal *p = user;
    tw_tilted tilted;
    if (tw_likelihood_tilted(p->likelihood, p->y, p->w, m, p->v, &tilted) != TW_OK) return false;
    *value = tilted.log_z;
    return true;
}

tw_marginal tw_marginal_of(const tw_likelihood *likelihood, double y, double w, double v)
{
    return (tw_marginal){
        .likelihood = likelihood, .y = y, .w = w, .v = v, .low = INFINITY, .high = -INFINITY};
}

/* Make the interpolation reach over all of m, and somewhat further, since more may come. False where it cannot be
 * had at the price of a quadrature for each of m. */
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
    p->low = INFINITY; /* until it is done */
    p->high = -INFINITY;
    if (!(low < high) || !tw_chebyshev_fit(log_integral, p, low, high, TOLERANCE, n, &p->log_z)) return false;
    p->low = low;
    p->high = high;
    return true;
}

/* A quadrature for every m, or far fewer and interpolation. */
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
    double v = marginal->v;
    if (v == 0.0)
        values(marginal, marginal->w, 1.0, n, m, log_p);
    else if (marginal->likelihood == &tw_likelihood_probit)
        values(marginal, marginal->w, 1.0 / sqrt(1.0 + v), n, m, log_p);
    else if (marginal->likelihood == &tw_likelihood_gaussian)
        values(marginal, sqrt(marginal->w * marginal->w + v), 1.0, n, m, log_p);
    else
        TW_TRY(integrate(marginal, n, m, log_p));
    for (size_t i = 0; i < n; i++)
        if (isnan(log_p[i])) return TW_NUMERICAL_FAILURE;
    return TW_OK;
}
