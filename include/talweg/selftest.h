/* selftest.h: do the parts keep their promises on this model? Each check measures one property that the exactness
 * of the draws rests on, and compares it with a limit.
 *
 * The checks, in their order:
 *   K is its factor times itself          largest entry of |K - L L'|, relative to the largest variance
 *   derivatives of the likelihood         slope, curvature and the curvature's slope against differences
 *   gradient of the log density           against differences, along random directions
 *   EP's fixed point                      tilted against marginal moments, by quadrature, worst site
 * and for the leapfrog integrator of HMC (metric ep) and the generalised one of RMHMC,
 *   reversibility                         how far a trajectory misses its start when it is integrated back
 *   volume                                |log det| of the Jacobian of three steps, by differences
 *   order of the energy error             2: halving the step size quarters it
 * and at last, do HMC, elliptical slice sampling and RMHMC agree about the posterior?
 *
 * Where a check cannot afford all cases, it uses a random subset of them: a model of its own with
 * the same kernel and likelihood.
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

/* What came of a check. */
typedef enum tw_check_verdict { TW_CHECK_PASSED, TW_CHECK_FAILED, TW_CHECK_SKIPPED } tw_check_verdict;

/* One property: what was measured, and what it may be. */
typedef struct tw_check {
    const char *name;    /* of the property: "reversibility" */
    const char *of;      /* what has it: "generalised leapfrog" */
    const char *meaning; /* what was measured, in words */
    const char *cure;    /* where to look when it fails; or why it was skipped */
    size_t cases;        /* how many were used */
    double measured;
    double low, high; /* passed: low <= measured <= high */
    tw_check_verdict verdict;
} tw_check;

/* As many as can be: twelve, and an agreement with HMC for every other method. */
enum { TW_SELFTEST_CHECKS = 12 + TW_METHOD_COUNT - 1 };

/* All checks in the order in which they were made, and how many failed or were skipped. */
typedef struct tw_selftest {
    size_t count, failed, skipped;
    tw_check checks[TW_SELFTEST_CHECKS];
} tw_selftest;

/* Which trajectories to check, and how their equations are solved. */
typedef struct tw_selftest_options {
    tw_metric
        metric;   /* of RMHMC: hessian, fisher or smoothed (hessian where a likelihood has no smoothed one) */
    double eps;   /* of the trajectories; 0: the largest of 0.4, 0.2, 0.1, ... that goes well */
    size_t steps; /* leapfrog steps of a trajectory */
    double solver_tolerance; /* of RMHMC's implicit equations; volume and order, which belong to the equations
                                rather than to how they are solved, are measured at 1e-12 at most */
    size_t fixed_point;      /* RMHMC: > 0: exactly so many plain iterations; few of them fail the checks */
    uint64_t seed;
    size_t threads;
    void *user;
    void (*on_check)(void *user, const tw_check *check); /* as each is done; may be NULL */
} tw_selftest_options;
#define TW_SELFTEST_DEFAULTS \
    ((tw_selftest_options){  \
        .metric = TW_METRIC_SMOOTHED, .steps = 10, .solver_tolerance = 1e-9, .seed = 1, .threads = 1})

/* TW_OK also where checks failed: the result says so. options NULL: the defaults. */
TW_API tw_status tw_selftest_run(const tw_model *model, const tw_selftest_options *options, tw_selftest *out);

#ifdef __cplusplus
}
#endif

#endif
