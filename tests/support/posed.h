/* posed.h: a problem ready for estimation: context, model, EP and the prior, from an oracle's case or from a
 * kernel matrix and labels. */
#ifndef TALWEG_TESTS_POSED_H
#define TALWEG_TESTS_POSED_H

#include "support/oracle.h"
#include "talweg/approximate.h"

typedef struct posed {
    tw_context *ctx;
    tw_model *model;
    tw_approximation *ep;
    tw_reference *prior;
} posed;

/* In a new context or, if ctx is not NULL, in ctx, which posed_free then frees. */
posed pose_in(tw_context *ctx, size_t n, const double *k, const tw_likelihood *likelihood, const double *y);
posed pose_observed(tw_context *ctx, const double *k, const tw_observations *observed);
posed pose_oracle(const oracle_case *c);

/* Also checks that the context holds no memory. */
void posed_free(posed *p);

/* n points on a line, squared-exponential kernel with length 1.5 and standard deviation 2, and labels in
 * alternating runs of three: a difficult posterior of any size. Writes K to k (n x n) and the labels to y. */
void pose_line(size_t n, double *k, double *y);

/* n equal labels under the prior N(0, a 11' + b I), broad and nearly of rank one: EP's log Z is off by a
 * quarter of a nat, and the tail of its Gaussian lies where the likelihood is negligible. *log_z is exact,
 * the integral over t ~ N(0, 1) of Phi(t sqrt(a / (1 + b)))^n. */
posed pose_same_labels(size_t n, double a, double b, double *log_z);

/* Mean and standard deviation (n - 1) of n numbers. */
typedef struct sample_moments {
    double mean, sd;
} sample_moments;
sample_moments moments_of(size_t n, const double *x);

#endif
