/* Priors of any width on cases whose evidence has a closed form at every theta: a few observations with
 * Gaussian noise, and three labels. The integral over theta is a midpoint rule over normal scores of the
 * priors' quantiles, so that it uses no density. For each case, many seeds: z-scores of log p(y) by both
 * estimates and of the means of theta. Their root mean square is near 1, and none is beyond 4.5 errors
 * without a warning.
 *
 * TALWEG_SEEDS sets the number of seeds (8; docs/hyperparameters.md has the table of 100), TALWEG_FIRST the
 * first, TALWEG_CASE the number of the only case. Errors come from 32 scrambles: a score is Student's t with
 * 31 degrees of freedom, beyond 4.5 in one of 10,000 runs, and ais-joint has 64 weights and a longer tail.
 * Therefore the test allows 1 of 500 scores. TALWEG_NO_CHAIN omits chains and ais-joint, TALWEG_EACH prints
 * every run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/hyper_case.h"
#include "support/orthants.h"
#include "support/regression.h"
#include "support/support.h"

enum { SIDE = 400 };

typedef struct test_case {
    const char *name;
    size_t n; /* 0: the three labels of orthants.h */
    double x[REGRESSION_CASES], y[REGRESSION_CASES], noise;
    const char *ell, *sigma;
} test_case;

static const test_case cases[] = {
    {"3, normal(0, 1)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 1)",
     "log_sigma ~ normal(0, 1)"},
    {"3, normal(0, 3)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 3)",
     "log_sigma ~ normal(0, 3)"},
    {"3, normal(0, 5)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 5)",
     "log_sigma ~ normal(0, 5)"},
    {"3, normal(0, 20)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ normal(0, 20)",
     "log_sigma ~ normal(0, 20)"},
    {"3, student_t(3, 0, 2)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ student_t(3, 0, 2)",
     "log_sigma ~ student_t(3, 0, 2)"},
    {"3, uniform(-8, 8)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "log_ell ~ uniform(-8, 8)",
     "log_sigma ~ uniform(-8, 8)"},
    {"3, of the values",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "ell ~ half_t(2, 3)",
     "sigma ~ half_t(2, 3)"},
    {"3, inv_gamma and pc",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.5,
     "ell ~ inv_gamma(2, 1)",
     "sigma ~ pc(3, 0.05)"},
    {"3, a small noise, normal(0, 3)",
     3,
     {0.0, 0.7, 2.0},
     {0.5, 1.0, -1.0},
     0.03,
     "log_ell ~ normal(0, 3)",
     "log_sigma ~ normal(0, 3)"},
    {"10, two modes, normal(0, 2)",
     10,
     {-2.0, -1.6, -1.1, -0.7, -0.2, 0.3, 0.6, 1.1, 1.7, 2.0},
     {-1.1, 0.4, -1.0, 0.3, -0.6, 0.9, -0.3, 1.1, 0.2, 1.5},
     0.35,
     "log_ell ~ normal(0, 2)",
     "log_sigma ~ normal(0, 2)"},
    {"10, two modes, normal(0, 4)",
     10,
     {-2.0, -1.6, -1.1, -0.7, -0.2, 0.3, 0.6, 1.1, 1.7, 2.0},
     {-1.1, 0.4, -1.0, 0.3, -0.6, 0.9, -0.3, 1.1, 0.2, 1.5},
     0.35,
     "log_ell ~ normal(0, 4)",
     "log_sigma ~ normal(0, 4)"},
    {"12, an ordinary case",
     12,
     {-2.0, -1.6, -1.2, -0.8, -0.5, -0.1, 0.2, 0.6, 1.0, 1.4, 1.8, 2.1},
     {-0.9, -1.1, -0.8, -0.7, -0.3, 0.1, 0.2, 0.7, 0.9, 0.8, 1.1, 0.7},
     0.15,
     "log_ell ~ normal(0, 1)",
     "log_sigma ~ normal(0, 1)"},
    {"12, far from the prior",
     12,
     {-2.0, -1.6, -1.2, -0.8, -0.5, -0.1, 0.2, 0.6, 1.0, 1.4, 1.8, 2.1},
     {-90.0, -110.0, -80.0, -70.0, -30.0, 10.0, 20.0, 70.0, 90.0, 80.0, 110.0, 70.0},
     15.0,
     "log_ell ~ normal(0, 1)",
     "log_sigma ~ normal(0, 1)"},
    {"labels, normal(0, 3)", 0, {0.0}, {0.0}, 0.0, "log_ell ~ normal(0, 3)", "log_sigma ~ normal(0, 3)"},
    {"labels, student_t(2, 0, 2)",
     0,
     {0.0},
     {0.0},
     0.0,
     "log_ell ~ student_t(2, 0, 2)",
     "log_sigma ~ student_t(2, 0, 2)"},
    {"labels, uniform(-10, 10)",
     0,
     {0.0},
     {0.0},
     0.0,
     "log_ell ~ uniform(-10, 10)",
     "log_sigma ~ uniform(-10, 10)"},
    {"7, student_t(3, -1, 1) and (4, 0, 3)",
     7,
     {-1.5, -0.9, -0.1, 0.2, 0.8, 1.9, 2.5},
     {1.3, 0.9, 0.2, 0.4, -0.3, -1.2, -0.9},
     0.3,
     "log_ell ~ student_t(3, -1, 1)",
     "log_sigma ~ student_t(4, 0, 3)"},
    {"2, student_t(3, 0, 1)",
     2,
     {0.0, 1.0},
     {0.2, 0.3},
     1.0,
     "log_ell ~ student_t(3, 0, 1)",
     "log_sigma ~ student_t(3, 0, 1)"},
    {"7, uniform and student_t(5, 1, 2)",
     7,
     {-1.5, -0.9, -0.1, 0.2, 0.8, 1.9, 2.5},
     {1.3, 0.9, 0.2, 0.4, -0.3, -1.2, -0.9},
     0.3,
     "log_ell ~ uniform(-6, 12)",
     "log_sigma ~ student_t(5, 1, 2)"},
    {"5, equal inputs in pairs, normal(1, 6)",
     5,
     {0.0, 0.0, 1.0, 1.0, 3.0},
     {0.4, -0.2, 1.0, 1.4, 0.1},
     0.4,
     "log_ell ~ normal(1, 6)",
     "log_sigma ~ normal(-1, 4)"},
};
enum { CASES = sizeof cases / sizeof *cases };

static regression data_of(const test_case *c)
{
    return (regression){c->n, 1, c->x, c->y, c->noise};
}

static tw_problem *pose(tw_context *ctx, const test_case *c)
{
    regression data = data_of(c);
    return c->n == 0 ? orthants_pose(ctx) : regression_pose(ctx, &data);
}

static tw_priors *read_priors(const test_case *c, tw_problem *problem)
{
    regression data = data_of(c);
    return c->n == 0 ? hyper_priors(problem, c->ell, c->sigma)
                     : regression_priors(problem, &data, c->ell, c->sigma);
}

/* ---- the truth ---- */

static double log_evidence(const test_case *c, double log_ell, double log_sigma)
{
    const double theta[2] = {log_ell, log_sigma};
    regression data = data_of(c);
    return c->n == 0 ? log(orthants_z(log_ell, log_sigma)) : regression_log_z(&data, theta);
}

typedef struct answer {
    double log_z, mean[2]; /* means of theta */
} answer;

static answer solve(const test_case *c)
{
    tw_context *ctx = new_context();
    tw_problem *problem = pose(ctx, c);
    tw_priors *priors = read_priors(c, problem);
    static double q[2][SIDE];
    double total = 0.0, sum[2] = {0.0, 0.0}, largest = -INFINITY, density[SIDE];
    const double step = 16.0 / SIDE;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < SIDE; i++) {
            double v = ((double)i + 0.5) * step - 8.0;
            q[k][i] = tw_prior_quantile(&priors->prior[k], tw_problem_parameter(problem, k),
                                        0.5 * erfc(-v / sqrt(2.0)));
            density[i] = exp(-0.5 * v * v) * step / sqrt(2.0 * acos(-1.0));
        }
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            double level = log_evidence(c, q[0][i], q[1][j]);
            if (isnan(level)) continue; /* rounding where sigma is huge; Z is 0 there */
            if (level > largest) {
                double scale = exp(largest - level);
                total *= scale;
                sum[0] *= scale;
                sum[1] *= scale;
                largest = level;
            }
            double w = exp(level - largest) * density[i] * density[j];
            total += w;
            sum[0] += w * q[0][i];
            sum[1] += w * q[1][j];
        }
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return (answer){largest + log(total), {sum[0] / total, sum[1] / total}};
}

/* ---- scores ---- */

enum { IS2, JOINT, ELL, SIGMA, CHAIN_ELL, CHAIN_SIGMA, SCORES };

typedef struct tally {
    scores of[SCORES];
    double ess;
} tally;

static bool has_no_mean(const tw_hyper_result *r)
{
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code == TW_WARN_THETA_MEAN) return true;
    return false;
}

/* In units of the mean. */
static double largest(const tw_hyper_result *r)
{
    double m = -1e300;
    for (size_t s = 0; s < r->points; s++) m = fmax(m, r->log_weight[s]);
    return exp(m - r->estimate.log_z);
}

/* Means are those of theta, whatever the rows report. */
static void run(const test_case *c, const answer *a, uint64_t seed, tw_hyper_method method, tally *t)
{
    tw_context *ctx = new_context();
    tw_problem *problem = pose(ctx, c);
    tw_priors *priors = read_priors(c, problem);
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.method = method;
    o.joint_particles = method == TW_HYPER_CHAIN || getenv("TALWEG_NO_CHAIN") ? 0 : 64;
    o.seed = seed;
    o.threads = 1;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    bool warned = regression_is_doubted(r);
    if (method == TW_HYPER_CHAIN) {
        for (size_t k = 0; k < 2; k++)
            if (r->row[k].as_log)
                scores_add(&t->of[CHAIN_ELL + (int)k], (r->row[k].mean - a->mean[k]) / r->row[k].mcse,
                           warned);
    } else {
        static double f[1 << 16];
        t->ess += r->estimate.weight_ess / (double)r->points;
        if (getenv("TALWEG_EACH"))
            printf("    seed %2d: error %.4f, se %.4f, k %.2f, ess %.0f, largest weight %.1f\n", (int)seed,
                   r->estimate.log_z - a->log_z, r->estimate.se, r->estimate.pareto_k, r->estimate.weight_ess,
                   largest(r));
        scores_add(&t->of[IS2], (r->estimate.log_z - a->log_z) / r->estimate.se, warned);
        if (o.joint_particles > 0)
            scores_add(&t->of[JOINT], (r->joint.log_z - a->log_z) / r->joint.se,
                       r->joint.pareto_k > TW_PARETO_LIMIT);
        for (size_t k = 0; k < 2; k++) {
            double mcse;
            for (size_t s = 0; s < r->points; s++) f[s] = r->theta[k + 2 * s];
            double mean = tw_hyper_mean(r, f, &mcse);
            if (getenv("TALWEG_EACH"))
                printf("        mean of %s: error %.3f, mcse %.3f\n", r->row[k].name, mean - a->mean[k],
                       mcse);
            scores_add(&t->of[ELL + (int)k], (mean - a->mean[k]) / mcse, warned || has_no_mean(r));
        }
    }
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void print(const test_case *c, const answer *a, const tally *t)
{
    printf("%-32s log p(y) %.4f, effective share %.2f\n", c->name, a->log_z,
           t->ess / (double)t->of[IS2].runs);
    for (int k = 0; k < SCORES; k++) scores_print(&t->of[k]);
}

static void scores_are_those_of_honest_errors(void **state)
{
    (void)state;
    const char *text = getenv("TALWEG_SEEDS"), *only = getenv("TALWEG_CASE");
    uint64_t seeds = text ? strtoull(text, NULL, 10) : 8;
    const char *from = getenv("TALWEG_FIRST");
    uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    size_t runs = 0, beyond = 0;
    for (size_t i = 0; i < CASES; i++) {
        if (only && (size_t)strtoul(only, NULL, 10) != i) continue;
        answer a = solve(&cases[i]);
        tally t = {{{.name = "is2"},
                    {.name = "ais-joint"},
                    {.name = "mean of log ell"},
                    {.name = "mean of log sigma"},
                    {.name = "chain, log ell"},
                    {.name = "chain, log sigma"}},
                   0.0};
        for (uint64_t seed = first; seed < first + seeds; seed++) {
            run(&cases[i], &a, seed, TW_HYPER_IS2, &t);
            if (!getenv("TALWEG_NO_CHAIN")) run(&cases[i], &a, seed, TW_HYPER_CHAIN, &t);
        }
        print(&cases[i], &a, &t);
        for (int k = 0; k < SCORES; k++) {
            runs += t.of[k].runs;
            beyond += t.of[k].beyond;
        }
    }
    printf("%zu of %zu beyond 4.5 without a warning\n", beyond, runs);
    assert_true(500 * beyond <= runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_honest_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
