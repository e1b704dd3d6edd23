/* target.c: the tempered path at one temperature: its base, its sites and its constant.
 *
 *   open:    base N(0, K), sites b l_n + (1-b)(nu x - tau x^2/2), constant -(1-b) log Z_q
 *   folded:  base A^-1 = K^-1 + (1-b) T, m = (1-b) A nu, sites b l_n,
 *            constant c((1-b) tau, (1-b) nu) - (1-b) log Z_q, c(t, n) = -1/2 log|I + L' t L| + 1/2 n' A n
 *   dense:   base A^-1 = b K^-1 + (1-b) Sigma^-1, m = (1-b) A Sigma^-1 mu, sites b l_n, constant
 *            1/2 log|A| - b/2 log|K| - (1-b)/2 log|Sigma| - 1/2 [(1-b) |L_Sigma^-1 mu|^2 - |L_A^-1 m|^2]
 */
#include "model/model.h"

void tw_target_free(tw_target *t)
{
    if (!t) return;
    tw_context *ctx = t->ctx;
    tw_release(ctx, t->site_tau);
    tw_release(ctx, t->site_nu);
    tw_gaussian_free(t->own);
    tw_release(ctx, t);
}

static tw_status allocate_parts(tw_target *t)
{
    size_t n = t->model->n;
    if (t->reference->kind == TW_REFERENCE_PRIOR) return TW_OK;
    if (!t->folded) {
        TW_TRY(tw_allocate_doubles(t->ctx, n, 1, "the tempered sites", &t->site_tau));
        return tw_allocate_doubles(t->ctx, n, 1, "the tempered sites", &t->site_nu);
    }
    return tw_gaussian_like(t->model->prior, true, &t->own);
}

tw_status tw_target_new(const tw_model *model, const tw_reference *reference, tw_form form, tw_target **out)
{
    void *memory = NULL;
    *out = NULL;
    if (reference->model != model)
        return tw_fail(model->ctx, TW_BAD_ARGUMENT, "the reference distribution was made for another model");
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_target), "a target", &memory));
    tw_target *t = memory;
    *t = (tw_target){.ctx = model->ctx, .model = model, .reference = reference};
    t->folded = reference->kind == TW_REFERENCE_GAUSSIAN || form == TW_FORM_FOLDED;
    tw_status status = allocate_parts(t);
    if (status == TW_OK) status = tw_target_set_temperature(t, 1.0);
    if (status != TW_OK) {
        tw_target_free(t);
        return status;
    }
    *out = t;
    return TW_OK;
}

/* Use the prior as base. */
static void use_prior(tw_target *t)
{
    t->base = t->model->prior;
    t->log_constant = 0.0;
}

static void set_open(tw_target *t)
{
    const tw_reference *q = t->reference;
    double rest = 1.0 - t->beta;
    use_prior(t);
    t->log_constant = -rest * q->log_z;
    for (size_t i = 0; i < t->model->n; i++) {
        t->site_tau[i] = rest * q->tau[i];
        t->site_nu[i] = rest * q->nu[i];
    }
}

static tw_status fail_factor(const tw_target *t)
{
    return tw_fail(t->ctx, TW_NUMERICAL_FAILURE, "the tempered base could not be factored at b = %g",
                   t->beta);
}

static tw_status set_folded(tw_target *t)
{
    const tw_reference *q = t->reference;
    double rest = 1.0 - t->beta, log_z;
    if (!tw_gaussian_condition(t->model->prior, rest, q->tau, q->nu, t->own, &log_z)) return fail_factor(t);
    t->base = t->own;
    t->log_constant = log_z - rest * q->log_z;
    return TW_OK;
}

static tw_status set_dense(tw_target *t)
{
    if (!tw_gaussian_mix(t->model->prior, t->reference->gaussian, t->beta, t->own, &t->log_constant))
        return fail_factor(t);
    t->base = t->own;
    return TW_OK;
}

tw_status tw_target_set_temperature(tw_target *t, double beta)
{
    if (!(beta >= 0.0 && beta <= 1.0))
        return tw_fail(t->ctx, TW_BAD_ARGUMENT, "the inverse temperature b must be in [0, 1], not %g", beta);
    t->beta = beta;
    if (t->reference->kind == TW_REFERENCE_PRIOR || (t->folded && beta == 1.0))
        use_prior(t);
    else if (!t->folded)
        set_open(t);
    else if (t->reference->kind == TW_REFERENCE_SITES)
        return set_folded(t);
    else
        return set_dense(t);
    return TW_OK;
}

size_t tw_target_size(const tw_target *target)
{
    return target->model->n;
}

size_t tw_target_rank(const tw_target *target)
{
    return target->model->prior->r;
}
