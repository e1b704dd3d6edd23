/* sample_report.c: see sample_report.h. */
#include "cli/sample_report.h"

#include "base/context.h"
#include "cli/model_options.h"
#include "output/json.h"

/* ---- for people ---- */

static void print_choice(const tw_choice *choice)
{
    printf("\n%-16s%10s%7s%12s%14s%14s%18s\n", "pilot runs", "eps", "steps", "acceptance", "ESS per draw",
           "flops a draw", "ESS per Gflop");
    for (size_t k = 0; k < choice->count; k++) {
        const tw_candidate *c = &choice->candidates[k];
        printf("%5s %-10s", tw_method_name(c->method), tw_metric_name(c->metric));
        if (!c->tried) {
            printf("   not tried: %s\n", c->reason);
            continue;
        }
        if (c->method == TW_METHOD_SLICE)
            printf("%10s%7s", "-", "-");
        else
            printf("%10.3g%7zu", c->eps, c->steps);
        printf("%12.2f%14.3f%14.2e%18.4g%s\n", c->acceptance, c->ess_per_draw, c->flops_per_draw,
               1e9 * c->efficiency, k == choice->best ? "  <- chosen" : "");
    }
}

static void print_sampler(const tw_sampler_flags *flags, const tw_sample_results *r)
{
    const tw_tuning *t = &r->draws->tuning;
    printf("\nsampler         %s, metric %s", tw_method_name(r->sampler.method),
           tw_metric_name(r->sampler.metric));
    if (r->sampler.method != TW_METHOD_SLICE) {
        printf(": step size %.4g, %zu leapfrog step%s", t->eps, t->steps, t->steps == 1 ? "" : "s");
        if (t->jittered && t->steps > 1) printf(" (%zu to %zu)", (t->steps + 1) / 2, 3 * t->steps / 2);
    }
    printf("\nchains          %zu of %zu draws, after %zu iterations of warm-up\n", r->draws->chains,
           r->draws->draws, (size_t)flags->warmup);
    printf("time            %.2f s of warm-up, %.2f s of sampling\n", r->warmup_seconds, r->sampling_seconds);
}

void tw_sample_print(const char *data, const tw_sampler_flags *flags, const tw_sample_results *r)
{
    const tw_chains_summary *s = &r->summary;
    const tw_totals *t = &r->draws->sampling;
    printf("%s: ", data);
    tw_model_print(r->problem, stdout);
    if (r->choice.count > 0) print_choice(&r->choice);
    print_sampler(flags, r);
    printf("acceptance      %.3f\n", s->acceptance);
    printf("bulk ESS        %.0f at the worst latent (x.%zu), %.0f in the median\n", s->ess_bulk_min,
           s->worst + 1, s->ess_bulk_median);
    printf("tail ESS        %.0f at the worst latent\n", s->ess_tail_min);
    printf("R-hat           %.4f at most\n", s->rhat_max);
    if (r->sampler.method != TW_METHOD_SLICE) printf("E-BFMI          %.2f at least\n", s->ebfmi_min);
    printf("%-16s%zu\n", r->sampler.method == TW_METHOD_SLICE ? "evaluations" : "leapfrog steps",
           t->leapfrog_steps);
    printf("failures        %zu energy divergences, %zu implicit solves, %zu not reversible, %zu "
           "factorisations\n",
           t->energy_divergence, t->implicit_failure, t->irreversible, t->factorisation);
}

/* ---- JSON ---- */

static json_t *encode_counters(const tw_totals *t, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "energy_divergence", tw_json_count(t->energy_divergence), ok);
    tw_json_set(object, "implicit_failure", tw_json_count(t->implicit_failure), ok);
    tw_json_set(object, "irreversible", tw_json_count(t->irreversible), ok);
    tw_json_set(object, "factorisation", tw_json_count(t->factorisation), ok);
    return object;
}

static json_t *encode_candidate(const tw_candidate *c, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "method", json_string(tw_method_name(c->method)), ok);
    tw_json_set(object, "metric", json_string(tw_metric_name(c->metric)), ok);
    tw_json_set(object, "tried", json_boolean(c->tried), ok);
    tw_json_set(object, "reason", json_string(c->reason), ok);
    tw_json_set(object, "acceptance", tw_json_number(c->acceptance), ok);
    tw_json_set(object, "ess_per_draw", tw_json_number(c->ess_per_draw), ok);
    tw_json_set(object, "flops_per_draw", tw_json_number(c->flops_per_draw), ok);
    tw_json_set(object, "efficiency", tw_json_number(c->efficiency), ok);
    return object;
}

static json_t *encode_candidates(const tw_choice *choice, bool *ok)
{
    json_t *array = json_array();
    for (size_t k = 0; k < choice->count; k++)
        if (json_array_append_new(array, encode_candidate(&choice->candidates[k], ok)) != 0) *ok = false;
    return array;
}

static void encode_summary(const tw_sample_results *r, json_t *object, bool *ok)
{
    const tw_chains_summary *s = &r->summary;
    json_t *bulk = json_object(), *tail = json_object();
    tw_json_set(bulk, "min", tw_json_number(s->ess_bulk_min), ok);
    tw_json_set(bulk, "median", tw_json_number(s->ess_bulk_median), ok);
    tw_json_set(tail, "min", tw_json_number(s->ess_tail_min), ok);
    tw_json_set(object, "ess_bulk", bulk, ok);
    tw_json_set(object, "ess_tail", tail, ok);
    tw_json_set(object, "rhat_max", tw_json_number(s->rhat_max), ok);
    tw_json_set(object, "ebfmi_min", tw_json_number(s->ebfmi_min), ok);
    tw_json_set(object, "leapfrog_steps", tw_json_count(r->draws->sampling.leapfrog_steps), ok);
    tw_json_set(object, "counters", encode_counters(&r->draws->sampling, ok), ok);
    if (r->choice.count > 0) tw_json_set(object, "candidates", encode_candidates(&r->choice, ok), ok);
}

tw_status tw_sample_print_json(tw_context *ctx, const tw_sampler_flags *flags, const tw_sample_results *r,
                               FILE *to)
{
    bool ok = true, by_steps = r->sampler.method != TW_METHOD_SLICE;
    const tw_tuning *t = &r->draws->tuning;
    json_t *object = json_object();
    tw_json_set(object, "method", json_string(tw_method_name(r->sampler.method)), &ok);
    tw_json_set(object, "metric", json_string(tw_metric_name(r->sampler.metric)), &ok);
    tw_json_set(object, "n", tw_json_count(r->draws->n), &ok);
    tw_json_set(object, "chains", tw_json_count(r->draws->chains), &ok);
    tw_json_set(object, "draws", tw_json_count(r->draws->draws), &ok);
    tw_json_set(object, "seed", tw_json_count((size_t)flags->seed), &ok);
    tw_json_set(object, "beta", tw_json_number(flags->beta), &ok);
    tw_json_set(object, "interrupted", json_boolean(r->draws->interrupted), &ok);
    tw_json_set(object, "warmup_seconds", tw_json_number(r->warmup_seconds), &ok);
    tw_json_set(object, "sampling_seconds", tw_json_number(r->sampling_seconds), &ok);
    tw_json_set(object, "acceptance", tw_json_number(r->summary.acceptance), &ok);
    tw_json_set(object, "eps", by_steps ? tw_json_number(t->eps) : json_null(), &ok);
    tw_json_set(object, "steps", by_steps ? tw_json_count(t->steps) : json_null(), &ok);
    encode_summary(r, object, &ok);
    if (ok) return tw_json_print(ctx, object, to);
    json_decref(object);
    return tw_json_print(ctx, NULL, to);
}

/* ---- warnings ---- */

static void warn_of_failures(tw_context *ctx, size_t count, size_t transitions, const char *what,
                             const char *advice)
{
    if (count == 0) return;
    tw_log(ctx, TW_LOG_WARNING, "%s in %.2g%% of trajectories (%zu of %zu), which were rejected: %s", what,
           100.0 * (double)count / (double)transitions, count, transitions, advice);
}

static void warn_of_mixing(tw_context *ctx, const tw_sample_results *r)
{
    const tw_chains_summary *s = &r->summary;
    double wanted = 100.0 * (double)r->draws->chains;
    if (s->rhat_max > 1.01)
        tw_log(
            ctx, TW_LOG_WARNING,
            "R-hat is %.3f, above 1.01: the chains have not forgotten their starts, so do not use the draws "
            "yet. Raise --draws and --warmup, or use another --method (auto, or hmc with --metric ep)",
            s->rhat_max);
    if (s->ess_bulk_min < wanted)
        tw_log(ctx, TW_LOG_WARNING,
               "the worst latent (x.%zu) has a bulk ESS of %.0f; estimates want at least 100 for each chain, "
               "%.0f. Raise --draws, or use another --method",
               s->worst + 1, s->ess_bulk_min, wanted);
    if (s->ebfmi_min < 0.3)
        tw_log(
            ctx, TW_LOG_WARNING,
            "E-BFMI is %.2f, below 0.3: energies change too little between draws to explore the tails. Use "
            "another --metric, or more --draws",
            s->ebfmi_min);
}

void tw_sample_warn(tw_context *ctx, const tw_sample_results *r)
{
    const tw_totals *t = &r->draws->sampling;
    if (r->draws->interrupted)
        tw_log(ctx, TW_LOG_WARNING, "interrupted: there are %zu draws of each chain", r->draws->draws);
    if (r->draws->draws > 0) warn_of_mixing(ctx, r);
    warn_of_failures(ctx, t->energy_divergence, t->transitions, "the energy diverged",
                     "use a smaller --eps or a higher --target-accept");
    warn_of_failures(ctx, t->implicit_failure, t->transitions, "implicit solve failed",
                     "use --metric smoothed or a smaller --eps");
    warn_of_failures(ctx, t->irreversible, t->transitions, "the way back did not lead back",
                     "use a smaller --eps, or --solver-tol instead of --fixed-point");
    warn_of_failures(ctx, t->factorisation, t->transitions, "the metric could not be factored",
                     "use --metric smoothed or a smaller --eps");
}
