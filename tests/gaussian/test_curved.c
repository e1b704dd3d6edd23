/* The metric of a dense Gaussian against G = A^-1 + Lambda in long double (support/dense.h), with omitted
 * sites, before and after its factor is replaced by its inverse; and sweeps over the sites. */
#include "gaussian/curved.h"

#include <math.h>
#include <string.h>

#include "gaussian/dense.h"
#include "gaussian/sweep.h"
#include "support/dense.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 80, OUT = 20 }; /* more than one block of a sweep; OUT sites have no curvature */

static const double tolerance = 1e-11; /* cond(K) is at most 50, entries are of order 1 */

typedef struct fixture {
    tw_context *ctx;
    test_problem *problem;
    tw_gaussian *g;
    double lambda[N];
} fixture;

static fixture fixture_new(void)
{
    fixture f = {.ctx = new_context(), .problem = test_problem_new(N, 6, 50)};
    tw_gaussian_report report;
    assert_int_equal(tw_gaussian_dense_new(f.ctx, N, f.problem->k, N, &f.g), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(f.g, 0.0, &report), TW_OK);
    for (size_t i = 0; i < N; i++) f.lambda[i] = i % 4 == 1 ? 0.0 : 5.0 * f.problem->tau[i];
    return f;
}

static void fixture_free(fixture *f)
{
    tw_gaussian_free(f->g);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    test_problem_free(f->problem);
    tw_context_free(f->ctx);
}

/* G^-1 = (A^-1 + Lambda)^-1, without an inverse of A: the covariance of the posterior with sites lambda. */
static void check_metric(const fixture *f, tw_curved *c, const double *g_inverse)
{
    double d[N], y[N], rest[N], exact[N], xdot[N], z[N], product[N], on_sites[N];
    test_random random = {12};
    test_normals(&random, N, d);
    for (size_t i = 0; i < N; i++) on_sites[i] = f->lambda[i] > 0.0 ? d[i] : 0.0;
    tw_curved_respond(c, d, y, rest);
    dense_multiply(N, g_inverse, on_sites, exact);
    for (size_t i = 0; i < N; i++) {
        bool in = f->lambda[i] > 0.0;
        assert_close(y[i], in ? exact[i] : 0.0, tolerance, "G^-1 d");
        assert_close(rest[i], in ? d[i] - f->lambda[i] * exact[i] : 0.0, tolerance, "d - Lambda G^-1 d");
        assert_close(c->root[i], sqrt(f->lambda[i]), 1e-15, "the root");
    }
    /* xdot = g - A z on the sites of the metric, and (I + A Lambda) xdot = g. */
    tw_curved_velocity(c, d, xdot, z);
    dense_multiply(N, f->problem->k, z, product);
    for (size_t i = 0; i < N; i++) {
        assert_close(z[i], f->lambda[i] * xdot[i], tolerance, "z");
        if (f->lambda[i] > 0.0) assert_close(xdot[i], d[i] - product[i], tolerance, "xdot");
    }
    tw_curved_velocity(c, d, NULL, z);
    tw_curved_velocity(c, d, xdot, NULL);
}

static void its_operations_are_those_of_the_dense_matrix(void **state)
{
    (void)state;
    fixture f = fixture_new();
    tw_curved *c = NULL;
    double zero[N] = {0.0}, diagonal[N];
    dense_gaussian exact = dense_posterior(N, f.problem->k, f.lambda, zero);
    assert_int_equal(tw_curved_new(f.g, N - OUT, &c), TW_OK);
    for (int time = 0; time < 2; time++) {
        assert_true(tw_curved_factor(c, f.g, f.lambda, 0.0));
        assert_int_equal(c->active, N - OUT);
        assert_close(-0.5 * c->log_det, exact.log_z, 1e-10, "log |B|");
        check_metric(&f, c, exact.sigma);
        tw_curved_diagonal(c, diagonal);
        check_metric(&f, c, exact.sigma);
        tw_curved_diagonal(c, diagonal);
        for (size_t i = 0; i < N; i++)
            if (f.lambda[i] > 0.0)
                assert_close(diagonal[i], exact.sigma[i + i * N], tolerance, "diagonal");
            else
                assert_true(diagonal[i] == f.g->variance[i]);
    }
    tw_curved_free(c);
    dense_free(&exact);
    fixture_free(&f);
}

/* A new case with covariances k and variance k**: what is left of k** is its variance under the sites' posterior,
 * k** - k'K^-1 k + k'K^-1 Sigma K^-1 k. */
static void it_explains_what_the_posterior_leaves(void **state)
{
    (void)state;
    enum { CASES = 3 };
    fixture f = fixture_new();
    tw_curved *c = NULL;
    double k[N * CASES], weights[N * CASES], explained[CASES], zero[N] = {0.0}, product[N];
    test_random random = {13};
    test_normals(&random, N * CASES, k);
    dense_gaussian exact = dense_posterior(N, f.problem->k, f.lambda, zero);
    dense_solve(N, f.problem->k, CASES, k, weights);
    double before[N * CASES];
    memcpy(before, k, sizeof k);
    assert_int_equal(tw_curved_new(f.g, N, &c), TW_OK);
    assert_true(tw_curved_factor(c, f.g, f.lambda, 0.0));
    tw_curved_explain(c, CASES, k, explained);
    for (size_t j = 0; j < CASES; j++) {
        double expected = 0.0;
        dense_multiply(N, exact.sigma, weights + j * N, product);
        for (size_t i = 0; i < N; i++) expected += weights[i + j * N] * (before[i + j * N] - product[i]);
        assert_close(explained[j], expected, 1e-9, "explained"); /* entries of K^-1 k reach 50 */
    }
    tw_curved_free(c);
    dense_free(&exact);
    fixture_free(&f);
}

/* Conditioning on one site after another by rank-one changes is conditioning on all. */
static void a_sweep_over_all_sites_conditions_on_them(void **state)
{
    (void)state;
    fixture f = fixture_new();
    tw_sweep *s = NULL;
    double zero[N] = {0.0}, column[N], variance[N];
    dense_gaussian exact = dense_posterior(N, f.problem->k, f.lambda, zero);
    assert_true(tw_sweep_possible(f.g));
    assert_int_equal(tw_sweep_new(f.g, &s), TW_OK);
    assert_int_equal(tw_sweep_begin(s), TW_OK);
    for (size_t first = 0; first < N; first += TW_SWEEP_BLOCK) {
        size_t count = N - first < TW_SWEEP_BLOCK ? N - first : TW_SWEEP_BLOCK;
        tw_sweep_open(s, first, count);
        for (size_t i = first; i < first + count; i++) {
            tw_sweep_column(s, i, column);
            assert_close(tw_sweep_variance(s, i), column[i], 1e-13, "a variance");
            tw_sweep_change(s, f.lambda[i] / (1.0 + f.lambda[i] * column[i]), column);
        }
        tw_sweep_close(s);
    }
    tw_sweep_variances(s, variance);
    for (size_t i = 0; i < N; i++) assert_close(variance[i], exact.sigma[i + i * N], tolerance, "Sigma");
    tw_sweep_free(s);
    dense_free(&exact);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_operations_are_those_of_the_dense_matrix),
        cmocka_unit_test(it_explains_what_the_posterior_leaves),
        cmocka_unit_test(a_sweep_over_all_sites_conditions_on_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
