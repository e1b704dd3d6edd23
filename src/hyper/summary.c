/* summary.c: the evidence, means with errors, quantiles and warnings from weighted points.
 *
 * With W_r and A_r the sums of w and of w f over scramble r of R, and mean = sum A / sum W,
 *
 *   mcse^2 = sum_r (A_r - mean W_r)^2 / (R (R - 1) Wbar^2),   Wbar = sum W / R,
 *
 * by the delta method for a ratio of means of independent scrambles. An error from R scrambles is itself
 * uncertain: the estimate's deviation divided by its error has Student's distribution with R - 1 degrees of
 * freedom. Therefore the error is multiplied by the standard deviation of that distribution,
 * sqrt((R - 1)/(R - 3)). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hyper/hyper.h"
#include "talweg/diagnose.h"

static const double FEW = 2.0; /* with fewer effective points, there is no result */

/* The error from the variance of a mean of R scrambles. */
static double widen(double variance, double scrambles)
{
    return sqrt(variance * (scrambles > 3.0 ? (scrambles - 1.0) / (scrambles - 3.0) : 3.0));
}

/* ---- means ---- */

static double largest_weight(const tw_hyper_result *r)
{
    double largest = -INFINITY;
    for (size_t s = 0; s < r->points; s++) largest = fmax(largest, r->log_weight[s]);
    return largest;
}

static double weight(const tw_hyper_result *r, size_t s, double largest)
{
    return r->log_weight[s] > -INFINITY ? exp(r->log_weight[s] - largest) : 0.0;
}

/* sum over scramble k of w (f - centre), or of w if f is NULL. */
static double scramble_sum(const tw_hyper_result *r, const double *f, double centre, size_t k, double largest)
{
    double sum = 0.0;
    for (size_t s = k; s < r->points; s += r->scrambles) {
        double w = weight(r, s, largest);
        if (w > 0.0) sum += f ? w * (f[s] - centre) : w;
    }
    return sum;
}

double tw_hyper_mean(const tw_hyper_result *r, const double *f, double *mcse)
{
    double largest = largest_weight(r), total = 0.0, mean = 0.0, squares = 0.0;
    double count = (double)r->scrambles;
    for (size_t k = 0; k < r->scrambles; k++) {
        total += scramble_sum(r, NULL, 0.0, k, largest);
        mean += scramble_sum(r, f, 0.0, k, largest);
    }
    mean /= total;
    for (size_t k = 0; k < r->scrambles; k++) {
        double e = scramble_sum(r, f, mean, k, largest) * count / total;
        squares += e * e;
    }
    if (mcse) *mcse = widen(squares / (count * (count - 1.0)), count);
    return mean;
}

/* ---- the evidence ---- */

/* p(y) is the mean of the scrambles' means; its error is that of independent scrambles. */
static tw_status estimate(tw_hyper *h)
{
    tw_hyper_result *r = h->result;
    tw_estimate *e = &r->estimate;
    double largest = largest_weight(r), *level = NULL;
    double acceptance = e->acceptance, failures = e->failures;
    TW_TRY(tw_allocate_doubles(h->ctx, r->scrambles, 1, "scrambles", &level));
    for (size_t k = 0; k < r->scrambles; k++) {
        double mean = scramble_sum(r, NULL, 0.0, k, largest) * (double)r->scrambles / (double)r->points;
        level[k] = mean > 0.0 ? largest + log(mean) : -INFINITY;
    }
    *e = (tw_estimate){.method = "is2",
                       .se_bootstrap = NAN,
                       .acceptance = acceptance,
                       .failures = failures,
                       .particles = r->points,
                       .temperatures = h->o->temperatures,
                       .unbiased = true,
                       .missed = NAN,
                       .trips = NAN,
                       .drift = NAN,
                       .apart = NAN};
    e->log_z = tw_log_mean_exp(r->scrambles, level, &e->se);
    e->se = widen(e->se * e->se, (double)r->scrambles);
    e->weight_ess = tw_weights_ess(r->points, r->log_weight);
    e->pareto_k = tw_weights_pareto_k(r->points, r->log_weight);
    e->draws = tw_draws_number(h->o->seed, tw_streams_of(TW_STREAMS_HYPER).first);
    tw_release(h->ctx, level);
    return TW_OK;
}

/* ---- parameters ---- */

typedef struct weighed {
    double value, weight;
} weighed;

static int compare(const void *a, const void *b)
{
    double x = ((const weighed *)a)->value, y = ((const weighed *)b)->value;
    return (x > y) - (x < y);
}

/* Interpolate linearly between the midpoints of the steps of the weighted distribution function. */
static double quantile(size_t count, const weighed *sorted, double total, double p)
{
    double before = 0.0, last_level = 0.0, last = NAN;
    for (size_t i = 0; i < count; i++) {
        double level = (before + 0.5 * sorted[i].weight) / total;
        if (sorted[i].weight > 0.0 && level >= p) {
            if (isnan(last)) return sorted[i].value;
            double share = (p - last_level) / (level - last_level);
            return last + share * (sorted[i].value - last);
        }
        before += sorted[i].weight;
        if (sorted[i].weight > 0.0) {
            last = sorted[i].value;
            last_level = level;
        }
    }
    return last;
}

static void fill_quantiles(const tw_hyper_result *r, const double *f, weighed *sorted, tw_hyper_row *row)
{
    double largest = largest_weight(r), total = 0.0;
    for (size_t s = 0; s < r->points; s++) {
        sorted[s] = (weighed){f[s], weight(r, s, largest)};
        total += sorted[s].weight;
    }
    qsort(sorted, r->points, sizeof *sorted, compare);
    row->q05 = quantile(r->points, sorted, total, 0.05);
    row->q50 = quantile(r->points, sorted, total, 0.50);
    row->q95 = quantile(r->points, sorted, total, 0.95);
}

static void name_row(const tw_hyper *h, size_t k, tw_hyper_row *row)
{
    size_t j = h->index[k];
    const tw_parameter *parameter = tw_problem_parameter(h->problem, j);
    row->index = j;
    row->as_log = parameter->transform == TW_TRANSFORM_LOG && h->priors->prior[j].of_log;
    snprintf(row->name, sizeof row->name, "%s%s", row->as_log ? "log_" : "", parameter->name);
}

static void fill_row(const tw_hyper *h, size_t k, double *f, double *square, weighed *sorted)
{
    tw_hyper_result *r = h->result;
    tw_hyper_row *row = &r->row[k];
    const tw_parameter *parameter = tw_problem_parameter(h->problem, h->index[k]);
    name_row(h, k, row);
    for (size_t s = 0; s < r->points; s++) {
        double theta = r->theta[k + s * r->unknown];
        f[s] = row->as_log ? theta : tw_parameter_value(parameter, theta);
    }
    row->mean = tw_hyper_mean(r, f, &row->mcse);
    for (size_t s = 0; s < r->points; s++) square[s] = (f[s] - row->mean) * (f[s] - row->mean);
    row->sd = sqrt(tw_hyper_mean(r, square, NULL));
    fill_quantiles(r, f, sorted, row);
}

static tw_status fill_rows(tw_hyper *h)
{
    size_t points = h->result->points;
    double *f = NULL;
    void *sorted = NULL;
    tw_status status = tw_allocate_doubles(h->ctx, points, 2, "a summary", &f);
    if (status == TW_OK) status = tw_allocate(h->ctx, points, sizeof(weighed), "a summary", &sorted);
    for (size_t k = 0; status == TW_OK && k < h->unknown; k++) fill_row(h, k, f, f + points, sorted);
    tw_release(h->ctx, f);
    tw_release(h->ctx, sorted);
    return status;
}

/* ---- warnings and verdict ---- */

static void warn(tw_hyper_result *r, tw_warning_code code, double first, double second)
{
    tw_warnings_add(&r->warnings, &(tw_warning){.code = code, .number = {first, second}, .name = "is2"});
}

/* Compare the two estimates of the evidence, which share no draws. */
static void judge_agreement(tw_hyper_result *r)
{
    const tw_estimate both[2] = {r->estimate, r->joint};
    tw_agreement a = tw_evidence_agree(2, both);
    tw_warning warning = {.code = TW_WARN_DISAGREE,
                          .number = {a.difference, a.worst, TW_AGREEMENT_LIMIT},
                          .name = r->estimate.method,
                          .other = r->joint.method};
    if (a.known && !a.agree) tw_warnings_add(&r->warnings, &warning);
}

static void judge(tw_hyper_result *r)
{
    const tw_estimate *e = &r->estimate;
    double points = (double)r->points;
    size_t replaced = r->started[TW_HYPER_LAPLACE] + r->started[TW_HYPER_PRIOR];
    bool collapsed = !isfinite(e->log_z) || !(e->weight_ess >= FEW);
    if (collapsed) warn(r, TW_WARN_THETA_COLLAPSED, e->weight_ess, points);
    double limit = tw_pareto_limit(r->points);
    if (!collapsed && e->pareto_k > limit) warn(r, TW_WARN_THETA_TAIL, e->pareto_k, limit);
    if (replaced > 0) warn(r, TW_WARN_THETA_START, (double)replaced, points);
    if (r->stopped) warn(r, TW_WARN_THETA_STOPPED, points, 0.0);
    if (!collapsed && r->joint.particles > 0) judge_agreement(r);
    r->verdict = collapsed ? TW_NUMERICAL_FAILURE : TW_OK;
}

/* ---- chains ---- */

static const double RHAT = 1.01, CHANCE = 0.01;

void tw_hyper_judge_chains(tw_hyper_result *r, double rhat, double chance)
{
    if (rhat > RHAT && tw_rhat_chance_of_many(chance, r->unknown) < CHANCE)
        tw_warnings_add(&r->warnings, &(tw_warning){.code = TW_WARN_RHAT, .number = {rhat}});
    r->verdict = TW_OK;
}

/* ESS, R-hat and errors of every parameter; the smallest ESS counts as that of the whole run. */
static tw_status diagnose(tw_hyper *h, tw_diagnose *d, double *f)
{
    tw_hyper_result *r = h->result;
    const tw_strides strides = {.draw = r->scrambles, .chain = 1, .variable = 0};
    double worst = INFINITY, rhat = 1.0, chance = 1.0;
    for (size_t k = 0; k < r->unknown; k++) {
        tw_hyper_row *row = &r->row[k];
        tw_summary summary;
        for (size_t s = 0; s < r->points; s++) f[s] = tw_hyper_reported(h->problem, r, k, s);
        tw_diagnose_run(d, 1, f, strides, &summary);
        row->mcse = summary.mcse_mean;
        row->ess_bulk = summary.ess_bulk;
        row->ess_tail = summary.ess_tail;
        row->rhat = summary.rhat;
        worst = fmin(worst, summary.ess_bulk);
        rhat = fmax(rhat, summary.rhat);
        chance = fmin(chance, summary.rhat_chance);
    }
    r->estimate = (tw_estimate){.method = "chain",
                                .log_z = NAN,
                                .se = NAN,
                                .se_bootstrap = NAN,
                                .weight_ess = worst,
                                .acceptance = r->estimate.acceptance,
                                .pareto_k = NAN,
                                .missed = NAN,
                                .trips = NAN,
                                .drift = NAN,
                                .apart = NAN};
    tw_hyper_judge_chains(r, rhat, chance);
    return TW_OK;
}

static tw_status summarise_chains(tw_hyper *h)
{
    tw_hyper_result *r = h->result;
    tw_diagnose *d = NULL;
    double *f = NULL;
    TW_TRY(fill_rows(h));
    tw_status status = tw_diagnose_new(h->ctx, r->points / r->scrambles, r->scrambles, &d);
    if (status == TW_OK) status = tw_allocate_doubles(h->ctx, r->points, 1, "a summary", &f);
    if (status == TW_OK) status = diagnose(h, d, f);
    if (status == TW_OK) tw_hyper_judge_tails(h);
    tw_release(h->ctx, f);
    tw_diagnose_free(d);
    return status;
}

tw_status tw_hyper_summarise(tw_hyper *h)
{
    if (h->o->method == TW_HYPER_CHAIN) return summarise_chains(h);
    TW_TRY(estimate(h));
    TW_TRY(fill_rows(h));
    for (size_t k = 0; k < h->unknown; k++) {
        tw_hyper_row *row = &h->result->row[k];
        row->ess_bulk = h->result->estimate.weight_ess;
        row->ess_tail = row->rhat = NAN;
    }
    judge(h->result);
    tw_hyper_judge_tails(h);
    return TW_OK;
}
