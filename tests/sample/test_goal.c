/* A run with a goal ends at the first check at which its draws suffice: at the same draw whether the draws
 * are kept in memory, handed out, or the run is resumed from any draw; its draws equal those of a run with a
 * fixed number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/sampling_plan.h"

enum { N = 15, CHAINS = 2, MOST = 1200 };
static const double goal = 300.0;
static const size_t looks[] = {64, 96, 144, 216, 324, 486, 729, 1093};

/* Draws as they came, and the state of the run after so many of them. */
typedef struct taker {
    tw_context *ctx;
    double x[MOST * CHAINS * N];
    size_t taken, save_at;
    tw_chains_state state;
    double *numbers;
} taker;

static posed pose(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

static tw_status take(void *user, const tw_draw *draw)
{
    taker *t = user;
    assert_true(draw->index == t->taken && t->taken < MOST);
    memcpy(t->x + t->taken++ * CHAINS * N, draw->x, CHAINS * N * sizeof(double));
    return TW_OK;
}

static tw_status worth(tw_context *ctx, double *x, size_t draws, tw_chains_summary *out)
{
    tw_draws d = {.ctx = ctx, .method = TW_METHOD_HMC, .n = N, .chains = CHAINS, .draws = draws, .x = x};
    return tw_draws_summarise(&d, 1, NULL, out);
}

static tw_status look(void *user, tw_chains_summary *out)
{
    taker *t = user;
    return worth(t->ctx, t->x, t->taken, out);
}

static bool wants_state(void *user)
{
    const taker *t = user;
    return t->taken == t->save_at && !t->numbers;
}

static void save(void *user, const tw_chains_state *state)
{
    taker *t = user;
    t->state = *state;
    t->numbers = malloc(state->count * sizeof *t->numbers);
    assert_non_null(t->numbers);
    memcpy(t->numbers, state->numbers, state->count * sizeof *t->numbers);
    t->state.numbers = t->numbers;
}

static tw_chains_options options_of(taker *t)
{
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    o.warmup = 100;
    o.draws = MOST;
    o.seed = 3;
    o.until_ess = goal;
    o.user = t;
    if (!t) return o;
    o.keep = false;
    o.on_draw = take;
    o.on_look = look;
    o.wants_state = wants_state;
    o.on_state = save;
    return o;
}

static tw_draws *run(const posed *p, const tw_chains_options *o, size_t threads)
{
    tw_posterior posterior = {.model = p->model, .beta = 1.0, .approximation = p->ep};
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    tw_sampling *s = NULL;
    tw_draws *draws = NULL;
    sampler.metric = TW_METRIC_EP;
    sampler.threads = threads;
    assert_int_equal(tw_sampling_new(&posterior, &sampler, CHAINS, &s), TW_OK);
    assert_int_equal(tw_sampler_start(s->sampler, p->ep->reference, 1.5, o->seed), TW_OK);
    assert_int_equal(tw_chains_run(s->sampler, o, &draws), TW_OK);
    tw_sampling_free(s);
    return draws;
}

/* Where the run must end, from the draws of a run of a fixed number. */
static size_t expected_end(tw_context *ctx, double *x)
{
    tw_chains_summary s;
    for (size_t k = 0; k < sizeof looks / sizeof *looks; k++) {
        assert_int_equal(worth(ctx, x, looks[k], &s), TW_OK);
        if (s.ess_min >= goal && (s.rhat_max <= 1.01 || s.rhat_chance >= 0.01)) return looks[k];
    }
    return MOST;
}

static void a_run_ends_at_its_goal(void **state)
{
    (void)state;
    posed p = pose();
    tw_chains_options o = options_of(NULL);
    o.until_ess = 0.0;
    tw_draws *all = run(&p, &o, 1);
    size_t end = expected_end(p.ctx, all->x);
    assert_true(all->draws == MOST && end > looks[1] && end < MOST); /* neither at once nor never */
    o.until_ess = goal;
    for (size_t threads = 1; threads <= 2; threads++) {
        tw_draws *some = run(&p, &o, threads);
        assert_true(some->draws == end && !some->interrupted && some->sampling.transitions == CHAINS * end);
        assert_memory_equal(some->x, all->x, end * CHAINS * N * sizeof *all->x);
        assert_memory_equal(some->log_likelihood, all->log_likelihood, end * CHAINS * sizeof *all->x);
        tw_draws_free(some);
    }
    tw_draws_free(all);
    posed_free(&p);
}

/* A state after any number of draws, also after one at which the run looks. */
static void a_resumed_run_ends_at_the_same_draw(void **state)
{
    (void)state;
    static const size_t places[] = {1, 64, 95, 96, 97};
    posed p = pose();
    tw_chains_options o = options_of(NULL);
    tw_draws *whole = run(&p, &o, 1);
    taker *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        *t = (taker){.ctx = p.ctx, .save_at = places[k]};
        o = options_of(t);
        tw_draws *first = run(&p, &o, 1);
        assert_true(t->taken == whole->draws && first->draws == whole->draws);
        t->taken = places[k]; /* killed there: the draws so far are in a file */
        o.resume = &t->state;
        tw_draws *second = run(&p, &o, 1);
        assert_true(t->taken == whole->draws && second->draws == whole->draws);
        assert_memory_equal(t->x, whole->x, whole->draws * CHAINS * N * sizeof *t->x);
        tw_draws_free(first);
        tw_draws_free(second);
        free(t->numbers);
    }
    free(t);
    tw_draws_free(whole);
    posed_free(&p);
}

/* The most draws end it too, with a warning that the goal is missed. */
static void a_goal_out_of_reach_is_told(void **state)
{
    (void)state;
    posed p = pose();
    tw_sampling_options o = TW_SAMPLING_DEFAULTS;
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    o.method = "hmc";
    o.chains = 4;
    o.warmup = 50;
    o.max_draws = 70;
    o.until_ess = 1e6;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_OK);
    assert_int_equal(tw_sampling_run(plan, NULL, &result), TW_OK);
    assert_int_equal(result.draws->draws, 70);
    assert_true(result.warnings.count > 0);
    for (size_t k = 0; k < result.warnings.count; k++) /* 400 is not what was asked for */
        assert_true(result.warnings.warning[k].code != TW_WARN_ESS_BULK &&
                    result.warnings.warning[k].code != TW_WARN_ESS_TAIL &&
                    result.warnings.warning[k].code != TW_WARN_ESS_FOLD);
    const tw_warning *last = &result.warnings.warning[result.warnings.count - 1];
    assert_int_equal(last->code, TW_WARN_ESS_GOAL);
    assert_true(last->number[0] == result.summary.ess_min && last->number[1] == 1e6 && last->number[2] == 70);
    tw_sampling_result_release(&result);
    tw_sampling_plan_free(plan);
    posed_free(&p);
}

/* What was asked for is enough: there is no warning that 400 would be better. */
static void a_small_goal_is_a_goal(void **state)
{
    (void)state;
    posed p = pose();
    tw_sampling_options o = TW_SAMPLING_DEFAULTS;
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    o.method = "hmc";
    o.chains = 4;
    o.until_ess = 50.0;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_OK);
    assert_int_equal(tw_sampling_run(plan, NULL, &result), TW_OK);
    assert_true(result.summary.ess_min >= 50.0 && result.summary.ess_min < 400.0);
    assert_int_equal(result.warnings.count, 0);
    result.draws->interrupted = true; /* before the goal: then the goal is what is missed */
    result.summary.ess_min = result.summary.ess_bulk_min = 40.0;
    tw_sampling_judge(&result);
    assert_int_equal(result.warnings.count, 2);
    assert_true(result.warnings.warning[1].code == TW_WARN_ESS_BULK &&
                result.warnings.warning[1].number[1] == 50.0);
    tw_sampling_result_release(&result);
    tw_sampling_plan_free(plan);
    posed_free(&p);
}

static void bad_goals_are_refused(void **state)
{
    (void)state;
    posed p = pose();
    tw_sampling_options o = TW_SAMPLING_DEFAULTS;
    tw_sampling_plan *plan = NULL;
    tw_sampling_result result;
    o.until_ess = -1.0;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_BAD_ARGUMENT);
    o.until_ess = NAN;
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_BAD_ARGUMENT);
    o.until_ess = goal;
    o.method = "ess";
    o.keep = false; /* and nobody has the draws */
    assert_int_equal(tw_sampling_plan_new(p.model, &o, NULL, &plan), TW_OK);
    assert_int_equal(tw_sampling_run(plan, NULL, &result), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "with an ESS goal needs its draws"));
    tw_sampling_plan_free(plan);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_ends_at_its_goal),      cmocka_unit_test(a_resumed_run_ends_at_the_same_draw),
        cmocka_unit_test(a_goal_out_of_reach_is_told), cmocka_unit_test(a_small_goal_is_a_goal),
        cmocka_unit_test(bad_goals_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
