/* Tests of the transcribed Algorithms 2 to 4: gradients against finite differences, the two branches against
 * each other, and the metric against dense matrices inverted directly. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "reference/reference.h"
#include "support/problem.h"
#include "support/support.h"

static const int sizes[] = {1, 2, 5, 20};
static const double betas[] = {0, 0.3, 1};
enum { size_count = 4, beta_count = 3, n_most = 20 };

/* A problem with a workspace and a typical phase point: x = L^K xi, p standard normal. */
typedef struct fixture {
    test_problem *problem;
    ref_inputs *in;
    ref_workspace *work;
    double x[n_most], p[n_most];
} fixture;

static fixture set_up(int n, bool prior, double beta)
{
    fixture f = {.problem = test_problem_new((size_t)n, 100 + (uint64_t)n, 1e4)};
    f.in = ref_inputs_new(n, f.problem->y, f.problem->k, prior ? NULL : f.problem->tau, f.problem->nu);
    assert_non_null(f.in);
    assert_true(f.in->q_is_prior == prior);
    f.in->beta = beta;
    f.work = ref_workspace_new(n);
    test_random random = {7};
    test_normals(&random, (size_t)n, f.x);
    test_normals(&random, (size_t)n, f.p);
    cblas_dtrmv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, f.in->chol_k, n, f.x, 1);
    return f;
}

static void tear_down(fixture *f)
{
    ref_workspace_free(f->work);
    ref_inputs_free(f->in);
    test_problem_free(f->problem);
}

/* Call check for every size, branch and temperature. */
static void for_all(void (*check)(fixture *f))
{
    for (int i = 0; i < size_count; i++)
        for (int prior = 0; prior < 2; prior++)
            for (int b = 0; b < beta_count; b++) {
                fixture f = set_up(sizes[i], prior, betas[b]);
                check(&f);
                tear_down(&f);
            }
}

typedef double scalar_function(fixture *f);

static double log_density(fixture *f)
{
    double value, gradient[n_most];
    ref_derivatives(f->in, f->x, f->work, &value, gradient);
    return value;
}

static double hamiltonian(fixture *f)
{
    assert_int_equal(ref_point_set(f->in, f->x, f->p, f->work, &f->work->point), REF_FINE);
    return f->work->point.h;
}

/* Central differences in v[i] at h and h/2, extrapolated, with an error of order h^4. */
static double slope(scalar_function *function, fixture *f, double *v, int i)
{
    double centre = v[i], step = 2e-3, difference[2];
    for (int k = 0; k < 2; k++, step /= 2) {
        v[i] = centre + step;
        double above = function(f);
        v[i] = centre - step;
        difference[k] = (above - function(f)) / (2 * step);
    }
    v[i] = centre;
    return (4 * difference[1] - difference[0]) / 3;
}

/* The rounding error of the function, about 1e-13, divided by the step gives 1e-10; 1e-8 allows for h^4. */
static void check_gradient(scalar_function *function, fixture *f, double *v, const double *gradient,
                           const char *what)
{
    int n = f->in->n;
    double expected[n_most];
    memcpy(expected, gradient, (size_t)n * sizeof(double)); /* function() overwrites it */
    double scale = 1 + fabs(expected[cblas_idamax(n, expected, 1)]);
    for (int i = 0; i < n; i++) assert_close(expected[i], slope(function, f, v, i), 1e-8 * scale, what);
}

static void check_log_density_gradient(fixture *f)
{
    double value, gradient[n_most];
    ref_derivatives(f->in, f->x, f->work, &value, gradient);
    check_gradient(log_density, f, f->x, gradient, "dL/dx");
}

static void check_hamiltonian_gradient(fixture *f)
{
    hamiltonian(f);
    check_gradient(hamiltonian, f, f->x, f->work->point.dh_dx, "dH/dx");
    hamiltonian(f);
    check_gradient(hamiltonian, f, f->p, f->work->w, "dH/dp");
}

static void the_gradient_is_that_of_the_log_density(void **state)
{
    (void)state;
    for_all(check_log_density_gradient);
}

static void the_gradient_is_that_of_the_hamiltonian(void **state)
{
    (void)state;
    for_all(check_hamiltonian_gradient);
}

/* The largest entry of a positive definite matrix, which is on its diagonal. */
static double largest_entry(int n, const double *a)
{
    double largest = 0;
    for (int j = 0; j < n; j++) largest = fmax(largest, a[j + j * n]);
    return largest;
}

/* Compare the lower triangles, relative to the largest entry of b. */
static void assert_lower_equal(int n, const double *a, const double *b, double tolerance, const char *what)
{
    double scale = largest_entry(n, b);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) assert_close(a[i + j * n], b[i + j * n], tolerance * scale, what);
}

/* With sites of zero precision, the else-branches must agree with the if-branches. */
static void check_branches_agree(fixture *f)
{
    if (!f->in->q_is_prior) return;
    int n = f->in->n;
    ref_workspace *other = ref_workspace_new(n);
    assert_int_equal(ref_point_set(f->in, f->x, f->p, f->work, &f->work->point), REF_FINE);
    f->in->q_is_prior = false;
    assert_int_equal(ref_point_set(f->in, f->x, f->p, other, &other->point), REF_FINE);
    const ref_metric *a = &f->work->point.metric, *b = &other->point.metric;
    assert_close(a->value, b->value, 1e-10 * (1 + fabs(a->value)), "L");
    assert_close(a->log_det_g, b->log_det_g, 1e-10 * (1 + fabs(a->log_det_g)), "log |G|");
    assert_lower_equal(n, a->g_inv, b->g_inv, 1e-10, "G^-1");
    double scale = 1 + fabs(a->gradient[cblas_idamax(n, a->gradient, 1)]);
    for (int i = 0; i < n; i++) {
        assert_close(a->gradient[i], b->gradient[i], 1e-10 * scale, "dL/dx");
        assert_close(f->work->point.dh_dx[i], other->point.dh_dx[i], 1e-10 * scale, "dH/dx");
    }
    ref_workspace_free(other);
}

static void branches_agree_without_sites(void **state)
{
    (void)state;
    for_all(check_branches_agree);
}

/* Replace the lower triangle of the matrix by that of its inverse; returns log |matrix|. */
static double invert(int n, double *matrix)
{
    double log_det = 0;
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, matrix, n), 0);
    for (int i = 0; i < n; i++) log_det += 2 * log(matrix[i + i * n]);
    assert_int_equal(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, matrix, n), 0);
    return log_det;
}

/* Sigma = L^Sigma (L^Sigma)'. */
static void form_sigma(const ref_inputs *in, double *sigma)
{
    int n = in->n;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            sigma[i + j * n] = cblas_ddot(j + 1, in->chol_sigma + i, n, in->chol_sigma + j, n);
    ref_mirror(n, sigma);
}

/* G = Lambda + beta K^-1 + (1 - beta) Sigma^-1, with all inverses computed directly. */
static void check_metric_is_dense_inverse(fixture *f)
{
    int n = f->in->n;
    double beta = f->in->beta, sigma[n_most * n_most], g[n_most * n_most];
    form_sigma(f->in, sigma);
    memcpy(g, f->in->k, (size_t)(n * n) * sizeof(double));
    invert(n, sigma);
    invert(n, g);
    for (int i = 0; i < n * n; i++) g[i] = beta * g[i] + (1 - beta) * sigma[i];
    for (int i = 0; i < n; i++) g[i + i * n] += beta * ref_probit_terms(f->in->y[i] * f->x[i]).lambda;
    double log_det = invert(n, g);
    ref_metric *metric = &f->work->point.metric;
    assert_int_equal(ref_riemann_metric(f->in, f->x, f->work, metric), REF_FINE);
    assert_close(metric->log_det_g, log_det, 1e-9 * (1 + fabs(log_det)), "log |G|");
    assert_lower_equal(n, metric->g_inv, g, 1e-9, "G^-1");
}

static void the_metric_is_a_dense_inverse(void **state)
{
    (void)state;
    for_all(check_metric_is_dense_inverse);
}

/* log N(x; mean, covariance), with the covariance inverted directly and overwritten. */
static double log_normal(int n, const double *x, const double *mean, double *covariance)
{
    double d[n_most], e[n_most];
    for (int i = 0; i < n; i++) d[i] = x[i] - (mean ? mean[i] : 0);
    double log_det = invert(n, covariance);
    cblas_dsymv(CblasColMajor, CblasLower, n, 1, covariance, n, d, 1, 0, e, 1);
    return -0.5 * (n * log(2 * acos(-1)) + log_det + cblas_ddot(n, d, 1, e, 1));
}

/* L_beta = beta [log likelihood + log prior] + (1 - beta) log q, including the constants, which evidence
 * needs. */
static void check_value_is_normalised(fixture *f)
{
    int n = f->in->n;
    double beta = f->in->beta, k[n_most * n_most], sigma[n_most * n_most], log_lik = 0;
    memcpy(k, f->in->k, (size_t)(n * n) * sizeof(double));
    form_sigma(f->in, sigma);
    for (int i = 0; i < n; i++) log_lik += log(0.5 * erfc(-f->in->y[i] * f->x[i] / sqrt(2)));
    double expected =
        beta * (log_lik + log_normal(n, f->x, NULL, k)) + (1 - beta) * log_normal(n, f->x, f->in->mu, sigma);
    assert_close(log_density(f), expected, 1e-10 * (1 + fabs(expected)), "L");
}

static void value_is_normalised(void **state)
{
    (void)state;
    for_all(check_value_is_normalised);
}

/* The momentum is linear in the normals, p = M xi. It is N(0, G) if and only if M' G^-1 M = I. */
static void check_momentum_has_covariance_g(fixture *f)
{
    int n = f->in->n;
    double m[n_most][n_most], w[n_most];
    ref_metric *metric = &f->work->point.metric;
    assert_int_equal(ref_riemann_metric(f->in, f->x, f->work, metric), REF_FINE);
    for (int j = 0; j < n; j++) {
        double unit[n_most] = {0};
        unit[j] = 1;
        assert_int_equal(ref_draw_momentum(n, metric, unit, f->work, m[j]), REF_FINE);
    }
    for (int j = 0; j < n; j++) {
        cblas_dsymv(CblasColMajor, CblasLower, n, 1, metric->g_inv, n, m[j], 1, 0, w, 1);
        for (int i = 0; i < n; i++) assert_close(cblas_ddot(n, m[i], 1, w, 1), i == j, 1e-10, "M' G^-1 M");
    }
}

static void momentum_has_covariance_g(void **state)
{
    (void)state;
    for_all(check_momentum_has_covariance_g);
}

/* The precomputed inputs satisfy Sigma^-1 = K^-1 + diag(tau) and nu = Sigma^-1 mu, and the log determinants
 * match. */
static void check_inputs(fixture *f)
{
    int n = f->in->n;
    double sigma[n_most * n_most], k_inv[n_most * n_most], nu[n_most];
    form_sigma(f->in, sigma);
    memcpy(k_inv, f->in->k, (size_t)(n * n) * sizeof(double));
    assert_close(f->in->log_det_sigma, invert(n, sigma), 1e-10 * n, "log |Sigma|");
    assert_close(f->in->log_det_k, invert(n, k_inv), 1e-10 * n, "log |K|");
    for (int i = 0; i < n; i++) k_inv[i + i * n] += f->in->q_is_prior ? 0 : f->problem->tau[i];
    assert_lower_equal(n, sigma, k_inv, 1e-9, "Sigma^-1");
    cblas_dsymv(CblasColMajor, CblasLower, n, 1, k_inv, n, f->in->mu, 1, 0, nu, 1);
    double scale = largest_entry(n, k_inv);
    for (int i = 0; i < n; i++)
        assert_close(nu[i], f->in->q_is_prior ? 0 : f->problem->nu[i], 1e-10 * scale, "nu");
}

static void precomputed_inputs_are_consistent(void **state)
{
    (void)state;
    for_all(check_inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precomputed_inputs_are_consistent),
        cmocka_unit_test(value_is_normalised),
        cmocka_unit_test(the_gradient_is_that_of_the_log_density),
        cmocka_unit_test(the_gradient_is_that_of_the_hamiltonian),
        cmocka_unit_test(branches_agree_without_sites),
        cmocka_unit_test(the_metric_is_a_dense_inverse),
        cmocka_unit_test(momentum_has_covariance_g),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
