/* general.h: Hamiltonian dynamics for a user-defined target of a few dimensions: HMC with a constant diagonal
 * metric, and Riemann manifold HMC (RMHMC) with the SoftAbs metric, which needs no Fisher information and no
 * log-concavity (Betancourt 2013).
 *
 *     H(x, p) = -log p(x) + 1/2 log |G(x)| + 1/2 p' G(x)^-1 p
 *
 * The constant metric is integrated by leapfrog; SoftAbs by the generalised leapfrog, whose two implicit equations
 * are solved to a tolerance. Check the outcome of every step. An evaluation costs O(d^3); for Gaussian process
 * models use the faster samplers of sample.h.
 */
#ifndef TALWEG_GENERAL_H
#define TALWEG_GENERAL_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A log density and its derivatives at x, d numbers. Functions must be pure. A value, gradient or Hessian that is
 * not finite means that the density is zero: the trajectory is rejected. */
typedef struct tw_general_target {
    size_t d;
    void *user; /* passed to every function below */

    /* log p(x), up to a constant. */
    double (*value)(void *user, const double *x);

    /* gradient[i] = d log p/dx_i. */
    void (*gradient)(void *user, const double *x, double *gradient);

    /* hessian[i + j d] = d2 log p/dx_i dx_j, at least for i >= j. NULL: constant metrics only. */
    void (*hessian)(void *user, const double *x, double *hessian);

    /* out[i] = sum_jk m[j + k d] d3 log p/dx_i dx_j dx_k for a symmetric m (d x d, stored in full). */
    void (*third)(void *user, const double *x, const double *m, double *out);
} tw_general_target;

/* The metric G(x). */
typedef enum tw_general_metric {
    TW_GENERAL_CONSTANT, /* G = diag(mass): plain HMC */
    TW_GENERAL_SOFTABS   /* G = Q diag(l coth(alpha l)) Q', the Hessian being Q diag(l) Q' */
} tw_general_metric;

/* How to integrate. */
typedef struct tw_general_options {
    tw_general_metric metric;
    const double *mass; /* constant metric: d positive numbers, copied; NULL: all 1 */
    double alpha;       /* SoftAbs: curvatures below 1/alpha count as 1/alpha */
    double eps;         /* step size */
    double tolerance;   /* of the implicit equations, in the metric's own norm */
    size_t cap;         /* iterations for each of them */
    double reversal;    /* transitions integrate every trajectory back, and reject it if it misses its
                           start by more than this, in the norm of the metric; 0: no check */
} tw_general_options;
#define TW_GENERAL_DEFAULTS           \
    ((tw_general_options){            \
        .metric = TW_GENERAL_SOFTABS, \
        .mass = NULL,                 \
        .alpha = 1.0,                 \
        .eps = 0.1,                   \
        .tolerance = 1e-9,            \
        .cap = 100,                   \
        .reversal = 1e-6,             \
    })

/* The outcome of a step or a trajectory. */
typedef enum tw_general_outcome {
    TW_GENERAL_FINE,
    TW_GENERAL_UNSOLVED,    /* an implicit equation was not solved within the cap */
    TW_GENERAL_NOT_FINITE,  /* a density, derivative or metric is not finite */
    TW_GENERAL_IRREVERSIBLE /* the reverse trajectory did not return to its start */
} tw_general_outcome;

/* A phase point (x, p) with its derivatives and metric. Opaque; tw_general_new allocates all memory. */
typedef struct tw_general tw_general;

/* options NULL: the defaults. The target is copied; the object of its `user` must outlive the result. */
TW_API tw_status tw_general_new(tw_context *ctx, const tw_general_target *target,
                                const tw_general_options *options, tw_general **out);
TW_API void tw_general_free(tw_general *g);

/* Set the position to x, d numbers, and the momentum to zero. TW_NUMERICAL_FAILURE if the target is not finite. */
TW_API tw_status tw_general_set_position(tw_general *g, const double *x);

/* Set the momentum to p; or draw it from N(0, G(x)), a function of seed, chain and iteration; or reverse it, so
 * that the same number of steps leads back. */
TW_API void tw_general_set_momentum(tw_general *g, const double *p);
TW_API void tw_general_draw_momentum(tw_general *g, uint64_t seed, uint64_t chain, uint64_t iteration);
TW_API void tw_general_reverse(tw_general *g);

/* d numbers each, valid until the next call that moves the point. */
TW_API const double *tw_general_position(const tw_general *g);
TW_API const double *tw_general_momentum(const tw_general *g);

/* H(x, p), without d/2 log 2 pi and up to the target's constant. */
TW_API double tw_general_energy(const tw_general *g);

/* One step of size eps, or several, which stop at the first failure; the point is then the start of the failed
 * step. */
TW_API tw_general_outcome tw_general_step(tw_general *g);
TW_API tw_general_outcome tw_general_trajectory(tw_general *g, size_t steps);

/* The record of a transition. */
typedef struct tw_general_record {
    tw_general_outcome outcome; /* all but TW_GENERAL_FINE are rejections */
    bool accepted;
    double energy_change; /* H at the end - H at the start; NaN if the end was not reached */
} tw_general_record;

/* One transition that leaves p(x) invariant: draw a momentum, follow `steps` steps, accept with probability
 * min(1, exp(-energy_change)). The random numbers are a function of seed, chain and iteration. After a rejection
 * the position is unchanged; the momentum is undefined after a transition. */
TW_API tw_general_record tw_general_transition(tw_general *g, size_t steps, uint64_t seed, uint64_t chain,
                                               uint64_t iteration);

#ifdef __cplusplus
}
#endif

#endif
