/* check.h: internal functions of this room. */
#ifndef TALWEG_CHECK_CHECK_H
#define TALWEG_CHECK_CHECK_H

#include "talweg/check.h"

/* Fill out->rows: for each latent with a claim, its differences from the draws;
 * the largest difference first. */
tw_status tw_check_compare(const tw_claim *claim, const tw_draws *draws, size_t threads,
                           tw_check_result *out);

#endif
