/* Agreement of estimates: exact small cases, and AIS until a given standard error, on a case with known log
 * Z: three sites with K = 4 I, where each label has probability 1/2 and log Z = -3 log 2. From the prior, one
 * linear step of AIS is importance sampling: with Phi(x) under N(0, 4), E[w] = 1/8, and
 * E[w^2] / E[w]^2 = (4 E[Phi^2])^3 follows from the orthant probability E[Phi^2] = 1/4 + asin(4/5) / (2 pi).
 */
#include <math.h>
#include <string.h>

#include "support/observe.h"
#include "support/support.h"
#include "talweg/diagnose.h"
#include "talweg/evidence.h"

static tw_estimate make(const char *method, double log_z, double se)
{
    return (tw_estimate){.method = method, .log_z = log_z, .se = se, .weight_ess = NAN};
}

static void assert_says(const tw_agreement *a, const tw_estimate *estimates, const char *part)
{
    char words[TW_WORDS_BYTES];
    tw_agreement_print(a, estimates, words);
    assert_non_null(strstr(words, part));
}

static void pairs_within_four_errors_agree(void **state)
{
    (void)state;
    /* the joint error is 0.05, the difference 0.199 and 0.201 */
    tw_estimate two[] = {make("ais", -10.0, 0.03), make("ais-reverse", -9.801, 0.04)};
    tw_agreement a = tw_evidence_agree(2, two);
    assert_true(a.known && a.agree);
    assert_close(a.worst, 3.98, 1e-6, "worst pair");
    assert_true(a.compared == 2 && !a.shared && a.first == 0 && a.second == 1);
    assert_close(a.difference, 0.199, 1e-12, "nats");
    assert_says(&a, two, "ais and ais-reverse agree");
    two[1].log_z = -9.799;
    a = tw_evidence_agree(2, two);
    assert_true(a.known && !a.agree);
    assert_says(&a, two, "do NOT agree");
}

/* Neighbours agree, the ends do not: every pair counts, and the furthest is named. */
static void the_worst_pair_is_found(void **state)
{
    (void)state;
    tw_estimate e[] = {make("a", 0.0, 0.1), make("b", 0.4, 0.1), make("c", 0.8, 0.1)};
    tw_agreement a = tw_evidence_agree(3, e);
    assert_true(a.known && !a.agree);
    assert_int_equal(a.first, 0);
    assert_int_equal(a.second, 2);
    assert_close(a.worst, 0.8 / (0.1 * sqrt(2.0)), 1e-6, "worst pair");
}

static void one_estimate_says_nothing(void **state)
{
    (void)state;
    tw_estimate e[] = {make("a", -5.0, 0.1), make("b", -7.0, NAN)};
    tw_agreement alone = tw_evidence_agree(1, e), without_error = tw_evidence_agree(2, e);
    assert_false(alone.known || alone.agree || !isnan(alone.worst));
    assert_false(without_error.known || without_error.agree);
    assert_false(tw_evidence_agree(0, e).known);
    assert_ptr_equal(tw_evidence_best(2, e), &e[0]);
    assert_null(tw_evidence_best(1, e + 1));
}

/* An error from collapsed weights means nothing: such an estimate may disagree with another, but not agree. */
static void collapsed_weights_agree_with_nothing(void **state)
{
    (void)state;
    tw_estimate e[] = {make("ais", -5.0, 0.1), make("rm", -5.1, 0.1), make("pt", -5.3, 0.9)};
    e[2].weight_ess = 1.3;
    tw_agreement near = tw_evidence_agree(3, e), alone = tw_evidence_agree(2, e + 1);
    assert_true(near.agree && near.compared == 2 && near.first == 0 && near.second == 1);
    assert_false(alone.known || alone.agree);
    e[2].log_z = -50.0;
    tw_agreement far = tw_evidence_agree(3, e);
    assert_true(far.known && !far.agree && far.second == 2);
}

/* The mean of few effective weights is mostly too low: below an estimate of many it proves nothing, above it does. */
static void few_weights_below_many_say_nothing(void **state)
{
    (void)state;
    tw_estimate e[] = {make("is2", -5.0, 0.02), make("ais-joint", -6.0, 0.1)};
    e[0].weight_ess = 400.0;
    e[1].weight_ess = 7.0;
    e[0].missed = e[0].pareto_k = NAN;
    tw_agreement a = tw_evidence_agree(2, e);
    assert_true(a.few && !a.known && !a.agree);
    assert_says(&a, e, "few effective weights");
    e[1].log_z = -4.0;
    a = tw_evidence_agree(2, e);
    assert_true(a.known && !a.agree && !a.few);
    e[1].log_z = -6.0;
    e[1].weight_ess = 11.0;
    assert_true(tw_evidence_agree(2, e).known);
    e[1].weight_ess = 7.0;
    e[0].weight_ess = 90.0;
    assert_true(tw_evidence_agree(2, e).known);
    e[0].weight_ess = 400.0;
    e[0].particles = 512;
    e[0].pareto_k = 0.9; /* doubted: then nothing explains the difference */
    assert_true(tw_evidence_agree(2, e).known);
    e[0].pareto_k = NAN;
    e[1].log_z = -5.3;
    assert_true(tw_evidence_agree(2, e).agree);
}

/* Weights that are nearly equal have no tail that matters, whatever Pareto's k is: one probit label, exact -0.693147,
 * had -0.69288 +- 0.00068 and a doubt. */
static void nearly_equal_weights_are_not_doubted(void **state)
{
    (void)state;
    tw_warning doubt;
    tw_estimate e = make("ais", -0.69288, 0.00068);
    e.particles = 256;
    e.pareto_k = 0.62;
    e.missed = NAN;
    assert_false(tw_evidence_doubt(&e, &doubt));
    e.se = 0.0068;
    assert_true(tw_evidence_doubt(&e, &doubt) && doubt.code == TW_WARN_HEAVY_TAIL);
}

/* Both estimates of one tempering run have the same draws, and say nothing about each other, however near or
 * far they are; each is compared with what has others. */
static void estimates_that_share_draws_are_not_compared(void **state)
{
    (void)state;
    tw_estimate e[] = {make("stepping-stone", -5.0, 0.1), make("thermodynamic", -9.0, 0.1),
                       make("ais", -5.1, 0.1)};
    for (int numbered = 0; numbered < 2; numbered++) { /* files of earlier versions have no numbers */
        e[0].draws = e[1].draws = numbered ? 77 : 0;
        e[2].draws = numbered ? 78 : 0;
        tw_agreement alone = tw_evidence_agree(2, e), with = tw_evidence_agree(3, e);
        assert_false(alone.known || alone.agree || !isnan(alone.worst));
        assert_true(alone.shared && alone.compared == 2 && with.shared && with.compared == 3);
        assert_says(&alone, e, "share their draws");
        assert_true(with.known && !with.agree);
        assert_true(with.first == 1 && with.second == 2);
        assert_says(&with, e, "that share draws are not compared");
    }
    e[1].log_z = -5.2;
    assert_true(tw_evidence_agree(3, e).agree);
    /* Another run of tempering is another matter, and the same run twice is not. */
    e[1].draws = 79;
    assert_true(tw_evidence_agree(2, e).agree);
    e[2].draws = e[0].draws;
    assert_int_equal(tw_evidence_agree(3, e).first, 0);
    assert_int_equal(tw_evidence_agree(3, e).second, 1);
}

static void the_best_has_the_smallest_error(void **state)
{
    (void)state;
    tw_estimate e[] = {make("a", -5.0, 0.2), make("b", -5.1, 0.05), make("c", -5.2, 0.1),
                       make("d", -INFINITY, 0.0)};
    assert_ptr_equal(tw_evidence_best(4, e), &e[1]);
    e[1].weight_ess = 1.9;
    e[2].weight_ess = 2.0;
    assert_ptr_equal(tw_evidence_best(4, e), &e[2]);
    e[2].pareto_k = 0.9; /* doubted */
    assert_ptr_equal(tw_evidence_best(4, e), &e[0]);
    assert_ptr_equal(tw_evidence_best(2, e + 2), &e[2]);
}

/* Every sign of a tempering run is a warning, the gravest first; what other methods have is no doubt here. */
static void signs_of_tempering_are_doubts(void **state)
{
    (void)state;
    tw_warning doubt;
    tw_estimate e = make("thermodynamic", -5.0, 0.1);
    e.trips = 1.0;
    e.missed = e.pareto_k = NAN;
    assert_false(tw_evidence_doubt(&e, &doubt));
    e.apart = -0.5;
    assert_true(tw_evidence_doubt(&e, &doubt) && doubt.code == TW_WARN_APART && doubt.number[0] == -0.5);
    e.drift = 0.25;
    assert_true(tw_evidence_doubt(&e, &doubt) && doubt.code == TW_WARN_DRIFT && doubt.number[0] == 0.25);
    e.trips = 0.5;
    assert_true(tw_evidence_doubt(&e, &doubt) && doubt.code == TW_WARN_TRIPS && doubt.number[0] == 0.5);
    e.log_z = NAN;
    assert_true(tw_evidence_doubt(&e, &doubt) && doubt.code == TW_WARN_WITHHELD);
    assert_string_equal(doubt.name, "thermodynamic");
    e = make("ais", -5.0, 0.1);
    e.trips = e.drift = e.apart = NAN;
    assert_false(tw_evidence_doubt(&e, &doubt));
}

/* No weight at all is no agreement, and errors of 0 leave room for rounding. */
static void the_ends_of_the_range(void **state)
{
    (void)state;
    tw_estimate nothing[] = {make("a", -5.0, 0.1), make("b", -INFINITY, NAN)};
    tw_estimate exact[] = {make("a", -500.0, 0.0), make("b", -500.0 * (1.0 + 1e-13), 0.0)};
    tw_estimate apart[] = {make("a", -500.0, 0.0), make("b", -500.001, 0.0)};
    assert_true(tw_evidence_agree(2, nothing).known && !tw_evidence_agree(2, nothing).agree);
    assert_true(tw_evidence_agree(2, exact).agree);
    assert_false(tw_evidence_agree(2, apart).agree);
}

static void an_approximation_is_measured_in_errors(void **state)
{
    (void)state;
    char words[TW_WORDS_BYTES];
    tw_estimate e = make("ais", -105.833, 0.032);
    assert_close(tw_evidence_compare(&e, "EP", -106.089, words), 8.0, 1e-6, "standard errors");
    assert_string_equal(words, "EP is 0.256 nats below ais, 8.0 of its standard errors.");
    tw_evidence_compare(&e, "EP corrected", -105.817, words);
    assert_non_null(strstr(words, "0.016 nats above ais, 0.5 of its standard errors"));
}

/* ---- until the error is met ---- */

typedef struct three_sites {
    tw_context *ctx;
    tw_model *model;
    tw_reference *prior;
} three_sites;

static three_sites *set_up(three_sites *s)
{
    const double k[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4}, y[3] = {1, -1, 1};
    s->ctx = new_context();
    assert_int_equal(
        tw_model_new(s->ctx, k, 3, OBSERVED(tw_likelihood_find("probit"), 3, y, NULL), 0.0, &s->model),
        TW_OK);
    assert_int_equal(tw_reference_prior(s->model, &s->prior), TW_OK);
    return s;
}

static void tear_down(three_sites *s)
{
    tw_reference_free(s->prior);
    tw_model_free(s->model);
    tw_context_free(s->ctx);
}

static double relative_variance(void)
{
    const double both = 0.25 + asin(0.8) / (2.0 * acos(-1.0)); /* E[Phi(x)^2], x ~ N(0, 4) */
    return pow(4.0 * both, 3.0) - 1.0;
}

static tw_ais_options importance_sampling(size_t particles)
{
    static const double beta[2] = {0.0, 1.0};
    tw_ais_options o = TW_AIS_DEFAULTS;
    o.beta = beta;
    o.temperatures = 1;
    o.particles = particles;
    o.eps = 0.1;
    o.seed = 7;
    return o;
}

static void runs_until_the_error_is_met(void **state)
{
    (void)state;
    three_sites s, *in = set_up(&s);
    tw_estimate e;
    double needed = 0.0;
    const double goal = 0.02;
    tw_ais_options o = importance_sampling(200);
    assert_int_equal(tw_ais_until(in->model, in->prior, &o, goal, 100000, NULL, NULL, &e, &needed), TW_OK);
    assert_true(e.se <= goal && e.particles > 200 && !e.unbiased);
    assert_close(e.log_z, -3.0 * log(2.0), 4.0 * e.se, "log Z"); /* a fixed seed; false alarm 6e-5 */
    /* The error of P weights is sqrt(relative variance / P), and the run does not overshoot by much. */
    double ideal = relative_variance() / (goal * goal);
    assert_close((double)e.particles / ideal, 1.1, 0.25, "particles used, over those needed");
    assert_close(needed / ideal, 1.0, 0.25, "what it says it takes");
    tear_down(in);
}

static void says_what_it_would_take(void **state)
{
    (void)state;
    three_sites s, *in = set_up(&s);
    tw_estimate e;
    double needed = 0.0;
    tw_ais_options o = importance_sampling(500);
    assert_int_equal(tw_ais_until(in->model, in->prior, &o, 1e-4, 2000, NULL, NULL, &e, &needed), TW_OK);
    assert_int_equal(e.particles, 2000);
    assert_true(e.se > 1e-4);
    assert_close(needed / (relative_variance() / 1e-8), 1.0, 0.25, "what it would take");
    tear_down(in);
}

/* Runs differ in their random streams alone: together they are one run of all their particles, up and down. */
static void runs_together_are_one_sample(void **state)
{
    (void)state;
    three_sites s, *in = set_up(&s);
    for (int reverse = 0; reverse < 2; reverse++) {
        tw_estimate e, one;
        double needed = 0.0;
        tw_ais_options o = importance_sampling(100);
        o.reverse = reverse;
        o.burn_in = 1;
        o.first_chain = 30;
        assert_int_equal(tw_ais_until(in->model, in->prior, &o, 1e-4, 300, NULL, NULL, &e, &needed), TW_OK);
        assert_int_equal(e.particles, 300);
        o.particles = 300;
        assert_int_equal(tw_ais_run(in->model, in->prior, &o, NULL, NULL, NULL, &one), TW_OK);
        /* Resampling before a reverse run is done run by run. */
        assert_close(e.log_z, one.log_z, reverse ? 4.0 * hypot(e.se, one.se) : 1e-10, "log Z");
        if (!reverse) assert_close(e.se, one.se, 1e-10, "its error");
        if (!reverse) assert_close(e.weight_ess, one.weight_ess, 1e-8, "weights that count");
    }
    tear_down(in);
}

/* Two reverse runs by their definition: the weights are one sample, what each missed counts by its particles, and so
 * does the variance of that. */
static void two_reverse_runs_are_combined(void **state)
{
    (void)state;
    three_sites s, *in = set_up(&s);
    const size_t count[2] = {100, 200};
    double weight[300], needed = 0.0, se, missed = 0.0, acceptance = 0.0, variance = 0.0;
    tw_estimate both, run;
    tw_ais_options o = importance_sampling(100);
    o.reverse = true;
    o.burn_in = 1;
    assert_int_equal(tw_ais_until(in->model, in->prior, &o, 1e-4, 300, NULL, NULL, &both, &needed), TW_OK);
    for (size_t k = 0; k < 2; k++) {
        double share = (double)count[k] / 300.0;
        o.particles = count[k];
        o.first_chain = k ? 100 : 0;
        double *own = weight + o.first_chain;
        assert_int_equal(tw_ais_run(in->model, in->prior, &o, NULL, NULL, own, &run), TW_OK);
        (void)tw_log_mean_exp(count[k], own, &se);
        missed += share * run.missed;
        acceptance += share * run.acceptance;
        variance += share * share * (run.se * run.se - se * se - run.missed * run.missed);
    }
    assert_close(both.log_z, -tw_log_mean_exp(300, weight, &se), 1e-12, "log Z");
    assert_close(both.missed, missed, 1e-12, "missed");
    assert_close(both.acceptance, acceptance, 1e-12, "acceptance");
    assert_true(variance > 1e-3 * both.se * both.se);
    assert_close(both.se, sqrt(se * se + missed * missed + variance), 1e-12, "its error");
    tear_down(in);
}

/* A goal that the first run meets leaves that run as it is, to the bit, and unbiased. */
static void an_easy_goal_is_one_run(void **state)
{
    (void)state;
    three_sites s, *in = set_up(&s);
    tw_estimate e, plain;
    double needed = 0.0;
    tw_ais_options o = importance_sampling(100);
    assert_int_equal(tw_ais_run(in->model, in->prior, &o, NULL, NULL, NULL, &plain), TW_OK);
    assert_int_equal(tw_ais_until(in->model, in->prior, &o, 1.0, 2000, NULL, NULL, &e, &needed), TW_OK);
    assert_true(e.log_z == plain.log_z && e.se == plain.se && e.particles == 100 && e.unbiased);
    assert_int_equal(tw_ais_until(in->model, in->prior, &o, 0.0, 2000, NULL, NULL, &e, &needed),
                     TW_BAD_ARGUMENT);
    tear_down(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_within_four_errors_agree),
        cmocka_unit_test(the_worst_pair_is_found),
        cmocka_unit_test(one_estimate_says_nothing),
        cmocka_unit_test(collapsed_weights_agree_with_nothing),
        cmocka_unit_test(few_weights_below_many_say_nothing),
        cmocka_unit_test(nearly_equal_weights_are_not_doubted),
        cmocka_unit_test(estimates_that_share_draws_are_not_compared),
        cmocka_unit_test(the_best_has_the_smallest_error),
        cmocka_unit_test(signs_of_tempering_are_doubts),
        cmocka_unit_test(the_ends_of_the_range),
        cmocka_unit_test(an_approximation_is_measured_in_errors),
        cmocka_unit_test(runs_until_the_error_is_met),
        cmocka_unit_test(says_what_it_would_take),
        cmocka_unit_test(runs_together_are_one_sample),
        cmocka_unit_test(two_reverse_runs_are_combined),
        cmocka_unit_test(an_easy_goal_is_one_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
