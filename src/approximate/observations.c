/* observations.c: predictions of observations whose latent values are N(m, v): mean and standard deviation,
 * probabilities of levels, log scores; and summaries of scores.
 */
#include <math.h>

#include "base/context.h"
#include "likelihood/likelihood.h"
#include "talweg/approximate.h"
#include "talweg/warning.h"

/* log of the integral of p(y | x) N(x; m, v); if v has rounded to 0, log p(y | m). */
static tw_status log_marginal(const tw_observations *at, size_t i, double m, double v, double *value)
{
    tw_tilted tilted;
    if (v > 0.0) {
        TW_TRY(tw_likelihood_tilted(at, i, m, v, &tilted));
        *value = tilted.log_z;
        return TW_OK;
    }
    tw_observations one = tw_observations_part(at, i, 1);
    at->likelihood->terms(&one, &m, value, NULL, NULL, NULL);
    return isfinite(*value) ? TW_OK : TW_NUMERICAL_FAILURE;
}

tw_status tw_predict_log_scores(tw_context *ctx, const tw_observations *at, const double *mean,
                                const double *variance, double *log_score)
{
    for (size_t i = 0; i < at->n; i++)
        if (log_marginal(at, i, mean[i], variance[i], &log_score[i]) != TW_OK)
            return tw_fail(
                ctx, TW_NUMERICAL_FAILURE,
                "the %s probability of y = %g cannot be computed for case %zu (latent mean %g, variance %g)",
                at->likelihood->name, at->y[i], i + 1, mean[i], variance[i]);
    return TW_OK;
}

tw_status tw_predict_observations(tw_context *ctx, const tw_observations *at, const double *mean,
                                  const double *variance, double *expected, double *sd)
{
    TW_TRY(tw_likelihood_check_expect(ctx, at->likelihood));
    for (size_t i = 0; i < at->n; i++) {
        double spread = 0.0;
        tw_observations one = tw_observations_part(at, i, 1);
        if (tw_likelihood_expect(&one, &mean[i], variance[i], &expected[i], sd ? &spread : NULL) != TW_OK)
            return tw_fail(ctx, TW_NUMERICAL_FAILURE,
                           "the %s expectation of case %zu cannot be computed (latent mean %g, variance %g)",
                           at->likelihood->name, i + 1, mean[i], variance[i]);
        if (sd) sd[i] = sqrt(spread);
        if (tw_likelihood_has_mean(&one)) continue;
        expected[i] = NAN;
        if (sd) sd[i] = NAN;
    }
    return TW_OK;
}

void tw_predict_warn(tw_context *ctx, const tw_observations *at)
{
    double cases = (double)at->n;
    if (!tw_likelihood_has_mean(at))
        tw_warn(ctx, &(tw_warning){.code = TW_WARN_NO_MEANS,
                                   .number = {cases, cases, 0.0, cases},
                                   .name = "they do not exist"});
}

tw_status tw_predict_levels(tw_context *ctx, const tw_observations *at, const double *mean,
                            const double *variance, double *levels)
{
    size_t count = at->likelihood->levels;
    if (count == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the %s likelihood has no levels", at->likelihood->name);
    for (size_t i = 0; i < at->n; i++) {
        tw_observations one = tw_observations_part(at, i, 1);
        if (tw_likelihood_levels(&one, &mean[i], variance[i], levels + i * count) != TW_OK)
            return tw_fail(ctx, TW_NUMERICAL_FAILURE,
                           "the probabilities of the levels of case %zu cannot be computed (latent mean %g, "
                           "variance %g)",
                           i + 1, mean[i], variance[i]);
    }
    return TW_OK;
}

/* Add to the error rate and to the calibration table. */
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

void tw_scores_add(const tw_observations *at, const double *expected, const double *log_score,
                   tw_scores *sums)
{
    sums->cases += at->n;
    for (size_t i = 0; i < at->n; i++) {
        sums->log_score += log_score[i];
        if (tw_observations_censored(at, i))
            sums->censored++; /* y is a bound of the time of the event, not the time */
        else
            sums->rmse += (at->y[i] - expected[i]) * (at->y[i] - expected[i]);
    }
    if (at->likelihood->two_classes) add_binary(at->n, at->y, expected, sums);
}

tw_scores tw_scores_finish(const tw_likelihood *likelihood, const tw_scores *sums)
{
    tw_scores scores = *sums;
    bool binary = likelihood->two_classes;
    double cases = (double)sums->cases;
    scores.log_score /= cases;
    scores.error_rate = binary ? sums->error_rate / cases : NAN;
    scores.rmse = binary ? NAN : sqrt(sums->rmse / (double)(sums->cases - sums->censored)); /* 0/0 = NaN */
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) { /* 0/0 = NaN in an empty bin */
        scores.bin[b].predicted /= (double)sums->bin[b].cases;
        scores.bin[b].observed /= (double)sums->bin[b].cases;
    }
    return scores;
}

tw_scores tw_predict_scores(const tw_observations *at, const double *expected, const double *log_score)
{
    tw_scores sums = {0};
    tw_scores_add(at, expected, log_score, &sums);
    return tw_scores_finish(at->likelihood, &sums);
}
