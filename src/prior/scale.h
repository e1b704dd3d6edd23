/* scale.h: the scale of the data, which default priors follow. */
#ifndef TALWEG_PRIOR_SCALE_H
#define TALWEG_PRIOR_SCALE_H

#include "talweg/problem.h"

/* Where the latent values are that the observations suggest, each by itself, and how far they spread; and the
 * spread of y. */
typedef struct tw_scale {
    double centre, spread;
    double y;
} tw_scale;

/* It follows from the data and the likelihood alone, whatever values the parameters have. */
tw_status tw_scale_of(const tw_problem *problem, tw_scale *out);

#endif
