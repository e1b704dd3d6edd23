/* narrow.c: see narrow.h. Blocks of rows of L by gemm, and not trmm: with the few columns that move in lockstep, what trmm takes
 * to pack a triangle is as much as the product. */
#include "linalg/narrow.h"

#include <cblas.h>
#include <string.h>

#include "linalg/size.h"

enum { BLOCK = 128 };

void tw_narrow_triangle(size_t n, const double *l, size_t ldl, float *to)
{
    for (size_t j = 0; j < n; j++) {
        memset(to + j * n, 0, j * sizeof *to);
        for (size_t i = j; i < n; i++) to[i + j * n] = (float)l[i + j * ldl];
    }
}

/* Rows [first, first + rows) of L, which end at the diagonal; or the same columns, which begin there. */
static void multiply_block(size_t n, const float *l, bool transposed, size_t columns, const float *b,
                           float *c, size_t first, size_t rows)
{
    int ld = to_int(n), m = to_int(rows), p = to_int(columns);
    size_t inner = transposed ? n - first : first + rows;
    const float *a = transposed ? l + first + first * n : l + first;
    const float *from = transposed ? b + first : b;
    if (columns == 1)
        cblas_sgemv(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, transposed ? to_int(inner) : m,
                    transposed ? m : to_int(inner), 1.0F, a, ld, from, 1, 0.0F, c + first, 1);
    else
        cblas_sgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, m, p, to_int(inner),
                    1.0F, a, ld, from, ld, 0.0F, c + first, ld);
}

void tw_narrow_multiply(size_t n, const float *l, bool transposed, size_t columns, const float *b, float *c)
{
    for (size_t first = 0; first < n; first += BLOCK)
        multiply_block(n, l, transposed, columns, b, c, first, n - first < BLOCK ? n - first : BLOCK);
}
