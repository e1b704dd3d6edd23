/* observations.c: what is to be expected of observations whose latent values are N(m, v), and how well it
 * came true.
 *
 *   binary     P(y = +1) = int p(+1 | x) N(x; m, v) dx, the normaliser of a tilted distribution
 *   poisson    E y = r = w exp(m + v/2), var y = r + r^2 (e^v - 1)
 *   gaussian   E y = m, var y = v + w^2
 */
#include <math.h>
#include <string.h>

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

static void score_binary(size_t m, const double *y, const double *p, tw_scores *scores)
{
    double errors = 0.0;
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) scores->bin[b].predicted = scores->bin[b].observed = 0.0;
    for (size_t i = 0; i < m; i++) {
        size_t b = (size_t)fmin(p[i] * TW_CALIBRATION_BINS, TW_CALIBRATION_BINS - 1);
        double side = y[i] * (p[i] - 0.5);
        errors += side < 0.0 ? 1.0 : side > 0.0 ? 0.0 : 0.5;
        scores->bin[b].cases++;
        scores->bin[b].predicted += p[i];
        scores->bin[b].observed += y[i] > 0.0 ? 1.0 : 0.0;
    }
    scores->error_rate = errors / (double)m;
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) { /* 0/0 = NaN in an empty bin */
        scores->bin[b].predicted /= (double)scores->bin[b].cases;
        scores->bin[b].observed /= (double)scores->bin[b].cases;
    }
}

tw_scores tw_predict_scores(const tw_likelihood *likelihood, size_t m, const double *y,
                            const double *expected, const double *log_score)
{
    tw_scores scores = {.cases = m, .error_rate = NAN, .rmse = NAN};
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < m; i++) {
        sum += log_score[i];
        squares += (y[i] - expected[i]) * (y[i] - expected[i]);
    }
    scores.log_score = sum / (double)m;
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) scores.bin[b].predicted = scores.bin[b].observed = NAN;
    if (tw_likelihood_is_binary(likelihood))
        score_binary(m, y, expected, &scores);
    else
        scores.rmse = sqrt(squares / (double)m);
    return scores;
}
