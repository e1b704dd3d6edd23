/* predict_scores.c: scores of predictions from draws, and their Monte Carlo errors.
 *
 * The mean log score over m cases is a smooth function of the means P_j = mean_s p_js, so to first order its
 * error is that of the mean over s of (1/m) sum_j p_js / P_j, a series that includes the correlation between
 * cases; predict_log.c adds the terms beyond first order. In the same way the error of the root mean square
 * error R is that of the mean of sum_j (y_j - E_j) e_js / (m R), e_js = E[y_j | x_s]. The number of
 * misclassified cases is not a smooth function: the exact P_j is on the other side of 1/2 with probability
 * q_j = Phi(-|P_j - 1/2| / error of P_j), and sum_j q_j (1 - q_j) is the variance of the number if cases are
 * independent.
 *
 * Cases whose averages are over lines are not in these series: their errors are added up, as if they were the
 * same, and then in quadrature.
 */
#include <math.h>

#include "sample/predict.h"

static const double SQRT_HALF = 0.70710678118654752440;

/* Add a case to the series of the scores; a censored case has no error y - E y. */
static void add_series(tw_draws_predictor *p, size_t point)
{
    const tw_new_case *c = &p->cases[point];
    size_t length = p->batches * p->source.chains;
    const double *score = p->log_series + point * length, *expected = p->series + point * length;
    double error = tw_observations_censored(&c->at, 0) ? 0.0 : c->y - c->averages.mean.value;
    if (c->line_mean) p->line_square_error += fabs(error) * c->averages.mean.mcse;
    if (c->line_score) p->line_score_error += c->averages.score.mcse;
    for (size_t k = 0; k < length; k++) {
        p->score_series[k] += c->line_score ? 1.0 : score[k];
        p->error_series[k] += c->line_mean ? 0.0 : error * expected[k];
    }
    for (size_t g = 0; g < tw_predict_groups(p) && !c->line_score; g++)
        p->left_out[g] += tw_predict_without(p, score, g);
}

void tw_predict_score_block(tw_draws_predictor *p, size_t m)
{
    for (size_t j = 0; j < m; j++) {
        const tw_new_case *c = &p->cases[j];
        const tw_average *mean = &c->averages.mean;
        double distance = fabs(mean->value - 0.5);
        double q = mean->mcse == 0.0 ? 0.0 : 0.5 * erfc(SQRT_HALF * distance / mean->mcse);
        p->misclassified_variance += q * (1.0 - q);
        tw_scores_add(&c->at, &mean->value, &c->averages.score.value, &p->sums);
        add_series(p, j);
    }
}

static double error_of_log_score(const tw_draws_predictor *p, tw_diagnose *diagnose)
{
    tw_left_out left = {0};
    double cases = (double)p->sums.cases;
    for (size_t g = 0; g < tw_predict_groups(p); g++)
        tw_predict_leave_out(p, p->score_series, cases, g, p->left_out[g], &left);
    double series = tw_predict_log_mcse(p, &left, tw_predict_mcse(p, diagnose, p->score_series));
    return hypot(series, p->line_score_error) / cases;
}

tw_draws_scores tw_draws_predictor_scores(tw_draws_predictor *p)
{
    tw_draws_scores out = {.scores = tw_scores_finish(p->model->observed.likelihood, &p->sums)};
    bool binary = p->two_classes;
    double cases = (double)p->sums.cases, known = (double)(p->sums.cases - p->sums.censored);
    tw_diagnose *diagnose = p->workers[0].diagnose;
    out.log_score_mcse = isnan(out.scores.log_score) ? NAN : error_of_log_score(p, diagnose);
    out.error_rate_mcse = binary ? sqrt(p->misclassified_variance) / cases : NAN;
    double squares = hypot(tw_predict_mcse(p, diagnose, p->error_series), p->line_square_error);
    out.rmse_mcse = binary ? NAN : squares / (known * out.scores.rmse);
    return out;
}
