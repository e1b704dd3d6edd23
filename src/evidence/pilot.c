/* pilot.c: the pilot run that plans resample-move: a resample-move run whose estimate is discarded.
 *
 * Each step chooses the next temperature by the conditional effective sample size of the particles' weights
 * (or takes the given one), resamples systematically, and makes transitions until the particles are
 * decorrelated from their start: until the correlation between before and after, of the positions (over all
 * sites) and of R(x) = log p(y, x) - log q(x), is below a threshold. Every transition also tunes the step
 * size.
 */
#include <math.h>
#include <string.h>

#include "evidence/resample.h"
#include "evidence/rm_plan.h"
#include "math/random.h"
#include "sample/step_size.h"

/* The transitions at b = 0, in which the tuner finds the scale of the step size. */
enum { START_MOVES = 30 };

typedef struct pilot {
    const tw_rm_options *o;
    tw_watch *watch;
    tw_walk *walk;
    tw_rm_plan *plan;
    size_t capacity;       /* the largest number of steps of the plan */
    double *x, *log_ratio; /* positions and R after resampling, before the moves */
    double *log_weight;
    size_t *ancestor;
    tw_step_tuner tuner;
    uint64_t chain;     /* the first chain of its random streams */
    uint64_t iteration; /* transitions so far */
} pilot;

void tw_rm_plan_free(tw_rm_plan *plan)
{
    if (!plan) return;
    tw_release(plan->ctx, plan->step);
    tw_release(plan->ctx, plan);
}

/* The correlation over all n x P pairs (a, b), where each row has its own means. Constant rows contribute
 * nothing. */
static double correlation(size_t n, size_t columns, const double *a, const double *b)
{
    double ab = 0.0, aa = 0.0, bb = 0.0, count = (double)columns;
    for (size_t i = 0; i < n; i++) {
        double mean_a = 0.0, mean_b = 0.0;
        for (size_t j = 0; j < columns; j++) {
            mean_a += a[i + j * n] / count;
            mean_b += b[i + j * n] / count;
        }
        for (size_t j = 0; j < columns; j++) {
            double da = a[i + j * n] - mean_a, db = b[i + j * n] - mean_b;
            ab += da * db;
            aa += da * da;
            bb += db * db;
        }
    }
    return aa > 0.0 && bb > 0.0 ? ab / sqrt(aa * bb) : 0.0;
}

static void transition(pilot *p, tw_rm_plan_step *step)
{
    const tw_rm_options *o = p->o;
    bool has_steps = tw_method_describe(o->kernel.method)->has_steps;
    step->eps = tw_walk_tunes(&o->kernel, o->eps) ? tw_step_tuner_eps(&p->tuner) : o->eps;
    step->leapfrog_steps = !has_steps ? 1 : o->steps ? o->steps : tw_walk_steps(p->walk, step->eps);
    tw_move move = {.eps = step->eps,
                    .steps = step->leapfrog_steps,
                    .seed = o->seed,
                    .iteration = ++p->iteration,
                    .first_chain = p->chain};
    tw_step_tuner_learn(&p->tuner, tw_walk_move(p->walk, &move));
}

/* Resample, go to b_k, and move until the particles are decorrelated. */
static tw_status rejuvenate(pilot *p, size_t k)
{
    tw_walk *w = p->walk;
    tw_rm_plan_step *step = &p->plan->step[k];
    size_t n = w->target->model->n;
    double change = step->beta - step[-1].beta, left = 1.0;
    tw_stream stream = tw_stream_at(p->o->seed, TW_STREAM_RESAMPLE, p->chain, k);
    for (size_t j = 0; j < w->particles; j++) p->log_weight[j] = change * w->log_ratio[j];
    tw_resample_systematic(w->particles, p->log_weight, tw_stream_uniform(&stream), w->particles,
                           p->ancestor);
    for (size_t j = 0; j < w->particles; j++) {
        memcpy(p->x + j * n, tw_sampler_positions(w->sampler) + p->ancestor[j] * n, n * sizeof *p->x);
        p->log_ratio[j] = w->log_ratio[p->ancestor[j]];
    }
    TW_TRY(tw_walk_temper(w, step->beta));
    TW_TRY(tw_sampler_set_positions(w->sampler, p->x));
    tw_step_tuner_begin(&p->tuner);
    while (left > p->o->correlation && step->moves < p->o->max_moves) {
        transition(p, step);
        step->moves++;
        tw_walk_measure(w);
        left = fmax(correlation(n, w->particles, p->x, tw_sampler_positions(w->sampler)),
                    correlation(1, w->particles, p->log_ratio, w->log_ratio));
    }
    return TW_OK;
}

/* Choose temperatures from b = 0 to b = 1. The relative variance of the weights of a step is 1 / ESS - 1,
 * with the conditional ESS as a fraction. */
static tw_status climb(pilot *p)
{
    tw_context *ctx = p->walk->ctx;
    tw_rm_plan_step *step = p->plan->step;
    for (size_t m = 0; m < START_MOVES; m++) transition(p, &step[0]);
    tw_walk_measure(p->walk);
    for (size_t k = 1; step[k - 1].beta < 1.0; k++) {
        const double *ratio = p->walk->log_ratio;
        size_t particles = p->walk->particles;
        if (k > p->capacity)
            return tw_fail(ctx, TW_NOT_CONVERGED,
                           "%zu temperatures reached only b = %g: start closer to the posterior (EP), or "
                           "allow more temperatures or a smaller effective sample size",
                           p->capacity, step[k - 1].beta);
        step[k].beta = p->o->beta ? p->o->beta[k]
                                  : tw_next_temperature(particles, ratio, step[k - 1].beta, p->o->fraction);
        step[k].variance =
            fmax(0.0, 1.0 / tw_conditional_ess(particles, ratio, step[k].beta - step[k - 1].beta) - 1.0);
        p->plan->steps = k;
        if (step[k].beta < 1.0) TW_TRY(rejuvenate(p, k));
        tw_progress now = {.stage = "pilot",
                           .unit = "temperatures",
                           .done = k,
                           .total = p->o->beta ? p->o->temperatures : 0,
                           .acceptance = tw_walk_acceptance(p->walk),
                           .log_z = NAN,
                           .se = NAN};
        if (!tw_watch_tell(p->watch, &now)) break;
    }
    return TW_OK;
}

static tw_status allocate(pilot *p, const tw_model *model)
{
    size_t particles = p->o->pilot_particles;
    void *ancestor = NULL;
    TW_TRY(tw_allocate_doubles(model->ctx, model->n, particles, "the pilot's particles", &p->x));
    TW_TRY(tw_allocate_doubles(model->ctx, particles, 1, "the pilot's weights", &p->log_ratio));
    TW_TRY(tw_allocate_doubles(model->ctx, particles, 1, "the pilot's weights", &p->log_weight));
    TW_TRY(tw_allocate(model->ctx, particles, sizeof *p->ancestor, "the pilot's ancestors", &ancestor));
    p->ancestor = ancestor;
    return TW_OK;
}

static tw_status run(const tw_model *model, const tw_reference *reference, pilot *p)
{
    TW_TRY(allocate(p, model));
    TW_TRY(tw_walk_new(model, reference, &p->o->kernel, p->o->pilot_particles, &p->walk));
    TW_TRY(tw_walk_start(p->walk, p->o->seed, p->chain));
    return climb(p);
}

tw_status tw_rm_plan_new(tw_context *ctx, size_t capacity, tw_rm_plan **out)
{
    void *plan = NULL, *steps = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof **out, "a plan", &plan));
    *out = plan;
    (*out)->ctx = ctx;
    tw_status status = tw_allocate(ctx, capacity + 1, sizeof(tw_rm_plan_step), "a plan", &steps);
    (*out)->step = steps;
    return status;
}

tw_status tw_rm_plan_make(const tw_model *model, const tw_reference *reference, const tw_rm_options *o,
                          tw_watch *watch, tw_rm_plan **out)
{
    tw_context *ctx = model->ctx;
    pilot p = {.o = o,
               .watch = watch,
               .capacity = o->beta ? o->temperatures : o->max_temperatures,
               .tuner = tw_step_tuner_at(TW_STEP_FIRST, o->target_accept, TW_STEP_LARGEST)};
    *out = NULL;
    TW_TRY(tw_streams_take(ctx, TW_STREAMS_RM_PILOT, 0, o->pilot_particles, &p.chain));
    tw_status status = tw_rm_plan_new(ctx, p.capacity, &p.plan);
    if (status == TW_OK) status = run(model, reference, &p);
    tw_walk_free(p.walk);
    tw_release(ctx, p.x);
    tw_release(ctx, p.log_ratio);
    tw_release(ctx, p.log_weight);
    tw_release(ctx, p.ancestor);
    if (status == TW_OK && !watch->stopped)
        *out = p.plan;
    else
        tw_rm_plan_free(p.plan);
    return status;
}
