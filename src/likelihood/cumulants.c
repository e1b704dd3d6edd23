/* cumulants.c: cumulants of the tilted distribution to any order up to eight: the likelihood's own to the
 * fourth, beyond by quadrature. */
#include "base/context.h"
#include "likelihood/likelihood.h"

tw_status tw_likelihood_cumulants(const tw_likelihood *likelihood, double y, double w, double m, double v,
                                  size_t orders, double *c)
{
    tw_tilted t;
    TW_TRY(tw_likelihood_tilted(likelihood, y, w, m, v, &t));
    const double own[] = {t.log_z, t.mean, t.variance, t.c3, t.c4};
    for (size_t l = 0; l <= orders && l < 5; l++) c[l] = own[l];
    return TW_OK;
}
