/* selftest.h: what the files of the self-test share. */
#ifndef TALWEG_SAMPLE_SELFTEST_H
#define TALWEG_SAMPLE_SELFTEST_H

#include "dynamics/leapfrog.h"
#include "dynamics/riemann.h"
#include "sample/sampler.h"
#include "talweg/approximate.h"
#include "talweg/selftest.h"

/* A model to check, its approximation, and where the results go. */
typedef struct tw_selftest_case {
    tw_context *ctx;
    const tw_model *model;
    tw_approximation *ep;
    tw_reference *prior;
    tw_target *target; /* the posterior, with the base N(0, K) */
    const tw_selftest_options *options;
    tw_selftest *out;
} tw_selftest_case;

/* Look at one measurement, and note it. */
void tw_selftest_note(const tw_selftest_case *c, tw_check check);

/* The metric that RMHMC is checked with: the one asked for, or the Hessian where the likelihood smooths nothing. */
tw_metric tw_selftest_metric(const tw_selftest_case *c);

/* A draw of q = EP in x: n numbers, a function of the seed and `index`. work holds r numbers. */
void tw_selftest_position(const tw_selftest_case *c, uint64_t index, double *work, double *x);

/* selftest_model.c */
tw_status tw_selftest_factor(const tw_selftest_case *c);
tw_status tw_selftest_likelihood(const tw_selftest_case *c);
tw_status tw_selftest_gradient(const tw_selftest_case *c);
tw_status tw_selftest_ep(const tw_selftest_case *c);

/* ---- selftest_flow.c: both integrators as one map of phase space, (q, p) of r numbers each ---- */

typedef struct tw_flow {
    const char *name, *cure; /* "leapfrog"; where to look when it fails */
    size_t r;
    double stretch; /* how far a latent moves, at most, when a coordinate moves by 1 */
    double return_limit;
    const tw_selftest_case *c;
    tw_frame frame; /* of one engine, or */
    tw_leapfrog *leapfrog;
    tw_riemann *riemann; /* the other */
    double *work;        /* 3 (n + r) */
} tw_flow;

/* The engine of HMC, or of RMHMC with this solver tolerance. */
tw_status tw_flow_hmc(const tw_selftest_case *c, tw_flow *out);
tw_status tw_flow_rmhmc(const tw_selftest_case *c, double solver_tolerance, tw_flow *out);
void tw_flow_free(tw_flow *flow);

/* Start number `index`: a draw of EP's q with a momentum of its own. False: not a place to be. */
bool tw_flow_start(tw_flow *flow, uint64_t index);
bool tw_flow_put(tw_flow *flow, const double *phase); /* 2r: q, then p */
void tw_flow_get(const tw_flow *flow, double *phase);
bool tw_flow_step(tw_flow *flow, double eps);
double tw_flow_energy(tw_flow *flow);

/* selftest_dynamics.c */
tw_status tw_selftest_dynamics(const tw_selftest_case *c, bool rmhmc);
tw_status tw_selftest_volume(const tw_selftest_case *c, bool rmhmc);

/* selftest_invariance.c */
tw_status tw_selftest_invariance(const tw_selftest_case *c);

#endif
