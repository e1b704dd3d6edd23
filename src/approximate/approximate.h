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

/* Scores that are added up batch by batch: sums starts as zeros and holds sums, finish makes means of them. */
void tw_scores_add(const tw_likelihood *likelihood, size_t m, const double *y, const double *expected,
                   const double *log_score, tw_scores *sums);
tw_scores tw_scores_finish(const tw_likelihood *likelihood, const tw_scores *sums);

#endif
