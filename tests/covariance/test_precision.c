/* Kernels with a sparse precision: ar1 against its covariances, fields on a lattice against their definition
 * by dense matrices and against Matern correlations, models with them, and refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/precision.h"
#include "model/model.h"
#include "support/problem.h"
#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/approximate.h"

/* The precision of a kernel without a design. */
static tw_status precision_of(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                              tw_sparse **q)
{
    tw_precision p;
    tw_status status = tw_kernel_precision(kernel, n, d, x, ldx, &p);
    assert_null(p.design);
    *q = p.q;
    return status;
}

enum { TIMES = 40 };

/* Times in no order, at distances from 0.01 to 10. */
static void make_times(double *t)
{
    test_random random = {3};
    double now = 0.0;
    for (size_t i = 0; i < TIMES; i++) {
        now += exp(log(0.01) + log(1000.0) * test_uniform(&random));
        t[(i * 17) % TIMES] = now;
    }
}

static void a_chain_has_the_covariances_of_its_kernel(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "ar1(ell=3, sigma=1.7)");
    double t[TIMES], k[TIMES * TIMES], log_det;
    tw_sparse *q = NULL;
    make_times(t);
    assert_int_equal(precision_of(kernel, TIMES, 1, t, TIMES, &q), TW_OK);
    assert_non_null(q);
    assert_int_equal(q->start[TIMES], 2 * TIMES - 1);
    assert_int_equal(tw_kernel_gram(kernel, TIMES, 1, t, TIMES, k, TIMES), TW_OK);
    double *inverse = full_inverse(q, &log_det);
    for (size_t i = 0; i < TIMES * TIMES; i++) assert_close(inverse[i], k[i], 1e-11, "a covariance");
    free(inverse);
    tw_sparse_free(q);
    t[7] = t[8]; /* one variable for both */
    tw_precision p;
    assert_int_equal(tw_kernel_precision(kernel, TIMES, 1, t, TIMES, &p), TW_OK);
    assert_int_equal(p.q->rows, TIMES - 1);
    assert_false(p.hidden);
    assert_int_equal(tw_kernel_gram(kernel, TIMES, 1, t, TIMES, k, TIMES), TW_OK);
    inverse = full_inverse(p.q, &log_det);
    double *c = full_matrix(p.design);
    for (size_t i = 0; i < TIMES * TIMES; i++) {
        size_t a = 0, b = 0;
        while (c[i % TIMES + a * TIMES] == 0.0) a++;
        while (c[i / TIMES + b * TIMES] == 0.0) b++;
        assert_close(inverse[a + b * p.q->rows], k[i], 1e-11, "a covariance");
    }
    free(c);
    free(inverse);
    tw_precision_release(&p);
    t[7] = t[8] * (1.0 + 1e-15); /* too near: the covariances serve then */
    assert_int_equal(precision_of(kernel, TIMES, 1, t, TIMES, &q), TW_OK);
    assert_null(q);
    tw_kernel_free(kernel);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Cells of an ell-shaped lattice with spacings 0.5 and 2, in no order. */
enum { CELLS = 24 };
static void make_cells(double *x)
{
    size_t count = 0;
    for (size_t a = 0; a < 6; a++)
        for (size_t b = 0; b < 6; b++) {
            if (a >= 2 && b >= 3) continue;
            size_t i = (count++ * 7) % CELLS;
            x[i] = 10.0 + 0.5 * (double)a;
            x[i + CELLS] = -3.0 + 2.0 * (double)b;
        }
    assert_int_equal(count, CELLS);
}

/* C = A B, in full. */
static void product(size_t n, const double *a, const double *b, double *c)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            c[i + j * n] = 0.0;
            for (size_t k = 0; k < n; k++) c[i + j * n] += a[i + k * n] * b[k + j * n];
        }
}

static void a_lattice_has_the_precision_of_its_equation(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double x[2 * CELLS], k[CELLS * CELLS], power[2][CELLS * CELLS];
    make_cells(x);
    for (unsigned a = 2; a <= 3; a++) {
        tw_kernel *kernel = new_kernel(ctx, a == 2 ? "spde(1, 2, ell=(1.5, 5), sigma=2)"
                                                   : "spde2(1, 2, ell=(1.5, 5), sigma=2)");
        double nu = a - 1.0, d[2] = {1.5 * 1.5 / (2.0 * nu), 25.0 / (2.0 * nu)}, h[2] = {0.5, 2.0};
        double scale = h[0] * h[1] / (4.0 * nu * acos(-1.0) * 4.0 * sqrt(d[0] * d[1]));
        tw_sparse *q = NULL;
        for (size_t i = 0; i < CELLS; i++) {
            for (size_t j = 0; j < CELLS; j++) k[i + j * CELLS] = i == j ? 1.0 : 0.0;
            for (size_t j = 0; j < CELLS; j++)
                for (size_t c = 0; c < 2; c++) {
                    double along = fabs(x[i + c * CELLS] - x[j + c * CELLS]),
                           across = fabs(x[i + (1 - c) * CELLS] - x[j + (1 - c) * CELLS]);
                    if (fabs(along - h[c]) > 1e-9 || across > 1e-9) continue;
                    k[i + j * CELLS] -= d[c] / (h[c] * h[c]);
                    k[i + i * CELLS] += d[c] / (h[c] * h[c]);
                }
        }
        product(CELLS, k, k, power[0]);
        product(CELLS, k, power[0], power[1]);
        assert_int_equal(precision_of(kernel, CELLS, 2, x, CELLS, &q), TW_OK);
        double *full = full_matrix(q);
        for (size_t i = 0; i < CELLS * CELLS; i++)
            assert_close(full[i], scale * power[a - 2][i], 1e-10 * scale * power[a - 2][0], "an entry of Q");
        free(full);
        tw_sparse_free(q);
        tw_kernel_free(kernel);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* r K_1(r), Matern's correlation for nu = 1: K_1(r) is the integral of exp(-r cosh t) cosh t over t > 0. */
static double matern1(double r)
{
    double sum = 0.5 * exp(-r);
    for (int i = 1; i < 4000; i++) sum += exp(-r * cosh(0.01 * i)) * cosh(0.01 * i);
    return 0.01 * r * sum;
}

/* The covariance at a lag along one input on the endless lattice, nu = 1: the inverse of Q by its Fourier transform, with
 * frequencies of a periodic lattice that is 50 length scales wide. */
static double endless(double ell, double sigma, int lag)
{
    enum { WAVES = 400 };
    double d = 0.5 * ell * ell, sum = 0.0, step = 2.0 * acos(-1.0) / WAVES;
    for (int a = 0; a < WAVES; a++)
        for (int b = 0; b < WAVES; b++) {
            double k = 1.0 + d * (4.0 - 2.0 * cos(step * a) - 2.0 * cos(step * b));
            sum += cos(step * a * lag) / (k * k);
        }
    return 4.0 * acos(-1.0) * sigma * sigma * d * sum / ((double)WAVES * WAVES);
}

/* In the middle of a lattice 10 length scales wide the boundary counts for exp(-14), so covariances are those of the endless
 * lattice; with 8 spacings a length scale they are Matern's to some percent. */
static void fields_are_matern_in_the_middle(void **state)
{
    (void)state;
    need_orderings();
    enum { SIDE = 80 };
    tw_context *ctx = new_context();
    tw_kernel *kernel = new_kernel(ctx, "spde(1, 2, ell=8, sigma=1.5)");
    double *x = malloc(2 * SIDE * SIDE * sizeof *x), variance = 0.0, covariance = 0.0;
    tw_sparse *q = NULL;
    assert_non_null(x);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        size_t row = i / SIDE, column = i % SIDE;
        x[i] = (double)row;
        x[i + SIDE * SIDE] = (double)column;
    }
    assert_int_equal(precision_of(kernel, SIDE * SIDE, 2, x, SIDE * SIDE, &q), TW_OK);
    double *z = malloc(q->start[q->columns] * sizeof *z);
    assert_non_null(z);
    assert_int_equal(tw_selected_inverse(q, z, NULL), TW_OK);
    size_t middle = SIDE / 2 * SIDE + SIDE / 2;
    for (size_t e = q->start[middle]; e < q->start[middle + 1]; e++) {
        if (q->row[e] == middle) variance = z[e];
        if (q->row[e] == middle + 2) covariance = z[e];
    }
    double expected = matern1(sqrt(2.0) * 2.0 / 8.0);
    print_message("variance %.4f of 2.25, correlation %.4f of %.4f\n", variance, covariance / variance,
                  expected);
    assert_close(variance, endless(8.0, 1.5, 0), 1e-4, "variance");
    assert_close(covariance, endless(8.0, 1.5, 2), 1e-4, "covariance");
    assert_close(variance, 2.25, 0.05 * 2.25, "variance");
    assert_close(covariance / variance, expected, 0.02, "correlation");
    free(x);
    free(z);
    tw_sparse_free(q);
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

/* ---- models ---- */

static tw_problem *problem_of(tw_context *ctx, const char *kernel, size_t n, size_t d, const double *x,
                              const double *y)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson"), .kernel = new_kernel(ctx, kernel)};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, n, d, x, n, y, &parts.data), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

/* ar1 and matern12 are one process: log Z and its derivatives agree. */
static void a_chain_is_the_same_model_as_its_covariances(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    double t[TIMES], y[TIMES], gradient[2][2];
    tw_approximation *ep[2];
    tw_problem *problem[2];
    tw_ep_options tight = TW_EP_DEFAULTS;
    tight.site_tolerance = 1e-11;
    make_times(t);
    for (size_t i = 0; i < TIMES; i++) y[i] = (double)(i * i % 5);
    for (size_t m = 0; m < 2; m++) {
        problem[m] =
            problem_of(ctx, m ? "ar1(ell=3, sigma=0.7)" : "matern12(ell=3, sigma=0.7)", TIMES, 1, t, y);
        assert_int_equal(tw_ep_fit(problem[m]->model, &tight, &ep[m]), TW_OK);
        assert_int_equal(tw_approximation_gradient(problem[m], ep[m], gradient[m]), TW_OK);
    }
    assert_string_equal(problem[1]->model->prior->kind->name, "a sparse Gaussian");
    assert_close(ep[1]->log_z, ep[0]->log_z, 1e-8, "log Z");
    for (size_t j = 0; j < 2; j++) assert_close(gradient[1][j], gradient[0][j], 1e-6, "a derivative");
    for (size_t m = 0; m < 2; m++) {
        tw_approximation_free(ep[m]);
        tw_problem_free(problem[m]);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void count_dense(void *user, const tw_warning *warning)
{
    if (warning->code == TW_WARN_DENSE) ++*(size_t *)user;
}

/* Above 5,000 cases a dense leaf beside a sparse one is worth a warning before memory is asked for, of which there is too little here. */
static void a_dense_leaf_beside_a_sparse_one_is_warned_of(void **state)
{
    (void)state;
    need_orderings();
    enum { MOST = 5001 };
    static double t[MOST], y[MOST];
    for (size_t i = 0; i < MOST; i++) t[i] = (double)i;
    for (size_t n = MOST - 1; n <= MOST; n++) {
        tw_context *ctx = new_context();
        size_t warnings = 0;
        tw_problem *problem = NULL;
        tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson"),
                                  .kernel = new_kernel(ctx, "rw1(1) + se(1)")};
        assert_int_equal(tw_data_new(ctx, n, 1, t, n, y, &parts.data), TW_OK);
        tw_context_set_byte_limit(ctx, tw_context_bytes_in_use(ctx) + ((size_t)1 << 24));
        tw_context_set_warn(ctx, count_dense, &warnings);
        assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_NO_MEMORY);
        assert_int_equal(warnings, n > 5000);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

static void what_cannot_be_is_refused_with_words(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double x[3 * CELLS], k[CELLS * CELLS];
    tw_kernel *field = new_kernel(ctx, "spde(1, 2)"), *sum = new_kernel(ctx, "spde(1, 2) + constant"),
              *all = new_kernel(ctx, "spde");
    tw_sparse *q = NULL;
    make_cells(x);
    for (size_t i = 0; i < CELLS; i++) x[i + 2 * CELLS] = 0.0;
    assert_int_equal(tw_kernel_gram(field, CELLS, 2, x, CELLS, k, CELLS), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "not a covariance function"));
    assert_int_equal(tw_kernel_gram(sum, CELLS, 2, x, CELLS, k, CELLS), TW_BAD_ARGUMENT);
    assert_int_equal(tw_kernel_cross(field, CELLS, 2, x, CELLS, 1, x, CELLS, k, CELLS), TW_BAD_ARGUMENT);
    assert_int_equal(precision_of(all, CELLS, 3, x, CELLS, &q), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "two inputs, not 3"));
    double before = x[5];
    x[5] += 0.2;
    assert_int_equal(precision_of(field, CELLS, 2, x, CELLS, &q), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "not on a lattice"));
    x[5] = before;
    x[6] = x[5];
    x[6 + CELLS] = x[5 + CELLS];
    assert_int_equal(precision_of(field, CELLS, 2, x, CELLS, &q), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "in the same cell"));
    for (size_t i = 0; i < CELLS; i++) x[i] = 1.0;
    assert_int_equal(precision_of(field, CELLS, 2, x, CELLS, &q), TW_BAD_DATA);
    assert_null(q);
    tw_kernel_free(field);
    tw_kernel_free(sum);
    tw_kernel_free(all);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_the_covariances_of_its_kernel),
        cmocka_unit_test(a_lattice_has_the_precision_of_its_equation),
        cmocka_unit_test(fields_are_matern_in_the_middle),
        cmocka_unit_test(a_chain_is_the_same_model_as_its_covariances),
        cmocka_unit_test(a_dense_leaf_beside_a_sparse_one_is_warned_of),
        cmocka_unit_test(what_cannot_be_is_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
