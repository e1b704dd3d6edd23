/* Posteriors of parameters with lobes (support/lobes.h) that were wrong without a warning: log p(y) and the means are within 4.5 errors over four
 * seeds each, with truths by quadrature; none warns. test_long_lobes.c has many cases. A score is about Student's t with 31 degrees of freedom,
 * beyond 4.5 once in 10,000. */
#include <math.h>
#include <stdio.h>

#include "support/lobes.h"
#include "support/support.h"

enum { SEEDS = 4 };
static const double limit = 4.5;

static const lobes_truth truths[] = {
    {-44.7286, {NAN, NAN, NAN}, {NAN, NAN, 0.245 * 0.245}},
    {-14.0407, {NAN, NAN, NAN}, {NAN, NAN, NAN}},
    {-5.296968, {1.477888, -3.632273}, {1.491334, 1.817729}}, /* TALWEG_SHARED/oracles/two_modes.json */
};

static void check(const tw_hyper_result *r, const lobes_truth *truth)
{
    assert_true(fabs(r->estimate.log_z - truth->log_z) < limit * r->estimate.se);
    for (size_t k = 0; k < r->unknown; k++) {
        double variance = r->row[k].sd * r->row[k].sd;
        if (!isnan(truth->mean[k]))
            assert_true(fabs(r->row[k].mean - truth->mean[k]) < limit * r->row[k].mcse);
        if (!isnan(truth->variance[k]))
            assert_true(variance > 0.5 * truth->variance[k] && variance < 2.0 * truth->variance[k]);
    }
}

static void run(const lobes_case *c, const lobes_truth *truth, uint64_t seed)
{
    tw_context *ctx = new_context();
    tw_problem *problem = lobes_pose(c, ctx);
    tw_priors *priors = lobes_priors(c, problem);
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.seed = seed;
    o.threads = 1;
    o.kept = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    printf("%s, seed %d: log p(y) %.3f +- %.3f\n", c->name, (int)seed, r->estimate.log_z, r->estimate.se);
    check(r, truth);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void lobes_are_found(void **state)
{
    (void)state;
    for (size_t k = 0; k < lobes_known; k++) {
        lobes_case c = lobes_make(LOBES_KNOWN, k);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) run(&c, &truths[k], seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lobes_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
