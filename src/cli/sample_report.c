/* sample_report.c: prints the results of talweg sample as a table, or as JSON. */
#include "cli/sample_report.h"

#include <math.h>

#include "cli/json.h"
#include "cli/model_options.h"
#include "cli/summary_print.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"

tw_run_facts tw_sample_facts(const char *data, const char *command, const tw_sample_results *r)
{
    tw_run_facts facts = tw_run_facts_of(r->plan, &r->result);
    facts.data = data;
    facts.command = command;
    return facts;
}

/* ---- the table ---- */

/* Print step size and number of steps; a dash if the method does not have them. */
static void print_tuning(const tw_method_info *method, const tw_candidate *c)
{
    if (method->has_eps)
        printf("%10.3g", c->eps);
    else
        printf("%10s", "-");
    if (method->has_steps)
        printf("%7zu", c->steps);
    else
        printf("%7s", "-");
}

static void print_choice(const tw_choice *choice)
{
    printf("\n%-18s%10s%7s%12s%14s%14s%18s\n", "pilot runs", "eps", "steps", "acceptance", "ESS per draw",
           "flops/draw", "ESS per Gflop");
    for (size_t k = 0; k < choice->count; k++) {
        const tw_candidate *c = &choice->candidates[k];
        printf("  %-5s %-10s", tw_method_name(c->method), tw_metric_name(c->metric));
        if (!c->tried) {
            printf("   %s\n", c->reason);
            continue;
        }
        print_tuning(tw_method_describe(c->method), c);
        printf("%12.2f%14.3f%14.2e%18.4g%s\n", c->acceptance, c->ess_per_draw, c->flops_per_draw,
               1e9 * c->efficiency, k == choice->best ? "  <- chosen" : "");
    }
}

static void print_time(const tw_sample_results *r)
{
    const tw_sampling_plan *p = r->plan;
    printf("time            ");
    if (p->fit_seconds > 0.0) printf("%.2f s of EP, ", p->fit_seconds);
    if (p->pilot_seconds > 0.0) printf("%.2f s of pilot runs, ", p->pilot_seconds);
    printf("%.2f s of warm-up, %.2f s of sampling; %.2f s in all\n", r->result.warmup_seconds,
           r->result.sampling_seconds, tw_terminal_elapsed());
}

static void print_sampler(const tw_sample_results *r)
{
    const tw_sampling_plan *p = r->plan;
    const tw_draws *draws = r->result.draws;
    const tw_tuning *t = &draws->tuning;
    const tw_method_info *method = tw_method_describe(p->sampler.method);
    printf("\nsampler         %s, metric %s", method->name, tw_metric_name(p->sampler.metric));
    if (method->has_eps) printf(": step size %.4g", t->eps);
    if (method->has_steps) {
        printf(", %zu leapfrog step%s", t->steps, t->steps == 1 ? "" : "s");
        if (t->jittered && t->steps > 1) printf(" (%zu to %zu)", (t->steps + 1) / 2, 3 * t->steps / 2);
    }
    if (p->posterior.beta != 1.0) /* these are not posterior draws */
        printf("\ntarget          the path from %s to the posterior at beta = %g, not the posterior",
               tw_plain(p->from), p->posterior.beta);
    printf("\nchains          %zu of %zu draw%s, after %zu iterations of warm-up", draws->chains,
           draws->draws, draws->draws == 1 ? "" : "s", p->head.iterations + p->run.warmup);
    if (p->head.x) printf(", of which %zu in the pilot run", p->head.iterations);
    printf("\n");
    print_time(r);
}

/* Print ESS and R-hat, or "unknown" if the draws do not determine them. */
static void print_mixing(const tw_chains_summary *s)
{
    if (isnan(s->rhat_max) || isnan(s->ess_min)) {
        printf("ESS             unknown\n");
    } else {
        printf("ESS             %.0f at the worst latent (x.%zu), %.0f in the median\n", s->ess_min,
               s->worst + 1, s->ess_median);
        printf("                ");
        tw_summary_print_sizes(s);
        printf("\n");
        printf("R-hat           %.4f at most\n", s->rhat_max);
    }
    if (isfinite(s->ebfmi_min)) printf("E-BFMI          %.2f at least\n", s->ebfmi_min);
}

void tw_sample_print(const char *data, const tw_sample_results *r)
{
    const tw_totals *t = &r->result.draws->sampling;
    printf("%s: ", tw_plain(data));
    tw_model_print(r->problem, stdout);
    if (r->plan->choice.count > 0) print_choice(&r->plan->choice);
    print_sampler(r);
    printf("acceptance      %.3f\n", r->result.summary.acceptance);
    print_mixing(&r->result.summary);
    printf("%-16s%zu\n", tw_method_describe(r->plan->sampler.method)->counts, t->leapfrog_steps);
    printf(
        "failures        %zu energy divergences, %zu implicit solves, %zu irreversible, %zu factorisations\n",
        t->energy_divergence, t->implicit_failure, t->irreversible, t->factorisation);
}

/* ---- JSON ---- */

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
    tw_json_set(object, "iterations", tw_json_count(c->iterations), ok);
    tw_json_set(object, "flops_spent", tw_json_number(c->flops_spent), ok);
    tw_json_set(object, "flops_to_goal", tw_json_number(c->flops_to_goal), ok);
    return object;
}

static json_t *encode_candidates(const tw_choice *choice, bool *ok)
{
    json_t *array = json_array();
    for (size_t k = 0; k < choice->count; k++)
        tw_json_append(array, encode_candidate(&choice->candidates[k], ok), ok);
    return array;
}

static void encode_run(json_t *object, const tw_sample_results *r, bool *ok)
{
    const tw_sampling_plan *p = r->plan;
    const tw_draws *d = r->result.draws;
    const tw_method_info *method = tw_method_describe(p->sampler.method);
    tw_json_set(object, "method", json_string(method->name), ok);
    tw_json_set(object, "metric", json_string(tw_metric_name(p->sampler.metric)), ok);
    tw_json_set(object, "n", tw_json_count(d->n), ok);
    tw_json_set(object, "chains", tw_json_count(d->chains), ok);
    tw_json_set(object, "draws", tw_json_count(d->draws), ok);
    tw_json_set(object, "warmup", tw_json_count(d->warmup.transitions / d->chains), ok);
    tw_json_set(object, "seed", tw_json_count((size_t)p->run.seed), ok);
    tw_json_set(object, "beta", tw_json_number(p->posterior.beta), ok);
    tw_json_set(object, "interrupted", json_boolean(d->interrupted), ok);
    tw_json_set(object, "eps", method->has_eps ? tw_json_number(d->tuning.eps) : json_null(), ok);
    tw_json_set(object, "steps", method->has_steps ? tw_json_count(d->tuning.steps) : json_null(), ok);
}

tw_status tw_sample_print_json(tw_context *ctx, const tw_sample_results *r, FILE *to)
{
    bool ok = true;
    const tw_sampling_plan *p = r->plan;
    json_t *object = json_object();
    encode_run(object, r, &ok);
    tw_json_set(object, "fit_seconds", tw_json_number(p->fit_seconds), &ok);
    tw_json_set(object, "pilot_seconds", tw_json_number(p->pilot_seconds), &ok);
    tw_json_set(object, "warmup_seconds", tw_json_number(r->result.warmup_seconds), &ok);
    tw_json_set(object, "sampling_seconds", tw_json_number(r->result.sampling_seconds), &ok);
    tw_json_set(object, "sampling_cpu_seconds", tw_json_number(r->result.sampling_cpu_seconds), &ok);
    tw_json_set(object, "acceptance", tw_json_number(r->result.summary.acceptance), &ok);
    tw_summary_encode(&r->result.summary, &r->result.draws->sampling, object, &ok);
    tw_work_encode(tw_method_describe(p->sampler.method), r->result.draws->sampling.leapfrog_steps, object,
                   &ok);
    if (p->choice.count > 0) tw_json_set(object, "candidates", encode_candidates(&p->choice, &ok), &ok);
    return tw_result_print_json(ctx, r->problem, object, ok, to);
}
