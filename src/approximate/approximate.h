/* approximate.h: internal functions on tw_approximation and tw_predictor,
 * shared by the files of this room. */
#ifndef TALWEG_APPROXIMATE_APPROXIMATE_H
#define TALWEG_APPROXIMATE_APPROXIMATE_H

#include "model/model.h"
#include "talweg/approximate.h"

/* Allocate an approximation: its arrays are zero, and it has no reference yet. */
tw_status tw_approximation_allocate(const tw_model *model, tw_approximation_kind kind,
                                    tw_approximation **out);

/* Recompute reference, mean and variance from tau and nu. n^3 flops if K has full rank. */
tw_status tw_approximation_rebuild(const tw_model *model, tw_approximation *approximation);

/* The model that the predictor was made for. */
const tw_model *tw_predictor_model(const tw_predictor *predictor);

/* m'K^-1 m for the mean m of q (rebuilt), which it computes anew; that m replaces a->mean. *error: an estimate of
 * the error of log Z by that of m and of this number. */
tw_status tw_approximation_energy(const tw_model *model, tw_approximation *a, double *energy, double *error);

/* An estimate of the rounding error of log Z, in nats, by the prior and q (rebuilt). */
double tw_approximation_rounding(const tw_model *model, const tw_approximation *approximation);

#endif
