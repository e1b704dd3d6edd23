/* curvature.c: the Hessian of the log posterior by central differences of its gradient, and standard
 * deviations.
 *
 * With H = -d2 log posterior, sd_k^2 = (H^-1)_kk, and the Newton decrement sqrt(g' H^-1 g) is the distance to
 * the maximum in standard deviations. A step of 0.02 has a relative error of about 1e-4 from the fourth
 * derivative; the error from EP's tolerance is smaller. */
#include <math.h>
#include <string.h>

#include "fit/objective.h"
#include "gaussian/dense.h"
#include "linalg/vector.h"

static const double STEP = 0.02, WIDE = 3.0;

typedef struct work {
    size_t moving;                           /* number of parameters that move */
    size_t *index;                           /* their indices among the free parameters */
    double *point, *rhs;                     /* lengths free_count, moving */
    double *gradient, *up, *down, *solution; /* lengths free_count, free_count, free_count, moving */
} work;

static tw_status allocate(tw_context *ctx, size_t count, work *w)
{
    void *memory = NULL;
    double **vectors[] = {&w->point, &w->rhs, &w->gradient, &w->up, &w->down, &w->solution};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TW_TRY(tw_allocate_doubles(ctx, count, 1, "a curvature", vectors[i]));
    TW_TRY(tw_allocate(ctx, count, sizeof(size_t), "a curvature", &memory));
    w->index = memory;
    return TW_OK;
}

static void release(tw_context *ctx, work *w)
{
    double *arrays[] = {w->point, w->rhs, w->gradient, w->up, w->down, w->solution};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, w->index);
}

/* Gradients one step up and down in parameter k; *defined becomes false if log Z fails at either point. */
static tw_status difference(tw_objective *o, const double *point, work *w, size_t k, bool *defined)
{
    tw_objective_value up, down;
    memcpy(w->point, point, o->free_count * sizeof *point);
    w->point[k] = point[k] + STEP;
    TW_TRY(tw_objective_at(o, w->point, w->up, &up));
    w->point[k] = point[k] - STEP;
    TW_TRY(tw_objective_at(o, w->point, w->down, &down));
    *defined = *defined && !isnan(up.log_posterior) && !isnan(down.log_posterior);
    return TW_OK;
}

/* H over the moving parameters, symmetrised. */
static tw_status fill(tw_objective *o, const double *point, work *w, double *h, bool *defined)
{
    size_t m = w->moving;
    for (size_t a = 0; a < m; a++) {
        TW_TRY(difference(o, point, w, w->index[a], defined));
        for (size_t b = 0; b < m; b++)
            h[b + a * m] = -(w->up[w->index[b]] - w->down[w->index[b]]) / (2.0 * STEP);
    }
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++) h[b + a * m] = h[a + b * m] = 0.5 * (h[b + a * m] + h[a + b * m]);
    return TW_OK;
}

/* Let F F' = H be the factor of N(0, H). Then (H^-1)_kk = |F^-1 e_k|^2 and g' H^-1 g = |F^-1 g|^2. */
static void invert(const tw_gaussian *curvature, work *w, double *sd, bool *flat, double *decrement)
{
    size_t m = w->moving;
    for (size_t a = 0; a < m; a++) {
        memset(w->rhs, 0, m * sizeof *w->rhs);
        w->rhs[a] = 1.0;
        tw_gaussian_solve(curvature, 1, w->rhs, w->solution);
        sd[w->index[a]] = sqrt(tw_dot(m, w->solution, w->solution));
        *flat = *flat || !(sd[w->index[a]] <= WIDE);
    }
    for (size_t a = 0; a < m; a++) w->rhs[a] = w->gradient[w->index[a]];
    tw_gaussian_solve(curvature, 1, w->rhs, w->solution);
    *decrement = sqrt(tw_dot(m, w->solution, w->solution));
}

/* Represent H as the covariance of a Gaussian, whose factorisation shows whether H is positive definite. The
 * caller gets it if it is and covers all free parameters. */
static tw_status measure(tw_objective *o, const double *point, work *w, double *sd, bool *flat,
                         double *decrement, tw_gaussian **out)
{
    tw_gaussian *curvature = NULL;
    tw_gaussian_report report;
    tw_objective_value here;
    bool defined = true;
    TW_TRY(tw_objective_at(o, point, w->gradient, &here));
    if (w->moving == 0) {
        *decrement = 0.0;
        return TW_OK;
    }
    TW_TRY(tw_gaussian_dense_new(o->problem->ctx, w->moving, NULL, 0, &curvature));
    tw_status status = fill(o, point, w, tw_gaussian_dense_matrix(curvature), &defined);
    if (status == TW_OK) {
        tw_status factored =
            defined ? tw_gaussian_dense_factor(curvature, 0.0, &report) : TW_NOT_POSITIVE_DEFINITE;
        *flat = factored != TW_OK || !curvature->full_rank;
        bool complete = !*flat && w->moving == o->free_count;
        if (!*flat) invert(curvature, w, sd, flat, decrement);
        if (complete) {
            *out = curvature;
            return TW_OK;
        }
    }
    tw_gaussian_free(curvature);
    return status;
}

tw_status tw_objective_curvature(tw_objective *o, const double *point, const bool *moves, double *sd,
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
    if (status == TW_OK) status = measure(o, point, &w, sd, flat, decrement, out);
    release(o->problem->ctx, &w);
    return status;
}
