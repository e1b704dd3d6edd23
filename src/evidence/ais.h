/* ais.h: the insides of annealed importance sampling; also with a fault on demand, for the tests of its tests. */
#ifndef TALWEG_EVIDENCE_AIS_H
#define TALWEG_EVIDENCE_AIS_H

#include "evidence/walk.h"
#include "talweg/evidence.h"

/* When the weight of a step is taken: before the move to its temperature, as is right, or after it, which is a
 * known mistake: the estimate is then biased, visibly so on a coarse schedule. */
typedef enum tw_ais_order { TW_AIS_WEIGH_THEN_MOVE, TW_AIS_MOVE_THEN_WEIGH } tw_ais_order;

/* A run on its way. */
typedef struct tw_ais {
    const tw_model *model;
    const tw_reference *reference;
    const tw_ais_options *o;
    tw_ais_order order;
    tw_watch watch;
    double *eps;        /* steps + 1: the step size at each temperature */
    double *log_weight; /* particles */
    size_t done;        /* temperatures of the last stage */
    uint64_t iteration; /* transitions so far: they number the random streams */
    double *state;      /* numbers of tw_ais_state; NULL: nobody asks for them */
} tw_ais;

/* tw_ais_run in the given order; the order matters to forward runs only. */
tw_status tw_ais_run_in_order(const tw_model *model, const tw_reference *reference,
                              const tw_ais_options *options, tw_ais_order order,
                              tw_progress_function *progress, void *user, double *log_weight,
                              tw_estimate *out);

/* ---- ais_state.c: a run that goes on later */

tw_status tw_ais_allocate_state(tw_ais *a, const tw_walk *walk);
void tw_ais_tell_state(tw_ais *a, const tw_walk *walk);

/* Put a new walk, its weights and step sizes where options->resume stood. */
tw_status tw_ais_take_up(tw_ais *a, tw_walk *walk);

#endif
