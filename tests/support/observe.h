/* observe.h: observations as arguments of calls. They live as long as the enclosing block. */
#ifndef TALWEG_TESTS_OBSERVE_H
#define TALWEG_TESTS_OBSERVE_H

#include "talweg/likelihood.h"

/* n observations y, with w as the likelihood's first column, if it has one. */
static inline tw_observations observations_of(const tw_likelihood *likelihood, size_t n, const double *y,
                                              const double *w)
{
    return (tw_observations){
        .likelihood = likelihood, .n = n, .y = y, .column = {likelihood->columns > 0 ? w : NULL}};
}
#define OBSERVED(likelihood, n, y, w) ((tw_observations[]){observations_of(likelihood, n, y, w)})

/* One observation, given by numbers. */
#define OBSERVED_ONE(likelihood, y, w) OBSERVED(likelihood, 1, (const double[]){y}, (const double[]){w})

/* New cases; the likelihood is that of the model. */
#define NEW_CASES(m, labels, w) (&(tw_observations){.n = (m), .y = (labels), .column = {w}})

#endif
