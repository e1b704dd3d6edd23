/* ais.h: annealed importance sampling with a fault on demand, for the tests of its tests. */
#ifndef TALWEG_EVIDENCE_AIS_H
#define TALWEG_EVIDENCE_AIS_H

#include "talweg/evidence.h"

/* When the weight of a step is taken: before the move to its temperature, as is right, or after it, which is a
 * known mistake: the estimate is then biased, visibly so on a coarse schedule. */
typedef enum tw_ais_order { TW_AIS_WEIGH_THEN_MOVE, TW_AIS_MOVE_THEN_WEIGH } tw_ais_order;

/* tw_ais_run in the given order; the order matters to forward runs only. */
tw_status tw_ais_run_in_order(const tw_model *model, const tw_reference *reference,
                              const tw_ais_options *options, tw_ais_order order,
                              tw_progress_function *progress, void *user, double *log_weight,
                              tw_estimate *out);

#endif
