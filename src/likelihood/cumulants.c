/* cumulants.c: cumulants of the tilted distribution up to order eight: up to order four from the likelihood's
 * own formula, if it has one, otherwise by quadrature. */
#include <math.h>

#include "base/context.h"
#include "likelihood/likelihood.h"

enum { OWN = 4, MOST = 8 };

/* All orders from one quadrature; m and v are as in tw_likelihood_tilted. */
static tw_status by_quadrature(const tw_observations *observed, size_t i, double m, double v, size_t orders,
                               double *c)
{
    TW_TRY(tw_cumulants_by_quadrature(observed, i, m, v, orders, c, NULL));
    for (size_t l = 0; l <= orders; l++)
        if (!isfinite(c[l])) return TW_NUMERICAL_FAILURE;
    return TW_OK;
}

tw_status tw_likelihood_cumulants(const tw_observations *observed, size_t i, double m, double v,
                                  size_t orders, double *c)
{
    tw_tilted t;
    if (orders > MOST || !(v > 0.0) || !isfinite(v) || !isfinite(m)) return TW_BAD_ARGUMENT;
    if (orders > OWN) TW_TRY(by_quadrature(observed, i, m, v, orders, c));
    if (orders > OWN && !observed->likelihood->tilted) return TW_OK;
    TW_TRY(tw_likelihood_tilted(observed, i, m, v, &t));
    const double own[OWN + 1] = {t.log_z, t.mean, t.variance, t.c3, t.c4};
    for (size_t l = 0; l <= orders && l <= OWN; l++) c[l] = own[l];
    return TW_OK;
}
