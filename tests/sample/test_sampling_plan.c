/* A sampling plan equals its parts called one by one, to the bit; a stopped run resumes from its store with
 * the same bits; bad options are refused before any computation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/sampling_plan.h"

enum { N = 15 };

static posed pose(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

static tw_sampling_options few(void)
{
    tw_sampling_options o = TW_SAMPLING_DEFAULTS;
    o.chains = 2;
    o.warmup = 40;
    o.draws = 30;
    o.seed = 7;
    return o;
}

/* ---- the parts ---- */

/* What a plan does, by hand: the sampler is chosen by pilots where `method` is NULL. */
static tw_draws *by_hand(const posed *p, const char *method, const tw_sampling_options *o)
{
    tw_posterior posterior = {.model = p->model, .beta = o->beta, .approximation = p->ep};
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    tw_auto_options pilots = TW_AUTO_DEFAULTS;
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    tw_choice choice;
    tw_head_start head = {0};
    tw_sampling *s = NULL;
    tw_draws *draws = NULL;
    pilots.chains = o->chains;
    pilots.seed = run.seed = o->seed;
    run.warmup = pilots.warmup = o->warmup;
    run.draws = pilots.draws = o->draws;
    if (!method) {
        assert_int_equal(tw_auto_race(&posterior, &pilots, &choice, &head), TW_OK);
        assert_true(head.warmup > 0 && head.iterations == choice.candidates[choice.best].iterations);
        run.warmup = head.warmup;
        run.known = &head.tuning;
        sampler.method = choice.candidates[choice.best].method;
        sampler.metric = choice.candidates[choice.best].metric;
    } else {
        sampler.method = tw_method_find(method)->method;
        sampler.metric = tw_method_find(method)->metrics[0];
    }
    assert_int_equal(tw_sampling_new(&posterior, &sampler, o->chains, &s), TW_OK);
    if (head.x)
        assert_int_equal(tw_sampler_start_at(s->sampler, tw_model_describe(p->model).n, o->chains, head.x),
                         TW_OK);
    else
        assert_int_equal(tw_sampler_start(s->sampler, p->ep->reference, 1.5, o->seed), TW_OK);
    assert_int_equal(tw_chains_run(s->sampler, &run, &draws), TW_OK);
    tw_head_start_release(&head);
    tw_sampling_free(s);
    return draws;
}

static void assert_same_draws(const tw_draws *a, const tw_draws *b)
{
    size_t count = a->chains * a->draws;
    assert_int_equal(a->method, b->method);
    assert_true(a->n == b->n && a->chains == b->chains && a->draws == b->draws);
    assert_memory_equal(a->x, b->x, count * a->n * sizeof *a->x);
    assert_memory_equal(a->log_likelihood, b->log_likelihood, count * sizeof *a->log_likelihood);
    assert_true(a->tuning.eps == b->tuning.eps && a->tuning.steps == b->tuning.steps);
}

static void a_plan_does_what_its_parts_do(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL, "hmc", "rmhmc", "ess"};
    posed p = pose();
    for (size_t k = 0; k < 4; k++) {
        tw_sampling_options o = few();
        tw_sampling_plan *plan = NULL;
        tw_sampling_result result;
        if (methods[k]) o.method = methods[k];
        if (k == 1) o.ep = p.ep;
        assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_OK);
        assert_true((plan->choice.count > 0) == !methods[k] && (plan->own == NULL) == (k == 1));
        assert_int_equal(tw_sampling_run(plan, NULL, &result), TW_OK);
        tw_draws *parts = by_hand(&p, methods[k], &o);
        tw_chains_summary summary;
        assert_same_draws(result.draws, parts);
        assert_int_equal(tw_draws_summarise(parts, 1, NULL, &summary), TW_OK);
        assert_true(summary.ess_bulk_min == result.summary.ess_bulk_min);
        assert_true(result.warnings.count > 0); /* thirty draws are few */
        tw_draws_free(parts);
        tw_sampling_result_release(&result);
        tw_sampling_plan_free(plan);
    }
    posed_free(&p);
}

/* 400 effective draws of the worst latent, of 32 chains: one look is enough here. */
static void without_options_a_run_ends_when_its_draws_are_good(void **state)
{
    (void)state;
    posed p = pose();
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    assert_int_equal(tw_sampling_options_check(p.ctx, NULL), TW_OK);
    assert_int_equal(tw_sampling_plan_new(p.model, NULL, NULL, &plan), TW_OK);
    assert_int_equal(tw_sampling_run(plan, NULL, &result), TW_OK);
    assert_true(plan->run.seed == 1 && plan->fit_seconds > 0.0 && plan->pilot_seconds > 0.0);
    assert_true(result.draws->chains == 32 && plan->run.warmup + plan->head.iterations >= 100 &&
                result.draws->draws == 64);
    assert_true(result.draws->until_ess == 400.0 && result.summary.ess_min >= 400.0);
    assert_true(result.warnings.count == 0 && result.sampling_seconds > 0.0);
    tw_sampling_result_release(&result);
    tw_sampling_plan_free(plan);
    posed_free(&p);
}

/* ---- options ---- */

static void the_number_of_chains_is_a_function_of_n(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        size_t chains, warmup, expected, iterations;
    } rows[] = {{"hmc", TW_AUTOMATIC, TW_AUTOMATIC, 32, 200},
                {"rmhmc", TW_AUTOMATIC, TW_AUTOMATIC, 4, 500},
                {"ess", 7, TW_AUTOMATIC, 7, 285},
                {"ess", 1, TW_AUTOMATIC, 1, 500},
                {"hmc", TW_AUTOMATIC, 40, 32, 40}};
    posed p = pose();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        tw_sampling_options o = TW_SAMPLING_DEFAULTS;
        tw_sampling_plan *plan = NULL;
        o.method = rows[k].method;
        o.chains = rows[k].chains;
        o.warmup = rows[k].warmup;
        assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_OK);
        assert_int_equal(plan->chains, rows[k].expected);
        assert_int_equal(plan->run.warmup, rows[k].iterations);
        tw_sampling_plan_free(plan);
    }
    posed_free(&p);
}

/* Let the plan's time be over at its third draw, however long that takes. */
static tw_status end_the_time(void *user, const tw_draw *draw)
{
    tw_sampling_plan *plan = user;
    if (draw->index == 2) plan->deadline = tw_wall_seconds() / 2.0;
    return TW_OK;
}

/* The draws of a run that the clock ended are the first ones of the whole run. */
static void the_clock_ends_a_run_and_changes_nothing_else(void **state)
{
    (void)state;
    posed p = pose();
    tw_sampling_options o = few();
    tw_sampling_plan *plan = NULL;
    tw_sampling_result all, some;
    o.method = "hmc";
    o.draws = 0;
    o.until_ess = 1e9;
    o.max_draws = 5000;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_OK);
    assert_int_equal(tw_sampling_run(plan, NULL, &all), TW_OK);
    assert_true(!all.out_of_time && all.draws->draws == 5000);
    plan->run.draws = (size_t)1 << 40;
    tw_sampling_watch watch = {.user = plan, .on_draw = end_the_time};
    assert_int_equal(tw_sampling_run(plan, &watch, &some), TW_OK);
    assert_true(some.out_of_time && some.draws->interrupted && some.draws->draws > 2);
    assert_int_equal(some.warnings.warning[0].code, TW_WARN_TIME);
    size_t common = some.draws->draws < 5000 ? some.draws->draws : 5000;
    assert_memory_equal(some.draws->x, all.draws->x, common * 2 * N * sizeof(double));
    tw_sampling_result_release(&some);
    tw_sampling_result_release(&all);
    tw_sampling_plan_free(plan);
    o.max_seconds = 1e-9;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_INTERRUPTED);
    posed_free(&p);
}

static void chains_start_where_they_are_told(void **state)
{
    (void)state;
    posed p = pose();
    double x[N] = {0.5};
    tw_sampling_options o = few();
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    o.method = "ess";
    o.metric = "prior";
    o.warmup = 0;
    o.positions = x;
    o.position_rows = N;
    o.position_columns = 1;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_OK);
    assert_null(plan->posterior.approximation); /* nothing leans on a fit */
    assert_int_equal(tw_sampling_run(plan, NULL, &result), TW_OK);
    tw_sampling_result_release(&result);
    plan->position_rows = N - 1;
    assert_int_equal(tw_sampling_run(plan, NULL, &result), TW_BAD_ARGUMENT);
    assert_null(result.draws);
    tw_sampling_plan_free(plan);
    posed_free(&p);
}

static void refuse(const posed *p, tw_sampling_options o, const char *words)
{
    tw_sampling_plan *plan = NULL;
    assert_int_equal(tw_sampling_plan_new(p->model, &o, NULL, &plan), TW_BAD_ARGUMENT);
    assert_null(plan);
    if (!strstr(tw_context_message(p->ctx), words)) fail_msg("%s", tw_context_message(p->ctx));
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    posed p = pose();
#define WITH(member, value, words)     \
    do {                               \
        tw_sampling_options o = few(); \
        o.member = (value);            \
        refuse(&p, o, words);          \
    } while (0)
    WITH(method, "gibbs", "unknown method \"gibbs\"; choose from: auto, hmc");
    WITH(metric, "ep", "needs a method that supports it");
    WITH(eps, 0.1, "eps is an option of hmc or rmhmc or mgrad, not of auto");
    WITH(init, "zero", "unknown init");
    WITH(from, "posterior", "not \"posterior\"");
    WITH(beta, 1.5, "from 0 to 1");
    WITH(chains, 0, "at least one chain");
    WITH(max_seconds, -1.0, "the time limit must be above 0");
    WITH(target_accept, 1.0, "between 0 and 1");
#undef WITH
    tw_sampling_options o = few();
    o.draws = o.max_draws = 0;
    refuse(&p, o, "at least one draw");
    o.until_ess = 0.0;
    refuse(&p, o, "a number of draws or an ESS goal");
    o = few();
    o.method = "hmc";
    o.metric = "hessian";
    refuse(&p, o, "the metric hessian cannot be used with hmc; choose from: auto, ep");
    o.metric = "auto";
    o.warmup = 0;
    refuse(&p, o, "nothing is tuned");
    o.method = "ess";
    o.steps = 3;
    refuse(&p, o, "steps is an option of hmc or rmhmc, not of ess");
    posed_free(&p);
}

/* ---- a store ---- */

enum { BLOCKS = 5 };

typedef struct shelf {
    char name[BLOCKS][16];
    void *data[BLOCKS];
    size_t bytes[BLOCKS];
    size_t commits, stop_at, iteration, taken;
    double x[400][2 * N]; /* draws as they came */
} shelf;

static size_t place_of(shelf *s, const char *name)
{
    size_t k = 0;
    while (k < BLOCKS && s->name[k][0] && strcmp(s->name[k], name) != 0) k++;
    assert_true(k < BLOCKS);
    return k;
}

static void put(void *user, const char *name, size_t bytes, const void *data)
{
    shelf *s = user;
    size_t k = place_of(s, name);
    strncpy(s->name[k], name, sizeof s->name[k] - 1);
    free(s->data[k]);
    s->data[k] = malloc(bytes);
    assert_non_null(s->data[k]);
    memcpy(s->data[k], data, bytes);
    s->bytes[k] = bytes;
}

static const void *get(void *user, const char *name, size_t *bytes)
{
    shelf *s = user;
    size_t k = place_of(s, name);
    *bytes = s->bytes[k];
    return s->data[k];
}

static void commit(void *user)
{
    ((shelf *)user)->commits++;
}

static bool is_due(void *user)
{
    const shelf *s = user;
    return s->iteration == s->stop_at;
}

static bool stop(void *user, const tw_progress *p)
{
    shelf *s = user;
    if (strcmp(p->stage, "sampling") == 0) s->iteration = p->done;
    return s->iteration == s->stop_at && s->iteration > 0;
}

static tw_status take(void *user, const tw_draw *draw)
{
    shelf *s = user;
    assert_int_equal(draw->index, s->taken);
    memcpy(s->x[s->taken++], draw->x, sizeof s->x[0]);
    return TW_OK;
}

static void a_run_goes_on_from_its_store(void **state)
{
    (void)state;
    posed p = pose();
    shelf *s = calloc(1, sizeof *s);
    assert_non_null(s);
    tw_store store = {.user = s, .is_due = is_due, .put = put, .commit = commit, .get = get};
    tw_sampling_watch watch = {.user = s, .progress = stop, .on_draw = take, .store = &store};
    tw_sampling_options o = few();
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    tw_draws *whole = by_hand(&p, NULL, &o);
    o.keep = false;
    s->stop_at = 11;
    for (size_t part = 0; part < 2; part++) {
        assert_int_equal(tw_sampling_plan_new(p.model, &o, &watch, &plan), TW_OK);
        assert_true((plan->pilot_seconds > 0.0) == (part == 0)); /* the choice is not made again */
        assert_int_equal(plan->earlier.draws, part == 0 ? 0 : 11);
        assert_int_equal(tw_sampling_run(plan, &watch, &result), TW_OK);
        assert_true(result.draws->interrupted == (part == 0) && result.warnings.count == 0);
        tw_sampling_result_release(&result);
        tw_sampling_plan_free(plan);
        s->stop_at = SIZE_MAX;
    }
    assert_int_equal(s->taken, 30);
    assert_memory_equal(s->x, whole->x, 30 * sizeof s->x[0]);
    for (size_t k = 0; k < BLOCKS; k++) { /* a store of another build, where this block has another size */
        s->bytes[k] -= 8;
        assert_int_equal(tw_sampling_plan_new(p.model, &o, &watch, &plan), TW_BAD_DATA);
        s->bytes[k] += 8;
    }
    o.chains = 3; /* a store of another run */
    assert_int_equal(tw_sampling_plan_new(p.model, &o, &watch, &plan), TW_BAD_DATA);
    for (size_t k = 0; k < BLOCKS; k++) free(s->data[k]);
    free(s);
    tw_draws_free(whole);
    posed_free(&p);
}

/* ---- ends ---- */

static bool stop_at(void *user, const tw_progress *p)
{
    return strcmp(p->stage, user) == 0;
}

static void a_plan_that_is_stopped_is_interrupted(void **state)
{
    (void)state;
    static char fit[] = "expectation propagation", pilot[] = "pilot", warmup[] = "warm-up";
    posed p = pose();
    tw_sampling_options o = few();
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    tw_sampling_watch watch = {.user = fit, .progress = stop_at};
    assert_int_equal(tw_sampling_plan_new(p.model, &o, &watch, &plan), TW_INTERRUPTED);
    watch.user = pilot;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, &watch, &plan), TW_INTERRUPTED);
    watch.user = warmup;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, &watch, &plan), TW_OK);
    assert_int_equal(tw_sampling_run(plan, &watch, &result), TW_OK);
    assert_true(result.draws->interrupted && result.draws->draws == 0);
    tw_sampling_result_release(&result);
    tw_sampling_plan_free(plan);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_does_what_its_parts_do),
        cmocka_unit_test(without_options_a_run_ends_when_its_draws_are_good),
        cmocka_unit_test(the_number_of_chains_is_a_function_of_n),
        cmocka_unit_test(the_clock_ends_a_run_and_changes_nothing_else),
        cmocka_unit_test(chains_start_where_they_are_told),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_run_goes_on_from_its_store),
        cmocka_unit_test(a_plan_that_is_stopped_is_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
