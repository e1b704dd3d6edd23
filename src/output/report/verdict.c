/* verdict.c: the top of the page: whether the draws and the estimates may be used, and the most important
 * numbers. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "output/report/html.h"
#include "output/report/parts.h"

/* A box is green, amber, or grey if there is no basis for a judgement. */
typedef enum verdict { GOOD, BAD, OPEN } verdict;

static void open_box(FILE *page, verdict v, const char *heading)
{
    static const char *const class[] = {[GOOD] = "", [BAD] = " bad", [OPEN] = " open"};
    fprintf(page, "<section class=\"verdict%s\">\n<h2>%s</h2>\n", class[v], heading);
}

/* ---- draws ---- */

/* Advice for readers of the page, who may not know the command line. */
static const char *const advice[TW_WARNING_COUNT] = {
    [TW_WARN_ONE_DRAW] = ". Sample again with more draws",
    [TW_WARN_FEW_DRAWS] = ". Sample again with more draws",
    [TW_WARN_STUCK] = ". Sample again with a smaller step size or another method",
    [TW_WARN_ONE_CHAIN] = ". Sample again with four chains",
    [TW_WARN_RHAT] = ". Sample longer, with a longer warm-up, or with another method",
    [TW_WARN_RHAT_SLIGHT] = ". Sample longer, and check whether it decreases",
    [TW_WARN_ESS_BULK] = ". Sample longer, or with another method",
    [TW_WARN_ESS_TAIL] = ". Sample longer, or with another method",
    [TW_WARN_ESS_FOLD] = ". Sample longer, or with another method",
    [TW_WARN_EBFMI] = ". Sample with another metric, or longer",
    [TW_WARN_SLICE_TAILS] = ". Use the automatic choice or HMC",
    [TW_WARN_ENERGY] = ". Use a smaller step size, or tune it to a higher acceptance",
    [TW_WARN_IMPLICIT] = ". Use the smoothed metric or a smaller step size",
    [TW_WARN_IRREVERSIBLE] = ". Use a smaller step size, or solve the equations to a tolerance",
    [TW_WARN_THETA_TAIL] = ". Sample again with more particles or temperatures at each point, or more points",
    [TW_WARN_HEAVY_TAIL] =
        ". Use more temperatures, more transitions at each, or start closer to the posterior",
    [TW_WARN_MISSED] = ". Use more transitions at each temperature, or shorter steps",
    [TW_WARN_WITHHELD] = ". Use more rounds, more transitions in each, or start closer to the posterior",
    [TW_WARN_TRIPS] = ". Use more rounds, more transitions in each, or start closer to the posterior",
    [TW_WARN_DRIFT] = ". Use more rounds, more transitions in each, or start closer to the posterior",
    [TW_WARN_APART] = ". Use the stepping stones, or more temperatures",
    [TW_WARN_FACTORISATION] = ". Use the smoothed metric or a smaller step size",
};

/* Do not advise the smoothed metric if it was used already. */
static const char *advice_on(const tw_report *r, tw_warning_code code)
{
    bool smoothed = false;
    for (size_t k = 0; k < r->pool->files; k++)
        smoothed = smoothed || strcmp(tw_run_describe(r->pool->run[k])->metric, "smoothed") == 0;
    if (smoothed && (code == TW_WARN_IMPLICIT || code == TW_WARN_FACTORISATION))
        return ". A smaller step size makes that rarer";
    return advice[code];
}

/* Print a warning as a sentence: capitalise it, unless it begins with the name of a method. */
static void print_warning(const tw_report *r, const char *tag, const tw_warning *warning)
{
    char words[TW_WARNING_BYTES];
    tw_warning_print(warning, advice_on(r, warning->code), words);
    if (!warning->name) words[0] = (char)toupper((unsigned char)words[0]);
    fprintf(r->page, "<%s>", tag);
    tw_html_sentence(words, r->page);
    fprintf(r->page, ".</%s>\n", tag);
}

static void print_no_warnings(const tw_report *r)
{
    const tw_chains_summary *s = &r->summary;
    const tw_run_theta *t = r->pool->theta;
    fputs("<p>", r->page);
    if (t && isnan(t->log_z[0]))
        tw_html_print(r->page,
                      "No warnings. For the worst of %zu unknown parameters the ESS is %.0f, from %zu draws "
                      "in %zu chains, which agree.",
                      t->unknown, t->weight_ess, t->points, t->scrambles);
    else if (t)
        tw_html_print(r->page,
                      "No warnings. The draws of %zu unknown parameters and %zu latents have an ESS of %.0f, "
                      "the effective number of %zu weighted points, and the weights have no heavy tail "
                      "(Pareto k is %.2f, reliable below %.2f).",
                      t->unknown, r->pool->n, t->weight_ess, t->points, t->pareto_k,
                      tw_pareto_limit(t->points));
    else
        tw_html_print(r->page,
                      "No warnings. %zu chains agree on every latent value (R-hat is at most %.4f), and the "
                      "worst of %zu latents, x.%zu, has an ESS of %.0f.",
                      r->pool->chains, s->rhat_max, r->pool->n, s->worst + 1, s->ess_min);
    fputs("</p>\n", r->page);
}

/* Draws at an inverse temperature below 1 are not from the posterior. All files agree in this. */
static bool print_temperature(const tw_report *r)
{
    for (size_t k = 0; k < r->pool->files; k++) {
        const tw_run_facts *f = tw_run_describe(r->pool->run[k]);
        if (f->draws == 0 || f->beta == 1.0) continue;
        open_box(r->page, BAD, "These draws are not from the posterior");
        fputs("<p>", r->page);
        tw_html_print(r->page, "They are from the path from %s to the posterior at β = %g.", f->from,
                      f->beta);
        fputs("</p>\n</section>\n", r->page);
        return true;
    }
    return false;
}

static void judge_draws(const tw_report *r)
{
    size_t warnings = r->warnings.count;
    if (r->pool->chained == 0) return;
    bool posterior = !print_temperature(r);
    open_box(r->page, warnings == 0 ? GOOD : BAD,
             warnings > 0 ? "Check this before you use the draws"
             : posterior  ? "The draws can be used"
                          : "The draws of that path can be used");
    fputs(warnings ? "<ul>\n" : "", r->page);
    for (size_t k = 0; k < warnings; k++) print_warning(r, "li", &r->warnings.warning[k]);
    fputs(warnings ? "</ul>\n" : "", r->page);
    if (warnings == 0) print_no_warnings(r);
    fputs("</section>\n", r->page);
}

/* ---- estimates ---- */

/* Whether the best estimate can be a reference: if the estimates disagree, none of them can. */
static bool trusted(const tw_report *r)
{
    return r->best && (!r->agreement.known || r->agreement.agree);
}

/* Compare the approximations with the best estimate in a separate box, which is green only if all are within
 * its error. */
static void judge_approximations(const tw_report *r)
{
    const struct {
        const char *name;
        double log_z;
    } all[] = {{"Laplace", r->laplace}, {"EP", r->ep}, {"EP corrected", r->ep_corrected}};
    char words[3][TW_WORDS_BYTES];
    size_t known = 0, off = 0;
    if (!trusted(r)) return;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (!isfinite(all[k].log_z)) continue;
        double errors = tw_evidence_compare(r->best, all[k].name, all[k].log_z, words[known++]);
        off += errors > TW_AGREEMENT_LIMIT;
    }
    if (known == 0) return;
    open_box(r->page, off == 0 ? GOOD : BAD,
             off == 0       ? "The approximations are within Monte Carlo error"
             : off == known ? "The approximations differ by more than Monte Carlo error"
                            : "Some approximations differ by more than Monte Carlo error");
    fputs("<p>", r->page);
    for (size_t k = 0; k < known; k++) {
        fputs(k ? " " : "", r->page);
        tw_html_sentence(words[k], r->page);
    }
    fputs("</p>\n</section>\n", r->page);
}

static bool any_doubt(const tw_report *r)
{
    tw_warning doubt;
    for (size_t i = 0; i < r->estimates; i++)
        if (tw_evidence_doubt(&r->estimate[i], &doubt)) return true;
    return false;
}

static void print_doubts(const tw_report *r)
{
    tw_warning doubt;
    for (size_t i = 0; i < r->estimates; i++)
        if (tw_evidence_doubt(&r->estimate[i], &doubt)) print_warning(r, "p", &doubt);
}

static void judge_estimates(const tw_report *r)
{
    const tw_agreement *a = &r->agreement;
    char words[TW_WORDS_BYTES];
    if (r->estimates == 0) return;
    open_box(r->page,
             any_doubt(r) || (a->known && !a->agree) ? BAD
             : a->known                              ? GOOD
                                                     : OPEN,
             !a->known  ? "The log evidence"
             : a->agree ? "The estimates of log Z agree"
                        : "The estimates of log Z do not agree");
    fputs("<p>", r->page);
    tw_agreement_print(a, r->estimate, words);
    tw_html_sentence(words, r->page);
    if (a->known && !a->agree)
        fputs(" At least one has missed part of the posterior: trust neither, and improve mixing with more "
              "transitions, more temperatures or parallel tempering.",
              r->page);
    fputs("</p>\n", r->page);
    print_doubts(r);
    fputs("</section>\n", r->page);
    judge_approximations(r);
}

/* ---- numbers ---- */

static void tile(FILE *page, const char *number, const char *words)
{
    fprintf(page, "<div><b>%s</b><span>%s</span></div>\n", number, words);
}

static void print_tiles(const tw_report *r)
{
    const tw_pool *pool = r->pool;
    const tw_chains_summary *s = &r->summary;
    char text[64];
    if (pool->chained == 0 && !trusted(r)) return;
    fputs("<div class=\"tiles\">\n", r->page);
    if (pool->chained > 0) {
        snprintf(text, sizeof text, "%zu × %zu", pool->chains, pool->draws);
        if (pool->theta) snprintf(text, sizeof text, "%zu", pool->draws);
        tile(r->page, text, pool->theta ? "draws of parameters and latents" : "chains × draws");
        snprintf(text, sizeof text, "%.0f", s->ess_min);
        if (isfinite(s->ess_min))
            tile(r->page, text,
                 pool->theta ? "effective number of draws" : "ESS of the worst latent (bulk, tail, fold)");
        snprintf(text, sizeof text, "%.4f", s->rhat_max);
        if (isfinite(s->rhat_max)) tile(r->page, text, "largest R-hat");
        double rate = s->ess_min / pool->sampling_seconds;
        if (isfinite(rate))
            tile(r->page, tw_html_digits(3, rate, text),
                 pool->theta ? "effective draws per second" : "ESS per second, worst latent");
    }
    if (trusted(r) && tw_evidence_is_exact(r->best->log_z, r->best->se)) {
        snprintf(text, sizeof text, "%.3f", r->best->log_z);
        tile(r->page, text, "log Z, exact up to rounding, nats");
    } else if (trusted(r)) {
        char error[TW_DIGITS_BYTES];
        snprintf(text, sizeof text, "%.3f ±\u00a0%s", r->best->log_z, tw_html_digits(2, r->best->se, error));
        tile(r->page, text, "log Z with its standard error, nats");
    }
    fputs("</div>\n", r->page);
}

void tw_report_verdict(const tw_report *r)
{
    judge_draws(r);
    judge_estimates(r);
    if (!r->figures.drawn) {
        open_box(r->page, BAD, "This page has no plots");
        fputs("<p>gnuplot, which draws the plots, is not installed: install it (Debian and Ubuntu: package "
              "gnuplot-nox) and make the page again.</p>\n"
              "</section>\n",
              r->page);
    }
    print_tiles(r);
}
