/* The generalised leapfrog: it follows the flow of its Hamiltonian, with order 2, reversibility and
 * preservation of volume.
 *
 * The test integrates that flow by the fourth-order Runge-Kutta method, with derivatives of H by finite
 * differences. It uses nothing of the implementation but the value of H, which is checked against a dense
 * formula. Each property is tested for the three metrics, with a K of full and of lower rank, and must be
 * lost for code that is broken on purpose.
 */
#include "dynamics/riemann.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "support/fault.h"
#include "support/gp_case.h"
#include "support/support.h"

enum { N = 5, R = N };

static const double smoothing[8] = {0.5, 1.0, 2.0, 0.3, 0.8, 1.5, 0.6, 1.1};
static const tw_metric metrics[] = {TW_METRIC_HESSIAN, TW_METRIC_FISHER, TW_METRIC_SMOOTHED};

typedef struct phase {
    double v[R], pi[R];
} phase;

typedef struct fixture {
    gp_case gp;
    tw_riemann *point;
    phase start;
} fixture;

/* K of full rank, or F F' with F N x 3. */
static gp_case make_case(bool full_rank)
{
    gp_setting setting = {.n = N, .seed = 9, .cond = 1e2, .scale = 8, .form = GP_FOLDED, .beta = 0.8};
    double k[N * N] = {0.0}, y[N] = {1, 1, -1, 1, -1}, f[3 * N];
    test_random random = {21};
    if (full_rank) return gp_case_new(&setting);
    test_normals(&random, 3 * N, f);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < 3; c++) k[i + j * N] += 4.0 * f[i + c * N] * f[j + c * N];
    return gp_case_from(&setting, k, y);
}

static fixture set_up(tw_metric metric, bool full_rank)
{
    fixture f = {.gp = make_case(full_rank)};
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    double normals[N + R];
    test_random random = {5};
    options.metric = metric;
    options.smoothing = smoothing;
    options.rule.tolerance = 1e-13;
    options.rule.cap = 500;
    options.threshold = 0.0;
    assert_int_equal(tw_riemann_new(f.gp.target, &options, &f.point), TW_OK);
    assert_int_equal(f.point->r, full_rank ? N : 3);
    test_normals(&random, R, f.start.v);
    test_normals(&random, N + R, normals);
    assert_int_equal(tw_riemann_set_position(f.point, f.start.v), TW_STEP_FINE);
    tw_riemann_draw_momentum(f.point, normals);
    memcpy(f.start.pi, f.point->pi, f.point->r * sizeof *f.start.pi);
    return f;
}

static void tear_down(fixture *f)
{
    tw_riemann_free(f->point);
    gp_case_free(&f->gp);
}

static void put(tw_riemann *p, const phase *at)
{
    assert_int_equal(tw_riemann_set_position(p, at->v), TW_STEP_FINE);
    memcpy(p->pi, at->pi, p->r * sizeof *at->pi);
}

static phase get(const tw_riemann *p)
{
    phase at = {{0.0}, {0.0}};
    memcpy(at.v, p->v, p->r * sizeof *at.v);
    memcpy(at.pi, p->pi, p->r * sizeof *at.pi);
    return at;
}

static double hamiltonian(tw_riemann *p, const phase *at)
{
    put(p, at);
    return tw_riemann_energy(p);
}

/* Largest |difference| of two phase points. */
static double distance(size_t r, const phase *a, const phase *b)
{
    double largest = 0.0;
    for (size_t i = 0; i < r; i++)
        largest = fmax(largest, fmax(fabs(a->v[i] - b->v[i]), fabs(a->pi[i] - b->pi[i])));
    return largest;
}

/* Steps of the engine, the largest |change of H| on the way in *error (NULL: not wanted). */
static phase integrate(tw_riemann *p, const phase *from, double eps, size_t steps, double *error)
{
    put(p, from);
    double before = tw_riemann_energy(p);
    if (error) *error = 0.0;
    for (size_t s = 0; s < steps; s++) {
        assert_int_equal(tw_riemann_leapfrog(p, eps), TW_STEP_FINE);
        if (error) *error = fmax(*error, fabs(tw_riemann_energy(p) - before));
    }
    return get(p);
}

/* ---- the flow, by finite differences of H and Runge-Kutta */

/* dH/d(coordinate), central differences of fourth order. */
static double slope_of_h(tw_riemann *p, const phase *at, double *coordinate)
{
    const double h = 1e-3, middle = *coordinate;
    double value[4];
    const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
    for (size_t k = 0; k < 4; k++) {
        *coordinate = middle + h * offset[k];
        value[k] = hamiltonian(p, at);
    }
    *coordinate = middle;
    return (value[0] - 8.0 * value[1] + 8.0 * value[2] - value[3]) / (12.0 * h);
}

static phase field(tw_riemann *p, const phase *at)
{
    phase moved = *at, out = {{0.0}, {0.0}};
    for (size_t i = 0; i < p->r; i++) {
        out.pi[i] = -slope_of_h(p, &moved, &moved.v[i]);
        out.v[i] = slope_of_h(p, &moved, &moved.pi[i]);
    }
    return out;
}

static phase along(size_t r, const phase *from, double step, const phase *direction)
{
    phase out = *from;
    for (size_t i = 0; i < r; i++) {
        out.v[i] += step * direction->v[i];
        out.pi[i] += step * direction->pi[i];
    }
    return out;
}

static phase exact_flow(tw_riemann *p, const phase *from, double time, size_t steps)
{
    phase at = *from;
    double h = time / (double)steps;
    for (size_t s = 0; s < steps; s++) {
        phase k1 = field(p, &at), at2 = along(p->r, &at, 0.5 * h, &k1);
        phase k2 = field(p, &at2), at3 = along(p->r, &at, 0.5 * h, &k2);
        phase k3 = field(p, &at3), at4 = along(p->r, &at, h, &k3);
        phase k4 = field(p, &at4);
        at = along(p->r, &at, h / 6.0, &k1);
        at = along(p->r, &at, h / 3.0, &k2);
        at = along(p->r, &at, h / 3.0, &k3);
        at = along(p->r, &at, h / 6.0, &k4);
    }
    return at;
}

/* ---- the tests */

/* H against -L_b + log|I + L' Lambda L|/2 + pi' (I + L' Lambda L)^-1 pi / 2 with dense matrices in v. */
static double dense_hamiltonian(const fixture *f, const phase *at)
{
    const tw_riemann *p = f->point;
    size_t r = p->r;
    double x[N], density, g[R * R], identity[R * R] = {0.0}, l[N * R], u[R], quadratic = 0.0, log_det = 0.0;
    tw_evaluation wanted = {.x = x, .log_density = &density};
    tw_target_evaluate(f->gp.target, 1, at->v, &wanted);
    for (size_t j = 0; j < r; j++) identity[j + j * r] = 1.0;
    tw_gaussian_spread(f->gp.target->base, r, identity, l);
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < r; i++) {
            g[i + j * r] = i == j;
            for (size_t k = 0; k < N; k++) g[i + j * r] += l[k + i * N] * p->lambda[k] * l[k + j * N];
        }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)r, g, (int)r), 0);
    memcpy(u, at->pi, r * sizeof *u);
    assert_int_equal(LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', (int)r, 1, g, (int)r, u, (int)r), 0);
    for (size_t i = 0; i < r; i++) {
        quadratic += u[i] * u[i];
        log_det += 2.0 * log(g[i + i * r]);
    }
    return -density + 0.5 * (log_det + quadratic);
}

/* Errors of the endpoint and of H at eps and eps/2 over the same time, with a fault in the integrator or none: without,
 * both must fall by four. Returns the ratios. */
static void error_ratios(fixture *f, tw_fault fault, double *endpoint, double *energy)
{
    const double time = 0.8;
    phase exact, end[2];
    double error[2], missed[2];
    exact = exact_flow(f->point, &f->start, time, 40);
    ask_for_fault(fault);
    for (size_t k = 0; k < 2; k++) {
        size_t steps = k == 0 ? 32 : 64;
        end[k] = integrate(f->point, &f->start, time / (double)steps, steps, &error[k]);
        missed[k] = distance(f->point->r, &end[k], &exact);
    }
    ask_for_fault(TW_FAULT_NONE);
    print_message("endpoint misses by %.2e, %.2e; H by %.2e, %.2e\n", missed[0], missed[1], error[0],
                  error[1]);
    *endpoint = missed[0] / missed[1];
    *energy = error[0] / error[1];
}

/* Miss of the start after a number of steps forth and back. */
static double return_error(fixture *f)
{
    phase end = integrate(f->point, &f->start, 0.15, 10, NULL);
    for (size_t i = 0; i < f->point->r; i++) end.pi[i] = -end.pi[i];
    phase back = integrate(f->point, &end, 0.15, 10, NULL);
    for (size_t i = 0; i < f->point->r; i++) back.pi[i] = -back.pi[i];
    return distance(f->point->r, &back, &f->start);
}

/* log |det| of the Jacobian of three steps, by central differences of fourth order. */
static double log_volume(fixture *f)
{
    size_t r = f->point->r, m = 2 * r;
    double jacobian[4 * R * R], sum = 0.0;
    const double h = 1e-3, offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    int pivots[2 * R];
    memset(jacobian, 0, sizeof jacobian);
    for (size_t j = 0; j < m; j++)
        for (size_t k = 0; k < 4; k++) {
            phase from = f->start;
            (j < r ? from.v : from.pi)[j % r] += h * offset[k];
            phase end = integrate(f->point, &from, 0.15, 3, NULL);
            for (size_t i = 0; i < m; i++)
                jacobian[i + j * m] += weight[k] * (i < r ? end.v : end.pi)[i % r] / (12.0 * h);
        }
    assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, (int)m, (int)m, jacobian, (int)m, pivots), 0);
    for (size_t i = 0; i < m; i++) sum += log(fabs(jacobian[i + i * m]));
    return sum;
}

static void check_integrator(tw_metric metric, bool full_rank)
{
    fixture f = set_up(metric, full_rank);
    double endpoint, energy;
    assert_close(hamiltonian(f.point, &f.start), dense_hamiltonian(&f, &f.start), 1e-11, "H");
    error_ratios(&f, TW_FAULT_NONE, &endpoint, &energy);
    double missed = return_error(&f), volume = log_volume(&f);
    f.point->options.rule.fixed = 1;
    double cut_missed = return_error(&f), cut_volume = log_volume(&f);
    print_message("metric %d, rank %zu: endpoint ratio %.2f, energy ratio %.2f, return %.1e (one iteration: "
                  "%.1e), log volume %.1e (%.1e)\n",
                  (int)metric, f.point->r, endpoint, energy, missed, cut_missed, volume, cut_volume);
    assert_close(endpoint, 4.0, 0.2, "order of the endpoint's error");
    assert_close(energy, 4.0, 0.2, "order of the energy's error");
    assert_true(missed < 1e-8);
    assert_true(fabs(volume) < 1e-7);
    assert_true(cut_missed > 1e-2);
    assert_true(fabs(cut_volume) > 1e-3);
    tear_down(&f);
}

static void integrator_has_its_properties(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) check_integrator(metrics[i], true);
}

static void rank_deficient_kernel_works(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) check_integrator(metrics[i], false);
}

/* A wrong sign of the trace term is a shear, reversible and volume preserving; only the flow is another one:
 * neither the endpoint nor H converges. */
static void trace_sign_is_found_by_the_order(void **state)
{
    (void)state;
    fixture f = set_up(TW_METRIC_HESSIAN, true);
    double endpoint, energy;
    error_ratios(&f, TW_FAULT_TRACE_SIGN, &endpoint, &energy);
    assert_true(endpoint < 1.2 && energy < 1.2);
    ask_for_fault(TW_FAULT_TRACE_SIGN);
    assert_true(return_error(&f) < 1e-8);
    assert_true(fabs(log_volume(&f)) < 1e-7);
    ask_for_fault(TW_FAULT_NONE);
    tear_down(&f);
}

/* A wrong sign of the velocity term loses the order and the volume. */
static void velocity_sign_is_found(void **state)
{
    (void)state;
    fixture f = set_up(TW_METRIC_HESSIAN, true);
    double endpoint, energy;
    error_ratios(&f, TW_FAULT_VELOCITY_SIGN, &endpoint, &energy);
    assert_true(endpoint < 1.2 && energy < 1.2);
    ask_for_fault(TW_FAULT_VELOCITY_SIGN);
    assert_true(fabs(log_volume(&f)) > 1e-3);
    ask_for_fault(TW_FAULT_NONE);
    tear_down(&f);
}

/* A solve that may not take enough iterations says so. */
static void unsolved_step_is_reported(void **state)
{
    (void)state;
    fixture f = set_up(TW_METRIC_HESSIAN, true);
    f.point->options.rule.cap = 2;
    put(f.point, &f.start);
    assert_int_equal(tw_riemann_leapfrog(f.point, 0.15), TW_STEP_IMPLICIT);
    assert_true(f.point->near_cap);
    put(f.point, &f.start);
    assert_false(f.point->near_cap);
    tear_down(&f);
}

/* A metric that is not finite is a failure of the factorisation. */
static void no_factor_is_reported(void **state)
{
    (void)state;
    fixture f = set_up(TW_METRIC_HESSIAN, true);
    phase bad = f.start;
    bad.v[1] = NAN;
    assert_int_equal(tw_riemann_set_position(f.point, bad.v), TW_STEP_FACTORISATION);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrator_has_its_properties),    cmocka_unit_test(rank_deficient_kernel_works),
        cmocka_unit_test(trace_sign_is_found_by_the_order), cmocka_unit_test(velocity_sign_is_found),
        cmocka_unit_test(unsolved_step_is_reported),        cmocka_unit_test(no_factor_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
