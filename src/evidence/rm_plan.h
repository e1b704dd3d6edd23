/* rm_plan.h: what resample-move decides before it starts: temperatures, step sizes, numbers of moves and of
 * particles. A pilot run with particles of its own decides; what is then estimated with other particles is
 * unbiased in Z. */
#ifndef TALWEG_EVIDENCE_RM_PLAN_H
#define TALWEG_EVIDENCE_RM_PLAN_H

#include "evidence/walk.h"

/* How one step of the plan goes: the weights from b_{k-1} to b_k, perhaps a resampling by the weights since the last
 * one, then the moves at b_k. The steps from one resampling to the next are a period, with one number of particles. */
typedef struct tw_rm_plan_step {
    double beta;     /* b_k */
    double variance; /* v_k: of the weights since the last resampling, relative to their squared mean */
    double eps;      /* of the moves at b_k */
    size_t leapfrog_steps;
    size_t resample;  /* 1: after the weights of this step; 0 at b = 1 */
    size_t moves;     /* transitions at b_k; 0 at b = 1, where nothing is left to do */
    size_t particles; /* P_k: at b_{k-1}, for the weights of this step, on all islands */
} tw_rm_plan_step;

typedef struct tw_rm_plan {
    tw_context *ctx;
    tw_rm_plan_step *step; /* 1..steps; step[0] stands for b = 0 */
    size_t steps;
} tw_rm_plan;

/* Are the options that a pilot looks at what they may be? */
tw_status tw_rm_check_pilot(tw_context *ctx, const tw_rm_options *options);

/* Run the pilot; particles are not decided yet. A pilot that was stopped leaves no plan: NULL. */
tw_status tw_rm_plan_make(const tw_model *model, const tw_reference *reference, const tw_rm_options *options,
                          tw_watch *watch, tw_rm_plan **out);
/* An empty plan with room for so many steps. Release it also after a failure. */
tw_status tw_rm_plan_new(tw_context *ctx, size_t capacity, tw_rm_plan **out);
void tw_rm_plan_free(tw_rm_plan *plan);

/* The cost of one particle of step k, in gradients: from q for k = 1, else the moves at b_{k-1}. */
double tw_rm_plan_cost(const tw_rm_plan *plan, size_t k);

/* P proportional to sqrt(v / c) in every period, of the variance of its weights and the cost of a particle, within
 * [particles / spread, particles * spread], such that all together cost what the same number everywhere would; a
 * multiple of the number of islands, two on each at least. */
void tw_rm_plan_share(tw_rm_plan *plan, size_t particles, size_t islands, double spread);

/* The conditional effective sample size, as a fraction, of particles with weights W (of sum 1; log_weight need not be
 * normalised) that go from b to b + step: (sum W w)^2 / sum W w^2 with w = exp(step R). */
double tw_conditional_ess(size_t n, const double *log_weight, const double *log_ratio, double step);

/* The next temperature, in (beta, 1]: where that fraction has fallen to the one wanted, or 1. */
double tw_next_temperature(size_t n, const double *log_weight, const double *log_ratio, double beta,
                           double fraction);

#endif
