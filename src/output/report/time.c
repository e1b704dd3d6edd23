/* time.c: the cost of the draws: seconds, draws and effective draws per second, leapfrog steps. */
#include <math.h>
#include <string.h>

#include "output/report/html.h"
#include "output/report/parts.h"

/* Draws from weighted points have no leapfrog steps. */
static bool any_steps(const tw_pool *pool)
{
    for (size_t k = 0; k < pool->files; k++)
        if (tw_run_describe(pool->run[k])->sampling.leapfrog_steps > 0) return true;
    return false;
}

static void print_row(const tw_report *r, const char *name, const tw_run_facts *f, bool steps, double ess)
{
    FILE *page = r->page;
    double seconds = f->sampling_seconds, transitions = (double)f->sampling.transitions;
    fputs("<tr>", page);
    tw_html_cell(page, "%s", name);
    tw_html_cell(page, "%s, %s", f->method, f->metric);
    tw_html_number(page, 2, f->warmup_seconds);
    tw_html_number(page, 2, seconds);
    tw_html_number(page, 0, transitions);
    tw_html_number(page, -4, transitions / seconds);
    if (steps) tw_html_number(page, 0, (double)f->sampling.leapfrog_steps);
    tw_html_number(page, 3, f->sampling.acceptance / transitions);
    tw_html_number(page, 0, ess);
    tw_html_number(page, -4, ess / seconds);
    fputs("</tr>\n", page);
}

/* The ESS of the worst latent from the chains of one file. */
static tw_status worst_ess(tw_report *r, size_t k, double *ess)
{
    tw_chains_summary summary = r->summary;
    if (r->pool->chained > 1) TW_TRY(tw_run_summarise(r->pool->run[k], r->options->threads, NULL, &summary));
    *ess = summary.ess_min;
    return TW_OK;
}

tw_status tw_report_time(tw_report *r)
{
    tw_pool *pool = r->pool;
    bool steps = any_steps(pool);
    if (pool->chained == 0) return TW_OK;
    fprintf(
        r->page,
        "<section>\n"
        "<h2>Time</h2>\n"
        "<div class=\"wide\"><table>\n"
        "<tr><th>file</th><th>sampler</th><th>warm-up, s</th><th>sampling, s</th><th>transitions</th><th>per "
        "second</th>%s<th>acceptance</th><th>ESS</th><th>ESS/s</th></tr>\n",
        steps ? "<th>leapfrog steps</th>" : "");
    for (size_t k = 0; k < pool->files; k++) {
        const tw_run_facts *facts = tw_run_describe(pool->run[k]);
        const char *slash = strrchr(pool->path[k], '/');
        double ess = NAN;
        if (facts->draws == 0) continue;
        TW_TRY(worst_ess(r, k, &ess));
        print_row(r, slash ? slash + 1 : pool->path[k], facts, steps, ess);
    }
    fprintf(
        r->page, "</table></div>\n<p class=\"note\">Seconds of wall time. %s</p>\n</section>\n",
        pool->theta
            ? "Transitions count all particles at all points; ESS is the effective number of draws."
            : "Transitions and leapfrog steps (for slice sampling, evaluations of the likelihood) count all "
              "chains after warm-up; ESS is the smallest of bulk, tail and fold of the worst latent.");
    return TW_OK;
}
