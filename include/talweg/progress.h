/* progress.h: progress and interruption of computations, the same for fits, draws and evidence.
 *
 * A progress function that returns true ends the computation. A run then returns TW_OK with the complete part of
 * its result: the draws so far, the estimates of the finished methods. Computations without a partial result (a
 * fit, pilot runs, a schedule) return TW_INTERRUPTED. Without a progress function, the context can end fits and
 * plans (tw_context_set_interrupt), also with TW_INTERRUPTED.
 */
#ifndef TALWEG_PROGRESS_H
#define TALWEG_PROGRESS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The progress of a computation. log_z and se are cheap intermediate estimates of a run of evidence: for AIS and
 * resample-move the log of Z(b) / Z(0) at the current temperature b (for reverse AIS, of Z(1) / Z(b)), for
 * parallel tempering one-sided stepping stones over the rounds so far. */
typedef struct tw_progress {
    const char *stage;  /* fits: "Laplace", "expectation propagation"; pilot runs: "pilot"; draws:
                           "warm-up", "sampling"; evidence: "temperatures", "pilot", "upwards", "burn-in",
                           "warm-up", and at last "run" */
    const char *method; /* of evidence: "ais", ...; of a sampler's pilot run: "hmc", ...; otherwise NULL */
    const char *metric; /* of a sampler's pilot run; otherwise NULL */
    const char *unit;   /* the unit of done and total: "sweeps", "iterations", "temperatures", ...; NULL:
                           none */
    size_t done, total; /* of this stage; total 0: unknown */
    double acceptance;  /* mean acceptance rate in this stage so far; NaN: unknown */
    double log_z, se;   /* evidence so far; NaN: not available */
    bool part;          /* log_z covers only the path so far */
    double share;       /* sweeps: completed fraction of the current one, 0 to 1 */
    double residual;    /* sweeps: after the previous one, infinite in the first */
} tw_progress;

/* A stage with its count, and all other values unknown. */
#define TW_PROGRESS(name, what, so_far, of) \
    ((tw_progress){.stage = (name),         \
                   .unit = (what),          \
                   .done = (so_far),        \
                   .total = (of),           \
                   .acceptance = NAN,       \
                   .log_z = NAN,            \
                   .se = NAN})

/* Called many times, in the calling thread. True ends the computation. */
typedef bool tw_progress_function(void *user, const tw_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
