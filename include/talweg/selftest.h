/* selftest.h: checks of a model. Each check measures one property that exact draws depend on, and compares it with
 * a limit.
 *
 * The checks, in their order:
 *   factor of the kernel matrix           largest entry of |K - L L'|, relative to the largest variance
 *   derivatives of the likelihood         slope, curvature and the curvature's slope against differences
 *   gradient of the log density           against differences, along random directions
 *   EP's fixed point                      tilted against marginal moments, by quadrature, worst site
 * and for the leapfrog integrator of HMC (metric ep) and the generalised one of RMHMC,
 *   reversibility                         how far a trajectory misses its start when it is integrated back
 *   order of the energy error             2: halving the step size quarters it
 *   volume                                |log det| of the Jacobian of three steps, by differences
 * and finally the agreement of every other sampler with HMC on the posterior means of x and x^2.
 *
 * An expensive check uses a random subset of the cases, in a separate model with the same kernel and likelihood.
 */
#ifndef TALWEG_SELFTEST_H
#define TALWEG_SELFTEST_H

#include <stdint.h>

#include <talweg/base.h>
#include <talweg/dynamics.h>
#include <talweg/model.h>
#include <talweg/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The verdict of a check. */
typedef enum tw_check_verdict { TW_CHECK_PASSED, TW_CHECK_FAILED, TW_CHECK_SKIPPED } tw_check_verdict;

/* One property: its measured value and its limits. */
typedef struct tw_check {
    const char *name;    /* the property: "reversibility" */
    const char *of;      /* the object of the check: "generalised leapfrog" */
    const char *meaning; /* a description of the measured value */
    const char *cure;    /* what to check if it fails; or why it was skipped */
    size_t cases;        /* how many were used */
    double measured;
    double low, high; /* passed: low <= measured <= high */
    tw_check_verdict verdict;
} tw_check;

/* The largest number of checks: twelve, and an agreement with HMC for every other method. */
enum { TW_SELFTEST_CHECKS = 12 + TW_METHOD_COUNT - 1 };

/* All checks in order, and the numbers of failed and skipped ones. */
typedef struct tw_selftest {
    size_t count, failed, skipped;
    tw_check checks[TW_SELFTEST_CHECKS];
} tw_selftest;

/* The trajectories to check, and the solution of their equations. */
typedef struct tw_selftest_options {
    tw_metric metric; /* of RMHMC: hessian, fisher or smoothed (hessian if the likelihood has no smoothed
                         curvature) */
    double eps;       /* of the trajectories; 0: the largest of 0.4, 0.2, 0.1, ... with an energy error
                         below 0.5 */
    size_t steps;     /* leapfrog steps of a trajectory */
    double solver_tolerance; /* of RMHMC's implicit equations; volume and order, which are properties of
                                the equations, are measured at 1e-12 or below */
    size_t fixed_point;      /* RMHMC: > 0: a fixed number of plain iterations; small numbers fail the
                                checks */
    uint64_t seed;
    size_t threads;
    void *user;
    void (*on_check)(void *user, const tw_check *check); /* called after each check; may be NULL */
} tw_selftest_options;
#define TW_SELFTEST_DEFAULTS \
    ((tw_selftest_options){  \
        .metric = TW_METRIC_SMOOTHED, .steps = 10, .solver_tolerance = 1e-9, .seed = 1, .threads = 1})

/* Returns TW_OK even if checks failed: check the result. options NULL: the defaults. */
TW_API tw_status tw_selftest_run(const tw_model *model, const tw_selftest_options *options, tw_selftest *out);

#ifdef __cplusplus
}
#endif

#endif
