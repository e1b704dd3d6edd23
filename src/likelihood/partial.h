/* partial.h: a likelihood of which some sites are not observed. */
#ifndef TALWEG_LIKELIHOOD_PARTIAL_H
#define TALWEG_LIKELIHOOD_PARTIAL_H

#include "talweg/likelihood.h"

/* The table comes first, so that a pointer to it is one to this. */
typedef struct tw_partial {
    tw_likelihood table;
    const tw_likelihood *whole;
    double y, column[TW_COLUMNS]; /* an observation that stands in for those that are not there */
} tw_partial;

/* Is an observation NaN? */
bool tw_partial_needed(const tw_observations *o);

/* The likelihood of o, some of whose observations are NaN: p = 1 there. One observation at least is there. */
void tw_partial_fill(const tw_observations *o, tw_partial *out);

#endif
