/* Sums, products and meshes of priors with a sparse precision: their matrices, entry by entry. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/attachment.h"
#include "support/dense.h"
#include "support/scratch_file.h"
#include "support/sparse_case.h"
#include "support/support.h"

enum { TIMES = 3, SIDE = 4, CELLS = SIDE * SIDE, N = TIMES * CELLS };

/* All times at all cells of a lattice: columns t, u, v. */
static void make_cases(double *x)
{
    for (size_t i = 0; i < N; i++) {
        size_t cell = i / TIMES, row = cell / SIDE;
        x[i] = (double)(i % TIMES);
        x[i + N] = (double)row;
        x[i + 2 * N] = (double)(cell % SIDE);
    }
}

static tw_precision precision_of(tw_context *ctx, const char *expression, size_t n, size_t d, const double *x,
                                 size_t ldx)
{
    tw_kernel *kernel = NULL;
    tw_precision p;
    assert_int_equal(tw_kernel_parse(ctx, expression, d, &kernel), TW_OK);
    assert_int_equal(tw_kernel_precision(kernel, n, d, x, ldx, &p), TW_OK);
    assert_non_null(p.q);
    tw_kernel_free(kernel);
    return p;
}

/* The entry for cases i and j of C Q C', where C picks one variable for each case. */
static double entry(const tw_precision *p, const double *q, size_t i, size_t j)
{
    size_t r = p->q->rows, a = i, b = j;
    for (size_t k = 0; p->design && k < r; k++)
        for (size_t e = p->design->start[k]; e < p->design->start[k + 1]; e++) {
            if (p->design->row[e] == i) a = k;
            if (p->design->row[e] == j) b = k;
        }
    return q[a + b * r];
}

/* Beside a term that has covariances only, an autoregression has the covariances sigma^2 L^+ = sigma^2 ((L + J)^-1 - J), J = 11'/n. */
static void a_dense_term_makes_the_others_dense(void **state)
{
    enum { AREAS = 4 };
    static const double x[2 * AREAS] = {1.0, 2.0, 3.0, 4.0, 0.0, 0.7, -0.4, 1.9};
    static const double shifted[AREAS * AREAS] = {1.25, -0.75, 0.25, 0.25,  -0.75, 3.25,  -0.75, -0.75,
                                                  0.25, -0.75, 2.25, -0.75, 0.25,  -0.75, -0.75, 2.25};
    double identity[AREAS * AREAS] = {0.0}, inverse[AREAS * AREAS], k[AREAS * AREAS];
    char text[2048];
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    scratch_file graph = scratch_write_text(".graph", "4\n1 1 2\n2 3 1 3 4\n3 2 2 4\n4 2 2 3\n");
    snprintf(text, sizeof text, "icar(1, graph=\"%s\", sigma=0.8) + se(2, ell=1, sigma=1)", graph.path);
    tw_kernel *kernel = new_kernel(ctx, text);
    for (size_t i = 0; i < AREAS; i++) identity[i + i * AREAS] = 1.0;
    dense_solve(AREAS, shifted, AREAS, identity, inverse);
    assert_int_equal(tw_kernel_gram(kernel, AREAS, 2, x, AREAS, k, AREAS), TW_OK);
    for (size_t j = 0; j < AREAS; j++)
        for (size_t i = j; i < AREAS; i++) {
            double d = x[AREAS + i] - x[AREAS + j];
            assert_close(k[i + j * AREAS], 0.64 * (inverse[i + j * AREAS] - 0.25) + exp(-0.5 * d * d), 1e-12,
                         "a covariance");
        }
    tw_kernel_free(kernel);
    scratch_remove(&graph);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Copies of a kernel share the content of its files, until the last of them is gone. */
static void a_copy_keeps_the_content_of_files(void **state)
{
    static const double x[3] = {1.0, 2.0, 3.0};
    char text[2048];
    double k[2][9];
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    scratch_file graph = scratch_write_text(".graph", "3\n1 1 2\n2 2 1 3\n3 1 2\n");
    snprintf(text, sizeof text, "icar(1, graph=\"%s\") + se(1)", graph.path);
    tw_kernel *kernel = new_kernel(ctx, text), *copy = NULL;
    scratch_remove(&graph);
    size_t before = tw_context_bytes_in_use(ctx);
    assert_int_equal(tw_kernel_copy(kernel, &copy), TW_OK);
    tw_kernel_free(copy);
    assert_int_equal(tw_context_bytes_in_use(ctx), before);
    assert_int_equal(tw_kernel_copy(kernel, &copy), TW_OK);
    assert_int_equal(tw_kernel_gram(kernel, 3, 1, x, 3, k[0], 3), TW_OK);
    tw_kernel_free(kernel);
    assert_int_equal(tw_kernel_gram(copy, 3, 1, x, 3, k[1], 3), TW_OK);
    assert_memory_equal(k[0], k[1], sizeof k[0]);
    tw_kernel_free(copy);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Given all cases, a new time has the conditional variances of both terms of a sum, in either order. That of ar1, a Markov
 * process, at distances a and b from its neighbours is sigma^2 (1 - e^(-2a/ell)) (1 - e^(-2b/ell)) / (1 - e^(-2(a+b)/ell)). */
static void a_new_case_of_a_sum_has_the_variances_of_its_terms(void **state)
{
    static const char *const kernels[] = {"rw2(1, sigma=0.7)", "rw2(1, sigma=0.7) + ar1(1, ell=2, sigma=1.3)",
                                          "ar1(1, ell=2, sigma=1.3) + rw2(1, sigma=0.7)"};
    static const double t[4] = {0.0, 1.0, 2.5, 4.0}, new[2] = {1.7, 6.0};
    const double between = 1.69 * expm1(-0.7) * expm1(-0.8) / -expm1(-1.5), beyond = -1.69 * expm1(-2.0);
    double alone[2] = {0.0, 0.0};
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    for (size_t k = 0; k < 3; k++) {
        tw_kernel *kernel = new_kernel(ctx, kernels[k]);
        tw_precision p;
        assert_int_equal(tw_kernel_precision_at(kernel, 4, 1, t, 4, 2, new, 2, &p), TW_OK);
        if (k == 0) memcpy(alone, p.at_variance, sizeof alone);
        if (k > 0) assert_close(p.at_variance[0], alone[0] + between, 1e-12, "between two cases");
        if (k > 0) assert_close(p.at_variance[1], alone[1] + beyond, 1e-12, "beyond all of them");
        tw_precision_release(&p);
        tw_kernel_free(kernel);
    }
    assert_true(alone[0] > 0.0 && alone[1] > 0.0);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* New cases of a random walk are weighted means of others: of order 1 linear between its neighbours and constant beyond,
 * of order 2 exact on a line. */
static void new_cases_of_walks_are_weighted_means(void **state)
{
    enum { OLD = 5, NEW = 4 };
    static const double t[OLD] = {0.0, 1.0, 2.5, 4.0, 4.5}, new[NEW] = {-1.0, 1.75, 4.2, 6.0};
    static const double first[NEW][OLD] = {{1.0, 0.0, 0.0, 0.0, 0.0},
                                           {0.0, 0.5, 0.5, 0.0, 0.0},
                                           {0.0, 0.0, 0.0, 0.6, 0.4},
                                           {0.0, 0.0, 0.0, 0.0, 1.0}};
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    for (int order = 1; order <= 2; order++) {
        tw_kernel *kernel = new_kernel(ctx, order == 1 ? "rw1(sigma=3)" : "rw2(sigma=3)");
        tw_precision p;
        assert_int_equal(tw_kernel_precision_at(kernel, OLD, 1, t, OLD, NEW, new, NEW, &p), TW_OK);
        double *c = full_matrix(p.at_design);
        for (size_t i = 0; i < NEW; i++) {
            double sum = 0.0, line = 0.0;
            for (size_t k = 0; k < OLD; k++) {
                sum += c[i + k * NEW];
                line += c[i + k * NEW] * t[k];
                if (order == 1) assert_close(c[i + k * NEW], first[i][k], 1e-13, "a weight");
            }
            assert_close(sum, 1.0, 1e-13, "all weights");
            if (order == 2) assert_close(line, new[i], 1e-12, "a line");
        }
        free(c);
        tw_precision_release(&p);
        tw_kernel_free(kernel);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A new case sees the variable of its category, and one of a category without cases a variable of its own. */
static void a_new_case_belongs_to_its_category(void **state)
{
    enum { OLD = 4, NEW = 3 };
    static const double x[3 * OLD] = {0.0, 1.0, 2.0, 3.0, 7.0, 5.0, 7.0, 5.0, 1.0, 1.0, 2.0, 1.0};
    static const double new[3 * NEW] = {1.0, 2.0, 0.0, 7.0, 5.0, 7.0, 2.0, 2.0, 1.0};
    static const size_t category[NEW] = {2, OLD, 1}; /* of (5, 1), (7, 1) and (7, 2) */
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "rw1(1) + categorical(2, 3, sigma=0.5)");
    tw_precision p;
    assert_int_equal(tw_kernel_precision_at(kernel, OLD, 3, x, OLD, NEW, new, NEW, &p), TW_OK);
    double *c = full_matrix(p.at_design);
    for (size_t i = 0; i < NEW; i++) {
        for (size_t k = 0; k < 3; k++) assert_true(c[i + (OLD + k) * NEW] == (k == category[i] ? 1.0 : 0.0));
        assert_close(p.at_variance[i], category[i] == OLD ? 0.25 : 0.0, 1e-15, "what is left");
    }
    free(c);
    tw_precision_release(&p);
    tw_kernel_free(kernel);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Q of the pair (time, cell), (time', cell') is the product of the factors' entries, and a number divides it. */
static void a_product_is_kroneckers(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    double x[3 * N], t[TIMES], cells[2 * CELLS];
    make_cases(x);
    for (size_t i = 0; i < TIMES; i++) t[i] = (double)i;
    for (size_t i = 0; i < CELLS; i++) {
        size_t row = i / SIDE;
        cells[i] = (double)row;
        cells[i + CELLS] = (double)(i % SIDE);
    }
    tw_precision both = precision_of(ctx, "2 * ar1(1, ell=4, sigma=1.3) * spde(2, 3, ell=3)", N, 3, x, N),
                 time = precision_of(ctx, "ar1(1, ell=4, sigma=1.3)", TIMES, 1, t, TIMES),
                 space = precision_of(ctx, "spde(1, 2, ell=3)", CELLS, 2, cells, CELLS);
    double *q = full_matrix(both.q), *a = full_matrix(time.q), *b = full_matrix(space.q);
    assert_int_equal(both.q->rows, N);
    assert_false(both.hidden);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            assert_close(entry(&both, q, i, j),
                         0.5 * a[i % TIMES + j % TIMES * TIMES] * b[i / TIMES + j / TIMES * CELLS], 1e-12,
                         "an entry");
    free(q);
    free(a);
    free(b);
    tw_precision_release(&both);
    tw_precision_release(&time);
    tw_precision_release(&space);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The determinant that leaves, sums and a product know is that of their matrix: cells at one time, and at all times. */
static void known_determinants_are_those_of_the_matrices(void **state)
{
    static const char *const kernels[] = {"spde(2, 3, ell=3, sigma=0.7)",
                                          "spde2(2, 3, ell=(3, 2)) + white(variance=2)",
                                          "3 * spde(2, 3) + categorical(2, sigma=0.5) + constant",
                                          "2 * ar1(1, ell=4, sigma=1.3) * spde(2, 3, ell=3)"};
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    double x[3 * N], once[3 * CELLS];
    make_cases(x);
    for (size_t i = 0; i < 3 * CELLS; i++) once[i] = x[i * TIMES];
    for (size_t k = 0; k < 4; k++) {
        size_t n = k < 3 ? CELLS : N;
        const double *inputs = k < 3 ? once : x;
        tw_kernel *kernel = NULL;
        bool known;
        double log_det, expected;
        tw_precision p = precision_of(ctx, kernels[k], n, 3, inputs, n);
        assert_int_equal(tw_kernel_parse(ctx, kernels[k], 3, &kernel), TW_OK);
        assert_int_equal(tw_kernel_precision_log_det(kernel, n, 3, inputs, n, &known, &log_det), TW_OK);
        free(full_inverse(p.q, &expected));
        assert_true(known);
        assert_close(log_det, expected, 1e-10, kernels[k]);
        tw_kernel_free(kernel);
        tw_precision_release(&p);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* rw1 on times + white + constant + categories: blocks side by side, with the walk's constraint on its own block alone. */
static void a_sum_stacks_its_terms(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    double x[3 * N], seen[4];
    make_cases(x);
    tw_precision p = precision_of(
        ctx, "white(variance=4) + rw1(1, sigma=0.5) + constant(variance=2) + categorical(2, sigma=0.5) + 3",
        N, 3, x, N);
    size_t r = N + TIMES + 1 + SIDE + 1;
    const size_t at[] = {0, N + 1, N + TIMES, N + TIMES + 1, r - 1};
    const double diagonal[] = {0.25, 8.0, 0.5, 4.0, 1.0 / 3.0};
    double *q = full_matrix(p.q), *c = full_matrix(p.design);
    assert_int_equal(p.q->rows, r);
    assert_true(p.hidden);
    for (size_t k = 0; k < 5; k++) assert_close(q[at[k] * (r + 1)], diagonal[k], 1e-14, "a precision");
    for (size_t i = 0; i < N;
         i++) { /* each case sees one variable of each term: its own, its time, the one, its row, the one */
        seen[0] = c[i + i * N];
        seen[1] = c[i + (N + i % TIMES) * N];
        seen[2] = c[i + (N + TIMES) * N] * c[i + (r - 1) * N];
        seen[3] = c[i + (N + TIMES + 1 + i / TIMES / SIDE) * N];
        for (size_t k = 0; k < 4; k++) assert_true(seen[k] == 1.0);
    }
    assert_int_equal(p.design->start[r], 5 * N);
    assert_int_equal(p.constraints.count, 1);
    assert_int_equal(p.constraints.pin[0], N);
    for (size_t i = 0; i < r; i++)
        assert_close(p.constraints.v[i], i >= N && i < N + TIMES ? 1.0 / sqrt(TIMES) : 0.0, 1e-15,
                     "a constraint");
    assert_int_equal(tw_precision_show_variables(&p, N), TW_OK);
    assert_int_equal(p.design->rows, N + r);
    assert_int_equal(p.design->start[r], 5 * N + r);
    free(q);
    free(c);
    tw_precision_release(&p);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* On triangles that halve the squares of a lattice, nodes far from the edge have the precision of the lattice; x of a case is the mean of
 * its triangle's corners. */
static void a_mesh_of_halved_squares_is_the_lattice(void **state)
{
    enum { M = 12, NODES = M * M };
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    char text[16384], expression[1200];
    size_t length = (size_t)snprintf(text, sizeof text, "# a mesh\nnodes %d\n", NODES);
    double x[2 * NODES], at[2] = {4.25, 3.125}; /* in the first triangle of the square of node (4, 3.0) */
    for (int i = 0; i < NODES; i++) {
        int row = i / M;
        x[i] = row;
        x[i + NODES] = 0.5 * (i % M);
        length += (size_t)snprintf(text + length, sizeof text - length, "%d %g\n", i / M, 0.5 * (i % M));
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "triangles %d\n", 2 * (M - 1) * (M - 1));
    for (int i = 0; i < NODES - M; i++)
        if (i % M != M - 1)
            length += (size_t)snprintf(text + length, sizeof text - length, "%d %d %d\n%d %d %d\n", i + 1,
                                       i + 2, i + 1 + M, i + 2, i + 2 + M, i + 1 + M);
    assert_true(length < sizeof text);
    for (int power = 1; power <= 2; power++) {
        scratch_file file = scratch_write_text(".mesh", text);
        const char *name = power == 1 ? "spde" : "spde2";
        snprintf(expression, sizeof expression, "%s(1, 2, ell=(3, 2), sigma=0.7)", name);
        tw_precision lattice = precision_of(ctx, expression, NODES, 2, x, NODES);
        snprintf(expression, sizeof expression, "%s(1, 2, mesh=\"%s\", ell=(3, 2), sigma=0.7)", name,
                 file.path);
        tw_precision mesh = precision_of(ctx, expression, 1, 2, at, 1);
        double *a = full_matrix(lattice.q), *b = full_matrix(mesh.q), *c = full_matrix(mesh.design);
        assert_true(mesh.hidden);
        for (size_t i = 0; i < NODES; i++)
            for (size_t j = 0; j < NODES; j++) {
                bool inside = i / M > 3 && i / M < M - 4 && i % M > 3 && i % M < M - 4;
                if (inside)
                    assert_close(b[i + j * NODES], a[i + j * NODES], 1e-9 * a[i * (NODES + 1)], "an entry");
                assert_true(b[i + j * NODES] == b[j + i * NODES]);
            }
        const size_t corner[3] = {4 * M + 6, 4 * M + 7, 5 * M + 6};
        const double weight[3] = {0.5, 0.25, 0.25};
        for (size_t k = 0; k < 3; k++) assert_close(c[corner[k]], weight[k], 1e-14, "a weight");
        free(a);
        free(b);
        free(c);
        tw_precision_release(&lattice);
        tw_precision_release(&mesh);
        scratch_remove(&file);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void what_does_not_go_together_is_refused_with_words(void **state)
{
    static const char *const cases[][2] = {{"rw1(1) * spde(2, 3)", "rw1 is intrinsic"},
                                           {"(rw1(1) + white) * spde(2, 3)", "must have two leaves"},
                                           {"spde(2, 3) * ar1(1) * ar1(2)", "must have two factors, not 3"},
                                           {"rw1(1) + rw2(1) + rw2(2)", "5 constraints: the limit is 4"}};
    double x[3 * N];
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    make_cases(x);
    for (size_t i = 0; i < N; i++) x[i] = (double)(i % 6); /* rw2 needs four times */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tw_kernel *kernel = NULL;
        tw_precision p;
        assert_int_equal(tw_kernel_parse(ctx, cases[k][0], 3, &kernel), TW_OK);
        assert_int_equal(tw_kernel_precision(kernel, N, 3, x, N, &p), TW_BAD_ARGUMENT);
        if (!strstr(tw_context_message(ctx), cases[k][1]))
            fail_msg("case %zu says: %s", k, tw_context_message(ctx));
        tw_precision_release(&p);
        tw_kernel_free(kernel);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void what_is_no_mesh_is_refused_with_words(void **state)
{
    static const char *const cases[][2] = {
        {"nodes 3\n0 0\n1 0\n0 1\n", "is truncated: expected \"triangles\" and their number"},
        {"triangles 1\n", "line 1: found \"triangles\"; expected \"nodes\""},
        {"nodes 1099511627776\n0 0\n", "expected \"nodes\" and their number"},
        {"nodes 100000000\n0 0\n", "it may be truncated"},
        {"nodes 3\n0 0\n1 x\n0 1\ntriangles 1\n1 2 3\n", "line 3: found \"x\"; expected a coordinate"},
        {"nodes 3\n0 0\n1 0\n0 1\ntriangles 1\n1 2 4\n",
         "line 6: found \"4\"; expected the number of a node"},
        {"nodes 3\n0 0\n1 0\n0 1\ntriangles 1\n1 2 2\n", "triangle 1 has no area"},
        {"nodes 4\n0 0\n1 0\n0 1\n9 9\ntriangles 1\n1 2 3\n", "node 4 is not a corner"},
        {"nodes 3\n0 0\n1 0\n0 1\ntriangles 1\n1 2 3\n7\n", "expected the end of the file"}};
    (void)state;
    tw_context *ctx = new_context();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scratch_file file = scratch_write_text(".mesh", cases[k][0]);
        tw_mesh mesh = {0};
        assert_int_equal(tw_mesh_read(ctx, file.path, &mesh), TW_BAD_DATA);
        if (!strstr(tw_context_message(ctx), cases[k][1]))
            fail_msg("case %zu says: %s", k, tw_context_message(ctx));
        tw_mesh_free(ctx, &mesh);
        scratch_remove(&file);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dense_term_makes_the_others_dense),
        cmocka_unit_test(a_new_case_of_a_sum_has_the_variances_of_its_terms),
        cmocka_unit_test(new_cases_of_walks_are_weighted_means),
        cmocka_unit_test(a_new_case_belongs_to_its_category),
        cmocka_unit_test(a_copy_keeps_the_content_of_files),
        cmocka_unit_test(a_product_is_kroneckers),
        cmocka_unit_test(known_determinants_are_those_of_the_matrices),
        cmocka_unit_test(a_sum_stacks_its_terms),
        cmocka_unit_test(a_mesh_of_halved_squares_is_the_lattice),
        cmocka_unit_test(what_does_not_go_together_is_refused_with_words),
        cmocka_unit_test(what_is_no_mesh_is_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
