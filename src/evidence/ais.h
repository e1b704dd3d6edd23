/* ais.h: a run of annealed importance sampling, for the files that implement it. */
#ifndef TALWEG_EVIDENCE_AIS_H
#define TALWEG_EVIDENCE_AIS_H

#include "evidence/walk.h"
#include "talweg/evidence.h"

/* A run in progress. */
typedef struct tw_ais {
    const tw_model *model;
    const tw_reference *reference;
    const tw_ais_options *o;
    tw_watch watch;
    size_t steps;          /* of the schedule; a reverse run may insert temperatures */
    size_t capacity;       /* the largest number of steps */
    double *beta;          /* steps + 1: the schedule */
    double *eps;           /* steps + 1: the step size at each temperature */
    double *log_weight;    /* particles */
    double *up_log_weight; /* particles: log weights of a reverse run's upward pass; NULL: forward run */
    /* For trial steps: the particles' shares of the variance, then a state of the sampler. NULL: no
     * refinement. */
    double *trial;
    size_t done;        /* completed temperatures of the last stage */
    uint64_t chain;     /* the first chain of its random streams */
    uint64_t iteration; /* transitions so far; the iteration number of the random streams */
    double *state;      /* numbers of tw_ais_state; NULL: not requested */
} tw_ais;

/* ---- steps of a run */

/* A move at b_k. */
tw_move tw_ais_move(const tw_ais *a, const tw_walk *walk, size_t k, uint64_t iteration, uint64_t first_chain);

/* The user of random streams that a run is: forward or reverse AIS. */
tw_streams_user tw_ais_streams(const tw_ais_options *options);

/* Set the temperature to b_k and make the transitions there. */
tw_status tw_ais_move_at(tw_ais *a, tw_walk *walk, size_t k);

/* Add step R(x) to the log weights. */
void tw_ais_weigh(tw_ais *a, tw_walk *walk, double step);

/* Report the progress of a stage, with log Z and its error from the weights so far; false: stop. */
bool tw_ais_report(tw_ais *a, const tw_walk *walk, const char *stage, size_t done);

/* Count a temperature of the last stage, report progress and emit the state. */
void tw_ais_finish_temperature(tw_ais *a, tw_walk *walk);

/* ---- ais_reverse.c: from the posterior to q */

tw_status tw_ais_run_reverse(tw_ais *a, tw_walk *walk);

/* The effective sample size, as a fraction, of a step of length h down to the temperature of these weighted
 * particles: 1 / (E[exp(h R)] E[exp(-h R)]). */
double tw_two_sided_ess(size_t n, const double *log_weight, const double *ratio, double step);

/* The longest part of a step that keeps this fraction: the whole step if it does. */
double tw_two_sided_step(size_t n, const double *log_weight, const double *ratio, double step,
                         double fraction);

/* The fraction of the mean weight that a downward pass missed, from its log weights and those of the upward
 * pass on the same temperatures. *error (may be NULL): the resulting error of log Z, from the fraction and
 * its own error. */
double tw_ais_missed(size_t n, const double *up, const double *down, double *error);

/* ---- ais_state.c: save and resume a run */

tw_status tw_ais_allocate_state(tw_ais *a, const tw_walk *walk);

/* Pass the state of the run to on_state, if wants_state asks for it. */
void tw_ais_emit_state(tw_ais *a, const tw_walk *walk);

/* Restore the walk, weights and step sizes of options->resume. */
tw_status tw_ais_resume(tw_ais *a, tw_walk *walk);

#endif
