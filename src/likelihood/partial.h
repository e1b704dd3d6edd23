/* partial.h: a likelihood with sites that are not observed. */
#ifndef TALWEG_LIKELIHOOD_PARTIAL_H
#define TALWEG_LIKELIHOOD_PARTIAL_H

#include "talweg/likelihood.h"

/* The table is the first member, so that a pointer to it is also one to the struct. */
typedef struct tw_partial {
    tw_likelihood table;
    const tw_likelihood *whole;
    double y, column[TW_COLUMNS]; /* a valid observation, in place of missing ones */
} tw_partial;

/* Whether an observation is NaN. */
bool tw_partial_needed(const tw_observations *o);

/* The likelihood of o with p = 1 where the observation is NaN. At least one must be a number. */
void tw_partial_fill(const tw_observations *o, tw_partial *out);

#endif
