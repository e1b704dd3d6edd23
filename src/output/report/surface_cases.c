/* surface_cases.c: a map of the posterior at the cases: means over bins of the posterior mean and sd of
 * their latents. It serves priors with a sparse precision, which may not be able to predict at other
 * places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "output/report/html.h"
#include "output/report/surface.h"

enum { MOST_BINS = 80 }; /* along each input */

/* Means over the cases in each bin. */
typedef struct bins {
    size_t side[2];
    double low[2], width[2];
    double mean[MOST_BINS * MOST_BINS], sd[MOST_BINS * MOST_BINS];
    double count[MOST_BINS * MOST_BINS];
} bins;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Set the bins along input k: one for each row of a lattice; for irregular places about the square root of
 * their number. sorted (n numbers) is work. */
static void set_bins(const tw_problem *problem, size_t k, double *sorted, bins *b)
{
    const tw_data *data = problem->data;
    size_t n = data->n - data->hidden;
    memcpy(sorted, data->x + k * data->n, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    double range = sorted[n - 1] - sorted[0], least = INFINITY;
    for (size_t i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] > 1e-9 * range) least = fmin(least, sorted[i] - sorted[i - 1]);
    double rows = isfinite(least) ? round(range / least) + 1.0 : 1.0;
    if (rows > MOST_BINS) rows = fmin(MOST_BINS, ceil(sqrt((double)n)));
    b->side[k] = (size_t)fmax(rows, 1.0);
    b->low[k] = sorted[0];
    b->width[k] = b->side[k] > 1 ? range / (double)(b->side[k] - 1) : 1.0;
}

static void fill_bins(const tw_report *r, bins *b)
{
    const tw_data *data = r->pool->problem->data;
    for (size_t i = 0; i < data->n - data->hidden; i++) {
        size_t at[2];
        for (size_t k = 0; k < 2; k++)
            at[k] = (size_t)fmin(round((data->x[i + k * data->n] - b->low[k]) / b->width[k]),
                                 (double)(b->side[k] - 1));
        size_t bin = at[0] + at[1] * b->side[0];
        b->mean[bin] += r->rows[i].mean;
        b->sd[bin] += r->rows[i].sd;
        b->count[bin] += 1.0;
    }
    for (size_t i = 0; i < b->side[0] * b->side[1]; i++) {
        b->mean[i] = b->count[i] > 0.0 ? b->mean[i] / b->count[i] : NAN;
        b->sd[i] = b->count[i] > 0.0 ? b->sd[i] / b->count[i] : NAN;
    }
}

/* Orange above 0, blue below, and the opaquer the further away; nothing where the value is missing. */
static void print_colour(FILE *script, double value, double range)
{
    bool above = value >= 0.0;
    if (isnan(value))
        fputs(" 0 0 0 0\n", script);
    else
        fprintf(script, " %d %d %d %.0f\n", above ? 221 : 74, above ? 132 : 134, above ? 66 : 200,
                255.0 * fabs(value) / (range > 0.0 ? range : 1.0));
}

static tw_status draw_bins(tw_report *r, const bins *b, const double *values, bool signed_values,
                           const char *title)
{
    const tw_problem *problem = r->pool->problem;
    double low = INFINITY, high = -INFINITY, most = 0.0;
    size_t count = b->side[0] * b->side[1];
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, values[i]); /* a bin without a case is left out by both */
        high = fmax(high, values[i]);
    }
    most = fmax(fabs(low), fabs(high));
    TW_TRY(tw_figure_begin(&r->figures, TW_MAP_HEIGHT, tw_surface_name(problem, 0),
                           tw_surface_name(problem, 1)));
    FILE *script = r->figures.plot.script;
    fputs("$map << END\n", script);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 2; k++) {
            size_t at = k == 0 ? i % b->side[0] : i / b->side[0];
            tw_figure_number(script, tw_surface_input(problem, k, b->low[k] + (double)at * b->width[k]));
        }
        print_colour(script, values[i] - (signed_values ? 0.0 : low), signed_values ? most : high - low);
        if ((i + 1) % b->side[0] == 0) fputc('\n', script);
    }
    fputs("END\nunset grid\nset border 15\nset autoscale fix\nset size ratio -1\n"
          "plot $map using 1:2:3:4:5:6 with rgbalpha\n",
          script);
    tw_figure_draw(&r->figures, title);
    tw_html_print(r->page,
                  signed_values ? "%s, from %.4g (blue: below 0) to %.4g (orange)."
                                : "%s, from %.4g (pale) to %.4g.",
                  title, low, high);
    tw_figure_end(&r->figures);
    return TW_OK;
}

tw_status tw_surface_cases(tw_report *r)
{
    const tw_data *data = r->pool->problem->data;
    void *memory = NULL;
    double *sorted = NULL;
    TW_TRY(tw_allocate(r->ctx, 1, sizeof(bins), "a map", &memory));
    bins *b = memory;
    tw_status status = tw_allocate_doubles(r->ctx, data->n, 1, "a map", &sorted);
    for (size_t k = 0; status == TW_OK && k < 2; k++) set_bins(r->pool->problem, k, sorted, b);
    if (status == TW_OK) {
        fill_bins(r, b);
        status = draw_bins(r, b, b->mean, true, "Posterior mean of the latent function at the cases");
    }
    if (status == TW_OK)
        status =
            draw_bins(r, b, b->sd, false, "Posterior standard deviation of the latent function at the cases");
    tw_release(r->ctx, sorted);
    tw_release(r->ctx, memory);
    return status;
}
