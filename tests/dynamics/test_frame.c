/* Frames of constant metrics: densities and gradients against tw_target and finite differences, products in
 * single precision and from packed factors, changes of temperature, and refusals. */
#include "dynamics/frame.h"

#include <math.h>
#include <string.h>

#include "support/flow_case.h"
#include "support/support.h"

enum { N = FLOW_N, P = FLOW_P };

/* L_b and log p(y | x) agree with tw_target at the same x, and tw_frame_coordinates recovers w. */
static void check_density(flow_case *f, const char *name)
{
    double v[N * P], x[N * P], density[P], likelihood[P], w[N * P];
    tw_evaluation wanted = {.x = x, .log_density = density, .log_likelihood = likelihood};
    flow_case_start(f, P, f->w, f->p);
    tw_target_whiten(f->gp.target, P, f->flow->at.x, v);
    tw_target_evaluate(f->gp.target, P, v, &wanted);
    tw_frame_coordinates(&f->frame, P, f->flow->at.x, w);
    assert_true(largest_difference(N * P, f->w, w) < 1e-11);
    for (size_t j = 0; j < P; j++) {
        assert_close(f->flow->at.log_density[j], density[j], 1e-10, name);
        assert_close(f->flow->at.log_likelihood[j], likelihood[j], 1e-10, name);
        if (f->frame.linear) continue;
        double square = 0.0, ll;
        for (size_t i = 0; i < N; i++) square += f->w[i + j * N] * f->w[i + j * N];
        double excess = tw_frame_excess(&f->frame, f->flow->at.x + j * N, NULL, &ll);
        assert_close(tw_frame_constant(&f->frame) - 0.5 * square + excess, density[j], 1e-10, name);
        assert_close(ll, likelihood[j], 1e-10, name);
    }
}

/* dU/dw agrees with central differences of fourth order. */
static void check_gradient(flow_case *f, const char *name)
{
    const double h = 1e-3, offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double gradient[N * P], w[N * P];
    flow_case_start(f, P, f->w, f->p);
    memcpy(gradient, f->flow->at.gradient, sizeof gradient);
    for (size_t i = 0; i < N; i++) {
        double slope[P] = {0.0};
        for (size_t k = 0; k < 4; k++) {
            memcpy(w, f->w, sizeof w);
            for (size_t j = 0; j < P; j++) w[i + j * N] += h * offset[k];
            flow_case_start(f, P, w, f->p);
            for (size_t j = 0; j < P; j++) slope[j] -= weight[k] * f->flow->at.log_density[j] / (12.0 * h);
        }
        for (size_t j = 0; j < P; j++) assert_close(gradient[i + j * N], slope[j], 1e-7, name);
    }
}

static void frames_agree_with_the_target(void **state)
{
    (void)state;
    for (size_t s = 0; s < FLOW_SETTINGS; s++) {
        flow_case *f = flow_case_new(&flow_settings[s], P);
        check_density(f, flow_settings[s].name);
        check_gradient(f, flow_settings[s].name);
        flow_case_free(f);
    }
}

/* Products with a factor packed in double precision differ only by rounding. */
static void packed_factors_change_only_rounding(void **state)
{
    (void)state;
    for (size_t s = 0; s < FLOW_SETTINGS; s++) {
        if (flow_settings[s].linear) continue;
        flow_case *f = flow_case_new(&flow_settings[s], P);
        tw_packed *packed = NULL;
        double w[N * P], p[N * P];
        flow_case_start(f, P, f->w, f->p);
        tw_leapfrog_run(f->flow, 0.3, 10);
        memcpy(w, f->flow->w, sizeof w);
        memcpy(p, f->flow->p, sizeof p);
        assert_int_equal(tw_packed_new(f->frame.gaussian, false, &packed), TW_OK);
        assert_non_null(packed);
        f->frame.packed = packed;
        check_density(f, flow_settings[s].name);
        check_gradient(f, flow_settings[s].name);
        flow_case_start(f, P, f->w, f->p);
        tw_leapfrog_run(f->flow, 0.3, 10);
        assert_true(largest_difference(N * P, f->flow->w, w) < 1e-11);
        assert_true(largest_difference(N * P, f->flow->p, p) < 1e-11);
        f->frame.packed = NULL;
        tw_packed_free(packed);
        flow_case_free(f);
    }
}

/* Columns with their own Gaussians do not use the factor that was packed for a shared one. */
static void own_gaussians_do_not_use_the_packed_factor(void **state)
{
    (void)state;
    flow_case *f = flow_case_new(&flow_settings[FLOW_EP_PRIOR], P);
    tw_frame_column columns[P];
    tw_packed *packed = NULL;
    double end[2][N * P];
    for (size_t j = 0; j < P; j++)
        columns[j] = (tw_frame_column){f->frame.gaussian, f->frame.tau, f->frame.nu, f->frame.log_z};
    assert_int_equal(tw_packed_new(f->frame.gaussian, true, &packed), TW_OK);
    for (size_t k = 0; k < 2; k++) {
        f->frame.column = NULL;
        f->frame.packed = k == 0 ? NULL : packed;
        tw_leapfrog_free(f->flow);
        assert_int_equal(tw_leapfrog_new(&f->frame, P, &f->flow), TW_OK);
        f->frame.column = columns;
        flow_case_start(f, P, f->w, f->p);
        tw_leapfrog_run(f->flow, 0.3, 10);
        memcpy(end[k], f->flow->w, sizeof end[k]);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
    f->frame.packed = NULL;
    tw_packed_free(packed);
    flow_case_free(f);
}

/* Take ten steps and ten back with forces in single precision; return the distance from the start.
 * `mismatched`: the force at the turning point is in double precision on the way back. */
static double distance_after_return(flow_case *f, bool mismatched, double *end)
{
    const tw_packed *packed = f->frame.packed;
    flow_case_start(f, P, f->w, f->p);
    tw_leapfrog_run(f->flow, 0.3, 10);
    memcpy(end, f->flow->w, sizeof f->w);
    f->frame.packed = mismatched ? NULL : packed;
    tw_leapfrog_refresh(f->flow);
    f->frame.packed = packed;
    for (size_t i = 0; i < N * P; i++) f->flow->p[i] = -f->flow->p[i];
    tw_leapfrog_run(f->flow, 0.3, 10);
    return largest_difference(N * P, f->flow->w, f->w);
}

/* The force depends on the position alone, so the trajectory is as reversible as in double precision (1e-12),
 * although its forces have errors of 1e-7, which the ends show. The check detects a force at the turning
 * point that differs between the two directions. */
static void check_return_in_single(const flow_setting *which)
{
    flow_case *f = flow_case_new(which, P);
    tw_packed *packed = NULL;
    double end[N * P], double_end[N * P];
    flow_case_start(f, P, f->w, f->p);
    tw_leapfrog_run(f->flow, 0.3, 10);
    memcpy(double_end, f->flow->w, sizeof double_end);
    assert_int_equal(tw_packed_new(f->frame.gaussian, true, &packed), TW_OK);
    assert_non_null(packed);
    f->frame.packed = packed;
    tw_leapfrog_free(f->flow);
    assert_int_equal(tw_leapfrog_new(&f->frame, P, &f->flow), TW_OK);
    assert_true(distance_after_return(f, false, end) < 1e-11);
    double off = largest_difference(N * P, end, double_end);
    assert_true(off > 1e-9 && off < 1e-4);
    assert_true(distance_after_return(f, true, end) > 1e-9);
    check_density(f, which->name);
    f->frame.packed = NULL;
    tw_packed_free(packed);
    flow_case_free(f);
}

static void forces_in_single_precision_are_reversible(void **state)
{
    (void)state;
    check_return_in_single(&flow_settings[FLOW_EP_PRIOR]);
    check_return_in_single(&flow_settings[FLOW_EP_OPEN]);
    check_return_in_single(&flow_settings[FLOW_EP_PRIOR_TURNS]);
}

/* A frame that is the target's own base follows a folded target to another temperature. */
static void frame_follows_the_base(void **state)
{
    (void)state;
    flow_case *f = flow_case_new(&flow_settings[FLOW_PRIOR_FOLDED], P);
    const double betas[] = {1.0, 0.2, 0.5};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(tw_target_set_temperature(f->gp.target, betas[k]), TW_OK);
        tw_frame_follow(&f->frame);
        check_density(f, "after a change of temperature");
        check_gradient(f, "after a change of temperature");
    }
    flow_case_free(f);
}

static void unsuitable_metrics_are_refused(void **state)
{
    (void)state;
    gp_setting s = {.n = N, .seed = 2, .cond = 10, .scale = 1, .form = GP_PRIOR, .beta = 1.0};
    double k[N * N], y[N];
    for (size_t i = 0; i < N * N; i++) k[i] = 1.0; /* rank one */
    for (size_t i = 0; i < N; i++) y[i] = i % 2 ? 1.0 : -1.0;
    gp_case gp = gp_case_from(&s, k, y);
    tw_frame frame;
    assert_int_equal(tw_frame_make(gp.target, TW_METRIC_IDENTITY, NULL, &frame), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(gp.ctx), "full rank"));
    assert_int_equal(tw_frame_make(gp.target, TW_METRIC_EP, NULL, &frame), TW_BAD_ARGUMENT);
    assert_int_equal(tw_frame_make(gp.target, TW_METRIC_HESSIAN, NULL, &frame), TW_BAD_ARGUMENT);
    assert_int_equal(tw_frame_make(gp.target, TW_METRIC_PRIOR, NULL, &frame), TW_OK);
    gp_case_free(&gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_agree_with_the_target),
        cmocka_unit_test(packed_factors_change_only_rounding),
        cmocka_unit_test(own_gaussians_do_not_use_the_packed_factor),
        cmocka_unit_test(forces_in_single_precision_are_reversible),
        cmocka_unit_test(frame_follows_the_base),
        cmocka_unit_test(unsuitable_metrics_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
