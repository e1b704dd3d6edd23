/* fits.c: fits EP and Laplace's approximation together, and corrects EP's log Z (talweg/fits.h). */
#include "talweg/fits.h"

#include <math.h>

#include "base/team.h"
#include "model/model.h"

static tw_status fit_laplace(const tw_model *model, const tw_fits_options *o, tw_fits *f)
{
    tw_progress now = TW_PROGRESS("Laplace", NULL, 0, 0);
    bool stops = o->on_progress && tw_team_leads(model->ctx) && o->on_progress(o->user, &now);
    if (tw_team_stops(model->ctx, stops)) return tw_interrupt(model->ctx);
    double start = tw_wall_seconds();
    TW_TRY(tw_laplace_fit(model, NULL, &f->own_laplace));
    f->laplace = f->own_laplace;
    f->laplace_seconds = tw_wall_seconds() - start;
    return TW_OK;
}

static tw_status fit_ep(const tw_model *model, const tw_fits_options *o, tw_fits *f)
{
    tw_ep_options ep = o->ep;
    if (o->on_progress) {
        ep.on_progress = o->on_progress;
        ep.user = o->user;
    }
    double start = tw_wall_seconds();
    if (o->sequence) tw_ep_sequence_predict(o->sequence, &ep);
    TW_TRY(tw_ep_fit(model, &ep, &f->own_ep));
    f->ep = f->own_ep;
    if (o->sequence) tw_ep_sequence_learn(o->sequence, f->ep);
    f->ep_seconds = tw_wall_seconds() - start;
    return TW_OK;
}

tw_status tw_fits_make(const tw_model *model, const tw_fits_options *options, tw_fits *f)
{
    tw_fits_options defaults = TW_FITS_DEFAULTS;
    const tw_fits_options *o = options ? options : &defaults;
    *f = (tw_fits){.laplace = o->given_laplace, .ep = o->given_ep};
    f->correction.log_z = NAN;
    if (o->laplace && !f->laplace) TW_TRY(fit_laplace(model, o, f));
    if (!f->ep) TW_TRY(fit_ep(model, o, f));
    if (!f->laplace && !f->ep->converged) TW_TRY(fit_laplace(model, o, f));
    f->gaussian = f->ep->converged ? f->ep : f->laplace && f->laplace->converged ? f->laplace : NULL;
    if (!f->ep->converged || o->orders == 0) return TW_OK;
    tw_status status = tw_ep_correct(model, f->ep, o->orders, &f->correction);
    return status == TW_NOT_CONVERGED ? TW_OK : status; /* too many cases: the corrected log Z stays NaN */
}

void tw_fits_release(tw_fits *f)
{
    tw_approximation_free(f->own_laplace);
    tw_approximation_free(f->own_ep);
    *f = (tw_fits){0};
}
