/* Does resample-move say when it is wrong? Thirteen cases with known log Z, from EP and from the prior, by HMC and by slice
 * sampling, as talweg evidence runs it: an estimate is within 4.5 of its standard errors, or it is doubted; and doubt is rare
 * from EP by HMC, on those and on real data. TALWEG_SEEDS=40 makes the table of docs/evidence.md; by default there are few
 * seeds, in minutes. */
#include <math.h>
#include <stdlib.h>

#include "support/crabs.h"
#include "support/exact.h"
#include "support/support.h"
#include "talweg/evidence_plan.h"

static const double limit = 4.5;

static size_t seeds(void)
{
    const char *text = getenv("TALWEG_SEEDS");
    size_t most = text ? (size_t)strtoul(text, NULL, 10) : 0;
    return most ? most : 5;
}

typedef struct tally {
    size_t runs, doubted, wrong;
} tally;

/* Seeds 1, 2, ... of a model, as talweg evidence --method rm --from FROM --kernel-method KERNEL. */
static tally run(const tw_model *model, double exact, const char *name, const char *from, const char *kernel)
{
    tw_evidence_options o = TW_EVIDENCE_DEFAULTS;
    tw_evidence_plan *plan = NULL;
    tally t = {0};
    double sum = 0.0, square = 0.0, worst = 0.0;
    o.methods = "rm";
    o.from = from;
    o.kernel_method = kernel;
    o.threads = 1;
    assert_int_equal(tw_evidence_plan_new(model, &o, NULL, &plan), TW_OK);
    tw_rm_options rm = plan->rm;
    for (rm.seed = 1; rm.seed <= seeds(); rm.seed++) {
        tw_estimate e;
        tw_warning doubt;
        assert_int_equal(tw_rm_run(model, plan->reference, &rm, NULL, NULL, &e), TW_OK);
        double z = (e.log_z - exact) / e.se;
        t.runs++;
        if (tw_evidence_doubt(&e, &doubt)) {
            t.doubted++;
            continue;
        }
        sum += z;
        square += z * z;
        worst = fmax(worst, fabs(z));
        if (!(fabs(z) <= limit)) t.wrong++;
    }
    double count = (double)(t.runs - t.doubted);
    print_message("%-10s %-5s %-4s %3zu runs: %3zu doubted, z %+.2f, %.2f, at most %.2f\n", name, from,
                  kernel, t.runs, t.doubted, sum / count, sqrt(square / count), worst);
    tw_evidence_plan_free(plan);
    return t;
}

static void four_ways(const posed *p, double exact, const char *name, size_t *wrong, tally *ep)
{
    *wrong += run(p->model, exact, name, "prior", "ess").wrong;
    *wrong += run(p->model, exact, name, "prior", "hmc").wrong;
    *wrong += run(p->model, exact, name, "ep", "ess").wrong;
    tally t = run(p->model, exact, name, "ep", "hmc");
    *wrong += t.wrong;
    ep->runs += t.runs;
    ep->doubted += t.doubted;
}

/* At most one run in twenty is doubted; of few runs, one. */
static void assert_seldom_doubted(const tally *t)
{
    assert_true(t->doubted <= 1 || 20 * t->doubted <= t->runs);
}

static void what_is_not_doubted_is_right(void **state)
{
    (void)state;
    const exact_case fixed[] = {
        {"equal12", "probit", exp(9.0), exp(7.0), 1, {1.0}, {12}},
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
    size_t wrong = 0, count;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        posed p = exact_pose(&fixed[i]);
        four_ways(&p, exact_log_z(&fixed[i]), fixed[i].name, &wrong, &ep);
        posed_free(&p);
    }
    oracle_case *orthants = oracle_orthant3(&count);
    for (size_t i = 0; i < count; i += 2) {
        posed p = pose_oracle(&orthants[i]);
        four_ways(&p, orthants[i].log_z, orthants[i].name, &wrong, &ep);
        posed_free(&p);
    }
    oracle_free(orthants, count);
    print_message("from EP by HMC %zu of %zu doubted\n", ep.doubted, ep.runs);
    assert_seldom_doubted(&ep);
    assert_int_equal(wrong, 0);
}

/* The exact cases of all sizes but the largest, which takes minutes a run. */
static void doubt_is_no_blanket(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    for (size_t i = 0; i < count; i++) {
        if (cases[i].n > 500) continue;
        posed p = pose_oracle(&cases[i]);
        tally t = run(p.model, cases[i].log_z, cases[i].name, "ep", "hmc");
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
    tally t = run(model, -36.4132, "crabs", "ep", "hmc");
    assert_int_equal(t.wrong, 0);
    assert_seldom_doubted(&t);
    tw_model_free(model);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_doubted_is_right),
        cmocka_unit_test(doubt_is_no_blanket),
        cmocka_unit_test(doubt_is_no_blanket_on_crabs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
