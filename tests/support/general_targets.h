/* general_targets.h: targets in two dimensions whose curvature varies and changes sign, with derivatives in
 * closed form. */
#ifndef TALWEG_TESTS_GENERAL_TARGETS_H
#define TALWEG_TESTS_GENERAL_TARGETS_H

#include "figure1/mixture.h"
#include "talweg/general.h"

/* A banana: log p = -x_0^2/(2 a) - (x_1 - b x_0^2)^2/(2 c). */
tw_general_target banana_target(void);

/* Three correlated Gaussians that overlap more than those of figure 1, so that trajectories move between
 * them. */
mixture overlapping_mixture(void);

#endif
