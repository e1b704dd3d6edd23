/* agree.c: do estimates of log Z agree with one another, and approximations with them? Which estimates are
 * doubtful?
 *
 * Two estimates of the same number with independent errors of standard deviations s and t differ by about
 * sqrt(s^2 + t^2). A difference of more than four of these is not chance. Estimates from the same draws have
 * dependent errors, so a small difference shows nothing, and they are not compared. The distance allows for
 * rounding, because the error of an estimate may be zero (for a Gaussian likelihood all weights are equal).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "talweg/diagnose.h"
#include "talweg/evidence.h"

static const double rounding = 1e-9; /* relative to log Z */

bool tw_evidence_is_exact(double log_z, double se)
{
    return se < rounding * (1.0 + fabs(log_z));
}

double tw_evidence_errors(double a, double b, double se)
{
    double size = fmax(fabs(a), fabs(b)), difference = fabs(a - b);
    return isfinite(difference) ? difference / hypot(se, rounding * (1.0 + size)) : INFINITY;
}

/* |a - b| in joint standard errors; infinite if one of them is not finite. */
static double distance(const tw_estimate *a, const tw_estimate *b)
{
    return tw_evidence_errors(a->log_z, b->log_z, hypot(a->se, b->se));
}

/* An estimate with a log Z but without an error cannot be compared; one without a log Z disagrees with
 * all. */
static bool comparable(const tw_estimate *e)
{
    return !isfinite(e->log_z) || isfinite(e->se);
}

/* Did the weights collapse? Then the error means nothing: the estimate may disagree with others, but not agree. (An
 * effective number is at least 1; 0 and NaN: unknown.) */
static bool collapsed(const tw_estimate *e)
{
    return isfinite(e->log_z) && e->weight_ess >= 1.0 && e->weight_ess < 2.0;
}

/* Do few weights of one estimate explain why it is below another, which has many? The mean of few effective weights
 * is mostly too low, by more than its error; it is hardly ever too high. */
static bool misses(const tw_estimate *low, const tw_estimate *high)
{
    static const double few = 10.0, many = 100.0;
    tw_warning doubt;
    return low->log_z < high->log_z && low->weight_ess >= 1.0 && low->weight_ess < few &&
           high->weight_ess >= many && !tw_evidence_doubt(high, &doubt);
}

/* Is this an estimate of parallel tempering? */
static bool tempered(const tw_estimate *e)
{
    return strcmp(e->method, "stepping-stone") == 0 || strcmp(e->method, "thermodynamic") == 0;
}

/* Do they use the same draws? Files of earlier versions do not say (draws = 0); they contain one run per
 * method. */
static bool share_draws(const tw_estimate *a, const tw_estimate *b)
{
    if (a->draws != b->draws) return false;
    return a->draws != 0 || (tempered(a) && tempered(b));
}

tw_agreement tw_evidence_agree(size_t count, const tw_estimate *estimates)
{
    tw_agreement a = {.worst = NAN, .difference = NAN};
    for (size_t i = 0; i < count; i++) {
        if (!comparable(&estimates[i])) continue;
        a.compared += !collapsed(&estimates[i]);
        for (size_t j = i + 1; j < count; j++) {
            if (!comparable(&estimates[j])) continue;
            if (share_draws(&estimates[i], &estimates[j])) {
                a.shared = true;
                continue;
            }
            double d = distance(&estimates[i], &estimates[j]);
            if (d <= TW_AGREEMENT_LIMIT && (collapsed(&estimates[i]) || collapsed(&estimates[j]))) continue;
            if (d > TW_AGREEMENT_LIMIT &&
                (misses(&estimates[i], &estimates[j]) || misses(&estimates[j], &estimates[i]))) {
                a.few = true;
                continue;
            }
            a.known = true;
            if (d <= a.worst) continue; /* false for the first pair, as worst is NaN */
            a.worst = d;
            a.first = i;
            a.second = j;
            a.difference = fabs(estimates[i].log_z - estimates[j].log_z);
        }
    }
    a.agree = a.known && a.worst <= TW_AGREEMENT_LIMIT;
    return a;
}

static int print_agreeing(const tw_agreement *a, const char *first, const char *second, char *words)
{
    if (a->compared == 2)
        return snprintf(words, TW_WORDS_BYTES,
                        "%s and %s agree: they are %.3g nats apart, %.1f joint standard errors (limit %g).",
                        first, second, a->difference, a->worst, TW_AGREEMENT_LIMIT);
    return snprintf(words, TW_WORDS_BYTES,
                    "All %zu estimates agree: those furthest apart, %s and %s, differ by %.3g nats, %.1f "
                    "joint standard errors (limit %g).",
                    a->compared, first, second, a->difference, a->worst, TW_AGREEMENT_LIMIT);
}

static int print_known(const tw_agreement *a, const char *first, const char *second, char *words)
{
    if (a->agree) return print_agreeing(a, first, second, words);
    if (!isfinite(a->difference))
        return snprintf(words, TW_WORDS_BYTES, "The estimates do NOT agree: %s or %s has no finite log Z.",
                        first, second);
    return snprintf(words, TW_WORDS_BYTES,
                    "The estimates do NOT agree: %s and %s are %.3g nats apart, %.1f joint standard errors "
                    "(limit %g).",
                    first, second, a->difference, a->worst, TW_AGREEMENT_LIMIT);
}

void tw_agreement_print(const tw_agreement *a, const tw_estimate *estimates, char words[TW_WORDS_BYTES])
{
    if (!a->known) {
        snprintf(words, TW_WORDS_BYTES, "Agreement is unknown: %s.",
                 a->one_mode ? "the path starts at one mode, so all estimates may miss another"
                 : a->few    ? "of two estimates the lower has few effective weights, and so may be too low"
                 : a->compared < 2 ? "there is only one estimate with an error"
                                   : "the estimates share their draws, so their errors are not independent");
        return;
    }
    int used = print_known(a, estimates[a->first].method, estimates[a->second].method, words);
    if (a->shared && used < TW_WORDS_BYTES)
        snprintf(words + used, (size_t)(TW_WORDS_BYTES - used),
                 " Estimates that share draws are not compared.");
}

const tw_estimate *tw_evidence_best(size_t count, const tw_estimate *estimates)
{
    const tw_estimate *best = NULL;
    bool best_doubted = true;
    for (size_t i = 0; i < count; i++) {
        const tw_estimate *e = &estimates[i];
        tw_warning doubt;
        if (!isfinite(e->log_z) || !isfinite(e->se) || e->weight_ess < 2.0) continue; /* collapsed */
        bool doubted = tw_evidence_doubt(e, &doubt);
        if (best && doubted > best_doubted) continue;
        if (best && doubted == best_doubted && e->se >= best->se) continue;
        best = e;
        best_doubted = doubted;
    }
    return best;
}

double tw_evidence_compare(const tw_estimate *estimate, const char *name, double log_z,
                           char words[TW_WORDS_BYTES])
{
    tw_estimate exact = {.log_z = log_z};
    double difference = log_z - estimate->log_z, errors = distance(&exact, estimate);
    snprintf(words, TW_WORDS_BYTES, "%s is %.3g nats %s %s, %.1f of its standard errors%s.", name,
             fabs(difference), difference < 0.0 ? "below" : "above", estimate->method, errors,
             errors <= TW_AGREEMENT_LIMIT ? ": within Monte Carlo error" : "");
    return errors;
}

/* The estimate of Pareto's k from few weights is uncertain and shrunk towards 1/2, so few weights have a
 * lower limit (0.58 for 256). The limit for many weights applies to a reverse run, whose error includes
 * the tail that the forward run found, and if the number of weights is unknown. Weights that are nearly equal, with a
 * relative variance of se^2 P < 1e-3, have no tail that matters. */
static tw_warning doubt_weights(const tw_estimate *e)
{
    bool equal = e->particles > 0 && e->se * e->se * (double)e->particles < 1e-3;
    bool many = !isnan(e->missed) || e->particles == 0;
    double limit = many ? TW_PARETO_LIMIT : tw_pareto_limit(e->particles);
    if (e->pareto_k > limit && !equal)
        return (tw_warning){.code = TW_WARN_HEAVY_TAIL, .number = {e->pareto_k, limit}};
    if (2.0 * e->missed * e->missed > e->se * e->se)
        return (tw_warning){.code = TW_WARN_MISSED, .number = {100.0 * e->missed, e->missed}};
    return (tw_warning){.code = TW_WARNING_COUNT};
}

/* The most serious doubt about an estimate of parallel tempering. */
static tw_warning doubt_tempering(const tw_estimate *e)
{
    if (!isfinite(e->log_z)) return (tw_warning){.code = TW_WARN_WITHHELD};
    if (e->trips < 1.0) return (tw_warning){.code = TW_WARN_TRIPS, .number = {e->trips}};
    if (fabs(e->drift) > 0.0) return (tw_warning){.code = TW_WARN_DRIFT, .number = {e->drift}};
    if (fabs(e->apart) > 0.0) return (tw_warning){.code = TW_WARN_APART, .number = {e->apart}};
    return (tw_warning){.code = TW_WARNING_COUNT};
}

bool tw_evidence_doubt(const tw_estimate *e, tw_warning *doubt)
{
    *doubt = tempered(e) ? doubt_tempering(e) : doubt_weights(e);
    doubt->name = e->method;
    return doubt->code != TW_WARNING_COUNT;
}
