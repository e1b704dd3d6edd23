/* traces.c: traces and rank plots of the worst latents.
 *
 * A rank plot (Vehtari et al. 2021) ranks the draws of all chains together and shows, for each chain, the
 * number of its draws in bins of ranks of equal width. If the chains agree, all bins have about equally many.
 * A trace shows every k-th draw, so that the page stays small for long chains.
 */
#include <math.h>

#include "diagnose/sort.h"
#include "output/report/html.h"
#include "output/report/parts.h"

enum { MOST_CHAINS = 8, MOST_POINTS = 4000, MOST_CHAIN_POINTS = 1000, BINS = 20, HEIGHT = 210 };

/* The draws of a latent, and memory to rank them. */
typedef struct latent {
    size_t index, draws, chains, shown; /* shown: chains in the plots, evenly spaced if there are many */
    double *x;                          /* x[i + draws c] */
    double *sorted;
    uint32_t *place, *counts;
    tw_sort_item *items;
} latent;

static size_t chain_at(const latent *l, size_t k)
{
    return k * l->chains / l->shown;
}

static void print_colours(FILE *script)
{
    for (int k = 0; k < TW_CHAIN_COLOURS; k++)
        fprintf(script, "set style line %d lw 0.6 lc rgb '#0100%02x'\n", k + 1, TW_CHAIN_COLOUR + k);
}

/* ---- traces ---- */

static size_t stride_of(const latent *l)
{
    size_t most = MOST_POINTS / l->shown < MOST_CHAIN_POINTS ? MOST_POINTS / l->shown : MOST_CHAIN_POINTS;
    return (l->draws + most - 1) / most;
}

static void print_trace(const latent *l, FILE *script)
{
    size_t stride = stride_of(l);
    print_colours(script);
    for (size_t k = 0; k < l->shown; k++) {
        fprintf(script, "$chain%zu << END\n", k + 1);
        for (size_t i = 0; i < l->draws; i += stride) {
            fprintf(script, "%zu", i + 1);
            tw_figure_number(script, l->x[i + l->draws * chain_at(l, k)]);
            fputc('\n', script);
        }
        fputs("END\n", script);
    }
    fprintf(script, "set xrange [0:%zu]\nunset grid\nset grid ytics\nplot ", l->draws);
    for (size_t k = 0; k < l->shown; k++)
        fprintf(script, "%s$chain%zu with lines ls %zu", k ? ", " : "", k + 1, k + 1);
    fputc('\n', script);
}

static tw_status draw_trace(tw_report *r, const latent *l)
{
    const tw_summary *row = &r->rows[l->index];
    char description[64], name[32];
    snprintf(name, sizeof name, "x.%zu", l->index + 1);
    snprintf(description, sizeof description, "Trace of %s", name);
    TW_TRY(tw_figure_begin(&r->figures, HEIGHT, "draw", name));
    print_trace(l, r->figures.plot.script);
    tw_figure_draw(&r->figures, description);
    tw_html_print(r->page, "Trace of x.%zu: ESS %.0f, R-hat %.4f.", l->index + 1, row->ess, row->rhat);
    if (stride_of(l) > 1) tw_html_print(r->page, " One draw in %zu is shown.", stride_of(l));
    if (l->shown < l->chains) tw_html_print(r->page, " %zu of %zu chains are shown.", l->shown, l->chains);
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- ranks ---- */

/* Use fewer bins for few draws: about ten draws of a chain in each, and at least 5 bins. */
static size_t bins_of(const latent *l)
{
    size_t bins = l->draws / 10;
    return bins < 5 ? 5 : bins > BINS ? BINS : bins;
}

/* count[b + BINS c] is the number of draws of chain c with ranks in bin b. Equal draws keep their order: ties
 * come from rejected proposals and are in one or two bins. */
static size_t count_ranks(latent *l, uint32_t *count)
{
    size_t total = l->draws * l->chains, bins = bins_of(l), most = 0;
    tw_sort(total, l->x, l->items, l->counts, l->sorted, l->place);
    for (size_t k = 0; k < BINS * l->chains; k++) count[k] = 0;
    for (size_t rank = 0; rank < total; rank++) {
        uint32_t *bin = &count[rank * bins / total + BINS * (l->place[rank] / l->draws)];
        if (++*bin > most) most = *bin;
    }
    return most;
}

/* One row for each chain, the first on top: bars above its base line, and a dashed line at their height if
 * ranks were uniform. */
static void print_ranks(const latent *l, const uint32_t *count, size_t most, FILE *script)
{
    size_t bins = bins_of(l), total = l->draws * l->chains;
    double unit = 0.86 / (double)most, even = unit * (double)l->draws / (double)bins;
    double width = (double)total / (double)bins;
    print_colours(script);
    fprintf(script, "unset grid\nset xrange [0:%zu]\n", total);
    fprintf(script, "set yrange [0:%zu]\nset border 1\nset tics scale 0.5\nset ytics scale 0 ()\n", l->shown);
    for (size_t k = 0; k < l->shown; k++) {
        size_t c = chain_at(l, k), base = l->shown - 1 - k;
        fprintf(script, "set ytics add ('%zu' %g)\n", c + 1, (double)base + 0.43);
        fprintf(script, "$even%zu << END\n0 %g\n%zu %g\nEND\n", k + 1, (double)base + even, total,
                (double)base + even);
        fprintf(script, "$chain%zu << END\n", k + 1);
        for (size_t b = 0; b < bins; b++)
            fprintf(script, "%g %zu %g %g %zu %g\n", ((double)b + 0.5) * width, base, (double)b * width,
                    ((double)b + 0.94) * width, base, (double)base + unit * count[b + BINS * c]);
        fputs("END\n", script);
    }
    fputs("set style fill solid 0.6 noborder\nplot ", script);
    for (size_t k = 0; k < l->shown; k++)
        fprintf(script, "%s$chain%zu with boxxyerror ls %zu, $even%zu with lines lw 0.8 dt 2 lc " TW_INK,
                k ? ", " : "", k + 1, k + 1, k + 1);
    fputc('\n', script);
}

static tw_status draw_ranks(tw_report *r, latent *l, uint32_t *count)
{
    char description[64];
    snprintf(description, sizeof description, "Rank plot of x.%zu", l->index + 1);
    TW_TRY(tw_figure_begin(&r->figures, HEIGHT, "rank among all draws", "chain"));
    print_ranks(l, count, count_ranks(l, count), r->figures.plot.script);
    tw_figure_draw(&r->figures, description);
    tw_html_print(r->page, "Ranks of the draws of x.%zu, chain by chain.", l->index + 1);
    tw_figure_end(&r->figures);
    return TW_OK;
}

/* ---- both ---- */

static tw_status allocate(tw_report *r, latent *l, uint32_t **count)
{
    size_t total = l->draws * l->chains;
    void *memory = NULL;
    TW_TRY(tw_allocate_doubles(r->ctx, total, 2, "the draws of a latent", &l->x));
    l->sorted = l->x + total;
    TW_TRY(tw_allocate(r->ctx, 2 * total, sizeof *l->items, "the draws to rank", &memory));
    l->items = memory;
    size_t counts = (size_t)TW_SORT_PASSES * TW_SORT_BUCKETS;
    TW_TRY(tw_allocate(r->ctx, total + counts + BINS * l->chains, sizeof(uint32_t), "the ranks", &memory));
    l->place = memory;
    l->counts = l->place + total;
    *count = l->counts + counts;
    return TW_OK;
}

static tw_status draw_latents(tw_report *r, latent *l, uint32_t *count)
{
    size_t most = r->options->latents < r->pool->n ? r->options->latents : r->pool->n;
    for (size_t k = 0; k < most; k++) {
        l->index = r->worst[k];
        TW_TRY(tw_pool_read_latents(r->pool, l->index, 1, l->x));
        if (isnan(r->rows[l->index].rhat)) continue; /* constant or not finite: nothing to rank */
        TW_TRY(draw_trace(r, l));
        TW_TRY(draw_ranks(r, l, count));
    }
    return TW_OK;
}

tw_status tw_report_traces(tw_report *r)
{
    tw_pool *pool = r->pool;
    latent l = {.draws = pool->draws, .chains = pool->chains};
    uint32_t *count = NULL;
    l.shown = l.chains < MOST_CHAINS ? l.chains : MOST_CHAINS;
    if (pool->chained == 0 || r->options->latents == 0 || !pool->has_x || pool->theta) return TW_OK;
    fputs("<section>\n<h2>Traces and ranks of the worst latents</h2>\n", r->page);
    fputs("<p>A trace shows the draws in order, with one colour per chain. A rank plot shows their ranks "
          "among all draws: the bars of each chain should end near its dashed line; a slope or a bulge means "
          "that the chain differs from the others.</p>\n"
          "<div class=\"figures\">\n",
          r->page);
    tw_status status = allocate(r, &l, &count);
    if (status == TW_OK) status = draw_latents(r, &l, count);
    tw_release(r->ctx, l.x);
    tw_release(r->ctx, l.items);
    tw_release(r->ctx, l.place);
    fputs("</div>\n</section>\n", r->page);
    return status;
}
