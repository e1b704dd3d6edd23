/* Chains: the same to the bit for any number of threads, tuned to their target, interruptible; and the
 * automatic choice. */
#include "talweg/chains.h"

#include <math.h>

#include "support/chain_case.h"
#include "support/problem.h"
#include "support/support.h"

enum { CASES = 60 };

/* The problem and what is known of its posterior. */
typedef struct fixture {
    test_problem *problem;
    posed posed;
} fixture;

static fixture make_fixture(size_t n)
{
    fixture f = {.problem = test_problem_new(n, 11, 100.0)};
    f.posed = pose_in(NULL, n, f.problem->k, tw_likelihood_find("probit"), f.problem->y);
    return f;
}

static void free_fixture(fixture *f)
{
    posed_free(&f->posed);
    test_problem_free(f->problem);
}

typedef struct kind {
    tw_method method;
    tw_metric metric;
} kind;

static tw_draws *run(const fixture *f, kind k, size_t threads, size_t chains,
                     const tw_chains_options *options)
{
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    sampler.method = k.method;
    sampler.metric = k.metric;
    sampler.threads = threads;
    return run_chains(&f->posed, 1.0, &sampler, chains, options);
}

/* ---- threads ---- */

static void assert_same(const tw_draws *a, const tw_draws *b)
{
    size_t count = a->draws * a->chains;
    assert_int_equal(a->draws, b->draws);
    assert_memory_equal(&a->tuning.eps, &b->tuning.eps, sizeof a->tuning.eps);
    assert_int_equal(a->tuning.steps, b->tuning.steps);
    assert_memory_equal(a->x, b->x, a->n * count * sizeof *a->x);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(&a->records[i].energy, &b->records[i].energy, sizeof(double));
        assert_memory_equal(&a->records[i].log_density, &b->records[i].log_density, sizeof(double));
        assert_int_equal(a->records[i].steps, b->records[i].steps);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    /* 70 columns of HMC are three tiles; RMHMC goes by the column. */
    static const kind kinds[] = {{TW_METHOD_HMC, TW_METRIC_EP},
                                 {TW_METHOD_SLICE, TW_METRIC_EP},
                                 {TW_METHOD_RMHMC, TW_METRIC_SMOOTHED}};
    static const size_t chains[] = {70, 70, 5};
    fixture f = make_fixture(13);
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    o.warmup = 60;
    o.draws = 20;
    for (size_t k = 0; k < 3; k++) {
        tw_draws *one = run(&f, kinds[k], 1, chains[k], &o);
        for (size_t threads = 2; threads <= 3; threads++) {
            tw_draws *more = run(&f, kinds[k], threads, chains[k], &o);
            assert_same(one, more);
            tw_draws_free(more);
        }
        o.seed = 2;
        tw_draws *other = run(&f, kinds[k], 1, chains[k], &o);
        assert_memory_not_equal(one->x, other->x, one->n * sizeof *one->x);
        o.seed = 1;
        tw_draws_free(other);
        tw_draws_free(one);
    }
    free_fixture(&f);
}

/* ---- tuning ---- */

/* Acceptance within 0.1 of its target, and every latent with at least a fifth of the draws effective (hmc)
 * after a default warm-up. */
static void acceptance_is_tuned_to_its_target(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {TW_METHOD_HMC, TW_METRIC_EP}, {TW_METHOD_HMC, TW_METRIC_PRIOR}, {TW_METHOD_HMC, TW_METRIC_IDENTITY}};
    static const double targets[] = {0.8, 0.65, 0.8};
    fixture f = make_fixture(CASES);
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    for (size_t k = 0; k < 3; k++) {
        tw_chains_summary summary;
        o.target_accept = targets[k];
        tw_draws *draws = run(&f, kinds[k], 2, 4, &o);
        assert_int_equal(tw_draws_summarise(draws, 2, NULL, &summary), TW_OK);
        assert_close(summary.acceptance, targets[k], 0.1, tw_metric_name(kinds[k].metric));
        assert_true(summary.ess_min > 0.2 * 4000.0);
        assert_true(summary.ess_bulk_median >= summary.ess_bulk_min);
        assert_true(summary.rhat_max < 1.02);
        assert_true(summary.ebfmi_min > 0.5);
        tw_draws_free(draws);
    }
    free_fixture(&f);
}

static void acceptance_of_rmhmc_is_tuned_too(void **state)
{
    (void)state;
    fixture f = make_fixture(20);
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    tw_chains_summary summary;
    o.warmup = 200;
    o.draws = 200;
    tw_draws *draws = run(&f, (kind){TW_METHOD_RMHMC, TW_METRIC_SMOOTHED}, 2, 4, &o);
    assert_int_equal(tw_draws_summarise(draws, 1, NULL, &summary), TW_OK);
    assert_close(summary.acceptance, 0.8, 0.1, "rmhmc smoothed");
    assert_true(summary.ess_bulk_min > 0.1 * 800.0);
    tw_draws_free(draws);
    free_fixture(&f);
}

/* What is given is not tuned, and given steps are not jittered. */
static void what_is_given_is_not_tuned(void **state)
{
    (void)state;
    fixture f = make_fixture(13);
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    o.warmup = o.draws = 60;
    o.eps = 0.25;
    tw_draws *draws = run(&f, (kind){TW_METHOD_HMC, TW_METRIC_EP}, 1, 2, &o);
    assert_true(draws->tuning.eps == 0.25 && draws->tuning.jittered && draws->tuning.steps >= 2);
    tw_draws_free(draws);
    o.steps = 7;
    o.warmup = 0;
    draws = run(&f, (kind){TW_METHOD_HMC, TW_METRIC_EP}, 1, 2, &o);
    assert_true(draws->tuning.eps == 0.25 && !draws->tuning.jittered);
    assert_int_equal(draws->sampling.leapfrog_steps, 7 * 60 * 2);
    assert_int_equal(draws->warmup.transitions, 0);
    tw_draws_free(draws);
    o.eps = 0.0;
    o.warmup = 60;
    draws = run(&f, (kind){TW_METHOD_HMC, TW_METRIC_EP}, 1, 2, &o);
    assert_true(draws->tuning.eps > 0.0 && draws->tuning.steps == 7);
    tw_draws_free(draws);
    free_fixture(&f);
}

/* ---- callbacks ---- */

typedef struct watch {
    size_t stop_at, progress, draws;
    double sum;
    tw_status answer;
} watch;

static bool count_progress(void *user, const tw_progress *p)
{
    watch *w = user;
    assert_in_range(p->done, 1, p->total);
    assert_true(p->acceptance >= 0.0 && p->acceptance <= 1.0);
    return ++w->progress == w->stop_at;
}

static tw_status take(void *user, const tw_draw *draw)
{
    watch *w = user;
    assert_int_equal(draw->index, w->draws);
    w->draws++;
    for (size_t i = 0; i < draw->n * draw->chains; i++) w->sum += draw->x[i];
    return w->answer;
}

static void an_interrupted_run_has_its_draws(void **state)
{
    (void)state;
    static const size_t stops[] = {1, 40, 55, 100};
    static const size_t expected[] = {0, 0, 5, 50};
    fixture f = make_fixture(13);
    for (size_t k = 0; k < 4; k++) {
        watch w = {.stop_at = stops[k]};
        tw_chains_options o = TW_CHAINS_DEFAULTS;
        tw_chains_summary summary;
        o.warmup = 50;
        o.draws = 60;
        o.user = &w;
        o.on_progress = count_progress;
        tw_draws *draws = run(&f, (kind){TW_METHOD_HMC, TW_METRIC_EP}, 1, 2, &o);
        assert_true(draws->interrupted);
        assert_int_equal(draws->draws, expected[k]);
        assert_int_equal(w.progress, stops[k]);
        assert_int_equal(tw_draws_summarise(draws, 1, NULL, &summary), TW_OK);
        assert_true(expected[k] >= 6 || isnan(summary.ess_bulk_min));
        tw_draws_free(draws);
    }
    free_fixture(&f);
}

/* Draws handed out are those kept; thinning keeps every third; a run that keeps nothing still has its
 * records. */
static void draws_handed_out_are_those_kept(void **state)
{
    (void)state;
    fixture f = make_fixture(13);
    watch w = {.answer = TW_OK};
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    o.warmup = 50;
    o.draws = 30;
    o.user = &w;
    o.on_draw = take;
    tw_draws *all = run(&f, (kind){TW_METHOD_HMC, TW_METRIC_EP}, 1, 3, &o);
    double sum = 0.0;
    for (size_t i = 0; i < 13 * 3 * 30; i++) sum += all->x[i];
    assert_int_equal(w.draws, 30);
    assert_close(w.sum, sum, 0.0, "sum of the draws");
    o.draws = 10;
    o.thin = 3;
    o.on_draw = NULL;
    tw_draws *thin = run(&f, (kind){TW_METHOD_HMC, TW_METRIC_EP}, 1, 3, &o);
    assert_int_equal(thin->sampling.transitions, 90);
    for (size_t d = 0; d < 10; d++)
        assert_memory_equal(thin->x + d * 39, all->x + (3 * d + 2) * 39, 39 * sizeof(double));
    tw_draws_free(thin);
    o.keep = false;
    thin = run(&f, (kind){TW_METHOD_HMC, TW_METRIC_EP}, 1, 3, &o);
    assert_null(thin->x);
    assert_int_equal(thin->draws, 10);
    assert_true(thin->records[29].steps > 0);
    tw_draws_free(thin);
    tw_draws_free(all);
    free_fixture(&f);
}

/* ---- bad arguments ---- */

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    fixture f = make_fixture(5);
    tw_posterior posterior = {.model = f.posed.model, .beta = 1.0, .approximation = f.posed.ep};
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    tw_sampling *s = NULL;
    tw_draws *draws = NULL;
    tw_chains_options bad[7];
    double start[10] = {0.0};
    assert_int_equal(tw_sampling_new(&posterior, &sampler, 2, &s), TW_OK);
    for (size_t i = 0; i < 7; i++) bad[i] = TW_CHAINS_DEFAULTS;
    bad[0].eps = -0.1;
    bad[1].eps = NAN;
    bad[2].draws = 0;
    bad[3].thin = 0;
    bad[4].target_accept = 1.0;
    bad[5].warmup = 0;
    bad[6].pilot = 128;
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(tw_chains_run(s->sampler, &bad[i], &draws), TW_BAD_ARGUMENT);
        assert_null(draws);
    }
    assert_int_equal(tw_sampler_start_at(s->sampler, 4, 1, start), TW_BAD_ARGUMENT);
    assert_int_equal(tw_sampler_start_at(s->sampler, 5, 3, start), TW_BAD_ARGUMENT);
    assert_int_equal(tw_sampler_start_at(s->sampler, 5, 1, start), TW_OK);
    assert_int_equal(tw_sampler_start_at(s->sampler, 5, 2, start), TW_OK);
    start[3] = NAN;
    assert_int_equal(tw_sampler_start_at(s->sampler, 5, 2, start), TW_BAD_ARGUMENT);
    tw_sampling_free(s);
    posterior.beta = 1.5;
    assert_int_equal(tw_sampling_new(&posterior, &sampler, 2, &s), TW_BAD_ARGUMENT);
    posterior.beta = 1.0;
    posterior.approximation = NULL;
    sampler.metric = TW_METRIC_EP;
    assert_int_equal(tw_sampling_new(&posterior, &sampler, 2, &s), TW_BAD_ARGUMENT);
    tw_choice choice;
    assert_int_equal(tw_auto_choose(&posterior, NULL, &choice), TW_BAD_ARGUMENT);
    free_fixture(&f);
}

/* ---- choosing ---- */

static void the_winner_of_the_race_is_chosen(void **state)
{
    (void)state;
    fixture f = make_fixture(CASES);
    tw_posterior posterior = {.model = f.posed.model, .beta = 1.0, .approximation = f.posed.ep};
    tw_auto_options o = TW_AUTO_DEFAULTS;
    tw_choice one, two;
    assert_int_equal(tw_auto_choose(&posterior, &o, &one), TW_OK);
    o.sampler.threads = 2;
    assert_int_equal(tw_auto_choose(&posterior, &o, &two), TW_OK);
    assert_int_equal(one.count, 4);
    assert_int_equal(one.candidates[0].method, TW_METHOD_SLICE);
    assert_true(one.candidates[0].tried && one.candidates[0].ess_per_draw > 0.01);
    assert_true(one.candidates[one.best].tried);
    assert_int_equal(one.best, two.best);
    for (size_t k = 0; k < one.count; k++) {
        const tw_candidate *c = &one.candidates[k];
        assert_true(c->tried == (*c->reason == '\0') && (c->iterations > 0) == (c->flops_spent > 0.0));
        if (c->tried)
            assert_true(c->flops_to_goal >= one.candidates[one.best].flops_to_goal);
        else
            assert_true(isnan(c->efficiency) && isnan(c->acceptance) && isnan(c->flops_to_goal));
        assert_memory_equal(&c->efficiency, &two.candidates[k].efficiency, sizeof(double));
        assert_memory_equal(&c->flops_spent, &two.candidates[k].flops_spent, sizeof(double));
    }
    o.until_ess = 0.0; /* nothing to aim at */
    assert_int_equal(tw_auto_choose(&posterior, &o, &two), TW_BAD_ARGUMENT);
    free_fixture(&f);
}

/* At b = 0 from the prior the target is N(0, K): variances are known. 13 comparisons at 4 MCSE: 8e-4. */
static void temperature_zero_is_the_prior(void **state)
{
    (void)state;
    fixture f = make_fixture(13);
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    tw_summary rows[13];
    tw_chains_summary summary;
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    sampler.metric = TW_METRIC_PRIOR;
    tw_draws *draws = run_chains(&f.posed, 0.0, &sampler, 4, &o);
    assert_int_equal(tw_draws_summarise(draws, 1, rows, &summary), TW_OK);
    for (size_t i = 0; i < 13; i++) {
        double sd = sqrt(f.problem->k[i + i * 13]);
        assert_close(rows[i].mean, 0.0, 4.0 * rows[i].mcse_mean, "prior mean");
        assert_close(rows[i].sd, sd, 0.1 * sd, "prior sd");
    }
    tw_draws_free(draws);
    free_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(acceptance_is_tuned_to_its_target),
        cmocka_unit_test(acceptance_of_rmhmc_is_tuned_too),
        cmocka_unit_test(what_is_given_is_not_tuned),
        cmocka_unit_test(an_interrupted_run_has_its_draws),
        cmocka_unit_test(draws_handed_out_are_those_kept),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(the_winner_of_the_race_is_chosen),
        cmocka_unit_test(temperature_zero_is_the_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
