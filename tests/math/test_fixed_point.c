/* Fixed points: plain and accelerated iteration, verdicts, and returned points. */
#include "math/fixed_point.h"

#include <math.h>
#include <stdlib.h>

#include "support/support.h"

enum { N = 5 };

/* g(x) = 0.6 cos(x_i + 0.3 x_{i+1}) + shift: a contraction that is not linear. */
typedef struct counter {
    size_t calls;
    double factor;
} counter;

static bool cosine(void *user, const double *x, double *gx)
{
    counter *c = user;
    c->calls++;
    for (size_t i = 0; i < N; i++) gx[i] = c->factor * cos(x[i] + 0.3 * x[(i + 1) % N]) + 0.1 * (double)i;
    return true;
}

static double dot(void *user, const double *a, const double *b)
{
    (void)user;
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) sum += a[i] * b[i];
    return sum;
}

static tw_fixed_point_result solve(counter *c, tw_fixed_point_rule rule, double *x, double *gx)
{
    double *work = calloc(tw_fixed_point_work(N, rule.depth), sizeof *work);
    tw_fixed_point_problem problem = {N, c, cosine, dot};
    assert_non_null(work);
    for (size_t i = 0; i < N; i++) x[i] = 0.0;
    tw_fixed_point_result result = tw_fixed_point_solve(&problem, &rule, work, x, gx);
    free(work);
    assert_int_equal(result.evaluations, c->calls);
    return result;
}

static void both_ways_reach_the_same_point_and_anderson_sooner(void **state)
{
    (void)state;
    double plain[N], fast[N], gx[N];
    counter slow_count = {0, 0.6}, fast_count = {0, 0.6};
    tw_fixed_point_result a = solve(&slow_count, (tw_fixed_point_rule){1e-12, 200, 0, 0}, plain, gx);
    tw_fixed_point_result b = solve(&fast_count, (tw_fixed_point_rule){1e-12, 200, 0, 3}, fast, gx);
    assert_int_equal(a.verdict, TW_CONVERGED);
    assert_int_equal(b.verdict, TW_CONVERGED);
    assert_true(3 * b.evaluations < 2 * a.evaluations);
    for (size_t i = 0; i < N; i++) {
        assert_close(fast[i], plain[i], 1e-11, "the fixed point");
        assert_close(gx[i], fast[i], 1e-12, "g at the point returned");
    }
}

static void verdicts(void **state)
{
    (void)state;
    double x[N], gx[N];
    counter few = {0, 0.6}, wild = {0, 300.0};
    assert_int_equal(solve(&few, (tw_fixed_point_rule){1e-12, 4, 0, 3}, x, gx).verdict, TW_CAP_REACHED);
    assert_int_equal(solve(&wild, (tw_fixed_point_rule){1e-12, 50, 0, 0}, x, gx).verdict, TW_CAP_REACHED);
}

static bool doubling(void *user, const double *x, double *gx)
{
    (void)user;
    for (size_t i = 0; i < N; i++) gx[i] = 20.0 * x[i] + 1.0;
    return true;
}

static bool impossible(void *user, const double *x, double *gx)
{
    (void)user;
    (void)x;
    (void)gx;
    return false;
}

static void divergence_is_seen(void **state)
{
    (void)state;
    double x[N] = {0}, gx[N], work[3 * N];
    tw_fixed_point_rule rule = {1e-12, 100, 0, 0};
    tw_fixed_point_problem grows = {N, NULL, doubling, dot}, fails = {N, NULL, impossible, dot};
    tw_fixed_point_result result = tw_fixed_point_solve(&grows, &rule, work, x, gx);
    assert_int_equal(result.verdict, TW_DIVERGED);
    assert_true(result.evaluations < 10);
    assert_int_equal(tw_fixed_point_solve(&fails, &rule, work, x, gx).verdict, TW_DIVERGED);
}

/* Exactly f evaluations: the point returned is g applied f - 1 times to the guess. */
static void a_fixed_count_is_exact(void **state)
{
    (void)state;
    double x[N], gx[N], y[N] = {0}, gy[N];
    counter c = {0, 0.6}, own = {0, 0.6};
    assert_int_equal(solve(&c, (tw_fixed_point_rule){1e-12, 200, 5, 3}, x, gx).evaluations, 5);
    for (int k = 0; k < 4; k++) {
        cosine(&own, y, gy);
        for (size_t i = 0; i < N; i++) y[i] = gy[i];
    }
    for (size_t i = 0; i < N; i++) assert_close(x[i], y[i], 1e-15, "four times g");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_reach_the_same_point_and_anderson_sooner),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(divergence_is_seen),
        cmocka_unit_test(a_fixed_count_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
