/* Lobes that a proposal may miss (support/lobes.h): z-scores of log p(y), of the means and of the variances of theta, for many cases and seeds.
 * In each class, scores of runs without a warning have a root mean square near 1, none is beyond 4.5, and at most one run in ten warns.
 *
 * TALWEG_SEEDS sets how many seeds, TALWEG_FIRST the first, TALWEG_CLASS the only class, TALWEG_CASE the number of its first case and
 * TALWEG_CASES how many; TALWEG_METHOD=chain scores chains instead; TALWEG_EACH prints every run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/lobes.h"
#include "support/support.h"

typedef struct scores {
    size_t count, beyond;
    double squares, largest;
} scores;

typedef struct tally {
    size_t cases, runs, flagged, wrong; /* wrong: without a flag, some score beyond 4.5 */
    scores evidence, mean, variance;
    double ess, fits;
} tally;

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void add_score(scores *s, double z)
{
    if (isnan(z)) return;
    s->count++;
    s->squares += z * z;
    s->largest = fmax(s->largest, fabs(z));
    if (!(fabs(z) < 4.5)) s->beyond++;
}

/* Does it warn that its answer is in doubt? */
static bool is_flagged(const tw_hyper_result *r)
{
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code != TW_WARN_FIT_OPTIMA) return true;
    return false;
}

static void score(const lobes_case *c, const lobes_truth *truth, const tw_hyper_result *r, tally *t)
{
    static double f[1 << 16];
    size_t before = t->evidence.beyond + t->mean.beyond;
    bool each = getenv("TALWEG_EACH") != NULL, flagged = is_flagged(r), chain = isnan(r->estimate.log_z);
    t->runs++;
    t->ess += r->estimate.weight_ess / (double)r->points;
    t->fits += (double)r->fits;
    if (each)
        printf("  %-18s %s %.3f (%.3f) k %.2f ess %.0f fits %zu;", c->name, flagged ? "FLAGGED" : "       ",
               r->estimate.log_z - truth->log_z, r->estimate.se, r->estimate.pareto_k, r->estimate.weight_ess,
               r->fits);
    if (flagged) t->flagged++;
    if (!flagged && !chain) add_score(&t->evidence, (r->estimate.log_z - truth->log_z) / r->estimate.se);
    for (size_t k = 0; k < r->unknown; k++) {
        double error, mean = r->row[k].mean, mcse = r->row[k].mcse;
        for (size_t s = 0; s < r->points; s++) f[s] = pow(r->theta[k + r->unknown * s] - truth->mean[k], 2.0);
        double variance = tw_hyper_mean(r, f, &error);
        if (each)
            printf(" %.3f (%.3f), sd %.2f;", mean - truth->mean[k], mcse,
                   sqrt(variance / truth->variance[k]));
        if (flagged) continue;
        add_score(&t->mean, (mean - truth->mean[k]) / mcse);
        if (!chain) add_score(&t->variance, (variance - truth->variance[k]) / error);
    }
    t->wrong += t->evidence.beyond + t->mean.beyond > before;
    if (each) printf("\n");
}

static void run(const lobes_case *c, const lobes_truth *truth, uint64_t seed, tally *t)
{
    tw_context *ctx = new_context();
    tw_problem *problem = lobes_pose(c, ctx);
    tw_priors *priors = lobes_priors(c, problem);
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    const char *method = getenv("TALWEG_METHOD");
    if (method && strcmp(method, "chain") == 0) o.method = TW_HYPER_CHAIN;
    o.seed = seed;
    o.threads = 1;
    o.kept = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    score(c, truth, r, t);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void print_scores(const char *name, const scores *s)
{
    printf("; %s rms %.2f, largest %.1f, beyond %zu", name, sqrt(s->squares / (double)s->count), s->largest,
           s->beyond);
}

static void print(const char *name, const tally *t)
{
    printf("%-18s %zu runs, %.1f %% flagged, %zu wrong without; ess %.2f, fits %.0f", name, t->runs,
           100.0 * (double)t->flagged / (double)t->runs, t->wrong, t->ess / (double)t->runs,
           t->fits / (double)t->runs);
    print_scores("log p(y)", &t->evidence);
    print_scores("means", &t->mean);
    print_scores("variances", &t->variance);
    printf("\n");
    fflush(stdout);
}

static void add_tally(tally *to, const tally *t)
{
    scores *into[] = {&to->evidence, &to->mean, &to->variance};
    const scores *from[] = {&t->evidence, &t->mean, &t->variance};
    to->cases++;
    to->runs += t->runs;
    to->flagged += t->flagged;
    to->wrong += t->wrong;
    to->ess += t->ess;
    to->fits += t->fits;
    for (size_t k = 0; k < 3; k++) {
        into[k]->count += from[k]->count;
        into[k]->beyond += from[k]->beyond;
        into[k]->squares += from[k]->squares;
        into[k]->largest = fmax(into[k]->largest, from[k]->largest);
    }
}

static bool is_honest(const scores *s)
{
    double rms = sqrt(s->squares / (double)s->count);
    return s->count == 0 || (s->beyond == 0 && rms > 0.8 && rms < 1.2);
}

static void no_lobe_is_missed_without_a_warning(void **state)
{
    static const char *const names[] = {"noise",     "alternating",     "corner",
                                        "two modes", "signal or noise", "known"};
    uint64_t first = setting("TALWEG_FIRST", 1), seeds = setting("TALWEG_SEEDS", 50);
    uint64_t only = setting("TALWEG_CLASS", LOBES_CLASSES), begin = setting("TALWEG_CASE", 100);
    uint64_t cases = setting("TALWEG_CASES", 8);
    bool honest = true;
    tally all = {0};
    (void)state;
    for (size_t kind = 0; kind < LOBES_CLASSES; kind++) {
        tally class = {0};
        if (only < LOBES_CLASSES && only != kind) continue;
        size_t low = kind == LOBES_KNOWN ? 0 : begin, count = kind == LOBES_KNOWN ? lobes_known : cases;
        for (size_t k = low; k < low + count; k++) {
            tally t = {0};
            lobes_case c = lobes_make((lobes_class)kind, k);
            lobes_truth truth = lobes_solve(&c);
            for (uint64_t seed = first; seed < first + seeds; seed++) run(&c, &truth, seed, &t);
            char label[80];
            snprintf(label, sizeof label, "%s, %zu unknown", c.name, c.unknown);
            print(label, &t);
            add_tally(&class, &t);
        }
        print(names[kind], &class);
        honest &= is_honest(&class.evidence) && is_honest(&class.mean) && 10 * class.flagged <= class.runs;
        add_tally(&all, &class);
    }
    print("all", &all);
    assert_true(honest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lobe_is_missed_without_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
