/* hyper_evidence.c: talweg evidence with unknown parameters: log p(y) of the whole model, with these
 * parameters integrated out under their priors. */
#include "cli/hyper_evidence.h"

#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/names.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/run.h"

enum { JOINT_PARTICLES = 64 };

static void print_estimate(const tw_estimate *e, double seconds)
{
    char weights[48], log_z[32];
    bool collapsed = !(e->weight_ess >= 2.0);
    snprintf(log_z, sizeof log_z, "%.4f", e->log_z);
    snprintf(weights, sizeof weights, "%.1f of %zu", e->weight_ess, e->particles);
    printf("  %-16s%14s%10.4f%16s%12.3f%9.2f s\n", e->method, collapsed ? "withheld" : log_z,
           collapsed ? NAN : e->se, weights, e->acceptance, seconds);
}

/* The agreement of the estimates; unknown if the weights collapsed. */
static tw_agreement compare(const tw_hyper_result *r, size_t count, const tw_estimate *estimates)
{
    tw_agreement agreement = tw_evidence_agree(count, estimates);
    if (r->verdict != TW_OK) agreement.known = agreement.agree = false;
    return agreement;
}

static void print_table(const tw_evidence_flags *flags, const tw_hyper_job *j)
{
    const tw_hyper_result *r = j->result;
    tw_estimate estimates[2];
    double seconds[2];
    char words[TW_WORDS_BYTES];
    size_t count = tw_hyper_estimates(r, estimates, seconds);
    tw_agreement agreement = compare(r, count, estimates);
    tw_hyper_print_model(j, flags->model.data);
    printf("  %-16s%14s%10s%16s%12s%11s\n", "whole model", "log Z (nats)", "error", "weights (ESS)",
           "acceptance", "time");
    for (size_t k = 0; k < count; k++) print_estimate(&estimates[k], seconds[k]);
    printf("  %-68s%9.2f s\n\n", "total", tw_terminal_elapsed());
    tw_hyper_print_rows(j);
    if (isfinite(r->estimate.pareto_k))
        printf("\nPareto k of the weights: %.2f (reliable below %.2f)\n", r->estimate.pareto_k,
               tw_pareto_limit(r->points));
    if (count < 2 || r->verdict != TW_OK) return;
    tw_agreement_print(&agreement, estimates, words);
    tw_print_wrapped(stdout, words, 0, 0);
}

static tw_status print_json(tw_context *ctx, const tw_hyper_job *j, FILE *to)
{
    bool ok = true;
    tw_estimate all[2];
    double seconds[2];
    size_t count = tw_hyper_estimates(j->result, all, seconds);
    tw_agreement agreement = compare(j->result, count, all);
    json_t *object = json_object(), *estimates = json_array();
    for (size_t k = 0; k < count; k++) {
        size_t weights = k == 0 ? j->result->points : all[k].particles;
        tw_json_append(estimates, tw_hyper_encode_estimate(&all[k], weights, seconds[k], &ok), &ok);
    }
    tw_json_set(object, "n", tw_json_count(j->result->n), &ok);
    tw_json_set(object, "estimates", estimates, &ok);
    tw_json_set(object, "theta", tw_hyper_encode_rows(j, &ok), &ok);
    tw_json_set(object, "importance_sampling", tw_hyper_encode_points(j->result, &ok), &ok);
    tw_json_set(object, "agree", agreement.known ? json_boolean(agreement.agree) : json_null(), &ok);
    tw_json_set(object, "agree_rule", json_string(TW_AGREEMENT_RULE), &ok);
    tw_json_set(object, "worst_pair", tw_json_number(agreement.worst), &ok);
    return tw_result_print_json(ctx, j->problem, object, ok, to);
}

static tw_status write_json(tw_context *ctx, const tw_evidence_flags *flags, const tw_hyper_job *j)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_writer_open(ctx, flags->file, flags->output.force || flags->saver.resume, &writer));
    return tw_writer_close(writer, print_json(ctx, j, tw_writer_stream(writer)));
}

static tw_status write_file(tw_context *ctx, const tw_evidence_flags *flags, const tw_hyper_job *j)
{
    const tw_run_facts facts = {.data = flags->model.data,
                                .command = flags->command,
                                .from = "ep",
                                .beta = 1.0,
                                .seed = flags->anneal.seed};
    tw_run_evidence evidence = {
        .laplace = NAN, .ep = NAN, .ep_corrected = NAN, .from = "ep", .kernel = "hmc/ep"};
    evidence.count = tw_hyper_estimates(j->result, evidence.estimates, evidence.seconds);
    if (!flags->file) return TW_OK;
    if (!tw_name_ends_in(flags->file, ".nc")) return write_json(ctx, flags, j);
    return tw_run_write_evidence(ctx, flags->file, flags->output.force || flags->saver.resume, j->problem,
                                 &facts, &evidence);
}

static tw_status check(tw_context *ctx, const tw_evidence_flags *flags)
{
    if (flags->methods_given)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--method %.60s cannot be used with unknown parameters, whose methods are is2 and "
                       "ais-joint: remove --method, or the priors",
                       flags->methods);
    return tw_evidence_check_file(ctx, flags);
}

tw_status tw_hyper_evidence(tw_context *ctx, const tw_evidence_flags *flags)
{
    tw_hyper_job j = {.quiet = flags->output.quiet};
    tw_saver saver = {0};
    tw_hyper_wish wish = {
        .seed = flags->anneal.seed, .threads = flags->anneal.threads, .joint = JOINT_PARTICLES};
    TW_TRY(check(ctx, flags));
    tw_status status = tw_saver_begin(&saver, ctx, &flags->saver, &tw_command_evidence, flags, "points",
                                      flags->output.force);
    wish.store = tw_saver_store(&saver);
    if (status == TW_OK) status = tw_hyper_job_run(ctx, &flags->model, &flags->hyper, &wish, &j);
    bool complete = status == TW_OK && !j.result->stopped;
    tw_terminal_progress(flags->output.quiet, NULL);
    if (status == TW_OK && flags->output.json) status = print_json(ctx, &j, stdout);
    if (status == TW_OK && !flags->output.json) print_table(flags, &j);
    if (status == TW_OK) tw_hyper_say(j.result);
    if (status == TW_OK) status = write_file(ctx, flags, &j);
    if (status == TW_OK) status = tw_hyper_judge(ctx, j.result);
    tw_saver_end(&saver, complete);
    tw_hyper_job_release(&j);
    return status;
}
