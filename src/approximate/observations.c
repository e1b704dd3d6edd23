/* observations.c: what is to be expected of observations whose latent values are N(m, v), and how well it
 * came true.
 *
 *   binary     P(y = +1) = int p(+1 | x) N(x; m, v) dx, the normaliser of a tilted distribution
 *   poisson    E y = r = w exp(m + v/2), var y = r + r^2 (e^v - 1)
 *   gaussian   E y = m, var y = v + w^2
 */
#include <math.h>

#include "base/context.h"
#include "talweg/approximate.h"

bool tw_likelihood_is_binary(const tw_likelihood *likelihood)
{
    void *user = likelihood->user;
    return likelihood->supports(user, -1.0, 1.0) && likelihood->supports(user, 1.0, 1.0) &&
           !likelihood->supports(user, 0.0, 1.0) && !likelihood->supports(user, 2.0, 1.0);
}

/* log of the integral of p(y | x) N(x; m, v); where v has rounded to 0, x is m. */
static tw_status log_marginal(const tw_likelihood *likelihood, double y, double w, double m, double v,
                              double *value)
{
    tw_tilted tilted;
    if (v > 0.0) {
        TW_TRY(tw_likelihood_tilted(likelihood, y, w, m, v, &tilted));
        *value = tilted.log_z;
        return TW_OK;
    }
    double slope, lambda, dlambda;
    likelihood->terms(likelihood->user, 1, &y, &w, &m, value, &slope, &lambda, &dlambda);
    return isfinite(*value) ? TW_OK : TW_NUMERICAL_FAILURE;
}

tw_status tw_predict_log_scores(tw_context *ctx, const tw_likelihood *likelihood, size_t m, const double *w,
                                const double *mean, const double *variance, const double *y,
                                double *log_score)
{
    for (size_t i = 0; i < m; i++)
        if (log_marginal(likelihood, y[i], w ? w[i] : 1.0, mean[i], variance[i], &log_score[i]) != TW_OK)
            return tw_fail(
                ctx, TW_NUMERICAL_FAILURE,
                "the %s probability of %g cannot be computed for case %zu, with latent mean %g and "
                "variance %g",
                likelihood->name, y[i], i + 1, mean[i], variance[i]);
    return TW_OK;
}

static tw_status expect_binary(tw_context *ctx, const tw_likelihood *likelihood, size_t m, const double *w,
                               const double *mean, const double *variance, double *expected, double *sd)
{
    for (size_t i = 0; i < m; i++) expected[i] = 1.0; /* the observation to score, in place */
    TW_TRY(tw_predict_log_scores(ctx, likelihood, m, w, mean, variance, expected, expected));
    for (size_t i = 0; i < m; i++) {
        double p = expected[i] = exp(expected[i]);
        if (sd) sd[i] = 2.0 * sqrt(p * (1.0 - p)); /* of y in {-1, +1} */
    }
    return TW_OK;
}

static void expect_poisson(size_t m, const double *w, const double *mean, const double *variance,
                           double *expected, double *sd)
{
    for (size_t i = 0; i < m; i++) {
        double rate = (w ? w[i] : 1.0) * exp(mean[i] + 0.5 * variance[i]);
        expected[i] = rate;
        if (sd) sd[i] = sqrt(rate + rate * rate * expm1(variance[i]));
    }
}

static void expect_gaussian(size_t m, const double *w, const double *mean, const double *variance,
                            double *expected, double *sd)
{
    for (size_t i = 0; i < m; i++) {
        double noise = w ? w[i] : 1.0;
        expected[i] = mean[i];
        if (sd) sd[i] = sqrt(variance[i] + noise * noise);
    }
}

tw_status tw_predict_observations(tw_context *ctx, const tw_likelihood *likelihood, size_t m, const double *w,
                                  const double *mean, const double *variance, double *expected, double *sd)
{
    if (tw_likelihood_is_binary(likelihood))
        return expect_binary(ctx, likelihood, m, w, mean, variance, expected, sd);
    if (likelihood == tw_likelihood_find("poisson"))
        expect_poisson(m, w, mean, variance, expected, sd);
    else if (likelihood == tw_likelihood_find("gaussian"))
        expect_gaussian(m, w, mean, variance, expected, sd);
    else
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the mean of an observation is not known for the likelihood %s",
                       likelihood->name);
    return TW_OK;
}

static void add_binary(size_t m, const double *y, const double *p, tw_scores *sums)
{
    for (size_t i = 0; i < m; i++) {
        size_t b = (size_t)fmin(p[i] * TW_CALIBRATION_BINS, TW_CALIBRATION_BINS - 1);
        double side = y[i] * (p[i] - 0.5);
        sums->error_rate += side < 0.0 ? 1.0 : side > 0.0 ? 0.0 : 0.5;
        sums->bin[b].cases++;
        sums->bin[b].predicted += p[i];
        sums->bin[b].observed += y[i] > 0.0 ? 1.0 : 0.0;
    }
}

void tw_scores_add(const tw_likelihood *likelihood, size_t m, const double *y, const double *expected,
                   const double *log_score, tw_scores *sums)
{
    sums->cases += m;
    for (size_t i = 0; i < m; i++) {
        sums->log_score += log_score[i];
        sums->rmse += (y[i] - expected[i]) * (y[i] - expected[i]);
    }
    if (tw_likelihood_is_binary(likelihood)) add_binary(m, y, expected, sums);
}

tw_scores tw_scores_finish(const tw_likelihood *likelihood, const tw_scores *sums)
{
    tw_scores scores = *sums;
    bool binary = tw_likelihood_is_binary(likelihood);
    double cases = (double)sums->cases;
    scores.log_score /= cases;
    scores.error_rate = binary ? sums->error_rate / cases : NAN;
    scores.rmse = binary ? NAN : sqrt(sums->rmse / cases);
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) { /* 0/0 = NaN in an empty bin */
        scores.bin[b].predicted /= (double)sums->bin[b].cases;
        scores.bin[b].observed /= (double)sums->bin[b].cases;
    }
    return scores;
}

tw_scores tw_predict_scores(const tw_likelihood *likelihood, size_t m, const double *y,
                            const double *expected, const double *log_score)
{
    tw_scores sums = {0};
    tw_scores_add(likelihood, m, y, expected, log_score, &sums);
    return tw_scores_finish(likelihood, &sums);
}
