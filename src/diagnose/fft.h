/* fft.h: a complex Fourier transform of length 2^k without permutations, which suffices for convolutions. */
#ifndef TALWEG_DIAGNOSE_FFT_H
#define TALWEG_DIAGNOSE_FFT_H

#include "base/context.h"

typedef struct tw_fft {
    tw_context *ctx;
    size_t length;         /* a power of two */
    double *cosine, *sine; /* of -2 pi k / length, k < length/2 */
} tw_fft;

/* length is rounded up to a power of two. */
tw_status tw_fft_new(tw_context *ctx, size_t length, tw_fft **out);
void tw_fft_free(tw_fft *fft);

/* Z_k = sum_j z_j exp(-2 pi i j k / length), in place; Z is returned in bit-reversed order. */
void tw_fft_scatter(const tw_fft *fft, double *re, double *im);

/* The same transform for input in bit-reversed order; the result is in natural order. */
void tw_fft_gather(const tw_fft *fft, double *re, double *im);

#endif
