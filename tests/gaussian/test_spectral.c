/* A Gaussian in the basis of the eigenvectors of its covariance: the covariance is restored, blocks of
 * vectors are transformed there and back, and rounding errors count as zero variance. */
#include <math.h>
#include <stdlib.h>

#include "gaussian/dense.h"
#include "gaussian/spectral.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 12, COLUMNS = 3 };

static tw_gaussian *gaussian_of(tw_context *ctx, const double *k)
{
    tw_gaussian *g = NULL;
    tw_gaussian_report report;
    assert_int_equal(tw_gaussian_dense_new(ctx, N, k, N, &g), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(g, 0.0, &report), TW_OK);
    return g;
}

/* A x = Q diag(s) Q' x, against the product that the Gaussian itself has; and Q Q' x = x. */
static void the_covariance_comes_back(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    test_problem *p = test_problem_new(N, 5, 100.0);
    tw_gaussian *g = gaussian_of(ctx, p->k);
    tw_spectral *s = NULL;
    double x[N * COLUMNS], z[N * COLUMNS], back[N * COLUMNS], want[N * COLUMNS];
    test_random random = {3};
    test_normals(&random, N * COLUMNS, x);
    assert_int_equal(tw_spectral_new(g, &s), TW_OK);
    tw_gaussian_multiply(g, COLUMNS, x, want);
    tw_gaussian_free(g);
    tw_spectral_pull_back(s, COLUMNS, x, z);
    tw_spectral_spread(s, COLUMNS, z, back);
    for (size_t i = 0; i < (size_t)N * COLUMNS; i++) assert_close(back[i], x[i], 1e-13, "there and back");
    for (size_t i = 0; i < (size_t)N * COLUMNS; i++) z[i] *= s->values[i % N];
    tw_spectral_spread(s, COLUMNS, z, back);
    for (size_t i = 0; i < (size_t)N * COLUMNS; i++) assert_close(back[i], want[i], 1e-11, "product with A");
    tw_spectral_free(s);
    test_problem_free(p);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* 11' + 1e-3 ee' has two variances, and N - 2 eigenvalues of rounding error. */
static void rounding_errors_are_no_variances(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double k[N * N];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) k[i + j * N] = 1.0 + 1e-3 * cos((double)i) * cos((double)j);
    tw_gaussian *g = gaussian_of(ctx, k);
    tw_spectral *s = NULL;
    assert_int_equal(tw_spectral_new(g, &s), TW_OK);
    for (size_t i = 0; i < N; i++) assert_true((s->values[i] > 0.0) == (i >= N - 2));
    tw_spectral_free(s);
    tw_gaussian_free(g);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_covariance_comes_back),
                                       cmocka_unit_test(rounding_errors_are_no_variances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
