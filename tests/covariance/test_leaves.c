/* Every leaf and composites, on some or all inputs, against direct evaluation: Gram matrices, covariances
 * with new cases, prior variances. Gram matrices are positive definite up to rounding. */
#include <math.h>
#include <string.h>

#include "linalg/eigen.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/covariance.h"

enum { N = 70, M = 13, D = 3 }; /* more cases than a panel has columns */

/* x is the first of D numbers, `step` apart. */
typedef struct point {
    const double *x;
    size_t step;
} point;

static double at(point a, size_t k)
{
    return a.x[k * a.step];
}

static double turn(point a, point b, size_t k, double period)
{
    return 2.0 * acos(-1.0) * (at(a, k) - at(b, k)) / period;
}

static double square(double x)
{
    return x * x;
}

static double d2_of(point a, point b, size_t first, size_t count, double ell)
{
    double sum = 0.0;
    for (size_t k = first; k < first + count; k++) sum += square((at(a, k) - at(b, k)) / ell);
    return sum;
}

static double dot(point a, point b, size_t first, size_t count)
{
    double sum = 0.0;
    for (size_t k = first; k < first + count; k++) sum += at(a, k) * at(b, k);
    return sum;
}

static double se_of_one(point a, point b)
{
    return 2.25 * exp(-0.5 * d2_of(a, b, 1, 1, 2.0));
}

static double rq_of_two(point a, point b)
{
    return pow(1.0 + d2_of(a, b, 0, 2, 0.5) / 6.0, -3.0);
}

static double periodic_of_all(point a, point b)
{
    double sum = 0.0;
    for (size_t k = 0; k < D; k++) sum += square(sin(0.5 * turn(a, b, k, 1.7))) / square(0.8);
    return 4.0 * exp(-2.0 * sum);
}

static double periodic_of_its_own(point a, point b)
{
    return exp(-2.0 * (square(sin(0.5 * turn(a, b, 2, 1.5))) + square(sin(0.5 * turn(a, b, 0, 2.5)) / 3.0)));
}

static double cosine_of_two(point a, point b)
{
    return 0.25 * cos(turn(a, b, 0, 3.0)) * cos(turn(a, b, 2, 3.0));
}

static double linear_of_all(point a, point b)
{
    return 0.49 * dot(a, b, 0, D);
}

static double linear_with_lengths(point a, point b)
{
    return at(a, 2) * at(b, 2) / 4.0 + at(a, 1) * at(b, 1) / 9.0;
}

static double polynomial_of_two(point a, point b)
{
    return 0.04 * pow(0.5 + dot(a, b, 0, 2), 3.0);
}

static double category_of_one(point a, point b)
{
    return at(a, 1) == at(b, 1) ? 1.69 : 0.0;
}

/* ---- composites ---- */

static double seasons(point a, point b)
{
    double season = square(sin(0.5 * turn(a, b, 0, 1.0)));
    return exp(-2.0 * season) * exp(-0.5 * d2_of(a, b, 0, 1, 4.0)) + linear_of_all(a, b) + 0.5;
}

static double groups(point a, point b)
{
    double r = sqrt(3.0 * d2_of(a, b, 0, 1, 1.0));
    return category_of_one(a, b) * (1.0 + r) * exp(-r) + exp(-sqrt(d2_of(a, b, 2, 1, 2.0)));
}

static double bracket(point a, point b)
{
    return 2.0 * (se_of_one(a, b) + linear_of_all(a, b)) * (1.0 + cos(turn(a, b, 1, 7.0)));
}

static const struct {
    const char *expression;
    double (*k)(point a, point b);
} all[] = {
    {"se(2, ell=2, sigma=1.5)", se_of_one},
    {"rq(1, 2, ell=0.5, alpha=3)", rq_of_two},
    {"periodic(period=1.7, ell=0.8, sigma=2)", periodic_of_all},
    {"periodic(3, 1, period=(1.5, 2.5), ell=(1, 3))", periodic_of_its_own},
    {"cosine(1, 3, period=3, sigma=0.5)", cosine_of_two},
    {"linear(sigma=0.7)", linear_of_all},
    {"linear(3, 2, ell=(2, 3))", linear_with_lengths},
    {"polynomial(1, 2, degree=3, sigma=0.2, offset=0.5)", polynomial_of_two},
    {"categorical(2, sigma=1.3)", category_of_one},
    {"periodic(1) * se(1, ell=4) + linear(sigma=0.7) + constant(variance=0.5)", seasons},
    {"categorical(2, sigma=1.3) * matern32(1) + matern12(3, ell=2)", groups},
    {"2 * (se(2, ell=2, sigma=1.5) + linear(sigma=0.7)) * (constant + cosine(2, period=7))", bracket},
};

typedef struct inputs {
    double x[N * D], z[M * D];
} inputs;

/* The second input is one of three categories, too. */
static void make(inputs *in)
{
    test_random random = {17};
    test_normals(&random, (size_t)N * D, in->x);
    test_normals(&random, (size_t)M * D, in->z);
    for (size_t i = 0; i < N; i++) in->x[i + N] = (double)(i % 3);
    for (size_t i = 0; i < M; i++) in->z[i + M] = (double)(i % 4);
}

static void leaves_follow_their_definitions(void **state)
{
    (void)state;
    static inputs in;
    static double gram[N * N], cross[N * M], diagonal[M];
    tw_context *ctx = new_context();
    make(&in);
    for (size_t e = 0; e < sizeof all / sizeof *all; e++) {
        tw_kernel *kernel = new_kernel(ctx, all[e].expression);
        assert_int_equal(tw_kernel_gram(kernel, N, D, in.x, N, gram, N), TW_OK);
        assert_int_equal(tw_kernel_cross(kernel, N, D, in.x, N, M, in.z, M, cross, N), TW_OK);
        assert_int_equal(tw_kernel_diagonal(kernel, M, D, in.z, M, diagonal), TW_OK);
        for (size_t i = 0; i < N; i++) {
            point a = {in.x + i, N};
            double scale = 1.0 + all[e].k(a, a);
            for (size_t j = 0; j < N; j++)
                assert_close(gram[i + j * N], all[e].k(a, (point){in.x + j, N}), 1e-12 * scale,
                             all[e].expression);
            for (size_t j = 0; j < M; j++)
                assert_close(cross[i + j * N], all[e].k(a, (point){in.z + j, M}), 1e-12 * scale,
                             all[e].expression);
        }
        for (size_t j = 0; j < M; j++) {
            point a = {in.z + j, M};
            assert_close(diagonal[j], all[e].k(a, a), 1e-12 * (1.0 + diagonal[j]), all[e].expression);
        }
        tw_kernel_free(kernel);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The smallest eigenvalue is not negative, but for the rounding of N eigenvalues and of d2. */
static void gram_matrices_are_positive_definite(void **state)
{
    (void)state;
    static inputs in;
    static double gram[N * N], values[N];
    double *work = NULL;
    tw_context *ctx = new_context();
    assert_int_equal(tw_allocate_doubles(ctx, tw_eigen_work(N), 1, "work", &work), TW_OK);
    make(&in);
    for (size_t e = 0; e < sizeof all / sizeof *all; e++) {
        tw_kernel *kernel = new_kernel(ctx, all[e].expression);
        assert_int_equal(tw_kernel_gram(kernel, N, D, in.x, N, gram, N), TW_OK);
        assert_true(tw_eigen_symmetric(N, gram, N, values, work));
        if (!(values[0] > -1e-14 * N * values[N - 1]))
            fail_msg("%s: eigenvalues from %g to %g", all[e].expression, values[0], values[N - 1]);
        tw_kernel_free(kernel);
    }
    tw_release(ctx, work);
    tw_context_free(ctx);
}

/* A period is long forgotten far from 0, and the angle is not. */
static void phases_are_exact_far_away(void **state)
{
    (void)state;
    const double x[2] = {0.25, 1048576.75}; /* half a period apart, of many */
    double k[4];
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "cosine");
    assert_int_equal(tw_kernel_gram(kernel, 2, 1, x, 2, k, 2), TW_OK);
    assert_close(k[1], -1.0, 1e-15, "cosine");
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_follow_their_definitions),
        cmocka_unit_test(gram_matrices_are_positive_definite),
        cmocka_unit_test(phases_are_exact_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
