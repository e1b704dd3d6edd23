/* mixture.c: the density and the draws of the proposal of theta; see mixture.h. */
#include "hyper/mixture.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "math/constants.h"
#include "math/normal.h"

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

static double clip_probability(double u)
{
    return fmin(fmax(u, 0x1p-53), 1.0 - 0x1p-53);
}

/* ---- theta and z ---- */

bool tw_mixture_is_warped(const tw_mixture *m, size_t k)
{
    return m->prior[k]->family == TW_PRIOR_UNIFORM;
}

double tw_mixture_warp(const tw_mixture *m, const double *theta, double *z)
{
    double log_jacobian = 0.0;
    for (size_t k = 0; k < m->d; k++) {
        z[k] = theta[k];
        if (!tw_mixture_is_warped(m, k)) continue;
        z[k] = tw_normal_quantile(clip_probability(tw_prior_cdf(m->prior[k], m->parameter[k], theta[k])));
        log_jacobian += tw_prior_log_density(m->prior[k], m->parameter[k], theta[k], NULL) +
                        0.5 * (z[k] * z[k] + TW_LOG_TWO_PI);
    }
    return log_jacobian;
}

void tw_mixture_unwarp(const tw_mixture *m, const double *z, double *theta)
{
    for (size_t k = 0; k < m->d; k++)
        theta[k] = tw_mixture_is_warped(m, k)
                       ? tw_prior_quantile(m->prior[k], m->parameter[k],
                                           clip_probability(0.5 * erfc(-z[k] / sqrt(2.0))))
                       : z[k];
}

/* ---- the stretched prior ---- */

/* The arcsine density of v = F_k(theta_k). */
static double arcsine_density(const tw_mixture *m, size_t k, double theta)
{
    double v = clip_probability(tw_prior_cdf(m->prior[k], m->parameter[k], theta));
    return 1.0 / (acos(-1.0) * sqrt(v * (1.0 - v)));
}

double tw_mixture_log_stretched(const tw_mixture *m, const double *theta)
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

double tw_mixture_log_parts(const tw_mixture *m, const double *z, double log_jacobian, double log_stretched,
                            double part[1 + TW_MIXTURE_COMPONENTS])
{
    double largest, sum = 0.0;
    largest = part[0] = log(m->share[0]) + log_stretched;
    for (size_t c = 1; c <= m->components; c++) {
        part[c] = log(m->share[c]) + tw_proposal_log_density(m->component[c - 1], z) + log_jacobian;
        largest = fmax(largest, part[c]);
    }
    if (!(largest > -INFINITY)) return -INFINITY;
    for (size_t c = 0; c <= m->components; c++) sum += exp(part[c] - largest);
    return largest + log(sum);
}

double tw_mixture_log_density(const tw_mixture *m, const double *theta)
{
    double part[1 + TW_MIXTURE_COMPONENTS], z[TW_PROPOSAL_MOST], log_jacobian = tw_mixture_warp(m, theta, z);
    double value = -INFINITY;
    if (log_jacobian > -INFINITY)
        value = tw_mixture_log_parts(m, z, log_jacobian, tw_mixture_log_stretched(m, theta), part);
    return TW_FAULTY(TW_FAULT_NO_PROPOSAL, value, 0.0);
}

/* The last uniform number selects a component. Rescaled to that component's interval it is uniform again: it
 * selects the stretched parameter, or gives the scale of a t component. */
void tw_mixture_draw(const tw_mixture *m, const double *u, double *theta)
{
    size_t d = m->d, c = 0;
    double low = 0.0, own[TW_PROPOSAL_MOST + 1], z[TW_PROPOSAL_MOST];
    while (c < m->components && u[d] >= low + m->share[c]) low += m->share[c++];
    if (c == 0) {
        draw_stretched_prior(m, u, u[d] / m->share[0], theta);
        return;
    }
    memcpy(own, u, d * sizeof *own);
    own[d] = clip_probability((u[d] - low) / m->share[c]);
    tw_proposal_draw(m->component[c - 1], own, z);
    tw_mixture_unwarp(m, z, theta);
}
