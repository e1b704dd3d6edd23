/* The plan of an evidence run: defaults, consequences of the start of the path, fits that did not converge,
 * refused options; and every number of the plan reaches the options of the methods. */
#include <math.h>
#include <string.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/evidence_plan.h"

enum { N = 10 };

static posed pose(tw_context *ctx)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(ctx, N, k, tw_likelihood_find("probit"), y);
}

static tw_evidence_plan *plan_of(const posed *p, const tw_evidence_options *o)
{
    tw_evidence_plan *plan = NULL;
    tw_status status = tw_evidence_plan_new(p->model, o, NULL, &plan);
    if (status != TW_OK) fail_msg("%s", tw_context_message(p->ctx));
    return plan;
}

static void assert_refused(const posed *p, const tw_evidence_options *o, tw_status expected,
                           const char *words)
{
    tw_evidence_plan *plan = NULL;
    assert_int_equal(tw_evidence_plan_new(p->model, o, NULL, &plan), expected);
    assert_null(plan);
    if (!strstr(tw_context_message(p->ctx), words)) fail_msg("\"%s\"", tw_context_message(p->ctx));
}

/* ---- choices ---- */

static void no_options_are_the_defaults(void **state)
{
    (void)state;
    posed p = pose(NULL);
    tw_evidence_plan *plan = plan_of(&p, NULL);
    char words[TW_WORDS_BYTES];
    assert_int_equal(plan->count, 2);
    assert_int_equal(plan->method[0], TW_EVIDENCE_AIS);
    assert_int_equal(plan->method[1], TW_EVIDENCE_REVERSE);
    tw_evidence_plan_print(plan, words);
    assert_string_equal(words,
                        "path from ep, 50 temperatures (linear); hmc with metric ep, 1 transition at each");
    assert_ptr_equal(plan->reference, plan->fits.ep->reference);
    assert_ptr_equal(plan->ais.kernel.gaussian, plan->fits.ep->reference);
    for (size_t k = 0; k <= 50; k++) assert_true(plan->ais.beta[k] == (double)k / 50.0);
    assert_int_equal(plan->ais.temperatures, 50);
    assert_int_equal(plan->ais.burn_in, 30);
    assert_true(plan->ais.particles == 256 && plan->rm.particles == 256 && plan->max_particles == 64 * 256);
    assert_true(plan->ais.seed == 1 && plan->pt.seed == 1 && plan->rm.seed == 1);
    assert_true(plan->pt.copies == 32 && plan->pt.rounds == 100 && plan->pt.warmup == 100);
    assert_null(plan->pt.beta); /* a linear ladder of its own */
    assert_null(plan->rm.beta); /* and temperatures that its pilot finds */
    assert_true(plan->fits.laplace->converged && isfinite(plan->fits.correction.log_z));
    assert_true(plan->until_se == 0.0 && plan->warnings.count == 0);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* From the prior the path is longer, denser at its start, and in the prior's metric. */
static void the_prior_has_defaults_of_its_own(void **state)
{
    (void)state;
    posed p = pose(NULL);
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
    o.from = "prior";
    tw_evidence_plan *plan = plan_of(&p, &o);
    assert_string_equal(plan->schedule, "geometric");
    assert_string_equal(plan->metric, "prior");
    assert_int_equal(plan->temperatures, 400);
    assert_close(plan->beta[1], 1e-7, 1e-20, "the first temperature");
    assert_int_equal(plan->pt.temperatures, 40);
    assert_close(plan->pt.beta[1], 1e-7, 1e-20, "the first temperature of the ladder");
    assert_null(plan->rm.beta);
    tw_evidence_plan_free(plan);
    o.kernel_method = "rmhmc"; /* which has a metric that is good everywhere */
    o.temperatures = 7;
    o.beta_min = 0.25;
    plan = plan_of(&p, &o);
    assert_string_equal(plan->metric, "smoothed");
    assert_ptr_equal(plan->ais.kernel.smoothing, plan->fits.ep->variance);
    assert_close(plan->beta[1], 0.25, 1e-15, "the first temperature");
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* Slices about EP's Gaussian are doubtful for methods that anneal, wherever they stand among the methods. */
static void slices_about_ep_are_doubtful_where_a_method_anneals(void **state)
{
    (void)state;
    static const struct {
        const char *methods, *metric;
        bool warns;
    } cases[] = {
        {"pt", "ep", false}, {"pt,ais", "ep", true}, {"ais,pt", "ep", true}, {"pt,ais", "prior", false}};
    posed p = pose(NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
        o.methods = cases[k].methods;
        o.kernel_method = "ess";
        o.metric = cases[k].metric;
        tw_evidence_plan *plan = plan_of(&p, &o);
        assert_int_equal(plan->warnings.count, cases[k].warns);
        if (cases[k].warns) assert_int_equal(plan->warnings.warning[0].code, TW_WARN_SLICE_EP);
        tw_evidence_plan_free(plan);
    }
    posed_free(&p);
}

/* A schedule that is asked for is that of every method. */
static void all_methods_walk_a_schedule_that_was_asked_for(void **state)
{
    (void)state;
    posed p = pose(NULL);
    const double beta[] = {0.0, 0.3, 1.0};
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS, given = o, adaptive = o;
    given.beta = beta;
    given.temperatures = 2;
    given.schedule = "mine.csv";
    o.temperatures = 5;
    adaptive.schedule = "adaptive";
    adaptive.from = "prior";
    for (int trial = 0; trial < 3; trial++) {
        tw_evidence_plan *plan = plan_of(&p, trial == 0 ? &o : trial == 1 ? &given : &adaptive);
        size_t steps = plan->temperatures;
        assert_true(trial == 0 ? steps == 5 : trial == 1 ? steps == 2 : steps > 2 && steps < 1000);
        assert_true(plan->ais.temperatures == steps && plan->pt.temperatures == steps &&
                    plan->rm.temperatures == steps);
        assert_true(plan->ais.beta == plan->beta && plan->pt.beta == plan->beta &&
                    plan->rm.beta == plan->beta);
        assert_true(plan->beta[0] == 0.0 && plan->beta[steps] == 1.0 && plan->ais.beta != beta);
        if (trial == 1) assert_true(plan->beta[1] == 0.3 && strcmp(plan->schedule, "mine.csv") == 0);
        tw_evidence_plan_free(plan);
    }
    posed_free(&p);
}

/* Islands, which the error of resample-move comes from, have four particles each, and there are two at least. */
static void few_particles_have_few_islands(void **state)
{
    (void)state;
    static const struct {
        size_t particles, islands, used;
    } cases[] = {{2, 2, 4}, {7, 2, 7}, {8, 2, 8}, {63, 15, 63}, {64, 16, 64}, {1000, 16, 1000}};
    posed p = pose(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
        o.particles = cases[i].particles;
        tw_evidence_plan *plan = plan_of(&p, &o);
        assert_int_equal(plan->rm.islands, cases[i].islands);
        assert_int_equal(plan->rm.particles, cases[i].used);
        tw_evidence_plan_free(plan);
    }
    posed_free(&p);
}

static void a_gaussian_that_is_given_is_the_start(void **state)
{
    (void)state;
    posed p = pose(NULL);
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
    o.reference = p.prior; /* as any other: nothing is made of its being the prior */
    o.from = "saved";
    tw_evidence_plan *plan = plan_of(&p, &o);
    assert_ptr_equal(plan->reference, p.prior);
    assert_string_equal(plan->from, "saved");
    assert_string_equal(plan->metric, "ep");
    assert_int_equal(plan->temperatures, 50);
    tw_evidence_plan_free(plan);
    posed_free(&p);
}

/* ---- fits that did not converge ---- */

static void ep_that_did_not_converge_is_not_used(void **state)
{
    (void)state;
    posed p = pose(NULL);
    tw_fits fits;
    tw_fits_options once = TW_FITS_DEFAULTS;
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
    once.ep.max_sweeps = 1;
    assert_int_equal(tw_fits_make(p.model, &once, &fits), TW_OK);
    assert_false(fits.ep->converged);
    assert_true(isnan(fits.correction.log_z));
    o.fits = &fits;
    tw_evidence_plan *plan = plan_of(&p, &o);
    assert_string_equal(plan->from, "laplace");
    assert_ptr_equal(plan->reference, fits.laplace->reference);
    assert_ptr_equal(plan->ais.kernel.gaussian, fits.laplace->reference);
    assert_int_equal(plan->warnings.count, 1);
    assert_int_equal(plan->warnings.warning[0].code, TW_WARN_FROM_LAPLACE);
    assert_true(plan->warnings.warning[0].number[0] == fits.ep->residual);
    tw_evidence_plan_free(plan);

    fits.own_laplace->converged = false; /* neither */
    fits.gaussian = NULL;
    assert_refused(&p, &o, TW_NOT_CONVERGED, "neither EP nor Laplace's approximation did not converge");
    o.from = "laplace";
    assert_refused(&p, &o, TW_NOT_CONVERGED, "Laplace's approximation did not converge");
    o.from = "prior";
    o.metric = "ep";
    assert_refused(&p, &o, TW_NOT_CONVERGED, "the metric ep needs a fit");
    o.metric = "auto";
    plan = plan_of(&p, &o); /* which leans on nothing */
    assert_string_equal(plan->from, "prior");
    tw_evidence_plan_free(plan);
    tw_fits_release(&fits);
    posed_free(&p);
}

/* What is fitted only where it is needed, and what is given is used as it is. */
static void fits_are_made_once(void **state)
{
    (void)state;
    posed p = pose(NULL);
    tw_fits fits, again;
    tw_fits_options o = TW_FITS_DEFAULTS;
    o.laplace = false;
    o.orders = 0;
    assert_int_equal(tw_fits_make(p.model, &o, &fits), TW_OK);
    assert_true(fits.ep->converged && !fits.laplace && isnan(fits.correction.log_z));
    o.given_ep = fits.ep;
    o.orders = 4;
    assert_int_equal(tw_fits_make(p.model, &o, &again), TW_OK);
    assert_ptr_equal(again.ep, fits.ep);
    assert_ptr_equal(again.gaussian, fits.ep);
    assert_true(!again.own_ep && isfinite(again.correction.log_z));
    tw_fits_release(&again);
    tw_fits_release(&fits);
    o = TW_FITS_DEFAULTS;
    o.laplace = false;
    o.ep.max_sweeps = 1;
    assert_int_equal(tw_fits_make(p.model, &o, &fits), TW_OK);
    assert_ptr_equal(fits.gaussian, fits.laplace); /* since EP did not converge */
    tw_fits_release(&fits);
    posed_free(&p);
}

/* ---- what is refused ---- */

static void bad_options_are_refused(void **state)
{
    (void)state;
    posed p = pose(NULL);
    const double falling[] = {0.0, 0.5, 0.4, 1.0};
#define REFUSE(words, ...)                                                       \
    do {                                                                         \
        tw_evidence_options o = TW_EVIDENCE_DEFAULTS;                            \
        __VA_ARGS__;                                                             \
        assert_refused(&p, &o, TW_BAD_ARGUMENT, words);                          \
        assert_int_equal(tw_evidence_options_check(p.ctx, &o), TW_BAD_ARGUMENT); \
    } while (0)
    REFUSE("unknown method \"aiss\"; choose from: ais, ais-reverse, pt, rm", o.methods = "ais,aiss");
    REFUSE("unknown method \"\"", o.methods = "ais,");
    REFUSE("the method rm is given twice", o.methods = "rm,ais,rm");
    REFUSE("use at least 2", o.particles = 1);
    REFUSE("a path must start from ep, laplace, prior", o.from = "posterior");
    REFUSE("unknown schedule \"cubic\"", o.schedule = "cubic");
    REFUSE("the temperatures must increase", o.beta = falling; o.temperatures = 3);
    REFUSE("unknown sampler \"nuts\"", o.kernel_method = "nuts");
    REFUSE("the metric hessian cannot be used with hmc; choose from: auto, ", o.metric = "hessian");
    REFUSE("the metric dense cannot be used with hmc", o.metric = "dense");
    REFUSE("the goal for the standard error must be above 0", o.until_se = -1.0);
    REFUSE("the goal for the standard error must be above 0", o.until_se = NAN);
#undef REFUSE
    assert_int_equal(tw_evidence_options_check(p.ctx, NULL), TW_OK);
    posed_free(&p);
}

/* The n-th allocation fails, for every n: it is said so, and nothing leaks. */
static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tw_status status = TW_NO_MEMORY;
    size_t failed = 0;
    for (size_t i = 1; status != TW_OK; i++) {
        failing_allocator allocator = {0, 0};
        posed p = pose(failing_context(&allocator));
        tw_evidence_plan *plan = NULL;
        tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
        o.from = "prior";
        allocator.fail_at = allocator.calls + i;
        status = tw_evidence_plan_new(p.model, &o, NULL, &plan);
        assert_true(status == TW_OK ? plan != NULL : status == TW_NO_MEMORY && !plan);
        failed += status != TW_OK;
        tw_evidence_plan_free(plan);
        posed_free(&p);
    }
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_options_are_the_defaults),
        cmocka_unit_test(the_prior_has_defaults_of_its_own),
        cmocka_unit_test(slices_about_ep_are_doubtful_where_a_method_anneals),
        cmocka_unit_test(all_methods_walk_a_schedule_that_was_asked_for),
        cmocka_unit_test(few_particles_have_few_islands),
        cmocka_unit_test(a_gaussian_that_is_given_is_the_start),
        cmocka_unit_test(ep_that_did_not_converge_is_not_used),
        cmocka_unit_test(fits_are_made_once),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
