/* size.h: conversion of sizes, which are size_t in talweg and int in BLAS. Every set-up checks
 * tw_size_fits, so the cast to int is safe afterwards. */
#ifndef TALWEG_LINALG_SIZE_H
#define TALWEG_LINALG_SIZE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool tw_size_fits(size_t n)
{
    return n <= INT_MAX;
}

static inline int to_int(size_t n)
{
    return (int)n;
}

#endif
