/* sum W dK/dtheta against central differences of sum W K, for every shape and for expressions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "covariance/shape.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 150, D = 3, LDW = 152, MOST = 16 }; /* more columns than two blocks have */

typedef struct contraction {
    tw_context *ctx;
    double x[N * D], w[LDW * N], k[N * N];
} contraction;

/* Only the lower triangle of W is a number. */
static void make(contraction *c)
{
    test_random random = {11};
    c->ctx = new_context();
    test_normals(&random, (size_t)N * D, c->x);
    for (size_t i = 0; i < N; i += 4) c->x[i + N] = (double)(i % 3); /* some cases are of one category */
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < LDW; i++) c->w[i + j * LDW] = i < N && i >= j ? test_normal(&random) : NAN;
}

static double weighted_sum(contraction *c, const tw_kernel *kernel)
{
    double sum = 0.0;
    assert_int_equal(tw_kernel_gram(kernel, N, D, c->x, N, c->k, N), TW_OK);
    for (size_t j = 0; j < N; j++) {
        sum += c->w[j + j * LDW] * c->k[j + j * N];
        for (size_t i = j + 1; i < N; i++) sum += 2.0 * c->w[i + j * LDW] * c->k[i + j * N];
    }
    return sum;
}

/* Central differences of fourth order, (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / (12 h): with h = 1e-3 wrong by about h^4 / 30 of the
 * fifth derivative, and by eps/h of the terms (N^2 of them, of random sign). */
static void compare(contraction *c, const char *expression)
{
    double gradient[MOST], theta[MOST];
    const double h = 1e-3;
    tw_kernel *kernel = NULL;
    assert_int_equal(tw_kernel_parse(c->ctx, expression, D, &kernel), TW_OK);
    size_t count = tw_kernel_count(kernel);
    assert_true(count <= MOST);
    assert_int_equal(tw_kernel_contract(kernel, N, D, c->x, N, c->w, LDW, gradient), TW_OK);
    memcpy(theta, tw_kernel_theta(kernel), count * sizeof *theta);
    for (size_t j = 0; j < count; j++) {
        double start = theta[j], side[4];
        for (int s = 0; s < 4; s++) {
            static const double steps[4] = {-2.0, -1.0, 1.0, 2.0};
            theta[j] = start + steps[s] * h;
            assert_int_equal(tw_kernel_set_theta(kernel, theta), TW_OK);
            side[s] = weighted_sum(c, kernel);
        }
        theta[j] = start;
        double expected = (8.0 * (side[2] - side[1]) - (side[3] - side[0])) / (12.0 * h);
        if (!(fabs(gradient[j] - expected) <= 1e-6 * (1.0 + fabs(expected))))
            fail_msg("%s: %s: %.12g, and by differences %.12g", expression,
                     tw_kernel_parameter(kernel, j)->name, gradient[j], expected);
    }
    tw_kernel_free(kernel);
}

static void every_shape_has_its_gradient(void **state)
{
    (void)state;
    static contraction c;
    char expression[200];
    make(&c);
    for (const char *name = tw_shape_names(); *name; name += strspn(name, ", ")) {
        int length = (int)strcspn(name, ",");
        snprintf(expression, sizeof expression, "%.*s(ell=1.3, sigma=0.8)", length, name);
        compare(&c, expression);
        snprintf(expression, sizeof expression, "%.*s(ell=(0.7, 1.3, 2.1), sigma=1.2)", length, name);
        compare(&c, expression);
        name += length;
    }
    assert_int_equal(tw_context_bytes_in_use(c.ctx), 0);
    tw_context_free(c.ctx);
}

static void expressions_have_theirs(void **state)
{
    (void)state;
    static const char *const expressions[] = {
        "constant(variance=0.3)",
        "white(variance=0.3)",
        "se(ell=1.3) + constant(variance=0.5) + white(variance=0.1)",
        "se(ell=1.3) + matern32(ell=0.8, sigma=2) + matern52(ard)",
        "se(ell=1.3) * matern32(ell=0.8)",
        "2 * se(ell=1.3) * (matern32(ell=0.8) + constant(variance=0.5)) * matern12(ell=3)",
        "(se(ell=1.3) + white(variance=0.2)) * (constant + 0.5 * (matern52(ell=(1, 2, 3)) + white))",
        "white * se + 3",
        "se(2, ell=1.3) + matern32(1, 3, ard) + rq(3, ell=0.7, alpha=2)",
        "rq(ell=(0.7, 1.3, 2.1), alpha=0.5) * matern12(3)",
        "periodic(period=1.7, ell=0.9, sigma=1.2)",
        "periodic(period=(1.7, 2.2, 3.1), ell=(0.6, 1, 2))",
        "periodic(1, period=2) * se(1, ell=3) + periodic(3, 2, ard, ell=2)",
        "cosine(period=5, sigma=0.7)",
        "cosine(3, 1, period=(4, 6)) * rq",
        "linear(sigma=0.7) + linear(3, 2, ell=(1, 2))",
        "polynomial(degree=3, offset=0.5, sigma=0.2)",
        "polynomial(1, 2, ard, degree=2) + polynomial(3, degree=1) * se(1)",
        "se(1, ell=2) + matern32(2, 3) * periodic(1, period=1.5) + linear(3) + constant + white",
        "categorical(2, sigma=1.3) * matern32(1) + categorical(2, 3) + linear(1) * categorical(3)",
    };
    static contraction c;
    make(&c);
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) compare(&c, expressions[i]);
    assert_int_equal(tw_context_bytes_in_use(c.ctx), 0);
    tw_context_free(c.ctx);
}

/* Cases at one place, where the slope of a rough kernel is infinite: what is there adds nothing. */
static void duplicates_do_no_harm(void **state)
{
    (void)state;
    static contraction c;
    make(&c);
    for (size_t k = 0; k < D; k++) c.x[7 + k * N] = c.x[3 + k * N];
    compare(&c, "matern12(ell=1.3)");
    compare(&c, "matern12(ell=(1.1, 1.2, 1.3))");
    tw_context_free(c.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_has_its_gradient),
        cmocka_unit_test(expressions_have_theirs),
        cmocka_unit_test(duplicates_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
