/* The race of the automatic choice: by the table of costs, the losing methods take at most a quarter of the
 * whole; and the race is a function of the seed alone. Skipped if the crabs data are absent. */
#include "support/crabs.h"
#include "support/support.h"
#include "talweg/approximate.h"
#include "talweg/chains.h"

enum { SEEDS = 6, FIRST_LOOK = 64 }; /* the fewest draws of each chain that a run with a goal makes */

typedef struct raced {
    tw_choice choice;
    size_t warmup; /* that is left to the winner */
} raced;

static raced race(const tw_posterior *posterior, uint64_t seed, size_t threads)
{
    tw_auto_options o = TW_AUTO_DEFAULTS;
    tw_head_start head = {0};
    raced r;
    o.seed = seed;
    o.sampler.threads = threads;
    assert_int_equal(tw_auto_race(posterior, &o, &r.choice, &head), TW_OK);
    r.warmup = head.warmup;
    tw_head_start_release(&head);
    return r;
}

/* At least: the run may go on after the first look. */
static double whole(const raced *r)
{
    const tw_candidate *best = &r->choice.candidates[r->choice.best];
    double sum = 32.0 * best->flops_per_draw * (double)(r->warmup + FIRST_LOOK);
    for (size_t k = 0; k < r->choice.count; k++) sum += r->choice.candidates[k].flops_spent;
    return sum;
}

static double lost(const raced *r)
{
    double sum = 0.0;
    for (size_t k = 0; k < r->choice.count; k++)
        if (k != r->choice.best) sum += r->choice.candidates[k].flops_spent;
    return sum;
}

/* Losers took 0.42 and 0.30 of the whole for seeds 1 and 3 at log sigma 1 before there was a bound; 0.22 at most now. */
static void losers_take_a_quarter_at_most(void **state)
{
    (void)state;
    const char *kernels[] = {"se(log_ell=1, log_sigma=1)", "se(log_ell=1, log_sigma=3)"};
    for (size_t k = 0; k < 2; k++) {
        tw_context *ctx = context_for_shared("data/crabs.csv");
        tw_model *model = crabs_with(ctx, kernels[k]);
        tw_approximation *ep = NULL;
        assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
        tw_posterior posterior = {.model = model, .beta = 1.0, .approximation = ep};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            raced r = race(&posterior, seed, 1);
            assert_true(lost(&r) <= 0.25 * whole(&r));
        }
        tw_approximation_free(ep);
        tw_model_free(model);
        tw_context_free(ctx);
    }
}

static void threads_do_not_change_a_race(void **state)
{
    (void)state;
    tw_context *ctx = context_for_shared("data/crabs.csv");
    tw_model *model = crabs_model(ctx);
    tw_approximation *ep = NULL;
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    tw_posterior posterior = {.model = model, .beta = 1.0, .approximation = ep};
    raced one = race(&posterior, 1, 1), three = race(&posterior, 1, 3);
    assert_true(one.choice.best == three.choice.best && one.warmup == three.warmup);
    for (size_t k = 0; k < one.choice.count; k++) {
        const tw_candidate *a = &one.choice.candidates[k], *b = &three.choice.candidates[k];
        assert_true(a->iterations == b->iterations && a->flops_spent == b->flops_spent);
        assert_string_equal(a->reason, b->reason);
    }
    tw_approximation_free(ep);
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(losers_take_a_quarter_at_most),
                                       cmocka_unit_test(threads_do_not_change_a_race)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
