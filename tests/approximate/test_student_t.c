/* Student's t, which is not log-concave: two modes against quadrature, sites with negative precision, and the
 * results of Laplace, EP, AIS and the samplers. */
#include <math.h>
#include <string.h>

#include "approximate/approximate.h"
#include "evidence/ais.h"
#include "model/model.h"
#include "support/chain_case.h"
#include "support/support.h"
#include "talweg/warning.h"

enum { GRID = 1001, STEPS = 40, OUTLIER = 6 };

/* Two observations that contradict each other, of latents that are nearly equal: one of them is an outlier. */
static const double K[4] = {4.0, 3.8, 3.8, 4.0}, Y[2] = {3.0, -2.6},
                    PHI[2] = {-1.2039728043259361, 0.69314718055994531};

static tw_observations two(void)
{
    return (tw_observations){.likelihood = tw_likelihood_find("student_t"), .phi = PHI, .n = 2, .y = Y};
}

typedef struct exact {
    double log_z, mean[2], sd[2];
    int modes;
    double highest; /* log density of x and y on the grid */
} exact;

/* Over [-10, 10]^2 by the trapezoidal rule with a step of 0.02; the narrowest feature has a width of 0.3. */
static exact integrate(void)
{
    static double value[2][GRID], row[3][GRID];
    const double h = 0.02, det = K[0] * K[3] - K[1] * K[2];
    exact sums = {.highest = -INFINITY};
    for (size_t site = 0; site < 2; site++)
        for (int i = 0; i < GRID; i++) {
            tw_observations all = two(), one = tw_observations_part(&all, site, 1);
            double x = -10.0 + h * i;
            one.likelihood->terms(&one, &x, &value[site][i], NULL, NULL, NULL);
        }
    for (int i = 0; i < GRID; i++) {
        row[0][i] = row[1][i] = row[2][i] = 0.0;
        for (int j = 0; j < GRID; j++) {
            double a = -10.0 + h * i, b = -10.0 + h * j;
            double square = (K[3] * a * a - 2.0 * K[1] * a * b + K[0] * b * b) / det;
            double p = h * h * exp(value[0][i] + value[1][j] - 0.5 * square) / (2.0 * acos(-1.0) * sqrt(det));
            sums.highest = fmax(sums.highest, log(p / (h * h)));
            row[0][i] += p;
            row[1][i] += p * b;
            row[2][i] += p * b * b;
        }
        double a = -10.0 + h * i;
        sums.log_z += row[0][i];
        sums.mean[0] += row[0][i] * a, sums.sd[0] += row[0][i] * a * a;
        sums.mean[1] += row[1][i], sums.sd[1] += row[2][i];
    }
    for (int i = 1; i + 1 < GRID; i++) sums.modes += row[0][i] > row[0][i - 1] && row[0][i] > row[0][i + 1];
    for (int k = 0; k < 2; k++) {
        sums.mean[k] /= sums.log_z;
        sums.sd[k] = sqrt(sums.sd[k] / sums.log_z - sums.mean[k] * sums.mean[k]);
    }
    sums.log_z = log(sums.log_z);
    return sums;
}

static void count_modes_warning(void *user, const tw_warning *warning)
{
    *(int *)user += warning->code == TW_WARN_MODES;
}

static double log_density(const double *x)
{
    tw_observations o = two();
    double value[2], det = K[0] * K[3] - K[1] * K[2];
    o.likelihood->terms(&o, x, value, NULL, NULL, NULL);
    double square = (K[3] * x[0] * x[0] - 2.0 * K[1] * x[0] * x[1] + K[0] * x[1] * x[1]) / det;
    return value[0] + value[1] - 0.5 * square - 0.5 * log(det) - log(2.0 * acos(-1.0));
}

/* Laplace's formula: log density + log 2 pi - log|K^-1 + W|/2. */
static double laplace_at(const double *x)
{
    tw_observations o = two();
    double lambda[2], det = K[0] * K[3] - K[1] * K[2];
    o.likelihood->terms(&o, x, NULL, NULL, lambda, NULL);
    double h = (K[3] / det + lambda[0]) * (K[0] / det + lambda[1]) - K[1] * K[1] / (det * det);
    return log_density(x) + log(2.0 * acos(-1.0)) - 0.5 * log(h);
}

static void laplace_finds_the_higher_mode_and_says_that_there_are_two(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *fit = NULL;
    tw_observations o = two();
    int warnings = 0;
    tw_context_set_warn(ctx, count_modes_warning, &warnings);
    assert_int_equal(tw_model_new(ctx, K, 2, &o, 0.0, &model), TW_OK);
    assert_int_equal(tw_laplace_fit(model, NULL, &fit), TW_OK);
    assert_true(fit->converged && warnings == 1);
    assert_close(fit->log_z, laplace_at(fit->mean), 1e-8, "Laplace's log Z");
    print_message("mode (%.3f, %.3f)\n", fit->mean[0], fit->mean[1]);
    assert_true(log_density(fit->mean) >= integrate().highest); /* points of which are near both modes */
    assert_true(fit->tau[0] * fit->tau[1] < 0.0);               /* one of the two is far off */
    tw_approximation_free(fit);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* EP has one Gaussian for both modes; what it says must be a distribution with a verdict. */
static posed pose(void)
{
    tw_observations o = two();
    return pose_observed(NULL, K, &o);
}

/* y = (-5, 5) of one latent c ~ N(0, 25): every start is drawn to 0, a minimum between modes at about -5 and 5. The mode's log Z,
 * psi - log(1 + 25 sum lambda)/2 there, by bisection of psi' between 4 and 6. */
static void laplace_leaves_a_saddle_point(void **state)
{
    (void)state;
    const double k[4] = {25.0, 25.0, 25.0, 25.0}, y[2] = {-5.0, 5.0};
    tw_observations o = {.likelihood = tw_likelihood_find("student_t"), .phi = PHI, .n = 2, .y = y};
    double low = 4.0, high = 6.0, value[2], slope[2], lambda[2];
    for (int step = 0; step < 60; step++) {
        double c = 0.5 * (low + high);
        o.likelihood->terms(&o, (double[]){c, c}, value, slope, lambda, NULL);
        if (slope[0] + slope[1] - c / 25.0 > 0.0)
            low = c;
        else
            high = c;
    }
    double there = value[0] + value[1] - low * low / 50.0 - 0.5 * log(1.0 + 25.0 * (lambda[0] + lambda[1]));
    int warnings = 0;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_approximation *a = NULL;
    tw_context_set_warn(ctx, count_modes_warning, &warnings);
    assert_int_equal(tw_model_new(ctx, k, 2, &o, 0.0, &model), TW_OK);
    assert_int_equal(tw_laplace_fit(model, NULL, &a), TW_OK);
    assert_true(a->converged && a->several_modes && warnings == 1);
    assert_close(fabs(a->mean[0]), low, 1e-6, "the mode");
    assert_close(a->log_z, there, 1e-8, "log Z");
    tw_approximation_free(a);
    tw_model_free(model);
    tw_context_free(ctx);
}

static void evidence_and_draws_see_both_modes(void **state)
{
    (void)state;
    exact want = integrate();
    posed p = pose();
    double beta[STEPS + 1];
    tw_ais_options o = TW_AIS_DEFAULTS;
    tw_estimate e;
    assert_int_equal(want.modes, 2);
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_GEOMETRIC, STEPS, 0.01, beta), TW_OK);
    o.beta = beta;
    o.temperatures = STEPS;
    o.particles = 512;
    assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &e), TW_OK);
    print_message("log Z %.4f, EP %.4f, ais %.4f +- %.4f; mean %.3f, sd %.3f\n", want.log_z, p.ep->log_z,
                  e.log_z, e.se, want.mean[0], want.sd[0]);
    assert_close(e.log_z, want.log_z, 4.0 * e.se, "ais from the prior");
    assert_close(p.ep->log_z, want.log_z, 0.5, "EP");
    oracle_case oracle = {.name = "two modes", .n = 2, .kinds = 2, .first = {0, 1}};
    memcpy(oracle.mean, want.mean, sizeof want.mean);
    memcpy(oracle.sd, want.sd, sizeof want.sd);
    chain_case c = {.posed = p, .oracle = &oracle};
    tw_chains_options run = TW_CHAINS_DEFAULTS;
    run.seed = 1;
    run.warmup = 500;
    run.draws = 4000;
    tw_draws *draws = chain_case_run(&c, TW_METHOD_SLICE, TW_METRIC_PRIOR, &run);
    chain_case_compare(&c, draws);
    tw_draws_free(draws);
    draws = chain_case_run(&c, TW_METHOD_HMC, TW_METRIC_EP, &run);
    chain_case_compare(&c, draws);
    tw_draws_free(draws);
    posed_free(&p);
}

/* ---- one outlier among observations that agree: a site of negative precision ---- */

static void outlier_matrix(double *k, bool singular)
{
    for (int j = 0; j < OUTLIER; j++)
        for (int i = 0; i < OUTLIER; i++) {
            double a = singular ? i / 2 : i, b = singular ? j / 2 : j,
                   d = 0.4 * (a - b); /* pairs at one place */
            k[i + j * OUTLIER] = 2.0 * exp(-0.5 * d * d) + (i == j && !singular ? 1e-3 : 0.0);
        }
}

static posed pose_outlier(const double *k)
{
    static const double y[OUTLIER] = {0.3, 0.1, 6.0, 0.2, 0.5, 0.4};
    tw_observations o = {.likelihood = tw_likelihood_find("student_t"), .phi = PHI, .n = OUTLIER, .y = y};
    return pose_observed(NULL, k, &o);
}

/* EP leaves moments matched (its residual), the outlier's site is negative, and a prediction at a training case is its
 * marginal: mean k' (nu - tau mu), variance k** - k' (T - T Sigma T) k. */
static void outliers_have_negative_sites_and_predictions_know(void **state)
{
    (void)state;
    for (int singular = 0; singular < 2; singular++) {
        double k[OUTLIER * OUTLIER], cross[OUTLIER * OUTLIER], diagonal[OUTLIER], mean[OUTLIER],
            variance[OUTLIER];
        outlier_matrix(k, singular == 1);
        posed p = pose_outlier(k);
        tw_predictor *predictor = NULL;
        assert_true(p.ep->tau[2] < 0.0 && p.ep->residual < 1e-6);
        assert_int_equal(p.model->n, OUTLIER);
        assert_int_equal(tw_predictor_new(p.model, p.ep, &predictor), TW_OK);
        memcpy(cross, k, sizeof k);
        for (int i = 0; i < OUTLIER; i++) diagonal[i] = k[i * (OUTLIER + 1)];
        assert_int_equal(tw_predictor_apply(predictor, OUTLIER, cross, diagonal, mean, variance), TW_OK);
        for (int i = 0; i < OUTLIER; i++) {
            assert_close(mean[i], p.ep->mean[i], 1e-9, "mean");
            assert_close(variance[i], p.ep->variance[i], 1e-9, "variance");
        }
        tw_predictor_free(predictor);
        posed_free(&p);
    }
}

/* With all observations but the outlier nearly certain of it, log Z of the singular matrix is that of a slightly regular one. */
static void lower_rank_changes_nothing(void **state)
{
    (void)state;
    double k[OUTLIER * OUTLIER];
    outlier_matrix(k, true);
    posed singular = pose_outlier(k);
    for (int i = 0; i < OUTLIER; i++) k[i * (OUTLIER + 1)] += 1e-8;
    posed regular = pose_outlier(k);
    assert_true(singular.model->prior->r < OUTLIER);
    assert_close(singular.ep->log_z, regular.ep->log_z, 1e-5, "log Z");
    for (int i = 0; i < OUTLIER; i++)
        assert_close(singular.ep->variance[i], regular.ep->variance[i], 1e-5, "variance");
    posed_free(&singular);
    posed_free(&regular);
}

static void the_hessian_is_no_metric(void **state)
{
    (void)state;
    posed p = pose();
    tw_posterior posterior = {.model = p.model, .beta = 1.0, .approximation = p.ep};
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampling *sampling = NULL;
    o.method = TW_METHOD_RMHMC;
    o.metric = TW_METRIC_HESSIAN;
    assert_int_equal(tw_sampling_new(&posterior, &o, 2, &sampling), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(p.ctx), "not log-concave"));
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_finds_the_higher_mode_and_says_that_there_are_two),
        cmocka_unit_test(laplace_leaves_a_saddle_point),
        cmocka_unit_test(evidence_and_draws_see_both_modes),
        cmocka_unit_test(outliers_have_negative_sites_and_predictions_know),
        cmocka_unit_test(lower_rank_changes_nothing),
        cmocka_unit_test(the_hessian_is_no_metric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
