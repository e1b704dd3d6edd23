/* Resample-move is right or doubted, and not always doubted. Runs as talweg evidence --method rm makes them, with seeds
 * 1, 2, ...; an honest error is beyond 4.5 of its size once in 100,000 times where it comes from the weights of 256
 * particles, and once in some thousand times where it comes from 16 islands alone. */
#include <math.h>

#include "support/exact.h"
#include "support/support.h"
#include "talweg/evidence_plan.h"

static const double limit = 4.5;

typedef struct tally {
    size_t runs, doubted, wrong;
    double square; /* of the scores of those that are not doubted */
} tally;

static void add(tally *t, const tw_estimate *e, double exact)
{
    tw_warning doubt;
    double z = (e->log_z - exact) / e->se;
    t->runs++;
    if (tw_evidence_doubt(e, &doubt)) {
        t->doubted++;
        return;
    }
    t->square += z * z;
    if (!(fabs(z) <= limit)) t->wrong++;
}

static void tell(const tally *t, const char *name)
{
    print_message("%s: %zu runs, %zu doubted, %zu wrong, rms z %.2f\n", name, t->runs, t->doubted, t->wrong,
                  sqrt(t->square / (double)(t->runs - t->doubted)));
}

static tally run(const tw_model *model, double exact, const char *kernel, size_t seeds)
{
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
    tw_evidence_plan *plan = NULL;
    tally t = {0};
    o.methods = "rm";
    o.kernel_method = kernel;
    o.threads = 1;
    assert_int_equal(tw_evidence_plan_new(model, &o, NULL, &plan), TW_OK);
    tw_rm_options rm = plan->rm;
    for (rm.seed = 1; rm.seed <= seeds; rm.seed++) {
        tw_estimate e;
        assert_int_equal(tw_rm_run(model, plan->reference, &rm, NULL, NULL, &e), TW_OK);
        assert_true(e.unbiased && isfinite(e.pareto_k));
        add(&t, &e, exact);
    }
    tw_evidence_plan_free(plan);
    return t;
}

static tally run_case(const exact_case *c, const char *kernel, size_t seeds)
{
    posed p = exact_pose(c);
    tally t = run(p.model, exact_log_z(c), kernel, seeds);
    tell(&t, c->name);
    posed_free(&p);
    return t;
}

/* From EP by slice sampling. With long steps, resampling at each and errors from 16 islands the fifth of these seeds was
 * 5.3 errors too low on `labels` without a doubt. */
static void slice_sampling_from_ep_is_right_or_doubted(void **state)
{
    (void)state;
    const exact_case equal = {"equal labels", "probit", exp(9.0), exp(7.0), 1, {1.0}, {12}};
    tally labels = run_case(&exact_labels, "ess", 8), twelve = run_case(&equal, "ess", 40);
    assert_int_equal(labels.wrong, 0);
    assert_int_equal(twelve.wrong, 0);
    assert_true(twelve.doubted <= 8);
    /* A mean of at least 32 squares of standard normal numbers is above 1.4^2 once in 1,000 times. */
    assert_true(twelve.square < 1.96 * (double)(twelve.runs - twelve.doubted));
}

/* Default transitions, where EP is good and where it is not. */
static void doubt_is_no_blanket(void **state)
{
    (void)state;
    const exact_case cases[] = {{"probit", "probit", 4.0, 0.25, 2, {1.0, -1.0}, {35, 15}},
                                {"equal labels", "probit", exp(9.0), exp(7.0), 1, {1.0}, {12}},
                                {"logit", "logit", 9.0, 1.0, 2, {1.0, -1.0}, {20, 10}},
                                {"poisson", "poisson", 1.0, 0.3, 4, {0.0, 1.0, 3.0, 7.0}, {10, 12, 6, 2}}};
    size_t doubted = 0, runs = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tally t = run_case(&cases[i], "hmc", 10);
        assert_int_equal(t.wrong, 0);
        doubted += t.doubted;
        runs += t.runs;
    }
    assert_true(20 * doubted <= runs);
}

/* From q = N(mu, c Sigma), Sigma the covariance of a Gaussian posterior of two latents. In one step the weights have
 * exactly a Pareto tail, w^(-1/k) with k = 1 - c. */
static tally run_scaled(double c, bool one_step)
{
    enum { N = 2, SEEDS = 20 };
    const double k[N * N] = {4.0, 0.0, 0.0, 4.0}, y[N] = {1.0, -2.0}, beta[] = {0.0, 1.0};
    double sigma[N * N] = {0.0};
    posed p = pose_in(NULL, N, k, tw_likelihood_find("gaussian"), y);
    tw_reference *q = NULL;
    tw_rm_options o = TW_RM_DEFAULTS;
    tally t = {0};
    for (size_t i = 0; i < N; i++) sigma[i + i * N] = c * p.ep->variance[i];
    assert_int_equal(tw_reference_gaussian(p.model, p.ep->mean, sigma, N, &q), TW_OK);
    o.particles = 1024;
    if (one_step) {
        o.beta = beta;
        o.temperatures = 1;
    }
    for (o.seed = 1; o.seed <= SEEDS; o.seed++) {
        tw_estimate e;
        assert_int_equal(tw_rm_run(p.model, q, &o, NULL, NULL, &e), TW_OK);
        add(&t, &e, p.ep->log_z);
    }
    tell(&t, one_step ? "one step" : "many steps");
    tw_reference_free(q);
    posed_free(&p);
    return t;
}

/* k = 0.95 is seen as 0.9 +- 0.2 in the largest 96 of 1024 weights, and the limit is 0.67: about seven runs in ten are doubted, 14 of
 * these 20. k = -0.3 is never above it. Many steps make up for a narrow q. */
static void a_step_from_a_narrow_start_is_doubted(void **state)
{
    (void)state;
    tally narrow = run_scaled(0.05, true), wide = run_scaled(1.3, true), many = run_scaled(0.05, false);
    assert_true(narrow.doubted >= 10);
    assert_true(wide.doubted == 0 && wide.wrong == 0);
    assert_true(many.wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slice_sampling_from_ep_is_right_or_doubted),
        cmocka_unit_test(doubt_is_no_blanket),
        cmocka_unit_test(a_step_from_a_narrow_start_is_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
