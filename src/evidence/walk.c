/* walk.c: an ensemble of particles on the tempered path (walk.h). */
#include "evidence/walk.h"

#include <math.h>

#include "base/team.h"
#include "math/random.h"
#include "sample/sampler.h"

bool tw_watch_tell(tw_watch *watch, const tw_progress *progress)
{
    watch->stopped = watch->progress && tw_team_leads(watch->ctx) && watch->progress(watch->user, progress);
    tw_team_follow(watch->ctx, &watch->stopped, sizeof watch->stopped);
    return !watch->stopped;
}

double tw_walk_acceptance(const tw_walk *walk)
{
    return walk->transitions > 0.0 ? walk->acceptance / walk->transitions : NAN;
}

bool tw_walk_tunes(const tw_sampler_options *kernel, double eps)
{
    const tw_method_info *method = tw_method_describe(kernel->method);
    return eps == 0.0 && method && method->has_eps;
}

/* Make everything that depends on the number of particles. */
static tw_status make_particles(tw_walk *w)
{
    void *records = NULL;
    TW_TRY(tw_sampler_new(w->target, &w->kernel, w->particles, &w->sampler));
    TW_TRY(tw_allocate_doubles(w->ctx, w->particles, 1, "the particles' weights", &w->log_ratio));
    TW_TRY(tw_allocate(w->ctx, w->particles, sizeof *w->records, "the particles' records", &records));
    w->records = records;
    return TW_OK;
}

static void release_particles(tw_walk *w)
{
    tw_sampler_free(w->sampler);
    tw_release(w->ctx, w->log_ratio);
    tw_release(w->ctx, w->records);
    w->sampler = NULL;
    w->log_ratio = NULL;
    w->records = NULL;
}

void tw_walk_free(tw_walk *w)
{
    if (!w) return;
    tw_context *ctx = w->ctx;
    release_particles(w);
    tw_target_free(w->target);
    tw_release(ctx, w->work);
    tw_release(ctx, w);
}

tw_status tw_walk_resize(tw_walk *w, size_t particles)
{
    if (particles == w->particles) return TW_OK;
    release_particles(w);
    w->particles = particles;
    return make_particles(w);
}

static tw_status fill(const tw_model *model, const tw_reference *q, tw_form form, tw_walk *w)
{
    TW_TRY(tw_target_new(model, q, form, &w->target));
    TW_TRY(tw_target_set_temperature(w->target, 0.0));
    TW_TRY(tw_allocate_doubles(w->ctx, model->n, 1, "the particles' weights", &w->work));
    return make_particles(w);
}

tw_status tw_walk_new(const tw_model *model, const tw_reference *reference, const tw_sampler_options *kernel,
                      size_t particles, tw_walk **out)
{
    return tw_walk_new_as(model, reference, kernel, tw_sampler_form(kernel), particles, out);
}

tw_status tw_walk_new_as(const tw_model *model, const tw_reference *reference,
                         const tw_sampler_options *kernel, tw_form form, size_t particles, tw_walk **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_walk), "an ensemble", &memory));
    tw_walk *w = memory;
    *w = (tw_walk){.ctx = model->ctx, .kernel = *kernel, .particles = particles};
    tw_status status = fill(model, reference, form, w);
    if (status != TW_OK) {
        tw_walk_free(w);
        return status;
    }
    *out = w;
    return TW_OK;
}

void tw_reference_draw(const tw_reference *q, uint64_t seed, uint64_t first_chain, uint64_t iteration,
                       size_t count, double *normals, double *x)
{
    size_t r = q->gaussian->r;
    for (size_t j = 0; j < count; j++) {
        tw_stream stream = tw_stream_at(seed, TW_STREAM_START, first_chain + j, iteration);
        tw_stream_normals(&stream, r, normals + j * r);
    }
    tw_gaussian_positions(q->gaussian, count, normals, x);
}

/* The first 53 bits of the first stream, which a double represents exactly; the last bit is set, so never
 * 0. */
size_t tw_draws_number(uint64_t seed, uint64_t first_chain)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_START, first_chain, 0);
    return (size_t)(tw_stream_bits(&stream) >> 11) | 1u;
}

tw_status tw_walk_start(tw_walk *w, uint64_t seed, uint64_t first_chain)
{
    size_t n = w->target->model->n;
    double *normals = NULL, *x = NULL;
    TW_TRY(tw_target_set_temperature(w->target, 0.0));
    tw_sampler_refresh(w->sampler);
    tw_status status =
        tw_allocate_doubles(w->ctx, w->target->base->r, w->particles, "the particles", &normals);
    if (status == TW_OK) status = tw_allocate_doubles(w->ctx, n, w->particles, "the particles", &x);
    if (status == TW_OK) {
        tw_reference_draw(w->target->reference, seed, first_chain, 0, w->particles, normals, x);
        status = tw_sampler_set_positions(w->sampler, x);
    }
    tw_release(w->ctx, normals);
    tw_release(w->ctx, x);
    return status;
}

tw_status tw_walk_temper(tw_walk *w, double beta)
{
    TW_TRY(tw_poll(w->ctx));
    TW_TRY(tw_target_set_temperature(w->target, beta));
    tw_sampler_refresh(w->sampler);
    return TW_OK;
}

bool tw_record_failed(const tw_record *r)
{
    return r->energy_divergence || r->implicit_failure || r->irreversible || r->factorisation;
}

double tw_walk_move(tw_walk *w, const tw_move *move)
{
    double sum = 0.0;
    tw_sampler_advance(w->sampler, move, w->records);
    for (size_t j = 0; j < w->particles; j++) {
        const tw_record *r = &w->records[j];
        sum += r->acceptance_rate;
        w->failures += tw_record_failed(r);
    }
    w->acceptance += sum;
    w->transitions += (double)w->particles;
    return sum / (double)w->particles;
}

void tw_walk_measure_mine(tw_walk *w)
{
    const tw_sampler *s = w->sampler;
    tw_share mine = tw_sampler_mine(s);
    tw_target_log_ratio(w->target, mine.count, s->x + mine.first * s->n, s->log_likelihood + mine.first,
                        w->work, w->log_ratio + mine.first);
}

void tw_walk_measure(tw_walk *w)
{
    tw_walk_measure_mine(w);
    tw_sampler_gather(w->sampler, sizeof *w->log_ratio, w->log_ratio);
}

size_t tw_walk_steps(const tw_walk *walk, double eps)
{
    const double quarter = 1.5707963267948966192;
    double steps = walk->sampler->frame.turns ? floor(quarter / eps + 0.5) : ceil(quarter / eps);
    return steps < 1.0 ? 1 : steps > 1000.0 ? 1000 : (size_t)steps;
}
