/* predict_log.c: the Monte Carlo error of the logarithm of a mean over draws.
 *
 * To first order, the error of log P, P = mean_s p_s, is that of the mean of p_s / P. If few draws dominate
 * the mean, as for an improbable label, log P is also biased low, by about half the relative variance of P,
 * and its lower tail is longer. The jackknife estimates both: with l_g the logarithm without the draws of
 * group g, G groups, l the mean of the l_g, and m_g the first-order part of l_g - log P,
 *   bias = (G - 1) (mean_g l_g - log P),
 *   error^2 = (first-order error)^2 max(1, sum_g (l_g - l)^2 / sum_g m_g^2) + bias^2.
 * The first-order error includes the autocorrelation of the draws. A sum of logarithms over cases has the
 * same formulas. A group is a chain or, if there are fewer than 8 chains, a part of a chain.
 */
#include <math.h>

#include "sample/predict.h"

enum { LEAST_GROUPS = 8 };

static size_t parts_of_a_chain(const tw_draws_predictor *p)
{
    size_t parts = (LEAST_GROUPS + p->source.chains - 1) / p->source.chains;
    return parts < p->batches ? parts : p->batches;
}

size_t tw_predict_groups(const tw_draws_predictor *p)
{
    return p->source.chains * parts_of_a_chain(p);
}

/* The part of the mean of a series that is due to group g: the sum over its draws, divided by the number of
 * all draws. *share is the fraction of the draws that are in the group. */
static double part_of_mean(const tw_draws_predictor *p, const double *series, size_t g, double *share)
{
    size_t parts = parts_of_a_chain(p), chain = g / parts, part = g % parts;
    size_t first = part * p->batches / parts, end = (part + 1) * p->batches / parts;
    double sum = 0.0, draws = 0.0, all = (double)(p->source.draws * p->source.chains);
    for (size_t t = first; t < end; t++) {
        sum += p->lengths[t] * series[chain * p->batches + t];
        draws += p->lengths[t];
    }
    *share = draws / all;
    return sum / all;
}

double tw_predict_without(const tw_draws_predictor *p, const double *series, size_t g)
{
    double share, part = part_of_mean(p, series, g, &share);
    return log((1.0 - part) / (1.0 - share));
}

void tw_predict_leave_out(const tw_draws_predictor *p, const double *series, double mean, size_t g,
                          double without, tw_left_out *out)
{
    double share, part = part_of_mean(p, series, g, &share), first = (mean * share - part) / (1.0 - share);
    out->sum += without;
    out->squares += without * without;
    out->first_squares += first * first;
}

double tw_predict_log_mcse(const tw_draws_predictor *p, const tw_left_out *left, double first_order)
{
    double groups = (double)tw_predict_groups(p), mean = left->sum / groups, bias = (groups - 1.0) * mean;
    double all = (double)(p->source.draws * p->source.chains);
    if (!(first_order > 0.0)) return first_order; /* the series is constant, or the error unknown */
    if (!isfinite(bias)) return INFINITY;         /* one group has the whole mean */
    if (p->source.places) bias *= all / p->source.places->effective;
    double grown = (left->squares - groups * mean * mean) / left->first_squares;
    return hypot(first_order * sqrt(fmax(grown, 1.0)), bias);
}
