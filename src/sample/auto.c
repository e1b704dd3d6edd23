/* auto.c: choose a sampler by a race of pilot runs.
 *
 * Candidates use EP's Gaussian, or Laplace's if EP failed. Their pilots run one after the other, likely
 * winners first. The candidate with the least remaining cost to the goal wins, and its pilot becomes the
 * beginning of its warm-up. pilot.c runs a pilot and ends it early if it cannot win.
 */
#include <math.h>

#include "sample/pilot.h"
#include "sample/sampler.h"

tw_status tw_auto_find_modes(const tw_model *model, bool *several)
{
    tw_approximation *laplace = NULL;
    *several = false;
    if (!model->observed.likelihood->peak) return TW_OK;
    tw_status status = tw_laplace_fit(model, NULL, &laplace);
    *several = status == TW_OK && laplace->several_modes;
    tw_approximation_free(laplace);
    return status == TW_NO_MEMORY ? status : TW_OK; /* if Laplace's method fails, modes are unknown */
}

tw_status tw_auto_approximation(const tw_model *model, const tw_ep_options *options, tw_approximation **out)
{
    TW_TRY(tw_ep_fit(model, options, out));
    if ((*out)->converged) return TW_OK;
    tw_warn(model->ctx, &(tw_warning){.code = TW_WARN_STAND_IN, .number = {(double)(*out)->iterations}});
    tw_approximation_free(*out);
    return tw_laplace_fit(model, NULL, out);
}

static void add_candidate(tw_choice *choice, tw_method method, tw_metric metric)
{
    choice->candidates[choice->count++] = (tw_candidate){.method = method,
                                                         .metric = metric,
                                                         .reason = "",
                                                         .eps = NAN,
                                                         .acceptance = NAN,
                                                         .ess_per_draw = NAN,
                                                         .flops_per_draw = NAN,
                                                         .efficiency = NAN,
                                                         .flops_to_goal = NAN};
}

/* List the trials of all methods that apply to this posterior, in the order of their turns. If there are
 * several modes, only those with the prior's metric, because the prior covers all modes. */
static void list_candidates(const tw_posterior *p, tw_choice *choice)
{
    unsigned last = 0;
    *choice = (tw_choice){0};
    for (unsigned turn = 1; turn <= last || turn == 1; turn++)
        for (size_t m = 0; m < TW_METHOD_COUNT; m++) {
            const tw_trial *trial = tw_method_row_of((tw_method)m)->trials;
            for (size_t k = 0; k < TW_MOST_TRIALS; k++) {
                if (trial[k].turn > last) last = trial[k].turn;
                if (trial[k].turn != turn || (trial[k].applies && !trial[k].applies(p))) continue;
                if (p->several_modes && trial[k].metric != TW_METRIC_PRIOR) continue;
                if (choice->count < TW_AUTO_MAX_CANDIDATES)
                    add_candidate(choice, (tw_method)m, trial[k].metric);
            }
        }
}

void tw_head_start_release(tw_head_start *h)
{
    if (h->x) tw_release(h->ctx, h->x);
    *h = (tw_head_start){0};
}

static tw_status race(const tw_posterior *p, const tw_auto_options *o, tw_choice *out, tw_head_start *head)
{
    tw_leader leader = {.flops_to_goal = INFINITY, .budget = INFINITY};
    double spent = 0.0;
    for (size_t k = 0; k < out->count; k++) {
        double before = leader.flops_to_goal;
        TW_TRY(tw_pilot_run(p, o, k + 1, &leader, &out->candidates[k], head));
        if (leader.flops_to_goal < before) out->best = k;
        spent += out->candidates[k].flops_spent;
        leader.flops_lost = spent - out->candidates[out->best].flops_spent;
    }
    return TW_OK;
}

tw_status tw_auto_race(const tw_posterior *p, const tw_auto_options *options, tw_choice *out,
                       tw_head_start *head)
{
    tw_auto_options defaults = TW_AUTO_DEFAULTS;
    const tw_auto_options *o = options ? options : &defaults;
    *out = (tw_choice){0};
    if (head) *head = (tw_head_start){0};
    if (!p->approximation)
        return tw_fail(p->model->ctx, TW_BAD_ARGUMENT, "the automatic choice needs an approximation");
    if (o->draws == 0 && !(o->until_ess > 0.0))
        return tw_fail(p->model->ctx, TW_BAD_ARGUMENT,
                       "the automatic choice needs a number of draws or an ESS goal");
    list_candidates(p, out);
    tw_status status = race(p, o, out, head);
    if (status != TW_OK && head) tw_head_start_release(head);
    return status;
}

tw_status tw_auto_choose(const tw_posterior *p, const tw_auto_options *options, tw_choice *out)
{
    return tw_auto_race(p, options, out, NULL);
}
