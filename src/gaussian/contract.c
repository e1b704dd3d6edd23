/* contract.c: contract W with the derivatives of a dense prior covariance; see contract.h. */
#include "gaussian/contract.h"

#include <string.h>

#include "covariance/precision.h"

enum { BLOCK = 64 };

/* Overwrite the lower triangle of A with that of W. */
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

/* The lower triangle of A: from the kind if it can write it, otherwise from blocks of columns. */
static void fill_lower(const tw_gaussian *q, double *block, double *w)
{
    size_t n = q->n;
    if (q->kind->lower) {
        q->kind->lower(q, w);
        return;
    }
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        q->kind->block(q, first, n - first, first, count, block);
        for (size_t j = 0; j < count; j++)
            memcpy(w + first + j + (first + j) * n, block + j + j * (n - first), (n - first - j) * sizeof *w);
    }
}

tw_status tw_gaussian_contract(const tw_gaussian *q, const tw_contraction *with, double *gradient)
{
    size_t n = q->n;
    double *w = NULL, *block = NULL;
    if (q->kind->contract) return q->kind->contract(q, with, gradient);
    TW_TRY(tw_kernel_check_covariances(with->kernel, false));
    TW_TRY(tw_allocate_doubles(q->ctx, n, n, "derivatives of log Z", &w));
    tw_status status = tw_allocate_doubles(q->ctx, n, BLOCK, "derivatives of log Z", &block);
    if (status == TW_OK) {
        fill_lower(q, block, w);
        weigh(n, with, w);
        status = tw_kernel_contract(with->kernel, n, with->d, with->x, n, w, n, gradient);
    }
    for (size_t j = 0; status == TW_OK && j < tw_kernel_count(with->kernel); j++) gradient[j] *= 0.5;
    tw_release(q->ctx, block);
    tw_release(q->ctx, w);
    return status;
}
