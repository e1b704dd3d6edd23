/* evidence.c: talweg evidence: log Z by every method, side by side, and whether they agree. */
#include "cli/evidence.h"

#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/evidence_save.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/warning.h"

#define FIELD(member) offsetof(tw_evidence_options, member)

static const tw_option rows[] = {
    {.name = "method",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(methods),
     .argument = "NAME[,NAME...]",
     .standard = "ais,ais-reverse",
     .choices = tw_evidence_method_names,
     .help = "which estimates, with commas between them. ais is annealed importance sampling, from q up to "
             "the posterior; ais-reverse the way back from posterior draws; pt parallel tempering, with "
             "stepping stones and thermodynamic integration; rm resample-move, adaptive in temperatures and "
             "particles"},
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
     .standard = "0",
     .most = 1e9,
     .help = "for --until-se, in all; 0: 64 times --particles"},
    {.name = "copies",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(copies),
     .argument = "C",
     .standard = "32",
     .least = 2,
     .most = 1e6,
     .help = "pt: independent copies of the ladder of temperatures, 12 of them (40 from the prior) unless "
             "--temperatures or --schedule are given"},
    {.name = "rounds",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(rounds),
     .argument = "R",
     .standard = "100",
     .least = 30,
     .most = 1e8,
     .help = "pt: rounds of transitions and swaps, and as many before that to tune the ladder"},
    {TW_ROW_OUTPUT(FIELD(file)),
     .help =
         "write the estimates and the problem to FILE.nc (NetCDF, for talweg report), or what --json prints "
         "to FILE.json"},
};

/* ---- the command ---- */

static tw_status compute(tw_context *ctx, const tw_evidence_options *options, tw_evidence_results *r)
{
    TW_TRY(tw_model_options_load(ctx, &options->model, &r->problem));
    TW_TRY(tw_path_open(r->problem->model, &options->path, options->output.quiet, &r->path));
    tw_interrupt_catch();
    tw_evidence_take_up(r);
    TW_TRY(tw_evidence_run_methods(options, r));
    if (tw_interrupt_seen()) tw_warn(ctx, &(tw_warning){.code = TW_WARN_INTERRUPTED_METHODS});
    r->agreement = tw_evidence_agree(r->count, r->estimate);
    return TW_OK;
}

/* No number is no estimate, weights that collapsed are none, and a goal that was missed is no success: exit 2
 * after all is printed. The error of thermodynamic integration does not count: it has a part that more effort leaves. */
static tw_status judge(tw_context *ctx, const tw_evidence_options *options, const tw_evidence_results *r)
{
    double worst = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        const tw_estimate *e = &r->estimate[i];
        if (!isfinite(e->log_z) && isnan(e->weight_ess))
            return tw_fail(ctx, TW_NUMERICAL_FAILURE,
                           "%s: the draws give no number for log Z. Take more temperatures (--temperatures), "
                           "more transitions (--moves), or a path from EP (--from ep)",
                           e->method);
        if (!isfinite(e->log_z) || e->weight_ess < 2.0)
            return tw_fail(
                ctx, TW_NUMERICAL_FAILURE,
                "%s: the weights collapsed, %.1f of %zu count: neither log Z nor its error is to be "
                "trusted. Take more temperatures (--temperatures, now %zu), more transitions "
                "(--moves), or a path from EP (--from ep)",
                e->method, e->weight_ess, e->particles, r->path.temperatures);
        if (strcmp(e->method, "thermodynamic") != 0) worst = fmax(worst, e->se);
    }
    if (!(worst > options->until_se)) return TW_OK;
    return tw_fail(ctx, TW_NOT_CONVERGED,
                   "the standard error is %.3g and %g was asked for: that takes about %.0f particles "
                   "(--max-particles), or fewer with more temperatures",
                   worst, options->until_se, r->needed);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const tw_evidence_options *options = values;
    tw_evidence_results r = {.path.ctx = ctx};
    tw_terminal_log_to(ctx, options->output.quiet);
    tw_status status = tw_evidence_check_methods(ctx, options->methods);
    if (status == TW_OK) status = tw_path_options_check(ctx, &options->path);
    if (status == TW_OK) status = tw_evidence_check_file(ctx, options);
    if (status == TW_OK)
        status = tw_saver_begin(&r.saver, ctx, &options->saver, &tw_command_evidence, options, "",
                                options->output.force);
    if (status == TW_OK) status = compute(ctx, options, &r);
    bool complete = status == TW_OK && !tw_interrupt_seen();
    tw_terminal_progress(options->output.quiet, NULL);
    if (status == TW_OK && options->output.json) status = tw_evidence_print_json(ctx, &r, stdout);
    if (status == TW_OK && !options->output.json) tw_evidence_print(options, &r);
    if (status == TW_OK) status = tw_evidence_write_file(ctx, options, &r);
    if (status == TW_OK) status = judge(ctx, options, &r);
    tw_saver_end(&r.saver, complete);
    tw_path_close(&r.path);
    tw_problem_free(r.problem);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUP(tw_evidence_options, model),   {"Evidence", rows, TW_COUNT(rows), 0},
    TW_PATH_OPTION_GROUP(tw_evidence_options, path),     TW_SAVER_OPTION_GROUP(tw_evidence_options, saver),
    TW_OUTPUT_OPTION_GROUP(tw_evidence_options, output),
};

const tw_command tw_command_evidence = {
    .name = "evidence",
    .summary = "log Z with errors by several methods, side by side, and whether they agree",
    .description =
        "Estimate log Z = log p(y), in nats, by Monte Carlo, beside Laplace's, EP's and the corrected EP's "
        "value. A path of distributions leads from a Gaussian q to the posterior. Annealed importance "
        "sampling takes independent particles along it and weighs them: unbiased in Z, so that log Z comes "
        "out low rather than high; the way back errs to the other side, and the two bracket the truth. "
        "Parallel tempering and resample-move walk the same path in other ways.\n\n"
        "Every estimate has a standard error; two that share no draws agree when they differ by at most 4 "
        "joint standard errors, and the two of pt, which share theirs, are not compared. "
        "Step sizes are tuned in a pilot run with other particles and then frozen.\n\n"
        "EP that did not converge is not used: the path then starts from Laplace's approximation, with a "
        "warning. Where weights collapse (fewer than two count) or --until-se is missed, the results are "
        "printed and the exit code is 2.\n\n"
        "While it runs, progress shows log Z so far: for ais and rm that of the temperature which is "
        "reached. Ctrl-C ends it, with the estimates that are complete. A checkpoint holds those, and where "
        "the method on its way stands: ais and rm between two temperatures, ais-reverse between two on its "
        "way down, pt between two rounds. A pilot, and the way up of ais-reverse, begin anew.",
    .example = "  talweg evidence ionosphere.csv --log-ell 1 --log-sigma 1.5\n"
               "  talweg evidence crabs.csv --standardise --log-ell 1 --log-sigma 3 --until-se 0.02\n"
               "  talweg evidence train.csv --from prior --kernel-method rmhmc --temperatures 1000 --json\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(tw_evidence_options),
    .line = offsetof(tw_evidence_options, command),
    .run = run,
};
