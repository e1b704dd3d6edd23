/* The parts of parallel tempering against exact results: swap odds, exchange of states, the ladder, and both
 * estimators on independent draws that are Gaussian at every temperature. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pt.h"
#include "sample/sampler.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 12, COLUMNS = 5 };

typedef struct fixture {
    tw_context *ctx;
    test_problem *problem;
    tw_model *model;
    tw_reference *sites;
} fixture;

static fixture new_fixture(void)
{
    fixture f = {.ctx = new_context(), .problem = test_problem_new(N, 5, 1e3)};
    const test_problem *p = f.problem;
    assert_int_equal(
        tw_model_new(f.ctx, p->k, N, OBSERVED(tw_likelihood_find("probit"), N, p->y, NULL), 0.0, &f.model),
        TW_OK);
    assert_int_equal(tw_reference_sites(f.model, p->tau, p->nu, &f.sites), TW_OK);
    return f;
}

static void free_fixture(fixture *f)
{
    tw_reference_free(f->sites);
    tw_model_free(f->model);
    test_problem_free(f->problem);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
}

/* log p_b(x) at b = beta, from the target itself. */
static double log_density(const fixture *f, double beta, const double *v)
{
    tw_target *target = NULL;
    double x[N], out;
    tw_evaluation wanted = {.x = x, .log_density = &out};
    assert_int_equal(tw_target_new(f->model, f->sites, TW_FORM_OPEN, &target), TW_OK);
    assert_int_equal(tw_target_set_temperature(target, beta), TW_OK);
    tw_target_evaluate(target, 1, v, &wanted);
    tw_target_free(target);
    return out;
}

static double log_ratio(const fixture *f, const double *v)
{
    return log_density(f, 1.0, v) - log_density(f, 0.0, v);
}

/* Detailed balance on two replicas: p_a(x) p_b(x') min(1, odds) is the same with x and x' exchanged, since
 * odds is p_a(x') p_b(x) / (p_a(x) p_b(x')). */
static void swaps_keep_the_joint_density(void **state)
{
    (void)state;
    fixture f = new_fixture();
    test_random random = {9};
    const double a = 0.3, b = 0.45;
    for (int i = 0; i < 20; i++) {
        double lower[N], upper[N];
        test_normals(&random, N, lower);
        test_normals(&random, N, upper);
        double before = log_density(&f, a, lower) + log_density(&f, b, upper);
        double after = log_density(&f, a, upper) + log_density(&f, b, lower);
        double odds = tw_pt_swap_odds(b - a, log_ratio(&f, lower), log_ratio(&f, upper));
        assert_close(odds, after - before, 1e-10, "log odds of a swap");
    }
    free_fixture(&f);
}

static tw_walk *new_walk(const fixture *f, const tw_reference *q, const tw_sampler_options *kernel,
                         double beta, uint64_t chain)
{
    tw_walk *walk = NULL;
    assert_int_equal(tw_walk_new_as(f->model, q, kernel, TW_FORM_OPEN, COLUMNS, &walk), TW_OK);
    assert_int_equal(tw_walk_start(walk, 3, chain), TW_OK);
    assert_int_equal(tw_walk_temper(walk, beta), TW_OK);
    return walk;
}

/* Each column of a walk is x, and its density and likelihood belong to x at the walk's temperature. */
static void assert_columns(const tw_walk *walk, double *const x[COLUMNS])
{
    for (size_t j = 0; j < COLUMNS; j++) {
        double v[N], at[N], density, likelihood;
        tw_evaluation wanted = {.x = at, .log_density = &density, .log_likelihood = &likelihood};
        tw_target_whiten(walk->target, 1, x[j], v);
        tw_target_evaluate(walk->target, 1, v, &wanted);
        for (size_t i = 0; i < N; i++)
            assert_close(tw_sampler_positions(walk->sampler)[i + j * N], x[j][i], 1e-9, "position");
        assert_close(tw_sampler_log_density(walk->sampler)[j], density, 1e-9, "density");
        assert_close(tw_sampler_log_likelihood(walk->sampler)[j], likelihood, 1e-9, "likelihood");
    }
}

static void exchange_from(const fixture *f, const tw_reference *q, const tw_sampler_options *kernel)
{
    const bool which[COLUMNS] = {true, false, false, true, true};
    tw_walk *a = new_walk(f, q, kernel, 0.2, 0), *b = new_walk(f, q, kernel, 0.7, 100);
    double *at_a[COLUMNS], *at_b[COLUMNS], xa[N * COLUMNS], xb[N * COLUMNS];
    memcpy(xa, tw_sampler_positions(a->sampler), sizeof xa);
    memcpy(xb, tw_sampler_positions(b->sampler), sizeof xb);
    for (size_t j = 0; j < COLUMNS; j++) at_a[j] = xa + j * N;
    assert_columns(a, at_a); /* as they came to this temperature */
    for (size_t j = 0; j < COLUMNS; j++) {
        at_a[j] = (which[j] ? xb : xa) + j * N;
        at_b[j] = (which[j] ? xa : xb) + j * N;
    }
    tw_sampler_exchange(a->sampler, b->sampler, which);
    assert_columns(a, at_a);
    assert_columns(b, at_b);
    tw_walk_free(a);
    tw_walk_free(b);
}

static void exchange_with(const fixture *f, const tw_sampler_options *kernel)
{
    exchange_from(f, f->sites, kernel);
}

/* From N(mu, Sigma) each temperature has a base and so a frame of its own: coordinates must not go along with x. */
static void states_are_exchanged_between_frames(void **state)
{
    (void)state;
    fixture f = new_fixture();
    const tw_metric metrics[] = {TW_METRIC_PRIOR, TW_METRIC_PRIOR, TW_METRIC_HESSIAN};
    const tw_method methods[] = {TW_METHOD_HMC, TW_METHOD_SLICE, TW_METHOD_RMHMC};
    tw_reference *dense = NULL;
    double sigma[N * N] = {0.0};
    for (size_t i = 0; i < N; i++) sigma[i * (N + 1)] = 0.5 + 0.1 * (double)i;
    assert_int_equal(tw_reference_gaussian(f.model, f.problem->nu, sigma, N, &dense), TW_OK);
    for (size_t i = 0; i < 3; i++) {
        tw_sampler_options kernel = TW_SAMPLER_DEFAULTS;
        kernel.method = methods[i];
        kernel.metric = metrics[i];
        exchange_from(&f, dense, &kernel);
    }
    tw_reference_free(dense);
    free_fixture(&f);
}

static void states_are_exchanged_whole(void **state)
{
    (void)state;
    fixture f = new_fixture();
    tw_sampler_options kernel = TW_SAMPLER_DEFAULTS;
    kernel.gaussian = f.sites;
    exchange_with(&f, &kernel);
    kernel.metric = TW_METRIC_EP;
    exchange_with(&f, &kernel);
    kernel.metric = TW_METRIC_IDENTITY;
    exchange_with(&f, &kernel);
    kernel.method = TW_METHOD_SLICE;
    kernel.metric = TW_METRIC_EP;
    exchange_with(&f, &kernel);
    kernel.method = TW_METHOD_RMHMC;
    kernel.metric = TW_METRIC_HESSIAN;
    exchange_with(&f, &kernel);
    free_fixture(&f);
}

/* A barrier that is linear between the temperatures is divided exactly, but for the small rate that keeps it
 * rising; into as many parts as are wanted. */
static void ladders_are_equalised(void **state)
{
    (void)state;
    enum { STEPS = 4 };
    double beta[STEPS + 1] = {0.0, 0.25, 0.5, 0.75, 1.0}, next[STEPS + 1], work[STEPS + 1];
    const double rates[STEPS] = {0.6, 0.2, 0.0, 0.0}, none[STEPS] = {0.0};
    const double expected[STEPS + 1] = {0.0, 0.25 / 3.0, 0.5 / 3.0, 0.25, 1.0};
    tw_ladder_equalise(STEPS, rates, beta, STEPS, next, work);
    for (size_t k = 0; k <= STEPS; k++) assert_close(next[k], expected[k], 3e-3, "temperature");
    tw_ladder_equalise(STEPS, rates, beta, 2, next, work);
    for (size_t k = 0; k <= 2; k++) assert_close(next[k], k < 2 ? expected[2 * k] : 1.0, 3e-3, "temperature");
    for (size_t k = 0; k <= STEPS; k++) beta[k] = (double)(k * k) / (double)(STEPS * STEPS);
    tw_ladder_equalise(STEPS, none, beta, STEPS, next, work);
    for (size_t k = 0; k <= STEPS; k++) assert_close(next[k], beta[k], 1e-14, "temperature");
}

/* Where every swap is accepted a replica goes up and down without a stop. With rejections: 5 pairs that share a barrier
 * of 2.5 reject every second swap, and a copy has a round trip in 2 + 2 * 5 rounds. */
static void ladders_are_as_long_as_replicas_travel(void **state)
{
    (void)state;
    assert_close(tw_ladder_trip(7, 0.0), 16.0, 1e-14, "a trip without rejections");
    assert_close(tw_ladder_trip(5, 2.5), 6.0 * 12.0, 1e-12, "a trip with them");
    assert_int_equal(tw_ladder_steps(2, 40, 0.0, 42.0), 20);
    assert_int_equal(tw_ladder_steps(25, 40, 0.0, 42.0), 25);
    for (double barrier = 0.5; barrier < 8.0; barrier += 0.5) {
        size_t few = tw_ladder_steps(2, 40, barrier, 1.0), many = tw_ladder_steps(2, 40, barrier, 300.0);
        for (size_t steps = 2; steps <= 40; steps++)
            assert_true(tw_ladder_trip(few, barrier) <= tw_ladder_trip(steps, barrier));
        assert_true(many >= few);
        if (many > few) assert_true(tw_ladder_trip(many, barrier) <= 300.0);
        if (many > few && many < 40) assert_true(tw_ladder_trip(many + 1, barrier) > 300.0);
    }
}

/* Draws of R ~ N(m + b v, v) at every level: what it is when R is Gaussian under q. Then E_0[exp(R)] =
 * exp(m + v/2), and E_b[R] is linear in b, so that both rules of integration are exact but for noise in the third moment. */
enum { LEVELS = 6, GROUPS = 20, LENGTH = 50 };
static const double gaussian_mean = -40.0, gaussian_variance = 9.0;

typedef struct draws {
    double beta[LEVELS], ratio[LEVELS * GROUPS * LENGTH];
    double work[LEVELS * (3 * GROUPS + 3)], mean[LEVELS], without[GROUPS];
} draws;

/* `length` draws of each copy. */
static tw_ladder_draws copies_of(size_t levels, size_t copies, size_t length, const double *beta,
                                 const double *ratio)
{
    return (tw_ladder_draws){.levels = levels,
                             .copies = copies,
                             .rounds = length,
                             .used = length,
                             .batches = 1,
                             .beta = beta,
                             .ratio = ratio};
}

/* Each draw is repeated `repeats` times in a row: a chain that stands still. */
static void fill(draws *d, uint64_t seed, size_t repeats)
{
    test_random random = {seed};
    double r = 0.0;
    for (size_t k = 0; k < LEVELS; k++) d->beta[k] = (double)k / (LEVELS - 1);
    for (size_t i = 0; i < LEVELS * GROUPS * LENGTH; i++) {
        size_t level = i / (GROUPS * LENGTH);
        if (i % repeats == 0) r = test_normal(&random);
        d->ratio[i] = gaussian_mean + d->beta[level] * gaussian_variance + sqrt(gaussian_variance) * r;
    }
}

static void assert_log_z(double value, double se, double smallest, double largest, const char *what)
{
    assert_true(se > smallest && se < largest);
    assert_close(value, gaussian_mean + 0.5 * gaussian_variance, 4.0 * se, what);
}

/* The true errors, for n = GROUPS LENGTH draws, h = 1/5, s = h^2 v: one-sided 5 (exp(s) - 1) / n, the
 * bridge below it, the integral about v (4 h^2 + h^2/2) / n. A jackknife of 20 groups is within 40 % of
 * its own error but in one case of a thousand. */
static void estimators_meet_the_exact_value(void **state)
{
    (void)state;
    draws *d = malloc(sizeof *d);
    assert_non_null(d);
    const double n = GROUPS * LENGTH, s = gaussian_variance / 25.0;
    double stone = sqrt(5.0 * (exp(s) - 1.0) / n), integral = sqrt(4.5 * s / n);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        fill(d, seed, 1);
        tw_ladder_draws all = copies_of(LEVELS, GROUPS, LENGTH, d->beta, d->ratio);
        tw_log_z up = tw_stepping_stone_forward(&all, d->work),
                 down = tw_stepping_stone_reverse(&all, d->work);
        tw_log_z both = tw_stepping_stone_bridge(&all, d->work, d->without);
        tw_thermodynamic thermo = tw_thermodynamic_estimate(&all, d->mean, d->work, d->without);
        assert_log_z(up.value, up.se, 0.6 * stone, 1.6 * stone, "forward");
        assert_log_z(down.value, down.se, 0.6 * stone, 1.6 * stone, "reverse");
        assert_log_z(both.value, both.se, 0.5 * integral, 1.6 * stone, "bridge");
        assert_log_z(thermo.value, thermo.se, 0.6 * integral, 1.6 * integral, "integral");
        assert_true(thermo.discretisation < 0.1 * thermo.se);
    }
    free(d);
}

/* Chains that stand still for ten rounds have a tenth of the information: errors must be sqrt(10) larger.
 * Those that stand still altogether have one draw per group, and exactly the error of that. */
static void dependent_rounds_do_not_shrink_errors(void **state)
{
    (void)state;
    draws *d = malloc(sizeof *d);
    assert_non_null(d);
    double bridge[3], integral[3];
    const size_t repeats[3] = {1, 10, LENGTH};
    for (size_t i = 0; i < 3; i++) {
        fill(d, 77, repeats[i]);
        tw_ladder_draws all = copies_of(LEVELS, GROUPS, LENGTH, d->beta, d->ratio);
        bridge[i] = tw_stepping_stone_bridge(&all, d->work, d->without).se;
        integral[i] = tw_thermodynamic_estimate(&all, d->mean, d->work, d->without).se;
    }
    for (size_t i = 1; i < 3; i++) {
        double expected = sqrt((double)repeats[i]);
        assert_true(bridge[i] / bridge[0] > 0.6 * expected && bridge[i] / bridge[0] < 1.6 * expected);
        assert_true(integral[i] / integral[0] > 0.6 * expected && integral[i] / integral[0] < 1.6 * expected);
    }
    for (size_t g = 0; g < LEVELS * GROUPS; g++) d->ratio[g] = d->ratio[g * LENGTH];
    tw_ladder_draws single = copies_of(LEVELS, GROUPS, 1, d->beta, d->ratio);
    assert_close(tw_stepping_stone_bridge(&single, d->work, d->without).se, bridge[2], 1e-9, "bridge");
    assert_close(tw_thermodynamic_estimate(&single, d->mean, d->work, d->without).se, integral[2], 1e-9,
                 "integral");
    free(d);
}

/* R far from Gaussian: -a_i E with a = 5 or 50, each with probability 1/2, E exponential, so that f = E_b[R] has a
 * boundary layer of two widths: Z(b) = (1/(1 + 5 b) + 1/(1 + 50 b))/2, and at b the two parts have weights
 * proportional to their terms and are exponential of mean a/(1 + a b). Draws are replaced by the quantiles of
 * their distribution, so that what is left is the error of the rule. */
enum { COUNT = 20000 };

static void fill_quantiles(double beta, double *ratio)
{
    double slow = 1.0 / (1.0 + 5.0 * beta), fast = 1.0 / (1.0 + 50.0 * beta);
    size_t first = (size_t)(COUNT * slow / (slow + fast) + 0.5);
    for (size_t i = 0; i < COUNT; i++) {
        double mean = i < first ? 5.0 * slow : 50.0 * fast;
        double place = i < first ? ((double)i + 0.5) / (double)first
                                 : ((double)(i - first) + 0.5) / (double)(COUNT - first);
        ratio[i] = mean * log(place);
    }
}

/* The error must be within the one that is claimed, and the claim must not be idle. Without the change of
 * variable the errors are 36 to 90 times as large. */
static void discretisation_is_covered(void **state)
{
    (void)state;
    double exact = log(0.5 * (1.0 / 6.0 + 1.0 / 51.0));
    for (size_t steps = 2; steps <= 16; steps *= 2) {
        size_t levels = steps + 1;
        double *ratio = malloc(2 * levels * COUNT * sizeof *ratio), beta[17], mean[17], work[17 * 9],
               without[2];
        assert_non_null(ratio);
        for (size_t k = 0; k < levels; k++) {
            beta[k] = pow((double)k / (double)steps, 2.0);
            fill_quantiles(beta[k], ratio + 2 * k * COUNT);
            fill_quantiles(beta[k], ratio + (2 * k + 1) * COUNT);
        }
        tw_ladder_draws all = copies_of(levels, 2, COUNT, beta, ratio);
        tw_thermodynamic t = tw_thermodynamic_estimate(&all, mean, work, without);
        double error = fabs(t.value - exact);
        print_message("%2zu steps: discretisation error %.5f, claimed %.5f\n", steps, error,
                      t.discretisation);
        assert_true(error < t.discretisation + 2e-4);
        assert_true(t.discretisation < 10.0 * error + 2e-4);
        free(ratio);
    }
}

/* A few draws of q far out, as from a q with mass where the posterior has none: R = -1e9 in one of a hundred.
 * They cost log 0.99 and no precision. */
static void a_heavy_tail_of_q_does_no_harm(void **state)
{
    (void)state;
    draws *d = malloc(sizeof *d);
    assert_non_null(d);
    fill(d, 5, 1);
    tw_ladder_draws all = copies_of(LEVELS, GROUPS, LENGTH, d->beta, d->ratio);
    tw_thermodynamic before = tw_thermodynamic_estimate(&all, d->mean, d->work, d->without);
    for (size_t i = 0; i < GROUPS * LENGTH; i += 100) d->ratio[i] = -1e9;
    tw_thermodynamic after = tw_thermodynamic_estimate(&all, d->mean, d->work, d->without);
    assert_close(after.value - before.value, log(0.99), 5e-3, "the share of the tail");
    assert_true(after.se < 1.2 * before.se);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swaps_keep_the_joint_density),
        cmocka_unit_test(states_are_exchanged_whole),
        cmocka_unit_test(states_are_exchanged_between_frames),
        cmocka_unit_test(ladders_are_equalised),
        cmocka_unit_test(ladders_are_as_long_as_replicas_travel),
        cmocka_unit_test(estimators_meet_the_exact_value),
        cmocka_unit_test(dependent_rounds_do_not_shrink_errors),
        cmocka_unit_test(discretisation_is_covered),
        cmocka_unit_test(a_heavy_tail_of_q_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
