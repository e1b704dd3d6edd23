/* curvature.c: the Hessian of the log posterior by central differences of its gradient, and what follows from it.
 *
 * With H = -d2 log posterior, sd_k^2 = (H^-1)_kk, and g' H^-1 g is the squared distance to the maximum in standard deviations.
 * A step of 0.02 has a relative error of about 1e-4 from the fourth derivative, and EP's tolerance makes less. */
#include <math.h>
#include <string.h>

#include "fit/objective.h"
#include "gaussian/dense.h"
#include "linalg/vector.h"

static const double STEP = 0.02, WIDE = 3.0;

typedef struct work {
    size_t moving;                       /* parameters that move */
    size_t *index;                       /* of those among the free */
    double *place, *zero;                /* free, moving */
    double *gradient, *up, *down, *unit; /* free, free, free, moving */
} work;

static tw_status allocate(tw_context *ctx, size_t count, work *w)
{
    void *memory = NULL;
    double **vectors[] = {&w->place, &w->zero, &w->gradient, &w->up, &w->down, &w->unit};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TW_TRY(tw_allocate_doubles(ctx, count, 1, "a curvature", vectors[i]));
    TW_TRY(tw_allocate(ctx, count, sizeof(size_t), "a curvature", &memory));
    w->index = memory;
    return TW_OK;
}

static void release(tw_context *ctx, work *w)
{
    double *arrays[] = {w->place, w->zero, w->gradient, w->up, w->down, w->unit};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, w->index);
}

/* Gradients to both sides of the k-th; *whole: log Z could be had at both. */
static tw_status difference(tw_objective *o, const double *place, work *w, size_t k, bool *whole)
{
    tw_height up, down;
    memcpy(w->place, place, o->free_count * sizeof *place);
    w->place[k] = place[k] + STEP;
    TW_TRY(tw_objective_at(o, w->place, w->up, &up));
    w->place[k] = place[k] - STEP;
    TW_TRY(tw_objective_at(o, w->place, w->down, &down));
    *whole = *whole && !isnan(up.log_posterior) && !isnan(down.log_posterior);
    return TW_OK;
}

/* H over the parameters that move, made symmetric. */
static tw_status fill(tw_objective *o, const double *place, work *w, double *h, bool *whole)
{
    size_t m = w->moving;
    for (size_t a = 0; a < m; a++) {
        TW_TRY(difference(o, place, w, w->index[a], whole));
        for (size_t b = 0; b < m; b++)
            h[b + a * m] = -(w->up[w->index[b]] - w->down[w->index[b]]) / (2.0 * STEP);
    }
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++) h[b + a * m] = h[a + b * m] = 0.5 * (h[b + a * m] + h[a + b * m]);
    return TW_OK;
}

/* N(0, H) has a factor F with F F' = H: (H^-1)_kk = |F^-1 e_k|^2, g' H^-1 g = |F^-1 g|^2. */
static void invert(const tw_gaussian *curvature, work *w, double *sd, bool *flat, double *decrement)
{
    size_t m = w->moving;
    for (size_t a = 0; a < m; a++) {
        memset(w->zero, 0, m * sizeof *w->zero);
        w->zero[a] = 1.0;
        tw_gaussian_solve(curvature, 1, w->zero, w->unit);
        sd[w->index[a]] = sqrt(tw_dot(m, w->unit, w->unit));
        *flat = *flat || !(sd[w->index[a]] <= WIDE);
    }
    for (size_t a = 0; a < m; a++) w->zero[a] = w->gradient[w->index[a]];
    tw_gaussian_solve(curvature, 1, w->zero, w->unit);
    *decrement = sqrt(tw_dot(m, w->unit, w->unit));
}

/* H is the covariance of a Gaussian, whose factor says whether it is that of a maximum. It is handed out where it is one in
 * all free parameters. */
static tw_status measure(tw_objective *o, const double *place, work *w, double *sd, bool *flat,
                         double *decrement, tw_gaussian **out)
{
    tw_gaussian *curvature = NULL;
    tw_gaussian_report report;
    tw_height here;
    bool whole = true;
    TW_TRY(tw_objective_at(o, place, w->gradient, &here));
    if (w->moving == 0) {
        *decrement = 0.0;
        return TW_OK;
    }
    TW_TRY(tw_gaussian_dense_new(o->problem->ctx, w->moving, NULL, 0, &curvature));
    tw_status status = fill(o, place, w, tw_gaussian_dense_matrix(curvature), &whole);
    if (status == TW_OK) {
        tw_status factored =
            whole ? tw_gaussian_dense_factor(curvature, 0.0, &report) : TW_NOT_POSITIVE_DEFINITE;
        *flat = factored != TW_OK || !curvature->full_rank;
        bool whole_maximum = !*flat && w->moving == o->free_count;
        if (!*flat) invert(curvature, w, sd, flat, decrement);
        if (whole_maximum) {
            *out = curvature;
            return TW_OK;
        }
    }
    tw_gaussian_free(curvature);
    return status;
}

tw_status tw_objective_curvature(tw_objective *o, const double *place, const bool *moves, double *sd,
                                 bool *flat, double *decrement, tw_gaussian **out)
{
    work w = {0};
    *out = NULL;
    *flat = false;
    *decrement = NAN;
    for (size_t k = 0; k < o->free_count; k++) sd[k] = NAN;
    tw_status status = allocate(o->problem->ctx, o->free_count, &w);
    for (size_t k = 0; status == TW_OK && k < o->free_count; k++)
        if (moves[k]) w.index[w.moving++] = k;
    if (status == TW_OK) status = measure(o, place, &w, sd, flat, decrement, out);
    release(o->problem->ctx, &w);
    return status;
}
