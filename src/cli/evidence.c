/* evidence.c: talweg evidence: log Z by every method, side by side, and whether they agree. */
#include "cli/evidence.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/terminal.h"

#define FIELD(member) offsetof(tw_evidence_options, member)

static const tw_option rows[] = {
    {.name = "method",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(methods),
     .argument = "NAME[,NAME...]",
     .standard = "ais,ais-reverse",
     .help = "which estimates: ais (annealed importance sampling, from q up to the posterior), ais-reverse "
             "(the way back from posterior draws)"},
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
};

/* ---- progress ---- */

typedef struct watcher {
    const char *method;
    const tw_estimate *now; /* as brought up to date by --until-se */
    double start;
    bool quiet;
} watcher;

static bool watch(void *user, double done)
{
    const watcher *w = user;
    char text[200], estimate[80] = "";
    double seconds = tw_terminal_seconds() - w->start;
    if (w->now->particles)
        snprintf(estimate, sizeof estimate, "; so far %.3f +- %.3f", w->now->log_z, w->now->se);
    snprintf(text, sizeof text, "%s: %3.0f %%, %.0f s%s", w->method, 100.0 * done, seconds, estimate);
    tw_terminal_progress(w->quiet, text);
    return false;
}

/* ---- methods ---- */

/* The way back has streams of its own: its errors are independent of those of the way up. */
static const uint64_t reverse_chain = (uint64_t)1 << 40;

static tw_status run_ais(const tw_evidence_options *options, bool reverse, tw_evidence_results *r)
{
    const tw_path *p = &r->path;
    tw_estimate *out = &r->estimate[r->count];
    double needed = 0.0, start = tw_terminal_seconds(), cpu = tw_terminal_cpu_seconds();
    watcher w = {reverse ? "ais-reverse" : "ais", out, start, options->output.quiet};
    tw_ais_options ais = p->ais;
    ais.reverse = reverse;
    if (reverse) ais.first_chain = reverse_chain;
    size_t most = options->max_particles ? (size_t)options->max_particles : 64 * ais.particles;
    tw_status status =
        isnan(options->until_se)
            ? tw_ais_run(p->model, p->reference, &ais, watch, &w, NULL, out)
            : tw_ais_until(p->model, p->reference, &ais, options->until_se, most, watch, &w, out, &needed);
    r->needed = fmax(r->needed, needed);
    r->seconds[r->count] = tw_terminal_seconds() - start;
    r->cpu_seconds[r->count++] = tw_terminal_cpu_seconds() - cpu;
    return status;
}

static tw_status run_ais_forward(const tw_evidence_options *options, tw_evidence_results *r)
{
    return run_ais(options, false, r);
}

static tw_status run_ais_reverse(const tw_evidence_options *options, tw_evidence_results *r)
{
    return run_ais(options, true, r);
}

typedef struct method {
    const char *name;
    tw_status (*run)(const tw_evidence_options *options, tw_evidence_results *r);
} method;

static const method methods[] = {{"ais", run_ais_forward}, {"ais-reverse", run_ais_reverse}};
static const char method_names[] = "ais, ais-reverse";

/* The method named by the text up to the next comma, behind which *text moves; NULL: there is none. */
static const method *next_method(const char **text, char name[TW_NAME_BYTES])
{
    size_t length = strcspn(*text, ",");
    snprintf(name, TW_NAME_BYTES, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == ',');
    for (size_t i = 0; i < TW_COUNT(methods); i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

static tw_status check_methods(tw_context *ctx, const char *text)
{
    char name[TW_NAME_BYTES], nearest[TW_NAME_BYTES];
    size_t count = 0;
    do {
        if (!next_method(&text, name)) {
            tw_nearest_name(name, method_names, nearest);
            return tw_fail(ctx, TW_BAD_ARGUMENT, "there is no method \"%s\"%s%s%s; there are: %s", name,
                           *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "", method_names);
        }
        count++;
    } while (*text);
    if (count <= TW_COUNT(methods)) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "--method names some method twice");
}

/* ---- the command ---- */

static tw_status compute(tw_context *ctx, const tw_evidence_options *options, tw_evidence_results *r)
{
    const char *text = options->methods;
    char name[TW_NAME_BYTES];
    TW_TRY(tw_model_options_load(ctx, &options->model, &r->problem));
    TW_TRY(tw_path_open(r->problem->model, &options->path, options->output.quiet, &r->path));
    while (*text) {
        const method *next = next_method(&text, name);
        TW_TRY(next->run(options, r));
    }
    r->agreement = tw_evidence_agree(r->count, r->estimate);
    return TW_OK;
}

/* Weights that collapsed are no estimate, and a goal that was missed is no success: exit 2 after all is
 * printed. */
static tw_status judge(tw_context *ctx, const tw_evidence_options *options, const tw_evidence_results *r)
{
    double worst = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        const tw_estimate *e = &r->estimate[i];
        if (!isfinite(e->log_z) || e->weight_ess < 2.0)
            return tw_fail(
                ctx, TW_NUMERICAL_FAILURE,
                "%s: the weights collapsed, %.1f of %zu count: neither log Z nor its error is to be "
                "trusted. Take more temperatures (--temperatures, now %zu), more transitions "
                "(--moves), or a path from EP (--from ep)",
                e->method, e->weight_ess, e->particles, r->path.temperatures);
        worst = fmax(worst, e->se);
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
    tw_status status = check_methods(ctx, options->methods);
    if (status == TW_OK) status = tw_path_options_check(ctx, &options->path);
    if (status == TW_OK) status = compute(ctx, options, &r);
    tw_terminal_progress(options->output.quiet, NULL);
    if (status == TW_OK && options->output.json) status = tw_evidence_print_json(ctx, &r);
    if (status == TW_OK && !options->output.json) tw_evidence_print(options, &r);
    if (status == TW_OK) status = judge(ctx, options, &r);
    tw_path_close(&r.path);
    tw_problem_free(r.problem);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUP(tw_evidence_options, model),
    {"Evidence", rows, TW_COUNT(rows), 0},
    TW_PATH_OPTION_GROUP(tw_evidence_options, path),
    TW_OUTPUT_OPTION_GROUP(tw_evidence_options, output),
};

const tw_command tw_command_evidence = {
    .name = "evidence",
    .summary = "log Z with errors by several methods, side by side, and whether they agree",
    .description =
        "Estimate log Z = log p(y), in nats, by Monte Carlo, beside Laplace's, EP's and the corrected EP's "
        "value. A path of distributions leads from a Gaussian q to the posterior. Annealed importance "
        "sampling takes independent particles along it and weighs them: unbiased in Z, so that log Z comes "
        "out low rather than high; the way back errs to the other side, and the two bracket the truth.\n\n"
        "Every estimate has a standard error; two agree when they differ by at most 4 joint standard errors. "
        "Step sizes are tuned in a pilot run with other particles and then frozen.\n\n"
        "EP that did not converge is not used: the path then starts from Laplace's approximation, with a "
        "warning. Where weights collapse (fewer than two count) or --until-se is missed, the results are "
        "printed and the exit code is 2.",
    .example = "  talweg evidence ionosphere.csv --log-ell 1 --log-sigma 1.5\n"
               "  talweg evidence crabs.csv --standardise --log-ell 1 --log-sigma 3 --until-se 0.02\n"
               "  talweg evidence train.csv --from prior --kernel-method rmhmc --temperatures 1000 --json\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(tw_evidence_options),
    .run = run,
};
