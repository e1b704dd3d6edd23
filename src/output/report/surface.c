/* surface.c: predictions over the inputs: a curve with a band over one input, a map over two.
 *
 * One input: quantiles of x_n carry over to those of E[y_n | x_n], which is monotone in x_n, so that the curve
 * at the training inputs needs nothing but the table of quantiles. Two inputs: E[y*] on a grid, averaged over
 * at most about MAP_DRAWS draws; the colour is that of the likelier class, the more opaque the surer. With a
 * sparse precision the map is that of surface_cases.c.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "covariance/precision.h"
#include "likelihood/likelihood.h"
#include "output/report/html.h"
#include "output/report/predictions.h"
#include "output/report/surface.h"
#include "output/run/pool_source.h"

enum { SIDE = 50, CELLS = SIDE * SIDE, MAP_DRAWS = 1000, CURVE_HEIGHT = 300, MOST_POINTS = 1500 };

/* ---- axes ---- */

double tw_surface_input(const tw_problem *problem, size_t input, double value)
{
    const tw_scaling *s = problem->scaling;
    return s ? s->centre[input] + s->scale[input] * value : value;
}

/* A name may be anything, and gnuplot's text is not HTML. */
const char *tw_surface_name(const tw_problem *problem, size_t input)
{
    const char *name = problem->data->names ? problem->data->names[input] : "";
    bool plain = *name && strlen(name) < 40;
    for (const char *c = name; *c && plain; c++) plain = isalnum((unsigned char)*c) || strchr(" ._-+()", *c);
    return plain ? name : input == 0 ? "first input" : "second input";
}

/* The points of one class, or all if sign is 0: (first input, second input or y). */
static void print_cases(const tw_problem *problem, const char *block, double sign, FILE *script)
{
    const tw_data *data = problem->data;
    size_t n = data->n - data->hidden, stride = (n + MOST_POINTS - 1) / MOST_POINTS;
    fprintf(script, "$%s << END\nNaN NaN\n", block);
    for (size_t i = 0; i < n; i += stride) {
        if (sign * data->y[i] < 0.0) continue;
        tw_figure_number(script, tw_surface_input(problem, 0, data->x[i]));
        tw_figure_number(script,
                         data->d > 1 ? tw_surface_input(problem, 1, data->x[i + data->n]) : data->y[i]);
        fputc('\n', script);
    }
    fputs("END\n", script);
}

/* ---- one input ---- */

typedef struct place {
    double input;
    size_t latent;
} place;

static int by_input(const void *a, const void *b)
{
    double x = ((const place *)a)->input, y = ((const place *)b)->input;
    return (x > y) - (x < y);
}

static void print_curve(const tw_report *r, const place *order, FILE *script)
{
    const tw_problem *problem = r->pool->problem;
    tw_observations observed = tw_problem_observed(problem);
    size_t n = r->pool->n - problem->data->hidden, stride = (n + MOST_POINTS - 1) / MOST_POINTS;
    fputs("$curve << END\n", script);
    for (size_t i = 0; i < n; i += stride) {
        const tw_summary *row = &r->rows[order[i].latent];
        double x[] = {row->q5, row->median, row->q95}, y[3];
        if (tw_expect_many(&observed, order[i].latent, 0.0, 3, x, y, NULL) != TW_OK)
            y[0] = y[1] = y[2] = NAN; /* a gap in the curve */
        tw_figure_number(script, tw_surface_input(problem, 0, order[i].input));
        for (size_t k = 0; k < 3; k++) tw_figure_number(script, y[k]);
        fputc('\n', script);
    }
    fputs("END\n", script);
}

static tw_status draw_curve(tw_report *r, const place *order)
{
    const tw_problem *problem = r->pool->problem;
    bool binary = problem->likelihood->two_classes;
    TW_TRY(tw_figure_begin(&r->figures, CURVE_HEIGHT, tw_surface_name(problem, 0),
                           binary ? "probability of +1" : "mean of y"));
    FILE *script = r->figures.plot.script;
    print_curve(r, order, script);
    print_cases(problem, "cases", 0.0, script);
    fprintf(script, "set autoscale xfix\n%s", binary ? "set yrange [-0.05:1.05]\n" : "");
    fprintf(script,
            "plot $curve using 1:2:4 with filledcurves lc " TW_FIRST
            ", '' using 1:3 with lines lw 1.8 lc " TW_FIRST
            ", $cases using 1:%s with points pt 7 ps 0.35 lc " TW_INK "\n",
            binary ? "($2>0)" : "2");
    tw_figure_draw(&r->figures, "Predictions over the input");
    tw_figure_key(&r->figures, 3, binary ? "The probability of +1" : "The mean of y");
    fputs(" at the training inputs: median and central 90% of the posterior; ", r->page);
    tw_figure_key(&r->figures, 1, binary ? "labels (0 is −1)." : "observations.");
    tw_figure_end(&r->figures);
    return TW_OK;
}

static tw_status show_curve(tw_report *r)
{
    void *memory = NULL;
    size_t n = r->pool->n - r->pool->problem->data->hidden;
    TW_TRY(tw_allocate(r->ctx, n, sizeof(place), "the order of the inputs", &memory));
    place *order = memory;
    for (size_t i = 0; i < n; i++) order[i] = (place){r->pool->problem->data->x[i], i};
    qsort(order, n, sizeof *order, by_input);
    tw_status status = draw_curve(r, order);
    tw_release(r->ctx, order);
    return status;
}

/* ---- two inputs ---- */

/* A grid over the training inputs and 4% beyond. */
static tw_status make_grid(const tw_data *train, tw_data **out)
{
    double x[2 * CELLS], low[2], high[2];
    for (size_t k = 0; k < 2; k++) {
        const double *input = train->x + k * train->n;
        low[k] = high[k] = input[0];
        for (size_t i = 1; i < train->n; i++) {
            low[k] = fmin(low[k], input[i]);
            high[k] = fmax(high[k], input[i]);
        }
        double margin = high[k] > low[k] ? 0.04 * (high[k] - low[k]) : 1.0;
        low[k] -= margin;
        high[k] += margin;
    }
    for (size_t j = 0; j < SIDE; j++)
        for (size_t i = 0; i < SIDE; i++) {
            x[i + SIDE * j] = low[0] + (high[0] - low[0]) * (double)i / (SIDE - 1);
            x[i + SIDE * j + CELLS] = low[1] + (high[1] - low[1]) * (double)j / (SIDE - 1);
        }
    return tw_data_new(train->ctx, CELLS, 2, x, CELLS, NULL, out);
}

/* Set each column to the training cases' value if it is constant, otherwise to the likelihood's default;
 * *differs is then a column that is not constant. */
static tw_status give_columns(const tw_problem *problem, tw_data *grid, const tw_column **differs)
{
    const tw_likelihood *likelihood = problem->likelihood;
    TW_TRY(tw_problem_fill_columns(problem, grid, differs));
    for (size_t k = 0; k < likelihood->columns; k++) {
        const tw_column *column = &likelihood->column[k];
        if (column->required && !tw_data_column(grid, column->name))
            TW_TRY(tw_data_repeat_column(grid, column->name, column->default_value));
    }
    return TW_OK;
}

static tw_status predict_grid(tw_report *r, const tw_data *grid, double *expected)
{
    const tw_problem *problem = r->pool->problem;
    tw_pool_draws draws = {r->pool, 1 + (r->pool->draws * r->pool->chains - 1) / MAP_DRAWS};
    tw_draw_source source = tw_pool_source(&draws);
    tw_draws_predictor_options options = TW_DRAWS_PREDICTOR_DEFAULTS;
    tw_draws_predictor *predictor = NULL;
    options.threads = r->options->threads;
    tw_theta_places *places = NULL;
    TW_TRY(tw_pool_places(&draws, &places));
    if (places) source.places = tw_theta_places_table(places);
    tw_status status = tw_draws_predictor_new(problem->model, &source, &options, &predictor);
    if (status == TW_OK)
        status = tw_draws_predictor_at(predictor, problem->kernel, problem->data, grid, 0, grid->n,
                                       &(tw_predictions){.expected = expected});
    tw_draws_predictor_free(predictor);
    tw_theta_places_free(places);
    return status;
}

static void print_grid(const tw_problem *problem, const tw_data *grid, const double *expected, FILE *script)
{
    fputs("$map << END\n", script);
    for (size_t j = 0; j < SIDE; j++) {
        for (size_t i = 0; i < SIDE; i++) {
            size_t k = i + SIDE * j;
            tw_figure_number(script, tw_surface_input(problem, 0, grid->x[k]));
            tw_figure_number(script, tw_surface_input(problem, 1, grid->x[k + CELLS]));
            tw_figure_number(script, expected[k]);
            fputc('\n', script);
        }
        fputc('\n', script);
    }
    fputs("END\n", script);
}

/* Convert contour lines to tables of points before plotting, since a map has no third axis. */
static void print_contours(bool binary, FILE *script)
{
    fputs("set contour base\nunset surface\nset autoscale fix\nunset grid\nset border 15\n", script);
    fprintf(script, "set cntrparam levels %s\nset table $lines\nsplot $map\nunset table\n",
            binary ? "discrete 0.1,0.25,0.75,0.9" : "auto 8");
    fprintf(script, "set cntrparam levels discrete %s\nset table $middle\nsplot $map\nunset table\n",
            binary ? "0.5" : "1e300");
}

static void print_map(const tw_problem *problem, double low, double high, FILE *script)
{
    bool binary = problem->likelihood->two_classes;
    print_contours(binary, script);
    print_cases(problem, "positive", binary ? 1.0 : 0.0, script);
    print_cases(problem, "negative", -1.0, script);
    if (binary)
        fputs("plot $map using 1:2:($3>0.5?74:221):($3>0.5?134:132):($3>0.5?200:66):(190*abs(2*$3-1)) with "
              "rgbalpha",
              script);
    else
        fprintf(script, "plot $map using 1:2:(74):(134):(200):(200*($3-(%.9g))/%.9g) with rgbalpha", low,
                high > low ? high - low : 1.0);
    fputs(", $lines using 1:2 with lines lw 0.7 lc " TW_INK ", $middle using 1:2 with lines lw 2 lc " TW_INK,
          script);
    fprintf(script, ", $positive with points pt 7 ps 0.35 lc %s", binary ? TW_FIRST : TW_INK);
    if (binary) fputs(", $negative with points pt 9 ps 0.4 lc " TW_SECOND, script);
    fputc('\n', script);
}

static void explain_map(tw_report *r, const tw_column *differs, double low, double high)
{
    if (r->pool->problem->likelihood->two_classes) {
        fputs("Predictive probability of +1, averaged over the posterior: lines at 0.1, 0.25, 0.5 "
              "(thick), 0.75 and 0.9; training cases of ",
              r->page);
        tw_figure_key(&r->figures, 3, "class +1 and ");
        tw_figure_key(&r->figures, 4, "class −1 (triangles).");
    } else {
        fputs("Predicted mean of y", r->page);
        if (differs) tw_html_print(r->page, " for %s %g", differs->name, differs->default_value);
        tw_html_print(r->page,
                      ", averaged over the posterior, from %.4g (pale) to %.4g, and the training inputs.",
                      low, high);
    }
}

static tw_status draw_map(tw_report *r, tw_data *grid, double *expected)
{
    const tw_problem *problem = r->pool->problem;
    const tw_column *differs = NULL;
    double low = INFINITY, high = -INFINITY;
    TW_TRY(give_columns(problem, grid, &differs));
    TW_TRY(predict_grid(r, grid, expected));
    for (size_t k = 0; k < grid->n; k++) {
        low = fmin(low, expected[k]);
        high = fmax(high, expected[k]);
    }
    if (!(low <= high)) low = high = 0.0; /* all means are withheld */
    TW_TRY(tw_figure_begin(&r->figures, TW_MAP_HEIGHT, tw_surface_name(problem, 0),
                           tw_surface_name(problem, 1)));
    print_grid(problem, grid, expected, r->figures.plot.script);
    print_map(problem, low, high, r->figures.plot.script);
    tw_figure_draw(&r->figures, "Map of the predictions over the two inputs");
    explain_map(r, differs, low, high);
    tw_figure_end(&r->figures);
    return TW_OK;
}

static tw_status show_map(tw_report *r)
{
    tw_data *grid = NULL;
    double *expected = NULL;
    TW_TRY(make_grid(r->pool->problem->data, &grid));
    tw_status status = tw_allocate_doubles(r->ctx, grid->n, 1, "the map", &expected);
    if (status == TW_OK) status = draw_map(r, grid, expected);
    tw_release(r->ctx, expected);
    tw_data_free(grid);
    return status;
}

tw_status tw_report_surface(tw_report *r, bool *shown)
{
    const tw_problem *problem = r->pool->problem;
    if (tw_kernel_has_precision_only(problem->kernel) && problem->data->d >= 2) {
        *shown = true;
        return tw_surface_cases(r);
    }
    size_t inputs = tw_kernel_matrix(problem->kernel, NULL) ? 0 : problem->data->d;
    *shown = inputs == 1 || inputs == 2;
    if (!*shown) return TW_OK;
    return inputs == 1 ? show_curve(r) : show_map(r);
}
