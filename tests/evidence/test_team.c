/* Teams of 1, 2, 3 and 4 members: chains, annealing up and down, resample-move and parallel tempering give
 * the same bits as one process, and all members together evaluate as many sites as one process does. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "support/thread_team.h"
#include "talweg/chains.h"
#include "talweg/evidence.h"

enum { N = 7, COLUMNS = 70, DRAWS = 6, STEPS = 5, RESULTS = 12000 };

static void count_terms(const tw_observations *o, const double *x, double *value, double *slope,
                        double *lambda, double *dlambda)
{
    atomic_fetch_add((atomic_size_t *)o->likelihood->user, o->n);
    tw_likelihood_find("probit")->terms(o, x, value, slope, lambda, dlambda);
}

/* What a member found. */
typedef struct found {
    tw_status status;
    size_t count, sites, calls; /* numbers; sites; calls of callbacks */
    char said[512];             /* where it failed */
    double number[RESULTS];
} found;

static void note(found *f, size_t count, const double *numbers)
{
    if (f->count + count > RESULTS) abort();
    memcpy(f->number + f->count, numbers, count * sizeof *numbers);
    f->count += count;
}

static void note_estimate(found *f, const tw_estimate *e)
{
    const double numbers[] = {e->log_z,      e->se,       e->se_bootstrap, e->weight_ess,
                              e->acceptance, e->failures, e->pareto_k,     e->missed};
    note(f, sizeof numbers / sizeof *numbers, numbers);
}

/* ---- jobs ---- */

typedef struct job {
    tw_status (*run)(const posed *p, const struct job *job, found *f);
    tw_method method;
    size_t columns;
    bool reverse;
    size_t fails; /* the member of this rank has no memory after the model; SIZE_MAX: none */
    bool thins;   /* the ladder loses levels on the way */
    bool whole;   /* members cannot trade */
} job;

static tw_sampler_options kernel_of(const posed *p, const job *j)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    o.method = j->method;
    o.metric = tw_method_describe(j->method)->metrics[0];
    o.gaussian = p->ep->reference;
    o.smoothing = p->ep->variance;
    return o;
}

static tw_status see_draw(void *user, const tw_draw *draw)
{
    found *f = user;
    (void)draw;
    f->calls++;
    return TW_OK;
}

static tw_status run_chains_of(const posed *p, const job *j, found *f)
{
    tw_posterior posterior = {.model = p->model, .beta = 1.0, .approximation = p->ep};
    tw_sampler_options sampler = kernel_of(p, j);
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    tw_sampling *sampling = NULL;
    tw_draws *draws = NULL;
    o.warmup = 70;
    o.draws = DRAWS;
    o.seed = 3;
    o.user = f;
    o.on_draw = see_draw;
    tw_status status = tw_sampling_new(&posterior, &sampler, j->columns, &sampling);
    if (status == TW_OK) status = tw_sampler_start(sampling->sampler, p->ep->reference, 1.5, 3);
    if (status == TW_OK) status = tw_chains_run(sampling->sampler, &o, &draws);
    if (status == TW_OK) {
        note(f, 1, &draws->tuning.eps);
        note(f, 1, &draws->sampling.acceptance);
        note(f, N * j->columns * DRAWS, draws->x);
        for (size_t k = 0; k < j->columns * DRAWS; k++) note(f, 1, &draws->records[k].energy_error);
    }
    tw_draws_free(draws);
    tw_sampling_free(sampling);
    return status;
}

static tw_status run_choice(const posed *p, const job *j, found *f)
{
    tw_posterior posterior = {.model = p->model, .beta = 1.0, .approximation = p->ep};
    tw_auto_options o = TW_AUTO_DEFAULTS;
    tw_choice choice;
    o.chains = j->columns;
    o.warmup = 25;
    o.until_ess = 4000.0; /* far enough away for a pilot of each candidate to pay */
    TW_TRY(tw_auto_choose(&posterior, &o, &choice));
    for (size_t k = 0; k < choice.count; k++) note(f, 1, &choice.candidates[k].efficiency);
    return TW_OK;
}

static tw_status run_annealing(const posed *p, const job *j, found *f)
{
    double beta[STEPS + 1], weights[COLUMNS];
    tw_ais_options o = TW_AIS_DEFAULTS;
    tw_estimate e;
    TW_TRY(tw_schedule_fill(p->ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta));
    o.kernel = kernel_of(p, j);
    o.beta = beta;
    o.temperatures = STEPS;
    o.particles = j->columns;
    o.reverse = j->reverse;
    o.burn_in = 3;
    TW_TRY(tw_ais_run(p->model, p->prior, &o, NULL, NULL, weights, &e));
    note(f, j->columns, weights);
    note_estimate(f, &e);
    return TW_OK;
}

static tw_status run_resampling(const posed *p, const job *j, found *f)
{
    tw_rm_options o = TW_RM_DEFAULTS;
    tw_estimate e;
    o.kernel = kernel_of(p, j);
    o.particles = j->columns;
    o.islands = 5;
    TW_TRY(tw_rm_run(p->model, p->prior, &o, NULL, NULL, &e));
    note_estimate(f, &e);
    return TW_OK;
}

static tw_status run_tempering(const posed *p, const job *j, found *f)
{
    double beta[STEPS + 1], eps[STEPS + 1];
    tw_pt_options o = TW_PT_DEFAULTS;
    tw_pt_report report = {.beta = beta, .eps = eps};
    tw_estimate e[2];
    o.kernel = kernel_of(p, j);
    o.kernel.threads = 2;
    o.temperatures = STEPS;
    o.copies = j->columns;
    o.warmup = 16;
    o.rounds = j->columns < 8 ? 80 : 10;
    o.moves = j->columns < 8 ? 2 : 1;
    o.patience = 4;
    if (j->thins) { /* nobody travels from the start: the temperatures are far apart, and transitions hardly move */
        o.least_temperatures = 1;
        o.eps = 1e-3;
        o.steps = 1;
    }
    TW_TRY(tw_pt_run(p->model, p->prior, &o, NULL, NULL, e, &report));
    note_estimate(f, &e[0]);
    note_estimate(f, &e[1]);
    if (j->thins && report.temperatures == STEPS) return TW_BAD_ARGUMENT; /* then this is no test of it */
    note(f, report.temperatures + 1, beta);
    note(f, report.temperatures + 1, eps);
    note(f, 1, &(double){(double)report.round_trips});
    return TW_OK;
}

/* ---- members ---- */

typedef struct shared {
    const job *job;
    found *found; /* of every member */
} shared;

static void do_job(const job *j, const tw_team *team, found *f)
{
    atomic_size_t sites = 0;
    double k[N * N], y[N];
    tw_likelihood likelihood = *tw_likelihood_find("probit");
    likelihood.user = &sites;
    likelihood.terms = count_terms;
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, &likelihood, y);
    sites = 0; /* every member has fitted the model for itself */
    f->status = tw_context_set_team(p.ctx, team);
    if (team && team->rank == j->fails) tw_context_set_byte_limit(p.ctx, tw_context_bytes_in_use(p.ctx) + 1);
    if (f->status == TW_OK) f->status = j->run(&p, j, f);
    f->sites = sites;
    if (f->status != TW_OK) snprintf(f->said, sizeof f->said, "%s", tw_context_message(p.ctx));
    posed_free(&p);
}

static void take_part(void *user, const tw_team *team)
{
    shared *s = user;
    tw_team plain = *team;
    plain.trade = NULL;
    do_job(s->job, s->job->whole ? &plain : team, &s->found[team->rank]);
}

static void assert_same_for_every_size(const job *j)
{
    found *alone = calloc(1, sizeof *alone);
    assert_non_null(alone);
    do_job(j, NULL, alone);
    assert_int_equal(alone->status, TW_OK);
    size_t own =
        0; /* sites that every member evaluates for itself, as it finds the lines of slice sampling */
    for (size_t size = 1; size <= 4; size++) {
        shared s = {j, calloc(size, sizeof(found))};
        size_t sites = 0, calls = 0;
        assert_non_null(s.found);
        run_team(size, take_part, &s);
        for (size_t r = 0; r < size; r++) {
            assert_int_equal(s.found[r].status, TW_OK);
            assert_int_equal(s.found[r].count, alone->count);
            assert_memory_equal(s.found[r].number, alone->number, alone->count * sizeof *alone->number);
            sites += s.found[r].sites;
            calls += s.found[r].calls;
        }
        if (size == 2) own = sites - alone->sites;
        assert_int_equal(sites, alone->sites + (size - 1) * own);
        assert_true(own < alone->sites / 4);
        assert_true(s.found[size - 1].sites > 0 &&
                    (size == 1 || s.found[size - 1].sites < sites || j->whole));
        assert_int_equal(calls, alone->calls);
        free(s.found);
    }
    free(alone);
}

static void chains_are_the_same(void **state)
{
    (void)state;
    assert_same_for_every_size(&(job){run_chains_of, TW_METHOD_HMC, COLUMNS, false, SIZE_MAX, false, false});
    assert_same_for_every_size(
        &(job){run_chains_of, TW_METHOD_SLICE, COLUMNS, false, SIZE_MAX, false, false});
    assert_same_for_every_size(&(job){run_chains_of, TW_METHOD_RMHMC, 5, false, SIZE_MAX, false, false});
}

static void the_choice_is_the_same(void **state)
{
    (void)state;
    assert_same_for_every_size(&(job){run_choice, TW_METHOD_HMC, 5, false, SIZE_MAX, false, false});
}

static void annealing_is_the_same(void **state)
{
    (void)state;
    for (int reverse = 0; reverse < 2; reverse++) {
        assert_same_for_every_size(
            &(job){run_annealing, TW_METHOD_HMC, COLUMNS, reverse, SIZE_MAX, false, false});
        assert_same_for_every_size(
            &(job){run_annealing, TW_METHOD_RMHMC, 6, reverse, SIZE_MAX, false, false});
    }
}

static void resampling_is_the_same(void **state)
{
    (void)state;
    assert_same_for_every_size(&(job){run_resampling, TW_METHOD_HMC, COLUMNS, false, SIZE_MAX, false, false});
}

static void tempering_is_the_same(void **state)
{
    (void)state;
    assert_same_for_every_size(&(job){run_tempering, TW_METHOD_HMC, COLUMNS, false, SIZE_MAX, false, false});
}

/* One tile of copies, or three copies, for up to four members: ladders are cut. */
static void cut_ladders_are_the_same(void **state)
{
    (void)state;
    assert_same_for_every_size(
        &(job){.run = run_tempering, .method = TW_METHOD_HMC, .columns = 9, .fails = SIZE_MAX});
    assert_same_for_every_size(
        &(job){.run = run_tempering, .method = TW_METHOD_RMHMC, .columns = 3, .fails = SIZE_MAX});
    assert_same_for_every_size(&(job){
        .run = run_tempering, .method = TW_METHOD_HMC, .columns = 9, .fails = SIZE_MAX, .thins = true});
    assert_same_for_every_size(&(job){
        .run = run_tempering, .method = TW_METHOD_HMC, .columns = 9, .fails = SIZE_MAX, .whole = true});
}

/* A member that cannot go on ends the others: none waits for it, and all have its words. */
static void none_waits_for_one_that_failed(void **state)
{
    (void)state;
    const job jobs[] = {{run_chains_of, TW_METHOD_HMC, COLUMNS, false, 1, false, false},
                        {run_annealing, TW_METHOD_HMC, COLUMNS, false, 2, false, false},
                        {run_tempering, TW_METHOD_HMC, 9, false, 1, false, false}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        shared s = {&jobs[i], calloc(3, sizeof(found))};
        assert_non_null(s.found);
        run_team(3, take_part, &s);
        const char *why = s.found[jobs[i].fails].said;
        for (size_t r = 0; r < 3; r++) {
            assert_int_equal(s.found[r].status, r == jobs[i].fails ? TW_NO_MEMORY : TW_INTERRUPTED);
            assert_non_null(strstr(s.found[r].said, why)); /* all say what was wrong with the one */
        }
        assert_true(strlen(why) > 0);
        free(s.found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_the_same),
        cmocka_unit_test(the_choice_is_the_same),
        cmocka_unit_test(annealing_is_the_same),
        cmocka_unit_test(resampling_is_the_same),
        cmocka_unit_test(tempering_is_the_same),
        cmocka_unit_test(cut_ladders_are_the_same),
        cmocka_unit_test(none_waits_for_one_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
