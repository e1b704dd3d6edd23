/* grid_report.c: the output of talweg grid:
 * the columns of its table, the largest values, JSON, and the plot. */
#include "cli/grid.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/files.h"
#include "talweg/report.h"

static const char *column_name(const tw_grid *grid, size_t column)
{
    static const char *const names[TW_GRID_COLUMNS] = {
        "", "", "ep", "ep_corrected", "converged", "log_z", "se", "predictive_bits", "error_rate"};
    return column == TW_GRID_X ? grid->x.name : column == TW_GRID_Y ? grid->y.name : names[column];
}

static bool is_present(const tw_grid *grid, size_t column)
{
    if (column == TW_GRID_LOG_Z || column == TW_GRID_SE) return grid->monte_carlo;
    return (column != TW_GRID_BITS && column != TW_GRID_ERROR_RATE) || grid->test;
}

size_t tw_grid_columns(const tw_grid *grid, const char *names[TW_GRID_COLUMNS],
                       const double *values[TW_GRID_COLUMNS])
{
    size_t count = 0;
    for (size_t c = 0; c < TW_GRID_COLUMNS; c++) {
        if (!is_present(grid, c)) continue;
        names[count] = column_name(grid, c);
        values[count++] = grid->column[c];
    }
    return count;
}

/* ---- the largest values ---- */

/* Is value i at an end of the axis? Then the maximum may lie outside the grid.
 * An axis of one value does not count. */
static bool at_edge(const tw_axis *axis, size_t i)
{
    return axis->n > 1 && (i == 0 || i == axis->n - 1);
}

static bool is_at_edge(const tw_grid *grid, size_t k)
{
    return at_edge(&grid->x, k % grid->x.n) || at_edge(&grid->y, k / grid->x.n);
}

static void print_best(const tw_grid *grid, tw_grid_column column, const char *what, const char *unit,
                       FILE *to)
{
    size_t k = tw_grid_best(grid, column);
    if (k == grid->x.n * grid->y.n) return;
    bool edge = is_at_edge(grid, k);
    fprintf(to, "  %-22s%12.4f %s at %s%s = %.4g, %s%s = %.4g%s\n", what, grid->column[column][k], unit,
            grid->x.as_log ? "log " : "", tw_plain(grid->x.parameter), grid->column[TW_GRID_X][k],
            grid->y.as_log ? "log " : "", tw_plain(grid->y.parameter), grid->column[TW_GRID_Y][k],
            edge ? ", at the edge of the grid: the maximum may be outside" : ", inside the grid");
}

tw_warnings tw_grid_warnings(const tw_grid *grid)
{
    tw_warnings warnings = {0};
    double points = (double)(grid->x.n * grid->y.n);
    tw_warning some = {.code = TW_WARN_GRID, .number = {(double)grid->unconverged, points}};
    if (grid->unconverged) tw_warnings_add(&warnings, &some);
    return warnings;
}

void tw_grid_print(const tw_grid *grid, const char *data, double seconds, FILE *to)
{
    size_t points = grid->x.n * grid->y.n;
    fflush(stdout); /* `to` may be standard error; keep the order */
    fprintf(to, "%s: %zu x %zu points, %.1f s\n", tw_plain(data), grid->x.n, grid->y.n, seconds);
    fprintf(to, "Largest values (over the points where EP converged: %zu of %zu)\n",
            points - grid->unconverged, points);
    print_best(grid, TW_GRID_EP, "log Z, EP", "nats", to);
    print_best(grid, TW_GRID_CORRECTED, "log Z, EP corrected", "nats", to);
    if (grid->monte_carlo) print_best(grid, TW_GRID_LOG_Z, "log Z, Monte Carlo", "nats", to);
    if (grid->test) print_best(grid, TW_GRID_BITS, "prediction", "bits", to);
}

/* ---- JSON ---- */

static json_t *encode_point(const tw_grid *grid, size_t k, bool *ok)
{
    json_t *object = json_object();
    for (size_t c = 0; c < TW_GRID_COLUMNS; c++) {
        double value = grid->column[c][k];
        if (!is_present(grid, c)) continue;
        tw_json_set(object, column_name(grid, c),
                    c == TW_GRID_CONVERGED ? json_boolean(value != 0.0) : tw_json_number(value), ok);
    }
    return object;
}

tw_status tw_grid_print_json(tw_context *ctx, const tw_grid *grid, const tw_problem *problem)
{
    bool ok = true;
    json_t *object = json_object(), *points = json_array();
    size_t count = grid->x.n * grid->y.n, best = tw_grid_best(grid, TW_GRID_CORRECTED);
    for (size_t k = 0; k < count; k++) tw_json_append(points, encode_point(grid, k, &ok), &ok);
    tw_json_set(object, "n", tw_json_count(problem->data->n), &ok);
    tw_json_set(object, "shape", json_pack("[I,I]", (json_int_t)grid->x.n, (json_int_t)grid->y.n), &ok);
    tw_json_set(object, "unconverged", tw_json_count(grid->unconverged), &ok);
    tw_json_set(object, "best", best < count ? encode_point(grid, best, &ok) : json_null(), &ok);
    tw_json_set(object, "best_at_edge", best < count ? json_boolean(is_at_edge(grid, best)) : json_null(),
                &ok);
    tw_json_set(object, "points", points, &ok);
    return tw_result_print_json(ctx, problem, object, ok, stdout);
}

/* ---- the plot ---- */

enum { PANEL_WIDTH = 600, HEIGHT = 520, CELLS = 40 }; /* CELLS: about as many cells of colour along an axis */

size_t tw_grid_best(const tw_grid *grid, tw_grid_column column)
{
    size_t points = grid->x.n * grid->y.n, best = points;
    for (size_t k = 0; k < points; k++) {
        double value = grid->column[column][k];
        if (isnan(value) || grid->column[TW_GRID_CONVERGED][k] == 0.0) continue;
        if (best == points || value > grid->column[column][best]) best = k;
    }
    return best;
}

/* gnuplot's terminal for a file name; NULL if it ends in neither .svg nor .png. */
static const char *terminal_for(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".svg") == 0) return "svg background '#ffffff' font 'sans,13'";
    if (dot && strcasecmp(dot, ".png") == 0) return "pngcairo font 'sans,11'";
    return NULL;
}

tw_status tw_grid_plot_check(tw_context *ctx, const tw_grid *grid, const char *path, bool overwrite)
{
    if (!terminal_for(path))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--plot %.500s: the name must end in .svg or .png", path);
    if (grid->x.n < 2 || grid->y.n < 2)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--plot needs at least two values on each axis");
    if (!tw_gnuplot_available())
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "--plot needs gnuplot, which is not installed (Debian and Ubuntu: package gnuplot-nox)");
    return tw_writer_hold(ctx, path, overwrite);
}

/* Print a column as a data block of gnuplot. */
static void print_column(FILE *to, const tw_grid *grid, tw_grid_column column)
{
    fprintf(to, "$column_%d << END\n", (int)column);
    for (size_t j = 0; j < grid->y.n; j++) {
        for (size_t i = 0; i < grid->x.n; i++) {
            double value = grid->column[column][i + j * grid->x.n];
            fprintf(to, "%.17g %.17g ", tw_axis_at(&grid->x, i), tw_axis_at(&grid->y, j));
            if (isfinite(value))
                fprintf(to, "%.10g\n", value);
            else
                fprintf(to, "NaN\n");
        }
        fprintf(to, "\n");
    }
    fprintf(to, "END\n");
}

/* Print the points where EP did not converge. gnuplot refuses an empty block, so the first point is NaN. */
static void print_crosses(FILE *to, const tw_grid *grid)
{
    fprintf(to, "$crosses << END\nNaN NaN\n");
    for (size_t k = 0; k < grid->x.n * grid->y.n; k++)
        if (grid->column[TW_GRID_CONVERGED][k] == 0.0)
            fprintf(to, "%.17g %.17g\n", grid->column[TW_GRID_X][k], grid->column[TW_GRID_Y][k]);
    fprintf(to, "END\n");
}

static double smallest(const tw_grid *grid, tw_grid_column column)
{
    double value = INFINITY;
    for (size_t k = 0; k < grid->x.n * grid->y.n; k++) value = fmin(value, grid->column[column][k]);
    return value;
}

/* Contours of log Z at the maximum minus 0, 1, 2, 5, ... nats; colours over the top 50 nats. */
static void print_evidence_levels(FILE *to, double low, double high)
{
    static const double below[] = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
    for (size_t k = 0; k < sizeof below / sizeof *below; k++)
        if (k == 0 || floor(high) - below[k] > low)
            fprintf(to, "%s%.0f", k ? "," : "set cntrparam levels discrete ", floor(high) - below[k]);
    fprintf(to, "\nset cbrange [%.6g:%.6g]\n", fmax(fmin(low, high - 1.0), high - 50.0), high);
}

/* Contours of the predictive bits at multiples of a step that fits their range; colours over the top bit. */
static void print_bit_levels(FILE *to, double low, double high)
{
    double span = high - low, step = span > 1.0 ? 0.2 : span > 0.3 ? 0.1 : span > 0.1 ? 0.05 : 0.01;
    double top = floor(high / step) * step;
    for (size_t k = 0; k < 15; k++)
        if (k == 0 || top - (double)k * step > low)
            fprintf(to, "%s%.2f", k ? "," : "set cntrparam levels discrete ", top - (double)k * step);
    fprintf(to, "\nset cbrange [%.6g:%.6g]\n", fmax(fmin(low, high - 0.01), high - 1.0), high);
}

/* Print one panel: colours, contours with labels, a dot at the maximum, crosses where EP did not converge. */
static void print_panel(FILE *to, const tw_grid *grid, tw_grid_column column, const char *heading)
{
    size_t best = tw_grid_best(grid, column);
    if (best == grid->x.n * grid->y.n) return;
    double high = grid->column[column][best], low = smallest(grid, column);
    bool bits = column == TW_GRID_BITS;
    if (bits)
        print_bit_levels(to, low, high);
    else
        print_evidence_levels(to, low, high);
    fprintf(to, "$best << END\n%.17g %.17g\nEND\n", grid->column[TW_GRID_X][best],
            grid->column[TW_GRID_Y][best]);
    fprintf(to, "set title '%s; largest (dot): %.*f'\nset cblabel '%s'\n", heading, bits ? 3 : 2, high,
            bits ? "bits" : "nats");
    fprintf(to, "set cntrlabel onecolor format '%%.%df' font ',10' start 12 interval 150\n", bits ? 2 : 0);
    fprintf(to, "splot $column_%d with pm3d nocontour notitle, ", (int)column);
    fprintf(to, "$column_%d with lines nosurface lw 1.1 lc rgb '#404040' notitle, ", (int)column);
    fprintf(to, "$column_%d with labels nosurface tc rgb '#000000' notitle, ", (int)column);
    fprintf(to, "$crosses using 1:2:(0) with points nocontour pt 2 ps 0.7 lc rgb '#404040' notitle, ");
    fprintf(to, "$best using 1:2:(0) with points nocontour pt 7 ps 1.2 lc rgb '#d00000' notitle\n");
}

/* noenhanced, because an underscore in a name would otherwise mean a subscript. */
static void print_label(FILE *to, const char *which, const tw_axis *axis)
{
    const char *what = strcmp(axis->parameter, "ell") == 0     ? " (length scale)"
                       : strcmp(axis->parameter, "sigma") == 0 ? " (amplitude)"
                                                               : "";
    char label[TW_AXIS_NAME + 32];
    snprintf(label, sizeof label, "%s%s%s", axis->as_log ? "log " : "", axis->parameter, what);
    fprintf(to, "set %s ", which);
    tw_gnuplot_quote(label, to);
    fprintf(to, " noenhanced\n");
}

static void print_script(FILE *to, const tw_grid *grid, const char *title, const char *terminal)
{
    tw_grid_column evidence = grid->monte_carlo ? TW_GRID_LOG_Z : TW_GRID_CORRECTED;
    int panels = grid->test ? 2 : 1;
    fprintf(to, "set encoding utf8\nset terminal %s size %d,%d\n", terminal, panels * PANEL_WIDTH, HEIGHT);
    print_column(to, grid, evidence);
    if (grid->test) print_column(to, grid, TW_GRID_BITS);
    print_crosses(to, grid);
    fprintf(to, "set multiplot layout 1,%d title ", panels);
    tw_gnuplot_quote(strrchr(title, '/') ? strrchr(title, '/') + 1 : title, to);
    fprintf(to, " font ',13' noenhanced\n");
    print_label(to, "xlabel", &grid->x);
    print_label(to, "ylabel", &grid->y);
    fprintf(to, "set tics out nomirror\nset palette defined "
                "(0 '#ffffff', 1 '#dbe9f6', 2 '#a9cfe5', 3 '#6baed6', 4 '#3787c0')\nset contour base\n"
                "set cntrparam cubicspline\nset cntrparam points 8\n");
    fprintf(to, "set pm3d map interpolate %zu,%zu\n", 1 + CELLS / grid->y.n, 1 + CELLS / grid->x.n);
    fprintf(to, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", grid->x.low, grid->x.high,
            grid->y.low, grid->y.high);
    print_panel(to, grid, evidence, grid->monte_carlo ? "log Z by Monte Carlo" : "log Z by corrected EP");
    if (grid->test) print_panel(to, grid, TW_GRID_BITS, "predictions, bits per test case");
    fprintf(to, "unset multiplot\n");
}

tw_status tw_grid_plot(tw_context *ctx, const tw_grid *grid, const char *title, const char *path,
                       bool overwrite)
{
    tw_writer *writer = NULL;
    tw_gnuplot plot;
    TW_TRY(tw_writer_open(ctx, path, overwrite, &writer));
    tw_status status = tw_gnuplot_begin(ctx, &plot);
    if (status == TW_OK) {
        print_script(plot.script, grid, title, terminal_for(path));
        status = tw_gnuplot_end(&plot, tw_writer_stream(writer));
    }
    if (status != TW_OK) tw_fail_within(ctx, status, "%.1000s: ", path);
    return tw_writer_close(writer, status);
}
