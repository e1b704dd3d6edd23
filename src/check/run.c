/* run.c: runs a check: exact draws if numbers of latents are claimed, log Z if it is claimed,
 * and the verdict. */
#include <math.h>

#include "check/check.h"
#include "model/model.h"

static const double errors_in_tolerance = 5.0; /* goal for the standard error of log Z: tolerance / 5 */

typedef struct job {
    const tw_model *model;
    const tw_claim *claim;
    const tw_check_options *options;
    tw_progress_function *progress;
    void *user;
    tw_check_result *result;
} job;

static bool claims_latents(const tw_claim *claim)
{
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        for (size_t i = 0; i < claim->n; i++)
            if (!isnan(claim->value[q][i])) return true;
    return false;
}

/* ---- log Z ---- */

/* Can the estimates decide? Not if they disagree, or if the best one is in doubt. */
static bool is_good_evidence(const tw_evidence_result *e, const tw_estimate *best)
{
    tw_warning doubt;
    return best && (!e->agreement.known || e->agreement.agree) && !tw_evidence_doubt(best, &doubt);
}

/* Estimate log Z and compare it with the claimed one. */
static tw_status estimate(job *j, bool *good)
{
    tw_check_result *r = j->result;
    tw_evidence_options options = TW_EVIDENCE_DEFAULTS;
    const tw_evidence_watch watch = {.user = j->user, .progress = j->progress};
    *good = true;
    if (isnan(j->claim->log_z)) return TW_OK;
    options.methods = j->options->methods;
    options.until_se = j->options->log_z_tolerance / errors_in_tolerance;
    options.seed = j->options->seed;
    options.threads = j->options->threads;
    options.fits = j->options->fits ? j->options->fits : &r->fits;
    TW_TRY(tw_evidence_plan_new(j->model, &options, &watch, &r->plan));
    TW_TRY(tw_evidence_run(r->plan, &watch, &r->evidence));
    if (r->evidence.stopped)
        return tw_fail(j->model->ctx, TW_INTERRUPTED, "interrupted before log Z was known");
    const tw_estimate *best = tw_evidence_best(r->evidence.count, r->evidence.estimate);
    r->log_z.exact = best ? best->log_z : NAN;
    r->log_z.error = best ? best->se : NAN;
    r->log_z.difference = r->log_z.claimed - r->log_z.exact;
    *good = is_good_evidence(&r->evidence, best);
    for (size_t k = 0; k < r->evidence.warnings.count; k++)
        tw_warnings_add(&r->warnings, &r->evidence.warnings.warning[k]);
    return TW_OK;
}

/* ---- latents ---- */

/* Can the draws decide? Not after a warning that leaves their errors unknown; the other warnings only say
 * that errors are large or slightly underestimated. */
static bool are_good_chains(const tw_warnings *warnings)
{
    for (size_t k = 0; k < warnings->count; k++) switch (warnings->warning[k].code) {
        case TW_WARN_ONE_DRAW:
        case TW_WARN_FEW_DRAWS:
        case TW_WARN_STUCK:
        case TW_WARN_RHAT: return false;
        default: break;
        }
    return true;
}

/* Draw from the posterior and compare the latents. */
static tw_status draw(job *j, bool *good)
{
    tw_check_result *r = j->result;
    const tw_fits *fits = j->options->fits ? j->options->fits : &r->fits;
    tw_sampling_options options = TW_SAMPLING_DEFAULTS;
    const tw_sampling_watch watch = {.user = j->user, .progress = j->progress};
    *good = true;
    if (!claims_latents(j->claim)) return TW_OK;
    options.chains = j->options->chains;
    options.warmup = j->options->warmup;
    options.draws = j->options->draws;
    options.seed = j->options->seed;
    options.threads = j->options->threads;
    options.ep = fits->ep && fits->ep->converged ? fits->ep : NULL;
    TW_TRY(tw_sampling_plan_new(j->model, &options, &watch, &r->sampling));
    TW_TRY(tw_sampling_run(r->sampling, &watch, &r->drawn));
    if (r->drawn.draws->interrupted)
        return tw_fail(j->model->ctx, TW_INTERRUPTED, "interrupted before the draws were complete");
    *good = are_good_chains(&r->drawn.warnings);
    for (size_t k = 0; k < r->drawn.warnings.count; k++)
        tw_warnings_add(&r->warnings, &r->drawn.warnings.warning[k]);
    return tw_check_compare(j->claim, r->drawn.draws, tw_threads(j->options->threads), r);
}

/* ---- the whole check ---- */

static tw_status check_claim(const tw_claim *claim)
{
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        for (size_t i = 0; i < claim->n; i++) {
            double value = claim->value[q][i];
            if (isinf(value) || (q == TW_CHECK_SD && value <= 0.0))
                return tw_fail(claim->ctx, TW_BAD_ARGUMENT, "the claimed %s of x.%zu is %g, but must be %s",
                               tw_check_quantity_name((tw_check_quantity)q), i + 1, value,
                               q == TW_CHECK_SD ? "positive" : "finite");
        }
    return TW_OK;
}

static tw_status check_options(tw_context *ctx, const tw_check_options *o, const tw_claim *claim, size_t n)
{
    if (claim->n != n)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the claim has %zu latents, but the model has %zu", claim->n, n);
    if (!(o->tolerance > 0.0) || !(o->log_z_tolerance > 0.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a tolerance must be above 0, not %g",
                       o->tolerance > 0.0 ? o->log_z_tolerance : o->tolerance);
    if (isnan(claim->log_z) && !claims_latents(claim))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "there is nothing to check: the claim has no number");
    return check_claim(claim);
}

tw_status tw_check_run(const tw_model *model, const tw_claim *claim, const tw_check_options *options,
                       tw_progress_function *progress, void *user, tw_check_result *out)
{
    const tw_check_options default_options = TW_CHECK_DEFAULTS;
    const tw_check_options *o = options ? options : &default_options;
    tw_fits_options fitted = TW_FITS_DEFAULTS;
    job j = {model, claim, o, progress, user, out};
    bool good_chains = true, good_evidence = true;
    *out = (tw_check_result){.ctx = model->ctx,
                             .log_z = {claim->log_z, NAN, NAN, NAN},
                             .rms_mean = NAN,
                             .rms_sd = NAN,
                             .largest_error = NAN};
    TW_TRY(check_options(model->ctx, o, claim, tw_model_describe(model).n));
    fitted.user = user;
    fitted.on_progress = progress;
    if (!o->fits) TW_TRY(tw_fits_make(model, &fitted, &out->fits));
    TW_TRY(draw(&j, &good_chains));
    TW_TRY(estimate(&j, &good_evidence));
    tw_check_judge(claim->name, o, good_chains, good_evidence, out);
    return TW_OK;
}

void tw_check_release(tw_check_result *r)
{
    tw_release(r->ctx, r->rows);
    if (r->sampling) tw_sampling_result_release(&r->drawn);
    tw_sampling_plan_free(r->sampling);
    tw_evidence_plan_free(r->plan);
    tw_fits_release(&r->fits);
    *r = (tw_check_result){.ctx = r->ctx};
}
