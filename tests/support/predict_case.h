/* predict_case.h: a model on a line with new inputs, and draws of its latents for predictions. */
#ifndef TALWEG_TESTS_PREDICT_CASE_H
#define TALWEG_TESTS_PREDICT_CASE_H

#include "talweg/predict.h"

typedef struct predict_case {
    tw_context *ctx;
    size_t n, m;
    double *k, *cross, *diagonal; /* n x n, n x m, m */
    double *y;                    /* n observations */
    tw_model *model;
    tw_draws draws; /* predict_case_draw_... fills x */
} predict_case;

/* n training inputs at 0, 1, ... and m new ones between and beyond them; squared-exponential kernel of the
 * given length, variance sigma^2. The observations suit the likelihood; its constants all equal w. */
predict_case predict_case_new(const char *likelihood, size_t n, size_t m, double ell, double sigma, double w);
void predict_case_free(predict_case *c); /* also checks that the context holds no memory */

/* Independent draws from the prior, or from EP's q, which is exact for Gaussian observations. */
void predict_case_draw_prior(predict_case *c, size_t chains, size_t draws, uint64_t seed);
void predict_case_draw_ep(predict_case *c, size_t chains, size_t draws, uint64_t seed);

/* All columns of predictions of the m new inputs, in one block of memory; release it with free(). */
typedef struct predict_columns {
    double *memory;
    tw_predictions at;
} predict_columns;
predict_columns predict_columns_new(size_t m);

/* Predict all new inputs by plain averages, `batch` at a time (0: all at once), with labels y (NULL: none). */
predict_columns predict_case_run(const predict_case *c, const tw_draws_predictor_options *options,
                                 size_t batch, const double *w, const double *y);

#endif
