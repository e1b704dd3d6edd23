/* predict.c: the latent function at new inputs under a Gaussian approximation with sites (tau, nu).
 *
 *   mean = k' K^-1 mu = k' (nu - tau o mu)                     since Sigma^-1 mu = nu
 *   variance = k** - k' (K + T^-1)^-1 k = k** - |Lb^-1 S k|^2,   S = T^1/2, Lb Lb' = I + S K S
 * (Rasmussen & Williams 2006, eq. 3.60-3.61), for all columns k together; sites with tau = 0 do not enter.
 */
#include <math.h>

#include "approximate/approximate.h"
#include "gaussian/dense_inside.h"
#include "linalg/vector.h"

/* A predictor holds what does not depend on the new inputs. */
struct tw_predictor {
    tw_context *ctx;
    size_t n, active;
    size_t *index; /* the sites with tau > 0 */
    double *s;     /* their sqrt(tau) */
    double *l;     /* active x active: Lb */
    double *alpha; /* n: nu - tau o mu */
};

void tw_predictor_free(tw_predictor *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    tw_release(ctx, p->index);
    tw_release(ctx, p->s);
    tw_release(ctx, p->l);
    tw_release(ctx, p->alpha);
    tw_release(ctx, p);
}

static tw_status allocate(const tw_approximation *a, tw_predictor *p)
{
    void *index = NULL;
    for (size_t i = 0; i < a->n; i++) p->active += a->tau[i] > 0.0;
    TW_TRY(tw_allocate(p->ctx, p->active, sizeof *p->index, "the active sites", &index));
    p->index = index;
    TW_TRY(tw_allocate_doubles(p->ctx, p->active, 1, "the active sites", &p->s));
    TW_TRY(tw_allocate_doubles(p->ctx, p->n, 1, "the predictor", &p->alpha));
    return tw_allocate_doubles(p->ctx, p->active, p->active, "the predictor's factor", &p->l);
}

static tw_status fill(const tw_model *model, const tw_approximation *a, tw_predictor *p)
{
    size_t k = 0;
    tw_pivot failed;
    for (size_t i = 0; i < a->n; i++) {
        p->alpha[i] = a->nu[i] - a->tau[i] * a->mean[i];
        if (!(a->tau[i] > 0.0)) continue;
        p->index[k] = i;
        p->s[k++] = sqrt(a->tau[i]);
    }
    if (tw_cholesky_active(p->active, p->index, p->s, ((const tw_dense *)model->prior)->a, model->n, p->l,
                           p->active, &failed))
        return TW_OK;
    return tw_fail(p->ctx, TW_NUMERICAL_FAILURE,
                   "the predictor's matrix I + S K S could not be factored at pivot %zu", failed.pivot);
}

tw_status tw_predictor_new(const tw_model *model, const tw_approximation *approximation, tw_predictor **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_predictor), "a predictor", &memory));
    tw_predictor *p = memory;
    *p = (tw_predictor){.ctx = model->ctx, .n = model->n};
    tw_status status = allocate(approximation, p);
    if (status == TW_OK) status = fill(model, approximation, p);
    if (status != TW_OK) {
        tw_predictor_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}

void tw_predictor_apply(const tw_predictor *p, size_t m, double *cross, const double *diagonal, double *mean,
                        double *variance)
{
    size_t n = p->n, active = p->active;
    for (size_t j = 0; j < m; j++) {
        double *column = cross + j * n;
        mean[j] = tw_dot(n, p->alpha, column);
        for (size_t k = 0; k < active; k++) column[k] = p->s[k] * column[p->index[k]]; /* index[k] >= k */
    }
    if (active > 0) tw_cholesky_half_solve(active, p->l, active, false, m, cross, n);
    for (size_t j = 0; j < m; j++) {
        double explained = tw_dot(active, cross + j * n, cross + j * n);
        variance[j] = fmax(diagonal[j] - explained, 0.0);
    }
}
