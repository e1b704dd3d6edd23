/* library.h: EP sites at earlier values of theta, as initial sites for EP at a nearby theta. */
#ifndef TALWEG_HYPER_LIBRARY_H
#define TALWEG_HYPER_LIBRARY_H

#include "hyper/mixture.h"
#include "hyper/place.h"

typedef struct tw_library {
    tw_context *ctx;
    size_t n, d, capacity, count;
    double *z;     /* d x capacity: see mixture.h */
    double *sites; /* 2 n x capacity: tau, then nu */
} tw_library;

tw_status tw_library_new(tw_context *ctx, size_t n, size_t d, size_t capacity, tw_library **out);
void tw_library_free(tw_library *library);

/* Add an entry; sites holds tau, then nu. Does nothing if the library is full. */
void tw_library_add(tw_library *library, const tw_mixture *g, const double *theta, const double *sites);

/* The sites of the nearest theta, in the metric of the proposal's first component; false if the library is empty. */
bool tw_library_find(const tw_library *library, const tw_mixture *g, const double *theta, tw_guess *out);

#endif
