/* weights.c: see weights.h. */
#include "gaussian/weights.h"

tw_status tw_gaussian_weights(const tw_gaussian *q, const double *tau, const double *b, const double *u,
                              double *w)
{
    size_t n = q->n;
    if (!q->kind->lower)
        return tw_fail(q->ctx, TW_BAD_ARGUMENT, "derivatives of log Z cannot be had of %s", q->kind->name);
    q->kind->lower(q, w);
    for (size_t j = 0; j < n; j++) {
        double *column = w + j * n, bj = b[j], uj = u[j];
        for (size_t i = j; i < n; i++)
            column[i] = tau[i] * column[i] * tau[j] + b[i] * bj + u[i] * bj + b[i] * uj;
        column[j] -= tau[j];
    }
    return TW_OK;
}
