/* predict_case.h: a model on a line with new inputs on it, and draws of its latents to predict from. */
#ifndef TALWEG_TESTS_PREDICT_CASE_H
#define TALWEG_TESTS_PREDICT_CASE_H

#include "talweg/predict.h"

typedef struct predict_case {
    tw_context *ctx;
    size_t n, m;
    double *k, *cross, *diagonal; /* n x n, n x m, m */
    double *y;                    /* n observations */
    tw_model *model;
    tw_draws draws; /* x is filled by the test: predict_case_draw */
} predict_case;

/* n training inputs at 0, 1, ... and m new ones between and beyond them; squared-exponential kernel of the given
 * length, variance sigma^2. Observations suit the likelihood, whose constants are all w. */
predict_case predict_case_new(const char *likelihood, size_t n, size_t m, double ell, double sigma, double w);
void predict_case_free(predict_case *c); /* also checks that nothing is left in the context */

/* Independent draws from N(mean, L L') where L is the model's factor of K (mean NULL: zero) or, exact for
 * Gaussian observations, of EP's q. */
void predict_case_draw_prior(predict_case *c, size_t chains, size_t draws, uint64_t seed);
void predict_case_draw_ep(predict_case *c, size_t chains, size_t draws, uint64_t seed);

/* All columns of predictions of the case's m new inputs, in one block of memory for free(). */
typedef struct predict_columns {
    double *memory;
    tw_predictions at;
} predict_columns;
predict_columns predict_columns_new(size_t m);

/* Predict all new inputs, `batch` at a time (0: all at once), with labels y (NULL: none). */
predict_columns predict_case_run(const predict_case *c, const tw_draws_predictor_options *options,
                                 size_t batch, const double *w, const double *y);

#endif
