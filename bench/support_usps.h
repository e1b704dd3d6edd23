/* support_usps.h: USPS 3-vs-5 (767 cases, 256 inputs) as a model with EP, and positions from its posterior. */
#ifndef TALWEG_BENCH_SUPPORT_USPS_H
#define TALWEG_BENCH_SUPPORT_USPS_H

#include <stdbool.h>

#include "talweg/approximate.h"
#include "talweg/sample.h"

typedef struct bench_usps {
    tw_context *ctx;
    tw_data *data;
    tw_model *model;
    tw_approximation *ep;
    tw_reference *prior;
} bench_usps;

/* False, with a message, if the data under TALWEG_SHARED (default ../shared) are absent. */
bool bench_usps_new(double log_ell, double log_sigma, bench_usps *out);
void bench_usps_free(bench_usps *usps);

/* `count` positions (n x count, which the caller frees) from the path from `reference` (NULL: the prior) at
 * b: see bench_positions. */
double *bench_usps_positions(const bench_usps *usps, const tw_reference *reference, double beta,
                             size_t count);

/* Exit with the context's message unless the status is TW_OK. */
void bench_check(const tw_context *ctx, tw_status status);

#endif
