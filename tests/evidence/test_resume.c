/* Resumed AIS: after any temperature, up or down, with every transition, also with a goal for its error, the
 * weights and the estimate equal those of the uninterrupted run to the bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/evidence.h"

enum { N = 14, STEPS = 6, PARTICLES = 40 }; /* more than a tile, and not a multiple of it */

typedef struct keeper {
    size_t seen, at; /* states offered; which to take */
    tw_ais_state state;
    double *numbers, *before;
} keeper;

static bool is_there(void *user)
{
    keeper *k = user;
    return k->seen++ == k->at;
}

static double *copy(size_t count, const double *from)
{
    double *to = malloc((count + 1) * sizeof *to);
    assert_non_null(to);
    if (count > 0) memcpy(to, from, count * sizeof *to);
    return to;
}

static void keep(void *user, const tw_ais_state *state)
{
    keeper *k = user;
    assert_null(k->numbers);
    k->state = *state;
    k->state.numbers = k->numbers = copy(state->count, state->numbers);
    k->state.before_weight = k->before = copy(state->before, state->before_weight);
}

static void release(keeper *k)
{
    free(k->numbers);
    free(k->before);
    k->numbers = k->before = NULL;
}

static posed pose(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

static tw_ais_options options_of(const posed *p, tw_method method, bool reverse, double beta[STEPS + 1],
                                 keeper *k)
{
    tw_ais_options o = TW_AIS_DEFAULTS;
    assert_int_equal(tw_schedule_fill(p->ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    o.kernel.method = method;
    o.kernel.metric = method == TW_METHOD_RMHMC ? TW_METRIC_SMOOTHED : TW_METRIC_EP;
    o.kernel.gaussian = p->ep->reference;
    o.kernel.smoothing = p->ep->variance;
    o.beta = beta;
    o.temperatures = STEPS;
    o.particles = PARTICLES;
    o.burn_in = 4;
    o.reverse = reverse;
    o.refine = 0.6; /* a few temperatures more */
    o.user = k;
    o.wants_state = is_there;
    o.on_state = keep;
    return o;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void assert_same(const tw_estimate *a, const tw_estimate *b)
{
    assert_string_equal(a->method, b->method);
    assert_true(a->log_z == b->log_z && a->se == b->se && a->se_bootstrap == b->se_bootstrap);
    assert_true(a->weight_ess == b->weight_ess && a->acceptance == b->acceptance);
    assert_true(same_number(a->missed, b->missed) && same_number(a->pareto_k, b->pareto_k));
    assert_int_equal(a->temperatures, b->temperatures);
    assert_true(a->particles == b->particles && a->failures == b->failures && a->unbiased == b->unbiased);
}

static void after_any_temperature(void **state)
{
    (void)state;
    posed p = pose();
    for (int method = TW_METHOD_HMC; method <= TW_METHOD_SLICE; method++)
        for (int reverse = 0; reverse < 2; reverse++)
            for (size_t at = 0, states = STEPS; at < states; at += 1 + states / 8) {
                double beta[STEPS + 1], weights[PARTICLES], again[PARTICLES];
                keeper k = {.at = at}, none = {.at = SIZE_MAX};
                tw_estimate e, f;
                tw_ais_options o = options_of(&p, (tw_method)method, reverse, beta, &k);
                assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, weights, &e), TW_OK);
                states = e.temperatures; /* a reverse run may have put some in */
                assert_true(states >= STEPS && (reverse || states == STEPS));
                assert_true(k.seen == states && k.state.done == at + 1);
                o.user = &none;
                o.resume = &k.state;
                o.kernel.threads = 2;
                assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, again, &f), TW_OK);
                assert_int_equal(none.seen, states - 1 - at);
                assert_memory_equal(weights, again, sizeof weights);
                assert_same(&e, &f);
                release(&k);
            }
    posed_free(&p);
}

/* Steps so long that energies diverge are failures, also those before the interruption. */
static void failures_before_it_count(void **state)
{
    (void)state;
    posed p = pose();
    double beta[STEPS + 1];
    keeper k = {.at = STEPS - 2}, none = {.at = SIZE_MAX};
    tw_estimate e, f;
    tw_ais_options o = options_of(&p, TW_METHOD_HMC, false, beta, &k);
    o.eps = 40.0;
    o.steps = 3;
    assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &e), TW_OK);
    assert_true(e.failures > 0.5);
    o.user = &none;
    o.resume = &k.state;
    assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &f), TW_OK);
    assert_same(&e, &f);
    release(&k);
    posed_free(&p);
}

static void go_towards_a_goal(const posed *p, bool reverse)
{
    size_t states = SIZE_MAX;
    for (size_t at = 0; at < states; at += reverse ? 1 + states / 6 : 1) {
        double beta[STEPS + 1], needed, still_needed;
        keeper k = {.at = at}, none = {.at = SIZE_MAX};
        tw_estimate e, f;
        tw_ais_options o = options_of(p, TW_METHOD_HMC, reverse, beta, &k);
        assert_int_equal(tw_ais_until(p->model, p->prior, &o, 0.05, 500, NULL, NULL, &e, &needed), TW_OK);
        states = k.seen;
        assert_true(states >= 2 * STEPS && e.particles > PARTICLES); /* several runs */
        o.user = &none;
        o.resume = &k.state;
        assert_int_equal(tw_ais_until(p->model, p->prior, &o, 0.05, 500, NULL, NULL, &f, &still_needed),
                         TW_OK);
        assert_int_equal(none.seen, states - 1 - at);
        assert_same(&e, &f);
        assert_true(needed == still_needed);
        release(&k);
    }
}

static void towards_a_goal(void **state)
{
    (void)state;
    posed p = pose();
    for (int reverse = 0; reverse < 2; reverse++) go_towards_a_goal(&p, reverse);
    posed_free(&p);
}

static void a_state_of_another_run_is_refused(void **state)
{
    (void)state;
    double beta[STEPS + 1], needed;
    posed p = pose();
    keeper k = {.at = 2};
    tw_estimate e;
    tw_ais_options o = options_of(&p, TW_METHOD_HMC, false, beta, &k);
    assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &e), TW_OK);
    o.resume = &k.state;
    o.particles = PARTICLES - 1;
    assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &e), TW_BAD_ARGUMENT);
    o.particles = PARTICLES;
    o.kernel.method = TW_METHOD_SLICE;
    assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &e), TW_BAD_ARGUMENT);
    o.kernel.method = TW_METHOD_HMC;
    k.state.before = 500;
    assert_int_equal(tw_ais_until(p.model, p.prior, &o, 0.05, 500, NULL, NULL, &e, &needed), TW_BAD_ARGUMENT);
    release(&k);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_any_temperature), cmocka_unit_test(failures_before_it_count),
        cmocka_unit_test(towards_a_goal), cmocka_unit_test(a_state_of_another_run_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
