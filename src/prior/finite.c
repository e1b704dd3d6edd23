/* finite.c: is the integral of p(theta) p(y | theta) finite?
 *
 * It is infinite where p(y | theta) grows without bound and the prior lets it:
 *
 *   - Noise of standard deviation s and n observations at m distinct places, with the same y at the same place: as
 *     s -> 0, p(y | theta) grows like s^-(n - m). If all y are 0, or all are equal beside a constant in the kernel,
 *     it grows like s^-n, or s^-(n - 1), where s and all other amplitudes go to 0 together.
 *   - Stochastic volatility with y_i = 0: p(0 | x) = exp(-x/2) / ((2 pi)^1/2 scale), so that E[p(0 | x)] =
 *     exp(v/8) / (...) for x ~ N(0, v): finite for any v, but as an amplitude grows faster than most priors fall.
 *     If all y are 0, p(y | theta) also grows like scale^-n.
 *
 * A prior density of theta that falls like exp(a theta) as theta -> -inf makes an integrand exp((a - k) theta), whose
 * integral is finite if a > k. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/kernel.h"
#include "prior/family.h"
#include "prior/read.h"
#include "prior/scale.h"

/* ---- tails of a prior ---- */

/* a as above, INFINITY if the density falls faster than any power of the value. */
static double power_at_zero(const tw_prior *p)
{
    if (p->of_log) return p->family == TW_PRIOR_STUDENT_T ? 0.0 : INFINITY;
    switch (p->family) {
    case TW_PRIOR_GAMMA: return p->a[0];
    case TW_PRIOR_INV_GAMMA:
    case TW_PRIOR_LOGNORMAL: return INFINITY;
    case TW_PRIOR_UNIFORM: return p->a[0] > 0.0 ? INFINITY : 1.0;
    default: return 1.0; /* a density of the value that is not 0 at 0 */
    }
}

/* Does E[exp(c' value^power)] under the prior, truncated at 0, diverge for some c' > 0, known to be at least c? */
static bool is_too_heavy(const tw_prior *p, double c, size_t power)
{
    if (p->family == TW_PRIOR_UNIFORM) return false;
    if (p->of_log) return true;
    double sd = p->family == TW_PRIOR_HALF_NORMAL ? p->a[0] : p->a[1];
    bool bell = p->family == TW_PRIOR_HALF_NORMAL || p->family == TW_PRIOR_NORMAL;
    if (bell) return power == 2 && c > 0.5 / (sd * sd);
    if (power == 2) return true;
    if (p->family == TW_PRIOR_GAMMA) return c > p->a[1];
    if (p->family == TW_PRIOR_PC && p->a[2] == 0.0) return c > -log(p->a[1]) / p->a[0];
    return true;
}

/* ---- the data ---- */

typedef struct place {
    double key; /* equal for equal inputs */
    size_t row;
} place;

static int compare(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return (p->key > q->key) - (p->key < q->key);
}

typedef struct facts {
    size_t n, zeros, surplus; /* observations; y = 0; observations beyond the first at their place */
    bool consistent;          /* the same y wherever the inputs are the same */
    bool equal;               /* all y are equal */
} facts;

static bool same_place(const tw_data *data, const bool *used, size_t i, size_t j)
{
    for (size_t k = 0; k < data->d; k++)
        if (used[k] && data->x[i + k * data->n] != data->x[j + k * data->n]) return false;
    return true;
}

static void find_places(const tw_data *data, const bool *used, place *at, facts *f)
{
    for (size_t i = 0; i < f->n; i++) {
        at[i] = (place){0.0, i};
        for (size_t k = 0; k < data->d; k++)
            if (used[k]) at[i].key += data->x[i + k * data->n] * (1.0 + 0.6180339887 * (double)k);
    }
    qsort(at, f->n, sizeof *at, compare);
    for (size_t i = 1; i < f->n; i++)
        for (size_t j = i; j-- > 0 && at[j].key == at[i].key;)
            if (same_place(data, used, at[i].row, at[j].row)) {
                f->surplus++;
                f->consistent = f->consistent && data->y[at[i].row] == data->y[at[j].row];
                break;
            }
}

static tw_status look(const tw_problem *problem, facts *f)
{
    const tw_data *data = problem->data;
    void *at = NULL, *used = NULL;
    *f = (facts){.n = data->n - data->hidden, .consistent = true, .equal = true};
    for (size_t i = 0; i < f->n; i++) {
        f->zeros += data->y[i] == 0.0;
        f->equal = f->equal && data->y[i] == data->y[0];
    }
    tw_status status = tw_allocate(problem->ctx, f->n + 1, sizeof(place), "the places", &at);
    if (status == TW_OK) status = tw_allocate(problem->ctx, data->d + 1, sizeof(bool), "the inputs", &used);
    if (status == TW_OK) {
        tw_kernel_mark_inputs(problem->kernel, data->d, used);
        find_places(data, used, at, f);
    }
    tw_release(problem->ctx, at);
    tw_release(problem->ctx, used);
    return status;
}

/* ---- verdicts ---- */

static tw_status fail(const tw_problem *problem, size_t j, const char *why, const char *cure)
{
    return tw_fail(
        problem->ctx, TW_NUMERICAL_FAILURE,
        "the evidence of the whole model is infinite, and there is no posterior: %s, and the prior of %s "
        "does not prevent it: %s",
        why, tw_problem_parameter(problem, j)->name, cure);
}

static bool is_unknown(const tw_priors *p, size_t j)
{
    return p->has[j] && !p->fixed[j] && !p->prior[j].flat;
}

/* The power with which the prior of all amplitudes falls as they go to 0 together; INFINITY if one is not unknown. */
static double power_of_amplitudes(const tw_priors *p, const tw_problem *problem, bool *has_level,
                                  bool *has_white)
{
    const tw_kernel *kernel = problem->kernel;
    double sum = 0.0;
    size_t terms = 0;
    tw_amplitude a;
    *has_level = *has_white = false;
    for (size_t i = 0; i < kernel->node_count; i++) {
        const tw_node *node = &kernel->nodes[i];
        *has_white = *has_white || node->leaf == &tw_leaf_white;
        terms += node->kind == TW_NODE_LEAF && !tw_node_is_relative(kernel, node);
    }
    for (size_t j = 0; j < tw_kernel_count(kernel); j++) {
        if (!tw_kernel_amplitude(kernel, j, &a) || a.relative) continue;
        terms--;
        *has_level = *has_level || a.level;
        if (!a.level) sum += is_unknown(p, j) ? (double)a.power * power_at_zero(&p->prior[j]) : INFINITY;
    }
    return terms == 0 ? sum : INFINITY; /* a leaf without an amplitude of its own */
}

/* Noise j that goes to 0. */
static tw_status check_noise(const tw_priors *p, const tw_problem *problem, const facts *f, size_t j)
{
    double power = power_at_zero(&p->prior[j]);
    bool has_level, has_white;
    double others = power_of_amplitudes(p, problem, &has_level, &has_white);
    if (f->surplus > 0 && f->consistent && !has_white && power <= (double)f->surplus)
        return fail(
            problem, j,
            "cases with the same inputs have the same y, so that its density grows without bound as the "
            "noise goes to 0",
            "remove the duplicates, or bound the noise from below, as noise ~ uniform(0.01, 1)");
    bool shrinks = f->equal && (has_level || f->zeros == f->n);
    if (shrinks && power + others <= (double)(f->n - has_level))
        return fail(
            problem, j,
            "all y are equal, so that their density grows without bound as noise and amplitudes go to 0",
            "give priors that vanish faster at 0, as log_sigma ~ normal(0, 1)");
    return TW_OK;
}

/* Stochastic volatility: its scale goes to 0, or an amplitude grows. Given the other latents, the sum of x/2 over
 * zeros has a variance that is proportional to the square of the amplitude, if they have inputs of their own. If all
 * y are 0, it is at least that of independent latents, since these leaves have no negative correlations. */
static tw_status check_volatility(const tw_priors *p, const tw_problem *problem, const facts *f, size_t scale)
{
    const char *why = "some y are 0, where the density grows without bound as the log variance falls";
    double zeros = (double)f->zeros, least = f->zeros == f->n ? zeros / 8.0 : 0.0;
    tw_amplitude a;
    if (f->zeros == f->n && is_unknown(p, scale) && power_at_zero(&p->prior[scale]) <= zeros)
        return fail(problem, scale, "all y are 0, whose density grows without bound as the scale goes to 0",
                    "remove zeros, or give a prior that vanishes faster at 0");
    for (size_t j = 0; f->zeros > 0 && j < tw_kernel_count(problem->kernel); j++) {
        if (!tw_kernel_amplitude(problem->kernel, j, &a) || a.relative || !is_unknown(p, j)) continue;
        bool falls = f->zeros == f->n ? a.node->shape || a.level : a.node->shape && f->surplus == 0;
        if (falls && is_too_heavy(&p->prior[j], least, 3 - a.power))
            return fail(problem, j, why,
                        "remove zeros or replace them by the resolution of y, or give a bounded prior, as "
                        "uniform(0, 3)");
    }
    return TW_OK;
}

tw_status tw_priors_check_finite(const tw_priors *priors, const tw_problem *problem)
{
    const tw_kernel *kernel = problem->kernel;
    const tw_likelihood *likelihood = problem->likelihood;
    tw_observations observed = tw_problem_observed(problem);
    facts f;
    if (kernel->matrix_size > 0 || problem->data->hidden > 0) return TW_OK;
    for (size_t i = 0; i < kernel->node_count; i++)
        if (kernel->nodes[i].leaf == &tw_leaf_precision) return TW_OK;
    TW_TRY(look(problem, &f));
    for (size_t k = 0; k < likelihood->parameters; k++) {
        size_t j = tw_kernel_count(kernel) + k;
        if (!likelihood->parameter[k].in_units_of_y) continue;
        if (!tw_scale_is_identity(&observed))
            TW_TRY(check_volatility(priors, problem, &f, j));
        else if (is_unknown(priors, j) && !observed.column[0])
            TW_TRY(check_noise(priors, problem, &f, j));
    }
    return TW_OK;
}
