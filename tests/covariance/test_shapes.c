/* Every shape against its formula, its derivative against that of the formula, and its Gram matrices:
 * correct, symmetric, positive definite. Add a row to the table below for a new shape. */
#include <math.h>
#include <string.h>

#include "covariance/shape.h"
#include "linalg/cholesky.h"
#include "support/problem.h"
#include "support/support.h"

static double se(double d2, double own)
{
    (void)own;
    return exp(-0.5 * d2);
}

static double matern12(double d2, double own)
{
    (void)own;
    return exp(-sqrt(d2));
}

static double matern32(double d2, double own)
{
    (void)own;
    double r = sqrt(3.0 * d2);
    return (1.0 + r) * exp(-r);
}

static double matern52(double d2, double own)
{
    (void)own;
    double r = sqrt(5.0 * d2);
    return (1.0 + r + r * r / 3.0) * exp(-r);
}

static double rq(double d2, double alpha)
{
    return pow(1.0 + d2 / (2.0 * alpha), -alpha);
}

/* own: the value of a parameter of the shape's own, where it has one */
static const struct {
    const char *name, *alias;
    double (*g)(double d2, double own);
} shapes[] = {
    {"se", "rbf", se},
    {"matern12", NULL, matern12},
    {"matern32", NULL, matern32},
    {"matern52", NULL, matern52},
    {"rq", NULL, rq},
    {"ar1", NULL, matern12},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void every_name_has_a_shape(void **state)
{
    (void)state;
    char names[256] = "";
    for (size_t i = 0; i < SHAPES; i++) {
        const tw_shape *shape = tw_shape_find(shapes[i].name, strlen(shapes[i].name));
        assert_non_null(shape);
        assert_string_equal(shape->name, shapes[i].name);
        if (shapes[i].alias) assert_ptr_equal(tw_shape_find(shapes[i].alias, strlen(shapes[i].alias)), shape);
        if (i) strcat(names, ", ");
        strcat(names, shapes[i].name);
    }
    assert_string_equal(tw_shape_names(), names); /* all of them are in the table above */
    assert_null(tw_shape_find("s", 1));
    assert_null(tw_shape_find("see", 3));
}

/* Central differences: their error is about h^2/6 times the third derivative, and eps/h. */
static void assert_slope(size_t s, double slope, double difference, double h)
{
    assert_close(slope, 2.5 * difference / (2.0 * h), 1e-7 * fabs(slope) + 1e-11, shapes[s].name);
}

/* More distances than a kernel is evaluated for together, in place and not. */
static void values_and_slopes_follow_their_formulas(void **state)
{
    (void)state;
    enum { MANY = 600 };
    static double d2[MANY], k[MANY], same[MANY], slope[MANY];
    const double own = 1.7;
    for (size_t i = 0; i < MANY; i++) d2[i] = same[i] = 0.02 * (double)i;
    for (size_t s = 0; s < SHAPES; s++) {
        const tw_shape *shape = tw_shape_find(shapes[s].name, strlen(shapes[s].name));
        memcpy(same, d2, sizeof d2);
        shape->value(MANY, 2.5, own, d2, k);
        shape->value(MANY, 2.5, own, same, same);
        assert_memory_equal(k, same, sizeof k);
        shape->slope(MANY, own, d2, k, slope);
        shape->slope(MANY, own, d2, same, same);
        assert_memory_equal(slope, same, sizeof slope);
        assert_true(k[0] == 2.5 && isfinite(slope[0]));
        for (size_t i = 1; i < MANY; i++) {
            double h = 1e-4 * d2[i];
            assert_close(k[i], 2.5 * shapes[s].g(d2[i], own), 1e-14, shapes[s].name);
            assert_slope(s, slope[i], shapes[s].g(d2[i] + h, own) - shapes[s].g(d2[i] - h, own), h);
        }
        assert_true((shape->own[0] != '\0') == (shape->own_slope != NULL));
        if (shape->own_slope) shape->own_slope(MANY, own, d2, k, slope);
        for (size_t i = 0; shape->own_slope && i < MANY; i++) {
            const double h = 1e-4, up = own * exp(h), down = own * exp(-h);
            assert_slope(s, slope[i], shapes[s].g(d2[i], up) - shapes[s].g(d2[i], down), h);
        }
    }
}

/* 40 inputs in 3 dimensions, no two of them close. */
static void gram_matrices_follow_their_definition(void **state)
{
    (void)state;
    enum { N = 40, D = 3 };
    double x[N * D], k[N * N], l[N * N];
    tw_context *ctx = new_context();
    test_random random = {3};
    tw_pivot failed;
    for (size_t i = 0; i < (size_t)N * D; i++) x[i] = (double)(i % N) / 8.0 + test_uniform(&random);
    for (size_t s = 0; s < SHAPES; s++) {
        tw_kernel *kernel = new_kernel(ctx, shapes[s].name);
        assert_int_equal(tw_kernel_gram(kernel, N, D, x, N, k, N), TW_OK);
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++) {
                double d2 = 0.0;
                for (size_t c = 0; c < D; c++) d2 += pow(x[i + c * N] - x[j + c * N], 2.0);
                assert_close(k[i + j * N], shapes[s].g(d2, 1.0), 1e-12, shapes[s].name);
                assert_true(k[i + j * N] == k[j + i * N]);
            }
        assert_true(tw_cholesky(N, k, N, l, N, &failed));
        tw_kernel_free(kernel);
    }
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_has_a_shape),
        cmocka_unit_test(values_and_slopes_follow_their_formulas),
        cmocka_unit_test(gram_matrices_follow_their_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
