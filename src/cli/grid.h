/* grid.h: a surface over two parameters of a kernel: its points, what is known at each, and their picture. */
#ifndef TALWEG_CLI_GRID_H
#define TALWEG_CLI_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "talweg/base.h"
#include "talweg/problem.h"
#include "talweg/warning.h"

/* An axis: n values from low to high, all the same distance apart, of a parameter or of its logarithm. */
enum { TW_AXIS_NAME = 64 };
typedef struct tw_axis {
    double low, high;
    size_t n;
    char name[TW_AXIS_NAME];      /* in tables: "log_ell", "se.ell" */
    char parameter[TW_AXIS_NAME]; /* "ell" */
    bool as_log;
    size_t place; /* of the parameter in theta */
} tw_axis;

static inline double tw_axis_at(const tw_axis *axis, size_t i)
{
    return axis->n < 2 ? axis->low : axis->low + (axis->high - axis->low) * (double)i / (double)(axis->n - 1);
}

/* The columns of the table; which of them are there depends on what was asked for. */
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

/* Point (i, j) of the axes is row i + j * x.n. A number that is not there is NaN: log_z where EP and
 * Laplace both failed, the correction where EP did not converge. */
typedef struct tw_grid {
    tw_axis x, y;
    bool monte_carlo, test; /* are the columns of each there? */
    size_t unconverged;     /* points where EP did not converge */
    double *column[TW_GRID_COLUMNS];
} tw_grid;

/* The options of the axes: N values from A to B, "A:B:N", of log ell and log sigma, or of two named parameters. */
typedef struct tw_grid_axes {
    const char *log_ell, *log_sigma;
    tw_operands named; /* "se.ell=1:4:7"; none: the two above */
} tw_grid_axes;
tw_status tw_grid_parse_axes(tw_context *ctx, const tw_grid_axes *options, tw_grid *grid);

/* Where the parameters of the axes are in theta. Those of axes without names, ell and sigma of one leaf, are the first. */
tw_status tw_grid_find_axes(tw_context *ctx, const tw_kernel *kernel, bool named, tw_grid *grid);

/* The row of the largest value of a column, over the points where EP converged; the number of rows: none. */
size_t tw_grid_best(const tw_grid *grid, tw_grid_column column);

/* The columns that are there, with their names; returns how many. */
size_t tw_grid_columns(const tw_grid *grid, const char *names[TW_GRID_COLUMNS],
                       const double *values[TW_GRID_COLUMNS]);

/* Points where EP did not converge. */
tw_warnings tw_grid_warnings(const tw_grid *grid);

/* On standard output: where the largest values are, and all points as JSON; n cases. */
void tw_grid_print(const tw_grid *grid, const char *data, double seconds, FILE *to);
tw_status tw_grid_print_json(tw_context *ctx, const tw_grid *grid, const tw_problem *problem);

/* Contours of the evidence, and beside them of the information about test data, as SVG or PNG by the ending
 * of path, drawn by gnuplot. */
tw_status tw_grid_plot(tw_context *ctx, const tw_grid *grid, const char *title, const char *path,
                       bool overwrite);

/* Would that work? For the start of a long computation. */
tw_status tw_grid_plot_check(tw_context *ctx, const tw_grid *grid, const char *path, bool overwrite);

#endif
