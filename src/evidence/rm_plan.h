/* rm_plan.h: the plan of resample-move: temperatures, step sizes, numbers of moves and of particles. A
 * pilot run with its own particles makes the plan, so the estimate of Z, from other particles, is
 * unbiased. */
#ifndef TALWEG_EVIDENCE_RM_PLAN_H
#define TALWEG_EVIDENCE_RM_PLAN_H

#include "evidence/walk.h"

/* A step of the plan: the weights from b_{k-1} to b_k, possibly a resampling by the weights since the last
 * one, then moves at b_k. The steps from one resampling to the next are a period, with a constant number
 * of particles. */
typedef struct tw_rm_plan_step {
    double beta;     /* b_k */
    double variance; /* v_k: Var w / (E w)^2 of the weights w since the last resampling */
    double eps;      /* of the moves at b_k */
    size_t leapfrog_steps;
    size_t resample;  /* 1: resample after the weights of this step; 0 at b = 1 */
    size_t moves;     /* transitions at b_k; 0 at b = 1, the end of the run */
    size_t particles; /* P_k: of all islands, for the weights of this step */
} tw_rm_plan_step;

typedef struct tw_rm_plan {
    tw_context *ctx;
    tw_rm_plan_step *step; /* 1..steps; step[0] stands for b = 0 */
    size_t steps;
} tw_rm_plan;

/* Check the options that a pilot uses. */
tw_status tw_rm_check_pilot(tw_context *ctx, const tw_rm_options *options);

/* Run the pilot, which makes a plan without numbers of particles. *out is NULL if the pilot was stopped. */
tw_status tw_rm_plan_make(const tw_model *model, const tw_reference *reference, const tw_rm_options *options,
                          tw_watch *watch, tw_rm_plan **out);

/* Make an empty plan with memory for `capacity` steps. The caller frees it, also after a failure. */
tw_status tw_rm_plan_new(tw_context *ctx, size_t capacity, tw_rm_plan **out);
void tw_rm_plan_free(tw_rm_plan *plan);

/* The cost of one particle of step k in gradients: a draw from q for k = 1, otherwise the moves at
 * b_{k-1}. */
double tw_rm_plan_cost(const tw_rm_plan *plan, size_t k);

/* Set the numbers of particles: in each period P is proportional to sqrt(v / c), with the variance v of
 * its weights and the cost c of a particle, within [particles / spread, particles * spread]. The total
 * cost is that of `particles` particles everywhere. P is a multiple of the number of islands, at least two
 * on each. */
void tw_rm_plan_share(tw_rm_plan *plan, size_t particles, size_t islands, double spread);

/* The conditional effective sample size, as a fraction, for a step from b to b + step of particles with
 * normalised weights W: (sum W w)^2 / sum W w^2 with w = exp(step R). log_weight need not be normalised. */
double tw_conditional_ess(size_t n, const double *log_weight, const double *log_ratio, double step);

/* The next temperature, in (beta, 1]: the one at which that fraction falls to `fraction`, or 1. */
double tw_next_temperature(size_t n, const double *log_weight, const double *log_ratio, double beta,
                           double fraction);

#endif
