/* judge.c: from diagnostics to warnings: what is wrong with draws.
 *
 * The thresholds are those of Vehtari et al. (2021): R-hat 1.01, and a bulk and a tail ESS of 100 for each
 * chain, below which R-hat and ESS themselves are not reliable; E-BFMI 0.3 is Stan's.
 */
#include <math.h>

#include "talweg/chains.h"

static const double far_apart = 1.05; /* an R-hat that cannot be the noise of R-hat itself */

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

/* Effective draws of the worst latent. Where its centre has few, those of the tails go without saying. */
static void judge_ess(tw_warnings *out, size_t chains, const tw_chains_summary *s)
{
    double wanted = 100.0 * (double)chains;
    tw_warning bulk = {.code = TW_WARN_ESS_BULK, .number = {s->ess_bulk_min, wanted}, .index = s->worst};
    if (s->ess_bulk_min < wanted)
        tw_warnings_add(out, &bulk);
    else if (s->ess_tail_min < wanted)
        warn(out, TW_WARN_ESS_TAIL, s->ess_tail_min, wanted);
}

static void judge_mixing(tw_warnings *out, size_t chains, size_t draws, const tw_chains_summary *s)
{
    bool unknown = isnan(s->rhat_max) || isnan(s->ess_bulk_min);
    if (unknown)
        warn(out,
             draws == 1  ? TW_WARN_ONE_DRAW
             : draws < 6 ? TW_WARN_FEW_DRAWS
                         : TW_WARN_STUCK,
             (double)draws, 0.0);
    else if (chains == 1)
        warn(out, TW_WARN_ONE_CHAIN, 0.0, 0.0);
    if (s->rhat_max > 1.01)
        warn(out, s->rhat_max > far_apart ? TW_WARN_RHAT : TW_WARN_RHAT_SLIGHT, s->rhat_max, 0.0);
    judge_ess(out, chains, s);
    if (s->ebfmi_min < 0.3) warn(out, TW_WARN_EBFMI, s->ebfmi_min, 0.0);
}

void tw_chains_judge(size_t chains, size_t draws, bool interrupted, const tw_chains_summary *summary,
                     const tw_totals *sampling, tw_warnings *out)
{
    out->count = 0;
    if (interrupted) warn(out, TW_WARN_INTERRUPTED, (double)draws, 0.0);
    if (draws > 0) judge_mixing(out, chains, draws, summary);
    judge_failures(out, TW_WARN_ENERGY, sampling->energy_divergence, sampling->transitions);
    judge_failures(out, TW_WARN_IMPLICIT, sampling->implicit_failure, sampling->transitions);
    judge_failures(out, TW_WARN_IRREVERSIBLE, sampling->irreversible, sampling->transitions);
    judge_failures(out, TW_WARN_FACTORISATION, sampling->factorisation, sampling->transitions);
}
