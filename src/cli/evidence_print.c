/* evidence_print.c: prints the results of talweg evidence as a table with a verdict, or as JSON. */
#include <math.h>
#include <string.h>

#include "cli/evidence.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/warnings.h"

/* ---- the table ---- */

static void print_approximation(const char *name, double log_z, bool converged, double seconds)
{
    printf("  %-16s%14.4f%10s%16s%12s", name, log_z, "", "", "");
    if (isfinite(seconds)) printf("%9.2f s", seconds);
    printf("%s\n", converged ? "" : "   NOT converged");
}

static void print_estimate(const tw_estimate *e, double seconds)
{
    char weights[48] = "", error[32], acceptance[32] = "";
    if (isfinite(e->weight_ess))
        snprintf(weights, sizeof weights, "%.1f of %zu", e->weight_ess, e->particles);
    bool small = e->se > 0.0 && e->se < 5e-5; /* would print as 0.0000 */
    snprintf(error, sizeof error, e->se < 1000.0 && !small ? "%.4f" : "%.1e", e->se);
    if (isfinite(e->acceptance)) snprintf(acceptance, sizeof acceptance, "%.3f", e->acceptance);
    if (isnan(e->log_z))
        printf("  %-16s%14s%10s%16s%12s%9.2f s\n", e->method, "withheld", "", weights, acceptance, seconds);
    else
        printf("  %-16s%14.4f%10s%16s%12s%9.2f s\n", e->method, e->log_z, error, weights, acceptance,
               seconds);
}

static void print_comparison(const tw_estimate *best, const char *name, double log_z)
{
    char words[TW_WORDS_BYTES];
    if (!best || !isfinite(log_z)) return;
    tw_evidence_compare(best, name, log_z, words);
    tw_print_wrapped(stdout, words, 0, 0);
}

/* Print a warning as a sentence. */
static void print_warning(const tw_warning *warning)
{
    char words[TW_WARNING_BYTES];
    tw_warning_say(warning, words);
    strncat(words, ".", sizeof words - strlen(words) - 1);
    tw_print_wrapped(stdout, words, 0, 0);
}

static void print_verdict(const tw_fits *fits, const tw_evidence_result *r)
{
    const tw_estimate *best = tw_evidence_best(r->count, r->estimate);
    tw_colour colour = !r->agreement.known  ? TW_COLOUR_NONE
                       : r->agreement.agree ? TW_COLOUR_GREEN
                                            : TW_COLOUR_YELLOW;
    char words[TW_WORDS_BYTES];
    printf("\n%s", tw_terminal_colour(stdout, colour));
    tw_agreement_print(&r->agreement, r->estimate, words);
    tw_print_wrapped(stdout, words, 0, 0);
    fputs(tw_terminal_colour(stdout, TW_COLOUR_NONE), stdout);
    if (!r->agreement.known && r->agreement.compared > 1)
        puts("Use another --method, or compare with a run of another --seed.");
    if (r->agreement.known && !r->agreement.agree) {
        best = NULL; /* do not compare the approximations with estimates that disagree */
        tw_print_wrapped(stdout, tw_warning_advice(TW_WARN_DISAGREE), 0, 0);
    }
    if (fits->laplace->converged) print_comparison(best, "Laplace", fits->laplace->log_z);
    if (fits->ep->converged) print_comparison(best, "EP", fits->ep->log_z);
    print_comparison(best, "EP corrected", fits->correction.log_z);
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code == TW_WARN_FAILURES) print_warning(&r->warnings.warning[k]);
    for (size_t i = 0; i < r->count; i++) {
        tw_warning doubt;
        if (tw_evidence_doubt(&r->estimate[i], &doubt)) print_warning(&doubt);
    }
}

static void print_tempering(const tw_pt_report *t)
{
    printf("  parallel tempering: %zu temperatures, %zu rounds after %zu; barrier %.2f, %zu round trips\n",
           t->temperatures, t->rounds, t->warmup, t->barrier, t->round_trips);
    printf("    one-sided stepping stones %.4f +- %.4f upwards, %.4f +- %.4f downwards\n", t->forward,
           t->forward_se, t->reverse, t->reverse_se);
}

void tw_evidence_print(const tw_evidence_flags *flags, const tw_evidence_found *found)
{
    const tw_fits *fits = &found->plan->fits;
    const tw_evidence_result *r = &found->result;
    char words[TW_WORDS_BYTES];
    printf("%s: ", tw_plain(flags->model.data));
    tw_model_print(found->problem, stdout);
    tw_evidence_plan_print(found->plan, words);
    printf("%s\n\n", tw_plain(words)); /* files may be named in it */
    printf("  %-16s%14s%10s%16s%12s%11s\n", "", "log Z (nats)", "error", "weights (ESS)", "acceptance",
           "time");
    print_approximation("Laplace", fits->laplace->log_z, fits->laplace->converged, fits->laplace_seconds);
    print_approximation("EP", fits->ep->log_z, fits->ep->converged, fits->ep_seconds);
    if (fits->ep->converged) print_approximation("EP corrected", fits->correction.log_z, true, NAN);
    for (size_t i = 0; i < r->count; i++) print_estimate(&r->estimate[i], r->seconds[i]);
    printf("  %-68s%9.2f s\n", "total", tw_terminal_elapsed());
    if (r->tempered) print_tempering(&r->tempering);
    print_verdict(fits, r);
}

/* ---- JSON ---- */

static json_t *encode_estimate(const tw_evidence_found *found, size_t i, bool *ok)
{
    const tw_evidence_result *r = &found->result;
    const tw_evidence_plan *p = found->plan;
    const tw_estimate *e = &r->estimate[i];
    tw_warning doubt;
    char words[TW_WARNING_BYTES] = "";
    if (tw_evidence_doubt(e, &doubt)) tw_warning_say(&doubt, words);
    json_t *object = json_object();
    tw_json_set(object, "method", json_string(e->method), ok);
    tw_json_set(object, "from", json_string(p->from), ok);
    tw_json_set(object, "kernel", json_string(p->kernel), ok);
    tw_json_set(object, "metric", json_string(p->metric), ok);
    tw_json_set(object, "log_z", tw_json_number(e->log_z), ok);
    tw_json_set(object, "se", tw_json_number(e->se), ok);
    tw_json_set(object, "se_bootstrap", tw_json_number(e->se_bootstrap), ok);
    tw_json_set(object, "weight_ess", tw_json_number(e->weight_ess), ok);
    tw_json_set(object, "pareto_k", tw_json_number(e->pareto_k), ok);
    tw_json_set(object, "missed", tw_json_number(e->missed), ok);
    tw_json_set(object, "trips", tw_json_number(e->trips), ok);
    tw_json_set(object, "drift", tw_json_number(e->drift), ok);
    tw_json_set(object, "apart", tw_json_number(e->apart), ok);
    tw_json_set(object, "doubt", *words ? json_string(words) : json_null(), ok);
    tw_json_set(object, "acceptance", tw_json_number(e->acceptance), ok);
    tw_json_set(object, "failures", tw_json_number(e->failures), ok);
    tw_json_set(object, "particles", tw_json_count(e->particles), ok);
    tw_json_set(object, "temperatures", tw_json_count(e->temperatures), ok);
    tw_json_set(object, "unbiased", json_boolean(e->unbiased), ok);
    tw_json_set(object, "seconds", tw_json_number(r->seconds[i]), ok);
    tw_json_set(object, "cpu_seconds", tw_json_number(r->cpu_seconds[i]), ok);
    return object;
}

static json_t *encode_approximation(double log_z, bool converged, double seconds, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "log_z", tw_json_number(log_z), ok);
    tw_json_set(object, "converged", json_boolean(converged), ok);
    if (isfinite(seconds)) tw_json_set(object, "seconds", tw_json_number(seconds), ok);
    return object;
}

static json_t *encode_tempering(const tw_pt_report *t, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "temperatures", tw_json_count(t->temperatures), ok);
    tw_json_set(object, "warmup", tw_json_count(t->warmup), ok);
    tw_json_set(object, "rounds", tw_json_count(t->rounds), ok);
    tw_json_set(object, "barrier", tw_json_number(t->barrier), ok);
    tw_json_set(object, "round_trips", tw_json_count(t->round_trips), ok);
    tw_json_set(object, "drift", tw_json_number(t->drift), ok);
    tw_json_set(object, "drift_se", tw_json_number(t->drift_se), ok);
    tw_json_set(object, "forward", tw_json_number(t->forward), ok);
    tw_json_set(object, "forward_se", tw_json_number(t->forward_se), ok);
    tw_json_set(object, "reverse", tw_json_number(t->reverse), ok);
    tw_json_set(object, "reverse_se", tw_json_number(t->reverse_se), ok);
    tw_json_set(object, "discretisation", tw_json_number(t->discretisation), ok);
    return object;
}

static void encode_approximations(json_t *object, const tw_fits *p, bool *ok)
{
    tw_json_set(object, "laplace",
                encode_approximation(p->laplace->log_z, p->laplace->converged, p->laplace_seconds, ok), ok);
    tw_json_set(object, "ep", encode_approximation(p->ep->log_z, p->ep->converged, p->ep_seconds, ok), ok);
    tw_json_set(object, "ep_corrected", encode_approximation(p->correction.log_z, p->ep->converged, NAN, ok),
                ok);
}

tw_status tw_evidence_print_json(tw_context *ctx, const tw_evidence_found *found, FILE *to)
{
    bool ok = true;
    const tw_evidence_result *r = &found->result;
    json_t *object = json_object(), *estimates = json_array();
    const tw_agreement *a = &r->agreement;
    char words[TW_WORDS_BYTES];
    tw_agreement_print(a, r->estimate, words);
    for (size_t i = 0; i < r->count; i++) tw_json_append(estimates, encode_estimate(found, i, &ok), &ok);
    tw_json_set(object, "n", tw_json_count(found->problem->data->n), &ok);
    encode_approximations(object, &found->plan->fits, &ok);
    tw_json_set(object, "schedule", json_string(found->plan->schedule), &ok);
    tw_json_set(object, "estimates", estimates, &ok);
    if (r->tempered) tw_json_set(object, "parallel_tempering", encode_tempering(&r->tempering, &ok), &ok);
    tw_json_set(object, "agree", a->known ? json_boolean(a->agree) : json_null(), &ok);
    tw_json_set(object, "agree_rule", json_string(TW_AGREEMENT_RULE), &ok);
    tw_json_set(object, "worst_pair", tw_json_number(a->worst), &ok);
    tw_json_set(object, "verdict", json_string(words), &ok);
    return tw_result_print_json(ctx, found->problem, object, ok, to);
}
