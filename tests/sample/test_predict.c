/* Predictions from draws against closed forms: Gaussian regression, two probit cases, and the formulas with
 * K^-1 by elimination, draw by draw. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"
#include "support/observe.h"
#include "support/predict_case.h"
#include "support/problem.h"
#include "support/support.h"

static const double pi = 3.14159265358979323846;

/* A constant w for each new case. */
static double *constants(size_t m, double w)
{
    double *all = malloc(m * sizeof *all);
    assert_non_null(all);
    for (size_t j = 0; j < m; j++) all[j] = w;
    return all;
}

/* Gaussian observations: EP's q is the posterior, draws from it are exact and independent, and the predictive
 * distribution is N(k'(K + w^2)^-1 y, k** - k'(K + w^2)^-1 k + w^2). 2 comparisons for each of 9 new inputs,
 * within 4 of their Monte Carlo errors: a false alarm in 1e-3 of seeds. */
static void gaussian_regression_within_its_errors(void **state)
{
    (void)state;
    enum { N = 12, M = 9, CHAINS = 4, DRAWS = 700, S = CHAINS * DRAWS };
    const double noise = 0.6;
    predict_case c = predict_case_new("gaussian", N, M, 1.4, 1.1, noise);
    double *w = constants(M, noise), a[N * N], b[N * (M + 1)], solved[N * (M + 1)], conditional[N * M], y[M];
    predict_case_draw_ep(&c, CHAINS, DRAWS, 11);
    memcpy(a, c.k, sizeof a);
    for (size_t i = 0; i < N; i++) a[i + i * N] += noise * noise;
    memcpy(b, c.cross, N * M * sizeof *b);
    memcpy(b + N * M, c.y, N * sizeof *b);
    dense_solve(N, a, M + 1, b, solved);
    dense_solve(N, c.k, M, c.cross, conditional);
    for (size_t j = 0; j < M; j++) y[j] = 0.4 * (double)j - 1.0;
    predict_columns p = predict_case_run(&c, NULL, 0, w, y);
    for (size_t j = 0; j < M; j++) {
        double mean = 0.0, variance = c.diagonal[j];
        for (size_t i = 0; i < N; i++) {
            mean += c.cross[i + j * N] * solved[i + M * N];
            variance -= c.cross[i + j * N] * solved[i + j * N];
        }
        double total = variance + noise * noise, d = y[j] - mean;
        double score = -0.5 * d * d / total - 0.5 * log(2.0 * pi * total);
        assert_close(p.at.expected[j], mean, 4.0 * p.at.mcse[j], "mean of y");
        assert_close(p.at.log_score[j], score, 4.0 * p.at.log_score_mcse[j] + 1e-6, "log score");
        assert_close(p.at.mean[j], p.at.expected[j], 1e-12, "mean of the latent function");
        assert_close(p.at.variance[j] / variance, 1.0, 0.15, "variance of the latent function");
        assert_close(p.at.sd[j] * p.at.sd[j], p.at.variance[j] + noise * noise, 1e-12, "sd of y");
        double between = variance - c.diagonal[j];
        for (size_t i = 0; i < N; i++) between += c.cross[i + j * N] * conditional[i + j * N];
        assert_close(p.at.mcse[j] / sqrt(between / S), 1.0, 0.15, "error of independent draws");
        /* E[y | x_s] is normal about the mean of y, so that the variance of its square is 2 between^2 */
        assert_close(p.at.sd_mcse[j] * p.at.sd[j] / (between * sqrt(0.5 / S)), 1.0, 0.2, "error of the sd");
    }
    free(p.memory);
    free(w);
    predict_case_free(&c);
}

/* P(all z_i > 0) of a centred Gaussian in 2 and 3 dimensions, from its correlations (Sheppard). */
static double orthant2(double r)
{
    return 0.25 + asin(r) / (2.0 * pi);
}

static double orthant3(double r12, double r13, double r23)
{
    return 0.125 + (asin(r12) + asin(r13) + asin(r23)) / (4.0 * pi);
}

/* Draws of p(x | y) for two probit observations by rejection: x ~ N(0, K), kept with probability Phi Phi. */
static void reject_to_posterior(predict_case *c, size_t draws)
{
    test_random random = {5};
    size_t kept = 0, tries = 40 * draws;
    predict_case_draw_prior(c, 1, tries, 3);
    for (size_t s = 0; s < tries && kept < draws; s++) {
        const double *x = c->draws.x + 2 * s;
        double chance = 0.25 * erfc(-c->y[0] * x[0] / sqrt(2.0)) * erfc(-c->y[1] * x[1] / sqrt(2.0));
        if (test_uniform(&random) < chance) memmove(c->draws.x + 2 * kept++, x, 2 * sizeof *x);
    }
    assert_int_equal(kept, draws);
    c->draws.chains = 4;
    c->draws.draws = draws / 4;
}

/* Phi(y x) averages to orthant probabilities of N(0, K + I): p(+1 | y) is one of 3 dimensions over one of 2. 7
 * comparisons within 4 Monte Carlo errors: a false alarm in 5e-4 of seeds. */
static void two_probit_observations_exactly(void **state)
{
    (void)state;
    enum { M = 7 };
    predict_case c = predict_case_new("probit", 2, M, 0.9, 2.0, 1.0);
    reject_to_posterior(&c, 8000);
    predict_columns p = predict_case_run(&c, NULL, 0, NULL, NULL);
    for (size_t j = 0; j < M; j++) {
        const double *k = c.cross + 2 * j;
        double s1 = sqrt(1.0 + c.k[0]), s2 = sqrt(1.0 + c.k[3]), s3 = sqrt(1.0 + c.diagonal[j]);
        double r12 = c.y[0] * c.y[1] * c.k[1] / (s1 * s2);
        double exact = orthant3(r12, c.y[0] * k[0] / (s1 * s3), c.y[1] * k[1] / (s2 * s3)) / orthant2(r12);
        assert_true(p.at.mcse[j] < 0.01);
        assert_close(p.at.expected[j], exact, 4.0 * p.at.mcse[j] + 1e-6, "probability of +1");
    }
    free(p.memory);
    predict_case_free(&c);
}

/* What one draw expects of a case with conditional mean m and variance v, and how probable it finds y. */
static double expected_of(const tw_likelihood *likelihood, double m, double v, double w)
{
    tw_tilted t;
    if (strcmp(likelihood->name, "gaussian") == 0) return m;
    if (strcmp(likelihood->name, "poisson") == 0) return w * exp(m + 0.5 * v);
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(likelihood, 1.0, w), 0, m, v, &t), TW_OK);
    return exp(t.log_z);
}

static double probability_of(const tw_likelihood *likelihood, double y, double m, double v, double w)
{
    tw_tilted t;
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(likelihood, y, w), 0, m, v, &t), TW_OK);
    return exp(t.log_z);
}

/* The cdf of the mixture over every second draw (1200 are more than 1024) is p at the p-quantile, to a slope of at most
 * 1 / sd times the tolerance of 1e-9 of the range. */
static void assert_quantiles(const predict_columns *p, size_t j, double v, const double *weights,
                             const predict_case *c)
{
    const double at[] = {p->at.q05[j], p->at.q50[j], p->at.q95[j]}, probability[] = {0.05, 0.5, 0.95};
    size_t all = c->draws.chains * c->draws.draws, n = c->n, used = 0;
    for (size_t k = 0; k < 3; k++) {
        double sum = 0.0;
        used = 0;
        for (size_t g = 0; g < all;
             g += 2, used++) { /* chain by chain; x has the chains of a draw together */
            size_t s = g % c->draws.draws * c->draws.chains + g / c->draws.draws;
            double m = 0.0;
            for (size_t i = 0; i < n; i++) m += weights[i] * c->draws.x[i + s * n];
            sum += 0.5 * erfc(-(at[k] - m) / sqrt(2.0 * v));
        }
        assert_close(sum / (double)used, probability[k], 1e-5, "the cdf at a quantile");
    }
}

/* Any draws will do: the average over them of the formulas with K^-1. */
static void averages_follow_the_dense_formulas(void **state)
{
    (void)state;
    enum { N = 9, M = 6, CHAINS = 3, DRAWS = 400, S = CHAINS * DRAWS };
    static const char *const names[] = {"probit", "logit", "poisson", "gaussian"};
    for (size_t l = 0; l < 4; l++) {
        const tw_likelihood *likelihood = tw_likelihood_find(names[l]);
        double constant = l < 2 ? 1.0 : 0.7, weights[N * M], y[M];
        predict_case c = predict_case_new(names[l], N, M, 0.8, 1.3, constant);
        double *w = constants(M, constant);
        for (size_t j = 0; j < M; j++) y[j] = l < 2 ? (j % 2 ? 1.0 : -1.0) : (double)j;
        predict_case_draw_prior(&c, CHAINS, DRAWS, 17 + l);
        dense_solve(N, c.k, M, c.cross, weights);
        predict_columns p = predict_case_run(&c, NULL, 0, w, y);
        for (size_t j = 0; j < M; j++) {
            double v = c.diagonal[j], mean = 0.0, square = 0.0, expected = 0.0, score = 0.0;
            for (size_t i = 0; i < N; i++) v -= weights[i + j * N] * c.cross[i + j * N];
            for (size_t s = 0; s < S; s++) {
                double m = 0.0;
                for (size_t i = 0; i < N; i++) m += weights[i + j * N] * c.draws.x[i + s * N];
                mean += m / S;
                square += m * m / S;
                expected += expected_of(likelihood, m, v, constant) / S;
                score += probability_of(likelihood, y[j], m, v, constant) / S;
            }
            assert_close(p.at.mean[j], mean, 1e-10, "latent mean");
            assert_close(p.at.variance[j], v + square - mean * mean, 1e-10, "latent variance");
            assert_close(p.at.expected[j] / expected, 1.0, 1e-10, "expected");
            assert_close(p.at.log_score[j], log(score), 1e-10, "log score");
            assert_quantiles(&p, j, v, weights + j * N, &c);
        }
        free(p.memory);
        free(w);
        predict_case_free(&c);
    }
}

/* A count's variance is the mean of the variances given a draw and the variance of the means. */
static void counts_have_the_variance_of_the_mixture(void **state)
{
    (void)state;
    enum { N = 4, M = 3, DRAWS = 50 };
    predict_case c = predict_case_new("poisson", N, M, 0.8, 0.7, 1.0);
    double weights[N * M];
    predict_case_draw_prior(&c, 1, DRAWS, 23);
    dense_solve(N, c.k, M, c.cross, weights);
    predict_columns p = predict_case_run(&c, NULL, 0, NULL, NULL);
    for (size_t j = 0; j < M; j++) {
        double v = c.diagonal[j], first = 0.0, second = 0.0;
        for (size_t i = 0; i < N; i++) v -= weights[i + j * N] * c.cross[i + j * N];
        for (size_t s = 0; s < DRAWS; s++) {
            double m = 0.0;
            for (size_t i = 0; i < N; i++) m += weights[i + j * N] * c.draws.x[i + s * N];
            first += exp(m + 0.5 * v) / DRAWS;                         /* E y */
            second += (exp(m + 0.5 * v) + exp(2.0 * (m + v))) / DRAWS; /* E y^2 = r + r^2 e^v */
        }
        assert_close(p.at.sd[j] * p.at.sd[j] / (second - first * first), 1.0, 1e-9, "variance of a count");
    }
    free(p.memory);
    predict_case_free(&c);
}

/* A new input that is a training input has f* = x_i, also where K is singular: then E p(+1 | x_i) is the plain
 * average over the draws. */
static void training_inputs_give_back_the_draws(void **state)
{
    (void)state;
    enum { N = 14, CHAINS = 2, DRAWS = 60, S = CHAINS * DRAWS };
    static const char *const names[] = {"probit", "logit"};
    const double ells[] = {0.7, 9.0};
    for (size_t run = 0; run < 4; run++) {
        bool logit = run % 2 == 1;
        predict_case c = predict_case_new(names[run % 2], N, N, ells[run / 2], 3.0, 1.0);
        assert_true(run < 2 || tw_model_describe(c.model).rank < N);
        memcpy(c.cross, c.k, N * N * sizeof *c.k);
        for (size_t i = 0; i < N; i++) c.diagonal[i] = c.k[i + i * N];
        predict_case_draw_prior(&c, CHAINS, DRAWS, 29);
        predict_columns p = predict_case_run(&c, NULL, 0, NULL, NULL);
        for (size_t i = 0; i < N; i++) {
            double expected = 0.0;
            for (size_t s = 0; s < S; s++) {
                double x = c.draws.x[i + s * N];
                expected += (logit ? 1.0 / (1.0 + exp(-x)) : 0.5 * erfc(-x / sqrt(2.0))) / S;
            }
            assert_close(p.at.expected[i], expected, 1e-9, "average of p(+1 | x)");
        }
        free(p.memory);
        predict_case_free(&c);
    }
}

/* Chains that are AR(1) with coefficient rho have an error of sd sqrt((1 + rho) / (1 - rho) / S): also where
 * draws are averaged in batches (20000 of them are), and 4 chains of 5000 give it to 10 % or so. */
static void the_error_knows_of_autocorrelation(void **state)
{
    (void)state;
    enum { CHAINS = 4, DRAWS = 5003, S = CHAINS * DRAWS };
    const double rho = 0.8;
    predict_case c = predict_case_new("gaussian", 1, 1, 1.0, 1.0, 1.0);
    predict_case_draw_prior(&c, CHAINS, DRAWS, 31);
    for (size_t s = CHAINS; s < S; s++)
        c.draws.x[s] = rho * c.draws.x[s - CHAINS] + sqrt(1.0 - rho * rho) * c.draws.x[s];
    c.cross[0] = c.k[0];
    predict_columns p = predict_case_run(&c, NULL, 0, NULL, NULL);
    double error = sqrt((1.0 + rho) / (1.0 - rho) / S), sum = 0.0;
    for (size_t s = 0; s < S; s++) sum += c.draws.x[s];
    assert_close(p.at.expected[0], sum / S, 1e-13, "mean");
    assert_close(p.at.mcse[0] / error, 1.0, 0.2, "Monte Carlo error");
    free(p.memory);
    predict_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_regression_within_its_errors),
        cmocka_unit_test(two_probit_observations_exactly),
        cmocka_unit_test(averages_follow_the_dense_formulas),
        cmocka_unit_test(counts_have_the_variance_of_the_mixture),
        cmocka_unit_test(training_inputs_give_back_the_draws),
        cmocka_unit_test(the_error_knows_of_autocorrelation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
