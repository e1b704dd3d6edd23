/* Joint draws at new inputs: at the training inputs they are the draws themselves; elsewhere, given one x,
 * their mean and covariance are k' K^-1 x and k** - k' K^-1 k, by elimination.
 *
 * False alarms: 4 means and 10 covariances within 5 standard errors at 6e-7 each: 1e-5 in all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"
#include "support/observe.h"
#include "support/sparse_case.h"
#include "support/support.h"
#include "talweg/covariance.h"
#include "talweg/predict.h"
#include "talweg/problem.h"

enum { N = 6, M = 4, DRAWS = 20000 };

static const double INPUT[N] = {0.0, 0.7, 1.1, 2.0, 2.6, 3.9}, NEW[M] = {0.4, 1.5, 3.0, 5.5};
static const double ELL = 1.0, SIGMA = 1.5;

typedef struct joint_case {
    tw_context *ctx;
    tw_kernel *kernel;
    tw_model *model;
    tw_data train, at;
    tw_draws draws;
    tw_draws_predictor *predictor;
} joint_case;

/* Two chains, all of whose draws are x where it is given, else different ones. */
static joint_case *joint_case_new(size_t m, const double *at, const double *x)
{
    static joint_case c;
    static double y[N] = {1.0, -1.0, 1.0, 1.0, -1.0, 1.0};
    memset(&c, 0, sizeof c);
    c.ctx = new_context();
    assert_int_equal(tw_kernel_parse(c.ctx, "se(ell=1, sigma=1.5)", 1, &c.kernel), TW_OK);
    double *k = dense_kernel(N, 1, INPUT, ELL, SIGMA);
    assert_int_equal(
        tw_model_new(c.ctx, k, N, OBSERVED(tw_likelihood_find("probit"), N, y, NULL), 0.0, &c.model), TW_OK);
    free(k);
    c.train = (tw_data){.n = N, .d = 1, .x = (double *)INPUT, .y = y};
    c.at = (tw_data){.n = m, .d = 1, .x = (double *)at};
    c.draws = (tw_draws){.n = N, .chains = 2, .draws = DRAWS / 2};
    c.draws.x = malloc(N * DRAWS * sizeof *c.draws.x);
    assert_non_null(c.draws.x);
    for (size_t i = 0; i < (size_t)N * DRAWS; i++) c.draws.x[i] = x ? x[i % N] : sin(1.1 * (double)i);
    tw_draw_source source = tw_draws_source(&c.draws);
    assert_int_equal(tw_draws_predictor_new(c.model, &source, NULL, &c.predictor), TW_OK);
    return &c;
}

static void joint_case_free(joint_case *c)
{
    tw_draws_predictor_free(c->predictor);
    tw_model_free(c->model);
    tw_kernel_free(c->kernel);
    assert_int_equal(tw_context_bytes_in_use(c->ctx), 0);
    tw_context_free(c->ctx);
    free(c->draws.x);
}

/* The covariance has 1e-10 of the prior variance on its diagonal: 1e-5 of its standard deviation, six of them here. */
static void at_the_training_inputs_they_are_the_draws(void **state)
{
    (void)state;
    joint_case *c = joint_case_new(N, INPUT, NULL);
    tw_joint *joint = NULL;
    double f[N * 7];
    assert_int_equal(tw_joint_new(c->predictor, c->kernel, &c->train, &c->at, 3, &joint), TW_OK);
    for (size_t chain = 0; chain < 2; chain++) {
        assert_int_equal(tw_joint_draws(joint, chain, 5000, 7, f), TW_OK);
        for (size_t i = 0; i < (size_t)N * 7; i++)
            assert_close(f[i], c->draws.x[N * (chain + 2 * (5000 + i / N)) + i % N], 6e-5 * SIGMA, "a draw");
    }
    tw_joint_free(joint);
    joint_case_free(c);
}

/* out = k' K^-1 [x, k]: the means, and what K explains of the covariances. */
static void condition(const double *x, double mean[M], double covariance[M * M])
{
    double all[N + M], right[N * (M + 1)], solved[N * (M + 1)], k[N * N];
    memcpy(all, INPUT, sizeof INPUT);
    memcpy(all + N, NEW, sizeof NEW);
    double *joint = dense_kernel(N + M, 1, all, ELL, SIGMA);
    const size_t ld = N + M;
    for (size_t j = 0; j < N; j++) memcpy(k + j * N, joint + j * ld, N * sizeof *k);
    for (size_t j = 0; j < M; j++) memcpy(right + j * N, joint + (N + j) * ld, N * sizeof *k);
    memcpy(right + M * N, x, N * sizeof *x);
    dense_solve(N, k, M + 1, right, solved);
    for (size_t j = 0; j < M; j++) {
        mean[j] = 0.0;
        for (size_t i = 0; i < N; i++) mean[j] += right[i + j * N] * solved[i + M * N];
        for (size_t l = 0; l < M; l++) {
            covariance[j + l * M] = joint[N + j + (N + l) * ld];
            for (size_t i = 0; i < N; i++) covariance[j + l * M] -= right[i + j * N] * solved[i + l * N];
        }
    }
    free(joint);
}

static void elsewhere_they_have_the_conditional_moments(void **state)
{
    (void)state;
    static const double x[N] = {0.3, -1.0, 0.8, 1.9, -0.4, 0.1};
    static double f[M * DRAWS];
    double mean[M], covariance[M * M];
    joint_case *c = joint_case_new(M, NEW, x);
    tw_joint *joint = NULL;
    assert_int_equal(tw_joint_new(c->predictor, c->kernel, &c->train, &c->at, 3, &joint), TW_OK);
    for (size_t chain = 0; chain < 2; chain++)
        assert_int_equal(tw_joint_draws(joint, chain, 0, DRAWS / 2, f + chain * M * DRAWS / 2), TW_OK);
    condition(x, mean, covariance);
    for (size_t j = 0; j < M; j++) {
        double sum = 0.0, vj = covariance[j + j * M];
        for (size_t s = 0; s < DRAWS; s++) sum += f[j + s * M] - mean[j];
        assert_close(sum / DRAWS, 0.0, 5.0 * sqrt(vj / DRAWS), "mean");
        for (size_t l = 0; l <= j; l++) {
            double both = 0.0, v = covariance[j + l * M], vl = covariance[l + l * M];
            for (size_t s = 0; s < DRAWS; s++) both += (f[j + s * M] - mean[j]) * (f[l + s * M] - mean[l]);
            assert_close(both / DRAWS, v, 5.0 * sqrt((vj * vl + v * v) / DRAWS), "covariance");
        }
    }
    /* in parts they are the same numbers */
    double part[M * 2];
    assert_int_equal(tw_joint_draws(joint, 1, 1500, 2, part), TW_OK);
    for (size_t i = 0; i < 2 * M; i++) assert_close(part[i], f[M * (DRAWS / 2 + 1500) + i], 1e-12, "a part");
    tw_joint_free(joint);
    joint_case_free(c);
}

/* A failing allocation is an error, and leaves nothing behind. */
static void memory_that_is_refused_is_an_error(void **state)
{
    (void)state;
    joint_case *c = joint_case_new(M, NEW, NULL);
    tw_data absurd = c->at;
    tw_joint *joint = NULL;
    absurd.n = (size_t)1 << 40;
    assert_int_equal(tw_joint_new(c->predictor, c->kernel, &c->train, &absurd, 3, &joint), TW_NO_MEMORY);
    assert_null(joint);
    joint_case_free(c);
}

/* A field on a lattice: between cells a draw is the mean of its corners, which determine it. */
static void draws_of_a_field_are_those_of_its_cells(void **state)
{
    (void)state;
    need_orderings();
    enum { SIDE = 3, CELLS = SIDE * SIDE, PLACES = 2, MANY = 40 };
    static const double z[2 * PLACES] = {0.5, 1.25, 0.5, 1.0};
    double x[2 * CELLS], y[CELLS] = {0.0}, draws[CELLS * MANY], f[PLACES * MANY];
    tw_context *ctx = new_context();
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson")};
    tw_problem *problem = NULL;
    tw_draws_predictor *predictor = NULL;
    tw_joint *joint = NULL;
    tw_draws all = {.n = CELLS, .chains = 1, .draws = MANY, .x = draws};
    tw_draw_source source = tw_draws_source(&all);
    tw_data at = {.ctx = ctx, .n = PLACES, .d = 2, .x = (double *)z};
    for (size_t i = 0; i < CELLS; i++) {
        size_t row = i / SIDE;
        x[i] = (double)row;
        x[i + CELLS] = (double)(i % SIDE);
    }
    for (size_t i = 0; i < (size_t)CELLS * MANY; i++) draws[i] = sin(1.1 * (double)i);
    assert_int_equal(tw_kernel_parse(ctx, "spde(1, 2, ell=2)", 2, &parts.kernel), TW_OK);
    assert_int_equal(tw_data_new(ctx, CELLS, 2, x, CELLS, y, &parts.data), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    assert_int_equal(tw_draws_predictor_new(problem->model, &source, NULL, &predictor), TW_OK);
    assert_int_equal(tw_joint_new(predictor, problem->kernel, problem->data, &at, 1, &joint), TW_OK);
    assert_int_equal(tw_joint_draws(joint, 0, 0, MANY, f), TW_OK);
    for (size_t s = 0; s < MANY; s++) {
        const double *u = draws + s * CELLS;
        assert_close(f[s * PLACES], 0.25 * (u[0] + u[1] + u[3] + u[4]), 1e-10, "between four cells");
        assert_close(f[1 + s * PLACES], 0.75 * u[4] + 0.25 * u[7], 1e-10, "between two cells");
    }
    tw_joint_free(joint);
    tw_draws_predictor_free(predictor);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_training_inputs_they_are_the_draws),
        cmocka_unit_test(elsewhere_they_have_the_conditional_moments),
        cmocka_unit_test(memory_that_is_refused_is_an_error),
        cmocka_unit_test(draws_of_a_field_are_those_of_its_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
