/* tail_case.h: closed cases for predictions whose means may come from a far tail: at most three latents, exact
 * means, standard deviations and log scores by quadrature, and draws by elliptical slice sampling. */
#ifndef TALWEG_TESTS_TAIL_CASE_H
#define TALWEG_TESTS_TAIL_CASE_H

#include "talweg/predict.h"

enum { TAIL_MOST = 3, TAIL_NEW = 3 };

/* n observations y at 0, 1, ..., with `first` as the likelihood's first column; a squared-exponential kernel. The
 * new cases are at 0, 1/2 and -3/2 and have the label `label`. */
typedef struct tail_case {
    const char *likelihood;
    size_t n;
    double ell, sigma, phi[2], y[TAIL_MOST], first[TAIL_MOST], label;
} tail_case;

/* The exact values for the new cases. */
typedef struct tail_values {
    double mean[TAIL_NEW], sd[TAIL_NEW], score[TAIL_NEW];
} tail_values;
tail_values tail_case_exact(const tail_case *c);

/* Predictions from `chains` chains of `draws` draws, every fifth one; with `place` from draws that have a place, as
 * those with unknown parameters have. */
typedef struct tail_predictions {
    tail_values at, mcse;
} tail_predictions;
tail_predictions tail_case_predict(const tail_case *c, size_t chains, size_t draws, uint64_t seed,
                                   bool place);

#endif
