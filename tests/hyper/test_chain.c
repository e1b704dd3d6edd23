/* Chains of unknown parameters on three labels, where quadrature over theta is exact: means, standard
 * deviations and predictions of x are right, also with the sites of the furthest theta instead of the
 * nearest, which only costs speed; any number of threads gives the same bits. */
#include <math.h>
#include <string.h>

#include "hyper/hyper.h"
#include "support/fault.h"
#include "support/hyper_case.h"
#include "support/orthants.h"
#include "support/support.h"
#include "talweg/hyper.h"

enum { POINTS = 1600 };

static double log_prior(double log_ell, double log_sigma)
{
    double a = (log_ell - 0.3) / 0.8, b = log_sigma - 0.5;
    return -0.5 * (a * a + b * b) - log(0.8) - log(2.0 * acos(-1.0));
}

typedef struct found {
    double mean[2], sd[2], mcse[2], ess[2], rhat[2];
    double theta[2 * POINTS], x[3 * POINTS], log_density;
} found;

static void run(size_t threads, found *out)
{
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = NULL;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.method = TW_HYPER_CHAIN;
    o.points = POINTS;
    o.starts = 1;
    o.threads = threads;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "log_ell ~ normal(0.3, 0.8)"), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "log_sigma ~ normal(0.5, 1)"), TW_OK);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    assert_true(r->points == POINTS && r->kept == 1 && isnan(r->estimate.log_z));
    for (size_t k = 0; k < 2; k++) {
        out->mean[k] = r->row[k].mean;
        out->sd[k] = r->row[k].sd;
        out->mcse[k] = r->row[k].mcse;
        out->ess[k] = r->row[k].ess_bulk;
        out->rhat[k] = r->row[k].rhat;
    }
    memcpy(out->theta, r->theta, sizeof out->theta);
    memcpy(out->x, r->x, sizeof out->x);
    out->log_density = r->log_density[7];
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* No two of the draws are equal, as they would be if chains shared a stream: the step of x always moves. */
static void assert_distinct(const found *f)
{
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < i; j++) assert_true(f->x[3 * i] != f->x[3 * j]);
}

/* Within 5 of their errors (1e-6); standard deviations of some 800 effective draws within 15 %, 6 sigma; the mean of x at the first input is above 0, as its label is. */
static void assert_right(const found *f)
{
    orthants_answer a = orthants_solve(log_prior);
    double x = 0.0;
    for (size_t k = 0; k < 2; k++) {
        assert_close(f->mean[k], a.mean[k], 5.0 * f->mcse[k], "mean");
        assert_close(f->sd[k], a.sd[k], 0.15 * a.sd[k], "sd");
        assert_true(f->rhat[k] < 1.1 && f->ess[k] > 100.0);
    }
    for (size_t i = 0; i < POINTS; i++) x += f->x[3 * i] / POINTS;
    assert_true(x > 0.0);
    assert_close(f->log_density, orthants_log_joint(f->theta + 14, f->x + 21), 1e-6, "log p(y, x | theta)");
    assert_distinct(f);
}

static void chains_draw_from_the_posterior(void **state)
{
    (void)state;
    static found one, other, wrong;
    run(1, &one);
    assert_right(&one);
    run(3, &other);
    assert_memory_equal(&one, &other, sizeof one);
    ask_for_fault(TW_FAULT_SITES);
    run(1, &wrong);
    ask_for_fault(TW_FAULT_NONE);
    assert_right(&wrong);
    assert_memory_not_equal(wrong.theta, one.theta, sizeof one.theta);
}

/* The least probable R-hat of ten parameters is below 0.001 in one run of a hundred. */
static void the_chance_of_an_rhat_is_that_among_all_parameters(void **state)
{
    (void)state;
    static const struct {
        double rhat, chance;
        bool warned;
    } cases[] = {{1.05, 0.0011, false}, {1.05, 0.0009, true}, {1.009, 1e-9, false}};
    for (size_t k = 0; k < 3; k++) {
        tw_hyper_result r = {.unknown = 10};
        tw_hyper_judge_chains(&r, cases[k].rhat, cases[k].chance);
        assert_true(r.verdict == TW_OK && r.warnings.count == (cases[k].warned ? 1 : 0));
        if (cases[k].warned) assert_int_equal(r.warnings.warning[0].code, TW_WARN_RHAT);
    }
}

static void chains_have_no_evidence(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = NULL;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.method = TW_HYPER_CHAIN;
    o.joint_particles = 16;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "default"), TW_OK);
    assert_int_equal(tw_hyper_check(problem, priors, &o), TW_BAD_ARGUMENT);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

/* A report comes with every iteration, so that an interrupt need not wait for chains to end. */
static bool stop_in_warmup(void *user, const tw_progress *now)
{
    size_t *reports = user;
    if (strcmp(now->stage, "run") != 0) return false;
    assert_int_equal(now->done, 0);
    return ++*reports == 3;
}

static void a_chain_is_interrupted_within_an_iteration(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = hyper_priors(problem, HYPER_ELL, HYPER_SIGMA);
    tw_hyper_options o = hyper_small(1);
    tw_hyper_result *r = NULL;
    size_t reports = 0;
    o.method = TW_HYPER_CHAIN;
    o.joint_particles = 0;
    o.points = POINTS;
    o.kept = 0;
    o.on_progress = stop_in_warmup;
    o.user = &reports;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_INTERRUPTED);
    assert_int_equal(reports, 3);
    assert_null(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_draw_from_the_posterior),
        cmocka_unit_test(the_chance_of_an_rhat_is_that_among_all_parameters),
        cmocka_unit_test(chains_have_no_evidence),
        cmocka_unit_test(a_chain_is_interrupted_within_an_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
