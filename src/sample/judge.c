/* judge.c: the warnings that follow from the diagnostics of draws.
 *
 * An R-hat of 1.01 is the limit of Vehtari et al. (2021) for one variable. With few draws the largest R-hat
 * of n latents exceeds it by chance, so a warning also needs that maximum to be improbable. An ESS of 400
 * over all chains is theirs too, for four chains: below it R-hat and ESS themselves are not reliable. The
 * limit 0.3 of E-BFMI is Stan's.
 */
#include <math.h>

#include "sample/summarise.h"

static const double largest_rhat = 1.01, severe_rhat = 1.05;
static const double false_alarms = 0.01; /* the fraction of runs whose chains agree that may get a warning */

static void warn(tw_warnings *out, tw_warning_code code, double first, double second)
{
    tw_warnings_add(out, &(tw_warning){.code = code, .number = {first, second}});
}

static void judge_failures(tw_warnings *out, tw_warning_code code, size_t count, size_t transitions)
{
    double share = 100.0 * (double)count / (double)transitions;
    tw_warning warning = {.code = code, .number = {share, (double)count, (double)transitions}};
    if (count > 0) tw_warnings_add(out, &warning);
}

/* One warning, about the smallest of bulk, tail and fold ESS over all latents. */
static void judge_ess(tw_warnings *out, const tw_chains_summary *s, double enough)
{
    tw_warning warning = {.number = {s->ess_min, enough}, .index = s->worst};
    if (!(s->ess_min < enough)) return;
    warning.code = s->ess_min == s->ess_bulk_min   ? TW_WARN_ESS_BULK
                   : s->ess_min == s->ess_tail_min ? TW_WARN_ESS_TAIL
                                                   : TW_WARN_ESS_FOLD;
    tw_warnings_add(out, &warning);
}

/* Summaries in files of older versions do not contain rhat_chance; NaN counts as improbable. */
static bool rhat_is_too_large(const tw_chains_summary *s)
{
    bool improbable = isnan(s->rhat_chance) || s->rhat_chance < false_alarms;
    return s->rhat_max > largest_rhat && improbable;
}

bool tw_summary_reaches(const tw_chains_summary *s, double ess)
{
    return s->ess_min >= ess && !isnan(s->rhat_max) && !rhat_is_too_large(s);
}

static void judge_rhat(tw_warnings *out, const tw_chains_summary *s)
{
    if (rhat_is_too_large(s))
        warn(out, s->rhat_max > severe_rhat ? TW_WARN_RHAT : TW_WARN_RHAT_SLIGHT, s->rhat_max, 0.0);
}

static void judge_mixing(tw_warnings *out, size_t chains, size_t draws, const tw_chains_summary *s,
                         double enough)
{
    bool unknown = isnan(s->rhat_max) || isnan(s->ess_min);
    if (unknown)
        warn(out,
             draws == 1  ? TW_WARN_ONE_DRAW
             : draws < 6 ? TW_WARN_FEW_DRAWS
                         : TW_WARN_STUCK,
             (double)draws, 0.0);
    else if (chains == 1)
        warn(out, TW_WARN_ONE_CHAIN, 0.0, 0.0);
    judge_rhat(out, s);
    judge_ess(out, s, enough);
    if (s->ebfmi_min < 0.3) warn(out, TW_WARN_EBFMI, s->ebfmi_min, 0.0);
}

void tw_judge_chains(size_t chains, size_t draws, double enough, const tw_chains_summary *summary,
                     const tw_totals *sampling, tw_warnings *out)
{
    if (draws > 0) judge_mixing(out, chains, draws, summary, enough);
    judge_failures(out, TW_WARN_ENERGY, sampling->energy_divergence, sampling->transitions);
    judge_failures(out, TW_WARN_IMPLICIT, sampling->implicit_failure, sampling->transitions);
    judge_failures(out, TW_WARN_IRREVERSIBLE, sampling->irreversible, sampling->transitions);
    judge_failures(out, TW_WARN_FACTORISATION, sampling->factorisation, sampling->transitions);
}

void tw_chains_judge(size_t chains, size_t draws, bool interrupted, const tw_chains_summary *summary,
                     const tw_totals *sampling, tw_warnings *out)
{
    out->count = 0;
    if (interrupted) warn(out, TW_WARN_INTERRUPTED, (double)draws, 0.0);
    tw_judge_chains(chains, draws, TW_ESS_ENOUGH, summary, sampling, out);
}
