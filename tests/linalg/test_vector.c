/* Inner products of small integers, which are exact in any order. */
#include "linalg/vector.h"

#include "support/support.h"

enum { MOST = 40 };

static double entry(size_t i)
{
    return (double)(i * 7 % 11) - 5.0;
}

static void products_are_sums(void **state)
{
    (void)state;
    double a[MOST], b[MOST], w[MOST];
    for (size_t i = 0; i < MOST; i++) {
        a[i] = entry(i);
        b[i] = entry(i + 3);
        w[i] = entry(i * i);
    }
    for (size_t n = 0; n <= MOST; n++) {
        double sum = 0.0, weighted = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += a[i] * b[i];
            weighted += w[i] * a[i] * b[i];
        }
        assert_true(tw_dot(n, a, b) == sum && tw_dot_weighted(n, w, a, b) == weighted);
    }
}

/* C = A'B for A d x n and B d x m. */
static void products_of_columns_are_those_of_each_pair(void **state)
{
    (void)state;
    enum { N = 5, M = 3, D = 7 };
    double a[D * N], b[D * M], c[N * M];
    for (size_t i = 0; i < D * N; i++) a[i] = entry(i);
    for (size_t i = 0; i < D * M; i++) b[i] = entry(2 * i + 1);
    for (size_t i = 0; i < N * M; i++) c[i] = 99.0;
    tw_dots(N, M, D, a, b, c);
    for (size_t j = 0; j < M; j++)
        for (size_t i = 0; i < N; i++) assert_true(c[i + j * N] == tw_dot(D, a + i * D, b + j * D));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_sums),
        cmocka_unit_test(products_of_columns_are_those_of_each_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
