/* judge.c: judges whether a claim is right or wrong, or whether the draws cannot decide.
 *
 * Every number has a difference d with standard error s, and a tolerance t. The claim is right if
 * |d| + 2 s <= t for every number: an intersection-union test, which needs no correction for the number of
 * tests. It is wrong if |d| - z s > t for at least one of m numbers: here the number of tests counts, so
 * Phi(-z) = 0.001 / (2 m) (Bonferroni).
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check/check.h"
#include "math/normal.h"

static const double false_alarms = 0.001;
static const double MOST_DRAWS = 1e6; /* of each chain, that it makes sense to advise */

#define WORDS(quantity, name, words) words,
static const char *const quantity_words[] = {TW_CHECK_LIST(WORDS)};

const char *tw_check_judgement_name(tw_check_judgement judgement)
{
    static const char *const names[] = {"not claimed", "right", "wrong", "undecided"};
    return names[judgement];
}

/* ---- numbers ---- */

static tw_check_judgement judge_value(const tw_check_value *v, double tolerance, double z)
{
    double d = fabs(v->difference);
    if (isnan(v->claimed)) return TW_CHECK_NOT_CLAIMED;
    if (d - z * v->error > tolerance) return TW_CHECK_WRONG;
    return d + 2.0 * v->error <= tolerance ? TW_CHECK_RIGHT : TW_CHECK_UNDECIDED;
}

/* The factor by which the error of an undecided number must shrink to decide it, if its difference d stays
 * the same. If |d| is below the tolerance, |d| + 2 s must come down to it; if above, |d| - z s must come up
 * to it. 0 for a decided number. */
static double shrinkage(const tw_check_value *v, double tolerance, double z)
{
    double d = fabs(v->difference);
    if (judge_value(v, tolerance, z) != TW_CHECK_UNDECIDED) return 0.0;
    return d < tolerance ? 2.0 * v->error / (tolerance - d) : z * v->error / (d - tolerance);
}

/* Combine two judgements: wrong outweighs undecided, which outweighs right. */
static tw_check_judgement graver(tw_check_judgement a, tw_check_judgement b)
{
    if (a == TW_CHECK_WRONG || b == TW_CHECK_WRONG) return TW_CHECK_WRONG;
    return a > b ? a : b;
}

static size_t count_numbers(const tw_check_result *r)
{
    size_t count = isnan(r->log_z.claimed) ? 0U : 1U;
    for (size_t k = 0; k < r->count; k++)
        for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
            count += isnan(r->rows[k].value[q].claimed) ? 0U : 1U;
    return count;
}

/* Judge all latents. Returns the factor by which errors must shrink to decide: one number beyond its tolerance decides
 * that the claim is wrong, so it is the smallest shrinkage of these; if there is none, all numbers must be decided. */
static double judge_latents(double tolerance, double z, tw_check_result *r)
{
    double most = 0.0, least_beyond = INFINITY;
    r->largest_error = 0.0;
    for (size_t k = 0; k < r->count; k++) {
        tw_check_judgement of_row = TW_CHECK_NOT_CLAIMED;
        for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) {
            const tw_check_value *v = &r->rows[k].value[q];
            double tolerances = tw_check_quantity_tolerances((tw_check_quantity)q);
            of_row = graver(of_row, judge_value(v, tolerance * tolerances, z));
            r->largest_error = fmax(r->largest_error, v->error / tolerances);
            double factor = shrinkage(v, tolerance * tolerances, z);
            most = fmax(most, factor);
            if (factor > 0.0 && fabs(v->difference) > tolerance * tolerances)
                least_beyond = fmin(least_beyond, factor);
        }
        r->wrong += of_row == TW_CHECK_WRONG;
        r->latent_verdict = graver(r->latent_verdict, of_row);
    }
    return isfinite(least_beyond) ? least_beyond : most;
}

/* The number of draws of each chain that makes errors smaller by the factor `ratio`: draws ratio^2, rounded
 * up to 1.5, 2, 2.5, ... times a power of ten. 0 if none are needed or more than MOST_DRAWS. */
static size_t draws_for(const tw_check_options *o, double ratio)
{
    double draws = (double)o->draws * ratio * ratio;
    if (!(ratio > 1.0) || draws > MOST_DRAWS) return 0;
    double unit = pow(10.0, floor(log10(draws)));
    return (size_t)(ceil(draws / unit * 2.0) / 2.0 * unit);
}

/* ---- the verdict in words ---- */

typedef struct sentence {
    char *words;
    size_t length;
} sentence;

/* Append to the sentence, and truncate it if it is too long. */
static void add(sentence *s, const char *format, ...) TW_PRINTF(2, 3);

static void add(sentence *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is right above */
    int more = vsnprintf(s->words + s->length, TW_WORDS_BYTES - s->length, format, arguments);
    va_end(arguments);
    s->length += more > 0 ? (size_t)more : 0;
    if (s->length >= TW_WORDS_BYTES) s->length = TW_WORDS_BYTES - 1;
}

static void add_log_z(sentence *s, const tw_check_value *v)
{
    add(s, "log Z is %.3g nats too %s", fabs(v->difference), v->difference < 0.0 ? "low" : "high");
    add(s, " (%.1f standard errors)", tw_evidence_errors(v->claimed, v->exact, v->error));
}

static void add_latents(sentence *s, const tw_check_options *o, const tw_check_result *r)
{
    const tw_check_row *row = &r->rows[0];
    const tw_check_value *v = &row->value[row->worst];
    add(s,
        "%zu of %zu latents %s beyond the tolerance of %g posterior standard deviations, most of all the %s "
        "of "
        "x.%zu: %.3g +- "
        "%.2g too %s",
        r->wrong, r->count, r->wrong == 1 ? "is" : "are", o->tolerance, quantity_words[row->worst],
        row->latent + 1, fabs(v->difference), v->error, v->difference < 0.0 ? "low" : "high");
}

static void write_wrong(sentence *s, const tw_check_options *o, const tw_check_result *r)
{
    bool log_z = r->log_z_verdict == TW_CHECK_WRONG, latents = r->latent_verdict == TW_CHECK_WRONG;
    add(s, " is wrong: ");
    if (log_z) add_log_z(s, &r->log_z);
    if (log_z && latents) add(s, "; ");
    if (latents) add_latents(s, o, r);
    add(s, ".");
}

static void write_right(sentence *s, const tw_check_options *o, const tw_check_result *r)
{
    bool log_z = r->log_z_verdict == TW_CHECK_RIGHT, latents = r->latent_verdict == TW_CHECK_RIGHT;
    add(s, " is right: ");
    if (log_z) add(s, "log Z is within %g nats", o->log_z_tolerance);
    if (log_z && latents) add(s, ", and ");
    if (latents)
        add(s,
            "all numbers of %zu latent%s are within the tolerance of %g posterior standard deviations (%.2g "
            "for "
            "the 5 %% and 95 %% quantiles)",
            r->count, r->count == 1 ? "" : "s", o->tolerance,
            o->tolerance * tw_check_quantity_tolerances(TW_CHECK_Q95));
    add(s, ".");
}

static void add_draws(sentence *s, const tw_check_result *r, const char *condition)
{
    if (r->draws_needed)
        add(s, "about %zu draws of each chain would decide%s", r->draws_needed, condition);
    else
        add(s,
            "a decision would need more draws than is practical, over %g of each chain: choose another "
            "tolerance",
            MOST_DRAWS);
}

static void add_close(sentence *s, const tw_check_options *o, const tw_check_result *r)
{
    add(s, "some differences are close to the tolerance of %g posterior standard deviations; ", o->tolerance);
    add_draws(s, r, ", if the differences stay the same");
}

static void add_errors(sentence *s, const tw_check_options *o, const tw_check_result *r)
{
    add(s, "Monte Carlo errors are up to %.2g posterior standard deviations, and the tolerance is %g; ",
        r->largest_error, o->tolerance);
    add_draws(s, r, "");
}

static void add_undecided_log_z(sentence *s, const tw_check_options *o, const tw_check_result *r)
{
    add(s, "log Z differs by %.3g +- %.2g nats, and the tolerance is %g; ", fabs(r->log_z.difference),
        r->log_z.error, o->log_z_tolerance);
    if (r->log_z_effort < 1e6)
        add(s, "about %.2g times as many particles would decide", r->log_z_effort);
    else
        add(s, "no number of particles would decide: choose another tolerance");
}

static void write_undecided(sentence *s, const tw_check_options *o, const tw_check_result *r,
                            bool chains_are_good, bool evidence_is_good)
{
    add(s, " cannot be judged with these draws: ");
    if (r->latent_verdict == TW_CHECK_UNDECIDED && !chains_are_good)
        add(s, "the chains have not converged");
    else if (r->latent_verdict == TW_CHECK_UNDECIDED && 5.0 * r->largest_error > o->tolerance)
        add_errors(s, o, r);
    else if (r->latent_verdict == TW_CHECK_UNDECIDED)
        add_close(s, o, r);
    else if (!evidence_is_good)
        add(s, "the estimates of log Z disagree or are in doubt");
    else
        add_undecided_log_z(s, o, r);
    add(s, ".");
}

/* ---- the verdict ---- */

void tw_check_judge(const char *name, const tw_check_options *o, bool chains_are_good, bool evidence_is_good,
                    tw_check_result *r)
{
    size_t numbers = count_numbers(r);
    double z = -tw_normal_quantile(false_alarms / (2.0 * (double)(numbers ? numbers : 1)));
    sentence s = {.words = r->words};
    r->wrong = 0;
    r->draws_needed = 0;
    r->latent_verdict = TW_CHECK_NOT_CLAIMED;
    double most = judge_latents(o->tolerance, z, r), log_z = shrinkage(&r->log_z, o->log_z_tolerance, z);
    r->log_z_effort = log_z * log_z;
    r->log_z_verdict = judge_value(&r->log_z, o->log_z_tolerance, z);
    if (r->count && !chains_are_good) r->latent_verdict = TW_CHECK_UNDECIDED;
    if (r->log_z_verdict != TW_CHECK_NOT_CLAIMED && !evidence_is_good) r->log_z_verdict = TW_CHECK_UNDECIDED;
    r->verdict = graver(r->log_z_verdict, r->latent_verdict);
    if (r->latent_verdict == TW_CHECK_UNDECIDED && chains_are_good)
        r->draws_needed = draws_for(o, fmax(most, 5.0 * r->largest_error / o->tolerance));
    add(&s, "%s", name);
    if (r->verdict == TW_CHECK_WRONG) write_wrong(&s, o, r);
    if (r->verdict == TW_CHECK_RIGHT) write_right(&s, o, r);
    if (r->verdict == TW_CHECK_UNDECIDED) write_undecided(&s, o, r, chains_are_good, evidence_is_good);
    tw_make_plain(r->words); /* the claim may be named after a file */
}
