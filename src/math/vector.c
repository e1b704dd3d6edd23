/* vector.c: elementary functions over an array, branch-free so that the compiler vectorises them.
 *
 * The same vector instructions process every element, also in the last, padded group, so a result does not
 * depend on its position in the array.
 */
#include "math/vector.h"

#include "math/elementary.h"

#define LARGEST 709.78271289338397     /* log of the largest double */
#define SMALLEST (-708.39641853226408) /* log of the smallest normal double */

/* exp(x): 0 below the normal range, inf above the largest double (from the product), and NaN for NaN. */
TW_INLINE double exponential(double x)
{
    double value = x < SMALLEST ? 0.0 : tw_exp_inside(x);
    return x <= LARGEST ? value : x * 1e307;
}

/* n is a multiple of TW_GROUP. */
TW_INLINE void exp_groups(size_t n, const double *x, double *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] = exponential(x[i]);
}

#define EXP_GROUPS(machine, target, fused)                                       \
    target static void exp_groups##machine(size_t n, const double *x, double *y) \
    {                                                                            \
        exp_groups(n / TW_GROUP * TW_GROUP, x, y);                               \
    }
TW_FOR_EACH_MACHINE(EXP_GROUPS)

void tw_vector_exp(size_t n, const double *x, double *y)
{
    size_t whole = n / TW_GROUP * TW_GROUP;
    double last[TW_GROUP] = {0};
    memcpy(last, x + whole, (n - whole) * sizeof *x);
    TW_ON_THIS_MACHINE(exp_groups, whole, x, y);
    if (whole == n) return;
    TW_ON_THIS_MACHINE(exp_groups, TW_GROUP, last, last);
    memcpy(y + whole, last, (n - whole) * sizeof *y);
}
