/* approximate.h: what the files of this room share. */
#ifndef TALWEG_APPROXIMATE_APPROXIMATE_H
#define TALWEG_APPROXIMATE_APPROXIMATE_H

#include "model/model.h"
#include "talweg/approximate.h"

/* An approximation with all its arrays, zeroed, and no reference yet. */
tw_status tw_approximation_allocate(const tw_model *model, tw_approximation_kind kind,
                                    tw_approximation **out);

/* Make reference, mean and variance anew from tau and nu. n^3 flops where K has full rank. */
tw_status tw_approximation_rebuild(const tw_model *model, tw_approximation *approximation);

const tw_model *tw_predictor_model(const tw_predictor *predictor);

#endif
