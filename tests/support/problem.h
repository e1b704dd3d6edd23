/* problem.h: deterministic test problems for binary classification, and a small random generator.
 *
 * The same (n, seed, cond) gives the same problem on every machine; this code does not use the library's
 * streams.
 */
#ifndef TALWEG_TESTS_PROBLEM_H
#define TALWEG_TESTS_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

/* splitmix64: its state is the seed. */
typedef struct test_random {
    uint64_t state;
} test_random;

double test_uniform(test_random *random); /* in the open interval (0, 1) */
double test_normal(test_random *random);  /* standard normal */
void test_normals(test_random *random, size_t count, double *out);
void test_uniforms(test_random *random, size_t count, double *out);

/* n cases: a kernel matrix with cond(K) <= cond, labels, and sites of a Gaussian q = N(mu, Sigma) with
 * Sigma^-1 = K^-1 + diag(tau) and nu = Sigma^-1 mu. */
typedef struct test_problem {
    size_t n;
    double *k;   /* n x n, column-major, both triangles */
    double *y;   /* -1 or +1 */
    double *tau; /* in (0.2, 1.2) */
    double *nu;  /* standard normal */
} test_problem;

/* cond > 1. The test fails if there is no memory. */
test_problem *test_problem_new(size_t n, uint64_t seed, double cond);
void test_problem_free(test_problem *problem);

#endif
