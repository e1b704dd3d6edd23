/* Every transition leaves its target exactly invariant.
 *
 * Columns are drawn independently from the target by rejection: v ~ N(0, I) gives x from the base, accepted
 * with probability prod p(y_n | x_n)^b. The transition is applied to all of them a few times, and they must
 * still be draws from the target. Two kinds of tests detect a change: the mean of f(after) - f(before) over
 * the independent columns, in standard errors, for eight functions f; and the Kolmogorov-Smirnov distance
 * between the result and a second, larger, independent sample, for x_1 and the log density.
 *
 * False alarms: 73 transitions with 8 scores beyond 5 standard errors (5.7e-7 each) and 2 distances beyond
 * 2.8 (3.1e-7 each): below 3.9e-4 for the whole file. Steps are so long that rejections matter. The same
 * tests must reject transitions that are broken on purpose, by twice the limit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample/sampler.h"
#include "support/fault.h"
#include "support/gp_case.h"
#include "support/statistics.h"
#include "support/support.h"

enum { MOST = 3, FUNCTIONS = 8, EXACT = 30000 };

static const double score_limit = 5.0, distance_limit = 2.8;
static const double smoothing[MOST] = {2.0, 1.0, 3.0};
static const double labels[MOST] = {1.0, -1.0, 1.0};

typedef struct kernel {
    const char *name;
    tw_method method;
    tw_metric metric;
    double eps;
    size_t steps;
    tw_forces forces;
    tw_drift drift;
    bool lines;
} kernel;

typedef struct fixture {
    gp_case gp;
    tw_reference *sites, *dense; /* Gaussians for the metrics ep and dense */
    tw_reference
        *weak;     /* for the metric anchored, with sites so flat that the curvature is far beyond them */
    double *exact; /* n x EXACT: independent draws from the target */
    double *seen;  /* FUNCTIONS x EXACT: what they are looked at through */
    size_t n;
} fixture;

typedef struct outcome {
    double score, distance; /* the largest */
    double accepted, worst; /* fraction; a score or distance over its limit, the largest such ratio */
} outcome;

/* ---- exact draws */

static bool keep(const tw_target *t, const double *v, double *x, double u)
{
    double ll;
    tw_evaluation wanted = {.x = x, .log_likelihood = &ll};
    tw_target_evaluate(t, 1, v, &wanted);
    return log(u) < t->beta * ll;
}

/* From a folded copy of the target, which leaves b log p(y | x) <= 0 in the sites. */
static double *exact_draws(const gp_case *gp, size_t count)
{
    size_t n = gp->problem->n;
    tw_target *folded;
    test_random random = {77};
    double *x = malloc(n * count * sizeof *x), v[MOST];
    assert_non_null(x);
    assert_int_equal(tw_target_new(gp->model, gp->reference, TW_FORM_FOLDED, &folded), TW_OK);
    assert_int_equal(tw_target_set_temperature(folded, gp->target->beta), TW_OK);
    for (size_t j = 0; j < count; j++) do
            test_normals(&random, n, v);
        while (!keep(folded, v, x + j * n, test_uniform(&random)));
    tw_target_free(folded);
    return x;
}

/* x_1, x_n, x_1^2, x_1 x_n, [x_1 > 0], L_b, L_b^2, tanh x_1: what a column is looked at through. */
static void look(const double *x, size_t n, double log_density, double out[FUNCTIONS])
{
    double last = x[n - 1];
    double value[FUNCTIONS] = {
        x[0], last, x[0] * x[0], x[0] * last, x[0] > 0.0, log_density, log_density * log_density, tanh(x[0])};
    memcpy(out, value, sizeof value);
}

static double *look_at_exact(const fixture *f)
{
    double *seen = malloc(EXACT * FUNCTIONS * sizeof *seen), v[MOST], x[MOST], density;
    tw_evaluation wanted = {.x = x, .log_density = &density};
    assert_non_null(seen);
    for (size_t j = 0; j < EXACT; j++) {
        const double *draw = f->exact + j * f->n;
        tw_target_whiten(f->gp.target, 1, draw, v);
        tw_target_evaluate(f->gp.target, 1, v, &wanted);
        look(draw, f->n, density, seen + j * FUNCTIONS);
    }
    return seen;
}

/* K with variances 6, 9, 4 and correlations 0.6: skewed posteriors, and a metric that varies. */
static fixture *set_up(size_t n, gp_form form, double beta)
{
    static fixture f;
    gp_setting setting = {.n = n, .seed = 31, .form = form, .beta = beta};
    const double sd[MOST] = {2.5, 3.0, 2.0};
    double k[MOST * MOST];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) k[i + j * n] = sd[i] * sd[j] * (i == j ? 1.0 : 0.6);
    f.n = n;
    f.gp = gp_case_from(&setting, k, labels);
    f.sites = gp_reference(f.gp.problem, f.gp.model, GP_OPEN);
    f.dense = gp_reference(f.gp.problem, f.gp.model, GP_DENSE);
    double tau[MOST], nu[MOST] = {0.0};
    for (size_t i = 0; i < n; i++) tau[i] = 0.02;
    assert_int_equal(tw_reference_sites(f.gp.model, tau, nu, &f.weak), TW_OK);
    f.exact = exact_draws(&f.gp, EXACT);
    f.seen = look_at_exact(&f);
    return &f;
}

static void tear_down(fixture *f)
{
    free(f->exact);
    free(f->seen);
    tw_reference_free(f->sites);
    tw_reference_free(f->dense);
    tw_reference_free(f->weak);
    gp_case_free(&f->gp);
}

/* ---- one transition on many columns */

static tw_sampler *make_sampler(const fixture *f, const kernel *k, size_t columns)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s;
    o.method = k->method;
    o.metric = k->metric;
    o.gaussian = k->metric == TW_METRIC_DENSE      ? f->dense
                 : k->metric == TW_METRIC_ANCHORED ? f->weak
                                                   : f->sites;
    o.smoothing = smoothing;
    o.forces = k->forces;
    o.drift = k->drift;
    o.lines = k->lines;
    assert_int_equal(tw_sampler_new(f->gp.target, &o, columns, &s), TW_OK);
    assert_int_equal(tw_sampler_set_positions(s, f->exact), TW_OK);
    return s;
}

static void look_at_all(const fixture *f, tw_sampler *s, size_t columns, double *out)
{
    for (size_t j = 0; j < columns; j++)
        look(tw_sampler_positions(s) + j * f->n, f->n, tw_sampler_log_density(s)[j], out + j * FUNCTIONS);
}

static double run(tw_sampler *s, const kernel *k, size_t columns, size_t times)
{
    tw_record *records = malloc(columns * sizeof *records);
    double accepted = 0.0;
    assert_non_null(records);
    for (size_t t = 0; t < times; t++) {
        tw_move move = {.eps = k->eps, .steps = k->steps, .seed = 5, .iteration = t};
        tw_sampler_advance(s, &move, records);
        for (size_t j = 0; j < columns; j++) accepted += records[j].accepted;
    }
    free(records);
    return accepted / (double)(columns * times);
}

/* The largest score of the differences. */
static double largest_score(size_t columns, const double *before, const double *after)
{
    double *d = malloc(columns * sizeof *d), largest = 0.0;
    assert_non_null(d);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        for (size_t j = 0; j < columns; j++) d[j] = after[i + j * FUNCTIONS] - before[i + j * FUNCTIONS];
        largest = fmax(largest, fabs(mean_score(columns, d)));
    }
    free(d);
    return largest;
}

/* The distance of function i between the columns and those exact draws that no column started from. */
static double distance_of(const fixture *f, size_t i, size_t columns, const double *after)
{
    size_t rest = EXACT - columns;
    double *a = malloc(columns * sizeof *a), *b = malloc(rest * sizeof *b);
    assert_true(a && b);
    for (size_t j = 0; j < columns; j++) a[j] = after[i + j * FUNCTIONS];
    for (size_t j = 0; j < rest; j++) b[j] = f->seen[i + (columns + j) * FUNCTIONS];
    double distance = two_sample_distance(columns, a, rest, b);
    free(a);
    free(b);
    return distance;
}

static outcome apply(const fixture *f, const kernel *k, size_t columns, size_t times, tw_fault fault)
{
    ask_for_fault(fault);
    tw_sampler *s = make_sampler(f, k, columns);
    double *before = malloc(columns * FUNCTIONS * sizeof *before);
    double *after = malloc(columns * FUNCTIONS * sizeof *after);
    outcome out;
    assert_true(before && after);
    look_at_all(f, s, columns, before);
    out.accepted = run(s, k, columns, times);
    look_at_all(f, s, columns, after);
    out.score = largest_score(columns, before, after);
    out.distance = fmax(distance_of(f, 0, columns, after), distance_of(f, 5, columns, after));
    out.worst = fmax(out.score / score_limit, out.distance / distance_limit);
    free(before);
    free(after);
    tw_sampler_free(s);
    ask_for_fault(TW_FAULT_NONE);
    return out;
}

/* ---- the tests */

static void check_kernel(const fixture *f, const kernel *k)
{
    bool riemannian = k->method == TW_METHOD_RMHMC;
    outcome out = apply(f, k, riemannian ? 2000 : 6000, 3, TW_FAULT_NONE);
    print_message("  %-16s score %.2f, distance %.2f, accepted %.2f\n", k->name, out.score, out.distance,
                  out.accepted);
    if (k->method != TW_METHOD_SLICE) assert_true(out.accepted > 0.5 && out.accepted < 0.99);
    assert_true(out.worst < 1.0);
}

static void check_target(size_t n, gp_form form, double beta, const kernel *kernels, size_t count)
{
    fixture *f = set_up(n, form, beta);
    print_message("n = %zu, form %d, b = %g\n", n, (int)form, beta);
    for (size_t i = 0; i < count; i++) check_kernel(f, &kernels[i]);
    tear_down(f);
}

static const kernel flat_kernels[] = {
    {"hmc/identity", TW_METHOD_HMC, TW_METRIC_IDENTITY, 1.3, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"hmc/prior", TW_METHOD_HMC, TW_METRIC_PRIOR, 0.5, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"hmc/ep", TW_METHOD_HMC, TW_METRIC_EP, 1.2, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"hmc/dense", TW_METHOD_HMC, TW_METRIC_DENSE, 0.55, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"slice/prior", TW_METHOD_SLICE, TW_METRIC_PRIOR, 0.0, 0, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"slice/ep", TW_METHOD_SLICE, TW_METRIC_EP, 0.0, 0, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"mgrad/ep", TW_METHOD_MGRAD, TW_METRIC_EP, 1.0, 0, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"mgrad/prior", TW_METHOD_MGRAD, TW_METRIC_PRIOR, 0.3, 0, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"hmc/ep, single", TW_METHOD_HMC, TW_METRIC_EP, 1.2, 3, TW_FORCES_SINGLE, TW_DRIFT_AUTO, false},
    {"hmc/ep, turning", TW_METHOD_HMC, TW_METRIC_EP, 1.2, 3, TW_FORCES_AUTO, TW_DRIFT_TURN, false},
    {"hmc/prior, turning", TW_METHOD_HMC, TW_METRIC_PRIOR, 0.6, 3, TW_FORCES_AUTO, TW_DRIFT_TURN, false},
    {"slice/ep, lines", TW_METHOD_SLICE, TW_METRIC_EP, 0.0, 0, TW_FORCES_AUTO, TW_DRIFT_AUTO, true},
};
static const kernel curved_kernels[] = {
    {"rmhmc/hessian", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 0.5, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"rmhmc/fisher", TW_METHOD_RMHMC, TW_METRIC_FISHER, 0.5, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"rmhmc/smoothed", TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 1.0, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
    {"rmhmc/anchored", TW_METHOD_RMHMC, TW_METRIC_ANCHORED, 0.8, 3, TW_FORCES_AUTO, TW_DRIFT_AUTO, false},
};

/* slice/ep and mgrad need the base N(0, K): not with a folded target. */
static void check_flat(size_t n, gp_form form, double beta)
{
    check_target(n, form, beta, flat_kernels, form == GP_FOLDED || form == GP_DENSE ? 5 : 12);
}

static void flat_metrics_keep_the_target(void **state)
{
    (void)state;
    check_flat(1, GP_PRIOR, 1.0);
    check_flat(3, GP_PRIOR, 1.0);
    check_flat(3, GP_PRIOR, 0.5);
    check_flat(3, GP_OPEN, 0.5);
    check_flat(2, GP_FOLDED, 0.5);
    check_flat(3, GP_DENSE, 0.5);
}

static void curved_metrics_keep_the_target(void **state)
{
    (void)state;
    check_target(1, GP_PRIOR, 1.0, curved_kernels, 4);
    check_target(3, GP_PRIOR, 1.0, curved_kernels, 4);
    check_target(2, GP_PRIOR, 0.5, curved_kernels, 4);
    check_target(3, GP_OPEN, 0.5, curved_kernels, 4);
    check_target(3, GP_FOLDED, 0.5, curved_kernels, 3);
    check_target(2, GP_DENSE, 0.5, curved_kernels, 3);
}

/* Broken kernels that the tests above must reject, and the one that they cannot. */
static void check_fault(const fixture *f, const char *name, const kernel *k, tw_fault fault, size_t columns,
                        bool found)
{
    outcome out = apply(f, k, columns, 3, fault);
    print_message("%s: score %.1f, distance %.1f, accepted %.2f\n", name, out.score, out.distance,
                  out.accepted);
    if (found)
        assert_true(out.worst > 2.0);
    else
        assert_true(out.worst < 1.0);
}

static void broken_kernels_are_rejected(void **state)
{
    (void)state;
    fixture *f = set_up(2, GP_PRIOR, 1.0);
    check_fault(f, "sign of the velocity term", &curved_kernels[0], TW_FAULT_VELOCITY_SIGN, 1500, true);
    check_fault(f, "stale momentum", &curved_kernels[0], TW_FAULT_STALE_MOMENTUM, 1500, true);
    check_fault(f, "H without log|B|", &curved_kernels[0], TW_FAULT_NO_LOG_DET, 6000, true);
    check_fault(f, "anchored without log|B|", &curved_kernels[3], TW_FAULT_NO_LOG_DET, 12000, true);
    check_fault(f, "sign of the trace term", &curved_kernels[0], TW_FAULT_TRACE_SIGN, 2000, false);
    check_fault(f, "late forces in single precision", &flat_kernels[8], TW_FAULT_LATE_FORCES, 6000, true);
    check_fault(f, "late forces of a drift that turns", &flat_kernels[10], TW_FAULT_LATE_FORCES, 8000, true);
    check_fault(f, "mGrad without the way back", &flat_kernels[7], TW_FAULT_ONE_WAY, 6000, true);
    check_fault(f, "lines whose level is wrong", &flat_kernels[11], TW_FAULT_LINE_LEVEL, 6000, true);
    tear_down(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_metrics_keep_the_target),
        cmocka_unit_test(curved_metrics_keep_the_target),
        cmocka_unit_test(broken_kernels_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
