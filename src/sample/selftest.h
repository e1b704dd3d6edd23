/* selftest.h: the case and the functions that the files of the self-test share. */
#ifndef TALWEG_SAMPLE_SELFTEST_H
#define TALWEG_SAMPLE_SELFTEST_H

#include "dynamics/leapfrog.h"
#include "dynamics/riemann.h"
#include "sample/sampler.h"
#include "talweg/approximate.h"
#include "talweg/selftest.h"

/* A model to check, its approximation, and the results. */
typedef struct tw_selftest_case {
    tw_context *ctx;
    const tw_model *model;
    tw_approximation *ep;
    tw_reference *prior;
    tw_target *target; /* the posterior, with the base N(0, K) */
    const tw_selftest_options *options;
    tw_selftest *out;
} tw_selftest_case;

/* Set the verdict of a check from its measured value and limits, unless it was skipped, and add it to the
 * results. */
void tw_selftest_note(const tw_selftest_case *c, tw_check check);

/* RMHMC's metric: that of the options, but the Hessian instead of the smoothed metric if the likelihood has
 * no smoothed curvature. */
tw_metric tw_selftest_metric(const tw_selftest_case *c);

/* A draw x from EP's q, n numbers; a function of the seed and `index`. work holds r numbers. */
void tw_selftest_position(const tw_selftest_case *c, uint64_t index, double *work, double *x);

/* selftest_model.c */
tw_status tw_selftest_factor(const tw_selftest_case *c);
tw_status tw_selftest_likelihood(const tw_selftest_case *c);
tw_status tw_selftest_gradient(const tw_selftest_case *c);
tw_status tw_selftest_ep(const tw_selftest_case *c);

/* ---- selftest_flow.c: either integrator as a map of phase points (q, p), r numbers each ---- */

typedef struct tw_flow {
    const char *name, *cure; /* "leapfrog"; what to check if it fails */
    size_t r;
    double stretch;      /* an upper bound of the change of a latent if a coordinate changes by 1 */
    double return_limit; /* of reversibility: the largest distance from the start */
    const tw_selftest_case *c;
    tw_frame frame;        /* HMC */
    tw_leapfrog *leapfrog; /* HMC */
    tw_riemann *riemann;   /* RMHMC; NULL: HMC */
    double *work;          /* 3 (n + r) */
} tw_flow;

/* The integrator of HMC, or that of RMHMC with this solver tolerance. */
tw_status tw_flow_hmc(const tw_selftest_case *c, tw_flow *out);
tw_status tw_flow_rmhmc(const tw_selftest_case *c, double solver_tolerance, tw_flow *out);
void tw_flow_free(tw_flow *flow);

/* Go to start number `index`: a draw from EP's q, with a momentum drawn from the metric. These three
 * functions return false if the density is not finite or a computation failed. */
bool tw_flow_start(tw_flow *flow, uint64_t index);
bool tw_flow_put(tw_flow *flow, const double *phase); /* 2r numbers: q, then p */
bool tw_flow_step(tw_flow *flow, double eps);
void tw_flow_get(const tw_flow *flow, double *phase);
double tw_flow_energy(tw_flow *flow);

/* selftest_dynamics.c */
tw_status tw_selftest_dynamics(const tw_selftest_case *c, bool rmhmc);
tw_status tw_selftest_volume(const tw_selftest_case *c, bool rmhmc);

/* selftest_invariance.c */
tw_status tw_selftest_invariance(const tw_selftest_case *c);

#endif
