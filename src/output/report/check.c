/* check.c: the page of a check: the verdict, log Z, claimed against exact values of all latents, and the
 * marginals of the latents with the largest differences. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "data/number.h"
#include "output/report/html.h"
#include "output/report/parts.h"
#include "talweg/check.h"
#include "talweg/files.h"

enum { MOST_ROWS = 10, MOST_MARGINALS = 4, BINS = 40 };

typedef struct check_page {
    tw_context *ctx;
    const tw_problem *problem;
    const tw_claim *claim;
    const tw_check_result *result;
    const tw_check_page *options;
    FILE *page;
    tw_figures figures;
} check_page;

/* ---- the verdict ---- */

static void print_verdict(const check_page *p)
{
    const tw_check_result *r = p->result;
    const char *const headings[] = {"", "is right", "is wrong", "cannot be judged with these draws"};
    fprintf(p->page, "<section class=\"verdict%s\">\n<h2>", r->verdict == TW_CHECK_RIGHT ? "" : " bad");
    tw_html_print(p->page, "%s %s", p->claim->name, headings[r->verdict]);
    fputs("</h2>\n<p>", p->page);
    const char *reason = strstr(r->words, ": "); /* the heading repeats the part before it */
    if (reason) {
        tw_html_print(p->page, "%c", toupper((unsigned char)reason[2]));
        tw_html_sentence(reason + 3, p->page);
    }
    fputs("</p>\n</section>\n", p->page);
}

static void print_warnings(const check_page *p)
{
    const tw_warnings *w = &p->result->warnings;
    if (w->count == 0) return;
    fputs("<section class=\"verdict bad\">\n<h2>Warnings of the exact runs</h2>\n<ul>\n", p->page);
    for (size_t k = 0; k < w->count; k++) {
        char words[TW_WARNING_BYTES];
        tw_warning_print(&w->warning[k], NULL, words);
        fputs("<li>", p->page);
        tw_html_sentence(words, p->page);
        fputs("</li>\n", p->page);
    }
    fputs("</ul>\n</section>\n", p->page);
}

static void print_tile(FILE *page, double value, int digits, const char *words)
{
    char text[TW_DIGITS_BYTES];
    if (isnan(value)) return;
    fprintf(page, "<div><b>%s</b><span>%s</span></div>\n", tw_html_digits(digits, value, text), words);
}

static void print_tiles(const check_page *p)
{
    const tw_check_result *r = p->result;
    fputs("<div class=\"tiles\">\n", p->page);
    print_tile(p->page, r->log_z.claimed, 6, "log Z as claimed, nats");
    if (!isnan(r->log_z.exact) && tw_evidence_is_exact(r->log_z.exact, r->log_z.error))
        print_tile(p->page, r->log_z.exact, 6, "log Z, exact up to rounding, nats");
    else if (!isnan(r->log_z.exact))
        fprintf(p->page,
                "<div><b>%.3f ±\u00a0%.2g</b><span>log Z, exact, with its standard error</span></div>\n",
                r->log_z.exact, r->log_z.error);
    print_tile(p->page, r->rms_mean, 2, "root mean square error of the means, in posterior sds");
    print_tile(p->page, r->rms_sd, 2, "root mean square error of the standard deviations, in posterior sds");
    if (r->count)
        fprintf(p->page, "<div><b>%zu of %zu</b><span>wrong latents</span></div>\n", r->wrong, r->count);
    fputs("</div>\n", p->page);
}

/* ---- all latents ---- */

static bool is_claimed(const tw_check_result *r, tw_check_quantity q)
{
    for (size_t k = 0; k < r->count; k++)
        if (!isnan(r->rows[k].value[q].claimed)) return true;
    return false;
}

/* Claimed against exact values; a correct claim is on the diagonal. */
static tw_status draw_scatter(check_page *p, tw_check_quantity q, const char *words)
{
    const tw_check_result *r = p->result;
    char x_name[64], y_name[64];
    if (!is_claimed(r, q)) return TW_OK;
    snprintf(x_name, sizeof x_name, "exact %s", words);
    snprintf(y_name, sizeof y_name, "claimed %s", words);
    TW_TRY(tw_figure_begin(&p->figures, TW_FIGURE_HEIGHT + 60, x_name, y_name));
    FILE *script = p->figures.plot.script;
    fputs("$latents << END\n", script);
    for (size_t k = 0; k < r->count; k++) {
        tw_figure_number(script, r->rows[k].value[q].exact);
        tw_figure_number(script, r->rows[k].value[q].claimed);
        fputc('\n', script);
    }
    fputs("END\nplot x with lines lw 1 lc " TW_LIMIT ", $latents with points pt 7 ps 0.35 lc " TW_FIRST "\n",
          script);
    tw_figure_draw(&p->figures, words);
    tw_html_print(p->page, "The %s of every latent, claimed against exact. A right value is on the line.",
                  words);
    tw_figure_end(&p->figures);
    return TW_OK;
}

/* ---- one latent ---- */

/* From five standard deviations of the draws below their mean to five above it. */
static void fill_histogram(const check_page *p, const tw_check_row *row, double density[BINS], double *low,
                           double *width)
{
    const tw_draws *x = p->result->drawn.draws;
    double sd = row->value[TW_CHECK_SD].exact, total = (double)(x->draws * x->chains);
    *width = 10.0 * sd / BINS;
    *low = row->value[TW_CHECK_MEAN].exact - 5.0 * sd;
    for (size_t b = 0; b < BINS; b++) density[b] = 0.0;
    for (size_t k = 0; k < x->draws * x->chains; k++) {
        double bin = floor((x->x[row->latent + x->n * k] - *low) / *width);
        if (bin >= 0.0 && bin < BINS) density[(size_t)bin] += 1.0 / (total * *width);
    }
}

/* The claimed quantiles, for a claim without a normal density. */
static void print_quantiles(const tw_check_row *row, double height, FILE *script)
{
    fputs("$claimed << END\n", script);
    for (size_t q = TW_CHECK_Q05; q < TW_CHECK_QUANTITIES; q++) {
        if (isnan(row->value[q].claimed)) continue;
        fprintf(script, "%.7g 0\n%.7g %.7g\n\n", row->value[q].claimed, row->value[q].claimed, height);
    }
    fputs("END\n", script);
}

static void print_marginal(const check_page *p, const tw_check_row *row, FILE *script)
{
    double density[BINS], low, width, highest = 0.0;
    double mean = row->value[TW_CHECK_MEAN].claimed, sd = row->value[TW_CHECK_SD].claimed;
    fill_histogram(p, row, density, &low, &width);
    double from = low, to = low + BINS * width;
    tw_figure_widen(1e-5 * fmax(fabs(low), 1e-300), &from, &to);
    for (size_t b = 0; b < BINS; b++) highest = fmax(highest, density[b]);
    tw_figure_steps(script, "draws", BINS, low, width, density);
    print_quantiles(row, 0.25 * highest, script);
    fprintf(script,
            "set samples 300\nset yrange [0:*]\nset xrange [%.7g:%.7g]\nunset grid\nset grid ytics\nplot ",
            from, to);
    fputs(TW_STEPS("draws", TW_FIRST) ", $claimed with lines lw 1.5 lc " TW_SECOND, script);
    if (!isnan(mean) && !isnan(sd))
        fprintf(script, ", exp(-0.5*((x-(%.7g))/%.7g)**2)/(%.7g*sqrt(2*pi)) with lines lw 2 lc " TW_SECOND,
                mean, sd, sd);
    fputc('\n', script);
}

static tw_status draw_marginal(check_page *p, const tw_check_row *row)
{
    char name[32], description[64];
    snprintf(name, sizeof name, "x.%zu", row->latent + 1);
    snprintf(description, sizeof description, "Marginal of %s", name);
    TW_TRY(tw_figure_begin(&p->figures, TW_FIGURE_HEIGHT, name, "density"));
    print_marginal(p, row, p->figures.plot.script);
    tw_figure_draw(&p->figures, description);
    tw_html_print(p->page, "Marginal of %s: ", name);
    tw_figure_key(&p->figures, 3, "exact draws");
    fputs("; ", p->page);
    tw_figure_key(&p->figures, 4, "as claimed");
    fputs(", with quantiles as short lines.", p->page);
    tw_figure_end(&p->figures);
    return TW_OK;
}

/* ---- tables ---- */

static void print_difference(FILE *page, const tw_check_value *v)
{
    if (isnan(v->difference))
        fputs("<td>–</td>", page);
    else
        fprintf(page, "<td>%+.3f ± %.3f</td>", v->difference, v->error);
}

static void print_table(const check_page *p)
{
    const tw_check_result *r = p->result;
    fputs("<div class=\"wide\"><table>\n<caption><span>Claimed − exact, in posterior standard deviations, ± "
          "the "
          "Monte Carlo "
          "standard error of the exact value.</span></caption>\n<tr><th>latent</th>",
          p->page);
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        fprintf(p->page, "<th>%s</th>", tw_check_quantity_name((tw_check_quantity)q));
    fputs("</tr>\n", p->page);
    for (size_t k = 0; k < r->count && k < MOST_ROWS; k++) {
        fputs("<tr>", p->page);
        tw_html_cell(p->page, "x.%zu", r->rows[k].latent + 1);
        for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) print_difference(p->page, &r->rows[k].value[q]);
        fputs("</tr>\n", p->page);
    }
    fputs("</table></div>\n", p->page);
}

static tw_status print_latents(check_page *p)
{
    const tw_check_result *r = p->result;
    if (r->count == 0) return TW_OK;
    fputs("<section>\n<h2>All latents</h2>\n<div class=\"figures\">\n", p->page);
    TW_TRY(draw_scatter(p, TW_CHECK_MEAN, "mean"));
    TW_TRY(draw_scatter(p, TW_CHECK_SD, "standard deviation"));
    fputs("</div>\n</section>\n<section>\n<h2>The worst latents</h2>\n", p->page);
    print_table(p);
    fputs("<div class=\"figures\">\n", p->page);
    for (size_t k = 0; k < r->count && k < MOST_MARGINALS; k++) TW_TRY(draw_marginal(p, &r->rows[k]));
    fputs("</div>\n</section>\n", p->page);
    return TW_OK;
}

static void print_evidence(const check_page *p)
{
    const tw_check_result *r = p->result;
    if (!r->plan) return;
    fputs("<section>\n<h2>Log evidence</h2>\n<div class=\"wide\"><table>\n<tr><th></th><th>log Z, "
          "nats</th><th>error</th>"
          "</tr>\n<tr>",
          p->page);
    tw_html_cell(p->page, "%s", p->claim->name);
    tw_html_number(p->page, 4, r->log_z.claimed);
    fputs("<td></td></tr>\n", p->page);
    for (size_t k = 0; k < r->evidence.count; k++) {
        fputs("<tr>", p->page);
        tw_html_cell(p->page, "%s", r->evidence.estimate[k].method);
        tw_html_number(p->page, 4, r->evidence.estimate[k].log_z);
        tw_html_number(p->page, 4, r->evidence.estimate[k].se);
        fputs("</tr>\n", p->page);
    }
    fputs("</table></div>\n</section>\n", p->page);
}

static void print_foot(const check_page *p)
{
    if (p->options->command) {
        fputs("<section>\n<h2>Command</h2>\n", p->page);
        tw_html_command(p->options->command, p->page);
        fputs("</section>\n", p->page);
    }
    fputs("<footer>", p->page);
    tw_html_print(p->page, "Made by talweg %s%s.", tw_version(),
                  p->figures.drawn ? ", plots by gnuplot" : "");
    tw_page_end(p->page);
}

/* ---- the page ---- */

static tw_status print_page(check_page *p)
{
    char title[200];
    const char *data = p->options->data ? tw_page_file_name(p->options->data) : "";
    snprintf(title, sizeof title, "%s%sis %s right?", data, *data ? ": " : "", p->claim->name);
    tw_page_begin(p->page, title, "talweg check");
    tw_page_model(p->problem, false, p->page);
    if (p->result->sampling)
        tw_html_print(p->page, "%zu exact draws in %zu chains.",
                      p->result->drawn.draws->draws * p->result->drawn.draws->chains,
                      p->result->drawn.draws->chains);
    fputs("</p>\n", p->page);
    print_verdict(p);
    print_warnings(p);
    print_tiles(p);
    print_evidence(p);
    TW_TRY(print_latents(p));
    print_foot(p);
    return TW_OK;
}

tw_status tw_check_write(const tw_problem *problem, const tw_claim *claim, const tw_check_result *result,
                         const char *path, const tw_check_page *options)
{
    const tw_check_page none = {0};
    check_page p = {.ctx = problem->ctx,
                    .problem = problem,
                    .claim = claim,
                    .result = result,
                    .options = options ? options : &none};
    tw_writer *writer = NULL;
    tw_number_locale locale;
    TW_TRY(tw_writer_open(p.ctx, path, p.options->overwrite, &writer));
    p.page = tw_writer_stream(writer);
    p.figures = (tw_figures){.ctx = p.ctx, .page = p.page, .drawn = tw_gnuplot_available()};
    tw_status status = tw_number_locale_begin(p.ctx, &locale);
    if (status == TW_OK) {
        status = print_page(&p);
        tw_number_locale_end(&locale);
    }
    return tw_writer_close(writer, status);
}
