/* The integrators of a general target, on targets whose metric varies: order, reversibility, volume, the time
 * scale against an independent flow, and their behaviour if a solve stops early. */
#include <math.h>
#include <string.h>

#include "dynamics/general.h"
#include "support/general_targets.h"
#include "support/softabs_flow.h"
#include "support/support.h"

static const double ALPHA = 1.3;

/* A target, its metric and where a trajectory starts: z = (x, p). */
typedef struct setting {
    const char *name;
    tw_general_target target;
    tw_general_metric metric;
    double z[4];
    double eps;
} setting;

enum { SETTINGS = 4 };

typedef struct fixture {
    tw_context *ctx;
    mixture m;
    setting all[SETTINGS];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.ctx = new_context(), .m = overlapping_mixture()};
    const setting all[SETTINGS] = {
        {"banana, SoftAbs", banana_target(), TW_GENERAL_SOFTABS, {0.9, 0.8, 1.1, -0.7}, 0.1},
        {"mixture, SoftAbs", mixture_target(&f.m), TW_GENERAL_SOFTABS, {-1.1, -0.3, 1.4, 1.2}, 0.1},
        {"banana, constant", banana_target(), TW_GENERAL_CONSTANT, {0.9, 0.8, 1.1, -0.7}, 0.1},
        {"mixture, constant", mixture_target(&f.m), TW_GENERAL_CONSTANT, {-1.1, -0.3, 1.4, 1.2}, 0.05},
    };
    memcpy(f.all, all, sizeof all);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    const fixture *f = *state;
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
    return 0;
}

static tw_general *make(tw_context *ctx, const setting *s, double eps)
{
    const double mass[2] = {1.5, 0.8};
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.metric = s->metric;
    options.mass = mass;
    options.alpha = ALPHA;
    options.eps = eps;
    options.tolerance = 1e-14;
    tw_general *g = NULL;
    assert_int_equal(tw_general_new(ctx, &s->target, &options, &g), TW_OK);
    return g;
}

static void put(tw_general *g, const double *z)
{
    assert_int_equal(tw_general_set_position(g, z), TW_OK);
    tw_general_set_momentum(g, z + 2);
}

static void get(const tw_general *g, double *z)
{
    memcpy(z, tw_general_position(g), 2 * sizeof *z);
    memcpy(z + 2, tw_general_momentum(g), 2 * sizeof *z);
}

static double distance(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* ---- order */

/* The largest |H - H_0| over a time of 20 steps of the setting's eps. */
static double energy_error(tw_context *ctx, const setting *s, size_t finer)
{
    tw_general *g = make(ctx, s, s->eps / (double)finer);
    put(g, s->z);
    double start = tw_general_energy(g), worst = 0.0;
    for (size_t i = 0; i < 20 * finer; i++) {
        assert_int_equal(tw_general_step(g), TW_GENERAL_FINE);
        worst = fmax(worst, fabs(tw_general_energy(g) - start));
    }
    tw_general_free(g);
    return worst;
}

/* The error of H is c eps^2 + O(eps^4): halving eps divides it by 4, up to the place of the maximum. */
static void energy_errors_are_of_second_order(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < SETTINGS; i++) {
        double coarse = energy_error(f->ctx, &f->all[i], 16), middle = energy_error(f->ctx, &f->all[i], 32),
               fine = energy_error(f->ctx, &f->all[i], 64);
        print_message("%-18s energy error %.1e %.1e %.1e\n", f->all[i].name, coarse, middle, fine);
        assert_true(fine > 1e-9); /* not zero: the test sees something */
        assert_close(coarse / middle, 4.0, 0.2, f->all[i].name);
        assert_close(middle / fine, 4.0, 0.1, f->all[i].name);
    }
}

/* ---- reversal and volume */

static double missed_start(tw_context *ctx, const setting *s, size_t fixed)
{
    tw_general *g = make(ctx, s, s->eps);
    double back[4];
    g->rule.fixed = fixed;
    put(g, s->z);
    assert_int_equal(tw_general_trajectory(g, 20), TW_GENERAL_FINE);
    get(g, back);
    assert_true(distance(back, s->z) > 0.3);
    tw_general_reverse(g);
    assert_int_equal(tw_general_trajectory(g, 20), TW_GENERAL_FINE);
    tw_general_reverse(g);
    get(g, back);
    tw_general_free(g);
    return distance(back, s->z);
}

/* |log |det J|| of the map of `steps` steps, J by fourth-order differences: relative errors of about 1e-9. */
static double volume_change(tw_context *ctx, const setting *s, size_t steps, size_t fixed)
{
    const double h = 0x1p-12, move[4] = {h, -h, 0.5 * h, -0.5 * h};
    double jacobian[4][4], z[4], image[4][4];
    tw_general *g = make(ctx, s, s->eps);
    g->rule.fixed = fixed;
    for (int j = 0; j < 4; j++) {
        for (int k = 0; k < 4; k++) {
            memcpy(z, s->z, sizeof z);
            z[j] += move[k];
            put(g, z);
            assert_int_equal(tw_general_trajectory(g, steps), TW_GENERAL_FINE);
            get(g, image[k]);
        }
        for (int i = 0; i < 4; i++)
            jacobian[i][j] = (8.0 * (image[2][i] - image[3][i]) - (image[0][i] - image[1][i])) / (6.0 * h);
    }
    tw_general_free(g);
    double log_det = 0.0; /* by elimination with pivoting */
    for (int k = 0; k < 4; k++) {
        int pivot = k;
        for (int i = k + 1; i < 4; i++)
            if (fabs(jacobian[i][k]) > fabs(jacobian[pivot][k])) pivot = i;
        for (int j = 0; j < 4; j++) {
            double swap = jacobian[k][j];
            jacobian[k][j] = jacobian[pivot][j];
            jacobian[pivot][j] = swap;
        }
        log_det += log(fabs(jacobian[k][k]));
        for (int i = k + 1; i < 4; i++)
            for (int j = 3; j >= k; j--) jacobian[i][j] -= jacobian[i][k] / jacobian[k][k] * jacobian[k][j];
    }
    return fabs(log_det);
}

static void trajectories_lead_back(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < SETTINGS; i++) {
        double missed = missed_start(f->ctx, &f->all[i], 0);
        print_message("%-18s misses its start by %.1e\n", f->all[i].name, missed);
        assert_true(missed < 1e-8);
    }
}

static void volume_is_preserved(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < SETTINGS; i++) {
        double one = volume_change(f->ctx, &f->all[i], 1, 0), ten = volume_change(f->ctx, &f->all[i], 10, 0);
        print_message("%-18s volume changes by %.1e in a step, %.1e in ten\n", f->all[i].name, one, ten);
        assert_true(one < 1e-6 && ten < 1e-6);
    }
}

/* With one iteration instead of a solution both properties are gone, by at least a thousand tolerances: the
 * tests above can see. */
static void a_solve_cut_short_breaks_both(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < 2; i++) {
        double missed = missed_start(f->ctx, &f->all[i], 1),
               change = volume_change(f->ctx, &f->all[i], 10, 1);
        print_message("%-18s cut short: misses by %.1e, volume by %.1e\n", f->all[i].name, missed, change);
        assert_true(missed > 1e-5);
        assert_true(change > 1e-3);
    }
}

/* ---- time scale */

/* The distance at time T between the integrator and the independent flow. */
static double distance_to_flow(tw_context *ctx, const setting *s, double time, size_t steps)
{
    double want[4], is[4];
    memcpy(want, s->z, sizeof want);
    softabs_flow(&s->target, ALPHA, time, 2000, want);
    tw_general *g = make(ctx, s, time / (double)steps);
    put(g, s->z);
    assert_int_equal(tw_general_trajectory(g, steps), TW_GENERAL_FINE);
    get(g, is);
    tw_general_free(g);
    return distance(is, want);
}

/* At the same physical time the two agree to c eps^2: 1e-4 at eps = T/200, a quarter at half the eps. */
static void the_flow_is_that_of_the_hamiltonian(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < 2; i++) {
        double coarse = distance_to_flow(f->ctx, &f->all[i], 1.5, 200),
               fine = distance_to_flow(f->ctx, &f->all[i], 1.5, 400);
        print_message("%-18s distance to the flow %.1e %.1e\n", f->all[i].name, coarse, fine);
        assert_true(fine < 1e-4);
        assert_close(coarse / fine, 4.0, 0.1, f->all[i].name);
    }
}

/* A Gaussian with a constant metric is an oscillator in each axis: x cos(w t) + p/(m w) sin(w t). */
static double oscillator_value(void *user, const double *x)
{
    (void)user;
    return -0.5 * (x[0] * x[0] + 4.0 * x[1] * x[1]);
}

static void oscillator_gradient(void *user, const double *x, double *g)
{
    (void)user;
    g[0] = -x[0];
    g[1] = -4.0 * x[1];
}

static void leapfrog_follows_an_oscillator(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double mass[2] = {1.7, 0.6}, stiffness[2] = {1.0, 4.0}, time = 3.0;
    const double z[4] = {0.8, -0.5, 1.1, 0.4};
    const setting s = {.target = {2, NULL, oscillator_value, oscillator_gradient, NULL, NULL}};
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.metric = TW_GENERAL_CONSTANT;
    options.mass = mass;
    options.eps = time / 30000;
    tw_general *g = NULL;
    assert_int_equal(tw_general_new(ctx, &s.target, &options, &g), TW_OK);
    put(g, z);
    assert_int_equal(tw_general_trajectory(g, 30000), TW_GENERAL_FINE);
    for (int i = 0; i < 2; i++) {
        double w = sqrt(stiffness[i] / mass[i]);
        double x = z[i] * cos(w * time) + z[i + 2] / (mass[i] * w) * sin(w * time);
        assert_close(tw_general_position(g)[i], x, 1e-7, "position");
    }
    tw_general_free(g);
    tw_context_free(ctx);
}

/* ---- outcomes and errors */

static void an_unsolved_step_says_so_and_stays(void **state)
{
    const fixture *f = *state;
    double z[4];
    tw_general *g = make(f->ctx, &f->all[0], 0.1);
    g->rule.cap = 2;
    put(g, f->all[0].z);
    assert_int_equal(tw_general_trajectory(g, 5), TW_GENERAL_UNSOLVED);
    get(g, z);
    assert_true(distance(z, f->all[0].z) == 0.0);
    tw_general_record record = tw_general_transition(g, 5, 1, 0, 0);
    assert_false(record.accepted);
    assert_int_equal(record.outcome, TW_GENERAL_UNSOLVED);
    assert_true(isnan(record.energy_change));
    assert_true(tw_general_position(g)[0] == f->all[0].z[0] && tw_general_position(g)[1] == f->all[0].z[1]);
    tw_general_free(g);
}

/* A cliff at x_0 = 1. */
static double cliff_value(void *user, const double *x)
{
    return x[0] > 1.0 ? -INFINITY : oscillator_value(user, x);
}

static void a_step_over_a_cliff_is_not_finite(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const tw_general_target target = {2, NULL, cliff_value, oscillator_gradient, NULL, NULL};
    const double z[4] = {0.9, 0.0, 5.0, 0.0}, beyond[2] = {2.0, 0.0};
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.metric = TW_GENERAL_CONSTANT;
    tw_general *g = NULL;
    assert_int_equal(tw_general_new(ctx, &target, &options, &g), TW_OK);
    put(g, z);
    assert_int_equal(tw_general_step(g), TW_GENERAL_NOT_FINITE);
    assert_true(tw_general_position(g)[0] == z[0]);
    assert_int_equal(tw_general_set_position(g, beyond), TW_NUMERICAL_FAILURE);
    assert_non_null(strstr(tw_context_message(ctx), "not finite"));
    tw_general_free(g);
    tw_context_free(ctx);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const tw_general_target good = banana_target();
    const double mass[2] = {1.0, 0.0};
    tw_general_options bad[8];
    for (size_t i = 0; i < 8; i++) bad[i] = TW_GENERAL_DEFAULTS;
    bad[0].eps = 0.0;
    bad[1].alpha = -1.0;
    bad[2].tolerance = NAN;
    bad[3].cap = 0;
    bad[4].reversal = -1.0;
    bad[5].mass = mass;
    bad[6].metric = (tw_general_metric)7;
    bad[7].eps = INFINITY;
    tw_general *g = NULL;
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(tw_general_new(ctx, &good, &bad[i], &g), TW_BAD_ARGUMENT);
        assert_null(g);
    }
    tw_general_target target[3] = {good, good, good};
    target[0].d = 0;
    target[1].value = NULL;
    target[2].third = NULL;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(tw_general_new(ctx, &target[i], NULL, &g), TW_BAD_ARGUMENT);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The n-th allocation fails, for every n; afterwards nothing is left, and steps allocate nothing. */
static void memory_is_taken_once_and_given_back(void **state)
{
    (void)state;
    const tw_general_target target = banana_target();
    const double x[2] = {0.3, 0.2};
    for (size_t n = 1; n <= 4; n++) {
        failing_allocator allocator = {0, n};
        tw_context *ctx = failing_context(&allocator);
        tw_general *g = NULL;
        tw_status status = tw_general_new(ctx, &target, NULL, &g);
        assert_true((status == TW_OK) == (g != NULL));
        size_t calls = allocator.calls;
        if (g) {
            assert_int_equal(tw_general_set_position(g, x), TW_OK);
            tw_general_transition(g, 3, 1, 0, 0);
        }
        assert_int_equal(allocator.calls, calls);
        tw_general_free(g);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
    tw_general_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_errors_are_of_second_order),
        cmocka_unit_test(trajectories_lead_back),
        cmocka_unit_test(volume_is_preserved),
        cmocka_unit_test(a_solve_cut_short_breaks_both),
        cmocka_unit_test(the_flow_is_that_of_the_hamiltonian),
        cmocka_unit_test(leapfrog_follows_an_oscillator),
        cmocka_unit_test(an_unsolved_step_says_so_and_stays),
        cmocka_unit_test(a_step_over_a_cliff_is_not_finite),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(memory_is_taken_once_and_given_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
