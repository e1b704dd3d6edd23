/* likelihood.c: the table of built-in likelihoods, checking observations, and tilted moments.
 *
 * To add a likelihood: write src/likelihood/NAME.c with a constant tw_likelihood_NAME, declare it in
 * likelihood.h, and add NAME to the list below.
 */
#include "likelihood/likelihood.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

#define LIKELIHOODS(X) \
    X(probit)          \
    X(logit)           \
    X(poisson)         \
    X(gaussian)

#define ADDRESS(name) &tw_likelihood_##name,
#define COMMA_NAME(name) ", " #name

static const tw_likelihood *const TABLE[] = {LIKELIHOODS(ADDRESS)};
static const char NAMES[] = LIKELIHOODS(COMMA_NAME);

const tw_likelihood *tw_likelihood_find(const char *name)
{
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++)
        if (strcmp(TABLE[i]->name, name) == 0) return TABLE[i];
    return NULL;
}

const char *tw_likelihood_names(void)
{
    return NAMES + strlen(", ");
}

tw_status tw_likelihood_check(tw_context *ctx, const tw_likelihood *likelihood, size_t n, const double *y,
                              const double *w)
{
    for (size_t i = 0; i < n; i++) {
        double constant = w ? w[i] : 1.0;
        if (likelihood->supports(likelihood->user, y[i], constant)) continue;
        if (w)
            return tw_fail(ctx, TW_BAD_DATA, "observation %zu is %g with constant %g; %s needs %s", i + 1,
                           y[i], constant, likelihood->name, likelihood->support);
        return tw_fail(ctx, TW_BAD_DATA, "observation %zu is %g; %s needs %s", i + 1, y[i], likelihood->name,
                       likelihood->support);
    }
    return TW_OK;
}

static bool usable(const tw_tilted *t)
{
    return isfinite(t->log_z) && isfinite(t->mean) && isfinite(t->c3) && isfinite(t->c4) &&
           isfinite(t->variance) && t->variance > 0.0;
}

tw_status tw_likelihood_tilted(const tw_likelihood *likelihood, double y, double w, double m, double v,
                               tw_tilted *out)
{
    if (!(v > 0.0) || !isfinite(v) || !isfinite(m)) return TW_BAD_ARGUMENT;
    if (likelihood->tilted)
        TW_TRY(likelihood->tilted(likelihood->user, y, w, m, v, out));
    else
        TW_TRY(tw_tilted_by_quadrature(likelihood, y, w, m, v, out, NULL));
    return usable(out) ? TW_OK : TW_NUMERICAL_FAILURE;
}
