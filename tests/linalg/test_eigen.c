/* Symmetric eigenproblems: a matrix from known eigenvalues and rotations, equal eigenvalues, numbers that are
 * not finite. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/eigen.h"
#include "support/support.h"

enum { N = 5 };

/* A <- R A R' for a rotation R of axes i and j. */
static void rotate(double *a, size_t i, size_t j, double angle)
{
    double c = cos(angle), s = sin(angle);
    for (size_t k = 0; k < N; k++) {
        double u = a[i + k * N], v = a[j + k * N];
        a[i + k * N] = c * u - s * v;
        a[j + k * N] = s * u + c * v;
    }
    for (size_t k = 0; k < N; k++) {
        double u = a[k + i * N], v = a[k + j * N];
        a[k + i * N] = c * u - s * v;
        a[k + j * N] = s * u + c * v;
    }
}

/* diag(values), turned by one rotation for each pair of axes. */
static void turned(const double *values, double *a)
{
    memset(a, 0, N * N * sizeof *a);
    for (size_t i = 0; i < N; i++) a[i + i * N] = values[i];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++) rotate(a, i, j, 0.3 + (double)(i + 2 * j));
}

/* Q' Q = I and Q diag(values) Q' = A, to rounding; also where eigenvalues are equal. */
static void values_and_vectors_are_those_of_the_matrix(void **state)
{
    (void)state;
    const double known[2][N] = {{-7.0, -0.5, 0.0, 1.25, 30.0}, {-2.0, -2.0, 3.0, 3.0, 3.0}};
    double *work = malloc(tw_eigen_work(N) * sizeof *work), a[N * N], q[N * N], values[N];
    for (size_t t = 0; t < 2; t++) {
        turned(known[t], a);
        memcpy(q, a, sizeof a);
        for (size_t j = 1; j < N; j++) q[j * N] = NAN; /* above the diagonal nothing is read */
        assert_true(tw_eigen_symmetric(N, q, N, values, work));
        for (size_t i = 0; i < N; i++) assert_close(values[i], known[t][i], 1e-13 * 30.0, "eigenvalue");
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double product = 0.0, unit = 0.0;
                for (size_t k = 0; k < N; k++) {
                    product += q[i + k * N] * values[k] * q[j + k * N];
                    unit += q[k + i * N] * q[k + j * N];
                }
                assert_close(product, a[i + j * N], 1e-13 * 30.0, "Q diag Q'");
                assert_close(unit, i == j ? 1.0 : 0.0, 1e-14, "Q' Q");
            }
    }
    free(work);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    double work[34 * 2], values[2];
    double bad[3][4] = {{1.0, NAN, 0.0, 1.0}, {1.0, 0.0, 0.0, INFINITY}, {-INFINITY, 0.0, 0.0, 1.0}};
    assert_true(tw_eigen_work(2) <= sizeof work / sizeof work[0]);
    for (size_t i = 0; i < 3; i++) assert_false(tw_eigen_symmetric(2, bad[i], 2, values, work));
    assert_true(tw_eigen_symmetric(0, NULL, 1, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_vectors_are_those_of_the_matrix),
        cmocka_unit_test(what_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
