/* Whether parallel tempering warns when it is wrong. Twelve cases with known log Z, from the prior and from
 * EP, as talweg evidence runs it: an estimate is within 4.5 of its standard errors, or it has a warning; and
 * warnings are rare from EP, on these cases and on real data. TALWEG_SEEDS=200 makes the table of
 * docs/tempering.md in hours; the default is few seeds, in minutes. If the errors are known to one part in
 * eight, one run in 10,000 exceeds 4.5 of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/crabs.h"
#include "support/exact.h"
#include "support/support.h"
#include "talweg/evidence_plan.h"

static const double limit = 4.5;

static size_t seeds(size_t standard)
{
    const char *text = getenv("TALWEG_SEEDS");
    size_t most = text ? (size_t)strtoul(text, NULL, 10) : 0;
    return most ? most : standard;
}

/* What the runs of a case say, of stepping stones and of the integral. */
typedef struct tally {
    size_t runs, doubted[2], wrong;
    double sum[2], square[2], worst[2]; /* of the scores of those that are not doubted */
} tally;

static void add(tally *t, const tw_estimate e[2], double exact)
{
    tw_warning doubt;
    t->runs++;
    for (int i = 0; i < 2; i++) {
        if (tw_evidence_doubt(&e[i], &doubt)) {
            t->doubted[i]++;
            continue;
        }
        double z = (e[i].log_z - exact) / e[i].se;
        t->sum[i] += z;
        t->square[i] += z * z;
        t->worst[i] = fmax(t->worst[i], fabs(z));
        if (!(fabs(z) <= limit)) t->wrong++;
    }
}

static void tell(const tally *t, const char *name, const char *from, const char *kernel)
{
    print_message("%-10s %-5s %-4s %3zu runs:", name, from, kernel, t->runs);
    for (int i = 0; i < 2; i++) {
        double count = (double)(t->runs - t->doubted[i]);
        print_message(" | %3zu doubted, z %+.2f, %.2f, at most %.2f", t->doubted[i], t->sum[i] / count,
                      sqrt(t->square[i] / count), t->worst[i]);
    }
    print_message("\n");
}

/* Seeds 1, 2, ... of a model, as talweg evidence --method pt --from FROM --kernel-method KERNEL. */
static tally run(const tw_model *model, double exact, const char *name, const char *from, const char *kernel,
                 size_t count)
{
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
    tw_evidence_plan *plan = NULL;
    tally t = {0};
    o.methods = "pt";
    o.from = from;
    o.kernel_method = kernel;
    o.threads = 1;
    assert_int_equal(tw_evidence_plan_new(model, &o, NULL, &plan), TW_OK);
    tw_pt_options pt = plan->pt;
    for (pt.seed = 1; pt.seed <= count; pt.seed++) {
        tw_estimate e[2];
        assert_int_equal(tw_pt_run(model, plan->reference, &pt, NULL, NULL, e, NULL), TW_OK);
        add(&t, e, exact);
    }
    tell(&t, name, from, kernel);
    tw_evidence_plan_free(plan);
    return t;
}

/* From the prior by elliptical slice sampling, and in fewer runs by HMC, which takes up to half a minute; from EP. */
static void three_ways(const posed *p, double exact, const char *name, size_t *wrong, tally *ep)
{
    size_t few = seeds(5) / 5 > 20 ? 20 : (seeds(5) + 4) / 5;
    *wrong += run(p->model, exact, name, "prior", "ess", seeds(5)).wrong;
    *wrong += run(p->model, exact, name, "prior", "hmc", few).wrong;
    tally t = run(p->model, exact, name, "ep", "hmc", seeds(5));
    *wrong += t.wrong;
    ep->runs += t.runs;
    for (int i = 0; i < 2; i++) ep->doubted[i] += t.doubted[i];
}

/* At most one run in twenty is doubted; of few runs, one. */
static void assert_seldom_doubted(const tally *t)
{
    for (int i = 0; i < 2; i++) assert_true(t->doubted[i] <= 1 || 20 * t->doubted[i] <= t->runs);
}

static void what_is_not_doubted_is_right(void **state)
{
    (void)state;
    const exact_case fixed[] = {
        {"probit50", "probit", 4.0, 0.25, 2, {1.0, -1.0}, {35, 15}},
        {"equal30", "probit", 25000.0, 900.0, 1, {1.0}, {30}},
        {"logit30", "logit", 9.0, 1.0, 2, {1.0, -1.0}, {20, 10}},
        {"poisson30", "poisson", 1.0, 0.3, 4, {0.0, 1.0, 3.0, 7.0}, {10, 12, 6, 2}},
        {"poisson1", "poisson", 0.0, 148.41315910257660, 1, {3.0}, {1}},
        {"logit2", "logit", 2682.8621883375554, 298.09579870417283, 2, {1.0, -1.0}, {1, 1}},
        exact_labels,
        exact_counts(3.0),
        exact_counts(4.0),
    };
    tally ep = {0};
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        posed p = exact_pose(&fixed[i]);
        three_ways(&p, exact_log_z(&fixed[i]), fixed[i].name, &wrong, &ep);
        posed_free(&p);
    }
    size_t count;
    oracle_case *orthants = oracle_orthant3(&count);
    for (size_t i = 0; i < count; i += 2) {
        posed p = pose_oracle(&orthants[i]);
        three_ways(&p, orthants[i].log_z, orthants[i].name, &wrong, &ep);
        posed_free(&p);
    }
    oracle_free(orthants, count);
    print_message("from EP %zu and %zu of %zu doubted\n", ep.doubted[0], ep.doubted[1], ep.runs);
    assert_seldom_doubted(&ep);
    assert_int_equal(wrong, 0);
}

/* The exact cases of all sizes, from EP; the largest takes a minute a run. */
static void doubt_is_no_blanket(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    for (size_t i = 0; i < count; i++) {
        posed p = pose_oracle(&cases[i]);
        size_t few = seeds(3) / 10 > 1 ? seeds(3) / 10 : 1;
        tally t = run(p.model, cases[i].log_z, cases[i].name, "ep", "hmc", cases[i].n > 500 ? few : seeds(3));
        assert_int_equal(t.wrong, 0);
        assert_seldom_doubted(&t);
        posed_free(&p);
    }
    oracle_free(cases, count);
}

/* log Z of the crabs: 92 runs of AIS gave -36.4132 +- 0.0023 (docs/evidence.md). */
static void doubt_is_no_blanket_on_crabs(void **state)
{
    (void)state;
    tw_context *ctx = context_for_shared("data/crabs.csv");
    tw_model *model = crabs_model(ctx);
    tally t = run(model, -36.4132, "crabs", "ep", "hmc", seeds(3));
    assert_int_equal(t.wrong, 0);
    assert_seldom_doubted(&t);
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_doubted_is_right),
        cmocka_unit_test(doubt_is_no_blanket_on_crabs),
        cmocka_unit_test(doubt_is_no_blanket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
