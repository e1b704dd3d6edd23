/* Parallel tempering saved after any round, in the warm-up or not, and resample-move saved after any
 * temperature, can be resumed: estimates, reports and progress equal those of the uninterrupted run to the
 * bit. States of other runs are refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/evidence.h"

enum { N = 14, STEPS = 4, COPIES = 9, WARMUP = 17, ROUNDS = 14 };

typedef struct keeper {
    size_t seen, at; /* states offered; which to take */
    tw_pt_state pt;
    tw_rm_state rm;
    double *numbers;
    double said; /* log Z, as said last on the way */
} keeper;

static bool is_there(void *user)
{
    keeper *k = user;
    return k->seen++ == k->at;
}

static void keep_numbers(keeper *k, size_t count, const double *numbers)
{
    assert_null(k->numbers);
    k->numbers = malloc(count * sizeof *numbers);
    assert_non_null(k->numbers);
    memcpy(k->numbers, numbers, count * sizeof *numbers);
}

static void keep_pt(void *user, const tw_pt_state *state)
{
    keeper *k = user;
    keep_numbers(k, state->count, state->numbers);
    k->pt = *state;
    k->pt.numbers = k->numbers;
}

static void keep_rm(void *user, const tw_rm_state *state)
{
    keeper *k = user;
    keep_numbers(k, state->count, state->numbers);
    k->rm = *state;
    k->rm.numbers = k->numbers;
}

static bool listen(void *user, const tw_progress *progress)
{
    keeper *k = user;
    k->said = progress->log_z;
    return false;
}

/* Told to stop at the moment that is kept, as by Ctrl-C. */
static bool stop(void *user, const tw_progress *progress)
{
    keeper *k = user;
    return strcmp(progress->stage, "pilot") != 0 && k->seen >= k->at;
}

static posed pose(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

static tw_sampler_options kernel_of(const posed *p, tw_method method)
{
    tw_sampler_options kernel = TW_SAMPLER_DEFAULTS;
    kernel.method = method;
    kernel.metric = method == TW_METHOD_RMHMC ? TW_METRIC_SMOOTHED : TW_METRIC_EP;
    kernel.gaussian = p->ep->reference;
    kernel.smoothing = p->ep->variance;
    return kernel;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void assert_same(const tw_estimate *a, const tw_estimate *b)
{
    assert_string_equal(a->method, b->method);
    assert_true(a->log_z == b->log_z && a->se == b->se && same_number(a->se_bootstrap, b->se_bootstrap));
    assert_true(same_number(a->weight_ess, b->weight_ess) && a->acceptance == b->acceptance);
    assert_true(a->failures == b->failures && a->unbiased == b->unbiased);
    assert_int_equal(a->particles, b->particles);
    assert_int_equal(a->temperatures, b->temperatures);
}

/* ---- parallel tempering ---- */

static tw_pt_options pt_options(const posed *p, tw_method method, keeper *k)
{
    tw_pt_options o = TW_PT_DEFAULTS;
    o.kernel = kernel_of(p, method);
    o.temperatures = STEPS;
    o.copies = COPIES;
    o.warmup = WARMUP;
    o.rounds = ROUNDS;
    o.user = k;
    o.wants_state = is_there;
    o.on_state = keep_pt;
    return o;
}

static void assert_same_tempering(const posed *p, tw_method method, size_t at)
{
    keeper k = {.at = at}, none = {.at = SIZE_MAX};
    tw_estimate e[2], f[2];
    double beta[STEPS + 1], again[STEPS + 1];
    tw_pt_report report = {.beta = beta}, later = {.beta = again};
    tw_pt_options o = pt_options(p, method, &k);
    assert_int_equal(tw_pt_run(p->model, p->ep->reference, &o, listen, &k, e, &report), TW_OK);
    assert_true(k.seen == WARMUP + ROUNDS && k.pt.round == at + 1);
    o.user = &none;
    o.resume = &k.pt;
    o.kernel.threads = 2;
    assert_int_equal(tw_pt_run(p->model, p->ep->reference, &o, listen, &none, f, &later), TW_OK);
    assert_int_equal(none.seen, WARMUP + ROUNDS - 1 - at);
    for (int i = 0; i < 2; i++) assert_same(&e[i], &f[i]);
    assert_memory_equal(beta, again, sizeof beta);
    assert_true(report.barrier == later.barrier && report.round_trips == later.round_trips);
    assert_true(report.round_trips > 0);
    assert_true(report.forward == later.forward && report.discretisation == later.discretisation);
    if (none.seen > 0) assert_true(k.said == none.said);
    free(k.numbers);
}

static void tempering_goes_on_after_any_round(void **state)
{
    (void)state;
    posed p = pose();
    for (int method = TW_METHOD_HMC; method <= TW_METHOD_SLICE; method++)
        for (size_t at = 0; at < WARMUP + ROUNDS; at += method == TW_METHOD_HMC ? 1 : 5)
            assert_same_tempering(&p, (tw_method)method, at);
    posed_free(&p);
}

/* Where it is told to stop, the state is that after the last round. */
static void tempering_that_was_stopped_goes_on(void **state)
{
    (void)state;
    posed p = pose();
    for (size_t at = 0; at < WARMUP + ROUNDS; at += 3) {
        keeper k = {.at = at}, none = {.at = SIZE_MAX};
        tw_estimate e[2], f[2];
        tw_pt_options o = pt_options(&p, TW_METHOD_HMC, &none);
        assert_int_equal(tw_pt_run(p.model, p.prior, &o, NULL, NULL, e, NULL), TW_OK);
        o.user = &k;
        assert_int_equal(tw_pt_run(p.model, p.prior, &o, stop, &k, f, NULL), TW_OK);
        assert_true(f[0].particles == 0 && k.seen == at + 1 && k.numbers);
        o.user = &none;
        o.resume = &k.pt;
        assert_int_equal(tw_pt_run(p.model, p.prior, &o, NULL, NULL, f, NULL), TW_OK);
        assert_same(&e[0], &f[0]);
        free(k.numbers);
    }
    posed_free(&p);
}

static void refuse_pt(const posed *p, const tw_pt_options *o)
{
    tw_estimate e[2];
    assert_int_equal(tw_pt_run(p->model, p->prior, o, NULL, NULL, e, NULL), TW_BAD_ARGUMENT);
}

static void a_state_of_another_tempering_is_refused(void **state)
{
    (void)state;
    posed p = pose();
    keeper k = {.at = WARMUP + 2};
    tw_estimate e[2];
    tw_pt_options good = pt_options(&p, TW_METHOD_HMC, &k), o;
    good.patience = 1; /* from the prior replicas do not travel in so few rounds */
    assert_int_equal(tw_pt_run(p.model, p.prior, &good, NULL, NULL, e, NULL), TW_OK);
    good.resume = &k.pt;
    o = good, o.copies = COPIES - 1, refuse_pt(&p, &o);
    o = good, o.temperatures = STEPS - 1, refuse_pt(&p, &o);
    o = good, o.warmup = WARMUP + 1, refuse_pt(&p, &o);
    o = good, o.rounds = 2, refuse_pt(&p, &o);
    o = good, o.kernel.method = TW_METHOD_SLICE, refuse_pt(&p, &o);
    enum { PER_LEVEL = 10 }; /* pt_state.c: numbers of a level, of which the first is its temperature */
    double *replica = k.numbers + PER_LEVEL * (STEPS + 1) + 3, *beta = k.numbers + PER_LEVEL;
    *replica += STEPS + 1;
    refuse_pt(&p, &good);
    *replica -= STEPS + 1;
    *beta += 2.0;
    refuse_pt(&p, &good);
    *beta -= 2.0;
    assert_int_equal(tw_pt_run(p.model, p.prior, &good, NULL, NULL, e, NULL), TW_OK);
    free(k.numbers);
    posed_free(&p);
}

/* ---- resample-move ---- */

static tw_rm_options rm_options(const posed *p, tw_method method, keeper *k)
{
    tw_rm_options o = TW_RM_DEFAULTS;
    o.kernel = kernel_of(p, method);
    o.particles = 96;
    o.pilot_particles = 32;
    o.islands = 6;
    o.user = k;
    o.wants_state = is_there;
    o.on_state = keep_rm;
    return o;
}

static void resample_move_goes_on_after_any_temperature(void **state)
{
    (void)state;
    posed p = pose();
    for (int method = TW_METHOD_HMC; method <= TW_METHOD_SLICE; method++)
        for (size_t at = 0, states = 1; at < states; at += method == TW_METHOD_HMC ? 1 : 4) {
            keeper k = {.at = at}, none = {.at = SIZE_MAX};
            tw_estimate e, f;
            tw_rm_options o = rm_options(&p, (tw_method)method, &k);
            assert_int_equal(tw_rm_run(p.model, p.prior, &o, listen, &k, &e), TW_OK);
            states = e.temperatures;
            assert_true(states > 3 && k.seen == states && k.rm.done == at + 1);
            o.user = &none;
            o.resume = &k.rm;
            o.kernel.threads = 2;
            assert_int_equal(tw_rm_run(p.model, p.prior, &o, listen, &none, &f), TW_OK);
            assert_int_equal(none.seen, states - 1 - at);
            assert_same(&e, &f);
            if (none.seen > 0) assert_true(k.said == none.said);
            free(k.numbers);
        }
    posed_free(&p);
}

static void resample_move_that_was_stopped_goes_on(void **state)
{
    (void)state;
    posed p = pose();
    keeper k = {.at = 2}, none = {.at = SIZE_MAX};
    tw_estimate e, f;
    tw_rm_options o = rm_options(&p, TW_METHOD_HMC, &none);
    assert_int_equal(tw_rm_run(p.model, p.prior, &o, NULL, NULL, &e), TW_OK);
    o.user = &k;
    assert_int_equal(tw_rm_run(p.model, p.prior, &o, stop, &k, &f), TW_OK);
    assert_true(f.particles == 0 && k.seen == 3 && k.numbers);
    o.user = &none;
    o.resume = &k.rm;
    assert_int_equal(tw_rm_run(p.model, p.prior, &o, NULL, NULL, &f), TW_OK);
    assert_same(&e, &f);
    free(k.numbers);
    posed_free(&p);
}

static void refuse_rm(const posed *p, const tw_rm_options *o)
{
    tw_estimate e;
    assert_int_equal(tw_rm_run(p->model, p->prior, o, NULL, NULL, &e), TW_BAD_ARGUMENT);
}

static void a_state_of_another_resample_move_is_refused(void **state)
{
    (void)state;
    posed p = pose();
    keeper k = {.at = 2};
    tw_estimate e;
    tw_rm_options good = rm_options(&p, TW_METHOD_HMC, &k), o;
    assert_int_equal(tw_rm_run(p.model, p.prior, &good, NULL, NULL, &e), TW_OK);
    good.resume = &k.rm;
    o = good, o.islands = 5, refuse_rm(&p, &o);
    o = good, o.particles = 12, refuse_rm(&p, &o);
    o = good, o.max_temperatures = 2, refuse_rm(&p, &o);
    o = good, o.kernel.method = TW_METHOD_SLICE, refuse_rm(&p, &o);
    const struct {
        size_t at;
        double value;
    } wrong[] = {{0, 0.5},  {7, -1.0},   {7, NAN},  {9, -1.0},  {10, 0.5}, {11, 2.0},
                 {11, 0.5}, {12, 1e300}, {13, 7.0}, {13, 13.0}, {13, NAN}, {7 * k.rm.steps + 4, 1.0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double kept = k.numbers[wrong[i].at];
        k.numbers[wrong[i].at] = wrong[i].value;
        refuse_rm(&p, &good);
        k.numbers[wrong[i].at] = kept;
    }
    k.rm.done = 0, refuse_rm(&p, &good);
    k.rm.done = k.rm.steps + 1, refuse_rm(&p, &good);
    k.rm.done = 3;
    assert_int_equal(tw_rm_run(p.model, p.prior, &good, NULL, NULL, &e), TW_OK);
    free(k.numbers);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tempering_goes_on_after_any_round),
        cmocka_unit_test(tempering_that_was_stopped_goes_on),
        cmocka_unit_test(a_state_of_another_tempering_is_refused),
        cmocka_unit_test(resample_move_goes_on_after_any_temperature),
        cmocka_unit_test(resample_move_that_was_stopped_goes_on),
        cmocka_unit_test(a_state_of_another_resample_move_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
