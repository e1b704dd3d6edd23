/* The tempered path: its three forms against the definition, against each other, and their derivatives.
 *
 * The definition, computed with dense matrices here:  L_b(x) = b [ll(x) + log N(x; 0, K)] + (1-b) log q(x).
 */
#include "talweg/model.h"

#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "linalg/product.h"
#include "linalg/vector.h"
#include "model/model.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 23, P = 4 };

typedef struct fixture {
    tw_context *ctx;
    test_problem *problem;
    tw_model *model;
    double sigma[N * N], mu[N]; /* of the reference made of sites */
} fixture;

static double log_normal(const double *covariance, const double *mean, const double *x)
{
    static double l[N * N];
    double z[N];
    tw_pivot failed;
    assert_true(tw_cholesky(N, covariance, N, l, N, &failed));
    for (size_t i = 0; i < N; i++) z[i] = x[i] - (mean ? mean[i] : 0.0);
    tw_cholesky_half_solve(N, l, N, false, 1, z, N);
    return -0.5 * (tw_dot(N, z, z) + N * log(2 * acos(-1.0)) + tw_cholesky_log_det(N, l, N));
}

static double log_likelihood(const fixture *f, const double *x)
{
    double value[N], sum = 0.0;
    const tw_likelihood *lik = f->model->observed.likelihood;
    lik->terms(OBSERVED(lik, N, f->problem->y, NULL), x, value, NULL, NULL, NULL);
    for (size_t i = 0; i < N; i++) sum += value[i];
    return sum;
}

/* Sigma = (K^-1 + T)^-1 and mu = Sigma nu, through dense inverses. */
static void dense_reference(fixture *f)
{
    static double precision[N * N];
    tw_pivot failed;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) precision[i + j * N] = f->sigma[i + j * N] = i == j;
    static double l[N * N];
    assert_true(tw_cholesky(N, f->problem->k, N, l, N, &failed));
    tw_cholesky_solve(N, l, N, N, precision, N);
    for (size_t i = 0; i < N; i++) precision[i + i * N] += f->problem->tau[i];
    assert_true(tw_cholesky_in_place(N, precision, N, &failed));
    tw_cholesky_solve(N, precision, N, N, f->sigma, N);
    tw_mirror_lower(N, f->sigma, N);
    tw_product_symmetric(N, 1, f->sigma, N, f->problem->nu, N, f->mu, N);
}

static int set_up(void **state)
{
    static fixture f;
    f.ctx = new_context();
    f.problem = test_problem_new(N, 5, 1e3);
    assert_int_equal(tw_model_new(f.ctx, f.problem->k, N,
                                  OBSERVED(tw_likelihood_find("probit"), N, f.problem->y, NULL), 0.0,
                                  &f.model),
                     TW_OK);
    dense_reference(&f);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    tw_model_free(f->model);
    test_problem_free(f->problem);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
    return 0;
}

enum { PRIOR, SITES_OPEN, SITES_FOLDED, GAUSSIAN, CASES };

static tw_reference *make_reference(const fixture *f, int which)
{
    tw_reference *q = NULL;
    if (which == PRIOR)
        assert_int_equal(tw_reference_prior(f->model, &q), TW_OK);
    else if (which == GAUSSIAN)
        assert_int_equal(tw_reference_gaussian(f->model, f->mu, f->sigma, N, &q), TW_OK);
    else
        assert_int_equal(tw_reference_sites(f->model, f->problem->tau, f->problem->nu, &q), TW_OK);
    return q;
}

static void each_form_is_the_density_it_says(void **state)
{
    fixture *f = *state;
    const double betas[] = {0.0, 0.3, 0.85, 1.0};
    double v[N * P], x[N * P], density[P], ll[P], back[N * P], ratio[P], work[N];
    test_random random = {77};
    test_normals(&random, N * P, v);
    for (int which = 0; which < CASES; which++) {
        tw_reference *q = make_reference(f, which);
        tw_target *t = NULL;
        assert_int_equal(
            tw_target_new(f->model, q, which == SITES_FOLDED ? TW_FORM_FOLDED : TW_FORM_OPEN, &t), TW_OK);
        for (size_t b = 0; b < 4; b++) {
            double beta = betas[b];
            assert_int_equal(tw_target_set_temperature(t, beta), TW_OK);
            tw_target_evaluate(t, P, v,
                               &(tw_evaluation){.x = x, .log_density = density, .log_likelihood = ll});
            tw_target_log_ratio(t, P, x, ll, work, ratio);
            tw_target_whiten(t, P, x, back);
            for (size_t j = 0; j < P; j++) {
                const double *xj = x + j * N;
                double prior = log_normal(f->problem->k, NULL, xj);
                double log_q = which == PRIOR ? prior : log_normal(f->sigma, f->mu, xj);
                double expected = beta * (log_likelihood(f, xj) + prior) + (1 - beta) * log_q;
                assert_close(density[j], expected, 1e-9, "L_b");
                assert_close(ll[j], log_likelihood(f, xj), 1e-12, "log likelihood");
                assert_close(ratio[j], ll[j] + prior - log_q, 1e-9, "log ratio");
                for (size_t i = 0; i < N; i++) assert_close(back[i + j * N], v[i + j * N], 1e-10, "whiten");
            }
        }
        tw_target_free(t);
        tw_reference_free(q);
    }
}

/* Open, folded and dense forms of the same q at the same x. */
static void the_forms_agree_with_each_other(void **state)
{
    fixture *f = *state;
    double v[N], x[N], density[CASES];
    test_random random = {78};
    test_normals(&random, N, v);
    for (size_t i = 0; i < N; i++) x[i] = 1.5 * v[i] + 0.3;
    for (int which = SITES_OPEN; which < CASES; which++) {
        tw_reference *q = make_reference(f, which);
        tw_target *t = NULL;
        double again[N];
        assert_int_equal(
            tw_target_new(f->model, q, which == SITES_FOLDED ? TW_FORM_FOLDED : TW_FORM_OPEN, &t), TW_OK);
        assert_int_equal(tw_target_set_temperature(t, 0.37), TW_OK);
        tw_target_whiten(t, 1, x, v);
        tw_target_evaluate(t, 1, v, &(tw_evaluation){.x = again, .log_density = &density[which]});
        for (size_t i = 0; i < N; i++) assert_close(again[i], x[i], 1e-11, "x");
        tw_target_free(t);
        tw_reference_free(q);
    }
    assert_close(density[SITES_FOLDED], density[SITES_OPEN], 1e-10, "folded against open");
    assert_close(density[GAUSSIAN], density[SITES_OPEN], 1e-9, "dense against open");
}

/* Gradient in v by central differences of the density; lambda and dlambda by differences of slope and lambda.
 */
static void derivatives_follow_from_the_density(void **state)
{
    fixture *f = *state;
    enum { H = 2 * N };
    static double v[N * H], x[N * H], slope[N * H], lambda[N * H], dlambda[N * H], gradient[N * H];
    double density[H], centre[N], x0[N], slope0[N], lambda0[N], dlambda0[N], gradient0[N];
    const double h = 1e-5;
    test_random random = {79};
    test_normals(&random, N, centre);
    for (int which = 0; which < CASES; which++) {
        tw_reference *q = make_reference(f, which);
        tw_target *t = NULL;
        assert_int_equal(
            tw_target_new(f->model, q, which == SITES_FOLDED ? TW_FORM_FOLDED : TW_FORM_OPEN, &t), TW_OK);
        assert_int_equal(tw_target_set_temperature(t, 0.4), TW_OK);
        for (size_t j = 0; j < H; j++) {
            memcpy(v + j * N, centre, sizeof centre);
            v[j % N + j * N] += j < N ? h : -h;
        }
        tw_target_evaluate(t, H, v, &(tw_evaluation){x, density, NULL, gradient, slope, lambda, dlambda});
        tw_target_evaluate(t, 1, centre,
                           &(tw_evaluation){x0, NULL, NULL, gradient0, slope0, lambda0, dlambda0});
        for (size_t j = 0; j < N; j++) {
            assert_close((density[j] - density[j + N]) / (2 * h), gradient0[j], 1e-8, "gradient");
            for (size_t i = 0; i < N; i++) {
                double dx = x[i + j * N] - x[i + (j + N) * N];
                if (fabs(dx) < 1e-6) continue;
                double d_slope = (slope[i + j * N] - slope[i + (j + N) * N]) / dx;
                double d_lambda = (lambda[i + j * N] - lambda[i + (j + N) * N]) / dx;
                assert_close(-d_slope, lambda0[i], 1e-7, "lambda");
                assert_close(d_lambda, dlambda0[i], 1e-7, "dlambda");
            }
        }
        tw_target_free(t);
        tw_reference_free(q);
    }
}

/* A column's result may not depend on its neighbours' values, and only by rounding on their number. */
static void columns_do_not_see_each_other(void **state)
{
    fixture *f = *state;
    double v[N * P], x[N * P], density[P], one_x[N], one;
    test_random random = {80};
    tw_reference *q = make_reference(f, SITES_OPEN);
    tw_target *t = NULL;
    assert_int_equal(tw_target_new(f->model, q, TW_FORM_OPEN, &t), TW_OK);
    assert_int_equal(tw_target_set_temperature(t, 0.5), TW_OK);
    test_normals(&random, N * P, v);
    tw_target_evaluate(t, P, v, &(tw_evaluation){.x = x, .log_density = density});
    for (size_t j = 0; j < P; j++) {
        tw_target_evaluate(t, 1, v + j * N, &(tw_evaluation){.x = one_x, .log_density = &one});
        assert_close(one, density[j], 1e-11, "one column at a time");
    }
    tw_target_free(t);
    tw_reference_free(q);
}

/* At b = 0 a likelihood of -inf may not turn into NaN: a Poisson rate that overflows. */
static void no_temperature_no_likelihood(void **state)
{
    (void)state;
    const double k[1] = {1e6}, y[1] = {3.0}, v[1] = {0.9};
    double x, density, slope, lambda, dlambda, gradient;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *q = NULL;
    tw_target *t = NULL;
    assert_int_equal(
        tw_model_new(ctx, k, 1, OBSERVED(tw_likelihood_find("poisson"), 1, y, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_reference_prior(model, &q), TW_OK);
    assert_int_equal(tw_target_new(model, q, TW_FORM_OPEN, &t), TW_OK);
    assert_int_equal(tw_target_set_temperature(t, 0.0), TW_OK);
    tw_target_evaluate(t, 1, v, &(tw_evaluation){&x, &density, NULL, &gradient, &slope, &lambda, &dlambda});
    assert_close(density, -0.5 * (0.81 + log(2 * acos(-1.0) * 1e6)), 1e-12, "the prior");
    assert_true(slope == 0.0 && lambda == 0.0 && dlambda == 0.0);
    assert_close(gradient, -0.9, 0.0, "gradient");
    tw_target_free(t);
    tw_reference_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* A numerically singular K: open and folded forms live on the same range and agree on it. */
static void a_singular_kernel_matrix_works(void **state)
{
    (void)state;
    static double k[N * N];
    double y[N], tau[N], nu[N], v[N], x[N], density[2], again[N];
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *q = NULL;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) k[i + j * N] = 4.0 * exp(-0.5 * pow(((double)i - (double)j) / N, 2));
    for (size_t i = 0; i < N; i++) {
        y[i] = i % 3 ? 1.0 : -1.0;
        tau[i] = 0.3;
        nu[i] = 0.2 * y[i];
        v[i] = cos((double)i);
    }
    assert_int_equal(tw_model_new(ctx, k, N, OBSERVED(tw_likelihood_find("logit"), N, y, NULL), 0.0, &model),
                     TW_OK);
    assert_true(tw_model_describe(model).rank < N);
    assert_int_equal(tw_reference_sites(model, tau, nu, &q), TW_OK);
    for (int form = 0; form < 2; form++) {
        tw_target *t = NULL;
        assert_int_equal(tw_target_new(model, q, form ? TW_FORM_FOLDED : TW_FORM_OPEN, &t), TW_OK);
        assert_int_equal(tw_target_size(t), N);
        assert_int_equal(tw_target_rank(t), tw_model_describe(model).rank);
        assert_int_equal(tw_target_set_temperature(t, 0.6), TW_OK);
        if (form == 1) tw_target_whiten(t, 1, x, v);
        tw_target_evaluate(t, 1, v, &(tw_evaluation){.x = form ? again : x, .log_density = &density[form]});
        tw_target_free(t);
    }
    for (size_t i = 0; i < N; i++) assert_close(again[i], x[i], 1e-9, "x on the range");
    assert_close(density[1], density[0], 1e-8, "folded against open");
    tw_reference *dense = NULL;
    assert_int_equal(tw_reference_gaussian(model, nu, k, N, &dense), TW_BAD_ARGUMENT);
    tw_reference_free(q);
    tw_model_free(model);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void bad_input_is_refused_with_words(void **state)
{
    fixture *f = *state;
    tw_reference *q = make_reference(f, PRIOR);
    tw_target *t = NULL;
    tw_model *model = NULL;
    double tau[N] = {0}, nu[N] = {0}, y[N];
    assert_int_equal(tw_target_new(f->model, q, TW_FORM_OPEN, &t), TW_OK);
    const double bad[] = {-0.1, 1.1, NAN};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tw_target_set_temperature(t, bad[i]), TW_BAD_ARGUMENT);
        assert_non_null(strstr(tw_context_message(f->ctx), "must be in [0, 1]"));
    }
    tw_target_free(t);
    tw_reference_free(q);
    tau[6] = -1.0;
    assert_int_equal(tw_reference_sites(f->model, tau, nu, &q), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(f->ctx), "site 7"));
    assert_int_equal(tw_model_new(f->ctx, f->problem->k, N,
                                  OBSERVED(tw_likelihood_find("student_t"), N, f->problem->y, NULL), 0.0,
                                  &model),
                     TW_OK); /* which is not log-concave: a precision may be negative */
    tau[6] = -1e-3;
    assert_int_equal(tw_reference_sites(model, tau, nu, &q), TW_OK);
    tw_reference_free(q);
    tau[6] = -INFINITY;
    assert_int_equal(tw_reference_sites(model, tau, nu, &q), TW_BAD_ARGUMENT);
    tw_model_free(model);
    model = NULL;
    static double flat[N * N];
    for (size_t i = 0; i < N * N; i++) flat[i] = 1.0;
    assert_int_equal(tw_reference_gaussian(f->model, nu, flat, N, &q), TW_NOT_POSITIVE_DEFINITE);
    assert_non_null(strstr(tw_context_message(f->ctx), "rank 1 of 23, pivot 2"));
    memcpy(y, f->problem->y, sizeof y);
    y[11] = 0.5;
    assert_int_equal(tw_model_new(f->ctx, f->problem->k, N,
                                  OBSERVED(tw_likelihood_find("probit"), N, y, NULL), 0.0, &model),
                     TW_BAD_DATA);
    assert_non_null(strstr(tw_context_message(f->ctx), "observation 12 is 0.5"));
    assert_int_equal(
        tw_model_new(f->ctx, flat, 1, OBSERVED(tw_likelihood_find("probit"), 0, y, NULL), 0.0, &model),
        TW_BAD_DATA);
}

static void every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    for (int which = 0; which < CASES; which++)
        for (size_t at = 1;; at++) {
            failing_allocator allocator = {.fail_at = at};
            tw_context *ctx = failing_context(&allocator);
            tw_model *model = NULL;
            tw_reference *q = NULL;
            tw_target *t = NULL;
            tw_status status =
                tw_model_new(ctx, f->problem->k, N,
                             OBSERVED(tw_likelihood_find("probit"), N, f->problem->y, NULL), 0.0, &model);
            if (status == TW_OK)
                status = which == PRIOR      ? tw_reference_prior(model, &q)
                         : which == GAUSSIAN ? tw_reference_gaussian(model, f->mu, f->sigma, N, &q)
                                             : tw_reference_sites(model, f->problem->tau, f->problem->nu, &q);
            if (status == TW_OK)
                status = tw_target_new(model, q, which == SITES_FOLDED ? TW_FORM_FOLDED : TW_FORM_OPEN, &t);
            if (status != TW_OK) assert_int_equal(status, TW_NO_MEMORY);
            tw_target_free(t);
            tw_reference_free(q);
            tw_model_free(model);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            tw_context_free(ctx);
            if (status == TW_OK) break;
            assert_true(at < 40);
        }
}

/* At numbers of single precision: the slopes of tw_target_sites, to single precision. The probit likelihood has slopes of its own, and
 * the logit likelihood has those of its terms. */
static void slopes_in_single_precision_are_the_same(void **state)
{
    fixture *f = *state;
    const char *const likelihoods[] = {"probit", "logit"};
    const double betas[] = {0.0, 0.3, 1.0};
    double x[N], slope[N];
    float narrow[N], found[N];
    test_random random = {78};
    test_normals(&random, N, x);
    for (size_t i = 0; i < N; i++) x[i] = (double)(narrow[i] = (float)(3.0 * x[i]));
    for (size_t k = 0; k < 6; k++) {
        const tw_likelihood *likelihood = tw_likelihood_find(likelihoods[k / 3]);
        tw_model *model = NULL;
        tw_reference *q = NULL;
        tw_target *t = NULL;
        assert_int_equal(
            tw_model_new(f->ctx, f->problem->k, N, OBSERVED(likelihood, N, f->problem->y, NULL), 0.0, &model),
            TW_OK);
        assert_int_equal(tw_reference_sites(model, f->problem->tau, f->problem->nu, &q), TW_OK);
        assert_int_equal(tw_target_new(model, q, TW_FORM_OPEN, &t), TW_OK);
        assert_int_equal(tw_target_set_temperature(t, betas[k % 3]), TW_OK);
        tw_target_sites(t, x, slope, NULL, NULL, NULL);
        tw_target_slopes_single(t, narrow, found);
        for (size_t i = 0; i < N; i++)
            assert_close((double)found[i], slope[i], 2e-6 * (1.0 + fabs(slope[i])), "slope");
        tw_target_free(t);
        tw_reference_free(q);
        tw_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_is_the_density_it_says),
        cmocka_unit_test(the_forms_agree_with_each_other),
        cmocka_unit_test(derivatives_follow_from_the_density),
        cmocka_unit_test(slopes_in_single_precision_are_the_same),
        cmocka_unit_test(columns_do_not_see_each_other),
        cmocka_unit_test(no_temperature_no_likelihood),
        cmocka_unit_test(a_singular_kernel_matrix_works),
        cmocka_unit_test(bad_input_is_refused_with_words),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
