/* tails.c: warn about points that failed, and about means that no number of points can determine. */
#include <math.h>

#include "hyper/hyper.h"

/* ---- points that failed ---- */

/* Failed points need no warning if they could change a result by less than this fraction of its error. */
static const double HARMLESS = 0.1;

typedef struct missing {
    double weight; /* as a fraction of the total weight */
    double mean[TW_HYPER_MOST];
} missing;

static double largest_of(size_t count, const double *x)
{
    double largest = -INFINITY;
    for (size_t s = 0; s < count; s++) largest = fmax(largest, x[s]);
    return largest;
}

/* The weight of the points whose Z could not be computed, and the change that they would cause in the means,
 * if their Z were the largest that was found. */
static missing find_missing(const tw_hyper *h)
{
    const tw_hyper_result *r = h->result;
    missing m = {.weight = 0.0};
    double most = largest_of(r->points, r->log_z), total = r->estimate.log_z + log((double)r->points);
    for (size_t s = 0; s < r->points; s++) {
        const double *theta = r->theta + s * r->unknown;
        if (r->log_z[s] > -INFINITY) continue;
        tw_hyper_fill(h, theta, h->full);
        double log_rest =
            tw_priors_log_density(h->priors, h->problem, h->full, NULL) - tw_mixture_log_density(h->g, theta);
        double w = exp(log_rest + most - total);
        m.weight += w;
        for (size_t k = 0; k < r->unknown && w > 0.0; k++)
            m.mean[k] += w * fabs(tw_hyper_reported(h->problem, r, k, s) - r->row[k].mean);
    }
    return m;
}

static bool is_harmless(const tw_hyper_result *r, const missing *m)
{
    bool harmless = m->weight < HARMLESS * r->estimate.se;
    for (size_t k = 0; k < r->unknown; k++) harmless &= m->mean[k] < HARMLESS * r->row[k].mcse;
    return harmless;
}

/* ---- unreliable means ---- */

/* A tail x^(-1/index) has a variance if the index is below 1/2; the quantiles determine the index to about
 * 0.01. */
static const double NO_VARIANCE = 0.48;

/* The prior's tail is its outer probability TAIL; the posterior may have a probability of LITTLE there
 * without a warning. */
static const double TAIL = 0.01, LITTLE = 0.001;

/* The prior quantile p of unknown parameter k, on the scale of its row. */
static double prior_quantile(const tw_hyper *h, size_t k, double p)
{
    size_t j = h->index[k];
    const tw_parameter *parameter = tw_problem_parameter(h->problem, j);
    double theta = tw_prior_quantile(&h->priors->prior[j], parameter, p);
    return h->result->row[k].as_log ? theta : tw_parameter_value(parameter, theta);
}

/* The index of the lower or the upper tail: -d log |quantile - median| / d log p, far out. */
static double tail_index(const tw_hyper *h, size_t k, bool upper)
{
    const double far = 1e-8, near = 1e-6, middle = prior_quantile(h, k, 0.5);
    double a = fabs(prior_quantile(h, k, upper ? 1.0 - far : far) - middle);
    double b = fabs(prior_quantile(h, k, upper ? 1.0 - near : near) - middle);
    return log(a / b) / log(near / far);
}

/* The posterior probability of the prior's tails that have no variance. */
static double doubtful_share(const tw_hyper *h, size_t k)
{
    const tw_hyper_result *r = h->result;
    const tw_prior *prior = &h->priors->prior[h->index[k]];
    const tw_parameter *parameter = tw_problem_parameter(h->problem, h->index[k]);
    bool lower = tail_index(h, k, false) > NO_VARIANCE, upper = tail_index(h, k, true) > NO_VARIANCE;
    double largest = largest_of(r->points, r->log_weight), total = 0.0, beyond = 0.0;
    if (!lower && !upper) return 0.0;
    for (size_t s = 0; s < r->points; s++) {
        double w = exp(r->log_weight[s] - largest);
        double below = tw_prior_cdf(prior, parameter, r->theta[k + s * r->unknown]);
        total += w;
        if ((lower && below < TAIL) || (upper && below > 1.0 - TAIL)) beyond += w;
    }
    return beyond / total;
}

void tw_hyper_judge_tails(tw_hyper *h)
{
    tw_hyper_result *r = h->result;
    for (size_t k = 0; k < r->unknown; k++) {
        double share = doubtful_share(h, k);
        if (share > LITTLE)
            tw_warnings_add(
                &r->warnings,
                &(tw_warning){.code = TW_WARN_THETA_MEAN, .number = {100.0 * share}, .name = r->row[k].name});
    }
    if (h->o->method == TW_HYPER_CHAIN || r->started[TW_HYPER_FAILED] == 0) return;
    missing m = find_missing(h);
    if (is_harmless(r, &m)) return;
    tw_warnings_add(&r->warnings,
                    &(tw_warning){.code = TW_WARN_THETA_FAILED,
                                  .number = {(double)r->started[TW_HYPER_FAILED], (double)r->points},
                                  .name = "is2"});
}
