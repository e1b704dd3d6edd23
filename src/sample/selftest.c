/* selftest.c: run the checks of the self-test, each on as many cases as it can afford. */
#include <string.h>

#include "math/random.h"
#include "sample/selftest.h"
#include "talweg/chains.h"

/* The largest number of cases of a check. With n cases a trajectory of RMHMC costs O(n^3), a Jacobian needs
 * 8 n trajectories, and chains need thousands. */
enum { DYNAMICS_CASES = 150, INVARIANCE_CASES = 30, VOLUME_CASES = 12 };

void tw_selftest_note(const tw_selftest_case *c, tw_check check)
{
    tw_selftest *out = c->out;
    bool passed = check.measured >= check.low && check.measured <= check.high;
    if (check.verdict != TW_CHECK_SKIPPED) check.verdict = passed ? TW_CHECK_PASSED : TW_CHECK_FAILED;
    out->failed += check.verdict == TW_CHECK_FAILED;
    out->skipped += check.verdict == TW_CHECK_SKIPPED;
    out->checks[out->count++] = check;
    if (c->options->on_check) c->options->on_check(c->options->user, &check);
}

void tw_selftest_position(const tw_selftest_case *c, uint64_t index, double *work, double *x)
{
    const tw_gaussian *q = c->ep->reference->gaussian;
    tw_stream stream = tw_stream_at(c->options->seed, TW_STREAM_START, 0, index);
    tw_stream_normals(&stream, q->r, work);
    tw_gaussian_positions(q, 1, work, x);
}

/* ---- a case ---- */

static tw_status case_begin(const tw_model *model, const tw_selftest_options *options, tw_selftest *out,
                            tw_selftest_case *c)
{
    *c = (tw_selftest_case){.ctx = model->ctx, .model = model, .options = options, .out = out};
    TW_TRY(tw_auto_approximation(model, NULL, &c->ep));
    TW_TRY(tw_reference_prior(model, &c->prior));
    return tw_target_new(model, c->prior, TW_FORM_OPEN, &c->target);
}

static void case_end(tw_selftest_case *c)
{
    tw_target_free(c->target);
    tw_reference_free(c->prior);
    tw_approximation_free(c->ep);
}

/* Choose `most` cases at random: the first entries of a partial Fisher-Yates shuffle. */
static void choose(const tw_model *model, uint64_t seed, size_t most, size_t *chosen)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_CHECK, 0, 0);
    for (size_t i = 0; i < model->n; i++) chosen[i] = i;
    for (size_t i = 0; i < most; i++) {
        size_t j = i + (size_t)(tw_stream_uniform(&stream) * (double)(model->n - i)), kept = chosen[i];
        chosen[i] = chosen[j];
        chosen[j] = kept;
    }
}

/* Copy the chosen numbers; NULL stays NULL. */
static const double *choose_from(const double *from, size_t m, const size_t *chosen, double *to)
{
    for (size_t j = 0; from && j < m; j++) to[j] = from[chosen[j]];
    return from ? to : NULL;
}

/* A model of the chosen cases. */
static tw_status part_of(const tw_model *model, size_t m, const size_t *chosen, double *work, tw_model **out)
{
    tw_gaussian *prior = NULL;
    tw_observations observed = {.likelihood = model->observed.likelihood, .n = m};
    observed.y = choose_from(model->observed.y, m, chosen, work);
    for (size_t c = 0; c < TW_COLUMNS; c++)
        observed.column[c] = choose_from(model->observed.column[c], m, chosen, work + (c + 1) * m);
    TW_TRY(tw_gaussian_marginal(model->prior, m, chosen, &prior));
    return tw_model_from_gaussian(prior, &observed, out);
}

/* A model of `most` random cases; NULL if the model has no more than that. */
static tw_status reduce(const tw_model *model, uint64_t seed, size_t most, tw_model **part)
{
    double *work = NULL;
    void *chosen = NULL;
    *part = NULL;
    if (model->n <= most) return TW_OK;
    TW_TRY(tw_allocate(model->ctx, model->n, sizeof(size_t), "the cases to check with", &chosen));
    tw_status status = tw_allocate_doubles(model->ctx, 1 + TW_COLUMNS, most, "a part of the model", &work);
    if (status == TW_OK) {
        choose(model, seed, most, chosen);
        status = part_of(model, most, chosen, work, part);
    }
    tw_release(model->ctx, work);
    tw_release(model->ctx, chosen);
    return status;
}

/* ---- the checks ---- */

static tw_status check_model(const tw_selftest_case *c)
{
    TW_TRY(tw_selftest_factor(c));
    TW_TRY(tw_selftest_likelihood(c));
    TW_TRY(tw_selftest_gradient(c));
    return tw_selftest_ep(c);
}

static tw_status check_dynamics(const tw_selftest_case *c)
{
    TW_TRY(tw_selftest_dynamics(c, false));
    return tw_selftest_dynamics(c, true);
}

static tw_status check_volume(const tw_selftest_case *c)
{
    TW_TRY(tw_selftest_volume(c, false));
    return tw_selftest_volume(c, true);
}

/* Run a group of checks on at most `most` cases of the model. */
static tw_status run_on(const tw_model *model, const tw_selftest_options *options, size_t most,
                        tw_status (*checks)(const tw_selftest_case *c), tw_selftest *out)
{
    tw_model *part = NULL;
    tw_selftest_case c;
    TW_TRY(reduce(model, options->seed, most, &part));
    tw_status status = case_begin(part ? part : model, options, out, &c);
    if (status == TW_OK) status = checks(&c);
    case_end(&c);
    tw_model_free(part);
    return status;
}

tw_status tw_selftest_run(const tw_model *model, const tw_selftest_options *options, tw_selftest *out)
{
    tw_selftest_options o = options ? *options : TW_SELFTEST_DEFAULTS;
    memset(out, 0, sizeof *out);
    if (o.threads == 0) o.threads = 1;
    if (o.steps == 0 || !(o.eps >= 0.0) || !(o.solver_tolerance > 0.0) ||
        !tw_method_takes(TW_METHOD_RMHMC, o.metric))
        return tw_fail(model->ctx, TW_BAD_ARGUMENT,
                       "a self-test needs at least one step, a step size of at least 0, a positive tolerance "
                       "and a metric of RMHMC");
    TW_TRY(run_on(model, &o, SIZE_MAX, check_model, out));
    TW_TRY(run_on(model, &o, DYNAMICS_CASES, check_dynamics, out));
    TW_TRY(run_on(model, &o, VOLUME_CASES, check_volume, out));
    return run_on(model, &o, INVARIANCE_CASES, tw_selftest_invariance, out);
}
