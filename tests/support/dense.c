/* dense.c: Gaussian posteriors in long double; see dense.h. Sigma = (I + K T)^-1 K, mu = Sigma nu, log
 * Z = (nu' mu - log |I + K T|)/2. */
#include "support/dense.h"

#include <math.h>
#include <stdlib.h>

#include "support/support.h"

static void *checked(void *memory)
{
    assert_non_null(memory);
    return memory;
}

double *dense_kernel(size_t n, size_t d, const double *x, double ell, double sigma)
{
    double *k = checked(calloc(n * n, sizeof *k));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double distance = 0.0;
            for (size_t l = 0; l < d; l++) {
                double difference = (x[i + l * n] - x[j + l * n]) / ell;
                distance += difference * difference;
            }
            k[i + j * n] = sigma * sigma * exp(-0.5 * distance);
        }
    return k;
}

static void swap_rows(size_t p, size_t q, size_t n, size_t columns, long double *rows)
{
    for (size_t j = 0; j < columns && p != q; j++) {
        long double keep = rows[p + j * n];
        rows[p + j * n] = rows[q + j * n];
        rows[q + j * n] = keep;
    }
}

/* Gauss-Jordan elimination with row pivots on [A B], n x columns in all; A becomes the identity. Returns log
 * |det A|. */
static long double eliminate(size_t n, size_t columns, long double *rows)
{
    long double log_det = 0.0L;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabsl(rows[i + k * n]) > fabsl(rows[best + k * n])) best = i;
        swap_rows(k, best, n, columns, rows);
        long double pivot = rows[k + k * n];
        log_det += logl(fabsl(pivot));
        for (size_t j = k; j < columns; j++) rows[k + j * n] /= pivot;
        for (size_t j = k + 1; j < columns; j++)
            for (size_t i = 0; i < n; i++)
                if (i != k) rows[i + j * n] -= rows[i + k * n] * rows[k + j * n];
    }
    return log_det;
}

/* Solve with A = I + K T, or A = K if tau is NULL. */
static long double solve(size_t n, const double *k, const double *tau, size_t columns, const double *b,
                         long double *x)
{
    long double *rows = checked(calloc(n * (n + columns), sizeof *rows));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            long double entry = k[i + j * n];
            rows[i + j * n] = tau ? entry * (long double)tau[j] + (i == j ? 1.0L : 0.0L) : entry;
        }
    for (size_t i = 0; i < n * columns; i++) rows[n * n + i] = b[i];
    long double log_det = eliminate(n, n + columns, rows);
    for (size_t i = 0; i < n * columns; i++) x[i] = rows[n * n + i];
    free(rows);
    return log_det;
}

double dense_solve(size_t n, const double *a, size_t columns, const double *b, double *x)
{
    long double *exact = checked(calloc(n * columns, sizeof *exact));
    double log_det = (double)solve(n, a, NULL, columns, b, exact);
    for (size_t i = 0; i < n * columns; i++) x[i] = (double)exact[i];
    free(exact);
    return log_det;
}

dense_gaussian dense_posterior(size_t n, const double *k, const double *tau, const double *nu)
{
    dense_gaussian g = {checked(calloc(n * n, sizeof(double))), checked(calloc(n, sizeof(double))), 0.0};
    long double *sigma = checked(calloc(n * n, sizeof *sigma)), energy = 0.0L;
    long double log_det = solve(n, k, tau, n, k, sigma);
    for (size_t i = 0; i < n; i++) {
        long double sum = 0.0L;
        for (size_t j = 0; j < n; j++) sum += sigma[i + j * n] * (long double)nu[j];
        g.mean[i] = (double)sum;
        energy += sum * (long double)nu[i];
    }
    for (size_t i = 0; i < n * n; i++) g.sigma[i] = (double)sigma[i];
    g.log_z = (double)(0.5L * (energy - log_det));
    free(sigma);
    return g;
}

void dense_free(dense_gaussian *g)
{
    free(g->sigma);
    free(g->mean);
}

void dense_multiply(size_t n, const double *a, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        long double sum = 0.0L;
        for (size_t j = 0; j < n; j++) sum += (long double)a[i + j * n] * (long double)x[j];
        y[i] = (double)sum;
    }
}
