/* ep_sequence.c: initial sites for EP, extrapolated along a sequence of models (talweg/approximate.h).
 *
 * The polynomial of order k through the last k + 1 of equidistant points predicts the next one with the
 * weights (-1)^j binomial(k + 1, j + 1), j = 0, ..., k, latest point first.
 */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "talweg/approximate.h"

/* The largest error of a prediction that is used, in units of the marginals, as EP's residual. Measured: such
 * a prediction saves at least the sweep that inserts it. */
static const double worst_error = 0.1;

enum { POINTS = 4 };
static const double weights[POINTS][POINTS] = {
    {1.0, 0.0, 0.0, 0.0}, {2.0, -1.0, 0.0, 0.0}, {3.0, -3.0, 1.0, 0.0}, {4.0, -6.0, 4.0, -1.0}};

/* Positions in the state: the number of points, at most POINTS; the order that would have predicted the last
 * point best, and its error there; then the sites. */
enum { STATE_POINTS, STATE_ORDER, STATE_ERROR, STATE_SITES };

struct tw_ep_sequence {
    tw_context *ctx;
    size_t n;
    double *state;     /* all numbers that a checkpoint holds */
    double *sites;     /* in state: (tau, nu) of the last points, latest first, 2 n numbers each */
    double *predicted; /* (tau, nu) of the next point, 2 n numbers */
};

static size_t state_count(const tw_ep_sequence *p)
{
    return STATE_SITES + 2 * p->n * POINTS;
}

void tw_ep_sequence_restart(tw_ep_sequence *p)
{
    p->state[STATE_POINTS] = p->state[STATE_ORDER] = 0.0;
    p->state[STATE_ERROR] = INFINITY;
}

tw_status tw_ep_sequence_new(tw_context *ctx, size_t n, tw_ep_sequence **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_ep_sequence), "a sequence of models", &memory));
    tw_ep_sequence *p = memory;
    p->ctx = ctx;
    p->n = n;
    tw_status status =
        tw_allocate_doubles(ctx, state_count(p) + 2 * n, 1, "the sites of a sequence", &p->state);
    if (status != TW_OK) {
        tw_release(ctx, p);
        return status;
    }
    p->sites = p->state + STATE_SITES;
    p->predicted = p->state + state_count(p);
    tw_ep_sequence_restart(p);
    *out = p;
    return TW_OK;
}

void tw_ep_sequence_free(tw_ep_sequence *p)
{
    if (!p) return;
    tw_release(p->ctx, p->state);
    tw_release(p->ctx, p);
}

/* Extrapolate (tau, nu) of a site; if tau would be negative, use the last point. */
static void extrapolate(const tw_ep_sequence *p, size_t order, size_t site, double *tau, double *nu)
{
    const double *last = p->sites + site;
    *tau = *nu = 0.0;
    for (size_t k = 0; k <= order; k++) {
        *tau += weights[order][k] * last[2 * k * p->n];
        *nu += weights[order][k] * last[(2 * k + 1) * p->n];
    }
    if (*tau >= 0.0) return;
    *tau = last[0];
    *nu = last[p->n];
}

/* The error of the prediction of this order in units of the marginals: the maximum over sites of |dtau|
 * variance and |dnu - dtau mean| sd. */
static double prediction_error(const tw_ep_sequence *p, size_t order, const tw_approximation *ep)
{
    double worst = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        double tau, nu;
        extrapolate(p, order, i, &tau, &nu);
        double dtau = tau - ep->tau[i], dnu = nu - ep->nu[i], sd = sqrt(ep->variance[i]);
        worst = fmax(worst, fmax(fabs(dtau) * sd * sd, fabs(dnu - dtau * ep->mean[i]) * sd));
    }
    return worst;
}

void tw_ep_sequence_predict(tw_ep_sequence *p, tw_ep_options *options)
{
    double *tau = p->predicted, *nu = tau + p->n;
    if (!(p->state[STATE_ERROR] <= worst_error)) return;
    for (size_t i = 0; i < p->n; i++) extrapolate(p, (size_t)p->state[STATE_ORDER], i, &tau[i], &nu[i]);
    options->tau = tau;
    options->nu = nu;
}

void tw_ep_sequence_learn(tw_ep_sequence *p, const tw_approximation *ep)
{
    size_t block = 2 * p->n, points = (size_t)p->state[STATE_POINTS];
    tw_ep_sequence_restart(p);
    if (!ep->converged) return;
    for (size_t order = 0; order < points; order++) {
        double error = prediction_error(p, order, ep);
        if (error >= p->state[STATE_ERROR]) continue;
        p->state[STATE_ERROR] = error;
        p->state[STATE_ORDER] = (double)order;
    }
    memmove(p->sites + block, p->sites, (POINTS - 1) * block * sizeof *p->sites);
    memcpy(p->sites, ep->tau, p->n * sizeof *ep->tau);
    memcpy(p->sites + p->n, ep->nu, p->n * sizeof *ep->nu);
    p->state[STATE_POINTS] = (double)(points < POINTS ? points + 1 : points);
}

/* ---- checkpoints ---- */

const double *tw_ep_sequence_state(const tw_ep_sequence *p, size_t *count)
{
    *count = state_count(p);
    return p->state;
}

/* Is the value one of 0, 1, ..., most? */
static bool is_index(double value, size_t most)
{
    return value >= 0.0 && value <= (double)most && value == floor(value);
}

tw_status tw_ep_sequence_restore(tw_ep_sequence *p, size_t count, const double *numbers)
{
    if (count != state_count(p) || !is_index(numbers[STATE_POINTS], POINTS) ||
        !is_index(numbers[STATE_ORDER], POINTS - 1))
        return tw_fail(p->ctx, TW_BAD_DATA, "the state of a sequence of models is damaged");
    memcpy(p->state, numbers, count * sizeof *numbers);
    return TW_OK;
}
