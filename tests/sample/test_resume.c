/* Resumed chains: from any iteration, in a new sampler, with every transition, draws, records and sums equal
 * those of the uninterrupted run to the bit. */
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/chains.h"

enum { N = 21, CHAINS = 3, WARMUP = 30, DRAWS = 12, THIN = 2, NUMBERS = 5000 };

typedef struct kind {
    tw_method method;
    tw_metric metric;
} kind;

static const kind kinds[] = {{TW_METHOD_HMC, TW_METRIC_EP},        {TW_METHOD_HMC, TW_METRIC_PRIOR},
                             {TW_METHOD_SLICE, TW_METRIC_EP},      {TW_METHOD_SLICE, TW_METRIC_PRIOR},
                             {TW_METHOD_RMHMC, TW_METRIC_HESSIAN}, {TW_METHOD_RMHMC, TW_METRIC_SMOOTHED}};

/* What a run gave out, and the state after iteration `at`. */
typedef struct tape {
    double x[DRAWS][N * CHAINS], log_likelihood[DRAWS][CHAINS];
    tw_record records[DRAWS][CHAINS];
    size_t draws, iteration, at;
    tw_chains_state state;
    double numbers[NUMBERS];
} tape;

static tw_status take(void *user, const tw_draw *draw)
{
    tape *t = user;
    assert_true(draw->index < DRAWS);
    memcpy(t->x[draw->index], draw->x, sizeof t->x[0]);
    memcpy(t->log_likelihood[draw->index], draw->log_likelihood, sizeof t->log_likelihood[0]);
    memcpy(t->records[draw->index], draw->records, sizeof t->records[0]);
    t->draws++;
    return TW_OK;
}

static bool count(void *user, const tw_progress *progress)
{
    tape *t = user;
    if (strcmp(progress->stage, "sampling") == 0) t->iteration = progress->done;
    return false;
}

static bool is_there(void *user)
{
    const tape *t = user;
    return t->iteration == t->at;
}

static void keep(void *user, const tw_chains_state *state)
{
    tape *t = user;
    assert_true(state->count <= NUMBERS && state->iteration == t->at);
    t->state = *state;
    memcpy(t->numbers, state->numbers, state->count * sizeof *state->numbers);
    t->state.numbers = t->numbers;
    t->state.x = NULL;
}

static tw_status run(const posed *p, kind k, size_t threads, tape *t, const tw_chains_state *resume,
                     tw_draws **out)
{
    tw_posterior posterior = {.model = p->model, .beta = 1.0, .approximation = p->ep};
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    tw_sampling *sampling = NULL;
    sampler.method = k.method;
    sampler.metric = k.metric;
    sampler.threads = threads;
    o.warmup = WARMUP;
    o.draws = DRAWS;
    o.thin = THIN;
    o.seed = 5;
    o.keep = false;
    o.user = t;
    o.on_draw = take;
    o.on_progress = count;
    o.wants_state = is_there;
    o.on_state = keep;
    o.resume = resume;
    assert_int_equal(tw_sampling_new(&posterior, &sampler, CHAINS, &sampling), TW_OK);
    /* a start that a run which goes on must not remember */
    assert_int_equal(tw_sampler_start(sampling->sampler, p->ep->reference, 1.5, resume ? 77 : 5), TW_OK);
    tw_status status = tw_chains_run(sampling->sampler, &o, out);
    tw_sampling_free(sampling);
    return status;
}

static posed pose(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

static void assert_same_records(const tw_record *a, const tw_record *b)
{
    assert_memory_equal(&a->log_density, &b->log_density, sizeof a->log_density);
    assert_memory_equal(&a->energy, &b->energy, sizeof a->energy);
    assert_memory_equal(&a->energy_error, &b->energy_error, sizeof a->energy_error);
    assert_true(a->steps == b->steps && a->accepted == b->accepted);
}

static void the_rest_is_the_same_to_the_bit(void **state)
{
    (void)state;
    static tape whole, first, rest;
    static const size_t moments[] = {1, 4, 11, DRAWS * THIN};
    posed p = pose();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        tw_draws *all = NULL, *part = NULL, *later = NULL;
        memset(&whole, 0, sizeof whole);
        assert_int_equal(run(&p, kinds[k], 1, &whole, NULL, &all), TW_OK);
        for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
            memset(&first, 0, sizeof first);
            memset(&rest, 0, sizeof rest);
            first.at = moments[m];
            assert_int_equal(run(&p, kinds[k], 2, &first, NULL, &part), TW_OK);
            assert_int_equal(first.state.draws, moments[m] / THIN);
            assert_int_equal(run(&p, kinds[k], 3, &rest, &first.state, &later), TW_OK);
            assert_int_equal(rest.draws, DRAWS - first.state.draws);
            size_t from = first.state.draws;
            assert_memory_equal(rest.x[from], whole.x[from], rest.draws * sizeof rest.x[0]);
            assert_memory_equal(rest.log_likelihood[from], whole.log_likelihood[from],
                                rest.draws * sizeof rest.log_likelihood[0]);
            for (size_t i = from; i < DRAWS; i++)
                for (size_t c = 0; c < CHAINS; c++)
                    assert_same_records(&rest.records[i][c], &whole.records[i][c]);
            assert_int_equal(later->draws, DRAWS);
            assert_true(later->tuning.eps == all->tuning.eps && later->tuning.steps == all->tuning.steps);
            assert_true(later->sampling.acceptance == all->sampling.acceptance &&
                        later->sampling.leapfrog_steps == all->sampling.leapfrog_steps &&
                        later->warmup.acceptance == all->warmup.acceptance);
            tw_draws_free(part);
            tw_draws_free(later);
        }
        tw_draws_free(all);
    }
    posed_free(&p);
}

static void a_state_of_another_run_is_refused(void **state)
{
    (void)state;
    static tape t;
    posed p = pose();
    tw_draws *draws = NULL, *none = NULL;
    memset(&t, 0, sizeof t);
    t.at = 6;
    assert_int_equal(run(&p, kinds[0], 1, &t, NULL, &draws), TW_OK);
    tw_draws_free(draws);
    tw_chains_state wrong = t.state;
    assert_int_equal(run(&p, kinds[2], 1, &t, &wrong, &none), TW_BAD_ARGUMENT); /* another transition */
    wrong.draws = DRAWS + 1;
    wrong.iteration = (DRAWS + 1) * THIN;
    assert_int_equal(run(&p, kinds[0], 1, &t, &wrong, &none), TW_BAD_ARGUMENT);
    wrong = t.state;
    wrong.draws = 1;
    assert_int_equal(run(&p, kinds[0], 1, &t, &wrong, &none), TW_BAD_ARGUMENT);
    assert_null(none);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_rest_is_the_same_to_the_bit),
                                       cmocka_unit_test(a_state_of_another_run_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
