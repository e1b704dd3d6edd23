/* Omitting sites with a small lambda_n A_nn changes results within the stated bound.
 *
 * log|B| decreases by at most the sum of the omitted lambda_n A_nn; a trajectory with the default threshold
 * of 1e-10 agrees with that of threshold 0 to 1e-8.
 */
#include <math.h>
#include <string.h>

#include "dynamics/riemann.h"
#include "support/gp_case.h"
#include "support/support.h"

enum { N = 40 };

/* Latents of deviation 17, labels mostly as they say: many sites far from the boundary. */
static gp_case make_case(double beta, double v[N])
{
    gp_setting setting = {.n = N, .seed = 4, .cond = 1e3, .scale = 150, .form = GP_PRIOR, .beta = beta};
    gp_case first = gp_case_new(&setting);
    double x[N], y[N], k[N * N];
    test_random random = {8};
    tw_evaluation wanted = {.x = x};
    test_normals(&random, N, v);
    tw_target_evaluate(first.target, 1, v, &wanted);
    for (size_t i = 0; i < N; i++) y[i] = (x[i] > 0.0) == (i % 10 != 0) ? 1.0 : -1.0;
    memcpy(k, first.problem->k, sizeof k);
    gp_case_free(&first);
    return gp_case_from(&setting, k, y);
}

static tw_riemann *new_point(const gp_case *gp, double threshold)
{
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    tw_riemann *point = NULL;
    options.threshold = threshold;
    options.rule.tolerance = 1e-12;
    options.rule.cap = 300;
    assert_int_equal(tw_riemann_new(gp->target, &options, &point), TW_OK);
    return point;
}

/* The sum of lambda_n A_nn over the sites that are not active at this point. */
static double dropped(const tw_riemann *p)
{
    const double *variance = p->target->base->variance;
    double sum = 0.0;
    for (size_t i = 0; i < N; i++)
        if (p->curved->root[i] == 0.0) sum += p->lambda[i] * variance[i];
    return sum;
}

static void check_determinant(double threshold)
{
    double v[N];
    gp_case gp = make_case(1.0, v);
    tw_riemann *all = new_point(&gp, 0.0), *some = new_point(&gp, threshold);
    assert_int_equal(tw_riemann_set_position(all, v), TW_STEP_FINE);
    assert_int_equal(tw_riemann_set_position(some, v), TW_STEP_FINE);
    double bound = dropped(some), change = all->curved->log_det - some->curved->log_det;
    print_message("threshold %g: %zu of %zu active, log|B| changes by %.2e, bound %.2e\n", threshold,
                  some->curved->active, all->curved->active, change, bound);
    assert_true(some->curved->active > 0 && some->curved->active < all->curved->active);
    assert_true(change > -1e-12 && change <= bound + 1e-12);
    tw_riemann_free(all);
    tw_riemann_free(some);
    gp_case_free(&gp);
}

static void determinant_is_within_its_bound(void **state)
{
    (void)state;
    const double thresholds[] = {1e-10, 1e-6, 1e-3, 0.1};
    for (size_t i = 0; i < 4; i++) check_determinant(thresholds[i]);
}

static void check_trajectory(double beta)
{
    double v[N], normals[2 * N], largest = 0.0;
    gp_case gp = make_case(beta, v);
    test_random random = {12};
    tw_riemann *all = new_point(&gp, 0.0), *some = new_point(&gp, 1e-10);
    test_normals(&random, 2 * N, normals);
    assert_int_equal(tw_riemann_set_position(all, v), TW_STEP_FINE);
    assert_int_equal(tw_riemann_set_position(some, v), TW_STEP_FINE);
    tw_riemann_draw_momentum(all, normals);
    memcpy(some->pi, all->pi, N * sizeof *all->pi);
    double before = tw_riemann_energy(all) - tw_riemann_energy(some);
    size_t active = some->curved->active;
    for (size_t s = 0; s < 8; s++) {
        assert_int_equal(tw_riemann_leapfrog(all, 0.02), TW_STEP_FINE);
        assert_int_equal(tw_riemann_leapfrog(some, 0.02), TW_STEP_FINE);
        for (size_t i = 0; i < N; i++) largest = fmax(largest, fabs(all->v[i] - some->v[i]));
        for (size_t i = 0; i < N; i++) largest = fmax(largest, fabs(all->pi[i] - some->pi[i]));
    }
    print_message("b = %g: %zu of %d active, at the end %zu; trajectories part by %.2e\n", beta, active, N,
                  some->curved->active, largest);
    assert_true(active < N);
    assert_true(largest < 1e-8);
    assert_close(tw_riemann_energy(all) - tw_riemann_energy(some), before, 1e-8, "change of H");
    tw_riemann_free(all);
    tw_riemann_free(some);
    gp_case_free(&gp);
}

static void trajectory_is_that_of_all_sites(void **state)
{
    (void)state;
    check_trajectory(1.0);
    check_trajectory(0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(determinant_is_within_its_bound),
        cmocka_unit_test(trajectory_is_that_of_all_sites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
