/* pilot.c: the pilot run that plans resample-move: a resample-move run whose estimate is discarded.
 *
 * Each step chooses the next temperature by the conditional effective sample size of the particles' weights
 * (or takes the given one), resamples systematically if the weights since the last resampling need it, and makes
 * transitions until the particles are decorrelated from their start: until the correlation between before and
 * after, of the positions (over all sites) and of R(x) = log p(y, x) - log q(x), is below a threshold. Every
 * transition also tunes the step size. Correlation and acceptance are weighted means over particles: if q is wider
 * than the posterior, some particles have no weight and would not move with any step size.
 */
#include <math.h>
#include <string.h>

#include "evidence/resample.h"
#include "evidence/rm_plan.h"
#include "math/random.h"
#include "sample/step_size.h"
#include "talweg/diagnose.h"

/* The transitions at b = 0, in which the tuner finds the scale of the step size. */
enum { START_MOVES = 30 };

static const double all_the_same =
    1.0 - 1e-6;                          /* a fraction of effective particles that means equal weights */
static const double nearly_there = 1e-6; /* a step ends at b = 1 if less than this would remain */

typedef struct pilot {
    const tw_rm_options *o;
    tw_watch *watch;
    tw_walk *walk;
    tw_rm_plan *plan;
    size_t capacity;             /* the largest number of steps of the plan */
    double *x, *log_ratio;       /* positions and R after resampling, before the moves */
    double *log_weight, *weight; /* since the last resampling */
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

/* The weighted correlation over all n x P pairs (a, b), where each row has its own means. Constant rows contribute
 * nothing. */
static double correlation(size_t n, size_t columns, const double *weight, const double *a, const double *b)
{
    double ab = 0.0, aa = 0.0, bb = 0.0;
    for (size_t i = 0; i < n; i++) {
        double mean_a = 0.0, mean_b = 0.0;
        for (size_t j = 0; j < columns; j++) {
            mean_a += weight[j] * a[i + j * n];
            mean_b += weight[j] * b[i + j * n];
        }
        for (size_t j = 0; j < columns; j++) {
            double da = a[i + j * n] - mean_a, db = b[i + j * n] - mean_b;
            ab += weight[j] * da * db;
            aa += weight[j] * da * da;
            bb += weight[j] * db * db;
        }
    }
    return aa > 0.0 && bb > 0.0 ? ab / sqrt(aa * bb) : 0.0;
}

/* The weights since the last resampling, of sum 1: particles that have none decide nothing. */
static void normalise(pilot *p)
{
    size_t particles = p->walk->particles;
    double log_mean = tw_log_mean_exp(particles, p->log_weight, NULL);
    for (size_t j = 0; j < particles; j++)
        p->weight[j] = exp(p->log_weight[j] - log_mean) / (double)particles;
}

static double acceptance(const pilot *p)
{
    double sum = 0.0;
    for (size_t j = 0; j < p->walk->particles; j++) sum += p->weight[j] * p->walk->records[j].acceptance_rate;
    return sum;
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
    tw_walk_move(p->walk, &move);
    tw_step_tuner_learn(&p->tuner, acceptance(p));
}

/* Go to b_k, and resample if the weights since the last resampling need it. */
static tw_status begin(pilot *p, size_t k)
{
    tw_walk *w = p->walk;
    size_t n = w->target->model->n;
    const double *x = tw_sampler_positions(w->sampler);
    tw_stream stream = tw_stream_at(p->o->seed, TW_STREAM_RESAMPLE, p->chain, k);
    for (size_t j = 0; j < w->particles; j++) p->ancestor[j] = j;
    if (p->plan->step[k].resample)
        tw_resample_systematic(w->particles, p->log_weight, tw_stream_uniform(&stream), w->particles,
                               p->ancestor);
    for (size_t j = 0; j < w->particles; j++) {
        memcpy(p->x + j * n, x + p->ancestor[j] * n, n * sizeof *p->x);
        p->log_ratio[j] = w->log_ratio[p->ancestor[j]];
    }
    TW_TRY(tw_walk_temper(w, p->plan->step[k].beta));
    if (!p->plan->step[k].resample) return TW_OK;
    memset(p->log_weight, 0, w->particles * sizeof *p->log_weight);
    return tw_sampler_set_positions(w->sampler, p->x);
}

/* Go to b_k, and move until the particles are decorrelated. */
static tw_status rejuvenate(pilot *p, size_t k)
{
    tw_walk *w = p->walk;
    tw_rm_plan_step *step = &p->plan->step[k];
    size_t n = w->target->model->n;
    double left = 1.0;
    TW_TRY(begin(p, k));
    normalise(p);
    tw_step_tuner_begin(&p->tuner);
    while (left > p->o->correlation && step->moves < p->o->max_moves) {
        transition(p, step);
        step->moves++;
        tw_walk_measure(w);
        left = fmax(correlation(n, w->particles, p->weight, p->x, tw_sampler_positions(w->sampler)),
                    correlation(1, w->particles, p->weight, p->log_ratio, w->log_ratio));
    }
    return TW_OK;
}

/* The next temperature. A few particles do not show how heavy the tail of the weights of a long step is. So a step
 * is at most largest_step, unless all weights of the rest of the path are equal. */
static double next_temperature(const pilot *p, double beta)
{
    const double *ratio = p->walk->log_ratio;
    size_t particles = p->walk->particles;
    double next = tw_next_temperature(particles, p->log_weight, ratio, beta, p->o->fraction);
    double last = beta + p->o->largest_step;
    if (next <= last || tw_conditional_ess(particles, p->log_weight, ratio, 1.0 - beta) > all_the_same)
        return next;
    return last < 1.0 - nearly_there ? last : 1.0;
}

/* Choose the temperature of step k, compute its weights, and decide whether to resample. */
static void choose(pilot *p, size_t k)
{
    tw_rm_plan_step *step = &p->plan->step[k];
    size_t particles = p->walk->particles;
    step->beta = p->o->beta ? p->o->beta[k] : next_temperature(p, step[-1].beta);
    for (size_t j = 0; j < particles; j++)
        p->log_weight[j] += (step->beta - step[-1].beta) * p->walk->log_ratio[j];
    double effective = tw_weights_ess(particles, p->log_weight) / (double)particles;
    step->variance = fmax(0.0, 1.0 / effective - 1.0);
    step->resample = effective < p->o->resample && step->beta < 1.0;
    p->plan->steps = k;
}

static tw_status climb(pilot *p)
{
    tw_context *ctx = p->walk->ctx;
    tw_rm_plan_step *step = p->plan->step;
    normalise(p);
    for (size_t m = 0; m < START_MOVES; m++) transition(p, &step[0]);
    tw_walk_measure(p->walk);
    for (size_t k = 1; step[k - 1].beta < 1.0; k++) {
        if (k > p->capacity)
            return tw_fail(ctx, TW_NOT_CONVERGED,
                           "%zu temperatures reached only b = %g: start closer to the posterior (EP), or "
                           "allow more temperatures or a smaller effective sample size",
                           p->capacity, step[k - 1].beta);
        choose(p, k);
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
    TW_TRY(tw_allocate_doubles(model->ctx, particles, 1, "the pilot's weights", &p->weight));
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
    tw_release(ctx, p.weight);
    tw_release(ctx, p.ancestor);
    if (status == TW_OK && !watch->stopped)
        *out = p.plan;
    else
        tw_rm_plan_free(p.plan);
    return status;
}
