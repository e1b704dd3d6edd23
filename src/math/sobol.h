/* sobol.h: scrambled Sobol points, which fill the unit cube more evenly than independent points. Each point
 * is uniform, so a mean over them is unbiased. Independent scrambles give independent means, and hence a
 * standard error. */
#ifndef TALWEG_MATH_SOBOL_H
#define TALWEG_MATH_SOBOL_H

#include <stddef.h>
#include <stdint.h>

enum { TW_SOBOL_DIMENSIONS = 21, TW_SOBOL_BITS = 32 };

/* One scramble; it can be copied. */
typedef struct tw_sobol {
    size_t dimensions;
    uint32_t direction[TW_SOBOL_DIMENSIONS][TW_SOBOL_BITS];
    uint64_t shift[TW_SOBOL_DIMENSIONS]; /* 52 bits each */
} tw_sobol;

/* Scramble number `scramble` of a seed; dimensions is at most TW_SOBOL_DIMENSIONS. */
void tw_sobol_make(uint64_t seed, uint64_t scramble, size_t dimensions, tw_sobol *out);

/* Point number `index`, from 0 on: `dimensions` numbers in the open interval (0, 1). */
void tw_sobol_point(const tw_sobol *sobol, uint32_t index, double *u);

#endif
