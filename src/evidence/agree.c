/* agree.c: do estimates of log Z agree with one another, and approximations with them?
 *
 * Estimates a, b of the same number with independent errors of standard deviations s, t differ by about
 * sqrt(s^2 + t^2): more than four of those is no chance. Estimates made of the same draws err together, so
 * that nothing follows from a small difference: they are not compared. Rounding gets a small allowance, since the error of
 * an estimate may be zero (a Gaussian likelihood, where every weight is the same).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "talweg/diagnose.h"
#include "talweg/evidence.h"

static const double rounding = 1e-9; /* relative, of log Z itself */

/* |a - b| in joint standard errors; infinite where one of them is no number. */
static double distance(const tw_estimate *a, const tw_estimate *b)
{
    double size = fmax(fabs(a->log_z), fabs(b->log_z));
    double difference = fabs(a->log_z - b->log_z);
    if (!isfinite(difference)) return INFINITY;
    return difference / hypot(hypot(a->se, b->se), rounding * (1.0 + size));
}

static bool comparable(const tw_estimate *e)
{
    return !isfinite(e->log_z) || isfinite(e->se);
}

static bool tempered(const tw_estimate *e)
{
    return strcmp(e->method, "stepping-stone") == 0 || strcmp(e->method, "thermodynamic") == 0;
}

/* Are they made of the same draws? Files of earlier versions do not say, and hold one run of each method. */
static bool share_draws(const tw_estimate *a, const tw_estimate *b)
{
    if (a->draws != b->draws) return false;
    return a->draws != 0 || (tempered(a) && tempered(b));
}

static void say_nothing_to_compare(size_t estimates, tw_agreement *a)
{
    if (estimates < 2)
        snprintf(a->words, sizeof a->words,
                 "Agreement is not known: there is only one estimate with an error.");
    else
        snprintf(
            a->words, sizeof a->words,
            "Whether they agree is not known: the estimates are made of the same draws and err together. "
            "Two that share none are compared (limit: %g joint standard errors): take one more "
            "--method, or a run with another --seed.",
            TW_AGREEMENT_LIMIT);
}

static void say_agreement(const tw_estimate *e, size_t compared, bool all, tw_agreement *a)
{
    const char *first = e[a->first].method, *second = e[a->second].method;
    const char *rule = all ? "" : " Estimates that share draws are not compared.";
    double difference = fabs(e[a->first].log_z - e[a->second].log_z);
    if (!a->agree && !isfinite(difference))
        snprintf(a->words, sizeof a->words, "The estimates do NOT agree: %s or %s found no weight at all.%s",
                 first, second, rule);
    else if (!a->agree)
        snprintf(a->words, sizeof a->words,
                 "The estimates do NOT agree: %s and %s are %.3g nats apart, %.1f joint standard errors "
                 "(limit %g). At least one has not seen the whole posterior: trust neither, and let "
                 "chains mix with more --moves, more --temperatures or --method pt.%s",
                 first, second, difference, a->worst, TW_AGREEMENT_LIMIT, rule);
    else if (compared == 2)
        snprintf(a->words, sizeof a->words,
                 "%s and %s agree: they are %.3g nats apart, %.1f joint standard errors (limit %g).%s", first,
                 second, difference, a->worst, TW_AGREEMENT_LIMIT, rule);
    else
        snprintf(a->words, sizeof a->words,
                 "All %zu estimates agree: those furthest apart, %s and %s, differ by %.3g nats, %.1f joint "
                 "standard errors (limit %g).%s",
                 compared, first, second, difference, a->worst, TW_AGREEMENT_LIMIT, rule);
}

tw_agreement tw_evidence_agree(size_t count, const tw_estimate *estimates)
{
    tw_agreement a = {.worst = NAN};
    size_t compared = 0;
    bool all = true; /* pairs are compared */
    for (size_t i = 0; i < count; i++) {
        if (!comparable(&estimates[i])) continue;
        compared++;
        for (size_t j = i + 1; j < count; j++) {
            if (!comparable(&estimates[j])) continue;
            if (share_draws(&estimates[i], &estimates[j])) {
                all = false;
                continue;
            }
            a.known = true;
            double d = distance(&estimates[i], &estimates[j]);
            if (d <= a.worst) continue; /* NaN at first: then any d is taken */
            a.worst = d;
            a.first = i;
            a.second = j;
        }
    }
    a.agree = a.known && a.worst <= TW_AGREEMENT_LIMIT;
    if (a.known)
        say_agreement(estimates, compared, all, &a);
    else
        say_nothing_to_compare(compared, &a);
    return a;
}

const tw_estimate *tw_evidence_best(size_t count, const tw_estimate *estimates)
{
    const tw_estimate *best = NULL;
    bool best_doubted = true;
    for (size_t i = 0; i < count; i++) {
        const tw_estimate *e = &estimates[i];
        char words[TW_WORDS_BYTES];
        if (!isfinite(e->log_z) || !isfinite(e->se) || e->weight_ess < 2.0) continue; /* collapsed */
        bool doubted = tw_evidence_doubt(e, words);
        if (best && doubted > best_doubted) continue;
        if (best && doubted == best_doubted && e->se >= best->se) continue;
        best = e;
        best_doubted = doubted;
    }
    return best;
}

void tw_evidence_compare(const tw_estimate *estimate, const char *name, double log_z,
                         char words[TW_WORDS_BYTES])
{
    tw_estimate exact = {.log_z = log_z};
    double difference = log_z - estimate->log_z, errors = distance(&exact, estimate);
    snprintf(words, TW_WORDS_BYTES, "%s is %.3g nats %s %s, %.1f of its standard errors%s.", name,
             fabs(difference), difference < 0.0 ? "below" : "above", estimate->method, errors,
             errors <= TW_AGREEMENT_LIMIT ? ": within Monte Carlo error" : "");
}

static void doubt_weights(const tw_estimate *e, char words[TW_WORDS_BYTES])
{
    if (e->pareto_k > TW_PARETO_LIMIT)
        snprintf(
            words, TW_WORDS_BYTES,
            "%s: the weights have a heavy tail (Pareto k is %.2f, and above %.1f a standard error made of "
            "them is too small): take more temperatures, more transitions at each, or start closer to the "
            "posterior.",
            e->method, e->pareto_k, TW_PARETO_LIMIT);
    else if (2.0 * e->missed * e->missed > e->se * e->se)
        snprintf(words, TW_WORDS_BYTES,
                 "%s: annealing from the posterior to q missed %.2g %% of q, as annealing from q shows; log "
                 "Z may be "
                 "too high by %.2g, which its error includes. Take more transitions at each temperature, or "
                 "shorter "
                 "steps.",
                 e->method, 100.0 * e->missed, e->missed);
}

static void doubt_tempering(const tw_estimate *e, char words[TW_WORDS_BYTES])
{
    const char *advice = "take more rounds, more transitions in each, or start closer to the posterior";
    if (!isfinite(e->log_z))
        snprintf(words, TW_WORDS_BYTES, "%s: it is withheld, since its error is above 10 nats: %s.",
                 e->method, advice);
    else if (e->trips < 1.0)
        snprintf(
            words, TW_WORDS_BYTES,
            "%s: replicas do not travel. A copy had %.2g round trips from q to the posterior and back, and "
            "with "
            "less than one the run may not have forgotten how it began. What can be seen of that, the gaps "
            "between its halves and between the ways up and down, is in its error: %s.",
            e->method, e->trips, advice);
    else if (fabs(e->drift) > 0.0)
        snprintf(
            words, TW_WORDS_BYTES,
            "%s: the second half of the run is %.2g nats %s the first, which is beyond chance: it has not "
            "settled. That is in its error: %s.",
            e->method, fabs(e->drift), e->drift > 0.0 ? "above" : "below", advice);
    else if (fabs(e->apart) > 0.0)
        snprintf(
            words, TW_WORDS_BYTES,
            "%s: it is %.2g nats %s stepping stones between the same draws, which is beyond chance: moments "
            "do "
            "not bear the tail of the log ratios, or temperatures are too far apart. That is in its error; "
            "take the stepping stones, or more temperatures.",
            e->method, fabs(e->apart), e->apart > 0.0 ? "above" : "below");
}

bool tw_evidence_doubt(const tw_estimate *e, char words[TW_WORDS_BYTES])
{
    words[0] = '\0';
    if (tempered(e))
        doubt_tempering(e, words);
    else
        doubt_weights(e, words);
    return words[0] != '\0';
}
