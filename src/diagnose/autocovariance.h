/* autocovariance.h: autocovariances averaged over chains, computed only for the lags that are requested. */
#ifndef TALWEG_DIAGNOSE_AUTOCOVARIANCE_H
#define TALWEG_DIAGNOSE_AUTOCOVARIANCE_H

#include "diagnose/fft.h"

typedef struct tw_autocovariance {
    tw_context *ctx;
    size_t chains, length; /* length of a chain */
    size_t stride;         /* between chains in `centred` */
    double *centred;       /* chains minus their means, each padded with zeros */
    double *mean;          /* of each chain */
    double *value;         /* autocovariances */
    size_t known;          /* number of autocovariances computed so far */
    tw_fft *fft;
    double *re, *im, *power; /* fft->length each */
} tw_autocovariance;

tw_status tw_autocovariance_new(tw_context *ctx, size_t chains, size_t length, tw_autocovariance **out);
void tw_autocovariance_free(tw_autocovariance *a);

/* Load chain c, x[0..length-1]. When all chains are loaded, tw_autocovariance_start discards the values of
 * the previous chains. */
void tw_autocovariance_take(tw_autocovariance *a, size_t c, const double *x);
void tw_autocovariance_start(tw_autocovariance *a);

/* (1/chains) sum_c (1/length) sum_i y_i y_{i+lag}, y = x - mean of chain c; lag < length. */
double tw_autocovariance_at(tw_autocovariance *a, size_t lag);

#endif
