/* hyper_scores.c: see hyper_scores.h. */
#include "support/hyper_scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/support.h"

typedef struct scores {
    const char *name;
    size_t runs, warned, beyond; /* beyond 4.5 errors without a warning */
    double squares, sum, worst;  /* of those without a warning */
} scores;

typedef struct tally {
    scores is2, joint, mean[HYPER_GROUPS], chain_mean[HYPER_GROUPS];
    double ess;
    size_t fits;
} tally;

static void add_score(scores *s, double z, bool warned)
{
    s->runs++;
    if (warned) {
        s->warned++;
        return;
    }
    s->squares += z * z;
    s->sum += z;
    s->worst = fmax(s->worst, fabs(z));
    if (!(fabs(z) < 4.5)) s->beyond++;
}

static void print_scores(const scores *s)
{
    double counted = (double)(s->runs - s->warned);
    if (s->runs == 0) return;
    printf("  %-20s %3zu runs, %3zu warned, mean z %5.2f, rms %5.2f, largest %5.2f, beyond 4.5: %zu\n",
           s->name, s->runs, s->warned, s->sum / counted, sqrt(s->squares / counted), s->worst, s->beyond);
    fflush(stdout);
}

/* ---- one run ---- */

static bool has_warning(const tw_hyper_result *r, tw_warning_code code)
{
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code == code) return true;
    return false;
}

/* Does it warn that its answer is in doubt? */
static bool is_doubted(const tw_hyper_result *r)
{
    return has_warning(r, TW_WARN_THETA_TAIL) || has_warning(r, TW_WARN_THETA_COLLAPSED) ||
           has_warning(r, TW_WARN_THETA_FAILED) || has_warning(r, TW_WARN_RHAT);
}

/* The mean of theta_k by weighted points. */
static double mean_of_points(const tw_hyper_result *r, size_t k, double *mcse)
{
    static double f[1 << 16];
    assert_true(r->points <= sizeof f / sizeof *f);
    for (size_t s = 0; s < r->points; s++) f[s] = r->theta[k + r->unknown * s];
    return tw_hyper_mean(r, f, mcse);
}

static void score_points(const hyper_scored_cases *c, const tw_hyper_result *r, const hyper_truth *truth,
                         bool joint, tally *t)
{
    bool warned = is_doubted(r), each = getenv("TALWEG_EACH") != NULL;
    const tw_estimate *e = &r->estimate;
    t->ess += e->weight_ess / (double)r->points;
    t->fits += r->fits;
    if (each)
        printf("    error %.4f, se %.4f, k %.2f, ess %.0f, fits %zu%s; means", e->log_z - truth->log_z, e->se,
               e->pareto_k, e->weight_ess, r->fits, warned ? ", warned" : "");
    add_score(&t->is2, (e->log_z - truth->log_z) / hypot(e->se, truth->log_z_error), warned);
    if (joint)
        add_score(&t->joint, (r->joint.log_z - truth->log_z) / hypot(r->joint.se, truth->log_z_error),
                  r->joint.pareto_k > TW_PARETO_LIMIT);
    for (size_t k = 0; k < r->unknown; k++) {
        double mcse, mean = mean_of_points(r, k, &mcse);
        if (each) printf(" %.3f (%.3f)", mean - truth->mean[k], mcse);
        add_score(&t->mean[k < c->groups ? k : c->groups - 1],
                  (mean - truth->mean[k]) / hypot(mcse, truth->mean_error[k]),
                  warned || has_warning(r, TW_WARN_THETA_MEAN));
    }
    if (each) printf("\n");
}

/* A row of a parameter's value, not of its logarithm, has another error. */
static void score_chains(const hyper_scored_cases *c, const tw_hyper_result *r, const hyper_truth *truth,
                         tally *t)
{
    for (size_t k = 0; k < r->unknown; k++)
        if (r->row[k].as_log)
            add_score(&t->chain_mean[k < c->groups ? k : c->groups - 1],
                      (r->row[k].mean - truth->mean[k]) / hypot(r->row[k].mcse, truth->mean_error[k]),
                      is_doubted(r));
}

static void run(const hyper_scored_cases *c, size_t number, const hyper_truth *truth, tw_hyper_method method,
                uint64_t seed, tally *t)
{
    tw_context *ctx = new_context();
    tw_problem *problem = c->pose(number, ctx);
    tw_priors *priors = c->priors(number, problem);
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.method = method;
    o.joint_particles = method == TW_HYPER_CHAIN || getenv("TALWEG_NO_CHAIN") ? 0 : 64;
    o.seed = seed;
    o.threads = 1;
    o.kept = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    if (method == TW_HYPER_CHAIN)
        score_chains(c, r, truth, t);
    else
        score_points(c, r, truth, o.joint_particles > 0, t);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

/* ---- all runs ---- */

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static tally run_case(const hyper_scored_cases *c, size_t number)
{
    uint64_t first = setting("TALWEG_FIRST", 1), seeds = setting("TALWEG_SEEDS", c->seeds);
    tally t = {.is2 = {.name = "is2"}, .joint = {.name = "ais-joint"}};
    hyper_truth truth = c->solve(number);
    for (size_t g = 0; g < c->groups; g++) {
        t.mean[g].name = c->mean_name[g];
        t.chain_mean[g].name = c->chain_name[g];
    }
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        run(c, number, &truth, TW_HYPER_IS2, seed, &t);
        if (!getenv("TALWEG_NO_CHAIN")) run(c, number, &truth, TW_HYPER_CHAIN, seed, &t);
    }
    printf("%-38s log p(y) %.4f +- %.4f, effective share %.2f, %.0f fits of EP\n", c->name(number),
           truth.log_z, truth.log_z_error, t.ess / (double)seeds, (double)t.fits / (double)seeds);
    return t;
}

void hyper_scores_check(const hyper_scored_cases *c)
{
    uint64_t only = setting("TALWEG_CASE", c->count);
    size_t runs = 0, beyond = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (only < c->count && only != i) continue;
        tally t = run_case(c, i);
        const scores *all[] = {&t.is2, &t.joint, &t.mean[0], &t.mean[1], &t.chain_mean[0], &t.chain_mean[1]};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            print_scores(all[k]);
            runs += all[k]->runs;
            beyond += all[k]->beyond;
        }
    }
    printf("%zu of %zu beyond 4.5 without a warning\n", beyond, runs);
    assert_true(500 * beyond <= runs);
}
