/* learn.c: adapt the proposal of theta (mixture.h) to weighted points.
 *
 * By the EM algorithm for weighted points (population Monte Carlo: Cappe, Douc, Guillin, Marin and Robert
 * 2008), which decreases the Kullback-Leibler divergence between the posterior and g. Point s belongs to
 * component c with probability r_c(s) = a_c g_c(theta_s) / g(theta_s); the new share of c is the mean of r_c,
 * and its moments are those of the points weighted by r_c. A t component with a NEGLIGIBLE share is removed.
 *
 * With few parameters, EM starts from clusters of the points, so that the components follow ridges and
 * several modes wherever the points found them. The first component stays as wide as all points together, and
 * covariances shrink towards the one within clusters, since a few points of a distant lobe have none. */
#include <math.h>
#include <string.h>

#include "hyper/clusters.h"
#include "hyper/mixture.h"

/* Least shares of the prior. They are powers of 2, so that its points are evenly spread over the scrambles. */
static const double FEWEST = 1.0 / 32.0, FEWEST_FEW = 1.0 / 16.0, FEWEST_HEAVY = 1.0 / 4.0;

/* Least shares of a t component, of the wide one, and of those about clusters as a multiple of equal shares.
 */
static const double LEAST = 1.0 / 32.0, LEAST_WIDE = 1.0 / 16.0, LEAST_CLUSTER = 0.35;
static const double NEGLIGIBLE = 1.0 / 256.0;
static const double WIDER = 1.5;

/* More clusters are kept if they make the weights this much smoother. */
static const double BETTER = 0.95;
enum { ITERATIONS = 4 };

/* Points in both coordinates, with what does not change during EM. */
typedef struct points {
    size_t count;
    double *z, *log_jacobian, *log_stretched; /* d x count, count, count */
    const double *weight, *log_density;
    double *leverage; /* count */
    tw_proposal
        *pooled; /* the covariance within clusters, towards which those of components shrink; or NULL */
    double *weight_own; /* count: weights times leverage */
    double *own;        /* count x (1 + TW_MIXTURE_COMPONENTS): w r_c */
} points;

static tw_status allocate(const tw_mixture *m, const tw_weighed *from, points *p)
{
    *p = (points){.count = from->points, .weight = from->weight, .log_density = from->log_density};
    TW_TRY(tw_allocate_doubles(m->ctx, m->d + 5 + TW_MIXTURE_COMPONENTS, from->points, "points", &p->z));
    p->log_jacobian = p->z + m->d * p->count;
    p->log_stretched = p->log_jacobian + p->count;
    p->weight_own = p->log_stretched + p->count;
    p->leverage = p->weight_own + p->count;
    p->own = p->leverage + p->count;
    for (size_t s = 0; s < p->count; s++) {
        p->log_jacobian[s] = tw_mixture_warp(m, from->theta + s * m->d, p->z + s * m->d);
        p->log_stretched[s] = tw_mixture_log_stretched(m, from->theta + s * m->d);
    }
    return TW_OK;
}

static tw_weighed those_of(const points *p, size_t c)
{
    return (tw_weighed){p->count, p->z, p->own + c * p->count, NULL};
}

/* ---- shares ---- */

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
    return m->clusters > 0 ? FEWEST_FEW : FEWEST;
}

/* The share rounded to 1/2^k, between `rounded` (the fewest) and 1/2. */
static double round_share(double share, double rounded)
{
    while (rounded < 0.5 && share > 1.4 * rounded) rounded *= 2.0;
    return rounded;
}

static double least_share(const tw_mixture *m, size_t c)
{
    if (m->clusters == 0) return LEAST;
    return c == 1 ? LEAST_WIDE : LEAST_CLUSTER / (double)m->components;
}

/* The prior's share is a power of 1/2; the t components divide the rest. */
static void set_shares(tw_mixture *m, const double *found)
{
    double sum = 0.0, prior = m->components > 0 ? round_share(found[0], least_prior_share(m)) : 1.0;
    for (size_t c = 1; c <= m->components; c++) sum += m->share[c] = fmax(found[c], least_share(m, c));
    for (size_t c = 1; c <= m->components; c++) m->share[c] *= (1.0 - prior) / sum;
    m->share[0] = prior;
}

/* ---- leverage ---- */

/* The mean of f is estimated best by a proposal that is proportional to |f - E f| times the posterior. So the
 * weights are multiplied by 1 + leverage D^2 / d, with D the distance from the mean in the metric of all points: a
 * distant lobe of little weight is a large part of a variance. */
static tw_status add_leverage(const tw_mixture *m, points *p, double leverage)
{
    tw_weighed all = {p->count, p->z, p->weight, NULL};
    tw_proposal *whole = NULL;
    TW_TRY(tw_proposal_learn(m->component[0], &all, 1.0, false, &whole));
    for (size_t s = 0; s < p->count; s++) {
        double d2 = tw_proposal_distance2(whole, p->z + s * m->d, whole->mean);
        p->leverage[s] = 1.0 + leverage * d2 / (double)m->d;
        p->weight_own[s] = p->weight[s] * p->leverage[s];
    }
    p->weight = p->weight_own;
    tw_proposal_free(whole);
    return TW_OK;
}

/* The second moment of weights and leverage under g, relative to other mixtures learned from the same points:
 * E_g[(w L)^2 / L] = sum over points of their weight times that under g. */
static double roughness(const tw_mixture *g, const points *p)
{
    double sum = 0.0, part[1 + TW_MIXTURE_COMPONENTS];
    for (size_t s = 0; s < p->count; s++) {
        if (!(p->weight[s] > 0.0)) continue;
        double log_g =
            tw_mixture_log_parts(g, p->z + s * g->d, p->log_jacobian[s], p->log_stretched[s], part);
        double w = p->weight[s];
        sum += w * w / p->leverage[s] * exp(p->log_density[s] - log_g);
    }
    return sum;
}

/* ---- one iteration ---- */

/* own = w r_c; found = their sums, normalised to total 1. */
static void assign_points(const tw_mixture *m, const points *p, double *found)
{
    double total = 0.0;
    memset(found, 0, (1 + TW_MIXTURE_COMPONENTS) * sizeof *found);
    for (size_t s = 0; s < p->count; s++) {
        double part[1 + TW_MIXTURE_COMPONENTS] = {0.0}, w = p->weight[s];
        double all =
            w > 0.0 ? tw_mixture_log_parts(m, p->z + s * m->d, p->log_jacobian[s], p->log_stretched[s], part)
                    : 0.0;
        for (size_t c = 0; c <= m->components; c++) {
            double r = w > 0.0 ? w * exp(part[c] - all) : 0.0;
            p->own[s + c * p->count] = r;
            found[c] += r;
            total += r;
        }
    }
    for (size_t c = 0; c <= m->components; c++) found[c] /= total;
}

/* Component c adapted to its points; the wide one stays. NULL: it has none. */
static tw_status learn_component(const tw_mixture *old, const points *p, size_t c, tw_proposal **out)
{
    tw_weighed own = those_of(p, c);
    if (old->clusters > 0 && c == 1) return tw_proposal_scaled(old->component[0], 1.0, out);
    return tw_proposal_learn(p->pooled ? p->pooled : old->component[c - 1], &own, (double)(old->d + 2),
                             p->pooled != NULL, out);
}

/* Adapt the t components that remain, and sort them by their shares; the wide one stays first. */
static tw_status learn_components(const tw_mixture *old, const points *p, const double *found,
                                  tw_mixture *next)
{
    double share[1 + TW_MIXTURE_COMPONENTS] = {found[0]};
    size_t fixed = old->clusters > 0;
    for (size_t c = 1; c <= old->components; c++) {
        tw_proposal *component = NULL;
        if (found[c] < NEGLIGIBLE && old->components > 1 && c > fixed) continue;
        TW_TRY(learn_component(old, p, c, &component));
        if (!component) continue;
        size_t at = next->components++;
        for (; at > fixed && share[at] < found[c]; at--) {
            next->component[at] = next->component[at - 1];
            share[at + 1] = share[at];
        }
        next->component[at] = component;
        share[at + 1] = found[c];
    }
    set_shares(next, share);
    return TW_OK;
}

static tw_status new_like(const tw_mixture *old, tw_mixture **out)
{
    TW_TRY(tw_mixture_new(old->ctx, old->d, out));
    (*out)->clusters = old->clusters;
    memcpy((*out)->prior, old->prior, sizeof old->prior);
    memcpy((*out)->parameter, old->parameter, sizeof old->parameter);
    return TW_OK;
}

static tw_status iterate(const tw_mixture *old, const points *p, tw_mixture **out)
{
    double found[1 + TW_MIXTURE_COMPONENTS];
    tw_mixture *next = NULL;
    TW_TRY(new_like(old, &next));
    assign_points(old, p, found);
    tw_status status = learn_components(old, p, found, next);
    if (status == TW_OK)
        *out = next;
    else
        tw_mixture_free(next);
    return status;
}

/* ---- components about clusters ---- */

/* The covariance within clusters, as a proposal. It uses the memory `own`. */
static tw_status pool(const tw_proposal *whole, points *p, const size_t *number)
{
    double mean[TW_CLUSTERS_MOST][TW_PROPOSAL_MOST] = {{0.0}}, sum[TW_CLUSTERS_MOST] = {0.0};
    size_t d = whole->d;
    for (size_t s = 0; s < p->count; s++) {
        sum[number[s]] += p->weight[s];
        for (size_t a = 0; a < d; a++) mean[number[s]][a] += p->weight[s] * p->z[a + s * d];
    }
    for (size_t s = 0; s < p->count; s++)
        for (size_t a = 0; a < d; a++)
            p->own[a + s * d] =
                p->weight[s] > 0.0 ? p->z[a + s * d] - mean[number[s]][a] / sum[number[s]] : 0.0;
    tw_weighed about = {p->count, p->own, p->weight, NULL};
    return tw_proposal_learn(whole, &about, 1.0, false, &p->pooled);
}

static tw_status add_clusters(tw_mixture *m, const points *p, const size_t *number)
{
    for (size_t c = 0; c < m->clusters; c++) {
        tw_proposal *component = NULL;
        tw_weighed own = those_of(p, 0);
        for (size_t s = 0; s < p->count; s++) p->own[s] = number[s] == c ? p->weight[s] : 0.0;
        TW_TRY(tw_proposal_learn(p->pooled, &own, (double)(m->d + 2), true, &component));
        if (component) m->component[m->components++] = component;
    }
    return TW_OK;
}

/* The wide component and one about each cluster, with equal shares. */
static tw_status start(const tw_mixture *old, points *p, tw_mixture *m)
{
    tw_proposal *whole = NULL;
    tw_weighed all = {p->count, p->z, p->weight, NULL};
    void *memory = NULL;
    tw_status status = tw_allocate(m->ctx, p->count, sizeof(size_t), "clusters", &memory);
    size_t *number = memory;
    if (status == TW_OK) status = tw_proposal_learn(old->component[0], &all, 1.0, false, &whole);
    if (status == TW_OK) status = tw_clusters_find(whole, &all, m->clusters, number);
    if (status == TW_OK) status = pool(whole, p, number);
    if (status == TW_OK) status = tw_proposal_scaled(whole, WIDER, &m->component[0]);
    if (status == TW_OK) m->components = 1;
    if (status == TW_OK) status = add_clusters(m, p, number);
    for (size_t c = 0; c <= m->components; c++) m->share[c] = 1.0 / (double)(1 + m->components);
    tw_proposal_free(whole);
    tw_release(m->ctx, number);
    return status;
}

/* ---- copies ---- */

tw_status tw_mixture_copy(const tw_mixture *from, double scale, double df, tw_mixture **out)
{
    TW_TRY(new_like(from, out));
    memcpy((*out)->share, from->share, sizeof from->share);
    for (size_t c = 0; c < from->components; c++) {
        tw_proposal old = *from->component[c], *wide = NULL;
        old.df = df;
        tw_status status = tw_proposal_scaled(&old, scale, &wide);
        if (status != TW_OK) {
            tw_mixture_free(*out);
            *out = NULL;
            return status;
        }
        (*out)->component[(*out)->components++] = wide;
    }
    return TW_OK;
}

/* ---- all of it ---- */

static tw_status repeat(const tw_mixture *old, const points *p, tw_mixture **out)
{
    for (int i = 0; i < ITERATIONS; i++) {
        tw_mixture *next = NULL;
        TW_TRY(iterate(*out ? *out : old, p, &next));
        tw_mixture_free(*out);
        *out = next;
    }
    return TW_OK;
}

static tw_status learn_clusters(const tw_mixture *old, size_t clusters, points *p, tw_mixture **out)
{
    TW_TRY(new_like(old, out));
    (*out)->clusters = clusters;
    tw_status status = start(old, p, *out);
    if (status == TW_OK) status = repeat(old, p, out);
    tw_proposal_free(p->pooled);
    p->pooled = NULL;
    return status;
}

/* Try 1, 2, 4, ... clusters; more are kept only if they make the weights smoother. */
static tw_status learn_few(const tw_mixture *old, points *p, double leverage, tw_mixture **out)
{
    double least = INFINITY;
    TW_TRY(add_leverage(old, p, leverage));
    for (size_t clusters = 1; clusters <= old->clusters; clusters *= 2) {
        tw_mixture *next = NULL;
        tw_status status = learn_clusters(old, clusters, p, &next);
        double rough = status == TW_OK ? roughness(next, p) : INFINITY;
        if (rough < BETTER * least || !*out) {
            tw_mixture *swapped = *out;
            *out = next;
            next = swapped;
            least = rough;
        }
        tw_mixture_free(next);
        TW_TRY(status);
    }
    (*out)->clusters = old->clusters;
    return TW_OK;
}

tw_status tw_mixture_learn(const tw_mixture *old, const tw_weighed *from, double leverage, tw_mixture **out)
{
    double largest = 0.0;
    points p;
    *out = NULL;
    for (size_t s = 0; s < from->points; s++) largest = fmax(largest, from->weight[s]);
    if (!(largest > 0.0)) return TW_OK;
    tw_status status = allocate(old, from, &p);
    if (status == TW_OK)
        status = old->clusters > 0 ? learn_few(old, &p, leverage, out) : repeat(old, &p, out);
    tw_release(old->ctx, p.z);
    if (status == TW_OK) return TW_OK;
    tw_mixture_free(*out);
    *out = NULL;
    return status;
}
