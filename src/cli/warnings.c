/* warnings.c: words, prints and keeps warnings (warnings.h). The program runs one command at a time, so it
 * has one list of warnings. */
#include "cli/warnings.h"

#include <stdio.h>
#include <string.h>

#include "cli/file_names.h"
#include "cli/model_options.h"
#include "cli/names.h"
#include "cli/terminal.h"

/* Advice, appended to the library's message, with its punctuation. */
static const char *const advice[TW_WARNING_COUNT] = {
    /* NOLINTBEGIN(bugprone-suspicious-missing-comma): a text may span several lines */
    [TW_WARN_NO_COLUMN] = "; name their column with --{name}-column",
    [TW_WARN_DEFAULTS] = ". Give them (--log-ell, --log-sigma, or in --kernel), or let talweg fit find them",
    [TW_WARN_FIT] = ". Raise --max-evaluations or --starts",
    [TW_WARN_FIT_FLAT] = ". Give a --prior, or fix a parameter with --fix",
    [TW_WARN_FIT_BOUND] = ". Give it a --prior (--prior default does so for all parameters), or check the "
                          "scale of the inputs (--standardise)",
    [TW_WARN_FIT_END] = ". If values beyond it are possible, give a wider --prior",
    [TW_WARN_FIT_OPTIMA] = ". If they are close, sample at both, or raise --starts",
    [TW_WARN_DENSE] = ". A sparse model needs leaves from ar1, spde, rw1, rw2, icar, bym2, categorical, "
                      "constant and white only",
    [TW_WARN_MODES] = ". Compare with draws (talweg sample --method ess --metric prior) and with the "
                      "evidence from the prior "
                      "(talweg evidence --from prior)",
    [TW_WARN_ONE_MODE] = ". Use --from prior",
    [TW_WARN_SLICE_EP] = ". Use --kernel-method hmc",
    [TW_WARN_LENGTH_SHORT] = ". Use longer ones, --standardise the inputs, or let talweg fit find them",
    [TW_WARN_LENGTH_LONG] = ". Use shorter ones, --standardise the inputs, or let talweg fit find them",
    [TW_WARN_DISAGREE] = ". At least one has missed part of the posterior: trust neither, and improve mixing "
                         "with more --moves, more --temperatures or --method pt.",
    [TW_WARN_HEAVY_TAIL] =
        ". Use more --temperatures, more --moves, or a path that starts closer to the posterior (--from)",
    [TW_WARN_MISSED] = ". Use more --moves, or a smaller --eps",
    [TW_WARN_WITHHELD] =
        ". Use more --rounds, more --moves, or a path that starts closer to the posterior (--from)",
    [TW_WARN_TRIPS] =
        ". Use more --rounds, more --moves, or a path that starts closer to the posterior (--from)",
    [TW_WARN_DRIFT] =
        ". Use more --rounds, more --moves, or a path that starts closer to the posterior (--from)",
    [TW_WARN_APART] = ". Use the stepping stones, or more --temperatures",
    [TW_WARN_NO_NUMBER] = ". Use more --temperatures, more --moves, or a path from EP (--from ep)",
    [TW_WARN_COLLAPSED] =
        ". Use more --temperatures (now {2:.0f}), more --moves, or a path from EP (--from ep)",
    [TW_WARN_GOAL] = " (--max-particles), or fewer with more temperatures",
    [TW_WARN_THETA_COLLAPSED] = ". Raise --point-particles and --point-temperatures, or give narrower priors",
    [TW_WARN_THETA_TAIL] = ". Raise --point-particles, --point-temperatures or --points",
    [TW_WARN_LOO] = ". Compare by log p(y), or raise --points",
    [TW_WARN_THETA_MEAN] = ", or give a prior with lighter tails",
    [TW_WARN_THETA_FAILED] = ". Give priors that exclude such parameters, or a --jitter",
    [TW_WARN_TIME] = ". Raise --max-seconds",
    [TW_WARN_ONE_DRAW] = ": raise --draws",
    [TW_WARN_FEW_DRAWS] = ": raise --draws",
    [TW_WARN_STUCK] = ": use a smaller --eps, or another --method",
    [TW_WARN_ONE_CHAIN] = ". Use --chains 4",
    [TW_WARN_RHAT] = ". Raise --draws and --warmup, or use another --method (auto, or hmc with --metric ep)",
    [TW_WARN_RHAT_SLIGHT] = ". Raise --draws, and check whether it falls",
    [TW_WARN_ESS_BULK] = ". Raise --draws, or use another --method",
    [TW_WARN_ESS_TAIL] = ". Raise --draws, or use another --method",
    [TW_WARN_ESS_FOLD] = ". Raise --draws, or use another --method",
    [TW_WARN_ESS_GOAL] = ". Raise --max-draws, or use another --method",
    [TW_WARN_EBFMI] = ". Use another --metric, or more --draws",
    [TW_WARN_SLICE_TAILS] = ": use --method auto or hmc",
    [TW_WARN_ENERGY] = ": use a smaller --eps or a higher --target-accept",
    [TW_WARN_IMPLICIT] = ": use --metric smoothed or a smaller --eps",
    [TW_WARN_IRREVERSIBLE] = ": use a smaller --eps, or --solver-tol instead of --fixed-point",
    [TW_WARN_FACTORISATION] = ": use --metric smoothed or a smaller --eps",
    /* NOLINTEND(bugprone-suspicious-missing-comma) */
};

static const char in_evidence[] = ". Look at it with talweg evidence, which has more options";

/* Other advice, if what it would suggest is already in use or means something else in this command. */
static const struct {
    tw_warning_code code;
    tw_in_use kind;
    const char *value, *advice;
} instead[] = {
    /* talweg check chooses its sampler itself, and its --method estimates log Z */
    {TW_WARN_ESS_BULK, TW_USED_COMMAND, "check", ". Raise --draws"},
    {TW_WARN_ESS_TAIL, TW_USED_COMMAND, "check", ". Raise --draws"},
    {TW_WARN_ESS_FOLD, TW_USED_COMMAND, "check", ". Raise --draws"},
    {TW_WARN_EBFMI, TW_USED_COMMAND, "check", ". Raise --draws"},
    {TW_WARN_RHAT, TW_USED_COMMAND, "check", ". Raise --draws and --warmup"},
    {TW_WARN_STUCK, TW_USED_COMMAND, "check", ": raise --warmup"},
    {TW_WARN_ENERGY, TW_USED_COMMAND, "check", ""},
    {TW_WARN_IMPLICIT, TW_USED_COMMAND, "check", ""},
    {TW_WARN_IRREVERSIBLE, TW_USED_COMMAND, "check", ""},
    {TW_WARN_FACTORISATION, TW_USED_COMMAND, "check", ""},
    {TW_WARN_DISAGREE, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_HEAVY_TAIL, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_MISSED, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_WITHHELD, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_TRIPS, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_DRIFT, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_APART, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_NO_NUMBER, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_COLLAPSED, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_GOAL, TW_USED_COMMAND, "check", in_evidence},
    {TW_WARN_DEFAULTS, TW_USED_KERNEL, "expression",
     ". Give them in --kernel, as in se(ell=2, sigma=1.5), or let talweg fit find them"},
    {TW_WARN_IMPLICIT, TW_USED_METRIC, "smoothed", ": use a smaller --eps"},
    {TW_WARN_FACTORISATION, TW_USED_METRIC, "smoothed", ": use a smaller --eps"},
    {TW_WARN_IRREVERSIBLE, TW_USED_SOLVER, "tolerance", ": use a smaller --eps"},
    {TW_WARN_RHAT, TW_USED_METRIC, "ep", ". Raise --draws and --warmup"},
    {TW_WARN_NO_NUMBER, TW_USED_FROM, "ep", ". Use more --temperatures or more --moves"},
    {TW_WARN_COLLAPSED, TW_USED_FROM, "ep", ". Use more --temperatures (now {2:.0f}) or more --moves"},
    {TW_WARN_HEAVY_TAIL, TW_USED_FROM, "ep", ". Use more --temperatures or more --moves"},
    {TW_WARN_WITHHELD, TW_USED_FROM, "ep", ". Use more --rounds or more --moves"},
    {TW_WARN_TRIPS, TW_USED_FROM, "ep", ". Use more --rounds or more --moves"},
    {TW_WARN_DRIFT, TW_USED_FROM, "ep", ". Use more --rounds or more --moves"},
    {TW_WARN_DISAGREE, TW_USED_METHOD, "pt",
     ". At least one has missed part of the posterior: trust neither, and improve mixing with more --moves "
     "or more --temperatures."},
    {TW_WARN_DISAGREE, TW_USED_METHOD, "is2",
     ". At least one has missed part of the posterior: trust neither, and raise --points, --point-particles "
     "or --point-temperatures, or give narrower priors"},
    {TW_WARN_FIT_OPTIMA, TW_USED_METHOD, "is2", ". Points are drawn about each of them"},
    {TW_WARN_RHAT, TW_USED_METHOD, "is2", ". Raise --points"},
};

static const char *in_use[TW_USED_KINDS];

void tw_warnings_use(tw_in_use kind, const char *value)
{
    in_use[kind] = value;
}

/* The advice on a warning, given what is in use; NULL: none. */
static const char *advice_on(tw_warning_code code)
{
    if ((unsigned)code >= TW_WARNING_COUNT) return NULL;
    for (size_t k = 0; k < sizeof instead / sizeof *instead; k++) {
        const char *used = in_use[instead[k].kind];
        if (instead[k].code == code && used && tw_name_is_among(instead[k].value, used))
            return instead[k].advice;
    }
    return advice[code];
}

enum { MOST_KEPT = 64 };

typedef struct kept_warning {
    tw_warning_code code;
    char words[TW_WARNING_BYTES];
} kept_warning;

static struct {
    bool silent;
    const char *subject;
    size_t count;
    kept_warning warning[MOST_KEPT];
} list;

void tw_warning_say(const tw_warning *warning, char words[TW_WARNING_BYTES])
{
    tw_warning_print(warning, advice_on(warning->code), words);
}

const char *tw_warning_advice(tw_warning_code code)
{
    const char *words = advice_on(code);
    return words ? words + strspn(words, ".:; ") : "";
}

/* "SUBJECT: " and the words. */
static void say_with_subject(const tw_warning *warning, char words[TW_WARNING_BYTES])
{
    char bare[TW_WARNING_BYTES];
    tw_warning_say(warning, bare);
    snprintf(words, TW_WARNING_BYTES, "%.300s%s%.*s", list.subject ? list.subject : "",
             list.subject ? ": " : "", TW_WARNING_BYTES - 303, bare);
}

static void keep(const tw_warning *warning)
{
    if (list.count == MOST_KEPT) return;
    kept_warning *kept = &list.warning[list.count++];
    kept->code = warning->code;
    say_with_subject(warning, kept->words);
}

static void say(const tw_warning *warning)
{
    char words[TW_WARNING_BYTES];
    if (list.silent) return;
    say_with_subject(warning, words);
    tw_terminal_say("warning", TW_COLOUR_YELLOW, words);
}

void tw_warnings_hear(void *user, const tw_warning *warning)
{
    (void)user;
    keep(warning);
    say(warning);
}

void tw_warnings_silence(bool silent)
{
    list.silent = silent;
}

void tw_warnings_about(const char *subject)
{
    list.subject = subject;
}

void tw_warnings_forget(void)
{
    list.count = 0;
    list.subject = NULL;
    for (size_t k = 0; k < TW_USED_KINDS; k++) in_use[k] = NULL;
}

void tw_warnings_receive(tw_context *ctx)
{
    tw_context_set_warn(ctx, tw_warnings_hear, NULL);
}

void tw_warnings_keep(const tw_warnings *warnings)
{
    for (size_t k = 0; k < warnings->count; k++) keep(&warnings->warning[k]);
}

void tw_warnings_say(const tw_warnings *warnings)
{
    for (size_t k = 0; k < warnings->count; k++) say(&warnings->warning[k]);
}

tw_status tw_result_print_json(tw_context *ctx, const tw_problem *problem, json_t *object, bool ok, FILE *to)
{
    json_t *array = json_array();
    tw_json_set(object, "model", problem ? tw_model_encode(problem, &ok) : json_null(), &ok);
    tw_json_set(object, "files", tw_file_names_encode(&ok), &ok);
    tw_json_set(object, "seconds_total", tw_json_number(tw_terminal_elapsed()), &ok);
    for (size_t k = 0; k < list.count; k++) {
        json_t *row = json_object();
        tw_json_set(row, "code", json_string(tw_warning_name(list.warning[k].code)), &ok);
        tw_json_set(row, "message", tw_json_text(list.warning[k].words), &ok);
        tw_json_append(array, row, &ok);
    }
    tw_json_set(object, "warnings", array, &ok);
    return tw_json_print(ctx, object, ok, to);
}
