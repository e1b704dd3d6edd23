/* The sparse factor against dense algebra: selected inverse, log determinant, solves and products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/factor.h"
#include "sparse/sparse.h"
#include "support/problem.h"
#include "support/sparse_case.h"
#include "support/support.h"

/* Returns the largest error of an entry, relative to the largest entry of the inverse. */
static double selected_error(const tw_sparse *q)
{
    double exact_log_det, log_det, largest = 0.0, scale = 0.0;
    double *inverse = full_inverse(q, &exact_log_det), *value = malloc(q->start[q->columns] * sizeof *value);
    assert_non_null(value);
    assert_int_equal(tw_selected_inverse(q, value, &log_det), TW_OK);
    assert_close(log_det, exact_log_det, 1e-9, "log determinant");
    for (size_t j = 0; j < q->columns; j++)
        for (size_t e = q->start[j]; e < q->start[j + 1]; e++) {
            double exact = inverse[q->row[e] + j * q->rows];
            scale = fmax(scale, fabs(exact));
            largest = fmax(largest, fabs(value[e] - exact));
        }
    free(inverse);
    free(value);
    return largest / scale;
}

/* Condition numbers are at most a few thousand, so rounding leaves about 1e-13. */
static void selected_inverse_is_the_inverse_on_fifty_random_patterns(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    double worst = 0.0;
    for (uint64_t k = 0; k < 50; k++) {
        tw_sparse *q = random_precision(ctx, 100 + k, 1 + (size_t)(k * 3), 0.3 + 0.15 * (double)k);
        worst = fmax(worst, selected_error(q));
        tw_sparse_free(q);
    }
    tw_sparse *lattice = lattice_precision(ctx, 12, 15, 0.05);
    worst = fmax(worst, selected_error(lattice));
    tw_sparse_free(lattice);
    print_message("largest relative error %.1e\n", worst);
    assert_true(worst < 1e-10);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

typedef struct factored {
    tw_analysis *analysis;
    double *l;
} factored;

static factored factor_of(const tw_sparse *q)
{
    factored f = {NULL, NULL};
    tw_front front;
    size_t failed;
    assert_int_equal(tw_analysis_new(q->ctx, q->rows, q->start, q->row, NULL, &f.analysis), TW_OK);
    assert_int_equal(tw_front_new(f.analysis, &front), TW_OK);
    assert_int_equal(tw_allocate_doubles(q->ctx, f.analysis->entries, 1, "L", &f.l), TW_OK);
    for (size_t j = 0; j < q->columns; j++)
        for (size_t e = q->start[j]; e < q->start[j + 1]; e++)
            f.l[tw_analysis_find(f.analysis, q->row[e], j)] = q->value[e];
    assert_true(tw_sparse_factor(f.analysis, &front, f.l, &failed));
    tw_front_free(q->ctx, &front);
    return f;
}

typedef void operation(const tw_analysis *a, const double *l, size_t columns, double *x);

/* L^-1 and L, L^-T and L' undo each other; L L' X = P Q P' X. For 1, 5 and 16 columns. */
static void check_solves_and_products(tw_context *ctx, const tw_sparse *q)
{
    factored f = factor_of(q);
    size_t n = q->rows;
    const size_t widths[] = {1, 5, TW_SPARSE_COLUMNS};
    operation *pairs[2][2] = {{tw_sparse_multiply_lower, tw_sparse_solve_lower},
                              {tw_sparse_multiply_upper, tw_sparse_solve_upper}};
    for (size_t w = 0; w < 3; w++) {
        size_t p = widths[w];
        test_random random = {w + 1};
        double *x = malloc(n * p * sizeof *x), *y = malloc(n * p * sizeof *y), v[500], product[500],
               worst = 0.0;
        assert_true(x && y && n <= 500);
        test_normals(&random, n * p, x);
        for (size_t k = 0; k < 2; k++) {
            memcpy(y, x, n * p * sizeof *y);
            pairs[k][0](f.analysis, f.l, p, y);
            pairs[k][1](f.analysis, f.l, p, y);
            for (size_t i = 0; i < n * p; i++) worst = fmax(worst, fabs(y[i] - x[i]));
        }
        tw_sparse_multiply_upper(f.analysis, f.l, p, y);
        tw_sparse_multiply_lower(f.analysis, f.l, p, y);
        for (size_t c = 0; c < p; c++) {
            for (size_t k = 0; k < n; k++) v[f.analysis->order[k]] = x[c + k * p];
            tw_sparse_multiply(q, v, product);
            for (size_t k = 0; k < n; k++)
                worst = fmax(worst, fabs(y[c + k * p] - product[f.analysis->order[k]]) / 50.0);
        }
        print_message("%zu columns: largest error %.1e\n", p, worst);
        assert_true(worst < 1e-11);
        free(x);
        free(y);
    }
    tw_release(ctx, f.l);
    tw_analysis_release(f.analysis);
}

/* Two groups of 40 variables that know all of a third of 100, but not each other: the group that is eliminated first
 * has 100 rows below it, which are gathered in two tiles. */
static tw_sparse *two_groups(tw_context *ctx)
{
    enum { EACH = 40, ALL = 2 * EACH + 100 };
    static uint32_t row[ALL * ALL], column[ALL * ALL];
    static double value[ALL * ALL];
    tw_sparse *q = NULL;
    size_t count = 0;
    for (uint32_t j = 0; j < ALL; j++)
        for (uint32_t i = j; i < ALL; i++) {
            if (j < EACH && i >= EACH && i < 2 * EACH) continue;
            row[count] = i;
            column[count] = j;
            value[count++] = i == j ? 60.0 : sin(1.0 + i + 7.0 * j) / 3.0;
        }
    assert_int_equal(tw_sparse_new(ctx, ALL, ALL, true, count, row, column, value, &q), TW_OK);
    return q;
}

/* Column j of a factor with c_j entries costs c_j^2. */
static void the_cost_is_that_of_all_columns(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    tw_sparse *q = two_groups(ctx);
    factored f = factor_of(q);
    double flops = 0.0;
    for (size_t s = 0; s < f.analysis->supernodes; s++) {
        tw_supernode node = tw_supernode_get(f.analysis, s);
        for (size_t c = node.m + 1; c <= node.m + node.k; c++) flops += (double)(c * c);
    }
    assert_close(f.analysis->flops, flops, 1e-9 * flops, "flops");
    tw_release(ctx, f.l);
    tw_analysis_release(f.analysis);
    tw_sparse_free(q);
    tw_context_free(ctx);
}

static void solves_and_products_fit_the_matrix(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    tw_sparse *q[2] = {lattice_precision(ctx, 20, 23, 0.2), two_groups(ctx)};
    for (size_t k = 0; k < 2; k++) {
        check_solves_and_products(ctx, q[k]);
        tw_sparse_free(q[k]);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Large enough for dissection: the factor must be of about n log n entries, and the entries of the inverse satisfy
 * Q Q^-1 = I in a column whose neighbours' neighbours are all in the pattern: sum_m Q_im Z_mi = 1. */
static void large_lattices_have_small_factors(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    tw_sparse *q = lattice_precision(ctx, 100, 100, 0.05);
    factored f = factor_of(q);
    print_message("n = %zu: %.1f numbers a variable in the factor, %zu supernodes\n", q->rows,
                  (double)f.analysis->entries / (double)q->rows, f.analysis->supernodes);
    assert_true(f.analysis->entries < 140 * q->rows && f.analysis->supernodes < q->rows / 10);
    double *value = malloc(q->start[q->columns] * sizeof *value), *sum = calloc(q->rows, sizeof *sum);
    assert_true(value && sum);
    assert_int_equal(tw_selected_inverse(q, value, NULL), TW_OK);
    for (size_t j = 0; j < q->columns; j++)
        for (size_t e = q->start[j]; e < q->start[j + 1]; e++) {
            sum[j] += q->value[e] * value[e];
            if (q->row[e] != j) sum[q->row[e]] += q->value[e] * value[e];
        }
    for (size_t j = 0; j < q->columns; j++) assert_close(sum[j], 1.0, 1e-9, "(Q Q^-1)_jj");
    free(value);
    free(sum);
    tw_release(ctx, f.l);
    tw_analysis_release(f.analysis);
    tw_sparse_free(q);
    tw_context_free(ctx);
}

static void a_matrix_that_is_not_positive_definite_is_refused_by_variable(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    const uint32_t row[] = {0, 1, 2, 3, 1}, column[] = {0, 1, 2, 3, 0};
    const double value[] = {2.0, 2.0, -1.0, 2.0, 0.5};
    tw_sparse *q = NULL;
    double log_det;
    assert_int_equal(tw_sparse_new(ctx, 4, 4, true, 5, row, column, value, &q), TW_OK);
    assert_int_equal(tw_selected_inverse(q, NULL, &log_det), TW_NOT_POSITIVE_DEFINITE);
    assert_non_null(strstr(tw_context_message(ctx), "variable 3"));
    tw_sparse *one = NULL; /* and by forms, b' Q^-1 b */
    assert_int_equal(tw_sparse_new(ctx, 4, 1, false, 1, row, row, value, &one), TW_OK);
    assert_int_equal(tw_sparse_forms(q, one, &log_det), TW_NOT_POSITIVE_DEFINITE);
    assert_non_null(strstr(tw_context_message(ctx), "variable 3"));
    tw_sparse_free(one);
    tw_sparse_free(q);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    need_orderings();
    tw_status status = TW_NO_MEMORY;
    for (size_t fail_at = 1; status == TW_NO_MEMORY; fail_at++) {
        failing_allocator allocator = {.fail_at = fail_at};
        tw_context *ctx = failing_context(&allocator);
        const uint32_t row[] = {0, 1, 2}, column[] = {0, 1, 0};
        const double value[] = {2.0, 2.0, 0.5};
        tw_sparse *q = NULL;
        double log_det;
        status = tw_sparse_new(ctx, 3, 3, true, 3, row, column, value, &q);
        if (status == TW_OK) status = tw_selected_inverse(q, NULL, &log_det);
        tw_sparse_free(q);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
    assert_int_equal(status, TW_NOT_POSITIVE_DEFINITE); /* variable 3 has a zero on its diagonal */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selected_inverse_is_the_inverse_on_fifty_random_patterns),
        cmocka_unit_test(solves_and_products_fit_the_matrix),
        cmocka_unit_test(the_cost_is_that_of_all_columns),
        cmocka_unit_test(large_lattices_have_small_factors),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused_by_variable),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
