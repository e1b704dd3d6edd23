/* progress.h: how far a computation is, for people to watch, and how they end it: the same for fits, draws and
 * evidence.
 *
 * A progress function that says true ends the computation. A run then returns TW_OK and what is complete: the draws so
 * far, the estimates of the methods that are finished. What is of no use without the rest (a fit, pilot runs, a
 * schedule) returns TW_INTERRUPTED. Whoever gives no progress function can end fits and plans through the context
 * (tw_context_set_interrupt), with TW_INTERRUPTED too.
 */
#ifndef TALWEG_PROGRESS_H
#define TALWEG_PROGRESS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far it is. log_z and se are what a run of evidence says so far, at little cost: AIS and resample-move the log of
 * Z(b) / Z(0) at the temperature b they have reached (on the way back, of Z(1) / Z(b)), parallel tempering one-sided
 * stepping stones over the rounds so far. */
typedef struct tw_progress {
    const char *stage;  /* fits: "Laplace", "expectation propagation"; pilot runs: "pilot"; draws: "warm-up",
                           "sampling"; evidence: "temperatures", "pilot", "upwards", "burn-in", "warm-up", and at
                           last "run" */
    const char *method; /* of evidence: "ais", ...; of a sampler's pilot run: "hmc", ...; else NULL */
    const char *metric; /* of a sampler's pilot run; else NULL */
    const char *unit;   /* what is counted: "sweeps", "iterations", "temperatures", ...; NULL: nothing */
    size_t done, total; /* of this stage; total 0: not known beforehand */
    double acceptance;  /* mean acceptance rate in this stage so far; NaN: not known */
    double log_z, se;   /* evidence so far; NaN: nothing yet */
    bool part;          /* log_z is that of the way so far, not yet that of the whole */
    double share;       /* sweeps: of the one under way, 0 to 1 */
    double residual;    /* sweeps: after the one before, infinite in the first */
} tw_progress;

/* A stage with its count, and nothing else known. */
#define TW_PROGRESS(name, what, so_far, of) \
    ((tw_progress){.stage = (name),         \
                   .unit = (what),          \
                   .done = (so_far),        \
                   .total = (of),           \
                   .acceptance = NAN,       \
                   .log_z = NAN,            \
                   .se = NAN})

/* Called many times, in the thread that called the computation. True ends it. */
typedef bool tw_progress_function(void *user, const tw_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
