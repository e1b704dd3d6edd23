/* claim.c: allocates and frees claims; makes a claim from a Gaussian approximation. */
#include <math.h>
#include <stdio.h>

#include "math/normal.h"
#include "model/model.h"
#include "talweg/check.h"

#define NAME(quantity, name, words) name,
static const char *const names[] = {TW_CHECK_LIST(NAME)};

const char *tw_check_quantity_name(tw_check_quantity quantity)
{
    return names[quantity];
}

double tw_check_quantity_tolerances(tw_check_quantity quantity)
{
    bool tail = quantity == TW_CHECK_Q05 || quantity == TW_CHECK_Q95;
    return tail ? 1.0 + tw_normal_quantile(0.95) : 1.0;
}

/* Allocate the arrays, with all values not claimed. */
static tw_status fill(tw_claim *claim)
{
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) {
        TW_TRY(tw_allocate_doubles(claim->ctx, claim->n, 1, "what is claimed", &claim->value[q]));
        for (size_t i = 0; i < claim->n; i++) claim->value[q][i] = NAN;
    }
    return TW_OK;
}

tw_status tw_claim_new(const tw_model *model, const char *name, tw_claim **out)
{
    void *memory = NULL;
    tw_context *ctx = model->ctx;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_claim), "what is claimed", &memory));
    tw_claim *claim = memory;
    *claim = (tw_claim){.ctx = ctx, .n = tw_model_describe(model).n, .log_z = NAN};
    snprintf(claim->name, sizeof claim->name, "%s", name);
    tw_status status = fill(claim);
    if (status == TW_OK)
        *out = claim;
    else
        tw_claim_free(claim);
    return status;
}

void tw_claim_free(tw_claim *claim)
{
    if (!claim) return;
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) tw_release(claim->ctx, claim->value[q]);
    tw_release(claim->ctx, claim);
}

tw_status tw_claim_from_fit(const tw_model *model, const tw_approximation *fit, tw_claim **out)
{
    const char *name = fit->kind == TW_EP ? "EP" : "Laplace";
    const double away = tw_normal_quantile(0.95);
    *out = NULL;
    if (!fit->converged)
        return tw_fail(model->ctx, TW_NOT_CONVERGED,
                       "%s did not converge on this model, so it cannot be checked", name);
    TW_TRY(tw_claim_new(model, name, out));
    tw_claim *claim = *out;
    claim->log_z = fit->log_z;
    for (size_t i = 0; i < claim->n; i++) {
        double mean = fit->mean[i], sd = sqrt(fit->variance[i]);
        claim->value[TW_CHECK_MEAN][i] = claim->value[TW_CHECK_Q50][i] = mean;
        claim->value[TW_CHECK_SD][i] = sd;
        claim->value[TW_CHECK_Q05][i] = mean - away * sd;
        claim->value[TW_CHECK_Q95][i] = mean + away * sd;
    }
    return TW_OK;
}
