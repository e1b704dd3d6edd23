/* far_mean.h: closed cases for predictions whose means may come from a far tail: at most three latents, exact
 * means, standard deviations and log scores by quadrature, and draws by elliptical slice sampling. */
#ifndef TALWEG_TESTS_FAR_MEAN_H
#define TALWEG_TESTS_FAR_MEAN_H

#include "talweg/predict.h"

enum { TAIL_MOST = 3, TAIL_NEW = 3 };

/* n observations y at 0, 1, ..., with `first` as the likelihood's first column; a squared-exponential kernel. The
 * new cases are at 0, 1/2 and -3/2 and have the label `label`. */
typedef struct far_mean_case {
    const char *likelihood;
    size_t n;
    double ell, sigma, phi[2], y[TAIL_MOST], first[TAIL_MOST], label;
} far_mean_case;

/* The exact values for the new cases. */
typedef struct far_mean_values {
    double mean[TAIL_NEW], sd[TAIL_NEW], score[TAIL_NEW];
} far_mean_values;
far_mean_values far_mean_exact(const far_mean_case *c);

/* Predictions from `chains` chains of `draws` draws, every fifth one; with `place` from draws that have a place, as
 * those with unknown parameters have. */
typedef struct far_mean_predictions {
    far_mean_values at, mcse;
} far_mean_predictions;
far_mean_predictions far_mean_predict(const far_mean_case *c, size_t chains, size_t draws, uint64_t seed,
                                      bool place);

#endif
