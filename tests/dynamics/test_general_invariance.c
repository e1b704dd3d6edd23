/* One transition of a general target leaves its distribution invariant. Draws from a mixture of three
 * correlated Gaussians are exact and independent; after one transition each they must still be draws from it.
 * There are two tests:
 *   - Kolmogorov-Smirnov on projections, whose exact distribution is a mixture of normals;
 *   - the mean of f(x') - f(x) over the draws, for several f, divided by its standard error: a paired test, and
 *     so sensitive to a single transition.
 * The thresholds have a false-alarm rate of 1e-4 per statistic, less than 2e-3 for a kernel; the seed is
 * fixed. Together the tests reject kernels that are broken on purpose. */
#include <math.h>
#include <stdlib.h>

#include "dynamics/general.h"
#include "math/random.h"
#include "support/fault.h"
#include "support/general_targets.h"
#include "support/support.h"

enum { DRAWS = 12000, DIRECTIONS = 6, FUNCTIONS = 6, SEED = 20160 };

static const double KS_THRESHOLD = 2.225; /* P(sqrt(n) D > 2.225) = 1e-4 */
static const double Z_THRESHOLD = 3.891;  /* P(|z| > 3.891) = 1e-4 */

/* An exact draw: a part by its weight, then correlated normals. */
static void draw(const mixture *m, uint64_t number, double *x)
{
    tw_stream stream = tw_stream_at(SEED, TW_STREAM_START, number, 0);
    double u = tw_stream_uniform(&stream), e[2];
    int k = 0;
    while (k < MIXTURE_PARTS - 1 && u > m->part[k].weight) u -= m->part[k++].weight;
    const mixture_part *part = &m->part[k];
    double rho = part->correlation;
    tw_stream_normals(&stream, 2, e);
    x[0] = part->mean[0] + part->sd[0] * e[0];
    x[1] = part->mean[1] + part->sd[1] * (rho * e[0] + sqrt(1.0 - rho * rho) * e[1]);
}

/* P(u'x <= t). */
static double projected_cdf(const mixture *m, const double *u, double t)
{
    double sum = 0.0;
    for (int k = 0; k < MIXTURE_PARTS; k++) {
        const mixture_part *part = &m->part[k];
        double a = u[0] * part->sd[0], b = u[1] * part->sd[1];
        double sd = sqrt(a * a + b * b + 2.0 * part->correlation * a * b);
        double mean = u[0] * part->mean[0] + u[1] * part->mean[1];
        sum += part->weight * 0.5 * erfc(-(t - mean) / (sd * sqrt(2.0)));
    }
    return sum;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* sqrt(n) times the largest distance between the empirical and the exact distribution of u'x. */
static double kolmogorov_smirnov(const mixture *m, const double *x, const double *u)
{
    static double sorted[DRAWS];
    double largest = 0.0;
    for (size_t i = 0; i < DRAWS; i++) sorted[i] = u[0] * x[2 * i] + u[1] * x[2 * i + 1];
    qsort(sorted, DRAWS, sizeof *sorted, by_size);
    for (size_t i = 0; i < DRAWS; i++) {
        double f = projected_cdf(m, u, sorted[i]);
        largest = fmax(largest, fmax(f - (double)i / DRAWS, (double)(i + 1) / DRAWS - f));
    }
    return largest * sqrt(DRAWS);
}

/* Functions of x and of the metric there. */
static void functions(const tw_general *g, double *f)
{
    const double *x = tw_general_position(g);
    f[0] = x[0];
    f[1] = x[1];
    f[2] = x[0] * x[1];
    f[3] = g->here.value;
    f[4] = g->here.metric.log_det;
    f[5] = g->here.metric.lambda[1] > 0.0; /* a direction of positive curvature: between the parts */
}

typedef struct finding {
    double ks, z;      /* the largest of each */
    double acceptance; /* over all draws */
    size_t failed;     /* transitions that were not fine */
} finding;

typedef struct sample {
    double x[2 * DRAWS];             /* after the transition */
    double change[FUNCTIONS][DRAWS]; /* f(x') - f(x) */
} sample;

/* Draw, move, record. */
static finding move(tw_general *g, const mixture *m, size_t steps, sample *out)
{
    finding found = {0.0, 0.0, 0.0, 0};
    for (size_t i = 0; i < DRAWS; i++) {
        double before[FUNCTIONS], after[FUNCTIONS], *x = out->x + 2 * i;
        draw(m, i, x);
        assert_int_equal(tw_general_set_position(g, x), TW_OK);
        functions(g, before);
        tw_general_record record = tw_general_transition(g, steps, SEED, i, 1);
        functions(g, after);
        for (size_t k = 0; k < FUNCTIONS; k++) out->change[k][i] = after[k] - before[k];
        for (size_t k = 0; k < 2; k++) x[k] = tw_general_position(g)[k];
        found.acceptance += record.accepted / (double)DRAWS;
        found.failed += record.outcome != TW_GENERAL_FINE;
    }
    return found;
}

/* The mean of the changes over its standard error. */
static double paired_z(const double *change)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < DRAWS; i++) {
        sum += change[i];
        squares += change[i] * change[i];
    }
    return squares > 0.0 ? fabs(sum) / sqrt(squares) : 0.0;
}

static finding examine(tw_general_metric metric, double eps, size_t steps, tw_fault fault)
{
    static sample moved;
    mixture m = overlapping_mixture();
    const tw_general_target target = mixture_target(&m);
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.metric = metric;
    options.eps = eps;
    tw_context *ctx = new_context();
    tw_general *g = NULL;
    assert_int_equal(tw_general_new(ctx, &target, &options, &g), TW_OK);
    ask_for_fault(fault);
    finding found = move(g, &m, steps, &moved);
    ask_for_fault(TW_FAULT_NONE);
    tw_general_free(g);
    tw_context_free(ctx);
    for (size_t k = 0; k < DIRECTIONS; k++) {
        double angle = (0.2 + (double)k) * acos(-1.0) / DIRECTIONS, u[2] = {cos(angle), sin(angle)};
        found.ks = fmax(found.ks, kolmogorov_smirnov(&m, moved.x, u));
    }
    for (size_t k = 0; k < FUNCTIONS; k++) found.z = fmax(found.z, paired_z(moved.change[k]));
    print_message("KS %.2f, z %.2f, acceptance %.2f, not fine %zu\n", found.ks, found.z, found.acceptance,
                  found.failed);
    return found;
}

static bool suspicious(finding f)
{
    return f.ks > KS_THRESHOLD || f.z > Z_THRESHOLD;
}

/* A small step, and one so large that a quarter of the trajectories fail or are rejected. */
static void softabs_leaves_the_mixture_alone(void **state)
{
    (void)state;
    finding small = examine(TW_GENERAL_SOFTABS, 0.15, 4, TW_FAULT_NONE);
    finding large = examine(TW_GENERAL_SOFTABS, 0.5, 3, TW_FAULT_NONE);
    assert_false(suspicious(small) || suspicious(large));
    assert_true(small.acceptance > 0.9 && large.acceptance > 0.6 && large.acceptance < 0.9);
}

static void a_constant_metric_leaves_the_mixture_alone(void **state)
{
    (void)state;
    finding found = examine(TW_GENERAL_CONSTANT, 0.4, 4, TW_FAULT_NONE);
    assert_false(suspicious(found));
    assert_true(found.acceptance > 0.6 && found.failed == 0);
}

static void a_forgotten_log_determinant_is_seen(void **state)
{
    (void)state;
    assert_true(suspicious(examine(TW_GENERAL_SOFTABS, 0.15, 4, TW_FAULT_NO_LOG_DET)));
}

/* The force then belongs to another H than the velocity, and the map does not preserve volume. */
static void a_wrong_sign_of_the_quadratic_force_is_seen(void **state)
{
    (void)state;
    assert_true(suspicious(examine(TW_GENERAL_SOFTABS, 0.15, 4, TW_FAULT_VELOCITY_SIGN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softabs_leaves_the_mixture_alone),
        cmocka_unit_test(a_constant_metric_leaves_the_mixture_alone),
        cmocka_unit_test(a_forgotten_log_determinant_is_seen),
        cmocka_unit_test(a_wrong_sign_of_the_quadratic_force_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
