/* The certificate that a step of RMHMC returns: it is correct wherever it is given, and it is given for
 * nearly all steps that return.
 *
 * The steps are so long that many of them fail or do not return. A K of scale 40 makes the Hessian metric
 * change by orders of magnitude along a step, and the set of active sites changes.
 */
#include <math.h>
#include <string.h>

#include "dynamics/riemann.h"
#include "support/fault.h"
#include "support/gp_case.h"
#include "support/support.h"

enum { N = 12, STEPS = 600 };

typedef struct counts {
    size_t fine, sure, back, sure_and_not_back;
} counts;

/* Take one step from v and normals, ask, and integrate back. */
static void take(tw_riemann *p, const double *v, const double *normals, double eps, counts *c)
{
    double furthest = 0.0;
    assert_int_equal(tw_riemann_set_position(p, v), TW_STEP_FINE);
    tw_riemann_draw_momentum(p, normals);
    p->certify = true;
    if (tw_riemann_leapfrog(p, eps) != TW_STEP_FINE) return;
    bool sure = !p->doubtful;
    p->certify = false;
    for (size_t i = 0; i < N; i++) p->pi[i] = -p->pi[i];
    bool back = tw_riemann_leapfrog(p, eps) == TW_STEP_FINE;
    for (size_t i = 0; i < N; i++) furthest = fmax(furthest, fabs(p->v[i] - v[i]));
    back = back && furthest <= 1e-6;
    c->fine++;
    c->sure += sure;
    c->back += back;
    c->sure_and_not_back += sure && !back;
}

static counts count(tw_metric metric, double threshold)
{
    gp_case gp = gp_case_new(
        &(gp_setting){.n = N, .seed = 3, .cond = 1e2, .scale = 40.0, .form = GP_PRIOR, .beta = 1.0});
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    double v[N], normals[2 * N], smoothing[N];
    tw_riemann *point = NULL;
    counts c = {0};
    test_random random = {8};
    for (size_t i = 0; i < N; i++) smoothing[i] = 2.0;
    options.metric = metric;
    options.smoothing = smoothing;
    options.threshold = threshold;
    assert_int_equal(tw_riemann_new(gp.target, &options, &point), TW_OK);
    for (size_t j = 0; j < STEPS; j++) {
        test_normals(&random, N, v);
        test_normals(&random, 2 * N, normals);
        take(point, v, normals, 0.1 + 0.9 * (double)j / STEPS, &c);
    }
    print_message("%s: %zu steps went through, %zu lead back, %zu surely so, %zu of these do not\n",
                  tw_metric_name(metric), c.fine, c.back, c.sure, c.sure_and_not_back);
    tw_riemann_free(point);
    gp_case_free(&gp);
    return c;
}

static void what_is_sure_is_true(void **state)
{
    (void)state;
    const tw_metric metrics[] = {TW_METRIC_HESSIAN, TW_METRIC_FISHER, TW_METRIC_SMOOTHED};
    for (size_t k = 0; k < 3; k++) {
        counts c = count(metrics[k], 1e-10);
        assert_int_equal(c.sure_and_not_back, 0);
        /* At steps of use nearly all; Fisher's metric is next to nothing far from 0, and little is sure of it. */
        if (metrics[k] == TW_METRIC_HESSIAN) assert_true((double)c.sure > 0.5 * (double)c.back);
    }
    counts all = count(TW_METRIC_HESSIAN, 0.0);
    assert_int_equal(all.sure_and_not_back, 0);
}

/* The steps above include some that do not lead back, so that one who does not look is found out. */
static void one_that_does_not_look_is_found_out(void **state)
{
    (void)state;
    ask_for_fault(TW_FAULT_BLIND);
    counts c = count(TW_METRIC_HESSIAN, 1e-10);
    ask_for_fault(TW_FAULT_NONE);
    assert_true(c.sure_and_not_back >= 4); /* 16 of 600 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_sure_is_true),
                                       cmocka_unit_test(one_that_does_not_look_is_found_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
