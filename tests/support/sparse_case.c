/* sparse_case.c: sparse test matrices; see sparse_case.h. */
#include "support/sparse_case.h"

#include <math.h>
#include <stdlib.h>

#include "support/dense.h"
#include "support/problem.h"
#include "support/support.h"

void need_orderings(void)
{
    if (tw_sparse_orderings()) return;
    print_message("skipped: this build has no sparse matrices\n");
    skip();
}

typedef struct entries {
    size_t count;
    uint32_t *row, *column;
    double *value;
} entries;

static entries entries_new(size_t most)
{
    entries e = {0, malloc(most * sizeof *e.row), malloc(most * sizeof *e.column),
                 malloc(most * sizeof *e.value)};
    assert_true(e.row && e.column && e.value);
    return e;
}

static void entries_add(entries *e, size_t i, size_t j, double value)
{
    e->row[e->count] = (uint32_t)i;
    e->column[e->count] = (uint32_t)j;
    e->value[e->count++] = value;
}

static tw_sparse *entries_end(tw_context *ctx, entries *e, size_t n)
{
    tw_sparse *matrix = NULL;
    tw_status status = tw_sparse_new(ctx, n, n, true, e->count, e->row, e->column, e->value, &matrix);
    free(e->row);
    free(e->column);
    free(e->value);
    assert_int_equal(status, TW_OK);
    return matrix;
}

/* The square of K = (kappa2 + 4) I - neighbours: entry (i, j) is the sum over m of K_im K_mj. */
tw_sparse *lattice_precision(tw_context *ctx, size_t rows, size_t columns, double kappa2)
{
    static const int step[5][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    size_t n = rows * columns;
    entries e = entries_new(7 * n);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            for (int dr = -2; dr <= 2; dr++)
                for (int dc = -2; dc <= 2; dc++) {
                    long r2 = (long)r + dr, c2 = (long)c + dc;
                    double sum = 0.0;
                    if (r2 < 0 || c2 < 0 || r2 >= (long)rows || c2 >= (long)columns) continue;
                    if ((size_t)r2 * columns + (size_t)c2 < r * columns + c) continue;
                    for (size_t k = 0; k < 5; k++)
                        for (size_t l = 0; l < 5; l++) {
                            long rm = (long)r + step[k][0], cm = (long)c + step[k][1];
                            if (rm < 0 || cm < 0 || rm >= (long)rows || cm >= (long)columns) continue;
                            if (rm + step[l][0] != r2 || cm + step[l][1] != c2) continue;
                            sum += (k == 0 ? kappa2 + 4.0 : -1.0) * (l == 0 ? kappa2 + 4.0 : -1.0);
                        }
                    if (sum != 0.0) entries_add(&e, (size_t)r2 * columns + (size_t)c2, r * columns + c, sum);
                }
    return entries_end(ctx, &e, n);
}

tw_sparse *random_precision(tw_context *ctx, uint64_t seed, size_t n, double degree)
{
    test_random random = {seed};
    double *diagonal = calloc(n, sizeof *diagonal);
    entries e = entries_new(n * n + n);
    assert_non_null(diagonal);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++) {
            if (test_uniform(&random) * (double)n > degree) continue;
            double value = test_normal(&random);
            diagonal[i] += fabs(value);
            diagonal[j] += fabs(value);
            entries_add(&e, test_uniform(&random) < 0.5 ? i : j, 0, value); /* either triangle */
            e.column[e.count - 1] = (uint32_t)(e.row[e.count - 1] == i ? j : i);
        }
    for (size_t j = n; j-- > 0;) entries_add(&e, j, j, diagonal[j] + 0.05 + test_uniform(&random));
    free(diagonal);
    return entries_end(ctx, &e, n);
}

double *full_matrix(const tw_sparse *m)
{
    double *a = calloc(m->rows * m->columns, sizeof *a);
    assert_non_null(a);
    for (size_t j = 0; j < m->columns; j++)
        for (size_t e = m->start[j]; e < m->start[j + 1]; e++) {
            a[m->row[e] + j * m->rows] = m->value[e];
            if (m->symmetric) a[j + m->row[e] * m->rows] = m->value[e];
        }
    return a;
}

double *full_inverse(const tw_sparse *m, double *log_det)
{
    size_t n = m->rows;
    double *a = full_matrix(m), *identity = calloc(n * n, sizeof *identity),
           *inverse = malloc(n * n * sizeof *inverse);
    assert_true(identity && inverse);
    for (size_t i = 0; i < n; i++) identity[i + i * n] = 1.0;
    *log_det = dense_solve(n, a, n, identity, inverse);
    free(a);
    free(identity);
    return inverse;
}
