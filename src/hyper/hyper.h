/* hyper.h: the state of a run over unknown parameters; private to this room. */
#ifndef TALWEG_HYPER_HYPER_H
#define TALWEG_HYPER_HYPER_H

#include "evidence/walk.h"
#include "hyper/crew.h"
#include "hyper/library.h"
#include "hyper/mixture.h"
#include "math/sobol.h"

/* The state of a run. */
typedef struct tw_hyper {
    tw_context *ctx;
    tw_problem *problem;
    const tw_hyper_options *o;
    tw_priors *priors; /* all other parameters are fixed */
    size_t unknown;
    size_t *index;         /* unknown: their indices among all parameters */
    double *origin, *full; /* all parameters: their initial values, and those of the current point */
    tw_crew *crew;
    tw_mixture *g;
    tw_library *library;
    tw_hyper_result *result;
    tw_watch watch;
} tw_hyper;

/* Sums over transitions. */
typedef struct tw_hyper_sums {
    double acceptance, failures, transitions;
} tw_hyper_sums;

/* Save the points so far, if the options' store is due; restore at most `most` points of an earlier run. The
 * caller compares the saved theta (unknown x points) with those of this run. (hyper/state.c) */
void tw_hyper_save(const tw_hyper *h, const tw_hyper_sums *sums);
tw_status tw_hyper_restore(tw_hyper *h, size_t most, tw_hyper_sums *sums, double *theta);

/* Set `full` to all parameters of the point whose unknown parameters are theta. */
void tw_hyper_fill(const tw_hyper *h, const double *theta, double *full);

/* Find the mode, make the proposal around it and adapt it; afterwards it stays fixed (hyper/setup.c). */
tw_status tw_hyper_set_up(tw_hyper *h);

/* Whether the rounds look for lobes: with few parameters, and with some more where fits cost little. */
bool tw_hyper_explores(const tw_hyper *h);

/* Adapt the proposal, and store EP's sites in the library (hyper/rounds.c). */
tw_status tw_hyper_adapt(tw_hyper *h);

/* Compute the points of the estimate: result->theta, log_z, log_weight and x (hyper/points.c). */
tw_status tw_hyper_compute(tw_hyper *h);

/* Draw by chains instead of points (hyper/chain.c). */
tw_status tw_hyper_walk(tw_hyper *h);

/* Estimate the evidence by a second method, if the options request it (hyper/joint.c). */
tw_status tw_hyper_anneal(tw_hyper *h);

/* Compute the estimate, the rows and the verdict (hyper/summary.c). */
tw_status tw_hyper_summarise(tw_hyper *h);

/* Warn of chains that are apart: the largest R-hat of the parameters is above 1.01, and the smallest chance of one
 * improbable among all parameters. (hyper/summary.c) */
void tw_hyper_judge_chains(tw_hyper_result *result, double rhat, double chance);

/* Warn about failed points if they may matter, and about means that the prior's tails make unreliable
 * (hyper/tails.c). */
void tw_hyper_judge_tails(tw_hyper *h);

#endif
