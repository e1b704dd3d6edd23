/* bench_diagnose.c: milliseconds for the summary of 767 latents x 4 chains x 1000 draws, the shortest of
 * several rounds.
 *
 * The chains are AR(1) with coefficient phi, in the memory layout of a sampler: latents adjacent, then
 * chains, then draws. With phi = 0.3 Geyer's rule stops after a few lags; with 0.99 it needs hundreds, which
 * a Fourier transform computes.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/context.h"
#include "math/random.h"
#include "talweg/diagnose.h"

enum { LATENTS = 767, CHAINS = 4, DRAWS = 1000, ROUNDS = 5 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void simulate(double phi, double *x)
{
    size_t series = (size_t)LATENTS * CHAINS;
    for (size_t j = 0; j < series; j++) {
        tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, j, 0);
        double value = tw_stream_normal(&stream);
        for (size_t i = 0; i < DRAWS; i++) {
            value = phi * value + sqrt(1.0 - phi * phi) * tw_stream_normal(&stream);
            x[i * series + j] = value;
        }
    }
}

static void report(tw_diagnose *d, double phi, double *x)
{
    static tw_summary row[LATENTS];
    const tw_strides strides = {.draw = (size_t)LATENTS * CHAINS, .chain = LATENTS, .variable = 1};
    double best = INFINITY;
    simulate(phi, x);
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        tw_diagnose_run(d, LATENTS, x, strides, row);
        best = fmin(best, seconds() - start);
    }
    printf("diagnose  %d latents x %d chains x %d draws, phi = %.2f  %6.1f ms   (ESS %.0f, R-hat %.3f of the "
           "first)\n",
           LATENTS, CHAINS, DRAWS, phi, 1e3 * best, row[0].ess_bulk, row[0].rhat);
}

int main(void)
{
    tw_context *ctx = NULL;
    tw_diagnose *d = NULL;
    double *x = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 1;
    tw_status status = tw_diagnose_new(ctx, DRAWS, CHAINS, &d);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, (size_t)LATENTS * CHAINS, DRAWS, "draws", &x);
    if (status == TW_OK) {
        report(d, 0.3, x);
        report(d, 0.9, x);
        report(d, 0.99, x);
    } else {
        fprintf(stderr, "bench_diagnose: %s\n", tw_context_message(ctx));
    }
    tw_release(ctx, x);
    tw_diagnose_free(d);
    tw_context_free(ctx);
    return status == TW_OK ? 0 : 1;
}
