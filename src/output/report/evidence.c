/* evidence.c: the estimates of log Z with their errors, and the values of Laplace, EP and corrected EP. */
#include <math.h>
#include <string.h>

#include "output/report/html.h"
#include "output/report/parts.h"

enum { MARGIN = 70, ROW_HEIGHT = 26 };

typedef struct range {
    double low, high;
} range;

/* The range of all estimates with three standard errors. */
static range range_of_estimates(const tw_report *r)
{
    range span = {INFINITY, -INFINITY};
    for (size_t k = 0; k < r->estimates; k++) {
        const tw_estimate *e = &r->estimate[k];
        double reach = isfinite(e->se) ? 3.0 * e->se : 0.0;
        if (!isfinite(e->log_z)) continue;
        span.low = fmin(span.low, e->log_z - reach);
        span.high = fmax(span.high, e->log_z + reach);
    }
    if (span.high <= span.low) span = (range){span.low - 0.5, span.high + 0.5};
    if (isfinite(span.low)) tw_figure_widen(1e-4 * (1.0 + fabs(span.low)), &span.low, &span.high);
    return span;
}

/* An approximation is plotted unless it is so far off that the estimates would shrink to a point. */
static bool is_near(range span, double log_z)
{
    double reach = 8.0 * (span.high - span.low);
    return isfinite(log_z) && log_z > span.low - reach && log_z < span.high + reach;
}

static range range_of_plot(const tw_report *r, range span)
{
    const double others[] = {r->laplace, r->ep, r->ep_corrected};
    range all = span;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (!is_near(span, others[k])) continue;
        all.low = fmin(all.low, others[k]);
        all.high = fmax(all.high, others[k]);
    }
    double margin = 0.05 * (all.high - all.low);
    return (range){all.low - margin, all.high + margin};
}

/* A vertical line through all rows. */
static void print_line(const tw_report *r, range span, double log_z, const char *block, FILE *script)
{
    double at = is_near(span, log_z) ? log_z : NAN;
    fprintf(script, "$%s << END\n", block);
    tw_figure_number(script, at);
    fputs(" 0.4\n", script);
    tw_figure_number(script, at);
    fprintf(script, " %g\nEND\n", (double)r->estimates + 0.6);
}

/* 1, 2 or 5 times a power of ten, such that at most six tics fit: long numbers need space. */
static double tic_step(range all)
{
    double step = 0.17 * (all.high - all.low), unit = pow(10.0, floor(log10(step)));
    return (step > 5.0 * unit ? 10.0 : step > 2.0 * unit ? 5.0 : step > unit ? 2.0 : 1.0) * unit;
}

static void print_script(const tw_report *r, range span, FILE *script)
{
    range all = range_of_plot(r, span);
    fprintf(script, "set xtics %.9g\n", tic_step(all));
    fprintf(script, "set xrange [%.9g:%.9g]\nset yrange [0.4:%g]\nset border 1\nset ytics scale 0 ()\n",
            all.low, all.high, (double)r->estimates + 0.6);
    fputs("unset grid\nset grid xtics\n$estimates << END\n", script);
    for (size_t k = 0; k < r->estimates; k++) {
        fprintf(script, "%zu", r->estimates - k);
        tw_figure_number(script, r->estimate[k].log_z);
        tw_figure_number(script, isfinite(r->estimate[k].se) ? r->estimate[k].se : 0.0);
        fputc('\n', script);
    }
    fputs("END\n", script);
    for (size_t k = 0; k < r->estimates; k++) {
        fputs("set ytics add (", script);
        tw_gnuplot_quote(r->estimate[k].method, script);
        fprintf(script, " %zu)\n", r->estimates - k);
    }
    print_line(r, span, r->laplace, "laplace", script);
    print_line(r, span, r->ep, "ep", script);
    print_line(r, span, r->ep_corrected, "corrected", script);
    fputs("set lmargin at screen 0.27\nplot $laplace with lines lw 1.5 dt 3 lc " TW_THIRD
          ", $ep with lines lw 1.5 dt 2 lc " TW_SECOND ", $corrected with lines lw 1.5 dt 1 lc " TW_SECOND
          ", $estimates using ($2-2*$3):1:(4*$3):(0) with vectors nohead lw 1.2 lc " TW_FIRST
          ", '' using ($2-$3):1:(2*$3):(0) with vectors nohead lw 3.5 lc " TW_FIRST
          ", '' using 2:1 with points pt 7 ps 0.4 lc " TW_FIRST "\n",
          script);
}

static void explain(const tw_report *r, range span, double log_z, int colour, const char *name)
{
    char words[96];
    const char *where = log_z < span.low ? " (further left)" : " (further right)";
    if (!isfinite(log_z)) return;
    snprintf(words, sizeof words, "%s %.3f%s", name, log_z, is_near(span, log_z) ? "" : where);
    fputs("; ", r->page);
    tw_figure_key(&r->figures, colour, words);
}

static tw_status draw_estimates(tw_report *r)
{
    range span = range_of_estimates(r);
    if (!isfinite(span.low)) return TW_OK;
    TW_TRY(tw_figure_begin(&r->figures, MARGIN + ROW_HEIGHT * (int)r->estimates, "log Z, nats", ""));
    print_script(r, span, r->figures.plot.script);
    tw_figure_draw(&r->figures, "Estimates of log Z with their errors");
    fputs("Estimates of log Z with one (thick) and two (thin) standard errors", r->page);
    explain(r, span, r->laplace, 5, "Laplace (dotted)");
    explain(r, span, r->ep, 4, "EP (dashed)");
    explain(r, span, r->ep_corrected, 4, "EP corrected (solid)");
    fputc('.', r->page);
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- the table ---- */

/* Whether all estimates used the same kind of path; then the table needs no column for it. */
static bool same_paths(const tw_report *r)
{
    for (size_t k = 1; k < r->estimates; k++)
        if (strcmp(r->about[k].from, r->about[0].from) != 0 ||
            strcmp(r->about[k].kernel, r->about[0].kernel) != 0)
            return false;
    return true;
}

static void print_approximation(const tw_report *r, const char *name, double log_z)
{
    if (!isfinite(log_z)) return;
    fprintf(r->page, "<tr><td>%s</td>%s", name, same_paths(r) ? "" : "<td></td>");
    tw_html_number(r->page, 4, log_z);
    fputs("<td></td><td></td><td></td><td></td></tr>\n", r->page);
}

static void print_estimate(const tw_report *r, size_t k)
{
    const tw_estimate *e = &r->estimate[k];
    FILE *page = r->page;
    fputs("<tr>", page);
    tw_html_cell(page, "%s", e->method);
    if (!same_paths(r)) tw_html_cell(page, "%s, %s", r->about[k].from, r->about[k].kernel);
    tw_html_number(page, 4, e->log_z);
    tw_html_number(page, e->se < 1000.0 ? 4 : -2, e->se);
    if (isfinite(e->weight_ess))
        tw_html_cell(page, "%.1f of %zu", e->weight_ess, e->particles);
    else
        fputs("<td>–</td>", page);
    tw_html_number(page, 3, e->acceptance);
    tw_html_number(page, 2, r->about[k].seconds);
    fputs("</tr>\n", page);
}

static void print_table(const tw_report *r)
{
    fprintf(r->page,
            "<div><div class=\"wide\"><table>\n<tr><th>method</th>%s<th>log Z</th><th>error</th>"
            "<th>weights</th><th>accept.</th><th>s</th></tr>\n",
            same_paths(r) ? "" : "<th>from, by</th>");
    print_approximation(r, "Laplace", r->laplace);
    print_approximation(r, "EP", r->ep);
    print_approximation(r, "EP corrected", r->ep_corrected);
    for (size_t k = 0; k < r->estimates; k++) print_estimate(r, k);
    fputs("</table></div>\n<p class=\"note\">", r->page);
    if (same_paths(r))
        tw_html_print(r->page, "All paths start at q = %s and use %s. ", r->about[0].from,
                      r->about[0].kernel);
    fputs(
        "Nats; errors are standard errors; weights: their effective number; accept.: mean acceptance of the "
        "transitions; s: seconds of wall time.</p></div>\n",
        r->page);
}

tw_status tw_report_evidence(tw_report *r)
{
    if (r->estimates == 0) return TW_OK;
    fputs("<section>\n<h2>Log evidence</h2>\n<div class=\"figures\">\n", r->page);
    TW_TRY(draw_estimates(r));
    print_table(r);
    fputs("</div>\n</section>\n", r->page);
    return TW_OK;
}
