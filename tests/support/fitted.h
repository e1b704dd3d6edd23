/* fitted.h: a model from arrays, an approximation of its posterior, and the inputs of both. */
#ifndef TALWEG_TESTS_FITTED_H
#define TALWEG_TESTS_FITTED_H

#include "talweg/approximate.h"

typedef struct fitted {
    tw_context *ctx;
    size_t n;
    const double *k, *y, *w;
    tw_model *model;
    tw_approximation *q;
} fitted;

/* The arrays must outlive the result. options NULL: the defaults. */
fitted fit_ep(size_t n, const double *k, const tw_likelihood *likelihood, const double *y, const double *w,
              const tw_ep_options *options);
fitted fit_laplace(size_t n, const double *k, const tw_likelihood *likelihood, const double *y,
                   const double *w);

/* Also checks that the context holds no memory. */
void fitted_free(fitted *f);

/* Check EP's fixed point from its sites alone: marginals by elimination, cavities by division of Gaussians,
 * tilted moments. Moments match to 1e-5 (the residual is 1e-6), and log Z is
 *   log Z_q + sum_n log Z_n - log of the integral of cavity times site. */
void assert_fixed_point(const fitted *f);

#endif
