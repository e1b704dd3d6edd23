/* More than four unknown parameters, whose proposal has larger rounds, lighter tails and powers of the weights to learn from: a length scale for each
 * of 4 to 7 inputs and an amplitude, a few observations with Gaussian noise. The evidence has a closed form at every theta; the integral over theta is a
 * lattice rule over the priors' quantiles, with 8 random shifts, whose spread is the truth's own error. For each case, many seeds: z-scores of log p(y)
 * by both estimates and of the means of theta, by weighted points and by chains.
 * docs/hyperparameters.md has the table of 100 seeds. */
#include <math.h>

#include "support/hyper_scores.h"
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
static hyper_truth solve(size_t number)
{
    const test_case *c = &cases[number];
    static double sum[SHIFTS][1 + MOST];
    observations o;
    const regression *r = &o.r;
    observe(c, &o);
    tw_context *ctx = new_context();
    tw_problem *problem = regression_pose(ctx, r);
    tw_priors *priors = regression_priors(problem, r, c->ell, c->sigma);
    test_random random = {7};
    double total[1 + MOST] = {0.0}, squares[1 + MOST] = {0.0};
    hyper_truth a;
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

static const char *name(size_t number)
{
    return cases[number].name;
}

static tw_problem *pose(size_t number, tw_context *ctx)
{
    observations o;
    observe(&cases[number], &o);
    return regression_pose(ctx, &o.r);
}

static tw_priors *priors_of(size_t number, tw_problem *problem)
{
    observations o;
    observe(&cases[number], &o);
    return regression_priors(problem, &o.r, cases[number].ell, cases[number].sigma);
}

static void scores_are_those_of_honest_errors(void **state)
{
    (void)state;
    hyper_scores_check(&(hyper_scored_cases){.count = CASES,
                                             .seeds = 4,
                                             .groups = 1,
                                             .mean_name = {"means"},
                                             .chain_name = {"means of chains"},
                                             .name = name,
                                             .pose = pose,
                                             .priors = priors_of,
                                             .solve = solve});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_honest_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
