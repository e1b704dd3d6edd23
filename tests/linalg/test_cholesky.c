/* Cholesky: reported pivots, inputs that stay usable, solves, inverse diagonals, active blocks. */
#include "linalg/cholesky.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "linalg/product.h"
#include "support/support.h"

enum { N = 37, LD = 41 };

/* A = X X' / N + 0.3 I with fixed, unremarkable entries. */
static void make_positive(double *a)
{
    static double x[N * N];
    for (size_t i = 0; i < N * N; i++) x[i] = cos(1.7 * (double)i + 0.013 * (double)(i * i % 101));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            double sum = i == j ? 0.3 : 0.0;
            for (size_t k = 0; k < N; k++) sum += x[i + k * N] * x[j + k * N] / N;
            a[i + j * LD] = sum;
        }
}

static void the_factor_reproduces_its_input_and_leaves_it_alone(void **state)
{
    (void)state;
    static double a[LD * N], before[LD * N], l[LD * N];
    tw_pivot failed;
    make_positive(a);
    memcpy(before, a, sizeof a);
    assert_true(tw_cholesky(N, a, LD, l, LD, &failed));
    assert_int_equal(failed.pivot, 0);
    assert_memory_equal(a, before, sizeof a);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            double sum = 0.0;
            for (size_t k = 0; k < N; k++) sum += l[i + k * LD] * l[j + k * LD];
            assert_close(sum, a[i + j * LD], 1e-14, "L L'");
            if (i < j) assert_true(l[i + j * LD] == 0.0);
        }
}

static void a_failed_pivot_is_named(void **state)
{
    (void)state;
    static double a[LD * N], l[LD * N];
    tw_pivot failed;
    make_positive(a);
    a[22 + 22 * LD] = -1.0;
    assert_false(tw_cholesky(N, a, LD, l, LD, &failed));
    assert_int_equal(failed.pivot, 23);
    assert_true(failed.value < 0.0);
    make_positive(a);
    a[9 + 3 * LD] = NAN;
    assert_false(tw_cholesky(N, a, LD, l, LD, &failed));
    assert_int_equal(failed.pivot, 10);
}

static void solves_and_log_det_and_inverse_diagonal_agree(void **state)
{
    (void)state;
    static double a[LD * N], l[LD * N], inverse[LD * N];
    _Alignas(64) static double work[24 * (N + 8)];
    double diagonal[N], y[N];
    tw_pivot failed;
    make_positive(a);
    assert_true(tw_cholesky(N, a, LD, l, LD, &failed));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) inverse[i + j * LD] = i == j;
    tw_cholesky_solve(N, l, LD, N, inverse, LD);
    double x[N], b[N];
    for (size_t i = 0; i < N; i++) x[i] = sin(3.1 * (double)i);
    tw_product_symmetric(N, 1, a, LD, x, N, b, N);
    tw_cholesky_solve(N, l, LD, 1, b, N);
    for (size_t i = 0; i < N; i++) assert_close(b[i], x[i], 1e-12, "solve on one vector");
    assert_true(tw_cholesky_work(N) <= sizeof work / sizeof *work);
    tw_cholesky_invert(N, l, LD, work, diagonal);
    tw_product_symmetric(N, 1, a, LD, x, N, b, N);
    tw_cholesky_inverse_multiply(N, l, LD, b, y);
    for (size_t i = 0; i < N; i++) {
        assert_close(diagonal[i], inverse[i + i * LD], 1e-12, "diag of the inverse");
        assert_close(y[i], x[i], 1e-12, "product with the inverse");
    }
}

/* B = I + S A S for A_ij = exp(-|t_i - t_j| / 3) at whole numbers t, of which some are missing. A^-1 is tridiagonal, so
 * B^-1 = I - S (A^-1 + S^2)^-1 S and |B| = |A| |A^-1 + S^2| cost n. */
typedef struct chain {
    tw_context *ctx;
    size_t count, n, ld; /* sites that are active, all sites, leading dimension of b */
    size_t *index;
    double *s, *a, *b, *work;    /* a: upper, NaN below */
    double *diagonal, *side;     /* of A^-1 + S^2; side[i] between i - 1 and i */
    double *inverse, *x, *y, *z; /* diag(B^-1); count each */
    double log_det;              /* log |B| */
} chain;

static double *array(chain *c, size_t rows, size_t columns)
{
    double *out;
    assert_int_equal(tw_allocate_doubles(c->ctx, rows, columns, "a test", &out), TW_OK);
    return out;
}

static void make_chain(tw_context *ctx, size_t count, size_t *index, chain *c)
{
    *c = (chain){.ctx = ctx, .count = count, .n = count + count / 5 + 2, .index = index};
    c->ld = tw_cholesky_leading(count);
    c->a = array(c, c->n, c->n);
    c->b = array(c, c->ld, count);
    c->work = array(c, tw_cholesky_work(count), 1);
    double **vectors[] = {&c->s, &c->diagonal, &c->side, &c->inverse, &c->x, &c->y, &c->z};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = array(c, count, 1);
    for (size_t j = 0; j < c->n; j++)
        for (size_t i = 0; i < c->n; i++)
            c->a[i + j * c->n] = i <= j ? exp(((double)i - (double)j) / 3.0) : NAN;
    for (size_t i = 0; i < count; i++) {
        index[i] = i + (i + 2) / 5;
        c->s[i] = 1.5 + cos((double)i);
        c->x[i] = sin(3.1 * (double)i);
        c->diagonal[i] = 1.0 + c->s[i] * c->s[i];
    }
}

/* The diagonal of the inverse of a tridiagonal matrix by its pivots from the left and from the right. */
static void solve_chain(chain *c)
{
    double *left = c->y, *right = c->z;
    size_t n = c->count;
    for (size_t i = 1; i < n; i++) {
        double r = exp(-(double)(c->index[i] - c->index[i - 1]) / 3.0), rest = 1.0 - r * r;
        c->side[i] = -r / rest;
        c->diagonal[i - 1] += r * r / rest;
        c->diagonal[i] += r * r / rest;
        c->log_det += log(rest);
    }
    for (size_t i = 0; i < n; i++) {
        left[i] = c->diagonal[i] - (i > 0 ? c->side[i] * c->side[i] / left[i - 1] : 0.0);
        c->log_det += log(left[i]);
    }
    for (size_t i = n; i-- > 0;)
        right[i] = c->diagonal[i] - (i + 1 < n ? c->side[i + 1] * c->side[i + 1] / right[i + 1] : 0.0);
    for (size_t i = 0; i < n; i++)
        c->inverse[i] = 1.0 - c->s[i] * c->s[i] / (left[i] + right[i] - c->diagonal[i]);
}

/* y = B x. */
static void multiply_chain(chain *c)
{
    for (size_t i = 0; i < c->count; i++) {
        c->y[i] = c->x[i];
        for (size_t j = 0; j < c->count; j++) {
            size_t p = c->index[i], q = c->index[j];
            c->y[i] += c->s[i] * c->s[j] * c->a[p < q ? p + q * c->n : q + p * c->n] * c->x[j];
        }
    }
}

static void check_chain(chain *c)
{
    size_t n = c->count;
    double *diagonal = c->side;
    tw_pivot failed;
    solve_chain(c);
    multiply_chain(c);
    assert_true(tw_cholesky_active(n, c->index, c->s, c->a, c->n, c->b, c->ld, c->work, &failed));
    assert_close(tw_cholesky_log_det(n, c->b, c->ld), c->log_det,
                 DBL_EPSILON * (double)(n + 8) * (1.0 + c->log_det), "sums of n logarithms");
    memcpy(c->z, c->y, n * sizeof *c->z);
    tw_cholesky_solve(n, c->b, c->ld, 1, c->z, n);
    for (size_t i = 0; i < n; i++) assert_close(c->z[i], c->x[i], 1e-11, "solve");
    tw_cholesky_invert(n, c->b, c->ld, c->work, diagonal);
    tw_cholesky_inverse_multiply(n, c->b, c->ld, c->y, c->z);
    for (size_t i = 0; i < n; i++) {
        assert_close(c->z[i], c->x[i], 1e-11, "product with the inverse");
        assert_close(diagonal[i], c->inverse[i], 1e-12, "diag(B^-1)");
    }
    c->s[n - 1] = INFINITY;
    assert_false(tw_cholesky_active(n, c->index, c->s, c->a, c->n, c->b, c->ld, c->work, &failed));
    assert_int_equal(failed.pivot, n);
}

/* Orders around those of blocks, and one that is divided into halves. */
static void active_sites_of_any_number(void **state)
{
    (void)state;
    enum { MOST = 1030 };
    static const size_t orders[] = {1, 7, 8, 9, 24, 25, 97, 385, MOST};
    static size_t index[MOST];
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        chain c;
        tw_context *ctx = new_context();
        make_chain(ctx, orders[o], index, &c);
        check_chain(&c);
        double *arrays[] = {c.s, c.a, c.b, c.work, c.diagonal, c.side, c.inverse, c.x, c.y, c.z};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
        tw_context_free(ctx);
    }
}

/* log|A| of the 3 x 3 second-difference matrix is log 4. */
static void log_det_of_a_known_matrix(void **state)
{
    (void)state;
    const double a[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2};
    double l[9];
    tw_pivot failed;
    assert_true(tw_cholesky(3, a, 3, l, 3, &failed));
    assert_close(tw_cholesky_log_det(3, l, 3), log(4.0), 1e-15, "log det");
}

static void an_active_block_equals_the_dense_computation(void **state)
{
    (void)state;
    static double a[LD * N], b[LD * N], dense[LD * N], l[LD * N];
    _Alignas(64) static double work[24 * (N + 8)];
    size_t index[N], count = 0;
    double s[N];
    tw_pivot failed;
    make_positive(a);
    for (size_t i = 0; i < N; i++)
        if (i % 3 != 1) {
            s[count] = 0.2 + 0.1 * (double)i;
            index[count++] = i;
        }
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < count; i++)
            dense[i + j * LD] = (i == j) + s[i] * a[index[i] + index[j] * LD] * s[j];
    assert_true(tw_cholesky(count, dense, LD, l, LD, &failed));
    assert_true(tw_cholesky_active(count, index, s, a, LD, b, LD, work, &failed));
    for (size_t j = 0; j < count; j++)
        for (size_t i = j; i < count; i++) assert_close(b[i + j * LD], l[i + j * LD], 1e-13, "active factor");
    assert_true(tw_cholesky_active(0, index, s, a, LD, b, LD, work, &failed));
}

static void symmetric_products_and_mirroring(void **state)
{
    (void)state;
    static double a[LD * N], b[LD * 3], c[LD * 3], c1[N];
    make_positive(a);
    for (size_t j = 0; j < N; j++)
        for (size_t i = j + 1; i < N; i++) a[i + j * LD] = 99.0;
    for (size_t i = 0; i < LD * 3; i++) b[i] = cos((double)i);
    tw_product_symmetric(N, 3, a, LD, b, LD, c, LD);
    make_positive(a);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < j; i++) a[i + j * LD] = 99.0;
    tw_mirror_lower(N, a, LD);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) assert_true(a[i + j * LD] == a[j + i * LD]);
    for (size_t j = 0; j < 3; j++) {
        tw_product_symmetric(N, 1, a, LD, b + j * LD, LD, c1, N);
        for (size_t i = 0; i < N; i++) assert_close(c[i + j * LD], c1[i], 1e-13, "blocks and vectors");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_reproduces_its_input_and_leaves_it_alone),
        cmocka_unit_test(a_failed_pivot_is_named),
        cmocka_unit_test(solves_and_log_det_and_inverse_diagonal_agree),
        cmocka_unit_test(active_sites_of_any_number),
        cmocka_unit_test(log_det_of_a_known_matrix),
        cmocka_unit_test(an_active_block_equals_the_dense_computation),
        cmocka_unit_test(symmetric_products_and_mirroring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
