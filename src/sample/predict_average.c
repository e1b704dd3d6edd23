/* predict_average.c: average the predictions of one new case over the draws.
 *
 * Given x_s the latent value is N(m_s, c), and the likelihood gives the mean E[y | x_s] and the variance
 * var[y | x_s]. Then var y = mean of var[y | x_s] + variance of E[y | x_s]. For two classes E is the
 * probability of +1, int p(+1 | f) N(f; m_s, c) df, and y in {-1, +1} has the variance 4 E (1 - E). Means and
 * variances over the draws are updated block by block (Chan, Golub and LeVeque 1983). For Monte Carlo errors
 * we keep the means over batches of consecutive draws, whose lengths differ by at most one. The series of
 * batch means has the same mean as the draws, and tw_diagnose estimates its error from its autocorrelation.
 * Draws with places are resampled and shuffled, so S draws with effective size E have sqrt(S / E) times the
 * error of S independent draws.
 */
#include <math.h>

#include "diagnose/diagnose.h"
#include "math/vector.h"
#include "sample/predict.h"

enum { MANY = 50 }; /* draws that contribute to a probability */

static const double PLUS_ONE = 1.0;

static size_t series_length(const tw_draws_predictor *p)
{
    return p->batches * p->source.chains;
}

void tw_new_case_begin(tw_draws_predictor *p, size_t point)
{
    tw_new_case *c = &p->cases[point];
    size_t length = series_length(p);
    c->draws = 0;
    c->mean_variance = 0.0;
    c->latent = c->expected = (tw_moments){0.0, 0.0};
    c->noise = 0.0;
    c->failed = c->no_mean = c->line_mean = c->line_score = false;
    for (size_t k = 0; k < p->levels; k++) c->level[k] = 0.0;
    for (size_t k = 0; k < length; k++) p->series[k + point * length] = 0.0;
    for (size_t k = 0; !p->two_classes && k < length; k++) p->square_series[k + point * length] = 0.0;
    for (size_t k = 0; p->labelled && k < length; k++) p->log_series[k + point * length] = -INFINITY;
}

void tw_new_case_set_marginals(tw_new_case *c)
{
    tw_observations plus = c->at;
    plus.y = &PLUS_ONE;
    c->plus = tw_marginal_of(&plus, 0, c->variance);
    c->label = tw_marginal_of(&c->at, 0, c->variance);
}

/* Add `count` values to the moments of `before` others. */
static void add_moments(size_t before, size_t count, const double *x, tw_moments *moments)
{
    double sum = 0.0, squares = 0.0, all = (double)(before + count);
    for (size_t i = 0; i < count; i++) sum += x[i];
    double mean = sum / (double)count, shift = mean - moments->mean;
    for (size_t i = 0; i < count; i++) squares += (x[i] - mean) * (x[i] - mean);
    moments->mean += shift * ((double)count / all);
    moments->squares += squares + shift * shift * ((double)before * (double)count / all);
}

/* log(exp(a) + exp(b)). */
static double log_add(double a, double b)
{
    double larger = fmax(a, b), smaller = fmin(a, b);
    return smaller == -INFINITY ? larger : larger + log1p(exp(smaller - larger));
}

/* Add values of draws first .. first + count - 1 of a chain, or values given by their logarithms, to their
 * batches. t is the batch of draw `first`. */
static void add_to_series(const tw_draws_predictor *p, size_t chain, size_t first, size_t count,
                          const double *values, bool logarithms, double *series)
{
    size_t t = ((first + 1) * p->batches - 1) / p->source.draws, end = tw_batch_start(p, t + 1);
    double *batch = series + chain * p->batches;
    for (size_t i = 0; i < count; i++) {
        if (first + i == end) end = tw_batch_start(p, ++t + 1);
        batch[t] = logarithms ? log_add(batch[t], values[i]) : batch[t] + values[i];
    }
}

/* E[y | x_s] for every draw of a block; c->noise becomes the mean of var[y | x_s] with these. squares[i] is
 * var[y | x_s] + (E[y | x_s] - origin)^2. */
static tw_status expect(tw_new_case *c, size_t count, const double *means, double *out, double *squares)
{
    double sum = 0.0, all = (double)(c->draws + count);
    TW_TRY(tw_expect_many(&c->at, 0, c->variance, count, means, out, squares));
    if (c->draws == 0) c->origin = out[0];
    for (size_t i = 0; i < count; i++) sum += squares[i];
    for (size_t i = 0; i < count; i++) squares[i] += (out[i] - c->origin) * (out[i] - c->origin);
    c->noise = isinf(c->noise + sum) ? INFINITY : c->noise + (sum - (double)count * c->noise) / all;
    c->no_mean |= !tw_likelihood_has_mean(&c->at);
    return TW_OK;
}

/* Keep u'v (and the sd of f* | x_s) of every quantile_stride-th of all draws; these are numbers first ..
 * first + count - 1. */
static void keep_for_quantiles(const tw_draws_predictor *p, size_t point, size_t first, size_t count,
                               const double *means)
{
    size_t next = (first + p->quantile_stride - 1) / p->quantile_stride;
    for (; next * p->quantile_stride < first + count; next++) {
        p->quantile_means[point * p->quantile_draws + next] = means[next * p->quantile_stride - first];
        if (p->quantile_sds)
            p->quantile_sds[point * p->quantile_draws + next] = sqrt(p->cases[point].variance);
    }
}

void tw_new_case_add(tw_draws_predictor *p, size_t point, size_t chain, size_t first, size_t count,
                     const double *means, double *work)
{
    tw_new_case *c = &p->cases[point];
    double *series = p->series + point * series_length(p);
    double *log_series = p->log_series + point * series_length(p);
    bool is_plus = p->two_classes && c->y == 1.0;
    add_moments(c->draws, count, means, &c->latent);
    c->mean_variance += (c->variance - c->mean_variance) * ((double)count / (double)(c->draws + count));
    if (p->levels) c->failed |= tw_levels_sum(&c->at, 0, c->variance, count, means, c->level) != TW_OK;
    if (p->quantiles) keep_for_quantiles(p, point, chain * p->source.draws + first, count, means);
    if (p->two_classes)
        c->failed |= tw_marginal_log(&c->plus, count, means, work) != TW_OK;
    else
        c->failed |= expect(c, count, means, work, work + count) != TW_OK;
    if (is_plus) add_to_series(p, chain, first, count, work, true, log_series);
    if (p->two_classes) tw_vector_exp(count, work, work);
    add_moments(c->draws, count, work, &c->expected);
    add_to_series(p, chain, first, count, work, false, series);
    if (!p->two_classes)
        add_to_series(p, chain, first, count, work + count, false,
                      p->square_series + point * series_length(p));
    c->draws += count;
    if (!p->labelled || is_plus) return;
    c->failed |= tw_marginal_log(&c->label, count, means, work) != TW_OK;
    add_to_series(p, chain, first, count, work, true, log_series);
}

/* The number of draws in batch k of a series. */
static double batch_length(const tw_draws_predictor *p, size_t k)
{
    return p->lengths[k % p->batches];
}

/* The error of draws with places: that of independent draws, times sqrt(S / E). */
static double mcse_of_independent(const tw_draws_predictor *p, size_t length, const double *series)
{
    tw_moments m = {0.0, 0.0};
    double all = (double)(p->source.draws * p->source.chains);
    add_moments(0, length, series, &m);
    double variance = m.squares / (double)(length - 1) / (double)length;
    return length > 1 ? sqrt(variance * all / p->source.places->effective) : NAN;
}

double tw_predict_mcse(const tw_draws_predictor *p, tw_diagnose *diagnose, const double *series)
{
    bool finite = true;
    if (p->source.places) return mcse_of_independent(p, diagnose->total, series);
    for (size_t k = 0; k < diagnose->total; k++) finite &= isfinite(series[k]) != 0;
    bool constant = finite && diagnose->half >= 3 && !tw_series_varies(diagnose, series);
    return constant ? 0.0 : tw_series_mcse(diagnose, series);
}

/* With Q_s = var[y | x_s] + (E_s - origin)^2, the variance of y is mean Q - (mean E - origin)^2, and to first
 * order its error is that of the mean of Q_s - 2 (mean E - origin) E_s. */
tw_average tw_predict_sd(const tw_draws_predictor *p, tw_diagnose *diagnose, double origin, double mean,
                         const double *means, double *squares)
{
    size_t length = diagnose->total;
    double away = mean - origin, sum = 0.0;
    for (size_t k = 0; k < length; k++) {
        squares[k] -= away * (2.0 * (means[k] - mean) + away);
        sum += squares[k];
    }
    double sd = sqrt(fmax(sum / (double)length, 0.0));
    return (tw_average){.value = sd,
                        .mcse = 0.5 * tw_predict_mcse(p, diagnose, squares) / sd,
                        .k = tw_mean_pareto_k(length, squares, diagnose->series)};
}

/* Where a tail is heavy, what is bounded has none that matters: the variance of stochastic volatility is not bounded,
 * but its mean is. The tail of a mean of positive numbers has at least half the k of their squares. */
static void judge_tails(tw_new_case *c, double between)
{
    tw_average *mean = &c->averages.mean, *sd = &c->averages.sd;
    if (fmax(mean->k, sd->k) <= TW_PREDICT_HEAVY) return;
    if (tw_expect_is_bounded(&c->at, 0)) {
        mean->k = 0.0;
        if (tw_variance_is_bounded(&c->at, 0)) sd->k = 0.0;
    } else if (!tw_expect_has_either_sign(&c->at, 0)) {
        mean->k = fmax(mean->k, 0.5 * sd->k);
    } else if (sd->k <= TW_PREDICT_HEAVY) {
        /* Far from the data nearly all draws have a mean of 0, and a few with long length scales have not. What may
         * be missing is one draw in n of a size that the sd of y, which is known, bounds; n = between / mcse^2. */
        mean->k = 0.0;
        mean->mcse = hypot(mean->mcse, sd->value * mean->mcse * mean->mcse / between);
    }
}

/* The mean and the standard deviation of y. */
static void average(const tw_draws_predictor *p, size_t point, tw_diagnose *diagnose)
{
    tw_new_case *c = &p->cases[point];
    size_t length = series_length(p);
    double *series = p->series + point * length, *squares = p->square_series + point * length;
    double mean = c->expected.mean, between = c->expected.squares / (double)c->draws;
    tw_average *of_mean = &c->averages.mean, *of_sd = &c->averages.sd;
    *of_mean = (tw_average){mean, tw_predict_mcse(p, diagnose, series), 0.0};
    if (p->two_classes) {
        double sd = 2.0 * sqrt(mean * (1.0 - mean)),
               slope = sd > 0.0 ? 4.0 * (1.0 - 2.0 * mean) / (2.0 * sd) : 0.0;
        *of_sd = (tw_average){sd, fabs(slope) * of_mean->mcse, 0.0};
        return;
    }
    of_mean->k = tw_mean_pareto_k(length, series, diagnose->series);
    for (size_t k = 0; k < length; k++) squares[k] /= batch_length(p, k);
    *of_sd = tw_predict_sd(p, diagnose, c->origin, mean, series, squares);
    of_sd->value = sqrt(c->noise + between);
    judge_tails(c, between);
}

/* Turn logarithms of sums over batches into means over batches, divided by the mean over all draws. Returns
 * the logarithm of that mean. */
static double log_mean(const tw_draws_predictor *p, double *series)
{
    size_t length = series_length(p);
    double largest = -INFINITY, sum = 0.0;
    for (size_t k = 0; k < length; k++) largest = fmax(largest, series[k]);
    if (!isfinite(largest)) return largest;
    for (size_t k = 0; k < length; k++) series[k] -= largest;
    tw_vector_exp(length, series, series);
    for (size_t k = 0; k < length; k++) sum += series[k];
    double mean = sum / (double)(p->source.draws * p->source.chains);
    for (size_t k = 0; k < length; k++) series[k] /= batch_length(p, k) * mean;
    return largest + log(mean);
}

/* A label that is impossible for every draw; or a probability, at most 1 for a draw, to which many draws must have
 * contributed. */
static bool score_needs_no_tail(const tw_draws_predictor *p, const tw_new_case *c)
{
    double all = (double)(p->source.draws * p->source.chains), score = c->averages.score.value;
    bool many = exp(score) * all >= MANY;
    return score == -INFINITY || (many && (p->two_classes || c->at.likelihood->levels > 0));
}

void tw_new_case_finish(tw_draws_predictor *p, size_t point, tw_diagnose *diagnose)
{
    tw_new_case *c = &p->cases[point];
    size_t length = series_length(p);
    double *series = p->series + point * length;
    for (size_t k = 0; k < length; k++) series[k] /= batch_length(p, k);
    average(p, point, diagnose);
    for (size_t k = 0; k < p->levels; k++) c->level[k] /= (double)c->draws;
    if (p->quantiles) tw_new_case_quantiles(p, c, p->quantile_means + point * p->quantile_draws);
    if (!p->labelled) return;
    double *score = p->log_series + point * length;
    tw_left_out left = {0};
    c->averages.score.value = log_mean(p, score);
    for (size_t g = 0; g < tw_predict_groups(p); g++)
        tw_predict_leave_out(p, score, 1.0, g, tw_predict_without(p, score, g), &left);
    c->averages.score.mcse = tw_predict_log_mcse(p, &left, tw_predict_mcse(p, diagnose, score));
    c->averages.score.k = score_needs_no_tail(p, c) ? 0.0 : tw_mean_pareto_k(length, score, diagnose->series);
}

static size_t withhold(bool missing, tw_average *a)
{
    if (missing) a->value = a->mcse = NAN;
    return missing;
}

void tw_new_case_withhold(tw_draws_predictor *p, tw_new_case *c)
{
    tw_averages *a = &c->averages;
    double limit = p->plain ? INFINITY : TW_PREDICT_LIMIT;
    bool no_variance = !c->no_mean && a->sd.value == INFINITY;
    p->cases_done++;
    p->not_existing += c->no_mean ? 2 : 0; /* the mean, and with it the standard deviation */
    bool no_score = p->labelled && tw_score_is_heavy(a, limit), no_sd = tw_sd_is_heavy(a, limit);
    p->no_means += withhold(c->no_mean || !isfinite(a->mean.value) || tw_mean_is_heavy(a, limit), &a->mean);
    if (no_variance)
        a->sd.mcse = 0.0;
    else
        p->no_sds += withhold(no_sd || isnan(a->mean.value) || !isfinite(a->sd.value), &a->sd);
    p->no_scores += withhold(no_score, &a->score);
}
