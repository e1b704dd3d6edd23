/* autocovariance.c: autocovariances by direct sums for the first lags, and by one Fourier transform for the
 * rest.
 *
 * If the chains mix well, Geyer's rule stops after a few lags, and direct sums are cheapest. If it needs more
 * than DIRECT_LAGS, a transform computes all remaining lags at once. Pad the chains with zeros to twice their
 * length L, let a = y_1 + i y_2 for a pair of chains, and let A be the transform of a. Then
 *     sum_j conj(a_j) a_{j+t} = (1/L) sum_k |A_k|^2 exp(2 pi i k t / L),
 * whose real part is the sum of the two chains' autocovariances. Power spectra add, so all chains share one
 * inverse transform. The power is real, so the forward transform can replace the inverse: the real part is
 * equal.
 */
#include "diagnose/autocovariance.h"

#include <string.h>

#include "diagnose/moments.h"
#include "math/machine.h"

enum { DIRECT_LAGS = 48 };

void tw_autocovariance_free(tw_autocovariance *a)
{
    if (!a) return;
    tw_context *ctx = a->ctx;
    tw_release(ctx, a->centred);
    tw_release(ctx, a->mean);
    tw_release(ctx, a->value);
    tw_release(ctx, a->re);
    tw_release(ctx, a->im);
    tw_release(ctx, a->power);
    tw_fft_free(a->fft);
    tw_release(ctx, a);
}

static tw_status allocate_arrays(tw_autocovariance *a)
{
    tw_context *ctx = a->ctx;
    TW_TRY(tw_allocate_doubles(ctx, a->stride, a->chains, "the centred draws", &a->centred));
    TW_TRY(tw_allocate_doubles(ctx, a->chains, 1, "the chains' means", &a->mean));
    TW_TRY(tw_allocate_doubles(ctx, a->length, 1, "the autocovariances", &a->value));
    TW_TRY(tw_fft_new(ctx, 2 * a->length, &a->fft));
    TW_TRY(tw_allocate_doubles(ctx, a->fft->length, 1, "a Fourier transform", &a->re));
    TW_TRY(tw_allocate_doubles(ctx, a->fft->length, 1, "a Fourier transform", &a->im));
    return tw_allocate_doubles(ctx, a->fft->length, 1, "a power spectrum", &a->power);
}

tw_status tw_autocovariance_new(tw_context *ctx, size_t chains, size_t length, tw_autocovariance **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_autocovariance), "autocovariances", &memory));
    tw_autocovariance *a = memory;
    *a = (tw_autocovariance){.ctx = ctx, .chains = chains, .length = length, .stride = length + TW_GROUP};
    tw_status status = allocate_arrays(a);
    if (status != TW_OK) {
        tw_autocovariance_free(a);
        return status;
    }
    *out = a;
    return TW_OK;
}

void tw_autocovariance_take(tw_autocovariance *a, size_t c, const double *x)
{
    double *y = a->centred + c * a->stride, mean = tw_mean_of(a->length, x);
    a->mean[c] = mean;
    for (size_t i = 0; i < a->length; i++) y[i] = x[i] - mean;
}

void tw_autocovariance_start(tw_autocovariance *a)
{
    a->known = 0;
}

/* sum_{i < n} y_i z_i with n a multiple of TW_GROUP, as TW_GROUP parallel sums, which the compiler
 * vectorises. */
TW_INLINE double product(size_t n, const double *y, const double *z)
{
    double s[TW_GROUP] = {0}, sum = 0.0;
    for (size_t i = 0; i < n; i += TW_GROUP)
        for (size_t k = 0; k < TW_GROUP; k++) s[k] += y[i + k] * z[i + k];
    for (size_t k = 0; k < TW_GROUP; k++) sum += s[k];
    return sum;
}

#define PRODUCT(machine, target, fused)                                               \
    target static double product##machine(size_t n, const double *y, const double *z) \
    {                                                                                 \
        return product(n, y, z);                                                      \
    }
TW_FOR_EACH_MACHINE(PRODUCT)

/* Compute one more lag. The zeros after each chain make the number of terms a multiple of TW_GROUP. */
static void extend_directly(tw_autocovariance *a)
{
    size_t lag = a->known, n = (a->length - lag + TW_GROUP - 1) / TW_GROUP * TW_GROUP;
    double sum = 0.0;
    for (size_t c = 0; c < a->chains; c++) {
        const double *y = a->centred + c * a->stride;
        sum += TW_ON_THIS_MACHINE(product, n, y, y + lag);
    }
    a->value[lag] = sum / ((double)a->chains * (double)a->length);
    a->known = lag + 1;
}

static void load_padded(const tw_autocovariance *a, size_t c, double *out)
{
    size_t given = c < a->chains ? a->length : 0;
    if (given) memcpy(out, a->centred + c * a->stride, given * sizeof *out);
    memset(out + given, 0, (a->fft->length - given) * sizeof *out);
}

/* Compute all remaining lags. */
static void extend_by_transform(tw_autocovariance *a)
{
    size_t length = a->fft->length;
    double scale = 1.0 / ((double)a->chains * (double)a->length * (double)length);
    memset(a->power, 0, length * sizeof *a->power);
    for (size_t c = 0; c < a->chains; c += 2) {
        load_padded(a, c, a->re);
        load_padded(a, c + 1, a->im);
        tw_fft_scatter(a->fft, a->re, a->im);
        for (size_t k = 0; k < length; k++) a->power[k] += a->re[k] * a->re[k] + a->im[k] * a->im[k];
    }
    memset(a->im, 0, length * sizeof *a->im);
    tw_fft_gather(a->fft, a->power, a->im);
    for (size_t lag = a->known; lag < a->length; lag++) a->value[lag] = scale * a->power[lag];
    a->known = a->length;
}

double tw_autocovariance_at(tw_autocovariance *a, size_t lag)
{
    while (lag >= a->known)
        if (a->known < DIRECT_LAGS)
            extend_directly(a);
        else
            extend_by_transform(a);
    return a->value[lag];
}
