/* vector.c: see vector.h. */
#include "linalg/vector.h"

#include <cblas.h>

#include "linalg/size.h"

double tw_dot(size_t n, const double *a, const double *b)
{
    return cblas_ddot(to_int(n), a, 1, b, 1);
}

void tw_dots(size_t n, size_t m, size_t d, const double *a, const double *b, double *c)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_int(n), to_int(m), to_int(d), 1.0, a, to_int(d),
                b, to_int(d), 0.0, c, to_int(n));
}
