/* models.c: models for predictions from draws of (theta, x); the model of a point is made when needed. */
#include <math.h>
#include <string.h>

#include "hyper/place.h"

struct tw_theta_places {
    const tw_problem *problem;
    tw_theta_draws draws;
    double *origin; /* all parameters, at their values in the problem */
    tw_place place;
    tw_draw_places table;
};

static size_t point_of_draw(void *user, size_t chain, size_t draw)
{
    const tw_theta_places *p = user;
    (void)chain; /* only one chain */
    return p->draws.point[draw * p->draws.stride];
}

static tw_status set_point(void *user, size_t point, const tw_model **model, const tw_kernel **kernel)
{
    tw_theta_places *p = user;
    const tw_theta_draws *d = &p->draws;
    tw_model_free(p->place.model);
    p->place.model = NULL;
    memcpy(p->place.theta, p->origin, tw_problem_count(p->problem) * sizeof(double));
    for (size_t k = 0; k < d->unknown; k++) p->place.theta[d->index[k]] = d->theta[k + point * d->unknown];
    tw_log_mute(p->place.ctx, true); /* every theta would log the rank of its K */
    tw_status status = tw_place_model(&p->place, &p->place.model);
    tw_log_mute(p->place.ctx, false);
    TW_TRY(status);
    if (!p->place.model)
        return tw_fail(p->place.ctx, TW_BAD_DATA,
                       "the covariance matrix cannot be computed at the parameters of point %zu", point + 1);
    *model = p->place.model;
    *kernel = p->place.kernel;
    return TW_OK;
}

static tw_status check(tw_context *ctx, const tw_problem *problem, const tw_theta_draws *d)
{
    for (size_t k = 0; k < d->unknown; k++)
        if (d->index[k] >= tw_problem_count(problem))
            return tw_fail(ctx, TW_BAD_DATA,
                           "unknown parameter number %zu is beyond the %zu parameters of the model",
                           d->index[k] + 1, tw_problem_count(problem));
    for (size_t i = 0; i < d->draws; i++)
        if (d->point[i] >= d->points)
            return tw_fail(ctx, TW_BAD_DATA, "draw %zu belongs to point %zu, but there are %zu points", i + 1,
                           d->point[i] + 1, d->points);
    return TW_OK;
}

static tw_status fill(tw_theta_places *p)
{
    const tw_problem *problem = p->problem;
    const tw_hyper_options few = {.particles = 1, .kept = 1};
    TW_TRY(tw_place_new(problem->ctx, problem, &few, &p->place));
    TW_TRY(tw_allocate_doubles(problem->ctx, tw_problem_count(problem), 1, "theta", &p->origin));
    tw_problem_get_theta(problem, p->origin);
    size_t used = (p->draws.draws + p->draws.stride - 1) / p->draws.stride;
    p->table = (tw_draw_places){.count = p->draws.points,
                                .effective = fmin(p->draws.effective, (double)used),
                                .user = p,
                                .of = point_of_draw,
                                .go = set_point};
    return TW_OK;
}

tw_status tw_theta_places_new(const tw_problem *problem, const tw_theta_draws *draws, tw_theta_places **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(check(problem->ctx, problem, draws));
    TW_TRY(tw_allocate(problem->ctx, 1, sizeof(tw_theta_places), "the models of draws", &memory));
    tw_theta_places *p = memory;
    *p = (tw_theta_places){.problem = problem, .draws = *draws};
    tw_status status = fill(p);
    if (status == TW_OK)
        *out = p;
    else
        tw_theta_places_free(p);
    return status;
}

void tw_theta_places_free(tw_theta_places *p)
{
    if (!p) return;
    tw_context *ctx = p->problem->ctx;
    tw_place_release(&p->place);
    tw_release(ctx, p->origin);
    tw_release(ctx, p);
}

const tw_draw_places *tw_theta_places_table(const tw_theta_places *p)
{
    return &p->table;
}
