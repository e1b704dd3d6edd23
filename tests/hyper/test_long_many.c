/* More than four unknown parameters, for which the proposal has larger rounds, lighter tails and adapts to
 * powers of the weights: a length scale for each of 4 to 7 inputs and an amplitude, a few observations with
 * Gaussian noise. The evidence has a closed form at every theta; the integral over theta is a lattice rule
 * over the priors' quantiles, with 8 random shifts, whose spread gives its own error. For each case, many
 * seeds: z-scores of log p(y) by both estimates and of the means of theta, from weighted points and from
 * chains.
 *
 * TALWEG_SEEDS sets the number of seeds (4; docs/hyperparameters.md has the table of 100), TALWEG_FIRST the
 * first, TALWEG_CASE the number of the only case; TALWEG_NO_CHAIN omits chains and ais-joint, TALWEG_EACH
 * prints every run. Errors come from 32 scrambles: a score is Student's t with 31 degrees of freedom, beyond
 * 4.5 with probability 1/10,000; that of ais-joint has 64 weights and a longer tail. Therefore the test
 * allows 1 of 500 scores. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/problem.h"
#include "support/regression.h"
#include "support/support.h"

enum { MOST = REGRESSION_INPUTS + 1, LATTICE = 65521, GENERATOR = 17364, SHIFTS = 8 };

typedef struct test_case {
    const char *name;
    size_t n, d;
    double noise;
    bool twins; /* the second input is nearly the first: either explains y */
    const char *ell, *sigma;
} test_case;

static const test_case cases[] = {
    {"4 of 5 inputs, normal(0, 1)", 4, 5, 0.5, false, "log_ell ~ normal(0, 1)", "log_sigma ~ normal(0, 1)"},
    {"5 of 7 inputs, noise 0.1", 5, 7, 0.1, false, "log_ell ~ normal(1, 1)", "log_sigma ~ normal(0.5, 1)"},
    {"3 of 6 inputs, normal(0, 3)", 3, 6, 0.5, false, "log_ell ~ normal(0, 3)", "log_sigma ~ normal(0, 3)"},
    {"12 of 5 inputs, normal(0, 2)", 12, 5, 0.2, false, "log_ell ~ normal(0, 2)", "log_sigma ~ normal(0, 1)"},
    {"10 of 4 inputs, two alike", 10, 4, 0.2, true, "log_ell ~ normal(1, 2)", "log_sigma ~ normal(0, 1)"},
    {"4 of 7 inputs, uniform(-3, 4)", 4, 7, 0.3, false, "log_ell ~ uniform(-3, 4)",
     "log_sigma ~ uniform(-4, 4)"},
    {"4 of 4 inputs, student_t(3, 0, 1)", 4, 4, 0.3, false, "log_ell ~ student_t(3, 0, 1)",
     "log_sigma ~ student_t(3, 0, 1)"},
    {"5 of 6 inputs, of the values", 5, 6, 0.3, false, "ell ~ inv_gamma(3, 3)", "sigma ~ half_normal(2)"},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- the data: inputs are standard normal, y is a smooth function of the first two ---- */

typedef struct observations {
    double x[REGRESSION_CASES * REGRESSION_INPUTS], y[REGRESSION_CASES];
    regression r;
} observations;

static void observe(const test_case *c, observations *o)
{
    test_random random = {99};
    test_normals(&random, c->n * c->d, o->x);
    for (size_t i = 0; i < c->n; i++) {
        if (c->twins) o->x[i + c->n] = o->x[i] + 0.1 * test_normal(&random);
        o->y[i] =
            sin(1.5 * o->x[i]) + (c->twins ? 0.0 : 0.5 * o->x[i + c->n]) + c->noise * test_normal(&random);
    }
    o->r = (regression){c->n, c->d, o->x, o->y, c->noise};
}

/* ---- the truth ---- */

typedef struct answer {
    double log_z, log_z_error, mean[MOST], mean_error[MOST]; /* means of theta */
} answer;

/* Z and theta Z summed over a shifted lattice: point i is i (1, a, a^2, ...) / LATTICE + shift, modulo 1. */
static void sum_lattice(const regression *r, const tw_problem *problem, const tw_priors *priors,
                        const double *shift, double sum[1 + MOST])
{
    size_t unknown = r->d + 1;
    for (size_t k = 0; k <= unknown; k++) sum[k] = 0.0;
    for (uint64_t i = 0; i < LATTICE; i++) {
        double theta[MOST];
        uint64_t at = i;
        for (size_t k = 0; k < unknown; k++, at = at * GENERATOR % LATTICE) {
            double u = fmod((double)at / LATTICE + shift[k], 1.0);
            theta[k] = tw_prior_quantile(&priors->prior[k], tw_problem_parameter(problem, k),
                                         fmin(fmax(u, 1e-16), 1.0 - 1e-16));
        }
        double log_z = regression_log_z(r, theta),
               z = isnan(log_z) ? 0.0 : exp(log_z); /* no factor where sigma is huge; Z is 0 there */
        sum[0] += z;
        for (size_t k = 0; k < unknown; k++) sum[1 + k] += z * theta[k];
    }
}

/* Ratios of sums over shifts with errors by the delta method. */
static answer solve(const test_case *c, const regression *r)
{
    static double sum[SHIFTS][1 + MOST];
    tw_context *ctx = new_context();
    tw_problem *problem = regression_pose(ctx, r);
    tw_priors *priors = regression_priors(problem, r, c->ell, c->sigma);
    test_random random = {7};
    double total[1 + MOST] = {0.0}, squares[1 + MOST] = {0.0};
    answer a;
    for (size_t s = 0; s < SHIFTS; s++) {
        double shift[MOST];
        test_uniforms(&random, r->d + 1, shift);
        sum_lattice(r, problem, priors, shift, sum[s]);
        for (size_t k = 0; k <= r->d + 1; k++) total[k] += sum[s][k] / SHIFTS;
    }
    for (size_t s = 0; s < SHIFTS; s++) {
        squares[0] += pow(sum[s][0] / total[0] - 1.0, 2.0);
        for (size_t k = 1; k <= r->d + 1; k++)
            squares[k] += pow((sum[s][k] - total[k] / total[0] * sum[s][0]) / total[0], 2.0);
    }
    a.log_z = log(total[0] / LATTICE);
    a.log_z_error = sqrt(squares[0] / (SHIFTS * (SHIFTS - 1)));
    for (size_t k = 0; k <= r->d; k++) {
        a.mean[k] = total[1 + k] / total[0];
        a.mean_error[k] = sqrt(squares[1 + k] / (SHIFTS * (SHIFTS - 1)));
    }
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return a;
}

/* ---- scores ---- */

enum { IS2, JOINT, MEANS, CHAIN_MEANS, SCORES };

typedef struct tally {
    scores of[SCORES];
    double ess;
    size_t fits;
} tally;

/* Of theta, whatever the rows report. */
static void score_means(const tw_hyper_result *r, const answer *a, scores *s, bool warned)
{
    static double f[1 << 12];
    bool chain = r->estimate.weight_ess > 0.0 && isnan(r->estimate.log_z);
    for (size_t k = 0; k < r->unknown; k++) {
        double mcse = r->row[k].mcse, mean = r->row[k].mean;
        if (chain && !r->row[k].as_log) continue; /* an error of the value, not of its logarithm */
        for (size_t i = 0; i < r->points && !chain; i++) f[i] = r->theta[k + r->unknown * i];
        if (!chain) mean = tw_hyper_mean(r, f, &mcse);
        scores_add(s, (mean - a->mean[k]) / hypot(mcse, a->mean_error[k]), warned);
    }
}

static void run(const test_case *c, const regression *data, const answer *a, uint64_t seed,
                tw_hyper_method method, tally *t)
{
    tw_context *ctx = new_context();
    tw_problem *problem = regression_pose(ctx, data);
    tw_priors *priors = regression_priors(problem, data, c->ell, c->sigma);
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    o.method = method;
    o.joint_particles = method == TW_HYPER_CHAIN || getenv("TALWEG_NO_CHAIN") ? 0 : 64;
    o.seed = seed;
    o.threads = 1;
    o.kept = 0;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    bool warned = regression_is_doubted(r);
    if (method == TW_HYPER_IS2) {
        t->ess += r->estimate.weight_ess / (double)r->points;
        t->fits += r->fits;
        if (getenv("TALWEG_EACH")) {
            printf("    seed %d: error %.4f, se %.4f, k %.2f, ess %.0f, fits %zu, means", (int)seed,
                   r->estimate.log_z - a->log_z, r->estimate.se, r->estimate.pareto_k, r->estimate.weight_ess,
                   r->fits);
            for (size_t k = 0; k < r->unknown; k++)
                printf(" %.2f (%.2f)", r->row[k].mean - a->mean[k], r->row[k].mcse);
            printf("%s\n", warned ? " warned" : "");
        }
        scores_add(&t->of[IS2], (r->estimate.log_z - a->log_z) / hypot(r->estimate.se, a->log_z_error),
                   warned);
    }
    if (o.joint_particles > 0)
        scores_add(&t->of[JOINT], (r->joint.log_z - a->log_z) / hypot(r->joint.se, a->log_z_error),
                   r->joint.pareto_k > TW_PARETO_LIMIT);
    score_means(r, a, &t->of[method == TW_HYPER_IS2 ? MEANS : CHAIN_MEANS], warned);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static tally run_case(const test_case *c, uint64_t first, uint64_t seeds)
{
    tally t = {
        {{.name = "is2"}, {.name = "ais-joint"}, {.name = "means"}, {.name = "means of chains"}}, 0.0, 0};
    observations o;
    observe(c, &o);
    answer a = solve(c, &o.r);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        run(c, &o.r, &a, seed, TW_HYPER_IS2, &t);
        if (!getenv("TALWEG_NO_CHAIN")) run(c, &o.r, &a, seed, TW_HYPER_CHAIN, &t);
    }
    printf("%-34s log p(y) %.4f +- %.4f, effective share %.2f, %.0f fits of EP\n", c->name, a.log_z,
           a.log_z_error, t.ess / (double)seeds, (double)t.fits / (double)seeds);
    for (int k = 0; k < SCORES; k++) scores_print(&t.of[k]);
    return t;
}

static void scores_are_those_of_honest_errors(void **state)
{
    (void)state;
    uint64_t first = setting("TALWEG_FIRST", 1), seeds = setting("TALWEG_SEEDS", 4),
             only = setting("TALWEG_CASE", CASES);
    size_t runs = 0, beyond = 0;
    for (size_t i = 0; i < CASES; i++) {
        if (only < CASES && only != i) continue;
        tally t = run_case(&cases[i], first, seeds);
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
