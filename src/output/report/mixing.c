/* mixing.c: the convergence of every latent: effective sample sizes and R-hat of all of them, and a table of
 * the worst.
 *
 * If there are more latents than a plot can show, neighbours share a point, which shows the worst of them.
 */
#include <math.h>

#include "output/report/html.h"
#include "output/report/parts.h"

enum { MOST_POINTS = 600, TABLE_ROWS = 10 };

/* fmin and fmax, except that NaN wins: a value that could not be computed counts as the worst. */
static double smaller(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* The number of latents that share a point. */
static size_t latents_per_point(const tw_report *r)
{
    return (r->pool->n + MOST_POINTS - 1) / MOST_POINTS;
}

/* Columns: latent (counted from 1, in the middle of its bunch), bulk, tail and fold ESS, R-hat. */
static void print_points(const tw_report *r, FILE *script)
{
    size_t n = r->pool->n, bunch = latents_per_point(r);
    fputs("$latents << END\n", script);
    for (size_t first = 0; first < n; first += bunch) {
        size_t end = first + bunch < n ? first + bunch : n;
        tw_summary worst = r->rows[first];
        for (size_t i = first + 1; i < end; i++) {
            worst.ess_bulk = smaller(worst.ess_bulk, r->rows[i].ess_bulk);
            worst.ess_tail = smaller(worst.ess_tail, r->rows[i].ess_tail);
            worst.ess_fold = smaller(worst.ess_fold, r->rows[i].ess_fold);
            worst.rhat = larger(worst.rhat, r->rows[i].rhat);
        }
        tw_figure_number(script, 0.5 * (double)(first + end + 1));
        tw_figure_number(script, worst.ess_bulk);
        tw_figure_number(script, worst.ess_tail);
        tw_figure_number(script, worst.ess_fold);
        tw_figure_number(script, worst.rhat);
        fputc('\n', script);
    }
    fputs("END\n", script);
    fprintf(script, "set xrange [0:%zu]\nunset grid\nset grid ytics\n", n + 1);
}

static void explain_bunches(const tw_report *r)
{
    if (latents_per_point(r) > 1)
        tw_html_print(r->page, " A point is the worst of %zu neighbouring latents.", latents_per_point(r));
}

static tw_status draw_sizes(tw_report *r)
{
    TW_TRY(tw_figure_begin(&r->figures, TW_FIGURE_HEIGHT, "latent", "effective sample size"));
    FILE *script = r->figures.plot.script;
    print_points(r, script);
    fprintf(script,
            "set yrange [0:*]\n"
            "plot %g lc " TW_LIMIT " dt 2 lw 1.2, $latents using 1:3 with points pt 7 ps 0.3 lc " TW_SECOND
            ", $latents using 1:4 with points pt 7 ps 0.3 lc " TW_THIRD
            ", $latents using 1:2 with points pt 7 ps 0.3 lc " TW_FIRST "\n",
            TW_ESS_ENOUGH);
    tw_figure_draw(&r->figures, "Effective sample sizes of all latents");
    fputs("Effective sample sizes of all latents: ", r->page);
    tw_figure_key(&r->figures, 3, "bulk, for means and medians; ");
    tw_figure_key(&r->figures, 4, "tail, for 5% and 95% quantiles; ");
    tw_figure_key(&r->figures, 5, "fold, for the spread.");
    tw_html_print(r->page, " Dashed: %.0f, the recommended minimum over all chains.", TW_ESS_ENOUGH);
    explain_bunches(r);
    tw_figure_end(&r->figures);
    return TW_OK;
}

static tw_status draw_rhat(tw_report *r)
{
    TW_TRY(tw_figure_begin(&r->figures, TW_FIGURE_HEIGHT, "latent", "R-hat"));
    FILE *script = r->figures.plot.script;
    print_points(r, script);
    fputs("set yrange [0.998:1.012<*]\n"
          "plot 1.01 lc " TW_LIMIT " dt 2 lw 1.2, $latents using 1:5 with points pt 7 ps 0.3 lc " TW_FIRST
          "\n",
          script);
    tw_figure_draw(&r->figures, "R-hat of all latents");
    fputs("R-hat of all latents compares the spread of all chains with that of each chain; 1 means that they "
          "agree. Dashed: 1.01, above which the chains have not converged, unless chance explains it (see "
          "the verdict).",
          r->page);
    explain_bunches(r);
    tw_figure_end(&r->figures);
    return TW_OK;
}

static void print_row(const tw_report *r, size_t latent)
{
    const tw_summary *row = &r->rows[latent];
    FILE *page = r->page;
    fprintf(page, "<tr><td>x.%zu</td>", latent + 1);
    tw_html_number(page, 3, row->mean);
    tw_html_number(page, -2, row->mcse_mean);
    tw_html_number(page, 3, row->sd);
    tw_html_number(page, 3, row->q5);
    tw_html_number(page, 3, row->median);
    tw_html_number(page, 3, row->q95);
    tw_html_number(page, 0, row->ess_bulk);
    tw_html_number(page, 0, row->ess_tail);
    tw_html_number(page, 0, row->ess_fold);
    tw_html_number(page, -3, row->ess / r->pool->sampling_seconds);
    tw_html_number(page, 4, row->rhat);
    fputs("</tr>\n", page);
}

static void print_table(const tw_report *r)
{
    size_t count = r->pool->n < TABLE_ROWS ? r->pool->n : TABLE_ROWS;
    fputs("<div class=\"wide\"><table>\n<caption><span>", r->page);
    if (count < r->pool->n)
        tw_html_print(r->page, "The %zu latents with the smallest ESS, of %zu.", count, r->pool->n);
    fputs(
        "</span></caption>\n<tr><th>latent</th><th>mean</th><th>MCSE</th><th>sd</th><th>5%</th><th>50%</th>"
        "<th>95%</th><th>ESS bulk</th><th>ESS tail</th><th>ESS fold</th><th>ESS/s</th><th>R-hat</th></tr>\n",
        r->page);
    for (size_t k = 0; k < count; k++) print_row(r, r->worst[k]);
    fputs("</table></div>\n", r->page);
}

/* Draws of unknown parameters are not chains. */
tw_status tw_report_mixing(tw_report *r)
{
    if (r->pool->chained == 0 || r->pool->theta) return TW_OK;
    fputs("<section>\n<h2>Convergence of every latent</h2>\n<div class=\"figures\">\n", r->page);
    TW_TRY(draw_sizes(r));
    TW_TRY(draw_rhat(r));
    fputs("</div>\n", r->page);
    print_table(r);
    fputs("</section>\n", r->page);
    return TW_OK;
}
