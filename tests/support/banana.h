/* banana.h: a bent Gaussian in two dimensions, whose curvature changes along it and changes sign:
 *   log p = -x_0^2/(2 a) - (x_1 - b x_0^2)^2/(2 c). */
#ifndef TALWEG_TESTS_BANANA_H
#define TALWEG_TESTS_BANANA_H

#include "talweg/general.h"

tw_general_target banana_target(void);

#endif
