/* judge.c: from diagnostics to words: what is wrong with draws, and what to do about it.
 *
 * The thresholds are those of Vehtari et al. (2021): R-hat 1.01, and a bulk and a tail ESS of 100 for each
 * chain, below which R-hat and ESS themselves are not reliable; E-BFMI 0.3 is Stan's.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/context.h"
#include "talweg/report.h"

static const double far_apart = 1.05; /* an R-hat that cannot be the noise of R-hat itself */

static void warn(tw_warnings *out, const char *format, ...) TW_PRINTF(2, 3);

static void warn(tw_warnings *out, const char *format, ...)
{
    va_list arguments;
    if (out->count == TW_MOST_WARNINGS) return;
    va_start(arguments, format);
    vsnprintf(out->words[out->count++], TW_WARNING_BYTES, format, arguments);
    va_end(arguments);
}

static void judge_failures(tw_warnings *out, size_t count, size_t transitions, const char *what,
                           const char *advice)
{
    if (count == 0) return;
    warn(out, "%s in %.2g%% of trajectories (%zu of %zu), which were rejected: %s", what,
         100.0 * (double)count / (double)transitions, count, transitions, advice);
}

/* Effective draws of the worst latent. Where its centre has few, those of the tails go without saying. */
static void judge_ess(tw_warnings *out, size_t chains, const tw_chains_summary *s)
{
    double wanted = 100.0 * (double)chains;
    if (s->ess_bulk_min < wanted)
        warn(out,
             "the worst latent (x.%zu) has a bulk ESS of %.0f; estimates want at least 100 for each chain, "
             "%.0f. Raise --draws, or use another --method",
             s->worst + 1, s->ess_bulk_min, wanted);
    else if (s->ess_tail_min < wanted)
        warn(out,
             "a latent has a tail ESS of %.0f; its 5%% and 95%% quantiles want at least 100 for each chain, "
             "%.0f. Raise --draws, or use another --method",
             s->ess_tail_min, wanted);
}

static void judge_mixing(tw_warnings *out, size_t chains, size_t draws, const tw_chains_summary *s)
{
    bool unknown = isnan(s->rhat_max) || isnan(s->ess_bulk_min);
    if (unknown && draws < 6)
        warn(out,
             draws == 1 ? "there is only %zu draw of each chain, too few to judge them: raise --draws"
                        : "there are only %zu draws of each chain, too few to judge them: raise --draws",
             draws);
    else if (unknown)
        warn(out,
             "in %zu draws of each chain a latent stood still or was not finite, so nothing can be said of "
             "its convergence: use a smaller --eps, or another --method",
             draws);
    else if (chains == 1)
        warn(out, "there is one chain, and R-hat compares its halves: only chains with starts of their own "
                  "show whether the start is forgotten. Use --chains 4");
    if (s->rhat_max > far_apart)
        warn(out,
             "R-hat is %.3f, above 1.01: the chains have not forgotten their starts, so do not use the draws "
             "yet. Raise --draws and --warmup, or use another --method (auto, or hmc with --metric ep)",
             s->rhat_max);
    else if (s->rhat_max > 1.01)
        warn(
            out,
            "R-hat is %.4f, a little above 1.01: for some latent the chains differ by more than they should. "
            "Raise --draws, and see whether it falls",
            s->rhat_max);
    judge_ess(out, chains, s);
    if (s->ebfmi_min < 0.3)
        warn(out,
             "E-BFMI is %.2f, below 0.3: energies change too little between draws to explore the tails. Use "
             "another --metric, or more --draws",
             s->ebfmi_min);
}

void tw_chains_judge(size_t chains, size_t draws, bool interrupted, const tw_chains_summary *summary,
                     const tw_totals *sampling, tw_warnings *out)
{
    out->count = 0;
    if (interrupted) warn(out, "interrupted: there are %zu draws of each chain", draws);
    if (draws > 0) judge_mixing(out, chains, draws, summary);
    judge_failures(out, sampling->energy_divergence, sampling->transitions, "the energy diverged",
                   "use a smaller --eps or a higher --target-accept");
    judge_failures(out, sampling->implicit_failure, sampling->transitions, "implicit solve failed",
                   "use --metric smoothed or a smaller --eps");
    judge_failures(out, sampling->irreversible, sampling->transitions, "the way back did not lead back",
                   "use a smaller --eps, or --solver-tol instead of --fixed-point");
    judge_failures(out, sampling->factorisation, sampling->transitions, "the metric could not be factored",
                   "use --metric smoothed or a smaller --eps");
}
