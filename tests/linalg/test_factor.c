/* Factors of covariances: full rank, rank deficient, indefinite, jittered, conditioned, mixed. */
#include "linalg/factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/product.h"
#include "linalg/vector.h"
#include "support/support.h"

enum { N = 150 }; /* more than two blocks of the blocked solves */

/* A squared-exponential Gram matrix of N points on [0, 1]: for ell = 1 its spectrum falls below rounding
 * error after about a dozen eigenvalues; `white` is added to the diagonal. */
static void smooth_matrix(double ell, double white, double *a)
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            double d = ((double)i - (double)j) / N / ell;
            a[i + j * N] = 9.0 * exp(-0.5 * d * d) + (i == j ? white : 0.0);
        }
}

static double largest_difference(size_t n, const double *a, const double *b)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void check_products_and_solves(const tw_factor *f, const double *a)
{
    static double v[N * 5], x[N * 5], back[N * 5], product[N * N];
    size_t r = f->rank;
    tw_factor_product(f, product, N);
    assert_true(largest_difference(N * N, product, a) < 1e-12);
    for (size_t i = 0; i < r * 5; i++) v[i] = sin(2.3 * (double)i + 1.0);
    tw_factor_multiply(f, 5, v, r, x, N);
    tw_factor_solve(f, 5, x, N, NULL, back, r);
    /* The solve has the conditioning of L; the check is on what it stands for, L back = x. */
    static double again[N * 5];
    tw_factor_multiply(f, 5, back, r, again, N);
    assert_true(largest_difference(N * 5, again, x) < 1e-9);
    for (size_t j = 0; j < 5; j++) {
        tw_factor_multiply(f, 1, v + j * r, r, again, N);
        assert_true(largest_difference(N, again, x + j * N) < 1e-13);
    }
    tw_factor_multiply_transposed(f, 5, x, N, back, r);
    for (size_t j = 0; j < 5; j++) {
        /* v' (L' x) = (L v)' x */
        double left = tw_dot(r, v + j * r, back + j * r), right = tw_dot(N, x + j * N, x + j * N);
        assert_close(left, right, 1e-11 * right, "adjoint product");
        tw_factor_multiply_transposed(f, 1, x + j * N, N, again, r);
        assert_true(largest_difference(r, again, back + j * r) < 1e-12);
    }
}

static void a_regular_matrix_gets_a_triangular_factor(void **state)
{
    (void)state;
    static double a[N * N];
    tw_context *ctx = new_context();
    tw_factor *f;
    tw_factor_report report;
    smooth_matrix(0.05, 0.01, a);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &f, &report), TW_OK);
    assert_null(f->pivot);
    assert_int_equal(report.rank, N);
    assert_int_equal(report.failed.pivot, 0);
    assert_true(report.jitter == 0.0 && report.log_det_change == 0.0);
    check_products_and_solves(f, a);
    tw_factor_free(f);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void a_singular_matrix_gets_its_rank_and_no_jitter(void **state)
{
    (void)state;
    static double a[N * N];
    tw_context *ctx = new_context();
    tw_factor *f;
    tw_factor_report report;
    smooth_matrix(1.0, 0.0, a);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &f, &report), TW_OK);
    assert_non_null(f->pivot);
    assert_true(report.rank >= 6 && report.rank <= 16);
    assert_true(report.failed.pivot > 1 && report.residual < 10 * N * DBL_EPSILON * 9.0);
    assert_true(report.jitter == 0.0);
    check_products_and_solves(f, a);
    tw_factor_free(f);
    tw_context_free(ctx);
}

/* A = u u' + 4 w w' with orthogonal u, w of norm 1: the pseudo-determinant is 4. */
static void the_pseudo_determinant_is_that_of_the_range(void **state)
{
    (void)state;
    const double u[4] = {0.5, 0.5, 0.5, 0.5}, w[4] = {0.5, -0.5, 0.5, -0.5};
    double a[16];
    tw_context *ctx = new_context();
    tw_factor *f;
    tw_factor_report report;
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < 4; i++) a[i + j * 4] = u[i] * u[j] + 4.0 * w[i] * w[j];
    assert_int_equal(tw_factor_new(ctx, 4, a, 4, 0.0, &f, &report), TW_OK);
    assert_int_equal(f->rank, 2);
    assert_close(f->log_det, log(4.0), 1e-14, "pseudo-determinant");
    tw_factor_free(f);
    tw_context_free(ctx);
}

static void indefinite_matrices_are_refused_with_words(void **state)
{
    (void)state;
    const double swap[4] = {0, 1, 1, 0}, saddle[4] = {1, 2, 2, 1}, negative[4] = {-1, 0, 0, -2};
    const double zero[4] = {0, 0, 0, 0}, nan[4] = {1, NAN, 0, 1};
    const double *const bad[4] = {swap, saddle, negative, zero};
    tw_context *ctx = new_context();
    tw_factor *f;
    tw_factor_report report;
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(tw_factor_new(ctx, 2, bad[k], 2, 0.0, &f, &report), TW_NOT_POSITIVE_DEFINITE);
        assert_null(f);
    }
    assert_int_equal(tw_factor_new(ctx, 2, saddle, 2, 0.0, &f, &report), TW_NOT_POSITIVE_DEFINITE);
    assert_non_null(strstr(tw_context_message(ctx), "smallest eigenvalue is -1"));
    assert_non_null(strstr(tw_context_message(ctx), "pivot 2 of 2"));
    assert_int_equal(tw_factor_new(ctx, 2, nan, 2, 0.0, &f, &report), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "row 2, column 1"));
    assert_int_equal(tw_factor_new(ctx, 2, saddle, 2, -1.0, &f, &report), TW_BAD_ARGUMENT);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The boundary of "indefinite": an eigenvalue of -n eps lambda_max is rounding, of -1e-9 lambda_max is not.
 */
static void rounding_is_told_from_indefinite(void **state)
{
    (void)state;
    static double a[N * N];
    tw_context *ctx = new_context();
    tw_factor *f;
    tw_factor_report report;
    smooth_matrix(1.0, -DBL_EPSILON * N * 9.0, a);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &f, &report), TW_OK);
    tw_factor_free(f);
    smooth_matrix(1.0, -1e-9 * N, a);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &f, &report), TW_NOT_POSITIVE_DEFINITE);
    tw_context_free(ctx);
}

static void jitter_is_reported_with_its_effect(void **state)
{
    (void)state;
    static double a[N * N];
    tw_context *ctx = new_context();
    tw_factor *plain, *f;
    tw_factor_report report;
    smooth_matrix(0.05, 0.01, a);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &plain, &report), TW_OK);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.5, &f, &report), TW_OK);
    assert_true(report.jitter == 0.5);
    assert_close(report.log_det_change, f->log_det - plain->log_det, 1e-12, "change in log|A|");
    assert_true(report.log_det_change > 1.0);
    tw_factor_free(f);
    smooth_matrix(1.0, 0.0, a);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 1e-3, &f, &report), TW_OK);
    assert_true(isnan(report.log_det_change)); /* A itself is singular */
    tw_factor_free(f);
    tw_factor_free(plain);
    tw_context_free(ctx);
}

/* (A^-1 + T)^-1 = A - A T^1/2 (I + T^1/2 A T^1/2)^-1 T^1/2 A, computed densely. */
static void dense_condition(const double *a, const double *t, double *out)
{
    static double b[N * N], v[N * N];
    tw_pivot failed;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            b[i + j * N] = (i == j) + sqrt(t[i] * t[j]) * a[i + j * N];
            v[i + j * N] = sqrt(t[i]) * a[i + j * N];
        }
    assert_true(tw_cholesky_in_place(N, b, N, &failed));
    tw_cholesky_half_solve(N, b, N, false, N, v, N);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) out[i + j * N] = a[i + j * N] - tw_dot(N, v + i * N, v + j * N);
}

/* Above the diagonal there is nothing, then A, which leaves products with L as they were. */
static void check_room(tw_factor *f, const double *a)
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < j; i++) assert_true(f->l[i + j * N] == 0.0);
    tw_factor_fill_room(f);
    const double *room = tw_factor_room(f);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i <= j; i++) assert_close(room[i + j * N], a[i + j * N], 1e-12, "A in the room");
    double x[N], v[N], again[N];
    for (size_t i = 0; i < N; i++) x[i] = sin(2.3 * (double)i);
    tw_factor_multiply_transposed(f, 1, x, N, v, N);
    tw_factor_multiply(f, 1, v, N, again, N);
    for (size_t i = 0; i < N; i++) assert_close(again[i], tw_dot(N, a + i * N, x), 1e-12, "L L' x");
}

static void conditioning_matches_the_dense_formula(void **state)
{
    (void)state;
    static double a[N * N], expected[N * N], product[N * N];
    double t[N], log_det_m;
    tw_context *ctx = new_context();
    for (size_t i = 0; i < N; i++) t[i] = i % 5 == 0 ? 0.0 : 0.3 + 0.05 * (double)i;
    for (int singular = 0; singular < 2; singular++) {
        tw_factor *base, *f;
        tw_factor_report report;
        smooth_matrix(singular ? 1.0 : 0.05, singular ? 0.0 : 0.01, a);
        assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &base, &report), TW_OK);
        assert_int_equal(tw_factor_copy(base, &f), TW_OK);
        assert_true(tw_factor_condition(base, t, f, &log_det_m));
        dense_condition(a, t, expected);
        check_products_and_solves(f, expected);
        tw_factor_product(f, product, N);
        assert_true(largest_difference(N * N, product, expected) < 1e-12);
        assert_close(f->log_det, base->log_det - log_det_m, 1e-12, "log det of the conditioned");
        if (!singular) check_room(f, expected);
        tw_factor_free(base);
        tw_factor_free(f);
    }
    tw_context_free(ctx);
}

/* Where chol(A - V'V) fails: sigma = 160, smooth, sites of precision 1; the factor exists and is accurate:
 * (A^-1 + I)^-1 = I - (A + I)^-1, whose entries are of order 1. */
static void conditioning_survives_where_subtraction_fails(void **state)
{
    (void)state;
    static double a[N * N], dense[N * N], l[N * N], inverse[N * N], product[N * N];
    double t[N], log_det_m;
    tw_context *ctx = new_context();
    tw_factor *base, *f;
    tw_factor_report report;
    tw_pivot failed;
    smooth_matrix(1.0, 0.0, a);
    for (size_t i = 0; i < N * N; i++) a[i] *= 160.0 * 160.0 / 9.0;
    for (size_t i = 0; i < N; i++) t[i] = 1.0;
    dense_condition(a, t, dense);
    assert_false(tw_cholesky(N, dense, N, l, N, &failed)); /* the safeguard is needed */
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &base, &report), TW_OK);
    assert_int_equal(tw_factor_copy(base, &f), TW_OK);
    assert_true(tw_factor_condition(base, t, f, &log_det_m));
    tw_factor_product(f, product, N);
    for (size_t j = 0; j < N; j++) {
        for (size_t i = 0; i < N; i++) inverse[i + j * N] = i == j;
        a[j + j * N] += 1.0;
    }
    assert_true(tw_cholesky(N, a, N, l, N, &failed));
    tw_cholesky_solve(N, l, N, N, inverse, N);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            assert_close(product[i + j * N], (i == j) - inverse[i + j * N], 1e-9, "posterior covariance");
    tw_factor_free(base);
    tw_factor_free(f);
    tw_context_free(ctx);
}

static double *identity(double *a)
{
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) a[i + j * N] = i == j;
    return a;
}

static void mixing_precisions(void **state)
{
    (void)state;
    static double a[N * N], s[N * N], expected[N * N], check[N * N], product[N * N];
    double log_det_m;
    tw_context *ctx = new_context();
    tw_factor *fa, *fs, *f;
    tw_factor_report report;
    tw_pivot failed;
    smooth_matrix(0.05, 0.1, a);
    smooth_matrix(0.02, 0.5, s);
    assert_int_equal(tw_factor_new(ctx, N, a, N, 0.0, &fa, &report), TW_OK);
    assert_int_equal(tw_factor_new(ctx, N, s, N, 0.0, &fs, &report), TW_OK);
    assert_int_equal(tw_factor_copy(fa, &f), TW_OK);
    for (int step = 0; step <= 2; step++) {
        double b = 0.5 * step;
        assert_true(tw_factor_mix(fa, fs, b, f, &log_det_m));
        tw_cholesky_solve(N, fa->l, N, N, identity(expected), N);
        tw_cholesky_solve(N, fs->l, N, N, identity(check), N);
        for (size_t i = 0; i < N * N; i++) expected[i] = b * expected[i] + (1.0 - b) * check[i];
        assert_true(tw_cholesky_in_place(N, expected, N, &failed));
        assert_close(f->log_det, -tw_cholesky_log_det(N, expected, N), 1e-10, "log det of the mixture");
        tw_factor_product(f, check, N);
        tw_cholesky_solve(N, expected, N, N, identity(product), N);
        assert_true(largest_difference(N * N, check, product) < 1e-11);
    }
    tw_factor_free(fa);
    tw_factor_free(fs);
    tw_factor_free(f);
    tw_context_free(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static double a[N * N];
    tw_factor *f;
    tw_factor_report report;
    for (int singular = 0; singular < 2; singular++) {
        smooth_matrix(singular ? 1.0 : 0.05, singular ? 0.0 : 0.1, a);
        for (size_t at = 1;; at++) {
            failing_allocator allocator = {.fail_at = at};
            tw_context *ctx = failing_context(&allocator);
            tw_status status = tw_factor_new(ctx, N, a, N, singular ? 0.0 : 0.1, &f, &report);
            if (status == TW_OK) tw_factor_free(f);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            tw_context_free(ctx);
            if (status == TW_OK) break;
            assert_int_equal(status, TW_NO_MEMORY);
            assert_true(at < 20);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_regular_matrix_gets_a_triangular_factor),
        cmocka_unit_test(a_singular_matrix_gets_its_rank_and_no_jitter),
        cmocka_unit_test(the_pseudo_determinant_is_that_of_the_range),
        cmocka_unit_test(indefinite_matrices_are_refused_with_words),
        cmocka_unit_test(rounding_is_told_from_indefinite),
        cmocka_unit_test(jitter_is_reported_with_its_effect),
        cmocka_unit_test(conditioning_matches_the_dense_formula),
        cmocka_unit_test(conditioning_survives_where_subtraction_fails),
        cmocka_unit_test(mixing_precisions),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
