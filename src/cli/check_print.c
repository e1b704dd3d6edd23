/* check_print.c: prints the results of talweg check as two tables with a verdict, or as JSON. */
#include <math.h>

#include "cli/check.h"
#include "cli/terminal.h"
#include "cli/warnings.h"

enum { MOST_SHOWN = 10 };

/* ---- tables ---- */

static void print_log_z(const tw_check_value *v, tw_check_judgement judgement)
{
    if (isnan(v->claimed)) {
        puts("log Z is not checked: the claim has none (see --log-z)");
        return;
    }
    printf("  %-10s%14s%14s%10s%14s%14s\n", "", "claimed", "exact", "error", "difference", "errors");
    printf("  %-10s%14.4f%14.4f%10.4f%+14.4f", "log Z", v->claimed, v->exact, v->error, v->difference);
    double errors = tw_evidence_errors(v->claimed, v->exact, v->error);
    if (isfinite(errors))
        printf("%14.1f", errors);
    else
        printf("%14s", "-");
    printf("   %s\n", tw_check_judgement_name(judgement));
}

static void print_difference(const tw_check_value *v)
{
    char text[48] = "-";
    if (!isnan(v->difference)) snprintf(text, sizeof text, "%+.3f +- %.3f", v->difference, v->error);
    printf("%18s", text);
}

static void print_row(const tw_check_row *row)
{
    char name[32];
    snprintf(name, sizeof name, "x.%zu", row->latent + 1);
    printf("  %-10s", name);
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) print_difference(&row->value[q]);
    putchar('\n');
}

static void print_latents(const tw_check_result *r)
{
    size_t shown = r->count < MOST_SHOWN ? r->count : MOST_SHOWN;
    if (r->count == 0) {
        puts("\nThe latents are not checked: the claim has none, so nothing was sampled");
        return;
    }
    printf("\nclaimed - exact in posterior standard deviations, with Monte Carlo standard errors; ");
    if (shown < r->count)
        printf("the worst %zu of %zu latents\n", shown, r->count);
    else
        printf("%zu latent%s\n", r->count, r->count == 1 ? "" : "s");
    printf("  %-10s", "");
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        printf("%18s", tw_check_quantity_name((tw_check_quantity)q));
    putchar('\n');
    for (size_t k = 0; k < shown; k++) print_row(&r->rows[k]);
    printf("  root mean square over all %zu:", r->count);
    if (!isnan(r->rms_mean)) printf(" mean %.3f", r->rms_mean);
    if (!isnan(r->rms_sd)) printf(" sd %.3f", r->rms_sd);
    putchar('\n');
}

void tw_check_print(const tw_check_flags *flags, const tw_check_found *found)
{
    const tw_check_result *r = &found->result;
    tw_colour colour = r->verdict == TW_CHECK_RIGHT   ? TW_COLOUR_GREEN
                       : r->verdict == TW_CHECK_WRONG ? TW_COLOUR_RED
                                                      : TW_COLOUR_YELLOW;
    printf("%s: ", tw_plain(flags->model.data));
    tw_model_print(found->problem, stdout);
    putchar('\n');
    print_log_z(&r->log_z, r->log_z_verdict);
    print_latents(r);
    printf("\n%s", tw_terminal_colour(stdout, colour));
    tw_print_wrapped(stdout, r->words, 0, 0);
    fputs(tw_terminal_colour(stdout, TW_COLOUR_NONE), stdout);
    if (flags->file) printf("\n%s\n", tw_plain(flags->file));
}

/* ---- JSON ---- */

static json_t *encode_value(const tw_check_value *v, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "given", tw_json_number(v->claimed), ok);
    tw_json_set(object, "exact", tw_json_number(v->exact), ok);
    tw_json_set(object, "difference", tw_json_number(v->difference), ok);
    tw_json_set(object, "se", tw_json_number(v->error), ok);
    return object;
}

static json_t *encode_row(const tw_check_row *row, bool *ok)
{
    char name[32];
    json_t *object = json_object();
    snprintf(name, sizeof name, "x.%zu", row->latent + 1);
    tw_json_set(object, "name", json_string(name), ok);
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        tw_json_set(object, tw_check_quantity_name((tw_check_quantity)q), encode_value(&row->value[q], ok),
                    ok);
    return object;
}

static json_t *encode_latents(const tw_check_result *r, bool *ok)
{
    json_t *object = json_object(), *worst = json_array();
    for (size_t k = 0; k < r->count && k < MOST_SHOWN; k++)
        tw_json_append(worst, encode_row(&r->rows[k], ok), ok);
    tw_json_set(object, "compared", tw_json_count(r->count), ok);
    tw_json_set(object, "wrong", tw_json_count(r->wrong), ok);
    tw_json_set(object, "worst", worst, ok);
    tw_json_set(object, "rms_mean", tw_json_number(r->rms_mean), ok);
    tw_json_set(object, "rms_sd", tw_json_number(r->rms_sd), ok);
    tw_json_set(object, "largest_se", tw_json_number(r->largest_error), ok);
    tw_json_set(object, "verdict", json_string(tw_check_judgement_name(r->latent_verdict)), ok);
    return object;
}

static json_t *encode_draws(const tw_check_result *r, bool *ok)
{
    const tw_chains_summary *s = &r->drawn.summary;
    if (!r->sampling) return json_null();
    json_t *object = json_object();
    tw_json_set(object, "method", json_string(tw_method_name(r->drawn.draws->method)), ok);
    tw_json_set(object, "chains", tw_json_count(r->drawn.draws->chains), ok);
    tw_json_set(object, "draws", tw_json_count(r->drawn.draws->draws), ok);
    tw_json_set(object, "ess_bulk_min", tw_json_number(s->ess_bulk_min), ok);
    tw_json_set(object, "rhat_max", tw_json_number(s->rhat_max), ok);
    return object;
}

tw_status tw_check_print_json(tw_context *ctx, const tw_check_flags *flags, const tw_check_found *found,
                              FILE *to)
{
    bool ok = true;
    const tw_check_result *r = &found->result;
    json_t *object = json_object(), *log_z = encode_value(&r->log_z, &ok);
    tw_json_set(log_z, "verdict", json_string(tw_check_judgement_name(r->log_z_verdict)), &ok);
    tw_json_set(object, "n", tw_json_count(found->problem->data->n), &ok);
    tw_json_set(object, "against", json_string(found->claim->name), &ok);
    tw_json_set(object, "log_z", log_z, &ok);
    tw_json_set(object, "latents", encode_latents(r, &ok), &ok);
    tw_json_set(object, "draws", encode_draws(r, &ok), &ok);
    tw_json_set(object, "tolerance", tw_json_number(flags->tolerance), &ok);
    tw_json_set(object, "log_z_tolerance", tw_json_number(flags->log_z_tolerance), &ok);
    tw_json_set(object, "right",
                r->verdict == TW_CHECK_UNDECIDED ? json_null() : json_boolean(r->verdict == TW_CHECK_RIGHT),
                &ok);
    tw_json_set(object, "draws_needed", r->draws_needed ? tw_json_count(r->draws_needed) : json_null(), &ok);
    tw_json_set(object, "verdict", json_string(r->words), &ok);
    return tw_result_print_json(ctx, found->problem, object, ok, to);
}
