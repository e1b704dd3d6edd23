/* ais.h: the insides of annealed importance sampling. */
#ifndef TALWEG_EVIDENCE_AIS_H
#define TALWEG_EVIDENCE_AIS_H

#include "evidence/walk.h"
#include "talweg/evidence.h"

/* A run on its way. */
typedef struct tw_ais {
    const tw_model *model;
    const tw_reference *reference;
    const tw_ais_options *o;
    tw_watch watch;
    size_t steps,
        capacity;       /* of the schedule, which a reverse run may refine; and for how many there is room */
    double *beta;       /* steps + 1: the schedule */
    double *eps;        /* steps + 1: the step size at each temperature */
    double *log_weight; /* particles */
    double *
        way_up; /* particles: log weights of a reverse run between q and the posterior; NULL: of a forward one */
    double *share;      /* particles, and a state of the sampler: see refine; NULL: not refined */
    size_t done;        /* temperatures of the last stage */
    uint64_t chain;     /* the first of its random streams */
    uint64_t iteration; /* transitions so far: they number the random streams */
    double *state;      /* numbers of tw_ais_state; NULL: nobody asks for them */
} tw_ais;

/* ---- steps of a run */

tw_move tw_ais_move(const tw_ais *a, const tw_walk *walk, size_t k, uint64_t iteration, uint64_t first_chain);

/* Whose random streams a run has. */
tw_streams_user tw_ais_streams(const tw_ais_options *options);

/* Go to b_k, and move there. */
tw_status tw_ais_move_at(tw_ais *a, tw_walk *walk, size_t k);

/* log weights += step R. */
void tw_ais_weigh(tw_ais *a, tw_walk *walk, double step);

/* Say how far a stage is, and what the weights are worth by now; false: stop. */
bool tw_ais_report(tw_ais *a, const tw_walk *walk, const char *stage, size_t done);

/* After a temperature of the last stage. */
void tw_ais_finish_temperature(tw_ais *a, tw_walk *walk);

/* ---- ais_reverse.c: from the posterior to q */

tw_status tw_ais_walk_down(tw_ais *a, tw_walk *walk);

/* The effective sample size, as a fraction, of a step h that is gone down to where these weighted particles are:
 * 1 / (E[exp(h R)] E[exp(-h R)]). */
double tw_two_sided_ess(size_t n, const double *log_weight, const double *ratio, double step);

/* The longest part of a step that keeps that fraction; all of it where all of it does. */
double tw_two_sided_step(size_t n, const double *log_weight, const double *ratio, double step,
                         double fraction);

/* The share of the mean weight of a way down that it missed, by the log weights of a way up on the same
 * temperatures; and (error may be NULL) the error of log Z for that: the share, and what it is uncertain by. */
double tw_ais_missed(size_t n, const double *way_up, const double *way_down, double *error);

/* ---- ais_state.c: a run that goes on later */

tw_status tw_ais_allocate_state(tw_ais *a, const tw_walk *walk);
void tw_ais_emit_state(tw_ais *a, const tw_walk *walk);

/* Put a new walk, its weights and step sizes where options->resume stood. */
tw_status tw_ais_resume(tw_ais *a, tw_walk *walk);

#endif
