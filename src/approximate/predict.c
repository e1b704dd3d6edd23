/* predict.c: predictions of the latent function at new inputs under a Gaussian approximation with sites
 * (tau, nu). With k = k(x, z) the covariances of a new input with the cases and k** its prior variance,
 *
 *   mean = k' K^-1 mu = k' (nu - tau o mu)                     since Sigma^-1 mu = nu
 *   variance = k** - k' (K + T^-1)^-1 k = k** - |Lb^-1 S k|^2,   S = T^1/2, Lb Lb' = I + S K S
 * (Rasmussen & Williams 2006, eq. 3.60-3.61), for all columns k together. Sites with tau = 0 do not enter. If
 * some tau are negative, S does not exist; then, with F F' = Sigma,
 *   k' (K + T^-1)^-1 k = k' (T - T Sigma T) k = k' T k - |F' T k|^2.
 */
#include <math.h>
#include <string.h>

#include "approximate/approximate.h"
#include "gaussian/curved.h"
#include "linalg/vector.h"

/* The quantities that do not depend on the new inputs. */
struct tw_predictor {
    tw_context *ctx;
    const tw_model *model;
    size_t n;
    tw_curved *curved; /* K^-1 + T; NULL if some tau are negative */
    tw_gaussian *q;    /* N(mu, Sigma) if some tau are negative, otherwise NULL */
    double *tau;       /* n, with q */
    double *alpha;     /* n: nu - tau o mu */
};

void tw_predictor_free(tw_predictor *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    tw_curved_free(p->curved);
    tw_gaussian_free(p->q);
    tw_release(ctx, p->tau);
    tw_release(ctx, p->alpha);
    tw_release(ctx, p);
}

/* The quantities if some tau are negative. */
static tw_status fill_negative(const tw_model *model, const tw_approximation *a, tw_predictor *p)
{
    double log_z;
    TW_TRY(tw_allocate_doubles(p->ctx, p->n, 1, "the predictor", &p->tau));
    memcpy(p->tau, a->tau, p->n * sizeof *p->tau);
    TW_TRY(tw_gaussian_like(model->prior, false, &p->q));
    if (tw_gaussian_condition(model->prior, 1.0, a->tau, a->nu, p->q, &log_z)) return TW_OK;
    return tw_fail(p->ctx, TW_NUMERICAL_FAILURE, "the predictor's covariance could not be factored");
}

static tw_status fill(const tw_model *model, const tw_approximation *a, tw_predictor *p)
{
    size_t active = 0;
    bool negative = false;
    TW_TRY(tw_allocate_doubles(p->ctx, p->n, 1, "the predictor", &p->alpha));
    for (size_t i = 0; i < a->n; i++) {
        p->alpha[i] = a->nu[i] - a->tau[i] * a->mean[i];
        active += a->tau[i] > 0.0;
        negative |= a->tau[i] < 0.0;
    }
    if (negative) return fill_negative(model, a, p);
    TW_TRY(tw_curved_new(model->prior, active, &p->curved));
    if (tw_curved_factor(p->curved, model->prior, a->tau, 0.0)) return TW_OK;
    return tw_fail(p->ctx, TW_NUMERICAL_FAILURE, "the predictor's matrix I + S K S could not be factored");
}

tw_status tw_predictor_new(const tw_model *model, const tw_approximation *approximation, tw_predictor **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_predictor), "a predictor", &memory));
    tw_predictor *p = memory;
    *p = (tw_predictor){.ctx = model->ctx, .model = model, .n = model->n};
    tw_status status = fill(model, approximation, p);
    if (status != TW_OK) {
        tw_predictor_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}

const tw_model *tw_predictor_model(const tw_predictor *predictor)
{
    return predictor->model;
}

/* explained[j] = k' T k - |F' T k|^2 for the m columns k of cross, which are overwritten by T k. */
static tw_status explain_negative(const tw_predictor *p, size_t m, double *cross, double *explained)
{
    size_t n = p->n, r = p->q->r;
    double *pulled = NULL;
    TW_TRY(tw_allocate_doubles(p->ctx, r, m, "the covariances of new cases", &pulled));
    for (size_t j = 0; j < m; j++) {
        explained[j] = 0.0;
        for (size_t i = 0; i < n; i++) {
            double k = cross[i + j * n];
            explained[j] += p->tau[i] * k * k;
            cross[i + j * n] = p->tau[i] * k;
        }
    }
    tw_gaussian_pull_back(p->q, m, cross, pulled);
    for (size_t j = 0; j < m; j++) explained[j] -= tw_dot(r, pulled + j * r, pulled + j * r);
    tw_release(p->ctx, pulled);
    return TW_OK;
}

tw_status tw_predictor_apply(const tw_predictor *p, size_t m, double *cross, const double *diagonal,
                             double *mean, double *variance)
{
    for (size_t j = 0; j < m; j++) mean[j] = tw_dot(p->n, p->alpha, cross + j * p->n);
    if (p->q)
        TW_TRY(explain_negative(p, m, cross, variance));
    else
        tw_curved_explain(p->curved, m, cross, variance);
    for (size_t j = 0; j < m; j++) variance[j] = fmax(diagonal[j] - variance[j], 0.0);
    return TW_OK;
}
