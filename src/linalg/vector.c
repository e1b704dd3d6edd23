/* vector.c: inner products. */
#include "linalg/vector.h"

#include <cblas.h>

#include "linalg/size.h"

double tw_dot(size_t n, const double *a, const double *b)
{
    return cblas_ddot(to_int(n), a, 1, b, 1);
}

/* Several partial sums, so that an addition does not wait for the one before. */
double tw_dot_weighted(size_t n, const double *w, const double *a, const double *b)
{
    enum { SUMS = 8 };
    double sums[SUMS] = {0}, sum = 0.0;
    size_t whole = n / SUMS * SUMS;
    for (size_t i = 0; i < whole; i += SUMS)
        for (size_t k = 0; k < SUMS; k++) sums[k] += w[i + k] * a[i + k] * b[i + k];
    for (size_t i = whole; i < n; i++) sum += w[i] * a[i] * b[i];
    for (size_t k = 0; k < SUMS; k++) sum += sums[k];
    return sum;
}

void tw_dots(size_t n, size_t m, size_t d, const double *a, const double *b, double *c)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_int(n), to_int(m), to_int(d), 1.0, a, to_int(d),
                b, to_int(d), 0.0, c, to_int(n));
}
