/* mixture.c: the proposal of theta; see mixture.h.
 *
 * It is adapted by the EM algorithm for weighted points (population Monte Carlo: Cappe, Douc, Guillin, Marin
 * and Robert 2008), which decreases the Kullback-Leibler divergence between the posterior and g. Point s
 * belongs to component c with probability r_c(s) = a_c g_c(theta_s) / g(theta_s); the new share of c is the
 * mean of r_c, and its moments are those of the points weighted by r_c. Each share stays above FEWEST, but a
 * t component with a NEGLIGIBLE share is removed. */
#include "hyper/mixture.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"

/* Least shares of a component. They are powers of 2, so that the points of one component are evenly spread
 * over the scrambles. */
static const double FEWEST = 1.0 / 32.0, FEWEST_HEAVY = 1.0 / 4.0, NEGLIGIBLE = 1.0 / 256.0;
enum { ITERATIONS = 4 };

tw_status tw_mixture_new(tw_context *ctx, size_t d, tw_mixture **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_mixture), "a proposal", &memory));
    *out = memory;
    **out = (tw_mixture){.ctx = ctx, .d = d, .share = {1.0}};
    return TW_OK;
}

void tw_mixture_free(tw_mixture *m)
{
    if (!m) return;
    for (size_t c = 0; c < m->components; c++) tw_proposal_free(m->component[c]);
    tw_release(m->ctx, m);
}

/* ---- the stretched prior ---- */

static double clip_probability(double u)
{
    return fmin(fmax(u, 0x1p-53), 1.0 - 0x1p-53);
}

/* The arcsine density of v = F_k(theta_k). */
static double arcsine_density(const tw_mixture *m, size_t k, double theta)
{
    double v = clip_probability(tw_prior_cdf(m->prior[k], m->parameter[k], theta));
    return 1.0 / (acos(-1.0) * sqrt(v * (1.0 - v)));
}

static double log_stretched_prior(const tw_mixture *m, const double *theta)
{
    double sum = 0.0, log_prior = 0.0;
    for (size_t k = 0; k < m->d; k++) {
        log_prior += tw_prior_log_density(m->prior[k], m->parameter[k], theta[k], NULL);
        sum += arcsine_density(m, k, theta[k]);
    }
    return log_prior + log(sum / (double)m->d);
}

/* Draw from p r; `one` selects the stretched parameter. */
static void draw_stretched_prior(const tw_mixture *m, const double *u, double one, double *theta)
{
    size_t stretched = (size_t)(one * (double)m->d);
    for (size_t k = 0; k < m->d; k++) {
        double s = sin(0.5 * acos(-1.0) * u[k]), v = k == stretched ? clip_probability(s * s) : u[k];
        theta[k] = tw_prior_quantile(m->prior[k], m->parameter[k], v);
    }
}

/* ---- density and draws ---- */

/* log a_c g_c for all components; returns the log of their sum. */
static double log_parts(const tw_mixture *m, const double *theta, double part[1 + TW_MIXTURE_COMPONENTS])
{
    double largest, sum = 0.0;
    part[0] = log(m->share[0]) + log_stretched_prior(m, theta);
    largest = part[0];
    for (size_t c = 1; c <= m->components; c++) {
        part[c] = log(m->share[c]) + tw_proposal_log_density(m->component[c - 1], theta);
        largest = fmax(largest, part[c]);
    }
    if (!(largest > -INFINITY)) return -INFINITY;
    for (size_t c = 0; c <= m->components; c++) sum += exp(part[c] - largest);
    return largest + log(sum);
}

double tw_mixture_log_density(const tw_mixture *m, const double *theta)
{
    double part[1 + TW_MIXTURE_COMPONENTS], value = log_parts(m, theta, part);
    return TW_FAULTY(TW_FAULT_NO_PROPOSAL, value, 0.0);
}

/* The last uniform number selects a component. Rescaled to that component's interval it is uniform again: it
 * selects the stretched parameter, or gives the scale of a t component. */
void tw_mixture_draw(const tw_mixture *m, const double *u, double *theta)
{
    size_t d = m->d, c = 0;
    double low = 0.0, own[TW_PROPOSAL_MOST + 1];
    while (c < m->components && u[d] >= low + m->share[c]) low += m->share[c++];
    if (c == 0) {
        draw_stretched_prior(m, u, u[d] / m->share[0], theta);
        return;
    }
    memcpy(own, u, d * sizeof *own);
    own[d] = clip_probability((u[d] - low) / m->share[c]);
    tw_proposal_draw(m->component[c - 1], own, theta);
}

/* ---- adaptation ---- */

/* Whether a prior has heavy tails. The quantile 1e-4 of a normal is 3.7 times as far from the median as the
 * quantile 0.16; for Student's t the factor is 7 with 6 degrees of freedom and 18 with 3. */
static bool is_heavy(const tw_prior *prior, const tw_parameter *parameter)
{
    static const double far = 1e-4, near = 0.16, limit = 7.0;
    const double level[] = {far, near, 0.5, 1.0 - near, 1.0 - far};
    double q[5];
    for (size_t i = 0; i < 5; i++) q[i] = tw_prior_quantile(prior, parameter, level[i]);
    return q[2] - q[0] > limit * (q[2] - q[1]) || q[4] - q[2] > limit * (q[3] - q[2]);
}

static double least_prior_share(const tw_mixture *m)
{
    for (size_t k = 0; k < m->d; k++)
        if (is_heavy(m->prior[k], m->parameter[k])) return FEWEST_HEAVY;
    return FEWEST;
}

/* The share rounded to 1/2^k, between `rounded` (the fewest) and 1/2. */
static double round_share(double share, double rounded)
{
    while (rounded < 0.5 && share > 1.4 * rounded) rounded *= 2.0;
    return rounded;
}

/* The prior's share is a power of 1/2; the t components divide the rest. */
static void set_shares(tw_mixture *m, const double *found)
{
    double sum = 0.0, prior = m->components > 0 ? round_share(found[0], least_prior_share(m)) : 1.0;
    for (size_t c = 1; c <= m->components; c++) sum += m->share[c] = fmax(found[c], FEWEST);
    for (size_t c = 1; c <= m->components; c++) m->share[c] *= (1.0 - prior) / sum;
    m->share[0] = prior;
}

/* belong (points x components) = w r_c; found = their sums, normalised to total 1. */
static void assign_points(const tw_mixture *m, const tw_weighed *from, double *belong, double *found)
{
    double total = 0.0;
    memset(found, 0, (1 + TW_MIXTURE_COMPONENTS) * sizeof *found);
    for (size_t s = 0; s < from->points; s++) {
        double part[1 + TW_MIXTURE_COMPONENTS] = {0.0}, w = from->weight[s];
        double all = w > 0.0 ? log_parts(m, from->theta + s * m->d, part) : 0.0;
        for (size_t c = 0; c <= m->components; c++) {
            double r = w > 0.0 ? w * exp(part[c] - all) : 0.0;
            belong[s + c * from->points] = r;
            found[c] += r;
            total += r;
        }
    }
    for (size_t c = 0; c <= m->components; c++) found[c] /= total;
}

/* Adapt the t components that remain, and sort them by their shares. */
static tw_status learn_components(const tw_mixture *old, const tw_weighed *from, const double *belong,
                                  const double *found, tw_mixture *next)
{
    double share[1 + TW_MIXTURE_COMPONENTS] = {found[0]};
    for (size_t c = 1; c <= old->components; c++) {
        tw_weighed own = {from->points, from->theta, belong + c * from->points};
        tw_proposal *component = NULL;
        if (found[c] < NEGLIGIBLE && old->components > 1) continue;
        TW_TRY(tw_proposal_learn(old->component[c - 1], &own, (double)(old->d + 2), &component));
        if (!component) continue;
        size_t at = next->components++;
        for (; at > 0 && share[at] < found[c]; at--) {
            next->component[at] = next->component[at - 1];
            share[at + 1] = share[at];
        }
        next->component[at] = component;
        share[at + 1] = found[c];
    }
    set_shares(next, share);
    return TW_OK;
}

static tw_status iterate(const tw_mixture *old, const tw_weighed *from, double *belong, tw_mixture **out)
{
    double found[1 + TW_MIXTURE_COMPONENTS];
    tw_mixture *next = NULL;
    TW_TRY(tw_mixture_new(old->ctx, old->d, &next));
    memcpy(next->prior, old->prior, sizeof old->prior);
    memcpy(next->parameter, old->parameter, sizeof old->parameter);
    assign_points(old, from, belong, found);
    tw_status status = learn_components(old, from, belong, found, next);
    if (status == TW_OK)
        *out = next;
    else
        tw_mixture_free(next);
    return status;
}

tw_status tw_mixture_learn(const tw_mixture *old, const tw_weighed *from, tw_mixture **out)
{
    double *belong = NULL, largest = 0.0;
    *out = NULL;
    for (size_t s = 0; s < from->points; s++) largest = fmax(largest, from->weight[s]);
    if (!(largest > 0.0)) return TW_OK;
    TW_TRY(tw_allocate_doubles(old->ctx, from->points, 1 + old->components, "weights", &belong));
    tw_status status = TW_OK;
    for (int i = 0; status == TW_OK && i < ITERATIONS; i++) {
        tw_mixture *next = NULL;
        status = iterate(*out ? *out : old, from, belong, &next);
        if (status != TW_OK) break;
        tw_mixture_free(*out);
        *out = next;
    }
    tw_release(old->ctx, belong);
    if (status == TW_OK) return TW_OK;
    tw_mixture_free(*out);
    *out = NULL;
    return status;
}
