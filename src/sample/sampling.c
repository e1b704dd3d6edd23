/* sampling.c: a sampler with its target, in the form that suits the sampler.
 *
 * Constant metrics and slice sampling use the open form of the target: a Gaussian frame cancels its base, and
 * a change of temperature costs O(n). Position-dependent metrics use the folded form, in which most sites are
 * inactive, except the metric anchored, which is built on a Gaussian frame.
 */
#include "sample/sampler.h"
#include "talweg/chains.h"

void tw_sampling_free(tw_sampling *s)
{
    if (!s) return;
    tw_context *ctx = s->ctx;
    tw_sampler_free(s->sampler);
    tw_target_free(s->target);
    tw_reference_free(s->prior);
    tw_release(ctx, s);
}

static tw_status fill(tw_sampling *s, const tw_posterior *p, const tw_sampler_options *options, size_t chains)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    if (options) o = *options;
    o.lines = true;
    const tw_reference *from = p->from;
    if (p->approximation && !o.gaussian) o.gaussian = p->approximation->reference;
    if (p->approximation && !o.smoothing) o.smoothing = p->approximation->variance;
    if (!from) {
        TW_TRY(tw_reference_prior(p->model, &s->prior));
        from = s->prior;
    }
    TW_TRY(tw_target_new(p->model, from, tw_sampler_form(&o), &s->target));
    TW_TRY(tw_target_set_temperature(s->target, p->beta));
    return tw_sampler_new(s->target, &o, chains, &s->sampler);
}

tw_status tw_sampling_new(const tw_posterior *posterior, const tw_sampler_options *options, size_t chains,
                          tw_sampling **out)
{
    tw_context *ctx = posterior->model->ctx;
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_sampling), "a target and its sampler", &memory));
    tw_sampling *s = memory;
    s->ctx = ctx;
    tw_status status = fill(s, posterior, options, chains);
    if (status != TW_OK) {
        tw_sampling_free(s);
        return status;
    }
    *out = s;
    return TW_OK;
}
