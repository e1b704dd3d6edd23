/* dense.h: small Gaussian models in long double, by elimination, as an oracle for the approximations. This
 * code does not use the library's linear algebra. Matrices are n x n, column-major, stored in full. */
#ifndef TALWEG_TESTS_DENSE_H
#define TALWEG_TESTS_DENSE_H

#include <stddef.h>

/* sigma^2 exp(-|a - b|^2 / (2 ell^2)) for n points in d dimensions, x n x d. Free with free(). */
double *dense_kernel(size_t n, size_t d, const double *x, double ell, double sigma);

/* N(0, K) prod exp(nu x - tau x^2/2) with tau >= 0 and K possibly singular: its covariance (n x n), mean and
 * log normaliser. */
typedef struct dense_gaussian {
    double *sigma, *mean, log_z;
} dense_gaussian;
dense_gaussian dense_posterior(size_t n, const double *k, const double *tau, const double *nu);
void dense_free(dense_gaussian *g);

/* X = A^-1 B for `columns` columns of B; returns log |det A|. A need not be symmetric. */
double dense_solve(size_t n, const double *a, size_t columns, const double *b, double *x);

/* y = A x. */
void dense_multiply(size_t n, const double *a, const double *x, double *y);

#endif
