/* The dense Gaussian against matrices in long double (support/dense.h): products, blocks, conditioning,
 * mixtures, marginals, and a covariance that is set again. */
#include "gaussian/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 70, P = 3 }; /* more than one block of the blocked solves */

typedef struct fixture {
    tw_context *ctx;
    test_problem *problem;
    tw_gaussian *g;
} fixture;

/* With rank > 0 a kernel matrix of that rank, U U' for U with `rank` columns. */
static fixture fixture_new(size_t rank)
{
    fixture f = {.ctx = new_context(), .problem = test_problem_new(N, 5, 100)};
    tw_gaussian_report report;
    test_random random = {17};
    static double u[N * N];
    double *k = f.problem->k;
    test_normals(&random, N * rank, u);
    for (size_t i = 0; rank > 0 && i < N * N; i++) {
        k[i] = 0.0;
        for (size_t l = 0; l < rank; l++) k[i] += u[i % N + l * N] * u[i / N + l * N];
    }
    assert_int_equal(tw_gaussian_dense_new(f.ctx, N, k, N, &f.g), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(f.g, 0.0, &report), TW_OK);
    assert_int_equal(f.g->r, rank > 0 ? rank : N);
    assert_true(f.g->full_rank == (rank == 0));
    return f;
}

static void fixture_free(fixture *f)
{
    tw_gaussian_free(f->g);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    test_problem_free(f->problem);
    tw_context_free(f->ctx);
}

static void assert_near(size_t count, const double *a, const double *b, double tolerance, const char *what)
{
    for (size_t i = 0; i < count; i++) assert_close(a[i], b[i], tolerance, what);
}

/* F F' = A through the products, A through multiply and block, F^-1 and F^-T by their products. Entries of A are of
 * order 1 to N; cond(A) is at most 100. */
static void check_algebra(const tw_gaussian *g, const double *a)
{
    static double x[N * P], y[N * P], exact[N * P], w[N * P], again[N * P], part[N * N];
    test_random random = {3};
    test_normals(&random, N * P, x);
    for (size_t j = 0; j < P; j++) dense_multiply(N, a, x + j * N, exact + j * N);
    tw_gaussian_pull_back(g, P, x, w);
    tw_gaussian_spread(g, P, w, y);
    assert_near(N * P, y, exact, 1e-11, "F F' x");
    tw_gaussian_whiten(g, P, y, w);
    tw_gaussian_positions(g, P, w, again);
    assert_near(N * P, again, y, 1e-11, "m + F F^-1 (y - m)");
    for (size_t i = 0; i < N; i++) part[40 * 20 + i] = -7.0;
    tw_gaussian_block(g, 11, 40, 3, 20, part);
    for (size_t i = 0; i < N; i++) assert_true(part[40 * 20 + i] == -7.0); /* no more than the block */
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 20; j++)
            assert_close(part[i + j * 40], a[11 + i + (3 + j) * N], 1e-12, "a block of A");
    for (size_t i = 0; i < N; i++) assert_close(g->variance[i], a[i + i * N], 1e-12, "a variance");
    if (!g->full_rank) return;
    tw_gaussian_pull_back(g, P, x, w);
    tw_gaussian_solve_transposed(g, P, w);
    assert_near(N * P, w, x, 1e-11, "F^-T F' x");
}

static void products_are_those_of_its_covariance(void **state)
{
    (void)state;
    for (size_t rank = 0; rank <= 9; rank += 9) {
        static double x[N * P], y[N * P], exact[N * P];
        fixture f = fixture_new(rank);
        check_algebra(f.g, f.problem->k);
        test_random random = {4};
        test_normals(&random, N * P, x);
        tw_gaussian_multiply(f.g, P, x, y);
        for (size_t j = 0; j < P; j++) dense_multiply(N, f.problem->k, x + j * N, exact + j * N);
        assert_near(N * P, y, exact, 1e-11, "A x");
        fixture_free(&f);
    }
}

/* log N(x; 0, A), and log N(A x; 0, A) on the range of U U': with p = x'U, -|p|^2/2 - r/2 log 2 pi - 1/2 log |U'U|. */
static void the_density_is_that_of_its_covariance(void **state)
{
    (void)state;
    static double x[N], y[N], work[N], u[2 * N], k[N * N];
    const double log_two_pi = log(2.0 * acos(-1.0));
    fixture f = fixture_new(0);
    test_random random = {6};
    test_normals(&random, N, x);
    test_normals(&random, 2 * N, u);
    double log_det = dense_solve(N, f.problem->k, 1, x, y), square = 0.0;
    for (size_t i = 0; i < N; i++) square += x[i] * y[i];
    assert_close(tw_gaussian_log_density(f.g, x, work), -0.5 * (square + N * log_two_pi + log_det), 1e-10,
                 "of full rank");
    fixture_free(&f);
    double p[2] = {0.0, 0.0}, uu[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < N; i++) {
        for (size_t l = 0; l < 2; l++) p[l] += u[i + l * N] * x[i];
        for (size_t l = 0; l < 3; l++) uu[l] += u[i + l / 2 * N] * u[i + (l + 1) / 2 * N];
        for (size_t j = 0; j < N; j++) k[j + i * N] = u[i] * u[j] + u[i + N] * u[j + N];
    }
    for (size_t i = 0; i < N; i++) y[i] = u[i] * p[0] + u[i + N] * p[1];
    tw_context *ctx = new_context();
    tw_gaussian *g = NULL;
    tw_gaussian_report report;
    assert_int_equal(tw_gaussian_dense_new(ctx, N, k, N, &g), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(g, 0.0, &report), TW_OK);
    assert_int_equal(g->r, 2);
    square = p[0] * p[0] + p[1] * p[1];
    log_det = log(uu[0] * uu[2] - uu[1] * uu[1]);
    assert_close(tw_gaussian_log_density(g, y, work), -0.5 * (square + 2.0 * log_two_pi + log_det), 1e-9,
                 "of rank 2");
    tw_gaussian_free(g);
    tw_context_free(ctx);
}

/* A matrix has the lower rank that is expected of it if its least pivot, here d, is 1000 times what is taken for
 * rounding, n eps times the largest variance; whatever its unit. */
static void a_clear_rank_is_known(void **state)
{
    (void)state;
    static const double unit[] = {1e-12, 1.0, 1e12};
    tw_context *ctx = new_context();
    for (size_t i = 0; i < 12; i++) {
        bool clear = i % 2 == 0, expected = i < 6;
        double s = unit[i / 2 % 3], d = (clear ? 1.1 : 0.9) * 3e3 * 0x1p-52,
               k[9] = {s, 0, 0, 0, d * s, 0, 0, 0, 0};
        tw_gaussian *g = NULL;
        tw_gaussian_report report;
        assert_int_equal(tw_gaussian_dense_new(ctx, 3, k, 3, &g), TW_OK);
        tw_gaussian_dense_expect(g, expected ? 2 : 1);
        assert_int_equal(tw_gaussian_dense_factor(g, 0.0, &report), TW_OK);
        assert_int_equal(g->r, 2);
        assert_true(g->low_rank == (clear && expected));
        tw_gaussian_free(g);
    }
    tw_context_free(ctx);
}

/* With and without room for products, for a K of full and of lower rank, twice in the same memory. */
static void conditioning_is_that_of_the_dense_posterior(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < 4; kind++) {
        fixture f = fixture_new(kind & 1 ? 9 : 0);
        tw_gaussian *q = NULL;
        assert_int_equal(tw_gaussian_like(f.g, kind & 2, &q), TW_OK);
        for (size_t time = 0; time < 2; time++) {
            double scale = time == 0 ? 0.3 : 1.0, tau[N], nu[N], log_z;
            for (size_t i = 0; i < N; i++) {
                tau[i] = scale * f.problem->tau[i];
                nu[i] = scale * f.problem->nu[i];
            }
            dense_gaussian exact = dense_posterior(N, f.problem->k, tau, nu);
            assert_true(tw_gaussian_condition(f.g, scale, f.problem->tau, f.problem->nu, q, &log_z));
            assert_close(log_z, exact.log_z, 1e-10, "log Z");
            assert_near(N, q->mean, exact.mean, 1e-11, "the mean");
            check_algebra(q, exact.sigma);
            dense_free(&exact);
        }
        tw_gaussian_free(q);
        fixture_free(&f);
    }
}

/* N(mu, S) with S = K/2 + I/5: C^-1 = b A^-1 + (1-b) S^-1, mean (1-b) C S^-1 mu. */
static void a_mixture_is_that_of_its_precisions(void **state)
{
    (void)state;
    static double s[N * N], identity[N * N], k_inverse[N * N], s_inverse[N * N], mixed[N * N], c[N * N];
    double b = 0.35, mean[N], log_z, log_c, shift[N], exact[N], mu_s_mu = 0.0, m_c_m = 0.0;
    fixture f = fixture_new(0);
    tw_gaussian *other = NULL, *out = NULL;
    for (size_t i = 0; i < N * N; i++) {
        identity[i] = i % (N + 1) == 0;
        s[i] = 0.5 * f.problem->k[i] + 0.2 * identity[i];
    }
    double log_k = dense_solve(N, f.problem->k, N, identity, k_inverse);
    double log_s = dense_solve(N, s, N, identity, s_inverse);
    for (size_t i = 0; i < N * N; i++) mixed[i] = b * k_inverse[i] + (1.0 - b) * s_inverse[i];
    log_c = -dense_solve(N, mixed, N, identity, c);
    assert_int_equal(tw_gaussian_dense_given(f.ctx, N, f.problem->nu, s, N, &other), TW_OK);
    assert_int_equal(tw_gaussian_check_mix(f.g, other), TW_OK);
    assert_int_equal(tw_gaussian_like(f.g, true, &out), TW_OK);
    assert_true(tw_gaussian_mix(f.g, other, b, out, &log_z));
    dense_multiply(N, s_inverse, f.problem->nu, shift);
    for (size_t i = 0; i < N; i++) shift[i] *= 1.0 - b;
    dense_multiply(N, c, shift, exact);
    for (size_t i = 0; i < N; i++) {
        mean[i] = exact[i];
        mu_s_mu += f.problem->nu[i] * shift[i];
        m_c_m += exact[i] * shift[i];
    }
    check_algebra(out, c);
    assert_near(N, out->mean, mean, 1e-10, "the mean");
    assert_close(log_z, 0.5 * (log_c - b * log_k - (1.0 - b) * log_s - mu_s_mu + m_c_m), 1e-10, "log Z");
    tw_gaussian_free(other); /* in the same memory, with one whose mean is zero */
    tw_gaussian_report report;
    assert_int_equal(tw_gaussian_dense_new(f.ctx, N, s, N, &other), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(other, 0.0, &report), TW_OK);
    assert_true(tw_gaussian_mix(f.g, other, b, out, &log_z));
    for (size_t i = 0; i < N; i++) assert_true(out->mean[i] == 0.0);
    assert_close(log_z, 0.5 * (log_c - b * log_k - (1.0 - b) * log_s), 1e-10, "log Z of zero means");
    tw_gaussian_free(other);
    tw_gaussian_free(out);
    fixture_free(&f);
}

static void a_marginal_has_the_block_of_its_sites(void **state)
{
    (void)state;
    fixture f = fixture_new(0);
    const size_t index[3] = {40, 2, 69};
    tw_gaussian *part = NULL;
    double a[9];
    assert_int_equal(tw_gaussian_marginal(f.g, 3, index, &part), TW_OK);
    tw_gaussian_block(part, 0, 3, 0, 3, a);
    for (size_t i = 0; i < 9; i++) assert_true(a[i] == f.problem->k[index[i % 3] + index[i / 3] * N]);
    assert_int_equal(part->n, 3);
    tw_gaussian_free(part);
    fixture_free(&f);
}

/* A second matrix in the same memory gives what a fresh Gaussian of it gives, to the bit; from full rank to lower
 * rank and back. */
static void a_covariance_can_be_set_anew(void **state)
{
    (void)state;
    fixture regular = fixture_new(0), singular = fixture_new(9);
    size_t before = tw_context_bytes_in_use(regular.ctx);
    tw_gaussian_report report;
    double w[N], found[N], exact[N];
    test_random random = {8};
    test_normals(&random, N, w);
    for (int time = 0; time < 3; time++) {
        const fixture *from = time == 1 ? &singular : &regular;
        memcpy(tw_gaussian_dense_matrix(regular.g), from->problem->k, N * N * sizeof(double));
        assert_int_equal(tw_gaussian_dense_factor(regular.g, 0.0, &report), TW_OK);
        if (time == 1) {
            assert_int_equal(regular.g->r, 9);
            tw_gaussian_spread(singular.g, 1, w, exact);
        } else {
            fixture fresh = fixture_new(0);
            tw_gaussian_spread(fresh.g, 1, w, exact);
            assert_true(regular.g->log_det == fresh.g->log_det);
            assert_int_equal(tw_context_bytes_in_use(regular.ctx), before);
            fixture_free(&fresh);
        }
        tw_gaussian_spread(regular.g, 1, w, found);
        assert_memory_equal(found, exact, sizeof exact);
    }
    fixture_free(&regular);
    fixture_free(&singular);
}

static void a_bad_matrix_is_refused_with_words(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double indefinite[4] = {1.0, 2.0, 2.0, 1.0}, singular[4] = {1.0, 1.0, 1.0, 1.0},
                 mean[2] = {0.0, 0.0};
    tw_gaussian *g = NULL;
    tw_gaussian_report report;
    assert_int_equal(tw_gaussian_dense_new(ctx, 2, indefinite, 2, &g), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(g, 0.0, &report), TW_NOT_POSITIVE_DEFINITE);
    tw_gaussian_free(g);
    assert_int_equal(tw_gaussian_dense_given(ctx, 2, mean, singular, 2, &g), TW_NOT_POSITIVE_DEFINITE);
    assert_non_null(strstr(tw_context_message(ctx), "singular"));
    assert_null(g);
    tw_context_free(ctx);
}

/* Every allocation may fail: an error, and nothing is left behind. */
static void memory_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    test_problem *problem = test_problem_new(N, 5, 100);
    tw_status status = TW_NO_MEMORY;
    for (size_t fail_at = 1; status != TW_OK; fail_at++) {
        failing_allocator failing = {0, fail_at};
        tw_context *ctx = failing_context(&failing);
        tw_gaussian *g = NULL, *q = NULL;
        tw_gaussian_report report;
        if (ctx) {
            status = tw_gaussian_dense_new(ctx, N, problem->k, N, &g);
            if (status == TW_OK) status = tw_gaussian_dense_factor(g, 0.0, &report);
            if (status == TW_OK) status = tw_gaussian_like(g, true, &q);
            assert_true(status == TW_OK || status == TW_NO_MEMORY);
            tw_gaussian_free(q);
            tw_gaussian_free(g);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        }
        tw_context_free(ctx);
    }
    test_problem_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_its_covariance),
        cmocka_unit_test(the_density_is_that_of_its_covariance),
        cmocka_unit_test(a_clear_rank_is_known),
        cmocka_unit_test(conditioning_is_that_of_the_dense_posterior),
        cmocka_unit_test(a_mixture_is_that_of_its_precisions),
        cmocka_unit_test(a_marginal_has_the_block_of_its_sites),
        cmocka_unit_test(a_covariance_can_be_set_anew),
        cmocka_unit_test(a_bad_matrix_is_refused_with_words),
        cmocka_unit_test(memory_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
