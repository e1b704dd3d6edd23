/* hyper.h: the insides of a run over unknown parameters. */
#ifndef TALWEG_HYPER_HYPER_H
#define TALWEG_HYPER_HYPER_H

#include "evidence/walk.h"
#include "hyper/crew.h"
#include "hyper/library.h"
#include "hyper/mixture.h"
#include "math/sobol.h"

/* A run on its way. */
typedef struct tw_hyper {
    tw_context *ctx;
    tw_problem *problem;
    const tw_hyper_options *o;
    tw_priors *priors; /* with all that is not unknown fixed */
    size_t unknown;
    size_t *index;         /* unknown: where they are in theta */
    double *origin, *full; /* all parameters: where they are held, and at the point at hand */
    tw_crew *crew;
    tw_mixture *g;
    tw_library *library;
    tw_hyper_result *result;
    tw_watch watch;
} tw_hyper;

/* Over transitions. */
typedef struct tw_hyper_sums {
    double acceptance, failures, transitions;
} tw_hyper_sums;

/* Keep the points so far, where the options' store wants them; take up those of an earlier part, at most so many, whose theta (unknown x
 * points) are given to be compared with. (hyper/state.c) */
void tw_hyper_save(const tw_hyper *h, const tw_hyper_sums *sums);
tw_status tw_hyper_restore(tw_hyper *h, size_t most, tw_hyper_sums *sums, double *theta);

/* All parameters of a point, whose unknown ones are theta. */
void tw_hyper_fill(const tw_hyper *h, const double *theta, double *full);

/* The mode, and the proposal about it, adapted and from now on frozen (hyper/setup.c). */
tw_status tw_hyper_set_up(tw_hyper *h);

/* The proposal learns, and the library gets its sites (hyper/rounds.c). */
tw_status tw_hyper_adapt(tw_hyper *h);

/* The points that count: result->theta, log_z, log_weight and x (hyper/points.c). */
tw_status tw_hyper_compute(tw_hyper *h);

/* Draws by chains in place of points (hyper/chain.c). */
tw_status tw_hyper_walk(tw_hyper *h);

/* The evidence a second way, where the options ask for it (hyper/joint.c). */
tw_status tw_hyper_anneal(tw_hyper *h);

/* The estimate, the rows and the verdict (hyper/summary.c). */
tw_status tw_hyper_summarise(tw_hyper *h);

/* Warn of points that failed, where they may matter, and of means that the prior's tails make doubtful (hyper/tails.c). */
void tw_hyper_judge_tails(tw_hyper *h);

#endif
