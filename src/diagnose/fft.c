/* fft.c: the radix-2 Fourier transform, by decimation in frequency and by decimation in time.
 *
 * With w = exp(-2 pi i / length), a stage with blocks of 2h elements combines a = z_j and b = z_{j+h}:
 *   in frequency (scatter), h = length/2, length/4, ..., 1:   a' = a + b,   b' = (a - b) w^(j length/2h)
 *   in time (gather),       h = 1, 2, ..., length/2:          a' = a + t,   b' = a - t,   t = b w^(j length/2h)
 * The first maps natural order to bit-reversed order and the second maps it back. The power spectrum is
 * formed in bit-reversed order, so no permutation is needed.
 */
#include "diagnose/fft.h"

#include <math.h>

void tw_fft_free(tw_fft *fft)
{
    if (!fft) return;
    tw_context *ctx = fft->ctx;
    tw_release(ctx, fft->cosine);
    tw_release(ctx, fft->sine);
    tw_release(ctx, fft);
}

static void fill_table(tw_fft *fft)
{
    const double two_pi = 6.28318530717958647693;
    for (size_t k = 0; k < fft->length / 2; k++) {
        double angle = two_pi * ((double)k / (double)fft->length);
        fft->cosine[k] = cos(angle);
        fft->sine[k] = -sin(angle);
    }
}

tw_status tw_fft_new(tw_context *ctx, size_t length, tw_fft **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_fft), "a Fourier transform", &memory));
    tw_fft *fft = memory;
    *fft = (tw_fft){.ctx = ctx, .length = 1};
    while (fft->length < length) fft->length *= 2;
    tw_status status = tw_allocate_doubles(ctx, fft->length / 2, 1, "a table of cosines", &fft->cosine);
    if (status == TW_OK)
        status = tw_allocate_doubles(ctx, fft->length / 2, 1, "a table of sines", &fft->sine);
    if (status != TW_OK) {
        tw_fft_free(fft);
        return status;
    }
    fill_table(fft);
    *out = fft;
    return TW_OK;
}

void tw_fft_scatter(const tw_fft *fft, double *re, double *im)
{
    for (size_t h = fft->length / 2, step = 1; h > 0; h /= 2, step *= 2)
        for (size_t block = 0; block < fft->length; block += 2 * h) {
            double *a_re = re + block, *a_im = im + block, *b_re = a_re + h, *b_im = a_im + h;
            for (size_t j = 0; j < h; j++) {
                double c = fft->cosine[j * step], s = fft->sine[j * step];
                double d_re = a_re[j] - b_re[j], d_im = a_im[j] - b_im[j];
                a_re[j] += b_re[j];
                a_im[j] += b_im[j];
                b_re[j] = d_re * c - d_im * s;
                b_im[j] = d_re * s + d_im * c;
            }
        }
}

void tw_fft_gather(const tw_fft *fft, double *re, double *im)
{
    for (size_t h = 1, step = fft->length / 2; h < fft->length; h *= 2, step /= 2)
        for (size_t block = 0; block < fft->length; block += 2 * h) {
            double *a_re = re + block, *a_im = im + block, *b_re = a_re + h, *b_im = a_im + h;
            for (size_t j = 0; j < h; j++) {
                double c = fft->cosine[j * step], s = fft->sine[j * step];
                double t_re = b_re[j] * c - b_im[j] * s, t_im = b_re[j] * s + b_im[j] * c;
                b_re[j] = a_re[j] - t_re;
                b_im[j] = a_im[j] - t_im;
                a_re[j] += t_re;
                a_im[j] += t_im;
            }
        }
}
