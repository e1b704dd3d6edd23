/* grid.h: a grid over two parameters of a kernel: its axes, the values at its points, and their output. */
#ifndef TALWEG_CLI_GRID_H
#define TALWEG_CLI_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "talweg/base.h"
#include "talweg/problem.h"
#include "talweg/warning.h"

/* An axis: n equidistant values from low to high of a parameter or of its logarithm. */
enum { TW_AXIS_NAME = 64 };
typedef struct tw_axis {
    double low, high;
    size_t n;
    char name[TW_AXIS_NAME];      /* in tables: "log_ell", "se.ell" */
    char parameter[TW_AXIS_NAME]; /* "ell" */
    bool as_log;
    size_t place; /* index of the parameter in theta */
} tw_axis;

static inline double tw_axis_at(const tw_axis *axis, size_t i)
{
    return axis->n < 2 ? axis->low : axis->low + (axis->high - axis->low) * (double)i / (double)(axis->n - 1);
}

/* The columns of the table.
 * LOG_Z and SE are present with a Monte Carlo method, BITS and ERROR_RATE with test cases. */
typedef enum tw_grid_column {
    TW_GRID_X,
    TW_GRID_Y,
    TW_GRID_EP,
    TW_GRID_CORRECTED,
    TW_GRID_CONVERGED,
    TW_GRID_LOG_Z,
    TW_GRID_SE,
    TW_GRID_BITS,
    TW_GRID_ERROR_RATE,
    TW_GRID_COLUMNS
} tw_grid_column;

/* Point (i, j) of the axes is row i + j * x.n. A missing value is NaN: log_z if EP and Laplace both failed,
 * the correction if EP did not converge. */
typedef struct tw_grid {
    tw_axis x, y;
    bool monte_carlo, test; /* are their columns present? */
    size_t unconverged;     /* points where EP did not converge */
    double *column[TW_GRID_COLUMNS];
} tw_grid;

/* The options of the axes:
 * "A:B:N" (N values from A to B) for log ell and log sigma, or two named parameters. */
typedef struct tw_grid_axes {
    const char *log_ell, *log_sigma;
    tw_operands named; /* "se.ell=1:4:7"; none: the two above */
} tw_grid_axes;
tw_status tw_grid_parse_axes(tw_context *ctx, const tw_grid_axes *options, tw_grid *grid);

/* Find the parameters of the axes in theta.
 * Without --axis they are ell and sigma of the only leaf, the first two. */
tw_status tw_grid_find_axes(tw_context *ctx, const tw_kernel *kernel, bool named, tw_grid *grid);

/* The row with the largest value of a column, among the points where EP converged;
 * x.n * y.n if there is none. */
size_t tw_grid_best(const tw_grid *grid, tw_grid_column column);

/* The columns that are present, with their names; returns their number. */
size_t tw_grid_columns(const tw_grid *grid, const char *names[TW_GRID_COLUMNS],
                       const double *values[TW_GRID_COLUMNS]);

/* The warning about points where EP did not converge. */
tw_warnings tw_grid_warnings(const tw_grid *grid);

/* Print the largest values and where they are, to a stream; or all points as JSON, to standard output. */
void tw_grid_print(const tw_grid *grid, const char *data, double seconds, FILE *to);
tw_status tw_grid_print_json(tw_context *ctx, const tw_grid *grid, const tw_problem *problem);

/* Plot contours of the evidence and, with test cases, of the predictive bits, with gnuplot.
 * The name ends in .svg or .png. */
tw_status tw_grid_plot(tw_context *ctx, const tw_grid *grid, const char *title, const char *path,
                       bool overwrite);

/* Check before a long computation that the plot can be drawn. */
tw_status tw_grid_plot_check(tw_context *ctx, const tw_grid *grid, const char *path, bool overwrite);

#endif
