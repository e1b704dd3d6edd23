/* Newton steps against elimination in long double: da solves (I + W K) da = g, and dx = K da. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "approximate/newton.h"
#include "gaussian/dense.h"
#include "support/dense.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 40 };

typedef struct newton_case {
    tw_context *ctx;
    test_problem *problem;
    tw_gaussian *prior;
    tw_newton newton;
    test_random random;
} newton_case;

static newton_case set_up(void)
{
    newton_case c = {.ctx = new_context(), .problem = test_problem_new(N, 17, 1e4), .random = {3}};
    tw_gaussian_report report;
    assert_int_equal(tw_gaussian_dense_new(c.ctx, N, c.problem->k, N, &c.prior), TW_OK);
    assert_int_equal(tw_gaussian_dense_factor(c.prior, 0.0, &report), TW_OK);
    assert_int_equal(tw_newton_new(c.prior, &c.newton), TW_OK);
    return c;
}

static void tear_down(newton_case *c)
{
    tw_newton_free(&c->newton);
    tw_gaussian_free(c->prior);
    test_problem_free(c->problem);
    tw_context_free(c->ctx);
}

/* Curvatures over six decades with some zeros, and a gradient. */
static void fill(newton_case *c, double scale)
{
    for (size_t i = 0; i < N; i++) {
        c->newton.lambda[i] = i % 7 == 3 ? 0.0 : scale * pow(10.0, 6.0 * test_uniform(&c->random) - 4.0);
        c->newton.gradient[i] = test_normal(&c->random);
    }
}

/* `error` is relative, in the length whose square is the decrement; that of da and dx may be larger by the root of the condition
 * number of K^-1 + W, below 1e5 here. */
static void assert_step(const newton_case *c, double decrement, double error)
{
    const tw_newton *s = &c->newton;
    double *a = calloc((size_t)N * N, sizeof *a), da[N], dx[N], exact = 0.0, a_scale = 0.0, x_scale = 0.0;
    assert_non_null(a);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            a[i + j * N] = s->lambda[i] * c->problem->k[i + j * N] + (i == j ? 1.0 : 0.0);
    dense_solve(N, a, 1, s->gradient, da);
    dense_multiply(N, c->problem->k, da, dx);
    for (size_t i = 0; i < N; i++) {
        exact += s->gradient[i] * dx[i];
        a_scale = fmax(a_scale, fabs(da[i]));
        x_scale = fmax(x_scale, fabs(dx[i]));
    }
    assert_close(decrement, exact, (error * error + 1e-10) * exact, "decrement");
    for (size_t i = 0; i < N; i++) {
        assert_close(s->da[i], da[i], (1e5 * error + 1e-9) * a_scale, "da");
        assert_close(s->dx[i], dx[i], (1e5 * error + 1e-9) * x_scale, "dx");
    }
    free(a);
}

static void a_direct_step_is_exact(void **state)
{
    (void)state;
    newton_case c = set_up();
    for (double scale = 1e-4; scale < 1e5; scale *= 100.0) {
        fill(&c, scale);
        assert_step(&c, tw_newton_direct(&c.newton), 0.0);
    }
    tear_down(&c);
}

/* The preconditioner is that of other curvatures, of a few sites, or of none. */
static void conjugate_gradients_reach_the_same_step_with_any_preconditioner(void **state)
{
    (void)state;
    newton_case c = set_up();
    for (double scale = 1e-4; scale < 1e4; scale *= 10.0) {
        fill(&c, scale);
        double decrement = tw_newton_conjugate(&c.newton, 1e-10);
        if (isfinite(decrement)) assert_step(&c, decrement, 1e-10); /* fifty iterations may be too few */
        for (size_t i = 0; i < N; i++) c.newton.lambda[i] *= exp(0.5 * test_normal(&c.random));
        decrement = tw_newton_conjugate(&c.newton, 1e-10);
        assert_true(isfinite(decrement));
        assert_step(&c, decrement, 1e-10);
    }
    tear_down(&c);
}

/* What the last iteration gains tells the error of the decrement, which is its square, to a factor of ten. */
static void the_accuracy_is_what_was_asked_for(void **state)
{
    (void)state;
    newton_case c = set_up();
    for (double accuracy = 0.3; accuracy > 1e-4; accuracy *= 0.1) {
        fill(&c, 1.0);
        double decrement = tw_newton_conjugate(&c.newton, accuracy), exact = tw_newton_direct(&c.newton);
        assert_true(decrement <= exact * (1.0 + 1e-12));
        assert_true(decrement >= exact * (1.0 - 10.0 * accuracy * accuracy));
    }
    tear_down(&c);
}

static void what_is_not_finite_is_no_step(void **state)
{
    (void)state;
    newton_case c = set_up();
    fill(&c, 1.0);
    c.newton.lambda[5] = NAN;
    assert_true(isnan(tw_newton_direct(&c.newton)));
    assert_true(isnan(tw_newton_conjugate(&c.newton, 0.1)));
    fill(&c, 1.0);
    assert_step(&c, tw_newton_direct(&c.newton), 0.0); /* and the next is sound */
    memset(c.newton.gradient, 0, N * sizeof *c.newton.gradient);
    assert_true(tw_newton_conjugate(&c.newton, 0.1) == 0.0);
    tear_down(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_direct_step_is_exact),
        cmocka_unit_test(conjugate_gradients_reach_the_same_step_with_any_preconditioner),
        cmocka_unit_test(the_accuracy_is_what_was_asked_for),
        cmocka_unit_test(what_is_not_finite_is_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
