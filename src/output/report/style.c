/* style.c: the frame of a page: head, style sheet, title; foot.
 *
 * The page loads nothing, and its content security policy forbids it to. Colours are variables with values
 * for light and dark pages; figures use them by number (output/report/figure.h).
 */
#include <string.h>

#include "output/report/html.h"
#include "output/report/parts.h"

static const char style[] =
    ":root{color-scheme:light "
    "dark;--page:#fff;--edge:#8a96a3;--ink:#1c2126;--soft:#5b6570;--line:#dde2e7;--card:#f6f8fa;"
    "--good:#2e7d4f;--good-page:#eef7f1;--bad:#b3541e;--bad-page:#fdf3ec;"
    "--c1:#3c444c;--c2:#dfe4e8;--c3:#2f6db3;--c4:#d0722a;--c5:#2f8f5b;--c6:#c0392b;"
    "--c10:#2f6db3;--c11:#d0722a;--c12:#2f8f5b;--c13:#a8437a;--c14:#6c5fc0;--c15:#8a6a2f;--c16:#22919f;"
    "--c17:#6b747d}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14181c;--edge:#5a6672;--ink:#e4e8ec;--soft:#9aa5b0;--"
    "line:#2e363e;"
    "--card:#1b2126;--good:#6cc493;--good-page:#17251d;--bad:#eb9a62;--bad-page:#2b2019;"
    "--c1:#b4bec8;--c2:#2b333b;--c3:#6aa5e8;--c4:#ee9a57;--c5:#62c08c;--c6:#f07b6c;"
    "--c10:#6aa5e8;--c11:#ee9a57;--c12:#62c08c;--c13:#dd86b4;--c14:#a59bef;--c15:#c9a762;--c16:#5cc7d3;"
    "--c17:#9aa5b0}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',"
    "Roboto,'Helvetica Neue',Arial,sans-serif;-webkit-text-size-adjust:100%}\n"
    "main{max-width:1080px;margin:0 auto;padding:2rem 1rem 3rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:0;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:2.6rem 0 .6rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "p{margin:.5rem 0;max-width:72ch}\n"
    ".about{color:var(--soft);margin:.3rem 0 1.4rem;max-width:none}\n"
    "a{color:var(--c3)}\n"
    ".verdict{border-left:4px solid var(--good);background:var(--good-page);padding:.8rem 1.1rem;"
    "border-radius:0 6px 6px 0}\n"
    ".verdict h2{border:0;margin:0;padding:0;color:var(--good)}\n"
    ".verdict.bad{--good:var(--bad);--good-page:var(--bad-page)}\n"
    ".verdict.open{--good:var(--soft);--good-page:var(--card)}\n"
    ".verdict+.verdict{margin-top:.8rem}\n"
    ".verdict ul{margin:.4rem 0;padding-left:1.2rem}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:1rem 2rem;"
    "align-items:start}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:.8rem;"
    "margin:1.2rem 0}\n"
    ".tiles div{background:var(--card);border-radius:6px;padding:.6rem .8rem}\n"
    ".tiles b{display:block;font-size:1.1rem;font-weight:600;"
    "font-variant-numeric:tabular-nums}\n"
    ".tiles span{color:var(--soft);font-size:.85rem;line-height:1.3;display:block}\n"
    "figure{margin:.6rem 0;max-width:560px;min-width:0}\n"
    "figure svg{display:block;width:100%;height:auto;font-family:inherit}\n"
    "figcaption,.note{color:var(--soft);font-size:.875rem;line-height:1.45}\n"
    "figcaption b{color:var(--ink);font-weight:600}\n"
    ".absent{border:1px dashed var(--line);border-radius:6px;padding:2rem 1rem;text-align:center;"
    "color:var(--soft);max-width:none}\n";

/* C11 guarantees 4095 characters in a string literal, hence a second one. */
static const char style_of_tables[] =
    /* A shadow marks a table that continues beyond an edge; a cover that scrolls with the table hides it at
     * the end. */
    ".wide{overflow-x:auto;margin:.6rem 0;background:linear-gradient(90deg,var(--page) 40%,transparent) 0 "
    "0/3rem "
    "100% no-repeat local,linear-gradient(270deg,var(--page) 40%,transparent) 100% 0/3rem 100% no-repeat "
    "local,"
    "linear-gradient(90deg,var(--edge),transparent) 0 0/1rem 100% no-repeat scroll,"
    "linear-gradient(270deg,var(--edge),transparent) 100% 0/1rem 100% no-repeat scroll}\n"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "caption{caption-side:top;text-align:left;color:var(--soft);padding-bottom:.3rem;white-space:normal}\n"
    /* a caption stays in view while its table scrolls */
    "caption span{display:inline-block;position:sticky;left:0;max-width:min(72ch,calc(100vw - 2rem))}\n"
    "th,td{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--line)}\n"
    "th:first-child,td:first-child{text-align:left;padding-left:0}\n"
    "th:last-child,td:last-child{padding-right:0}\n"
    "th{font-weight:600;border-bottom-color:var(--soft)}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:0 2rem;"
    "margin:.6rem 0}\n"
    "dl div{display:flex;gap:.8rem;padding:.25rem 0;border-bottom:1px solid var(--line)}\n"
    "dt{flex:0 0 8.5rem;color:var(--soft)}dd{margin:0;min-width:0;overflow-wrap:anywhere}\n"
    "code{white-space:nowrap}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85rem}\n"
    "pre{background:var(--card);border-radius:6px;padding:.7rem .9rem;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n"
    /* a command wraps between its words, not at the hyphens within them */
    "pre span{display:inline-block;max-width:100%}\n"
    "footer{color:var(--soft);font-size:.85rem;margin-top:3rem;border-top:1px solid var(--line);"
    "padding-top:.6rem}\n"
    "@media print{main{max-width:none;padding:0}figure,table,.verdict{break-inside:avoid}}\n";

enum { MOST_SCALES = 6 }; /* most length scales shown at the top of the page */

const char *tw_page_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static const char *title_of(const tw_report *r)
{
    const char *data = tw_run_describe(r->pool->run[0])->data;
    if (r->options->title) return r->options->title;
    return tw_page_file_name(*data ? data : r->pool->path[0]);
}

/* The kernel with its parameters, at their mode if they are unknown. */
static void print_kernel(const tw_problem *problem, bool unknown, FILE *page)
{
    const char *shape = tw_kernel_shape(problem->kernel);
    char *words = NULL;
    if (tw_kernel_matrix(problem->kernel, NULL)) {
        tw_html_print(page, "a given kernel matrix. ");
        return;
    }
    tw_html_print(page, "%s%skernel of %zu input%s", shape ? shape : "", shape ? " " : "", problem->data->d,
                  problem->data->d == 1 ? "" : "s");
    if (tw_kernel_describe(problem->kernel, MOST_SCALES, &words) == TW_OK)
        tw_html_print(page, unknown ? " (parameters unknown, with their mode at %.400s)" : " (%.400s)",
                      words);
    fputs(". ", page);
    tw_release(problem->ctx, words);
}

void tw_page_model(const tw_problem *problem, bool unknown, FILE *page)
{
    const tw_data *data = problem->data;
    size_t hidden = data->hidden, cases = data->n - hidden;
    char constants[400];
    tw_problem_describe_constants(problem, constants, sizeof constants);
    tw_html_print(page, "%zu case%s", cases, cases == 1 ? "" : "s");
    if (hidden > 0) tw_html_print(page, " and %zu hidden variables", hidden);
    if (problem->likelihood->two_classes && data->labels.count == 2)
        tw_html_print(page, " (+1 is %.60s, −1 is %.60s)", data->labels.text[1], data->labels.text[0]);
    tw_html_print(page, ", %s likelihood%s%s%s, ", problem->likelihood->name, *constants ? " (" : "",
                  constants, *constants ? ")" : "");
    print_kernel(problem, unknown, page);
}

static void print_subtitle(const tw_report *r)
{
    const tw_pool *pool = r->pool;
    tw_page_model(pool->problem, pool->theta != NULL, r->page);
    if (pool->theta && pool->chains == 1) /* resampled weighted points, not a chain */
        tw_html_print(r->page, "%zu draws of parameters and latents. ", pool->draws);
    else if (pool->chained > 0)
        tw_html_print(r->page, "%zu draws of the posterior in %zu chain%s. ", pool->draws * pool->chains,
                      pool->chains, pool->chains == 1 ? "" : "s");
    if (r->estimates > 0)
        tw_html_print(r->page, "%zu estimate%s of the log evidence. ", r->estimates,
                      r->estimates == 1 ? "" : "s");
    fputs("<a href=\"#setting\">Settings</a>", r->page);
}

void tw_page_begin(FILE *page, const char *title, const char *kind)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
          page);
    tw_html_print(page, "%s: %s", title, kind);
    fputs("</title>\n<style>\n", page);
    fputs(style, page);
    fputs(style_of_tables, page);
    fputs("</style>\n</head>\n<body>\n" TW_SVG_SYMBOLS "<main>\n<h1>", page);
    tw_html_text(title, page);
    fputs("</h1>\n<p class=\"about\">", page);
}

void tw_page_end(FILE *page)
{
    fputs("</footer>\n</main>\n</body>\n</html>\n", page);
}

void tw_report_head(const tw_report *r)
{
    tw_page_begin(r->page, title_of(r), "talweg report");
    print_subtitle(r);
    fputs("</p>\n", r->page);
}

void tw_report_foot(const tw_report *r)
{
    fputs("<footer>", r->page);
    tw_html_print(r->page,
                  "Made by talweg %s%s. ESS, R-hat and rank plots are those of Vehtari, Gelman, "
                  "Simpson, Carpenter and Bürkner (2021), Bayesian Analysis 16(2).",
                  tw_version(), r->figures.drawn ? ", plots by gnuplot" : "");
    tw_page_end(r->page);
}
