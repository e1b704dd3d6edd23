/* Gram matrices, cross-covariances and diagonals of expressions against their definition. */
#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 150, M = 70, D = 3, LDX = 153, LDK = 157 };

static double se(double d2)
{
    return exp(-0.5 * d2);
}

static double matern32(double d2)
{
    return (1.0 + sqrt(3.0 * d2)) * exp(-sqrt(3.0 * d2));
}

/* Squared distance with one length for each input. */
static double distance2(const double *a, const double *b, double l0, double l1, double l2)
{
    const double ell[D] = {l0, l1, l2};
    double sum = 0.0;
    for (size_t k = 0; k < D; k++) sum += pow((a[k] - b[k]) / ell[k], 2.0);
    return sum;
}

static double simple(const double *a, const double *b, double same)
{
    return exp(1.4) * se(distance2(a, b, exp(0.3), exp(0.3), exp(0.3))) + 0.25 + 0.04 * same;
}

static double ard(const double *a, const double *b, double same)
{
    return 2.25 * matern32(distance2(a, b, 0.5, 2.0, 1.0)) + 0.04 * same;
}

/* The first two share distances, the third does not. */
static double three(const double *a, const double *b, double same)
{
    (void)same;
    return se(distance2(a, b, 1.0, 1.0, 1.0)) + 4.0 * matern32(distance2(a, b, 3.0, 3.0, 3.0)) +
           se(distance2(a, b, 1.0, 2.0, 3.0));
}

static double product(const double *a, const double *b, double same)
{
    return 4.0 * se(distance2(a, b, 2.0, 2.0, 2.0)) * (matern32(distance2(a, b, 1.0, 1.0, 1.0)) + 0.5) +
           0.1 * same;
}

static double scaled(const double *a, const double *b, double same)
{
    return 3.0 * (9.0 * se(distance2(a, b, 1.0, 1.0, 1.0)) + 0.2 * same) * 0.5 + 2.0;
}

/* White noise of a product: nothing off the diagonal. */
static double damped(const double *a, const double *b, double same)
{
    (void)a, (void)b;
    return 0.7 * same;
}

static const struct {
    const char *expression;
    double (*k)(const double *a, const double *b, double same);
} cases[] = {
    {"se(log_ell=0.3, log_sigma=0.7) + constant(variance=0.25) + white(variance=0.04)", simple},
    {"matern32(sigma=1.5, ell=(0.5, 2, 1)) + white(variance=0.04)", ard},
    {"se + matern32(ell=3, sigma=2) + se(ell=(1, 2, 3))", three},
    {"se(ell=2, sigma=2) * (matern32 + constant(variance=0.5)) + white(variance=0.1)", product},
    {"3 * (rbf(sigma=3) + white(variance=0.2)) * 0.5 + constant(variance=2)", scaled},
    {"white(variance=0.7) * se", damped},
};

/* No two inputs are close: d2 has an absolute error of a few eps |x|^2, which sqrt would magnify. */
static void make_inputs(size_t n, uint64_t seed, double offset, double *x)
{
    test_random random = {seed};
    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < n; i++)
            x[i + k * LDX] =
                offset + 0.1 * (double)(k == 0 ? i : (7 * i + k) % 31) + 0.04 * test_uniform(&random);
}

static double by_definition(size_t c, const double *x, size_t i, const double *z, size_t j, double same)
{
    double a[D], b[D];
    for (size_t k = 0; k < D; k++) {
        a[k] = x[i + k * LDX];
        b[k] = z[j + k * LDX];
    }
    return cases[c].k(a, b, same);
}

static void matrices_follow_their_definition(void **state)
{
    (void)state;
    static double x[LDX * D], z[LDX * D], k[LDK * N], diagonal[N];
    tw_context *ctx = new_context();
    make_inputs(N, 1, 7.0, x);
    make_inputs(M, 2, 7.05, z);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        tw_kernel *kernel = new_kernel(ctx, cases[c].expression);
        assert_int_equal(tw_kernel_gram(kernel, N, D, x, LDX, k, LDK), TW_OK);
        assert_int_equal(tw_kernel_diagonal(kernel, N, D, x, LDX, diagonal), TW_OK);
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++) {
                double expected = by_definition(c, x, i, x, j, i == j);
                assert_close(k[i + j * LDK], expected, 1e-12 * (1.0 + expected), cases[c].expression);
                assert_true(k[i + j * LDK] == k[j + i * LDK]); /* to the bit */
            }
        for (size_t j = 0; j < N; j++) assert_true(k[j + j * LDK] == diagonal[j]);
        assert_int_equal(tw_kernel_cross(kernel, N, D, x, LDX, M, z, LDX, k, LDK), TW_OK);
        for (size_t j = 0; j < M; j++)
            for (size_t i = 0; i < N; i++) {
                double expected = by_definition(c, x, i, z, j, 0.0);
                assert_close(k[i + j * LDK], expected, 1e-12 * (1.0 + expected), cases[c].expression);
            }
        tw_kernel_free(kernel);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void matrices_are_positive_definite(void **state)
{
    (void)state;
    static double x[LDX * D], k[N * N], l[N * N];
    tw_context *ctx = new_context();
    tw_pivot failed;
    make_inputs(N, 4, 0.0, x);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char expression[256] = "white(variance=1e-9) + ";
        strcat(expression, cases[c].expression);
        tw_kernel *kernel = new_kernel(ctx, expression);
        assert_int_equal(tw_kernel_gram(kernel, N, D, x, LDX, k, N), TW_OK);
        assert_true(tw_cholesky(N, k, N, l, N, &failed));
        tw_kernel_free(kernel);
    }
    tw_context_free(ctx);
}

/* Inputs that are the same: k is that of distance 0 but for rounding, which sqrt magnifies, and white noise stays apart. */
static void duplicates_are_other_cases(void **state)
{
    (void)state;
    const double x[4] = {7.1, 7.1, 8.3, 7.1};
    double k[16];
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "matern12(sigma=2) + white(variance=0.5)");
    assert_int_equal(tw_kernel_gram(kernel, 4, 1, x, 4, k, 4), TW_OK);
    assert_true(k[0] == 4.5 && k[5] == 4.5);
    assert_close(k[1], 4.0, 1e-6, "a duplicate");
    assert_int_equal(tw_kernel_cross(kernel, 4, 1, x, 4, 1, x, 4, k, 4), TW_OK);
    assert_close(k[0], 4.0, 1e-6, "a new case at the place of an old one");
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

/* Inputs far from the origin: without centring, d2 would be off by eps 1e16. */
static void centring_saves_distances_far_from_the_origin(void **state)
{
    (void)state;
    const double x[3] = {1e8, 1e8 + 1, 1e8 + 3};
    double k[9];
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "se");
    assert_int_equal(tw_kernel_gram(kernel, 3, 1, x, 3, k, 3), TW_OK);
    assert_close(k[1], exp(-0.5), 1e-12, "distance 1");
    assert_close(k[2], exp(-4.5), 1e-12, "distance 3");
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

/* ---- replicated and nearly replicated places ---- */

enum { PLACES = 12, CASES = 3 * PLACES };

/* Every place three times, the third a little away; the inputs far from the origin. */
static void make_replicates(double offset, double *x)
{
    test_random random = {9};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < PLACES; i++) {
            double place = offset + 4.0 * test_uniform(&random), away = 1e-9 * (1.0 + offset);
            x[i + k * CASES] = x[i + PLACES + k * CASES] = place;
            x[i + 2 * PLACES + k * CASES] = place + away * test_uniform(&random);
        }
}

/* (a_c - b_c)^2 of input c in units of its length, on a circle of this period if that is not 0. */
static long double apart2(const double *x, size_t i, size_t j, size_t c, long double ell, long double period)
{
    static const long double pi = 3.14159265358979323846264338327950288L;
    long double apart = (long double)x[i + c * CASES] - (long double)x[j + c * CASES];
    if (period > 0.0L) apart = 2.0L * sinl(pi * fmodl(apart, period) / period);
    return apart * apart / (ell * ell);
}

static long double matern12_of(const double *x, size_t i, size_t j)
{
    return expl(-sqrtl(apart2(x, i, j, 0, 0.5L, 0.0L) + apart2(x, i, j, 1, 2.0L, 0.0L)));
}

static long double rq_of(const double *x, size_t i, size_t j)
{
    return 1.0L / (1.0L + 0.5L * (apart2(x, i, j, 0, 1e-3L, 0.0L) + apart2(x, i, j, 1, 1e-3L, 0.0L)));
}

static long double periodic_of(const double *x, size_t i, size_t j)
{
    return expl(-0.5L * (apart2(x, i, j, 0, 1e-8L, 1.0L) + apart2(x, i, j, 1, 1e-8L, 1.0L)));
}

static long double product_of(const double *x, size_t i, size_t j)
{
    return matern12_of(x, i, j) * (rq_of(x, i, j) + 0.5L);
}

static const struct {
    const char *expression;
    long double (*k)(const double *x, size_t i, size_t j);
    long double tolerance; /* d2 may be off by 1e-10, cosines and sines of a small ell by eps/ell */
} replicated[] = {
    {"matern12(ell=(0.5, 2))", matern12_of, 1e-11L},
    {"rq(ell=1e-3, alpha=1)", rq_of, 1e-10L},
    {"periodic(ell=1e-8, period=1)", periodic_of, 1e-6L},
    {"matern12(ell=(0.5, 2)) * (rq(ell=1e-3, alpha=1) + constant(variance=0.5))", product_of, 1e-10L},
};

/* Places that are the same have exactly the covariance of distance 0, and near ones that of their distance:
 * |a|^2 + |b|^2 - 2 a'b would be off by 1e-16 |a|^2, of which matern12 takes the root and a small ell
 * the multiple. */
static void near_places_keep_their_distance(void **state)
{
    (void)state;
    static const double offsets[] = {0.0, 5e6, 1e9};
    static double x[CASES * 2], k[CASES * CASES], cross[CASES * CASES];
    tw_context *ctx = new_context();
    for (size_t at = 0; at < 3; at++)
        for (size_t c = 0; c < sizeof replicated / sizeof *replicated; c++) {
            tw_kernel *kernel = new_kernel(ctx, replicated[c].expression);
            make_replicates(offsets[at], x);
            assert_int_equal(tw_kernel_gram(kernel, CASES, 2, x, CASES, k, CASES), TW_OK);
            assert_int_equal(tw_kernel_cross(kernel, CASES, 2, x, CASES, CASES, x, CASES, cross, CASES),
                             TW_OK);
            for (size_t j = 0; j < CASES; j++)
                for (size_t i = 0; i < CASES; i++) {
                    long double expected = replicated[c].k(x, i, j);
                    double found = k[i + j * CASES], across = cross[i + j * CASES];
                    if (i % PLACES == j % PLACES && i < 2 * PLACES && j < 2 * PLACES) {
                        assert_true(found == k[0] && across == k[0]);
                        continue;
                    }
                    assert_close(found, (double)expected, (double)replicated[c].tolerance,
                                 replicated[c].expression);
                    assert_close(across, (double)expected, (double)replicated[c].tolerance,
                                 replicated[c].expression);
                }
            tw_kernel_free(kernel);
        }
    tw_context_free(ctx);
}

/* For near places g'(d2) of matern12 is large, and so would be errors of (a_k - b_k)^2. */
static void gradients_of_near_places_keep_their_digits(void **state)
{
    (void)state;
    static double x[CASES * 2], w[CASES * CASES], gradient[3];
    static const long double ell[2] = {0.5L, 2.0L};
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "matern12(ell=(0.5, 2))");
    long double expected[2] = {0.0L, 0.0L};
    make_replicates(0.0, x);
    for (size_t j = 0; j < CASES; j++)
        for (size_t i = 0; i < CASES; i++) {
            w[i + j * CASES] = i % PLACES == j % PLACES ? 1e6 : 1.0; /* near places dominate */
            long double r = -logl(matern12_of(x, i, j));
            for (size_t c = 0; c < 2 && r > 0.0L; c++)
                expected[c] += w[i + j * CASES] * expl(-r) * apart2(x, i, j, c, ell[c], 0.0L) / r;
        }
    assert_int_equal(tw_kernel_contract(kernel, CASES, 2, x, CASES, w, CASES, gradient), TW_OK);
    for (size_t c = 0; c < 2; c++)
        assert_close(gradient[c], (double)expected[c], 1e-11 * (double)expected[c], "d/dlog ell");
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

static void another_number_of_inputs_is_refused(void **state)
{
    (void)state;
    const double x[6] = {0.0};
    double k[4];
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "constant + se(ell=(1, 2))");
    assert_int_equal(tw_kernel_inputs(kernel), 2);
    assert_int_equal(tw_kernel_gram(kernel, 2, 3, x, 2, k, 2), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "2 length scales were given for 3 inputs"));
    assert_int_equal(tw_kernel_cross(kernel, 2, 3, x, 2, 2, x, 2, k, 2), TW_BAD_ARGUMENT);
    assert_int_equal(tw_kernel_diagonal(kernel, 2, 3, x, 2, k), TW_BAD_ARGUMENT);
    assert_int_equal(tw_kernel_contract(kernel, 2, 3, x, 2, k, 2, k), TW_BAD_ARGUMENT);
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

static tw_status all_matrices(tw_context *ctx)
{
    double x[6] = {0.1, 0.2, 0.5, 0.7, 1.1, 1.9}, k[9] = {0.0}, gradient[8];
    tw_kernel *kernel = NULL, *copy = NULL;
    tw_status status = tw_kernel_parse(ctx, "se(ard) * matern32 + constant + white", 2, &kernel);
    if (status == TW_OK) status = tw_kernel_copy(kernel, &copy);
    if (status == TW_OK) status = tw_kernel_gram(copy, 3, 2, x, 3, k, 3);
    if (status == TW_OK) status = tw_kernel_contract(copy, 3, 2, x, 3, k, 3, gradient);
    if (status == TW_OK) status = tw_kernel_cross(copy, 3, 2, x, 3, 3, x, 3, k, 3);
    if (status == TW_OK) status = tw_kernel_diagonal(copy, 3, 2, x, 3, k);
    tw_kernel_free(copy);
    tw_kernel_free(kernel);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tw_status status = TW_NO_MEMORY;
    size_t failures = 0;
    for (size_t n = 1; status != TW_OK; n++) {
        failing_allocator allocator = {0, n};
        tw_context *ctx = failing_context(&allocator);
        status = all_matrices(ctx);
        assert_true(status == TW_OK || status == TW_NO_MEMORY);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
        failures += status != TW_OK;
    }
    assert_true(failures > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_follow_their_definition),
        cmocka_unit_test(matrices_are_positive_definite),
        cmocka_unit_test(duplicates_are_other_cases),
        cmocka_unit_test(centring_saves_distances_far_from_the_origin),
        cmocka_unit_test(near_places_keep_their_distance),
        cmocka_unit_test(gradients_of_near_places_keep_their_digits),
        cmocka_unit_test(another_number_of_inputs_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
