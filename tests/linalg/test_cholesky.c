/* Cholesky: reported pivots, inputs that stay usable, solves, inverse diagonals, active blocks. */
#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

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
    double diagonal[N];
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
    tw_cholesky_invert(N, l, LD, diagonal);
    tw_product_symmetric(N, 1, a, LD, x, N, b, N);
    tw_cholesky_inverse_multiply(N, l, LD, b);
    for (size_t i = 0; i < N; i++) {
        assert_close(diagonal[i], inverse[i + i * LD], 1e-12, "diag of the inverse");
        assert_close(b[i], x[i], 1e-12, "product with the inverse");
    }
}

/* Orders around those at which the inverse is taken by halves: M L = I, and nothing outside the triangle is touched. */
static void the_inverse_of_a_triangle_of_any_order(void **state)
{
    (void)state;
    enum { MOST = 150, WIDE = MOST + 3 };
    static double l[WIDE * MOST], m[WIDE * MOST];
    static const size_t orders[] = {1, 2, 31, 32, 33, 40, 63, 64, 65, 129, MOST};
    double diagonal[MOST];
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        size_t n = orders[o];
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < WIDE; i++)
                m[i + j * WIDE] = l[i + j * WIDE] =
                    i == j ? 1.5 + cos((double)i) : 0.1 * sin((double)(3 * i + 7 * j));
        tw_cholesky_invert(n, m, WIDE, diagonal);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < WIDE; i++) {
                double sum = 0.0;
                for (size_t k = j; k <= i && i < n; k++) sum += m[i + k * WIDE] * l[k + j * WIDE];
                if (i >= j && i < n)
                    assert_close(sum, i == j, 1e-12, "M L");
                else
                    assert_true(m[i + j * WIDE] == l[i + j * WIDE]);
            }
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
    assert_true(tw_cholesky_active(count, index, s, a, LD, b, LD, &failed));
    for (size_t j = 0; j < count; j++)
        for (size_t i = j; i < count; i++) assert_close(b[i + j * LD], l[i + j * LD], 1e-13, "active factor");
    assert_true(tw_cholesky_active(0, index, s, a, LD, b, LD, &failed));
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
        cmocka_unit_test(the_inverse_of_a_triangle_of_any_order),
        cmocka_unit_test(log_det_of_a_known_matrix),
        cmocka_unit_test(an_active_block_equals_the_dense_computation),
        cmocka_unit_test(symmetric_products_and_mirroring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
