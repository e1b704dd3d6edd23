/* problem.c: random problems with a bounded condition number; see problem.h. K = sigma^2 (R + w I), with R
 * the squared-exponential kernel (length scale 1) of points scattered over a square, and sigma^2 = 2. R is
 * positive semidefinite, and its largest eigenvalue is at most its largest row sum r, so w = r / (cond - 1)
 * makes cond(K) <= (r + w) / w = cond. */
#include "support/problem.h"

#include <math.h>
#include <stdlib.h>

#include "support/support.h"

static uint64_t next_bits(test_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double test_uniform(test_random *random)
{
    return ((double)(next_bits(random) >> 11) + 0.5) * 0x1p-53;
}

double test_normal(test_random *random) /* Box and Muller */
{
    double radius = sqrt(-2 * log(test_uniform(random)));
    return radius * cos(6.28318530717958647693 * test_uniform(random));
}

void test_normals(test_random *random, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = test_normal(random);
}

void test_uniforms(test_random *random, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) out[i] = test_uniform(random);
}

static double *doubles(size_t count)
{
    double *memory = calloc(count, sizeof(double));
    assert_non_null(memory);
    return memory;
}

/* R, without its diagonal; returns the largest row sum, with a diagonal of one included. */
static double squared_exponential(size_t n, const double *a, const double *b, double *k)
{
    double largest = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 1;
        for (size_t i = 0; i < n; i++) {
            double distance = (a[i] - a[j]) * (a[i] - a[j]) + (b[i] - b[j]) * (b[i] - b[j]);
            k[i + j * n] = i == j ? 0 : exp(-0.5 * distance);
            sum += k[i + j * n];
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

static void fill_kernel(test_random *random, size_t n, double cond, double *k)
{
    const double sigma2 = 2;
    double *a = doubles(n), *b = doubles(n);
    for (size_t i = 0; i < n; i++) {
        a[i] = 4 * test_uniform(random);
        b[i] = 4 * test_uniform(random);
    }
    double w = squared_exponential(n, a, b, k) / (cond - 1);
    for (size_t i = 0; i < n * n; i++) k[i] *= sigma2;
    for (size_t i = 0; i < n; i++) k[i + i * n] = sigma2 * (1 + w);
    free(b);
    free(a);
}

test_problem *test_problem_new(size_t n, uint64_t seed, double cond)
{
    test_random random = {seed};
    test_problem *problem = calloc(1, sizeof *problem);
    assert_non_null(problem);
    problem->n = n;
    problem->k = doubles(n * n);
    problem->y = doubles(n);
    problem->tau = doubles(n);
    problem->nu = doubles(n);
    fill_kernel(&random, n, cond, problem->k);
    for (size_t i = 0; i < n; i++) {
        problem->y[i] = test_uniform(&random) < 0.5 ? -1 : 1;
        problem->tau[i] = 0.2 + test_uniform(&random);
        problem->nu[i] = test_normal(&random);
    }
    return problem;
}

void test_problem_free(test_problem *problem)
{
    if (!problem) return;
    free(problem->k);
    free(problem->y);
    free(problem->tau);
    free(problem->nu);
    free(problem);
}
