/* Are the standard errors of parallel tempering honest? Over 200 seeds on three probit sites with known log Z
 * the z-scores (estimate - exact) / se have mean 0 and standard deviation 1: within 0.3 and in [0.7, 1.4]. The
 * mean of 200 is within 0.3 but for 2e-5, and 32 copies make the scores Student's with 31 degrees of freedom, of
 * standard deviation 1.03. Thermodynamic integration, whose error covers that of its quadrature, may be closer to
 * the truth than it says. */
#include <math.h>

#include "support/oracle.h"
#include "support/support.h"
#include "talweg/approximate.h"
#include "talweg/evidence.h"

enum { REPETITIONS = 200 };

typedef struct scores {
    double sum, square;
} scores;

static void add(scores *s, double z)
{
    s->sum += z;
    s->square += z * z;
}

static double mean_of(const scores *s)
{
    return s->sum / REPETITIONS;
}

static double sd_of(const scores *s)
{
    double mean = mean_of(s);
    return sqrt((s->square - REPETITIONS * mean * mean) / (REPETITIONS - 1));
}

static void assert_scores(const scores *s, double lowest_sd, const char *name)
{
    print_message("%-15s mean %+.3f, standard deviation %.3f\n", name, mean_of(s), sd_of(s));
    assert_close(mean_of(s), 0.0, 0.3, name);
    assert_true(sd_of(s) > lowest_sd && sd_of(s) < 1.4);
}

static void repeat(const oracle_case *c, bool from_ep, const tw_pt_options *options)
{
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    tw_reference *prior = NULL;
    scores bridge = {0.0, 0.0}, integral = {0.0, 0.0};
    tw_pt_options o = *options;
    assert_int_equal(tw_model_new(ctx, c->n, c->k, c->n, c->likelihood, c->y, NULL, 0.0, &model), TW_OK);
    assert_int_equal(tw_ep_fit(model, NULL, &ep), TW_OK);
    assert_int_equal(tw_reference_prior(model, &prior), TW_OK);
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = ep->reference;
    for (o.seed = 1; o.seed <= REPETITIONS; o.seed++) {
        tw_estimate out[2];
        assert_int_equal(tw_pt_run(model, from_ep ? ep->reference : prior, &o, NULL, NULL, out, NULL), TW_OK);
        add(&bridge, (out[0].log_z - c->log_z) / out[0].se);
        add(&integral, (out[1].log_z - c->log_z) / out[1].se);
    }
    print_message("%s from %s, %zu copies\n", c->name, from_ep ? "EP" : "the prior", o.copies);
    assert_scores(&bridge, 0.7, "stepping-stone");
    assert_scores(&integral, 0.5, "thermodynamic");
    tw_reference_free(prior);
    tw_approximation_free(ep);
    tw_model_free(model);
    tw_context_free(ctx);
}

static void scores_are_standard(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_orthant3(&count);
    tw_pt_options o = TW_PT_DEFAULTS;
    o.steps = 8;
    o.warmup = 60;
    repeat(&cases[1], true, &o);
    o.steps = 12;
    repeat(&cases[1], false, &o);
    o.copies = 4; /* batch means */
    o.rounds = 800;
    repeat(&cases[1], false, &o);
    oracle_free(cases, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_are_standard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
