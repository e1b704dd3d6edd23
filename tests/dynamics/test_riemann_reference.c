/* The fast implementation against the transcription of the report's algorithm (tests/reference), on whole
 * trajectories.
 *
 * The implementation uses (v, pi), the transcription (x, p): x = m + L v, p = L^-T pi, and the two H differ
 * by log|A|/2. Both branches (q = prior; q = sites, open and folded), three temperatures, three sizes; solved
 * to convergence, and with the printed five iterations.
 */
#include <math.h>
#include <string.h>

#include "dynamics/riemann.h"
#include "reference/reference.h"
#include "support/gp_case.h"
#include "support/support.h"

enum { STEPS = 8, MOST = 60 };

typedef struct pair {
    gp_case gp;
    tw_riemann *fast;
    ref_inputs *in;
    ref_workspace *work;
} pair;

static pair new_pair(size_t n, gp_form form, double beta, size_t fixed)
{
    gp_setting setting = {.n = n, .seed = 40 + n, .cond = 1e4, .scale = 20, .form = form, .beta = beta};
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    pair p = {.gp = gp_case_new(&setting)};
    const test_problem *problem = p.gp.problem;
    options.rule.tolerance = 1e-12;
    options.rule.cap = 200;
    options.rule.fixed = fixed;
    assert_int_equal(tw_riemann_new(p.gp.target, &options, &p.fast), TW_OK);
    p.in =
        ref_inputs_new((int)n, problem->y, problem->k, form == GP_PRIOR ? NULL : problem->tau, problem->nu);
    assert_non_null(p.in);
    p.in->beta = beta;
    p.in->eps = 0.1;
    p.in->f_max = fixed ? (int)fixed : 400;
    p.in->tolerance = fixed ? 0.0 : 1e-14;
    p.work = ref_workspace_new((int)n);
    return p;
}

static void free_pair(pair *p)
{
    ref_workspace_free(p->work);
    ref_inputs_free(p->in);
    tw_riemann_free(p->fast);
    gp_case_free(&p->gp);
}

/* The same phase point in both: v ~ N(0, I), pi from the metric. */
static void start(pair *p, uint64_t seed)
{
    double v[MOST], normals[2 * MOST], momentum[MOST];
    test_random random = {seed};
    size_t n = p->fast->n;
    test_normals(&random, n, v);
    test_normals(&random, 2 * n, normals);
    assert_int_equal(tw_riemann_set_position(p->fast, v), TW_STEP_FINE);
    tw_riemann_draw_momentum(p->fast, normals);
    memcpy(momentum, p->fast->pi, n * sizeof *momentum);
    tw_gaussian_solve_transposed(p->gp.target->base, 1, momentum);
    assert_int_equal(ref_point_set(p->in, p->fast->x, momentum, p->work, &p->work->point), REF_FINE);
}

/* Largest difference of x and, through pi = L' p, of the momentum. */
static double difference(pair *p)
{
    size_t n = p->fast->n;
    double pi[MOST], largest = 0.0;
    tw_gaussian_pull_back(p->gp.target->base, 1, p->work->point.p, pi);
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(p->fast->x[i] - p->work->point.x[i]));
        largest = fmax(largest, fabs(p->fast->pi[i] - pi[i]));
    }
    return largest;
}

static void compare(size_t n, gp_form form, double beta, size_t fixed)
{
    pair p = new_pair(n, form, beta, fixed);
    start(&p, 7 * n + (uint64_t)form);
    double fast_start = tw_riemann_energy(p.fast), start_h = p.work->point.h, worst = 0.0;
    for (size_t s = 0; s < STEPS; s++) {
        assert_int_equal(tw_riemann_leapfrog(p.fast, p.in->eps), TW_STEP_FINE);
        assert_int_equal(ref_leapfrog_step(p.in, p.work, &p.work->point), REF_FINE);
        worst = fmax(worst, difference(&p));
        double fast_change = tw_riemann_energy(p.fast) - fast_start;
        assert_close(fast_change, p.work->point.h - start_h, 1e-8, "change of H");
    }
    print_message("n = %zu, form %d, b = %g, fixed = %zu: trajectories part by %.1e\n", n, (int)form, beta,
                  fixed, worst);
    assert_true(worst < 1e-8);
    free_pair(&p);
}

static void compare_all(size_t fixed)
{
    const size_t sizes[] = {5, 20, 60};
    const double betas[] = {0.1, 0.5, 1.0};
    const gp_form forms[] = {GP_PRIOR, GP_OPEN, GP_FOLDED};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 3; k++) compare(sizes[i], forms[j], betas[k], fixed);
}

static void converged_trajectories_agree(void **state)
{
    (void)state;
    compare_all(0);
}

/* Five plain iterations from the printed starting values: the literal algorithm. */
static void printed_trajectories_agree(void **state)
{
    (void)state;
    compare_all(5);
}

/* The metric really varies here: over a trajectory the curvature of some site changes by a factor of three. */
static void the_metric_varies(void **state)
{
    (void)state;
    pair p = new_pair(20, GP_PRIOR, 1.0, 0);
    double before[20], largest = 0.0;
    start(&p, 3);
    memcpy(before, p.fast->lambda, sizeof before);
    for (size_t s = 0; s < 10; s++) assert_int_equal(tw_riemann_leapfrog(p.fast, 0.1), TW_STEP_FINE);
    for (size_t i = 0; i < 20; i++) largest = fmax(largest, fabs(log(p.fast->lambda[i] / before[i])));
    print_message("a curvature changes by a factor of %.3g\n", exp(largest));
    assert_true(largest > log(3.0));
    free_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converged_trajectories_agree),
        cmocka_unit_test(printed_trajectories_agree),
        cmocka_unit_test(the_metric_varies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
