/* New cases of a sparse prior: their dependence on its variables, and the resulting covariances.
 *
 * A new time is one more time of the process, so the precision of all times together gives its mean and
 * variance given the others; bilinear and barycentric weights reproduce functions that are linear in each
 * coordinate; and with S = Q^-1 on the subspace of the constraints, which is (Q + V V')^-1 - V V' as a dense
 * matrix, the covariances are C S C*' and the variances C* S C*' + v*. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/precision.h"
#include "model/model.h"
#include "support/problem.h"
#include "support/scratch_file.h"
#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/problem.h"

enum { TIMES = 12, NEW = 7, CELLS = 15, MOST = 80 };

/* The row of a new case in C*, over r variables. */
static void row_of(const tw_sparse *design, size_t i, double *row)
{
    for (size_t j = 0; j < design->columns; j++) {
        row[j] = 0.0;
        for (size_t e = design->start[j]; e < design->start[j + 1]; e++)
            if (design->row[e] == i) row[j] = design->value[e];
    }
}

static tw_precision precision_at(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t m,
                                 const double *z)
{
    tw_precision p;
    if (tw_kernel_precision_at(kernel, n, d, x, n, m, z, m, &p) != TW_OK)
        fail_msg("%s", tw_context_message(kernel->ctx));
    return p;
}

/* ---- times ---- */

/* Between others, before and beyond all of them, and at one of them. */
static const double new_times[NEW] = {-4.0, 0.31, 2.0, 3.7, 9.99, 11.0, 40.0};

static void make_times(double *t)
{
    test_random random = {5};
    for (size_t i = 0; i < TIMES; i++) t[(i * 5) % TIMES] = (double)i + 0.6 * test_uniform(&random);
    t[0] = 2.0;
}

/* Conditional mean weights and variance of the last of n + 1 times, from their joint precision. */
static void check_time(const tw_kernel *kernel, const double *t, size_t which, const tw_precision *p)
{
    double all[TIMES + 1], row[MOST];
    tw_precision joint;
    memcpy(all, t, TIMES * sizeof *t);
    all[TIMES] = new_times[which];
    row_of(p->at_design, which, row);
    assert_int_equal(tw_kernel_precision(kernel, TIMES + 1, 1, all, TIMES + 1, &joint), TW_OK);
    if (joint.q->rows == TIMES) { /* it is at the time of a case */
        for (size_t i = 0; i < TIMES; i++) assert_close(row[i], t[i] == all[TIMES], 0.0, "a weight");
        assert_close(p->at_variance[which], 0.0, 0.0, "a variance");
    } else {
        double *q = full_matrix(joint.q), own = q[TIMES + TIMES * (TIMES + 1)];
        for (size_t i = 0; i < TIMES; i++)
            assert_close(row[i], -q[i + TIMES * (TIMES + 1)] / own, 1e-12, "a weight");
        assert_close(p->at_variance[which] * own, 1.0, 1e-12, "a variance");
        free(q);
    }
    tw_precision_release(&joint);
}

static void a_new_time_is_one_more_of_the_process(void **state)
{
    (void)state;
    need_orderings();
    static const char *const kernels[] = {"ar1(ell=2, sigma=1.3)", "rw1(sigma=0.7)", "rw2(sigma=0.4)"};
    double t[TIMES];
    make_times(t);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        tw_context *ctx = new_context();
        tw_kernel *kernel = new_kernel(ctx, kernels[k]);
        tw_precision p = precision_at(kernel, TIMES, 1, t, NEW, new_times);
        for (size_t i = 0; i < NEW; i++) check_time(kernel, t, i, &p);
        tw_precision_release(&p);
        tw_kernel_free(kernel);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

/* ---- places ---- */

static double bilinear(double a, double b)
{
    return 3.0 - 2.0 * a + 0.5 * b + 0.7 * a * b;
}

static void a_field_is_linear_between_cells(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "spde(1, 2, ell=2)");
    double x[2 * CELLS], row[MOST];
    const double z[2 * 4] = {10.3, 11.0, 11.99, 12.2,
                             1.0,  0.4,  3.999, 4.9}; /* the last beyond the middle of a cell */
    for (size_t i = 0; i < CELLS; i++) {
        size_t cell = (i * 7) % CELLS;
        size_t column = cell / 3;
        x[i] = 10.0 + 0.5 * (double)column;
        x[i + CELLS] = 2.0 * (double)(cell % 3);
    }
    tw_precision p = precision_at(kernel, CELLS, 2, x, 4, z);
    for (size_t i = 0; i < 4; i++) {
        double sum = 0.0, value = 0.0, b = fmin(z[i + 4], 4.0), a = fmin(z[i], 12.0);
        row_of(p.at_design, i, row);
        for (size_t j = 0; j < CELLS; j++) {
            sum += row[j];
            value += row[j] * bilinear(x[j], x[j + CELLS]);
        }
        assert_close(sum, 1.0, 1e-14, "the sum of the weights");
        assert_close(value, bilinear(a, b), 1e-12, "a bilinear function");
        assert_close(p.at_variance[i], 0.0, 0.0, "a variance");
    }
    tw_precision_release(&p);
    const double outside[2] = {10.0, 5.01};
    assert_int_equal(tw_kernel_precision_at(kernel, CELLS, 2, x, CELLS, 1, outside, 1, &p), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "new case 1 at (10, 5.01) is outside the lattice"));
    tw_precision_release(&p);
    tw_kernel_free(kernel);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- products ---- */

static tw_problem *product_of(tw_context *ctx, size_t n, const double *x)
{
    static const double y[MOST] = {0.0};
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson"),
                              .kernel = new_kernel(ctx, "3 * ar1(1, ell=2, sigma=1.3) * spde(2, 3, ell=2)")};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, n, 3, x, n, y, &parts.data), TW_OK);
    if (tw_problem_new(ctx, &parts, &problem) != TW_OK) fail_msg("%s", tw_context_message(ctx));
    return problem;
}

/* A field on a lattice that changes in time, at new times: as in the same model with the new cases among its cases. */
static void a_product_knows_new_times(void **state)
{
    (void)state;
    need_orderings();
    enum { OLD = 27, AT = 4, ALL = OLD + AT };
    static const double times[3] = {0.0, 1.0, 2.5}, new_time[AT] = {1.7, 4.0, -2.0, 1.0};
    double x[3 * OLD], all[3 * ALL], z[3 * AT], diagonal[AT], *cross = malloc(MOST * AT * sizeof *cross),
                                                              column[ALL];
    for (size_t i = 0; i < ALL; i++) {
        size_t cell = i < OLD ? i / 3 : 3 * (i - OLD) % 9, row = cell / 3, place = cell % 3;
        const double at[3] = {i < OLD ? times[i % 3] : new_time[i - OLD], (double)row, (double)place};
        for (size_t k = 0; k < 3; k++) {
            all[i + k * ALL] = at[k];
            if (i < OLD) x[i + k * OLD] = at[k];
            if (i >= OLD) z[i - OLD + k * AT] = at[k];
        }
    }
    tw_context *ctx = new_context();
    tw_data *at = NULL;
    tw_problem *old = product_of(ctx, OLD, x), *both = product_of(ctx, ALL, all);
    size_t n = old->data->n;
    assert_int_equal(tw_data_new(ctx, AT, 3, z, AT, NULL, &at), TW_OK);
    assert_int_equal(tw_model_cross(old->model, old->kernel, old->data, at, 0, AT, cross, diagonal), TW_OK);
    for (size_t m = 0; m < AT; m++) {
        tw_gaussian_block(both->model->prior, 0, ALL, OLD + m, 1, column);
        assert_close(diagonal[m], column[OLD + m], 1e-10, "a prior variance");
        for (size_t i = 0; i < OLD; i++) assert_close(cross[i + m * n], column[i], 1e-10, "a covariance");
    }
    free(cross);
    tw_data_free(at);
    tw_problem_free(old);
    tw_problem_free(both);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* ---- all of it ---- */

/* S in full. */
static double *covariance_of(tw_context *ctx, const tw_precision *p)
{
    size_t r = p->q->rows, c = p->constraints.count;
    const double *v = p->constraints.v;
    double *q = full_matrix(p->q), log_det;
    uint32_t *row = malloc(r * r * sizeof *row), *column = malloc(r * r * sizeof *column);
    size_t count = 0;
    tw_sparse *full = NULL;
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++, count++) {
            row[count] = (uint32_t)i;
            column[count] = (uint32_t)j;
            double value = q[i + j * r];
            for (size_t k = 0; k < c; k++) value += v[i + k * r] * v[j + k * r];
            q[count] = value; /* count never overtakes it */
        }
    assert_int_equal(tw_sparse_new(ctx, r, r, true, count, row, column, q, &full), TW_OK);
    double *s = full_inverse(full, &log_det);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++)
            for (size_t k = 0; k < c; k++) s[i + j * r] -= v[i + k * r] * v[j + k * r];
    tw_sparse_free(full);
    free(q);
    free(row);
    free(column);
    return s;
}

static void check_covariances(const tw_problem *problem, const tw_data *at, const double *cross,
                              const double *diagonal)
{
    const tw_data *train = problem->data;
    size_t cases = train->n - train->hidden, r;
    tw_precision p;
    double a[MOST] = {0.0}, b[MOST] = {0.0};
    assert_int_equal(
        tw_kernel_precision_at(problem->kernel, cases, train->d, train->x, train->n, at->n, at->x, at->n, &p),
        TW_OK);
    double *s = covariance_of(train->ctx, &p);
    r = p.q->rows;
    for (size_t m = 0; m < at->n; m++) {
        row_of(p.at_design, m, b);
        double variance = p.at_variance[m];
        for (size_t i = 0; i < r; i++)
            for (size_t j = 0; j < r; j++) variance += b[i] * s[i + j * r] * b[j];
        assert_close(diagonal[m], variance, 1e-10, "a prior variance");
        for (size_t n = 0; n < train->n; n++) {
            for (size_t j = 0; j < r; j++) a[j] = n >= cases ? n - cases == j : j == n;
            if (n < cases && p.design) row_of(p.design, n, a);
            double sum = 0.0;
            for (size_t i = 0; i < r; i++)
                for (size_t j = 0; j < r; j++) sum += a[i] * s[i + j * r] * b[j];
            assert_close(cross[n + m * train->n], sum, 1e-10, "a covariance");
        }
    }
    free(s);
    tw_precision_release(&p);
}

/* Inputs: a time, an area, a category. New: another time, an area without a case, another category. */
static void new_cases_have_their_covariances(void **state)
{
    (void)state;
    need_orderings();
    scratch_file graph =
        scratch_write_text(".graph", "6\n1 1 2\n2 2 1 3\n3 2 2 4\n4 2 3 5\n5 2 4 6\n6 1 5\n");
    static const char *const kernels[] = {
        "bym2(2, graph=\"%s\", sigma=0.8, odds=2) + rw1(1, sigma=0.3) + constant(variance=2)",
        "icar(2, graph=\"%s\", sigma=0.8) + 2 * categorical(3, sigma=0.5) + white(variance=0.1)",
        "rw2(1, sigma=0.3) + ar1(1, ell=3, sigma=0.9) + constant(variance=2)"};
    double x[3 * TIMES], y[TIMES] = {0}, z[3 * NEW];
    make_times(x);
    for (size_t i = 0; i < TIMES; i++) {
        x[i + TIMES] = 1.0 + (double)(i % 5);
        x[i + 2 * TIMES] = (double)(i % 2);
    }
    for (size_t i = 0; i < NEW; i++) {
        z[i] = new_times[i];
        z[i + NEW] = 6.0 - (double)(i % 6);
        z[i + 2 * NEW] = (double)(i % 3);
    }
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        tw_context *ctx = new_context();
        char expression[600];
        tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson")};
        tw_problem *problem = NULL;
        tw_data *at = NULL;
        double diagonal[NEW], *cross = malloc(MOST * NEW * sizeof *cross);
        snprintf(expression, sizeof expression, kernels[k], graph.path);
        parts.kernel = new_kernel(ctx, expression);
        assert_int_equal(tw_data_new(ctx, TIMES, 3, x, TIMES, y, &parts.data), TW_OK);
        if (tw_problem_new(ctx, &parts, &problem) != TW_OK) fail_msg("%s", tw_context_message(ctx));
        assert_true(problem->data->n <= MOST);
        assert_int_equal(tw_data_new(ctx, NEW, 3, z, NEW, NULL, &at), TW_OK);
        assert_int_equal(
            tw_model_cross(problem->model, problem->kernel, problem->data, at, 0, NEW, cross, diagonal),
            TW_OK);
        check_covariances(problem, at, cross, diagonal);
        free(cross);
        tw_data_free(at);
        tw_problem_free(problem);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
    scratch_remove(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_time_is_one_more_of_the_process),
        cmocka_unit_test(a_field_is_linear_between_cells),
        cmocka_unit_test(a_product_knows_new_times),
        cmocka_unit_test(new_cases_have_their_covariances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
