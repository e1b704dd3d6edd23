/* The Gaussian with a sparse precision against the dense kind: eliminated in an order with little fill, with
 * and without a design matrix; and its cost. (gaussian.seam runs all methods on it.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gaussian/curved.h"
#include "gaussian/dense.h"
#include "gaussian/sparse.h"
#include "model/model.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { ROWS = 20, COLUMNS = 25, N = ROWS * COLUMNS, SITES = 90, VARIABLES = 40 };

/* Sites that look at one, two or three of VARIABLES variables, each variable by itself at least once. */
static tw_sparse *design_matrix(tw_context *ctx)
{
    uint32_t row[3 * SITES], column[3 * SITES];
    double value[3 * SITES];
    size_t count = 0;
    tw_sparse *c = NULL;
    for (uint32_t i = 0; i < SITES; i++)
        for (uint32_t k = 0; k <= (i < VARIABLES ? 0 : i % 3); k++, count++) {
            row[count] = i;
            column[count] = (i * 7 + k * 11) % VARIABLES;
            value[count] = 1.0 - 0.3 * k;
        }
    for (uint32_t i = 0; i < VARIABLES; i++) column[i] = i;
    assert_int_equal(tw_sparse_new(ctx, SITES, VARIABLES, false, count, row, column, value, &c), TW_OK);
    return c;
}

/* ---- intrinsic priors: Q V = 0 ---- */

enum { CASES = 5, MOST_VARIABLES = 120 };

/* Second differences of n variables, whose null space is {1, t}; or first differences on a lattice, and {1}. */
static tw_sparse *differences(tw_context *ctx, size_t rows, size_t columns)
{
    uint32_t row[6 * MOST_VARIABLES], column[6 * MOST_VARIABLES];
    double value[6 * MOST_VARIABLES], dense[MOST_VARIABLES * 8] = {0}; /* by diagonals */
    size_t n = rows * columns, count = 0;
    tw_sparse *q = NULL;
    const double second[3] = {1.0, -2.0, 1.0};
    for (size_t i = 0; rows == 1 && i + 2 < n; i++)
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b <= a; b++) dense[(i + b) * 8 + a - b] += second[a] * second[b];
    for (size_t i = 0; rows > 1 && i < n; i++)
        for (size_t step = 1; step <= columns; step += columns - 1) {
            if (step == 1 ? i % columns == columns - 1 : i + step >= n) continue;
            dense[i * 8] += 1.0;
            dense[(i + step) * 8] += 1.0;
            dense[i * 8 + step] -= 1.0;
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t step = 0; step < 8 && i + step < n; step++)
            if (dense[i * 8 + step] != 0.0) {
                row[count] = i + step;
                column[count] = i;
                value[count++] = dense[i * 8 + step];
            }
    assert_int_equal(tw_sparse_new(ctx, n, n, true, count, row, column, value, &q), TW_OK);
    return q;
}

/* 1/n^1/2, and t without its mean, of length 1. */
static tw_constraints constraints_of(size_t n, size_t count, double *v)
{
    tw_constraints c = {.count = count, .v = v, .pin = {0, n - 1}};
    double middle = 0.5 * (double)(n - 1), square = 0.0;
    for (size_t i = 0; i < n; i++) {
        v[i] = 1.0 / sqrt((double)n);
        v[i + n] = (double)i - middle;
        square += v[i + n] * v[i + n];
    }
    for (size_t i = 0; i < n; i++) v[i + n] /= sqrt(square);
    return c;
}

/* (Q + V V')^-1 - V V' where Q V = 0. Free with free(). */
static double *intrinsic_inverse(const tw_sparse *q, const tw_constraints *with, double *log_det)
{
    size_t n = q->rows, count = 0;
    uint32_t *row = calloc(n * n, sizeof *row), *column = calloc(n * n, sizeof *column);
    double *full = full_matrix(q);
    tw_sparse *sum = NULL;
    assert_true(row && column);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++, count++) {
            row[count] = (uint32_t)i;
            column[count] = (uint32_t)j;
            full[count] = full[i + j * n];
            for (size_t k = 0; k < with->count; k++) full[count] += with->v[i + k * n] * with->v[j + k * n];
        }
    assert_int_equal(tw_sparse_new(q->ctx, n, n, true, count, row, column, full, &sum), TW_OK);
    double *inverse = full_inverse(sum, log_det);
    for (size_t k = 0; k < with->count; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) inverse[i + j * n] -= with->v[i + k * n] * with->v[j + k * n];
    tw_sparse_free(sum);
    free(row);
    free(column);
    free(full);
    return inverse;
}

/* A prior: Q, a design or none, constraints or none. */
typedef struct sparse_prior {
    tw_sparse *q, *design;
    tw_constraints constraints;
    double v[2 * MOST_VARIABLES];
} sparse_prior;

static void fill_prior(tw_context *ctx, size_t k, sparse_prior *p)
{
    *p = (sparse_prior){.q = k == 0   ? lattice_precision(ctx, 6, 9, 0.4)
                             : k == 1 ? random_precision(ctx, 8, VARIABLES, 3.0)
                             : k == 2 ? differences(ctx, 1, 40)
                                      : differences(ctx, k == 3 ? 9 : 8, k == 3 ? 6 : VARIABLES / 8)};
    if (k == 1 || k == 4) p->design = design_matrix(ctx);
    if (k >= 2) p->constraints = constraints_of(p->q->rows, k == 2 ? 2 : 1, p->v);
}

static tw_gaussian *prior_gaussian(tw_context *ctx, const sparse_prior *p)
{
    tw_gaussian *g = NULL;
    assert_int_equal(
        tw_gaussian_sparse_new(ctx, p->q, p->design, &p->constraints, TW_ELIMINATION_LITTLE_FILL, &g), TW_OK);
    return g;
}

static void prior_free(sparse_prior *p)
{
    tw_sparse_free(p->design);
    tw_sparse_free(p->q);
}

/* C Q^-1 C', n x n, and log |Q|, without its null space. Free with free(). */
static double *covariance(const sparse_prior *p, double *log_det)
{
    const tw_sparse *c = p->design;
    double *inverse = p->constraints.count ? intrinsic_inverse(p->q, &p->constraints, log_det)
                                           : full_inverse(p->q, log_det);
    if (!c) return inverse;
    size_t n = c->rows, r = c->columns;
    double *full = full_matrix(c), *a = calloc(n * n, sizeof *a);
    assert_non_null(a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < r; k++)
                for (size_t l = 0; l < r && full[i + k * n] != 0.0; l++)
                    a[i + j * n] += full[i + k * n] * inverse[k + l * r] * full[j + l * n];
    free(inverse);
    free(full);
    return a;
}

/* F F' X = A X, blocks, variances; F (F^-1 F w) = F w; conditioned likewise by sites. */
static void check_products(const tw_gaussian *g, const double *a)
{
    enum { P = 19 };
    size_t n = g->n, r = g->r;
    test_random random = {5};
    double *x = malloc(n * P * sizeof *x), *y = malloc(n * P * sizeof *y), *w = malloc(r * P * sizeof *w),
           *z = malloc(n * P * sizeof *z), worst = 0.0, largest = 1.0;
    assert_true(x && y && w && z);
    test_normals(&random, n * P, x);
    tw_gaussian_pull_back(g, P, x, w);
    tw_gaussian_spread(g, P, w, y);
    tw_gaussian_multiply(g, P, x, z);
    for (size_t j = 0; j < P; j++)
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) sum += a[i + k * n] * x[k + j * n];
            worst = fmax(worst, fmax(fabs(sum - y[i + j * n]), fabs(sum - z[i + j * n])));
            largest = fmax(largest, fabs(sum));
        }
    tw_gaussian_solve(g, P, y, w);
    tw_gaussian_spread(g, P, w, z);
    for (size_t i = 0; i < n * P; i++) worst = fmax(worst, fabs(y[i] - z[i]));
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(g->variance[i] - a[i + i * n]));
    tw_gaussian_block(g, 3, 7, 1, P, z);
    for (size_t j = 0; j < P; j++)
        for (size_t i = 0; i < 7; i++) worst = fmax(worst, fabs(z[i + j * 7] - a[3 + i + (1 + j) * n]));
    print_message("largest error %.1e\n", worst);
    assert_true(worst < 1e-9 * largest);
    free(x);
    free(y);
    free(w);
    free(z);
}

/* With and without a design matrix; the factor L' itself has a regular transpose only without. */
static void products_are_those_of_the_covariance(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    for (size_t k = 0; k < CASES; k++) {
        sparse_prior p;
        tw_gaussian *sub = NULL;
        const size_t index[3] = {7, 2, 31};
        fill_prior(ctx, k, &p);
        tw_gaussian *g = prior_gaussian(ctx, &p);
        double log_det, *a = covariance(&p, &log_det);
        assert_int_equal(g->r, p.q->rows - p.constraints.count);
        check_products(g, a);
        assert_int_equal(tw_gaussian_marginal(g, 3, index, &sub), TW_OK);
        for (size_t i = 0; i < 3; i++)
            assert_close(sub->variance[i], a[index[i] * (g->n + 1)], 1e-9 * (1.0 + sub->variance[i]),
                         "a variance");
        tw_gaussian_free(sub);
        tw_gaussian_free(g);
        free(a);
        prior_free(&p);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The curved metric of both kinds, of the prior and of one that is conditioned: (2) to (6) of docs/gaussians.md. */
static void compare_curved(const tw_gaussian *dense, const tw_gaussian *sparse)
{
    const tw_gaussian *base[2] = {dense, sparse};
    size_t n = dense->n;
    double *out[2], lambda[SITES], g[SITES], k[SITES], tau[SITES], nu[SITES] = {0.0}, explained[2], log_z[2];
    for (size_t i = 0; i < n; i++) {
        lambda[i] = 0.3 + (double)(i % 5);
        tau[i] = 0.2 * (double)(i % 4);
        g[i] = cos((double)i);
    }
    for (size_t m = 0; m < 2; m++) {
        tw_curved *c = NULL;
        tw_gaussian *made = NULL;
        out[m] = calloc(5 * n + 1, sizeof *out[m]);
        assert_non_null(out[m]);
        assert_int_equal(tw_gaussian_like(base[m], true, &made), TW_OK);
        assert_true(tw_gaussian_condition(base[m], 1.0, tau, nu, made, &log_z[m]));
        assert_int_equal(tw_curved_new(made, n, &c), TW_OK);
        assert_true(tw_curved_factor(c, made, lambda, 0.0));
        tw_gaussian_multiply(base[0], 1, g, k); /* velocities are asked of vectors in the range of F */
        tw_curved_velocity(c, k, out[m], out[m] + n);
        tw_curved_respond(c, g, out[m] + 2 * n, out[m] + 3 * n);
        tw_curved_explain(c, 1, k, &explained[m]);
        tw_curved_diagonal(c, out[m] + 4 * n);
        out[m][5 * n] = c->log_det;
        tw_curved_free(c);
        tw_gaussian_free(made);
    }
    for (size_t i = 0; i < 5 * n + 1; i++) assert_close(out[1][i], out[0][i], 1e-8, "a curved metric");
    assert_close(explained[1], explained[0], 1e-8 * (1.0 + explained[0]), "what is explained");
    assert_close(log_z[1], log_z[0], 1e-9, "log Z of Gaussian sites");
    free(out[0]);
    free(out[1]);
}

static void curved_metrics_are_those_of_the_dense_kind(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    for (size_t k = 0; k < CASES; k++) {
        sparse_prior p;
        tw_gaussian *dense = NULL;
        tw_gaussian_report report;
        fill_prior(ctx, k, &p);
        tw_gaussian *sparse = prior_gaussian(ctx, &p);
        double log_det, *a = covariance(&p, &log_det);
        size_t n = sparse->n;
        assert_int_equal(tw_gaussian_dense_new(ctx, n, a, n, &dense), TW_OK);
        assert_int_equal(tw_gaussian_dense_factor(dense, 0.0, &report), TW_OK);
        if (!p.design) assert_close(sparse->log_det, -log_det, 1e-9, "log determinant");
        if (p.design && !p.constraints.count)
            assert_close(sparse->log_det, dense->log_det, 1e-6,
                         "log determinant"); /* K is singular: rounding of K */
        compare_curved(dense, sparse);
        tw_gaussian_free(dense);
        tw_gaussian_free(sparse);
        free(a);
        prior_free(&p);
    }
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A lattice of 500 sites, Poisson counts: log Z by Laplace and EP, means and variances, as the dense kind has them. */
static void laplace_and_ep_are_those_of_the_dense_kind(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    tw_sparse *q = lattice_precision(ctx, ROWS, COLUMNS, 0.3);
    double log_det, *k = full_inverse(q, &log_det), y[N];
    tw_model *model[2] = {NULL, NULL};
    tw_approximation *fit[2][2];
    tw_ep_options tight = TW_EP_DEFAULTS;
    const tw_likelihood *poisson = tw_likelihood_find("poisson");
    tight.site_tolerance = 1e-11;
    for (size_t i = 0; i < N; i++) y[i] = (double)((i * i + i / COLUMNS) % 5);
    assert_int_equal(tw_model_new(ctx, k, N, OBSERVED(poisson, N, y, NULL), 0.0, &model[0]), TW_OK);
    assert_int_equal(tw_model_from_precision(q, NULL, OBSERVED(poisson, N, y, NULL), &model[1]), TW_OK);
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(tw_laplace_fit(model[m], NULL, &fit[m][0]), TW_OK);
        assert_int_equal(tw_ep_fit(model[m], &tight, &fit[m][1]), TW_OK);
    }
    for (size_t f = 0; f < 2; f++) {
        print_message("log Z %.10f dense, %.10f sparse\n", fit[0][f]->log_z, fit[1][f]->log_z);
        assert_close(fit[1][f]->log_z, fit[0][f]->log_z, 1e-8, "log Z");
        for (size_t i = 0; i < N; i++) {
            assert_close(fit[1][f]->mean[i], fit[0][f]->mean[i], 1e-8, "a mean");
            assert_close(fit[1][f]->variance[i], fit[0][f]->variance[i], 1e-8, "a variance");
        }
    }
    for (size_t m = 0; m < 2; m++) {
        tw_approximation_free(fit[m][0]);
        tw_approximation_free(fit[m][1]);
        tw_model_free(model[m]);
    }
    free(k);
    tw_sparse_free(q);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void what_cannot_be_is_refused_with_words(void **state)
{
    (void)state;
    need_orderings();
    tw_context *ctx = new_context();
    tw_sparse *q = random_precision(ctx, 8, 4, 1.0), *c = NULL;
    tw_gaussian *g = NULL;
    const uint32_t row[] = {0, 1, 2, 3, 4}, column[] = {0, 1, 3, 0, 1};
    const double value[] = {1.0, 1.0, 1.0, 1.0, 1.0};
    assert_int_equal(tw_sparse_new(ctx, 5, 4, false, 5, row, column, value, &c), TW_OK);
    assert_int_equal(tw_gaussian_sparse_new(ctx, q, c, NULL, TW_ELIMINATION_LITTLE_FILL, &g), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "does not determine variable 3"));
    tw_sparse_free(c);
    assert_int_equal(tw_sparse_new(ctx, 5, 5, false, 5, row, column, value, &c), TW_OK);
    assert_int_equal(tw_gaussian_sparse_new(ctx, q, c, NULL, TW_ELIMINATION_LITTLE_FILL, &g), TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(ctx), "5 columns, but the precision matrix has 4 variables"));
    assert_int_equal(tw_gaussian_sparse_new(ctx, q, q, NULL, TW_ELIMINATION_LITTLE_FILL, &g),
                     TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "must be stored in full, not as a symmetric matrix"));
    assert_int_equal(tw_gaussian_sparse_new(ctx, c, NULL, NULL, TW_ELIMINATION_LITTLE_FILL, &g),
                     TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "a precision matrix must be symmetric"));
    q->value[q->start[2]] = -3.0;
    assert_int_equal(tw_gaussian_sparse_new(ctx, q, NULL, NULL, TW_ELIMINATION_LITTLE_FILL, &g),
                     TW_NOT_POSITIVE_DEFINITE);
    assert_non_null(strstr(tw_context_message(ctx), "variable"));
    assert_null(g);
    tw_sparse_free(c);
    tw_sparse_free(q);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_covariance),
        cmocka_unit_test(curved_metrics_are_those_of_the_dense_kind),
        cmocka_unit_test(laplace_and_ep_are_those_of_the_dense_kind),
        cmocka_unit_test(what_cannot_be_is_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
