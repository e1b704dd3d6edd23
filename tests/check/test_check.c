/* A check: a correct approximation is judged right, one that is off by a known amount is judged wrong by that
 * amount, with correct errors, and the verdict follows the rule of check.h. Exact cases: a Gaussian
 * likelihood, where Laplace is exact, and labels under an equicorrelated prior, whose log Z is an integral.
 * Real data: crabs, where both approximations are known to be wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/crabs.h"
#include "support/posed.h"
#include "support/support.h"
#include "talweg/check.h"

enum { N = 12 };

/* Chains as long as a test can afford. */
static tw_check_options quick(void)
{
    tw_check_options o = TW_CHECK_DEFAULTS;
    o.warmup = 200;
    return o;
}

static posed pose_gaussian(void)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(NULL, N, k, tw_likelihood_find("gaussian"), y);
}

static tw_claim *claim_of_laplace(const posed *p)
{
    tw_approximation *laplace = NULL;
    tw_claim *claim = NULL;
    assert_int_equal(tw_laplace_fit(p->model, NULL, &laplace), TW_OK);
    assert_int_equal(tw_claim_from_fit(p->model, laplace, &claim), TW_OK);
    tw_approximation_free(laplace);
    return claim;
}

/* ---- exact cases ---- */

static void an_exact_approximation_is_right(void **state)
{
    (void)state;
    posed p = pose_gaussian();
    tw_claim *claim = claim_of_laplace(&p);
    tw_check_options o = quick();
    tw_check_result r;
    assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_OK);
    assert_int_equal(r.verdict, TW_CHECK_RIGHT);
    assert_int_equal(r.log_z_verdict, TW_CHECK_RIGHT);
    assert_int_equal(r.latent_verdict, TW_CHECK_RIGHT);
    assert_close(r.log_z.difference, 0.0, 1e-8, "log Z"); /* every weight of AIS is the same */
    assert_true(r.count == N && r.wrong == 0 && r.rms_mean < 0.05 && r.rms_sd < 0.05);
    assert_non_null(
        strstr(r.words, "Laplace is right: log Z is within 0.1 nats, and all numbers of 12 latents"));
    tw_check_release(&r);
    tw_claim_free(claim);
    posed_free(&p);
}

/* A normal difference is beyond 5 of its errors once in 1.7 million times: with 60 numbers, and errors that are estimates
 * themselves, a false alarm once in 10^4 runs. */
static void a_shift_is_found_with_its_size(void **state)
{
    (void)state;
    posed p = pose_gaussian();
    tw_claim *claim = claim_of_laplace(&p);
    tw_check_options o = quick();
    tw_check_result r;
    claim->value[TW_CHECK_MEAN][3] += 0.5 * claim->value[TW_CHECK_SD][3];
    claim->value[TW_CHECK_SD][7] *= 1.3;
    claim->log_z -= 0.7;
    assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_OK);
    assert_true(r.verdict == TW_CHECK_WRONG && r.wrong == 2 && r.count == N);
    assert_close(r.log_z.difference, -0.7, 1e-8, "log Z");
    assert_true(r.rows[0].latent == 3 && r.rows[0].worst == TW_CHECK_MEAN);
    assert_true(r.rows[1].latent == 7 && r.rows[1].worst == TW_CHECK_SD);
    for (size_t k = 0; k < N; k++)
        for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) {
            const tw_check_value *v = &r.rows[k].value[q];
            double shift = k == 0 && q == TW_CHECK_MEAN ? 0.5 : k == 1 && q == TW_CHECK_SD ? 0.3 : 0.0;
            assert_true(v->error > 0.0 && v->error < 0.1);
            assert_close(v->difference, shift, 5.0 * v->error * (1.0 + shift), "a difference");
        }
    double means = 0.0, sds = 0.0;
    for (size_t k = 0; k < N; k++) {
        means += pow(r.rows[k].value[TW_CHECK_MEAN].difference, 2.0) / N;
        sds += pow(r.rows[k].value[TW_CHECK_SD].difference, 2.0) / N;
    }
    assert_close(r.rms_mean, sqrt(means), 1e-14, "root mean square of the means");
    assert_close(r.rms_sd, sqrt(sds), 1e-14, "and of the standard deviations");
    assert_non_null(strstr(r.words, "Laplace is wrong: log Z is 0.7 nats too low"));
    assert_non_null(strstr(r.words, "2 of 12 latents are beyond the tolerance"));
    assert_non_null(strstr(r.words, "the mean of x.4"));
    tw_check_release(&r);
    tw_claim_free(claim);
    posed_free(&p);
}

/* Ten labels of one class under a broad equicorrelated prior: EP's log Z is off by a quarter of a nat. Nothing is drawn where
 * nothing is said of latents. */
static void evidence_alone_is_checked_without_draws(void **state)
{
    (void)state;
    double log_z = 0.0;
    posed p = pose_same_labels(10, 100.0, 1.0, &log_z);
    tw_claim *claim = NULL;
    tw_check_options o = quick();
    tw_check_result r;
    assert_int_equal(tw_claim_new(p.model, "the integral", &claim), TW_OK);
    claim->log_z = log_z;
    assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_OK);
    assert_int_equal(r.verdict, TW_CHECK_RIGHT);
    assert_true(r.latent_verdict == TW_CHECK_NOT_CLAIMED && !r.sampling && r.count == 0);
    assert_true(fabs(r.log_z.difference) < 5.0 * r.log_z.error + 1e-9 && r.log_z.error <= 0.02);
    tw_check_release(&r);
    claim->log_z = log_z - 0.4;
    assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_OK);
    assert_int_equal(r.verdict, TW_CHECK_WRONG);
    tw_check_release(&r);
    tw_claim_free(claim);
    posed_free(&p);
}

/* Draws that cannot have an R-hat, or whose chains are apart, decide nothing, however far off a claim is. */
static void bad_chains_decide_nothing(void **state)
{
    (void)state;
    static const struct {
        size_t draws;
        tw_warning_code code;
    } bad[] = {{1, TW_WARN_ONE_DRAW}, {3, TW_WARN_FEW_DRAWS}};
    posed p = pose_gaussian();
    tw_claim *claim = claim_of_laplace(&p);
    claim->value[TW_CHECK_MEAN][3] += 100.0;
    claim->log_z = NAN;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        tw_check_options o = quick();
        tw_check_result r;
        o.draws = bad[k].draws;
        assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_OK);
        assert_true(r.warnings.count > 0 && r.warnings.warning[0].code == bad[k].code);
        assert_int_equal(r.verdict, TW_CHECK_UNDECIDED);
        assert_non_null(strstr(r.words, "the chains have not converged"));
        tw_check_release(&r);
    }
    tw_claim_free(claim);
    posed_free(&p);
}

/* Two observations of one latent, with a prior sd of 10, that contradict each other: a chain stays at one of them, far from those at the other. All of 8 chains are at the same one in one of 128 seeds. */
static void chains_that_are_apart_decide_nothing(void **state)
{
    (void)state;
    const double k[4] = {100.0, 100.0, 100.0, 100.0}, y[2] = {-8.0, 8.0}, phi[2] = {log(0.05), log(1.5)};
    tw_observations observed = {.likelihood = tw_likelihood_find("student_t"), .phi = phi, .n = 2, .y = y};
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_claim *claim = NULL;
    tw_check_options o = quick();
    tw_check_result r;
    bool warned = false;
    assert_int_equal(tw_model_new(ctx, k, 2, &observed, 0.0, &model), TW_OK);
    assert_int_equal(tw_claim_new(model, "q", &claim), TW_OK);
    claim->value[TW_CHECK_MEAN][0] = 1000.0;
    o.chains = 8;
    o.draws = 100;
    assert_int_equal(tw_check_run(model, claim, &o, NULL, NULL, &r), TW_OK);
    for (size_t i = 0; i < r.warnings.count; i++) warned |= r.warnings.warning[i].code == TW_WARN_RHAT;
    assert_true(warned);
    assert_int_equal(r.verdict, TW_CHECK_UNDECIDED);
    tw_check_release(&r);
    tw_claim_free(claim);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* EP's sites 162 times too narrow: a few weights of AIS have all of the tail, and log Z is off by 5 nats with an error of half a nat. */
static void evidence_in_doubt_is_no_judge(void **state)
{
    (void)state;
    posed p = pose_gaussian();
    tw_claim *claim = claim_of_laplace(&p);
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        for (size_t i = 0; i < N; i++) claim->value[q][i] = NAN;
    for (int narrow = 0; narrow < 2; narrow++) {
        double tau[N], nu[N], factor = narrow ? 162.0 : 1.0;
        tw_check_options o = quick();
        tw_check_result r;
        tw_approximation ep = *p.ep;
        tw_fits fits = {.ep = &ep, .laplace = &ep, .gaussian = &ep};
        for (size_t i = 0; i < N; i++) {
            tau[i] = factor * ep.tau[i];
            nu[i] = factor * ep.nu[i];
        }
        assert_int_equal(tw_reference_sites(p.model, tau, nu, &ep.reference), TW_OK);
        o.fits = &fits;
        o.methods = "ais";
        o.log_z_tolerance = 10.0; /* a single run */
        assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_OK);
        assert_int_equal(r.verdict, narrow ? TW_CHECK_UNDECIDED : TW_CHECK_RIGHT);
        tw_check_release(&r);
        tw_reference_free(ep.reference);
    }
    tw_claim_free(claim);
    posed_free(&p);
}

static void laplace_is_wrong_on_crabs(void **state)
{
    (void)state;
    tw_context *ctx = context_for_shared("data/crabs.csv");
    tw_model *model = crabs_model(ctx);
    tw_approximation *laplace = NULL;
    tw_claim *claim = NULL;
    tw_check_options o = quick();
    tw_check_result r;
    o.draws = 500;
    assert_int_equal(tw_laplace_fit(model, NULL, &laplace), TW_OK);
    assert_int_equal(tw_claim_from_fit(model, laplace, &claim), TW_OK);
    claim->log_z = NAN; /* its evidence is checked by the tests of evidence */
    assert_int_equal(tw_check_run(model, claim, &o, NULL, NULL, &r), TW_OK);
    assert_true(r.verdict == TW_CHECK_WRONG && r.log_z_verdict == TW_CHECK_NOT_CLAIMED && !r.plan);
    assert_true(r.rms_mean > 0.5 && r.wrong > 100); /* means are about one posterior sd off */
    tw_check_release(&r);
    tw_claim_free(claim);
    tw_approximation_free(laplace);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* ---- the rule ---- */

/* One latent, whose mean is off by d with error s. */
static tw_check_result judged(double d, double s, bool good)
{
    static tw_check_row row;
    const tw_check_options o = TW_CHECK_DEFAULTS;
    tw_check_result r = {.count = 1, .rows = &row, .log_z = {NAN, NAN, NAN, NAN}};
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) row.value[q] = (tw_check_value){NAN, 0.0, NAN, NAN};
    row.value[TW_CHECK_MEAN] = (tw_check_value){d, 0.0, d, s};
    tw_check_judge("q", &o, good, true, &r);
    return r;
}

/* Of one number, Phi(-z) = 0.0005: z = 3.2905. */
static void the_verdict_follows_the_rule(void **state)
{
    (void)state;
    assert_int_equal(judged(0.05, 0.0249, true).verdict, TW_CHECK_RIGHT);
    assert_int_equal(judged(-0.05, 0.0251, true).verdict, TW_CHECK_UNDECIDED);
    assert_int_equal(judged(0.1 + 3.29 * 0.01, 0.01, true).verdict, TW_CHECK_UNDECIDED);
    assert_int_equal(judged(-0.1 - 3.292 * 0.01, 0.01, true).verdict, TW_CHECK_WRONG);
    assert_int_equal(judged(0.0, 0.001, false).verdict, TW_CHECK_UNDECIDED);
    assert_int_equal(judged(9.0, 0.001, false).verdict, TW_CHECK_UNDECIDED);
    assert_int_equal(judged(NAN, NAN, true).latent_verdict, TW_CHECK_NOT_CLAIMED);
    assert_non_null(strstr(judged(0.0, 0.001, false).words, "the chains have not converged"));
    tw_check_result r = judged(0.0, 0.06, true); /* 9 times 4000 draws */
    assert_int_equal(r.draws_needed, 40000);
    assert_non_null(strstr(r.words, "draws of each chain would decide"));
    assert_int_equal(judged(0.0, 0.29, true).draws_needed, 850000); /* 14.5^2 times 4000, rounded up */
    assert_int_equal(judged(0.0, 0.33, true).draws_needed, 0);      /* more than 1e6 */
    assert_int_equal(judged(0.1, 0.001, true).draws_needed, 0);
    assert_non_null(strstr(judged(0.1, 0.001, true).words, "close to the tolerance"));
    assert_non_null(strstr(judged(0.1, 0.001, true).words, "choose another tolerance"));
    r = judged(0.08, 0.012, true); /* 0.02 must be two errors: (0.024/0.02)^2 times 4000 draws, rounded up */
    assert_int_equal(r.draws_needed, 6000);
    assert_non_null(strstr(r.words, "about 6000 draws of each chain would decide"));
    r = judged(0.0, 0.4, true); /* 400 times 4000 draws of each chain are no advice */
    assert_true(r.draws_needed == 0 && !strstr(r.words, "close to"));
    assert_non_null(strstr(r.words,
                           "errors are up to 0.4 posterior standard deviations, and the tolerance is 0.1; a "
                           "decision would need more draws than is practical, over 1e+06 of each chain"));
}

/* One number beyond its tolerance decides that a claim is wrong, however close to the tolerance others are. */
static void one_number_beyond_its_tolerance_decides(void **state)
{
    (void)state;
    static tw_check_row rows[2];
    const tw_check_options o = TW_CHECK_DEFAULTS;
    tw_check_result r = {.count = 2, .rows = rows, .log_z = {NAN, NAN, NAN, NAN}};
    for (size_t k = 0; k < 2; k++)
        for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
            rows[k].value[q] = (tw_check_value){NAN, 0.0, NAN, NAN};
    rows[0].value[TW_CHECK_MEAN] = (tw_check_value){0.129, 0.0, 0.129, 0.01};
    rows[1].value[TW_CHECK_MEAN] = (tw_check_value){0.09999, 0.0, 0.09999, 0.01};
    tw_check_judge("q", &o, true, true, &r);
    assert_int_equal(r.verdict, TW_CHECK_UNDECIDED);
    assert_int_equal(r.draws_needed,
                     6000); /* z = 3.48 for two numbers: (0.0348/0.029)^2 times 4000, rounded up */
}

static void evidence_in_doubt_decides_nothing(void **state)
{
    (void)state;
    const tw_check_options o = TW_CHECK_DEFAULTS;
    tw_check_result r = {.log_z = {-3.0, -1.0, -2.0, 0.01}};
    tw_check_judge("q", &o, true, false, &r);
    assert_int_equal(r.verdict, TW_CHECK_UNDECIDED);
    assert_non_null(strstr(r.words, "the estimates of log Z disagree or are in doubt"));
    tw_check_judge("q", &o, true, true, &r);
    assert_int_equal(r.verdict, TW_CHECK_WRONG);
    assert_string_equal(r.words, "q is wrong: log Z is 2 nats too low (200.0 standard errors).");
    r.log_z = (tw_check_value){0.0, 0.0, 0.09, 0.02};
    tw_check_judge("q", &o, true, true, &r);
    assert_string_equal(r.words,
                        "q cannot be judged with these draws: log Z differs by 0.09 +- 0.02 nats, and the "
                        "tolerance is 0.1; about 16 times as many particles would decide.");
}

/* ---- what is refused, and what ends it ---- */

static void nothing_to_check_is_refused(void **state)
{
    (void)state;
    posed p = pose_gaussian();
    tw_claim *claim = NULL;
    tw_check_options o = quick();
    tw_check_result r;
    assert_int_equal(tw_claim_new(p.model, "nobody", &claim), TW_OK);
    assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_BAD_ARGUMENT);
    tw_check_release(&r);
    claim->value[TW_CHECK_SD][2] = 0.0;
    assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "the claimed sd of x.3 is 0, but must be positive"));
    tw_check_release(&r);
    claim->value[TW_CHECK_SD][2] = NAN;
    claim->log_z = 0.0;
    o.tolerance = 0.0;
    assert_int_equal(tw_check_run(p.model, claim, &o, NULL, NULL, &r), TW_BAD_ARGUMENT);
    tw_check_release(&r);
    claim->n--;
    assert_int_equal(tw_check_run(p.model, claim, NULL, NULL, NULL, &r), TW_BAD_ARGUMENT);
    tw_check_release(&r);
    tw_claim_free(claim);
    posed_free(&p);
}

static bool end_it(void *user, const tw_progress *p)
{
    (void)user;
    return strcmp(p->stage, "sampling") == 0 && p->done > 3;
}

static void progress_may_end_it(void **state)
{
    (void)state;
    posed p = pose_gaussian();
    tw_claim *claim = claim_of_laplace(&p);
    tw_check_options o = quick();
    tw_check_result r;
    assert_int_equal(tw_check_run(p.model, claim, &o, end_it, NULL, &r), TW_INTERRUPTED);
    tw_check_release(&r);
    tw_claim_free(claim);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_approximation_is_right),
        cmocka_unit_test(a_shift_is_found_with_its_size),
        cmocka_unit_test(evidence_alone_is_checked_without_draws),
        cmocka_unit_test(bad_chains_decide_nothing),
        cmocka_unit_test(chains_that_are_apart_decide_nothing),
        cmocka_unit_test(evidence_in_doubt_is_no_judge),
        cmocka_unit_test(laplace_is_wrong_on_crabs),
        cmocka_unit_test(the_verdict_follows_the_rule),
        cmocka_unit_test(one_number_beyond_its_tolerance_decides),
        cmocka_unit_test(evidence_in_doubt_decides_nothing),
        cmocka_unit_test(nothing_to_check_is_refused),
        cmocka_unit_test(progress_may_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
