/* check.h: the steps of a check. */
#ifndef TALWEG_CHECK_CHECK_H
#define TALWEG_CHECK_CHECK_H

#include "talweg/check.h"

/* compare.c: rows for all latents with a claim, from the draws; the furthest off first. */
tw_status tw_check_compare(const tw_claim *claim, const tw_draws *draws, size_t threads,
                           tw_check_result *out);

#endif
