/* walker.c: Metropolis steps of theta and elliptical slice steps of w; see walker.h. */
#include "hyper/walker.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "math/constants.h"

enum { SHRINKS = 60 };

/* ---- a theta with its q ---- */

static void free_spot(tw_spot *s)
{
    tw_reference_free(s->q);
    tw_model_free(s->model);
    s->q = NULL;
    s->model = NULL;
}

/* Make q from the nearest sites; if these are too negative for this K, q is the prior. */
static tw_status make_q(const tw_walker *k, tw_spot *s)
{
    if (!tw_library_find(k->h->library, k->h->g, s->theta, &s->sites)) s->sites = (tw_guess){NULL, NULL};
    tw_status status = TW_NUMERICAL_FAILURE;
    if (s->sites.tau) status = tw_reference_sites(s->model, s->sites.tau, s->sites.nu, &s->q);
    if (status != TW_NUMERICAL_FAILURE && status != TW_BAD_ARGUMENT) return status;
    s->sites = (tw_guess){NULL, NULL};
    return tw_reference_prior(s->model, &s->q);
}

/* The sum of log p / t at w; NaN and infinite sums count as density 0. */
static double measure(tw_walker *k, const tw_spot *s, const double *w)
{
    size_t n = s->model->n;
    double sum = 0.0;
    tw_gaussian_positions(s->q->gaussian, 1, w, k->x);
    s->model->observed.likelihood->terms(&s->model->observed, k->x, k->value, NULL, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        double x = k->x[i];
        sum += k->value[i];
        if (s->sites.tau) sum -= x * (s->sites.nu[i] - 0.5 * s->sites.tau[i] * x);
    }
    return isfinite(sum) ? sum : -INFINITY;
}

/* Set all of s from its theta; *possible is whether its density is above 0. */
static tw_status set_spot(tw_walker *k, tw_spot *s, bool *possible)
{
    const tw_hyper *h = k->h;
    free_spot(s);
    tw_hyper_fill(h, s->theta, k->place->theta);
    double log_prior = tw_priors_log_density(h->priors, h->problem, k->place->theta, NULL);
    *possible = false;
    if (!(log_prior > -INFINITY)) return TW_OK;
    TW_TRY(tw_place_model(k->place, &s->model));
    if (!s->model) return TW_OK;
    TW_TRY(make_q(k, s));
    s->log_g = tw_mixture_log_density(h->g, s->theta);
    s->log_prior = log_prior;
    s->sum = measure(k, s, k->w);
    *possible = s->sum > -INFINITY;
    return TW_OK;
}

static double log_ratio(const tw_spot *s)
{
    return s->q->log_z + s->sum;
}

double tw_walker_log_ratio(const tw_walker *k)
{
    return log_ratio(&k->here);
}

/* ---- transitions ---- */

/* Propose a random-walk step of z (mixture.h), of 2.4 / sqrt(d) standard deviations of the first component.
 * Returns log |dz/dtheta| here minus there. */
static double step_theta(tw_walker *k)
{
    const tw_hyper *h = k->h;
    double w[TW_HYPER_MOST], z[TW_HYPER_MOST], move[TW_HYPER_MOST], step = 2.4 / sqrt((double)h->unknown);
    double here = tw_mixture_warp(h->g, k->here.theta, z);
    tw_stream_normals(&k->stream, h->unknown, w);
    for (size_t a = 0; a < h->unknown; a++) w[a] *= step;
    tw_gaussian_spread(h->g->component[0]->shape, 1, w, move);
    for (size_t a = 0; a < h->unknown; a++) z[a] += move[a];
    tw_mixture_unwarp(h->g, z, k->there.theta);
    return here - tw_mixture_warp(h->g, k->there.theta, z);
}

static void draw_theta(tw_walker *k, double *theta)
{
    double u[TW_HYPER_MOST + 1];
    for (size_t a = 0; a <= k->h->unknown; a++) u[a] = tw_stream_uniform(&k->stream);
    tw_mixture_draw(k->h->g, u, theta);
}

/* Alternate between a random-walk step of z, whose ratio of densities is that of p exp(b R) / |dz/dtheta|, and an
 * independent draw from g, with that of p exp(b R) / g. */
tw_status tw_walker_move_theta(tw_walker *k)
{
    bool possible, far = k->far = !k->far;
    double stretch = 0.0;
    if (far)
        draw_theta(k, k->there.theta);
    else
        stretch = step_theta(k);
    double level = log(tw_stream_uniform(&k->stream));
    k->moves++;
    TW_TRY(set_spot(k, &k->there, &possible));
    if (!possible) return TW_OK;
    double change =
        k->there.log_prior - k->here.log_prior + k->beta * (log_ratio(&k->there) - log_ratio(&k->here));
    if (level > change + (far ? k->here.log_g - k->there.log_g : stretch)) return TW_OK;
    tw_spot swapped = k->here;
    k->here = k->there;
    k->there = swapped;
    k->accepted++;
    return TW_OK;
}

/* Elliptical slice sampling (Murray, Adams and MacKay 2010) of N(w; 0, I) exp(b sum). */
void tw_walker_move_w(tw_walker *k)
{
    const double turn = 6.2831853071795864769;
    size_t n = k->here.model->n;
    tw_stream_normals(&k->stream, n, k->direction);
    double level = k->beta * k->here.sum + log(tw_stream_uniform(&k->stream));
    double angle = turn * tw_stream_uniform(&k->stream), low = angle - turn, high = angle;
    for (int i = 0; i < SHRINKS; i++) {
        for (size_t j = 0; j < n; j++) k->trial[j] = cos(angle) * k->w[j] + sin(angle) * k->direction[j];
        double sum = measure(k, &k->here, k->trial);
        if (k->beta * sum > level) {
            memcpy(k->w, k->trial, n * sizeof *k->w);
            k->here.sum = sum;
            return;
        }
        *(angle < 0.0 ? &low : &high) = angle;
        angle = low + (high - low) * tw_stream_uniform(&k->stream);
    }
}

/* ---- start and end ---- */

tw_status tw_walker_begin(tw_walker *k, const tw_hyper *h, tw_place *place, uint64_t chain)
{
    size_t n = h->result->n;
    double *memory = NULL;
    *k = (tw_walker){.h = h, .place = place, .stream = tw_stream_at(h->o->seed, TW_STREAM_SLICE, chain, 0)};
    TW_TRY(tw_allocate_doubles(place->ctx, n, 5, "a particle", &memory));
    k->w = memory;
    k->direction = memory + n;
    k->trial = memory + 2 * n;
    k->x = memory + 3 * n;
    k->value = memory + 4 * n;
    return TW_OK;
}

void tw_walker_end(tw_walker *k)
{
    free_spot(&k->here);
    free_spot(&k->there);
    tw_release(k->place->ctx, k->w);
}

tw_status tw_walker_start(tw_walker *k, bool *possible)
{
    const tw_mixture *g = k->h->g;
    for (size_t a = 0; a < k->h->unknown; a++)
        k->here.theta[a] = tw_prior_quantile(g->prior[a], g->parameter[a], tw_stream_uniform(&k->stream));
    tw_stream_normals(&k->stream, k->h->result->n, k->w);
    return set_spot(k, &k->here, possible);
}

/* log p(y, x | theta) = log Z_q + log N(x; m, F F') + sum of log p / t. */
double tw_walker_look(tw_walker *k, double *x)
{
    const tw_spot *s = &k->here;
    const tw_gaussian *g = s->q->gaussian;
    double n = (double)s->model->n;
    tw_gaussian_positions(g, 1, k->w, x);
    if (!g->full_rank) return NAN;
    return s->q->log_z + s->sum - 0.5 * (tw_dot(s->model->n, k->w, k->w) + n * TW_LOG_TWO_PI + g->log_det);
}
