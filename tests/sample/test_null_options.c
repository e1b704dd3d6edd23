/* Every public function with options accepts NULL and then uses their defaults; and the defaults of the same
 * quantity agree everywhere. */
#include <math.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/talweg.h"

enum { N = 9, CHAINS = 2 };

static posed pose(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
}

/* ---- one default ---- */

static void seeds_and_sizes_are_the_same_everywhere(void **state)
{
    (void)state;
    tw_evidence_options all = TW_EVIDENCE_DEFAULTS;
    tw_sampling_options sampling = TW_SAMPLING_DEFAULTS;
    tw_chains_options chains = TW_CHAINS_DEFAULTS;
    tw_auto_options pilots = TW_AUTO_DEFAULTS;
    tw_ais_options ais = TW_AIS_DEFAULTS;
    tw_pt_options pt = TW_PT_DEFAULTS;
    tw_rm_options rm = TW_RM_DEFAULTS;
    assert_true(all.seed == 1 && sampling.seed == 1 && chains.seed == 1 && pilots.seed == 1);
    assert_true(ais.seed == 1 && pt.seed == 1 && rm.seed == 1);
    assert_true(ais.particles == all.particles && rm.particles == all.particles);
    assert_true(ais.burn_in == all.burn_in && ais.moves == all.moves && pt.moves == all.moves);
    assert_true(pt.copies == all.copies && pt.rounds == all.rounds);
    assert_true(sampling.target_accept == chains.target_accept);
    assert_true(pilots.target_accept == chains.target_accept);
    /* A particle that stays in a tail biases an annealed estimate; a chain comes back. */
    assert_true(ais.target_accept > chains.target_accept && pt.target_accept == ais.target_accept);
    assert_true(rm.target_accept > ais.target_accept);
}

/* ---- fits and samplers ---- */

static void fits_take_null(void **state)
{
    (void)state;
    posed p = pose();
    tw_approximation *laplace = NULL, *ep = NULL;
    tw_fits fits;
    assert_int_equal(tw_laplace_fit(p.model, NULL, &laplace), TW_OK);
    assert_int_equal(tw_ep_fit(p.model, NULL, &ep), TW_OK);
    assert_int_equal(tw_fits_make(p.model, NULL, &fits), TW_OK);
    assert_true(fits.ep->log_z == ep->log_z && fits.laplace->log_z == laplace->log_z);
    tw_fits_release(&fits);
    tw_approximation_free(laplace);
    tw_approximation_free(ep);
    posed_free(&p);
}

static tw_draws *draw(const tw_posterior *posterior, const tw_sampler_options *sampler,
                      const tw_chains_options *run)
{
    tw_sampling *s = NULL;
    tw_draws *draws = NULL;
    assert_int_equal(tw_sampling_new(posterior, sampler, CHAINS, &s), TW_OK);
    assert_int_equal(tw_sampler_start(s->sampler, posterior->approximation->reference, 1.0, 1), TW_OK);
    assert_int_equal(tw_chains_run(s->sampler, run, &draws), TW_OK);
    tw_sampling_free(s);
    return draws;
}

static void samplers_take_null(void **state)
{
    (void)state;
    posed p = pose();
    tw_posterior posterior = {.model = p.model, .beta = 1.0, .approximation = p.ep};
    tw_sampler_options sampler = TW_SAMPLER_DEFAULTS;
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    tw_auto_options pilots = TW_AUTO_DEFAULTS;
    tw_choice choice, same;
    tw_target *target = NULL;
    tw_sampler *bare = NULL;
    tw_draws *a = draw(&posterior, NULL, NULL), *b = draw(&posterior, &sampler, &run);
    assert_int_equal(a->draws, 1000);
    assert_memory_equal(a->x, b->x, N * CHAINS * 1000 * sizeof *a->x);
    assert_int_equal(tw_auto_choose(&posterior, NULL, &choice), TW_OK);
    assert_int_equal(tw_auto_choose(&posterior, &pilots, &same), TW_OK);
    assert_true(choice.best == same.best &&
                choice.candidates[choice.best].efficiency == same.candidates[same.best].efficiency);
    assert_int_equal(tw_target_new(p.model, p.prior, TW_FORM_OPEN, &target), TW_OK);
    assert_int_equal(tw_sampler_new(target, NULL, CHAINS, &bare), TW_OK);
    tw_sampler_free(bare);
    tw_target_free(target);
    tw_draws_free(a);
    tw_draws_free(b);
    posed_free(&p);
}

/* ---- evidence ---- */

static void assert_same(const tw_estimate *a, const tw_estimate *b)
{
    assert_true(isfinite(a->log_z) && a->particles > 0);
    assert_true(a->log_z == b->log_z && a->se == b->se);
}

static void annealing_takes_null(void **state)
{
    (void)state;
    posed p = pose();
    const tw_reference *q = p.ep->reference;
    tw_ais_options ais = TW_AIS_DEFAULTS;
    tw_estimate a, b;
    double beta[51], needed = 0.0;
    for (size_t k = 0; k <= 50; k++) beta[k] = (double)k / 50.0;
    ais.beta = beta; /* the schedule that there is without one */
    assert_int_equal(tw_ais_run(p.model, q, NULL, NULL, NULL, NULL, &a), TW_OK);
    assert_int_equal(tw_ais_run(p.model, q, &ais, NULL, NULL, NULL, &b), TW_OK);
    assert_same(&a, &b);
    assert_int_equal(tw_ais_until(p.model, q, NULL, 10.0, 0, NULL, NULL, &b, &needed), TW_OK);
    assert_true(a.log_z == b.log_z && b.particles == 256);
    ais.beta = NULL;
    ais.temperatures = 0;
    assert_int_equal(tw_ais_run(p.model, q, &ais, NULL, NULL, NULL, &b), TW_BAD_ARGUMENT);
    posed_free(&p);
}

static void tempering_and_resampling_take_null(void **state)
{
    (void)state;
    posed p = pose();
    const tw_reference *q = p.ep->reference;
    tw_pt_options pt = TW_PT_DEFAULTS;
    tw_rm_options rm = TW_RM_DEFAULTS;
    tw_estimate a[2], b[2];
    static double beta[1001], again[1001];
    size_t steps = 0, same = 0;
    assert_int_equal(tw_pt_run(p.model, q, NULL, NULL, NULL, a, NULL), TW_OK);
    assert_int_equal(tw_pt_run(p.model, q, &pt, NULL, NULL, b, NULL), TW_OK);
    assert_same(&a[0], &b[0]);
    assert_int_equal(tw_rm_run(p.model, q, NULL, NULL, NULL, a), TW_OK);
    assert_int_equal(tw_rm_run(p.model, q, &rm, NULL, NULL, b), TW_OK);
    assert_same(a, b);
    assert_int_equal(tw_schedule_adapt(p.model, q, NULL, &steps, beta), TW_OK);
    assert_int_equal(tw_schedule_adapt(p.model, q, &rm, &same, again), TW_OK);
    assert_true(steps > 0 && steps == same && memcmp(beta, again, (steps + 1) * sizeof *beta) == 0);
    posed_free(&p);
}

static void plans_take_null(void **state)
{
    (void)state;
    posed p = pose();
    tw_evidence_plan *evidence = NULL;
    tw_sampling_plan *sampling = NULL;
    assert_int_equal(tw_evidence_options_check(p.ctx, NULL), TW_OK);
    assert_int_equal(tw_evidence_plan_new(p.model, NULL, NULL, &evidence), TW_OK);
    assert_int_equal(tw_sampling_options_check(p.ctx, NULL), TW_OK);
    assert_int_equal(tw_sampling_plan_new(p.model, NULL, NULL, &sampling), TW_OK);
    tw_evidence_plan_free(evidence);
    tw_sampling_plan_free(sampling);
    posed_free(&p);
}

/* ---- the rest ---- */

static void others_take_null(void **state)
{
    (void)state;
    posed p = pose();
    tw_draws_predictor *predictor = NULL;
    tw_posterior posterior = {.model = p.model, .beta = 1.0, .approximation = p.ep};
    tw_draws *draws = draw(&posterior, NULL, NULL);
    tw_draw_source source = tw_draws_source(draws);
    assert_int_equal(tw_draws_predictor_new(p.model, &source, NULL, &predictor), TW_OK);
    tw_draws_predictor_free(predictor);
    tw_draws_free(draws);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_and_sizes_are_the_same_everywhere),
        cmocka_unit_test(fits_take_null),
        cmocka_unit_test(samplers_take_null),
        cmocka_unit_test(annealing_takes_null),
        cmocka_unit_test(tempering_and_resampling_take_null),
        cmocka_unit_test(plans_take_null),
        cmocka_unit_test(others_take_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
