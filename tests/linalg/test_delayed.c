/* Delayed rank-one updates against the same updates made one at a time, in long double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/delayed.h"
#include "support/problem.h"
#include "support/support.h"

/* A <- A - c s s', s = column j of A, as an update of EP makes it: c = d / (1 + d A_jj) keeps A positive. */
static void update_directly(size_t n, long double *a, size_t j, long double c)
{
    long double *s = calloc(n, sizeof *s);
    assert_non_null(s);
    memcpy(s, a + j * n, n * sizeof *s);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) a[i + k * n] -= c * s[i] * s[k];
    free(s);
}

/* Positive and negative changes of precision in no order; every fifth site is left out. */
static double change_of(test_random *random, size_t j)
{
    double u = test_uniform(random);
    return j % 5 == 3 ? 0.0 : u < 0.4 ? -0.2 * u : 3.0 * u;
}

static void assert_same(size_t n, const double *a, const long double *exact)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            assert_close(a[i + j * n], (double)exact[i + j * n], 1e-12, "entry of the matrix");
}

/* One column: what is handed out is the matrix as it is after all updates so far. */
static void visit(tw_delayed *d, size_t n, size_t j, double change, long double *exact, double *column)
{
    double diagonal = tw_delayed_diagonal(d, j);
    assert_close(diagonal, (double)exact[j + j * n], 1e-12, "diagonal");
    if (change == 0.0) return;
    tw_delayed_column(d, j, column);
    for (size_t i = 0; i < n; i++) assert_close(column[i], (double)exact[i + j * n], 1e-12, "column");
    tw_delayed_update(d, change / (1.0 + change * diagonal), column);
    long double precision = change;
    update_directly(n, exact, j, precision / (1.0L + precision * exact[j + j * n]));
}

/* A x and (A o A) x with what was collected, for x with both signs. */
static void assert_products(tw_delayed *d, size_t n, const long double *exact, double *x, double *y)
{
    for (int power = 1; power <= 2; power++) {
        for (size_t i = 0; i < n; i++) x[i] = sin(1.0 + (double)i);
        (power == 1 ? tw_delayed_multiply : tw_delayed_multiply_squares)(d, x, y);
        for (size_t i = 0; i < n; i++) {
            long double sum = 0.0L;
            for (size_t j = 0; j < n; j++) sum += powl(exact[i + j * n], power) * x[j];
            assert_close(y[i], (double)sum, 1e-11, "a product");
        }
    }
}

/* Two sweeps over all columns of a kernel matrix with entries of order one. */
static void sweep_matrix_of(size_t n)
{
    tw_context *ctx = new_context();
    test_random random = {n};
    test_problem *problem = test_problem_new(n, 3 + n, 100.0);
    long double *exact = calloc(n * n, sizeof *exact);
    double *column = calloc(2 * n, sizeof *column);
    tw_delayed *d = NULL;
    assert_true(exact && column);
    for (size_t i = 0; i < n * n; i++) exact[i] = problem->k[i];
    for (size_t j = 0; j < n; j++) /* the upper triangle is not read */
        for (size_t i = 0; i < j; i++) problem->k[i + j * n] = NAN;
    assert_int_equal(tw_delayed_new(ctx, n, problem->k, &d), TW_OK);
    for (int sweep = 0; sweep < 2; sweep++)
        for (size_t first = 0; first < n; first += TW_DELAYED_BLOCK) {
            size_t count = n - first < TW_DELAYED_BLOCK ? n - first : TW_DELAYED_BLOCK;
            tw_delayed_open(d, first, count);
            for (size_t j = first; j < first + count; j++)
                visit(d, n, j, change_of(&random, j), exact, column);
            tw_delayed_close(d);
            if (first + count < n) continue; /* the next block sees updates that are not applied yet */
            assert_products(d, n, exact, column, column + n);
            assert_same(n, problem->k, exact);
        }
    tw_delayed_free(d);
    free(column);
    free(exact);
    test_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void delayed_updates_equal_direct_ones(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 17, 63, 64, 65, 127, 128, 130};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) sweep_matrix_of(sizes[i]);
}

/* A block of negative changes alone, and one of positive changes alone, fill the panel from either end. */
static void a_full_panel_of_one_sign_is_applied(void **state)
{
    (void)state;
    enum { N = TW_DELAYED_BLOCK };
    static double a[N * N], column[N];
    static long double exact[N * N];
    tw_context *ctx = new_context();
    tw_delayed *d = NULL;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            exact[i + j * N] = a[i + j * N] = (i == j) + exp(-0.1 * fabs((double)i - (double)j));
    assert_int_equal(tw_delayed_new(ctx, N, a, &d), TW_OK);
    const double changes[] = {0.5, -0.05};
    for (size_t i = 0; i < 2; i++) {
        tw_delayed_open(d, 0, N);
        for (size_t j = 0; j < N; j++) visit(d, N, j, changes[i], exact, column);
        tw_delayed_close(d);
    }
    tw_delayed_apply(d);
    assert_same(N, a, exact);
    tw_delayed_free(d);
    tw_context_free(ctx);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    double a[4] = {1.0, 0.0, 0.0, 1.0};
    for (size_t at = 1; at <= 4; at++) {
        failing_allocator allocator = {.fail_at = at};
        tw_context *ctx = failing_context(&allocator);
        tw_delayed *d = NULL;
        assert_int_equal(tw_delayed_new(ctx, 2, a, &d), TW_NO_MEMORY);
        assert_null(d);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
    tw_delayed_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delayed_updates_equal_direct_ones),
        cmocka_unit_test(a_full_panel_of_one_sign_is_applied),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
