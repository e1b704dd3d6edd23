/* contract.c: see contract.h. */
#include "gaussian/contract.h"

/* The lower triangle of W, where that of A is. */
static void weigh(size_t n, const tw_contraction *with, double *w)
{
    const double *tau = with->tau, *b = with->b, *u = with->u;
    for (size_t j = 0; j < n; j++) {
        double *column = w + j * n;
        for (size_t i = j; i < n; i++)
            column[i] = tau[i] * column[i] * tau[j] + b[i] * b[j] + u[i] * b[j] + b[i] * u[j];
        column[j] -= tau[j];
    }
}

tw_status tw_gaussian_contract(const tw_gaussian *q, const tw_contraction *with, double *gradient)
{
    size_t n = q->n;
    double *w = NULL;
    if (!q->kind->lower)
        return tw_fail(q->ctx, TW_BAD_ARGUMENT, "derivatives of log Z cannot be had of %s", q->kind->name);
    TW_TRY(tw_allocate_doubles(q->ctx, n, n, "derivatives of log Z", &w));
    q->kind->lower(q, w);
    weigh(n, with, w);
    tw_status status = tw_kernel_contract(with->kernel, n, with->d, with->x, n, w, n, gradient);
    for (size_t j = 0; j < tw_kernel_count(with->kernel); j++) gradient[j] *= 0.5;
    tw_release(q->ctx, w);
    return status;
}
