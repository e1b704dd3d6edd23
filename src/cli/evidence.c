/* evidence.c: talweg evidence: estimates log Z by several methods and tests whether they agree. */
#include "cli/evidence.h"

#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/hyper_evidence.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"

#define FIELD(member) offsetof(tw_evidence_flags, member)

static const tw_option rows[] = {
    {.name = "method",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(methods),
     .given = FIELD(methods_given),
     .argument = "NAME[,NAME...]",
     .default_value = "ais,ais-reverse",
     .choices = tw_evidence_method_names,
     .help =
         "comma-separated list of methods. ais: annealed importance sampling from q to the posterior; "
         "ais-reverse: annealing from posterior draws back to q; pt: parallel tempering, with stepping "
         "stones and thermodynamic integration; rm: resample-move, adaptive in temperatures and particles"},
    {.name = "until-se",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(until_se),
     .argument = "X",
     .positive = true,
     .help = "add particles until the standard error of log Z is at most X, or --max-particles are used"},
    {.name = "max-particles",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(max_particles),
     .argument = "P",
     .default_value = "0",
     .most = 1e9,
     .help = "--until-se: largest total number of particles; 0: 64 times --particles"},
    {.name = "copies",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(copies),
     .argument = "C",
     .default_value = "32",
     .least = 2,
     .most = 1e6,
     .help = "pt: independent copies of the ladder of temperatures; without a schedule the ladder has 12 "
             "temperatures, from the prior 8 to 40, until replicas travel"},
    {.name = "rounds",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(rounds),
     .argument = "R",
     .default_value = "100",
     .least = 30,
     .most = 1e8,
     .help = "pt: rounds of transitions and swaps. As many warm-up rounds tune the ladder before them, and "
             "up to 8 times as many if replicas do not travel from one end to the other"},
    {TW_ROW_OUTPUT(FIELD(file)), .help = "write the estimates and the problem to FILE.nc (NetCDF, for talweg "
                                         "report), or the JSON output to FILE.json"},
};

/* ---- the command ---- */

/* Check a comma-separated list of methods; suggest the nearest name for an unknown one. */
static tw_status check_methods(tw_context *ctx, const char *text)
{
    for (bool more = true; more;) {
        char name[TW_NAME_BYTES], nearest[TW_NAME_BYTES];
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        tw_nearest_name(name, tw_evidence_method_names(), nearest);
        if (!tw_name_is_among(name, tw_evidence_method_names()))
            return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown method \"%s\"%s%s%s; choose from: %s", name,
                           *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "",
                           tw_evidence_method_names());
        more = text[length] == ',';
        text += length + more;
    }
    return TW_OK;
}

static tw_status translate(tw_context *ctx, const tw_evidence_flags *flags, tw_evidence_found *found,
                           tw_evidence_options *options)
{
    TW_TRY(tw_anneal_translate(ctx, &flags->anneal, found->problem->model, found->problem->make_model,
                               &found->files, options));
    options->methods = flags->methods;
    options->until_se = isnan(flags->until_se) ? 0.0 : flags->until_se;
    options->max_particles = (size_t)flags->max_particles;
    options->copies = (size_t)flags->copies;
    options->rounds = (size_t)flags->rounds;
    return TW_OK;
}

static tw_status nothing_estimated(tw_context *ctx)
{
    return tw_fail(ctx, TW_INTERRUPTED, "interrupted before an estimate was complete");
}

/* Load the problem and plan the computation. Warnings about the plan are printed now, before the long
 * computation; those about the results are printed with them. */
static tw_status plan(tw_context *ctx, const tw_evidence_flags *flags, const tw_evidence_watch *watching,
                      tw_evidence_found *found)
{
    tw_evidence_options options;
    TW_TRY(tw_model_options_load(ctx, &flags->model, &found->problem));
    TW_TRY(tw_prior_options_fix(&flags->hyper.priors, found->problem));
    TW_TRY(translate(ctx, flags, found, &options));
    tw_interrupt_catch();
    tw_status status = tw_evidence_plan_new(found->problem->model, &options, watching, &found->plan);
    tw_stages *stages = watching->user;
    tw_meter_end(&stages->meter);
    if (status == TW_INTERRUPTED) return nothing_estimated(ctx);
    if (status == TW_NOT_CONVERGED) {
        char words[1000]; /* a copy, because tw_fail overwrites the context's message */
        snprintf(words, sizeof words, "%s", tw_context_message(ctx));
        return tw_fail(ctx, status, "%s (see --from, --metric, --standardise, --log-ell)", words);
    }
    if (status != TW_OK) return status;
    tw_problem_warn_defaults(found->problem);
    tw_problem_warn_lengths(found->problem);
    tw_warnings_use(TW_USED_METHOD, flags->methods);
    tw_warnings_use(TW_USED_METRIC, found->plan->metric);
    tw_warnings_use(TW_USED_FROM, found->plan->from);
    tw_warnings_say(&found->plan->warnings);
    return TW_OK;
}

static tw_status compute(tw_context *ctx, const tw_evidence_flags *flags, tw_saver *saver,
                         tw_evidence_found *found)
{
    tw_stages stages = {.quiet = flags->output.quiet};
    const tw_evidence_watch watching = {
        .user = &stages, .progress = tw_stages_watch, .store = tw_saver_store(saver)};
    tw_interrupt_excuse("talweg: error: interrupted before an estimate was complete\n");
    TW_TRY(plan(ctx, flags, &watching, found));
    tw_status status = tw_evidence_run(found->plan, &watching, &found->result);
    tw_meter_end(&stages.meter);
    if (status == TW_INTERRUPTED || (status == TW_OK && found->result.stopped && found->result.count == 0))
        return nothing_estimated(ctx);
    if (status != TW_OK) return status;
    tw_warnings_keep(&found->result.warnings);
    if (found->result.stopped) tw_warnings_say(&(tw_warnings){1, {{.code = TW_WARN_INTERRUPTED_METHODS}}});
    return TW_OK;
}

/* After everything is printed, fail (exit code 2) if an estimate has no value or a goal was missed. */
static tw_status judge(tw_context *ctx, const tw_evidence_result *r)
{
    for (size_t k = 0; r->verdict != TW_OK && k < r->warnings.count; k++) {
        const tw_warning *w = &r->warnings.warning[k];
        char words[TW_WARNING_BYTES];
        if (w->code != TW_WARN_NO_NUMBER && w->code != TW_WARN_COLLAPSED && w->code != TW_WARN_GOAL &&
            w->code != TW_WARN_ROUNDING)
            continue;
        tw_warning_say(w, words);
        return tw_fail(ctx, r->verdict, "%s", words);
    }
    return r->verdict;
}

static tw_status check(tw_context *ctx, const tw_evidence_flags *flags, tw_evidence_found *found)
{
    TW_TRY(check_methods(ctx, flags->methods));
    TW_TRY(tw_anneal_options_check(ctx, &flags->anneal, flags->methods, &found->files));
    return tw_evidence_check_file(ctx, flags);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const tw_evidence_flags *flags = values;
    tw_evidence_found found = {0};
    tw_saver saver = {0};
    tw_terminal_log_to(ctx, flags->output.quiet);
    if (tw_hyper_is_wanted(&flags->hyper)) return tw_hyper_evidence(ctx, flags);
    tw_status status = check(ctx, flags, &found);
    if (status == TW_OK)
        status =
            tw_saver_begin(&saver, ctx, &flags->saver, &tw_command_evidence, flags, "", flags->output.force);
    if (status == TW_OK) status = compute(ctx, flags, &saver, &found);
    bool complete = status == TW_OK && !found.result.stopped;
    tw_terminal_progress(flags->output.quiet, NULL);
    if (status == TW_OK && flags->output.json) status = tw_evidence_print_json(ctx, &found, stdout);
    if (status == TW_OK && !flags->output.json) tw_evidence_print(flags, &found);
    if (status == TW_OK) status = tw_evidence_write_file(ctx, flags, &found);
    if (status == TW_OK) status = judge(ctx, &found.result);
    tw_saver_end(&saver, complete);
    tw_evidence_plan_free(found.plan);
    tw_anneal_close(&found.files);
    tw_problem_free(found.problem);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUPS(tw_evidence_flags, model),
    TW_HYPER_OPTION_GROUPS(tw_evidence_flags, hyper),
    {"Evidence", rows, TW_COUNT(rows), 0},
    TW_ANNEAL_OPTION_GROUP(tw_evidence_flags, anneal),
    TW_SAVER_OPTION_GROUP(tw_evidence_flags, saver),
    TW_DISTRIBUTE_OPTION_GROUP(tw_evidence_flags, model),
    TW_OUTPUT_OPTION_GROUP(tw_evidence_flags, output),
};

const tw_command tw_command_evidence = {
    .name = "evidence",
    .summary = "estimate log Z with errors by several methods, and check that they agree",
    .description =
        "Estimate log Z = log p(y), in nats, by Monte Carlo, and print it with the values of Laplace, EP and "
        "corrected EP. A path of distributions leads from a Gaussian q to the posterior. Annealed importance "
        "sampling moves independent particles along the path and weights them. It is unbiased in Z, so its "
        "log Z tends to be too low; annealing from the posterior back to q tends to be too high, so the two "
        "bracket log Z. Parallel tempering and resample-move use the same path.\n\n"
        "Parameters with a prior (--prior, or those of a --model file) are unknown. log Z is then that of "
        "the whole model, with these parameters integrated out by importance sampling squared (method is2): "
        "scrambled Sobol points of the parameters are weighted by the prior and by an unbiased estimate of "
        "their likelihood, from annealed importance sampling that starts from EP. --points, "
        "--point-particles and --point-temperatures set the effort, and the options of the path are "
        "ignored.\n\n"
        "Every estimate has a standard error. Two estimates that share no draws agree if they differ by at "
        "most 4 joint standard errors; the two estimates of pt share their draws and are not compared. Step "
        "sizes are tuned in a pilot run with other particles and then frozen.\n\n"
        "If EP does not converge, the path starts from Laplace's approximation, with a warning. If the "
        "weights collapse (an effective number below two) or --until-se is not reached, the results are "
        "printed and the exit code is 2.\n\n"
        "The progress line shows log Z so far: for ais and rm, up to the current temperature. Ctrl-C ends "
        "the command with the complete estimates. A checkpoint holds the complete estimates and the state of "
        "the running method: ais, rm and ais-reverse between two temperatures, pt between two rounds. Pilot "
        "runs, and the annealing of ais-reverse towards the posterior, are repeated after --resume.",
    .example = "  talweg evidence ionosphere.csv --log-ell 1 --log-sigma 1.5\n"
               "  talweg evidence crabs.csv --standardise --log-ell 1 --log-sigma 3 --until-se 0.02\n"
               "  talweg evidence crabs.csv --standardise --prior 'log_ell ~ normal(0.5, 1)' --prior "
               "'log_sigma ~ normal(1, 1)'\n"
               "  talweg evidence train.csv --from prior --kernel-method rmhmc --temperatures 1000 --json\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(tw_evidence_flags),
    .line = offsetof(tw_evidence_flags, command),
    .run = run,
};
