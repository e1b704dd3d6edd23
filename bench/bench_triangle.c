/* bench_triangle.c: products of a lower triangle with few columns (linalg/triangle.h), against BLAS's
 * triangular product (dtrmm) of the same size in double precision.
 *
 * n = 200 and 767 (the size of USPS 3-vs-5), 4, 16 and 32 columns: L B in double precision in place, then L B and
 * L' B from packed triangles in double and in single precision. All alternate, and medians are compared; Gflop/s
 * count n^2 flops per column.
 */
#include <stdio.h>
#include <stdlib.h>

#include "linalg/factor.h"
#include "linalg/triangle.h"
#include "math/random.h"
#include "support_time.h"

enum { MOST = 767, MOST_COLUMNS = 32, REPEATS = 101, WORKS = 6 };

typedef struct products {
    size_t n, columns;
    tw_factor *factor;
    tw_triangle *lower, *transposed, *single, *single_transposed;
    double *b, *c; /* n x columns */
    float *single_b, *single_c;
} products;

static void by_blas(void *data)
{
    products *p = data;
    tw_factor_multiply(p->factor, p->columns, p->b, p->n, p->c, p->n);
}

static void in_place(void *data)
{
    products *p = data;
    tw_triangle_multiply_in_place(p->n, p->factor->l, p->n, p->columns, p->b, p->c);
}

static void lower(void *data)
{
    products *p = data;
    tw_triangle_multiply(p->lower, p->columns, p->b, p->c);
}

static void transposed(void *data)
{
    products *p = data;
    tw_triangle_multiply(p->transposed, p->columns, p->b, p->c);
}

static void single_lower(void *data)
{
    products *p = data;
    tw_triangle_multiply_single(p->single, p->columns, p->single_b, p->single_c);
}

static void single_transposed(void *data)
{
    products *p = data;
    tw_triangle_multiply_single(p->single_transposed, p->columns, p->single_b, p->single_c);
}

static void report(products *p)
{
    const bench_work work[WORKS] = {by_blas, in_place, lower, transposed, single_lower, single_transposed};
    double seconds[WORKS], flops = (double)(p->n * p->n * p->columns);
    bench_medians(WORKS, work, p, REPEATS, seconds);
    printf("triangle of %3zu, %2zu columns: dtrmm %6.1f us; of that L B in place %.2f; packed L B %.2f, L' B "
           "%.2f; in single precision %.2f, %.2f (",
           p->n, p->columns, 1e6 * seconds[0], seconds[1] / seconds[0], seconds[2] / seconds[0],
           seconds[3] / seconds[0], seconds[4] / seconds[0], seconds[5] / seconds[0]);
    for (size_t i = 0; i < WORKS; i++) printf("%s%.0f", i == 0 ? "" : ", ", 1e-9 * flops / seconds[i]);
    printf(" Gflop/s)\n");
}

/* Products of one order; the numbers do not matter. */
static void report_order(tw_context *ctx, size_t n, double *l, products *p)
{
    static const size_t columns[] = {4, 16, 32};
    p->n = n;
    if (tw_factor_borrow(ctx, n, l, 0.0, &p->factor) != TW_OK) exit(3);
    if (tw_triangle_new(ctx, n, l, n, false, false, &p->lower) != TW_OK) exit(3);
    if (tw_triangle_new(ctx, n, l, n, true, false, &p->transposed) != TW_OK) exit(3);
    if (tw_triangle_new(ctx, n, l, n, false, true, &p->single) != TW_OK) exit(3);
    if (tw_triangle_new(ctx, n, l, n, true, true, &p->single_transposed) != TW_OK) exit(3);
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        p->columns = columns[k];
        report(p);
    }
    tw_triangle_free(p->single_transposed);
    tw_triangle_free(p->single);
    tw_triangle_free(p->transposed);
    tw_triangle_free(p->lower);
    tw_factor_free(p->factor);
}

int main(void)
{
    static double l[MOST * MOST], b[MOST * MOST_COLUMNS], c[MOST * MOST_COLUMNS];
    static float single_b[MOST * MOST_COLUMNS], single_c[MOST * MOST_COLUMNS];
    products p = {.b = b, .c = c, .single_b = single_b, .single_c = single_c};
    tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, 0, 0);
    tw_context *ctx = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    tw_stream_normals(&stream, sizeof l / sizeof *l, l);
    tw_stream_normals(&stream, sizeof b / sizeof *b, b);
    for (size_t i = 0; i < sizeof b / sizeof *b; i++) single_b[i] = (float)b[i];
    report_order(ctx, 200, l, &p);
    report_order(ctx, MOST, l, &p);
    tw_context_free(ctx);
    return 0;
}
