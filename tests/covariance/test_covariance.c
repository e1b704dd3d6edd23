/* Gram and cross-covariance matrices against their definition; what is refused, and how. */
#include "talweg/covariance.h"

#include <math.h>
#include <string.h>

#include "support/problem.h"
#include "support/support.h"

enum { N = 50, M = 13, D = 3, LDX = 53, LDK = 57 };

static double shape(const char *kernel, double d2)
{
    double d = sqrt(d2);
    if (strcmp(kernel, "se") == 0) return exp(-0.5 * d2);
    if (strcmp(kernel, "matern12") == 0) return exp(-d);
    if (strcmp(kernel, "matern32") == 0) return (1 + sqrt(3) * d) * exp(-sqrt(3) * d);
    return (1 + sqrt(5) * d + 5 * d2 / 3) * exp(-sqrt(5) * d);
}

static double by_definition(const tw_covariance *c, const double *a, size_t lda, const double *b, size_t ldb)
{
    double d2 = 0.0;
    for (size_t k = 0; k < D; k++) {
        double z = (a[k * lda] - b[k * ldb]) / exp(c->log_ell[c->scales == 1 ? 0 : k]);
        d2 += z * z;
    }
    return exp(2 * c->log_sigma) * shape(c->kernel, d2) + c->constant;
}

static void make_inputs(size_t n, uint64_t seed, double *x)
{
    test_random random = {seed};
    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < n; i++) x[i + k * LDX] = 7.0 + test_normal(&random);
}

static void matrices_follow_their_definition(void **state)
{
    (void)state;
    static double x[LDX * D], z[LDX * D], k[LDK * N];
    const double log_ell[D] = {0.3, -0.2, 0.9};
    const char *const kernels[] = {"se", "matern12", "matern32", "matern52"};
    tw_context *ctx = new_context();
    make_inputs(N, 1, x);
    make_inputs(M, 2, z);
    for (size_t d = 0; d < D; d++) x[4 + d * LDX] = x[9 + d * LDX] = z[2 + d * LDX]; /* duplicates */
    for (size_t trial = 0; trial < 8; trial++) {
        tw_covariance c = {kernels[trial % 4], trial < 4 ? 1 : D, log_ell, 0.7, 0.25, 0.04};
        assert_int_equal(tw_covariance_gram(ctx, &c, N, D, x, LDX, k, LDK), TW_OK);
        /* d2 has an absolute error of a few eps |x|^2, which sqrt magnifies near d = 0. */
        double tolerance = trial % 4 == 0 ? 1e-13 : 1e-6;
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++) {
                double expected = by_definition(&c, x + i, LDX, x + j, LDX) + (i == j ? c.white : 0.0);
                assert_close(k[i + j * LDK], expected, tolerance, c.kernel);
                assert_true(k[i + j * LDK] == k[j + i * LDK]); /* to the bit */
            }
        assert_true(k[3 + 3 * LDK] == tw_covariance_variance(&c));
        assert_int_equal(tw_covariance_cross(ctx, &c, N, D, x, LDX, M, z, LDX, k, LDK), TW_OK);
        for (size_t j = 0; j < M; j++)
            for (size_t i = 0; i < N; i++)
                assert_close(k[i + j * LDK], by_definition(&c, x + i, LDX, z + j, LDX), tolerance, "cross");
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* More inputs than a kernel is evaluated for together. */
static void large_matrices_follow_their_definition(void **state)
{
    (void)state;
    enum { MANY = 600 };
    static double x[MANY], k[MANY * MANY];
    const double log_ell = 0.3;
    const char *const kernels[] = {"se", "matern12", "matern32", "matern52"};
    tw_context *ctx = new_context();
    for (size_t i = 0; i < MANY; i++) x[i] = 0.01 * (double)(i * i % 997);
    for (size_t trial = 0; trial < 4; trial++) {
        tw_covariance c = {kernels[trial], 1, &log_ell, 0.7, 0.25, 0.0};
        assert_int_equal(tw_covariance_gram(ctx, &c, MANY, 1, x, MANY, k, MANY), TW_OK);
        for (size_t j = 0; j < MANY; j++)
            for (size_t i = 0; i < MANY; i += 7) {
                double distance = fabs(x[i] - x[j]) / exp(log_ell);
                assert_close(k[i + j * MANY], exp(1.4) * shape(c.kernel, distance * distance) + 0.25, 1e-6,
                             c.kernel);
            }
    }
    tw_context_free(ctx);
}

/* Inputs far from the origin: without centring, d2 would be off by eps 1e16. */
static void centring_saves_distances_far_from_the_origin(void **state)
{
    (void)state;
    const double x[3] = {1e8, 1e8 + 1, 1e8 + 3}, log_ell = 0.0;
    double k[9];
    tw_covariance c = {"se", 1, &log_ell, 0.0, 0.0, 0.0};
    tw_context *ctx = new_context();
    assert_int_equal(tw_covariance_gram(ctx, &c, 3, 1, x, 3, k, 3), TW_OK);
    assert_close(k[1], exp(-0.5), 1e-12, "distance 1");
    assert_close(k[2], exp(-4.5), 1e-12, "distance 3");
    tw_context_free(ctx);
}

static void bad_parameters_are_named(void **state)
{
    (void)state;
    const double log_ell[2] = {0.0, NAN};
    tw_context *ctx = new_context();
    const struct {
        tw_covariance c;
        const char *says;
    } bad[] = {
        {{"cubic", 1, log_ell, 0, 0, 0}, "no kernel \"cubic\"; there are: se"},
        {{"se", 2, log_ell, 0, 0, 0}, "2 length scales were given for 3 inputs"},
        {{"se", 1, log_ell + 1, 0, 0, 0}, "log ell must be a number"},
        {{"se", 1, log_ell, 1e4, 0, 0}, "log sigma must be a number between -300 and 300, not 10000"},
        {{"se", 1, log_ell, 0, -1, 0}, "variances must be >= 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tw_covariance_check(ctx, &bad[i].c, 3), TW_BAD_ARGUMENT);
        assert_non_null(strstr(tw_context_message(ctx), bad[i].says));
    }
    tw_context_free(ctx);
}

static void given_matrices_are_checked(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double rounding[4] = {1.0, 0.5, 0.5 + 1e-13, 2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, rounding, 2), TW_OK);
    assert_true(rounding[1] == rounding[2]);
    /* Rounding is relative to the variances, small ones and large ones. */
    double large[4] = {1e12, 5e11, 5e11 + 1e-2, 1e12}, small[4] = {1e-12, 5e-13, 4e-13, 1e-12};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, large, 2), TW_OK);
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, small, 2), TW_BAD_DATA);
    double asymmetric[4] = {1.0, 0.5, 0.4, 2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, asymmetric, 2), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "not symmetric: row 2, column 1 is 0.5"));
    assert_non_null(strstr(tw_context_message(ctx), "row 1, column 2 is 0.40000000000000002"));
    double negative[4] = {1.0, 0.5, 0.5, -2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, negative, 2), TW_NOT_POSITIVE_DEFINITE);
    double nan[4] = {1.0, 0.5, NAN, 2.0};
    assert_int_equal(tw_covariance_check_matrix(ctx, 2, nan, 2), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "row 1, column 2"));
    tw_context_free(ctx);
}

/* With a leading dimension; the original stays as it is. */
static void a_copy_of_a_matrix_is_checked(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double from[6] = {1.0, 0.5, -7.0, 0.5 + 1e-13, 2.0, -7.0}, *copy = NULL;
    assert_int_equal(tw_covariance_copy_matrix(ctx, 2, from, 3, &copy), TW_OK);
    assert_true(copy[0] == 1.0 && copy[3] == 2.0 && copy[1] == copy[2] && from[1] != from[3]);
    assert_close(copy[1], 0.5, 1e-13, "an entry");
    tw_covariance_free_matrix(ctx, copy);
    from[1] = 0.4;
    assert_int_equal(tw_covariance_copy_matrix(ctx, 2, from, 3, &copy), TW_BAD_DATA);
    assert_null(copy);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_follow_their_definition),
        cmocka_unit_test(large_matrices_follow_their_definition),
        cmocka_unit_test(centring_saves_distances_far_from_the_origin),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(given_matrices_are_checked),
        cmocka_unit_test(a_copy_of_a_matrix_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
