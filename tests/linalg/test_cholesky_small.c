/* Factors and inverses of matrices that fit in cache, compared with plain loops at orders around the sizes
 * of blocks and panels. Memory that must not affect results holds NaN. */
#include "linalg/cholesky_small.h"

#include <math.h>
#include <string.h>

#include "support/support.h"

enum { MOST = 150, LD = 168 };

static const size_t orders[] = {1,  2,  7,  8,  9,  15, 16, 17, 23, 24,  25,  31,
                                32, 33, 40, 47, 48, 49, 72, 73, 97, 129, MOST};

typedef struct matrices {
    double a[LD * MOST], before[LD * MOST], l[LD * MOST];
    double work[24 * (MOST + 8) + 8];
} matrices;

/* The first cache line of the array. */
static double *line_up(double *work)
{
    return work + (64 - (size_t)work % 64) % 64 / sizeof *work;
}

/* A positive definite lower triangle of order n; NaN everywhere else. */
static void fill(size_t n, double *a)
{
    for (size_t j = 0; j < MOST; j++)
        for (size_t i = 0; i < LD; i++) {
            double distance = (double)i - (double)j;
            a[i + j * LD] = i < n && j <= i ? 2.0 * exp(-0.05 * distance * distance) +
                                                  cos((double)i) * cos((double)j) + (i == j ? 0.5 : 0.0)
                                            : NAN;
        }
}

/* L L' = A, column by column. */
static void factor_plainly(size_t n, const double *a, double *l)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = a[i + j * LD];
            for (size_t k = 0; k < j; k++) sum -= l[i + k * LD] * l[j + k * LD];
            l[i + j * LD] = i == j ? sqrt(sum) : sum / l[j + j * LD];
        }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void the_factor_is_that_of_the_textbook(void **state)
{
    static matrices m;
    double *work = line_up(m.work);
    tw_pivot failed;
    (void)state;
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        size_t n = orders[o];
        fill(n, m.before);
        memcpy(m.a, m.before, sizeof m.a);
        factor_plainly(n, m.before, m.l);
        for (size_t i = 0; i < 24 * (MOST + 8); i++) work[i] = NAN;
        assert_true(tw_cholesky_small(n, m.a, LD, work, &failed));
        assert_int_equal(failed.pivot, 0);
        for (size_t j = 0; j < MOST; j++)
            for (size_t i = 0; i < LD; i++) {
                size_t at = i + j * LD;
                if (i < n && j <= i)
                    assert_close(m.a[at], m.l[at], 1e-12, "L");
                else
                    assert_true(same(m.a[at], m.before[at]));
            }
    }
}

static void the_inverse_undoes_the_factor(void **state)
{
    static matrices m;
    double *work = line_up(m.work);
    (void)state;
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        size_t n = orders[o];
        fill(n, m.before);
        factor_plainly(n, m.before, m.before);
        memcpy(m.a, m.before, sizeof m.a);
        for (size_t i = 0; i < 24 * (MOST + 8); i++) work[i] = NAN;
        tw_cholesky_small_invert(n, m.a, LD, work);
        for (size_t j = 0; j < MOST; j++)
            for (size_t i = 0; i < LD; i++) {
                double sum = 0.0; /* (W L')_ij */
                for (size_t k = i; j < n && i <= j && k <= j; k++)
                    sum += m.a[i + k * LD] * m.before[j + k * LD];
                if (j < n && i <= j)
                    assert_close(sum, i == j, 1e-12, "W L'");
                else
                    assert_true(same(m.a[i + j * LD], m.before[i + j * LD]));
            }
    }
}

/* In the first block, in the last of a panel, and where the last block is short. */
static void a_failed_pivot_is_named(void **state)
{
    static matrices m;
    static const size_t places[] = {0, 5, 8, 23, 24, 61, 96, 130};
    static const double values[] = {-1.0, 0.0, NAN, INFINITY};
    enum { N = 131 };
    tw_pivot failed;
    (void)state;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            fill(N, m.a);
            m.a[places[p] * (LD + 1)] = values[v];
            assert_false(tw_cholesky_small(N, m.a, LD, line_up(m.work), &failed));
            assert_int_equal(failed.pivot, places[p] + 1);
            assert_false(failed.value > 0.0 && isfinite(failed.value));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_that_of_the_textbook),
        cmocka_unit_test(the_inverse_undoes_the_factor),
        cmocka_unit_test(a_failed_pivot_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
