/* resample_move.h: the private state of a run of resample-move, and how to save and resume it. */
#ifndef TALWEG_EVIDENCE_RESAMPLE_MOVE_H
#define TALWEG_EVIDENCE_RESAMPLE_MOVE_H

#include "evidence/rm_plan.h"

typedef struct tw_resample_move {
    const tw_rm_options *o;
    tw_rm_plan *plan;
    tw_walk *walk;
    tw_watch watch;
    double *x;          /* n x P: resampled positions; P is the largest number of particles */
    double *log_weight; /* P: weights since the last resampling */
    double *log_z;      /* islands: log Z_r up to the last resampling */
    double *now;        /* islands: log Z_r with the weights since then */
    size_t *ancestor;   /* for the particles of an island */
    size_t done;        /* temperatures whose weights have been applied */
    uint64_t chain;     /* the chain number of its first random stream */
    uint64_t iteration;
    double weight_ess; /* the smallest over the periods between resamplings */
    double variance;   /* the sum over periods of the variance of log mean w */
    double pareto_k;   /* the largest over periods; NaN before the end of the first */
    double *state;     /* numbers of tw_rm_state; NULL: not requested */
} tw_resample_move;

/* ---- rm_state.c: save and resume a run */

/* Allocate s->state, if the options request states; the walk must exist. */
tw_status tw_rm_allocate_state(tw_resample_move *s);

/* Pass the current state to on_state, if wants_state asks for it. */
void tw_rm_emit_state(tw_resample_move *s);

/* Restore the plan of options->resume. */
tw_status tw_rm_resume_plan(tw_context *ctx, const tw_rm_options *options, tw_rm_plan **out);

/* Set a new run with that plan to the state options->resume. */
tw_status tw_rm_resume(tw_resample_move *s);

#endif
