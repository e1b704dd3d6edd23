/* energy.c: the energies of trajectories, and a table of the chains.
 *
 * A trajectory conserves the energy H that it starts with, so only the new momenta change it from draw to
 * draw. If these changes E_i - E_{i-1} have a much smaller spread than the energies E_i, the chain moves
 * slowly through its energies and explores its tails badly (Betancourt 2016). The two histograms show both
 * for all chains together, with E minus its mean in each chain; E-BFMI is the corresponding number.
 */
#include <math.h>
#include <stdlib.h>

#include "output/report/html.h"
#include "output/report/parts.h"

enum { BINS = 41, MOST_ROWS = 10 };

static double mean_of(size_t count, const double *values)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* Whether every file with draws has energies. */
static bool has_energy(const tw_pool *pool)
{
    for (size_t k = 0; k < pool->files; k++)
        if (!tw_run_has_energy(tw_run_describe(pool->run[k]))) return false;
    return pool->draws > 1;
}

/* ---- histograms ---- */

/* Densities in bins from -reach to reach. */
typedef struct histogram {
    double density[BINS];
} histogram;

/* Add one value of `total`. A NaN, which a manipulated file may contain, is in no bin. */
static void add(histogram *h, double value, double reach, double total)
{
    double bin = 0.5 * (value / reach + 1.0) * BINS;
    if (bin >= 0.0 && bin < BINS) h->density[(size_t)bin] += BINS / (2.0 * reach * total);
}

/* The largest |E - mean| and |change| of any chain. */
static double reach_of(const tw_pool *pool, const double *energy)
{
    double reach = 0.0;
    for (size_t c = 0; c < pool->chains; c++) {
        const double *e = energy + c * pool->draws;
        double mean = mean_of(pool->draws, e);
        for (size_t i = 0; i < pool->draws; i++) reach = fmax(reach, fabs(e[i] - mean));
        for (size_t i = 1; i < pool->draws; i++) reach = fmax(reach, fabs(e[i] - e[i - 1]));
    }
    return reach * 1.0001;
}

static void count_energies(const tw_pool *pool, const double *energy, double reach, histogram *marginal,
                           histogram *change)
{
    double draws = (double)pool->draws, chains = (double)pool->chains;
    for (size_t c = 0; c < pool->chains; c++) {
        const double *e = energy + c * pool->draws;
        double mean = mean_of(pool->draws, e);
        for (size_t i = 0; i < pool->draws; i++) add(marginal, e[i] - mean, reach, draws * chains);
        for (size_t i = 1; i < pool->draws; i++) add(change, e[i] - e[i - 1], reach, (draws - 1.0) * chains);
    }
}

static tw_status draw_energies(tw_report *r, const double *energy)
{
    histogram marginal = {.density = {0.0}}, change = {.density = {0.0}};
    double reach = reach_of(r->pool, energy);
    if (!isfinite(reach) || reach == 0.0) return TW_OK;
    count_energies(r->pool, energy, reach, &marginal, &change);
    TW_TRY(tw_figure_begin(&r->figures, TW_FIGURE_HEIGHT, "energy, nats", "density"));
    FILE *script = r->figures.plot.script;
    tw_figure_steps(script, "marginal", BINS, -reach, 2.0 * reach / BINS, marginal.density);
    tw_figure_steps(script, "change", BINS, -reach, 2.0 * reach / BINS, change.density);
    fputs("set yrange [0:*]\nunset grid\nset grid ytics\n"
          "plot " TW_STEPS("marginal", TW_FIRST) ", " TW_STEPS("change", TW_SECOND) "\n",
          script);
    tw_figure_draw(&r->figures, "Energies and their changes");
    tw_figure_key(&r->figures, 3, "Energies of the draws around their mean, and ");
    tw_figure_key(&r->figures, 4, "their changes from one draw to the next.");
    tw_html_print(r->page,
                  " If the changes are much narrower than the energies, the chains explore the tails poorly. "
                  "E-BFMI is at least %.2f; below 0.3 is a problem.",
                  r->summary.ebfmi_min);
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- the chains ---- */

enum { LP, ACCEPTANCE, ENERGY, DIVERGING, STATISTICS };
static const char *const names[STATISTICS] = {"lp", "acceptance_rate", "energy", "diverging"};

typedef struct chain {
    size_t number;
    double acceptance;
} chain;

/* By increasing acceptance; ties keep their order. */
static int by_acceptance(const void *a, const void *b)
{
    const chain *x = a, *y = b;
    if (x->acceptance != y->acceptance) return x->acceptance < y->acceptance ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void print_chain(const tw_report *r, const chain *c, double *const statistic[STATISTICS])
{
    const tw_pool *pool = r->pool;
    size_t at = c->number * pool->draws;
    fprintf(r->page, "<tr><td>%zu</td>", c->number + 1);
    tw_html_number(r->page, 3, c->acceptance);
    tw_html_number(r->page, 2, mean_of(pool->draws, statistic[LP] + at));
    tw_html_number(r->page, 2, has_energy(pool) ? tw_ebfmi(pool->draws, statistic[ENERGY] + at) : NAN);
    tw_html_number(r->page, 0, (double)pool->draws * mean_of(pool->draws, statistic[DIVERGING] + at));
    fputs("</tr>\n", r->page);
}

/* All chains or, if there are many, those with the lowest acceptance, which include a chain that is stuck. */
static tw_status print_chains(const tw_report *r, double *const statistic[STATISTICS])
{
    const tw_pool *pool = r->pool;
    size_t rows = pool->chains < MOST_ROWS ? pool->chains : MOST_ROWS;
    void *memory = NULL;
    TW_TRY(tw_allocate(r->ctx, pool->chains, sizeof(chain), "the chains", &memory));
    chain *order = memory;
    for (size_t c = 0; c < pool->chains; c++)
        order[c] = (chain){c, mean_of(pool->draws, statistic[ACCEPTANCE] + c * pool->draws)};
    if (rows < pool->chains) qsort(order, pool->chains, sizeof *order, by_acceptance);
    fputs("<div><div class=\"wide\"><table>\n<caption><span>", r->page);
    if (rows < pool->chains)
        tw_html_print(r->page, "The %zu chains with the lowest acceptance, of %zu.", rows, pool->chains);
    fputs("</span></caption>\n<tr><th>chain</th><th>acceptance</th><th>mean "
          "lp</th><th>E-BFMI</th><th>failed</th></tr>\n",
          r->page);
    for (size_t k = 0; k < rows; k++) print_chain(r, &order[k], statistic);
    tw_release(r->ctx, memory);
    fputs("</table></div>\n"
          "<p class=\"note\">lp is the log density at the draws, normalised so that it integrates to the "
          "evidence; failed: trajectories in the file that were rejected because they diverged or could not "
          "be computed.</p></div>\n",
          r->page);
    return TW_OK;
}

tw_status tw_report_energy(tw_report *r)
{
    tw_pool *pool = r->pool;
    double *statistic[STATISTICS] = {NULL};
    size_t total = pool->draws * pool->chains;
    if (pool->chained == 0 || pool->theta) return TW_OK;
    TW_TRY(tw_allocate_doubles(r->ctx, total, STATISTICS, "the statistics", &statistic[0]));
    tw_status status = TW_OK;
    for (size_t k = 0; k < STATISTICS && status == TW_OK; k++) {
        statistic[k] = statistic[0] + k * total;
        status = tw_pool_read_statistic(pool, names[k], statistic[k]);
    }
    fprintf(r->page, "<section>\n<h2>%s</h2>\n<div class=\"figures\">\n",
            has_energy(pool) ? "Energy and chains" : "Chains");
    if (status == TW_OK && has_energy(pool)) status = draw_energies(r, statistic[ENERGY]);
    if (status == TW_OK) status = print_chains(r, statistic);
    fputs("</div>\n</section>\n", r->page);
    tw_release(r->ctx, statistic[0]);
    return status;
}
