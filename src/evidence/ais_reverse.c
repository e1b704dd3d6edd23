/* ais_reverse.c: reverse annealed importance sampling, from posterior draws down to q.
 *
 * The particles first go up, as in a forward run; they are resampled by their weights, burnt in at b = 1, and
 * then go down to q.
 *
 * The problem is q's tail. Suppose that q has mass m in a region where R = log p(y, x) - log q(x) is very
 * negative. In a forward run particles there have no weight, and nothing is lost. On the downward pass, the
 * step from b_1 to 0 has weights exp(-b_1 R): particles in that region are so rare at b_1, and have so large
 * a weight, that no run contains one. The other weights look good, and log Z is too high by about m. The
 * upward pass starts in that region, and helps twice.
 *
 * Temperatures. A step from b + h down to b has weights of relative variance
 *
 *     E_b[exp(h R)] E_b[exp(-h R)] - 1,
 *
 * which the particles at b on the upward pass estimate. If it is too large, they insert a temperature. The
 * particles that cause this variance are in q's tail, where the density may be far steeper than elsewhere, so
 * the step size at such a temperature is chosen for their acceptance, not for the average particle's.
 *
 * The missed weight. The upward and the downward pass on the same temperatures are time reversals of each
 * other: with w the weight of an upward pass and v that of a downward one, E_down[f(v)] = E_up[w f(1 / w)] /
 * Z (Crooks 2000). With f(v) = max(v - c, 0), the fraction of the mean weight 1/Z beyond c is
 *
 *     E_down[max(v - c, 0)] / E_down[v] = E_up[max(1 - c w, 0)],
 *
 * which can be estimated from both sides. c is a weight that few particles exceed. The amount by which the
 * left side is smaller than the right was missed, and log Z may be too high by that much, however good the
 * weights look.
 */
#include <math.h>
#include <string.h>

#include "evidence/ais.h"
#include "evidence/resample.h"
#include "math/random.h"
#include "sample/sampler.h"

enum { HALVINGS = 50, MOST_HALVED = 6, MOST_ABOVE = 32 };

/* The smallest acceptance rate of the particles that cause the variance of a step. */
static const double least_acceptance = 0.5;

/* A relative variance of a step that is negligible. */
static const double negligible_variance = 5e-4;

/* log sum_j exp(weight_j + step R_j), over the particles with a finite R. */
static double log_sum(size_t n, const double *weight, const double *ratio, double step)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t j = 0; j < n; j++)
        if (isfinite(ratio[j])) largest = fmax(largest, weight[j] + step * ratio[j]);
    for (size_t j = 0; j < n; j++)
        if (isfinite(ratio[j])) sum += exp(weight[j] + step * ratio[j] - largest);
    return isfinite(largest) ? largest + log(sum) : largest;
}

double tw_two_sided_ess(size_t n, const double *log_weight, const double *ratio, double step)
{
    double all = log_sum(n, log_weight, ratio, 0.0);
    double up = log_sum(n, log_weight, ratio, step), down = log_sum(n, log_weight, ratio, -step);
    return isfinite(all) ? exp(2.0 * all - up - down) : 1.0;
}

double tw_two_sided_step(size_t n, const double *log_weight, const double *ratio, double step,
                         double fraction)
{
    double low = 0.0, high = step;
    if (tw_two_sided_ess(n, log_weight, ratio, step) >= fraction) return step;
    for (size_t i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (tw_two_sided_ess(n, log_weight, ratio, middle) >= fraction)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* c: the log weight that only few exceed, the m-th largest with m = sqrt(n) / 2, but from 1 to MOST_ABOVE. */
static double high_weight(size_t n, const double *log_weight)
{
    double largest[MOST_ABOVE];
    size_t count = 1;
    while (count < MOST_ABOVE && 4 * (count + 1) * (count + 1) <= n) count++;
    for (size_t i = 0; i < MOST_ABOVE; i++) largest[i] = -INFINITY;
    for (size_t j = 0; j < n; j++) {
        if (!(log_weight[j] > largest[count - 1])) continue;
        size_t i = count - 1;
        for (; i > 0 && largest[i - 1] < log_weight[j]; i--) largest[i] = largest[i - 1];
        largest[i] = log_weight[j];
    }
    return largest[count - 1];
}

double tw_ais_missed(size_t n, const double *up, const double *down, double *error)
{
    double c = high_weight(n, down), beyond = 0.0, all = 0.0, expected = 0.0, square = 0.0;
    for (size_t j = 0; j < n; j++) {
        double v = exp(down[j] - c); /* in units of c */
        double term = fmax(-expm1(c + up[j]), 0.0);
        beyond += fmax(v - 1.0, 0.0);
        all += v;
        expected += term / (double)n;
        square += term * term / (double)n;
    }
    double missed = fmax(expected - beyond / all, 0.0);
    if (error) *error = sqrt(missed * missed + fmax(square - expected * expected, 0.0) / (double)n);
    return missed;
}

/* Each particle's share of the relative variance of a step from b + h down to b, where the particles are: p'
 * (v - 1)^2, with p' its normalised weight at b + h and v = exp(-h R) E_b[exp(h R)]. Returns their sum, the
 * variance. */
static double share_variance(size_t n, const double *log_weight, const double *ratio, double step,
                             double *share)
{
    double sum = 0.0;
    double up = log_sum(n, log_weight, ratio, step);
    double all = log_sum(n, log_weight, ratio, 0.0);
    for (size_t j = 0; j < n; j++) {
        double v = exp(up - all - step * ratio[j]);
        share[j] = isfinite(v) ? exp(log_weight[j] + step * ratio[j] - up) * (v - 1.0) * (v - 1.0) : 0.0;
        sum += share[j];
    }
    return sum;
}

/* Insert a temperature before b_k if the downward pass needs one. The particles are at b_{k-1}, and R is up
 * to date. */
static void refine(tw_ais *a, const tw_walk *walk, size_t k)
{
    double from = a->beta[k - 1], step = a->beta[k] - from;
    double shorter = tw_two_sided_step(walk->particles, a->log_weight, walk->log_ratio, step, a->o->refine);
    if (a->steps == a->capacity || shorter >= step || !(from + shorter > from)) return;
    size_t moved = a->steps + 1 - k;
    memmove(a->beta + k + 1, a->beta + k, moved * sizeof *a->beta);
    memmove(a->eps + k + 1, a->eps + k, moved * sizeof *a->eps);
    a->beta[k] = from + shorter;
    a->eps[k] = fmin(a->eps[k - 1], a->eps[k + 1]);
    a->steps++;
}

/* The acceptance rate of a trial transition at b_k, weighted by the particles' shares; their state is
 * restored. */
static double try_step_size(tw_ais *a, tw_walk *walk, size_t k)
{
    double rate = 0.0, sum = 0.0;
    tw_move move = tw_ais_move(a, walk, k, a->iteration, tw_streams_of(TW_STREAMS_AIS_TRIAL).first);
    tw_sampler_save(walk->sampler, a->trial + walk->particles);
    tw_sampler_advance(walk->sampler, &move, walk->records);
    for (size_t j = 0; j < walk->particles; j++) {
        rate += a->trial[j] * walk->records[j].acceptance_rate;
        sum += a->trial[j];
    }
    tw_sampler_restore(walk->sampler, a->trial + walk->particles);
    return rate / sum;
}

/* Go to b_k. If the step down from there has variance, halve the step size until the particles that cause it
 * are accepted. */
static tw_status tune(tw_ais *a, tw_walk *walk, size_t k)
{
    double step = a->beta[k] - a->beta[k - 1];
    TW_TRY(tw_walk_temper(walk, a->beta[k]));
    if (!tw_walk_tunes(&a->o->kernel, a->o->eps)) return TW_OK;
    if (share_variance(walk->particles, a->log_weight, walk->log_ratio, step, a->trial) < negligible_variance)
        return TW_OK;
    for (size_t i = 0; i < MOST_HALVED; i++) {
        if (try_step_size(a, walk, k) >= least_acceptance) break;
        a->eps[k] *= 0.5;
    }
    return TW_OK;
}

/* Resample the particles by their weights. The weights are kept in up_log_weight and start again at 1. */
static tw_status resample(tw_ais *a, tw_walk *walk)
{
    size_t n = walk->target->model->n, count = walk->particles;
    double *x = NULL;
    void *memory = NULL;
    tw_stream stream = tw_stream_at(a->o->seed, TW_STREAM_RESAMPLE, a->chain, 0);
    tw_status status = tw_allocate_doubles(walk->ctx, n, count, "the particles", &x);
    if (status == TW_OK)
        status = tw_allocate(walk->ctx, count, sizeof(size_t), "the particles' ancestors", &memory);
    if (status == TW_OK) {
        size_t *ancestor = memory;
        tw_resample_systematic(count, a->log_weight, tw_stream_uniform(&stream), count, ancestor);
        for (size_t j = 0; j < count; j++)
            memcpy(x + j * n, tw_sampler_positions(walk->sampler) + ancestor[j] * n, n * sizeof *x);
        memcpy(a->up_log_weight, a->log_weight, count * sizeof *a->up_log_weight);
        memset(a->log_weight, 0, count * sizeof *a->log_weight);
        status = tw_sampler_set_positions(walk->sampler, x);
    }
    tw_release(walk->ctx, x);
    tw_release(walk->ctx, memory);
    return status;
}

static tw_status burn_in(tw_ais *a, tw_walk *walk)
{
    const tw_ais_options *o = a->o;
    for (size_t m = 0; m < o->burn_in; m++) {
        tw_move move = tw_ais_move(a, walk, a->steps, ++a->iteration, a->chain);
        tw_walk_move(walk, &move);
        tw_progress now = {.stage = "burn-in",
                           .unit = "transitions",
                           .done = m + 1,
                           .total = o->burn_in,
                           .acceptance = tw_walk_acceptance(walk),
                           .log_z = NAN,
                           .se = NAN};
        if (!tw_watch_tell(&a->watch, &now)) break;
    }
    return TW_OK;
}

/* Get posterior draws: anneal from q as in a forward run, resample by the weights, and burn in. The
 * resampling matters: a draw from q may lie where the posterior has almost no mass, with slopes too steep for
 * any step size that suits the others, and never leave. In a forward run its weight is 0; in a reverse run it
 * would have all the weight. */
static tw_status anneal_to_posterior(tw_ais *a, tw_walk *walk)
{
    for (size_t k = 1; k <= a->steps; k++) {
        tw_walk_measure(walk);
        if (a->trial) {
            refine(a, walk, k);
            TW_TRY(tune(a, walk, k));
        }
        tw_ais_weigh(a, walk, a->beta[k] - a->beta[k - 1]);
        TW_TRY(tw_ais_move_at(a, walk, k));
        if (!tw_ais_report(a, walk, "upwards", k)) return TW_OK;
    }
    TW_TRY(resample(a, walk));
    return burn_in(a, walk);
}

/* Allocate the memory of trial steps, if temperatures may be inserted, and get posterior draws. */
static tw_status start(tw_ais *a, tw_walk *walk)
{
    if (a->o->refine == 0.0) return anneal_to_posterior(a, walk);
    size_t numbers = walk->particles + tw_sampler_state_size(walk->sampler);
    TW_TRY(tw_allocate_doubles(walk->ctx, numbers, 1, "trial steps", &a->trial));
    tw_status status = anneal_to_posterior(a, walk);
    tw_release(walk->ctx, a->trial);
    a->trial = NULL;
    return status;
}

/* Step k, from B to 1: move at b_k (at b_B the particles are posterior draws), then weigh with R there. */
tw_status tw_ais_run_reverse(tw_ais *a, tw_walk *walk)
{
    if (!a->o->resume && !a->watch.stopped) TW_TRY(start(a, walk));
    while (a->done < a->steps && !a->watch.stopped) {
        size_t k = a->steps - a->done;
        if (a->done > 0) TW_TRY(tw_ais_move_at(a, walk, k));
        tw_ais_weigh(a, walk, a->beta[k - 1] - a->beta[k]);
        tw_ais_finish_temperature(a, walk);
    }
    return TW_OK;
}
