/* marginals.c: log of the integral of p(y | x) N(x; m, v) dx, for one observation, one v and many m: what a
 * prediction averaged over draws needs, since the draws share v.
 *
 *   probit     log Phi(y m / sqrt(1 + v))
 *   gaussian   log N(y; m, w^2 + v)
 * are the likelihoods' own terms at another x or w, and so is v = 0. For the others the integral is a smooth
 * function of m, whose values by quadrature (tilted.c) are interpolated, to 1e-11, where that is cheaper than a
 * quadrature for every m.
 */
#include <math.h>

#include "base/context.h"
#include "likelihood/likelihood.h"
#include "math/chebyshev.h"

enum { CHUNK = 256 };

static const double TOLERANCE = 1e-11;

/* terms' value at scale * m, for one y and w. */
static void values(const tw_likelihood *likelihood, double y, double w, double scale, size_t n,
                   const double *m, double *log_p)
{
    double ys[CHUNK], ws[CHUNK], x[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) {
        ys[i] = y;
        ws[i] = w;
    }
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        for (size_t i = 0; i < count; i++) x[i] = scale * m[start + i];
        likelihood->terms(likelihood->user, count, ys, ws, x, log_p + start, NULL, NULL, NULL);
    }
}

typedef struct integral {
    const tw_likelihood *likelihood;
    double y, w, v;
} integral;

static bool log_integral(void *user, double m, double *value)
{
    const integral *of = user;
    tw_tilted tilted;
    if (tw_likelihood_tilted(of->likelihood, of->y, of->w, m, of->v, &tilted) != TW_OK) return false;
    *value = tilted.log_z;
    return true;
}

static bool interpolated(integral *of, size_t n, const double *m, double *log_p)
{
    tw_chebyshev approximation;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, m[i]);
        high = fmax(high, m[i]);
    }
    if (!(low < high)) return false;
    if (!tw_chebyshev_fit(log_integral, of, low, high, TOLERANCE, n, &approximation)) return false;
    tw_chebyshev_evaluate(&approximation, n, m, log_p);
    return true;
}

tw_status tw_likelihood_marginals(const tw_likelihood *likelihood, double y, double w, double v, size_t n,
                                  const double *m, double *log_p)
{
    integral of = {likelihood, y, w, v};
    if (v == 0.0)
        values(likelihood, y, w, 1.0, n, m, log_p);
    else if (likelihood == &tw_likelihood_probit)
        values(likelihood, y, w, 1.0 / sqrt(1.0 + v), n, m, log_p);
    else if (likelihood == &tw_likelihood_gaussian)
        values(likelihood, y, sqrt(w * w + v), 1.0, n, m, log_p);
    else if (!interpolated(&of, n, m, log_p))
        for (size_t i = 0; i < n; i++)
            if (!log_integral(&of, m[i], &log_p[i])) return TW_NUMERICAL_FAILURE;
    for (size_t i = 0; i < n; i++)
        if (isnan(log_p[i])) return TW_NUMERICAL_FAILURE;
    return TW_OK;
}
