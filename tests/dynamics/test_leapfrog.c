/* The leapfrog of constant metrics: order 2, reversibility, volume, columns in lockstep, exact rotations,
 * memory. */
#include "dynamics/leapfrog.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "support/flow_case.h"
#include "support/support.h"

enum { N = FLOW_N, P = FLOW_P };

/* The largest error of H over the columns, and the ends, after `steps` steps over the time 0.4. */
static double run(flow_case *f, size_t steps, double *end)
{
    double before[P], error = 0.0;
    flow_case_start(f, P, f->w, f->p);
    for (size_t j = 0; j < P; j++) before[j] = tw_leapfrog_energy(f->flow, j);
    tw_leapfrog_run(f->flow, 0.4 / (double)steps, steps);
    for (size_t j = 0; j < P; j++) error = fmax(error, fabs(tw_leapfrog_energy(f->flow, j) - before[j]));
    memcpy(end, f->flow->w, N * P * sizeof *end);
    return error;
}

static void leapfrog_is_of_second_order(void **state)
{
    (void)state;
    for (size_t s = 0; s < FLOW_SETTINGS; s++) {
        flow_case *f = flow_case_new(&flow_settings[s], P);
        double coarse[N * P], fine[N * P], exact[N * P];
        double e1 = run(f, 40, coarse), e2 = run(f, 80, fine);
        run(f, 4000, exact);
        double m1 = largest_difference(N * P, coarse, exact), m2 = largest_difference(N * P, fine, exact);
        print_message("%s: endpoint ratio %.3f, energy ratio %.3f\n", flow_settings[s].name, m1 / m2,
                      e1 / e2);
        assert_close(m1 / m2, 4.0, 0.1, flow_settings[s].name);
        assert_close(e1 / e2, 4.0, 0.1, flow_settings[s].name);
        flow_case_free(f);
    }
}

static void leapfrog_is_reversible(void **state)
{
    (void)state;
    for (size_t s = 0; s < FLOW_SETTINGS; s++) {
        flow_case *f = flow_case_new(&flow_settings[s], P);
        flow_case_start(f, P, f->w, f->p);
        tw_leapfrog_run(f->flow, 0.1, 25);
        for (size_t i = 0; i < N * P; i++) f->flow->p[i] = -f->flow->p[i];
        tw_leapfrog_run(f->flow, 0.1, 25);
        assert_true(largest_difference(N * P, f->flow->w, f->w) < 1e-9);
        flow_case_free(f);
    }
}

/* log |det| of the Jacobian of five steps of one column. */
static double log_volume(flow_case *f)
{
    enum { M = 2 * N };
    double jacobian[M * M], sum = 0.0;
    const double h = 1e-3, offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    int pivots[M];
    memset(jacobian, 0, sizeof jacobian);
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < 4; k++) {
            double w[N], p[N];
            memcpy(w, f->w, sizeof w);
            memcpy(p, f->p, sizeof p);
            (j < N ? w : p)[j % N] += h * offset[k];
            flow_case_start(f, 1, w, p);
            tw_leapfrog_run(f->flow, 0.2, 5);
            for (size_t i = 0; i < M; i++)
                jacobian[i + j * M] += weight[k] * (i < N ? f->flow->w : f->flow->p)[i % N] / (12.0 * h);
        }
    assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, M, M, jacobian, M, pivots), 0);
    for (size_t i = 0; i < M; i++) sum += log(fabs(jacobian[i + i * M]));
    return sum;
}

static void leapfrog_preserves_volume(void **state)
{
    (void)state;
    for (size_t s = 0; s < FLOW_SETTINGS; s++) {
        flow_case *f = flow_case_new(&flow_settings[s], 1);
        assert_close(log_volume(f), 0.0, 1e-7, flow_settings[s].name);
        flow_case_free(f);
    }
}

/* P columns in lockstep give the same result as each column alone. */
static void columns_in_lockstep_move_as_each_alone(void **state)
{
    (void)state;
    for (size_t s = 0; s < FLOW_SETTINGS; s++) {
        double w[N * P], p[N * P], density[P], start_w[N * P], start_p[N * P];
        flow_case *f = flow_case_new(&flow_settings[s], P);
        memcpy(start_w, f->w, sizeof start_w);
        memcpy(start_p, f->p, sizeof start_p);
        flow_case_start(f, P, start_w, start_p);
        tw_leapfrog_run(f->flow, 0.1, 10);
        memcpy(w, f->flow->w, sizeof w);
        memcpy(p, f->flow->p, sizeof p);
        memcpy(density, f->flow->at.log_density, sizeof density);
        flow_case_free(f);
        f = flow_case_new(&flow_settings[s], 1);
        for (size_t j = 0; j < P; j++) {
            flow_case_start(f, 1, start_w + j * N, start_p + j * N);
            tw_leapfrog_run(f->flow, 0.1, 10);
            assert_true(largest_difference(N, f->flow->w, w + j * N) < 1e-11);
            assert_true(largest_difference(N, f->flow->p, p + j * N) < 1e-11);
            assert_close(f->flow->at.log_density[0], density[j], 1e-10, flow_settings[s].name);
        }
        flow_case_free(f);
    }
}

/* Without sites a leapfrog that turns is exact: after a quarter of the orbit w is the initial p, and the
 * energy has not changed. */
static void turning_is_exact_for_a_gaussian(void **state)
{
    (void)state;
    flow_case *f = flow_case_new(&flow_settings[FLOW_PRIOR_PRIOR], P);
    double before[P];
    assert_int_equal(tw_target_set_temperature(f->gp.target, 0.0), TW_OK);
    f->frame.turns = true;
    flow_case_start(f, P, f->w, f->p);
    for (size_t j = 0; j < P; j++) before[j] = tw_leapfrog_energy(f->flow, j);
    tw_leapfrog_run(f->flow, acos(0.0) / 3.0, 3);
    for (size_t j = 0; j < P; j++) assert_close(tw_leapfrog_energy(f->flow, j), before[j], 1e-12, "energy");
    assert_true(largest_difference(N * P, f->flow->w, f->p) < 1e-12);
    flow_case_free(f);
}

static void no_steps_change_nothing(void **state)
{
    (void)state;
    flow_case *f = flow_case_new(&flow_settings[FLOW_EP_PRIOR], P);
    flow_case_start(f, P, f->w, f->p);
    tw_leapfrog_run(f->flow, 0.1, 0);
    assert_memory_equal(f->flow->p, f->p, sizeof f->p);
    flow_case_free(f);
}

/* A column takes at most eight vectors of n numbers, and no matrix. */
static void memory_is_linear_per_column(void **state)
{
    (void)state;
    const size_t sizes[] = {20, 80};
    for (size_t k = 0; k < 2; k++) {
        size_t n = sizes[k];
        gp_setting s = {.n = n, .seed = 2, .cond = 1e3, .scale = 1, .form = GP_OPEN, .beta = 0.5};
        gp_case gp = gp_case_new(&s);
        tw_frame frame;
        tw_leapfrog *flow;
        assert_int_equal(tw_frame_make(gp.target, TW_METRIC_EP, gp.reference, &frame), TW_OK);
        size_t before = tw_context_bytes_in_use(gp.ctx);
        assert_int_equal(tw_leapfrog_new(&frame, 10, &flow), TW_OK);
        size_t ten = tw_context_bytes_in_use(gp.ctx) - before;
        tw_leapfrog_free(flow);
        assert_int_equal(tw_leapfrog_new(&frame, 110, &flow), TW_OK);
        size_t each = (tw_context_bytes_in_use(gp.ctx) - before - ten) / 100;
        print_message("n = %zu: %.2f vectors a column\n", n, (double)each / (double)(n * sizeof(double)));
        assert_true(each <= 8 * n * sizeof(double));
        tw_leapfrog_free(flow);
        gp_case_free(&gp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leapfrog_is_of_second_order),
        cmocka_unit_test(leapfrog_is_reversible),
        cmocka_unit_test(leapfrog_preserves_volume),
        cmocka_unit_test(columns_in_lockstep_move_as_each_alone),
        cmocka_unit_test(turning_is_exact_for_a_gaussian),
        cmocka_unit_test(no_steps_change_nothing),
        cmocka_unit_test(memory_is_linear_per_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
