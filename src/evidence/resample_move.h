/* resample_move.h: the insides of resample-move: a run on its way, kept and taken up again. */
#ifndef TALWEG_EVIDENCE_RESAMPLE_MOVE_H
#define TALWEG_EVIDENCE_RESAMPLE_MOVE_H

#include "evidence/rm_plan.h"

typedef struct tw_resample_move {
    const tw_rm_options *o;
    tw_rm_plan *plan;
    tw_walk *walk;
    tw_watch watch;
    double *x;          /* n x most particles */
    double *log_weight; /* most particles: since the last resampling */
    double *log_z;      /* islands: up to the last resampling */
    double *now;        /* islands: with the weights since then */
    size_t *ancestor;   /* particles of an island */
    size_t done;        /* temperatures whose weights are taken */
    uint64_t chain;     /* the first of its random streams */
    uint64_t iteration;
    double weight_ess; /* the smallest of all periods between resamplings */
    double variance;   /* the sum over periods of that of log mean w */
    double pareto_k;   /* the largest of all periods; NaN before the first */
    double *state;     /* numbers of tw_rm_state; NULL: nobody asks for them */
} tw_resample_move;

/* ---- rm_state.c: a run that goes on later */

tw_status tw_rm_allocate_state(tw_resample_move *s);
void tw_rm_emit_state(tw_resample_move *s);

/* The plan of options->resume. */
tw_status tw_rm_resume_plan(tw_context *ctx, const tw_rm_options *options, tw_rm_plan **out);

/* Put a new run, with that plan, where options->resume stood. */
tw_status tw_rm_resume(tw_resample_move *s);

#endif
