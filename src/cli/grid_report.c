/* grid_report.c: what talweg grid prints: where the largest values are, all points as JSON, the columns of its table. */
#include "cli/grid.h"
#include "cli/warnings.h"

#include "cli/json.h"

static const char *const column_names[TW_GRID_COLUMNS] = {"log_ell",      "log_sigma",       "ep",
                                                          "ep_corrected", "converged",       "log_z",
                                                          "se",           "predictive_bits", "error_rate"};

static bool is_there(const tw_grid *grid, size_t column)
{
    if (column == TW_GRID_LOG_Z || column == TW_GRID_SE) return grid->monte_carlo;
    return (column != TW_GRID_BITS && column != TW_GRID_ERROR_RATE) || grid->test;
}

size_t tw_grid_columns(const tw_grid *grid, const char *names[TW_GRID_COLUMNS],
                       const double *values[TW_GRID_COLUMNS])
{
    size_t count = 0;
    for (size_t c = 0; c < TW_GRID_COLUMNS; c++) {
        if (!is_there(grid, c)) continue;
        names[count] = column_names[c];
        values[count++] = grid->column[c];
    }
    return count;
}

/* ---- for people ---- */

/* A largest value at the edge may be larger beyond it. An axis of one value has no beyond that was asked for. */
static bool at_edge(const tw_axis *axis, size_t i)
{
    return axis->n > 1 && (i == 0 || i == axis->n - 1);
}

static void print_best(const tw_grid *grid, tw_grid_column column, const char *what, const char *unit)
{
    size_t k = tw_grid_best(grid, column);
    if (k == grid->ell.n * grid->sigma.n) return;
    bool edge = at_edge(&grid->ell, k % grid->ell.n) || at_edge(&grid->sigma, k / grid->ell.n);
    printf("  %-22s%12.4f %s at log ell = %.4g, log sigma = %.4g%s\n", what, grid->column[column][k], unit,
           grid->column[TW_GRID_LOG_ELL][k], grid->column[TW_GRID_LOG_SIGMA][k],
           edge ? ", the edge of the grid" : "");
}

void tw_grid_print(const tw_grid *grid, const char *data, double seconds)
{
    size_t points = grid->ell.n * grid->sigma.n;
    printf("%s: %zu x %zu points, %.1f s\n", data, grid->ell.n, grid->sigma.n, seconds);
    printf("Largest values (over the points where EP converged: %zu of %zu)\n", points - grid->unconverged,
           points);
    print_best(grid, TW_GRID_EP, "log Z, EP", "nats");
    print_best(grid, TW_GRID_CORRECTED, "log Z, EP corrected", "nats");
    if (grid->monte_carlo) print_best(grid, TW_GRID_LOG_Z, "log Z, Monte Carlo", "nats");
    if (grid->test) print_best(grid, TW_GRID_BITS, "prediction", "bits");
}

/* ---- JSON ---- */

static json_t *encode_point(const tw_grid *grid, size_t k, bool *ok)
{
    json_t *object = json_object();
    for (size_t c = 0; c < TW_GRID_COLUMNS; c++) {
        double value = grid->column[c][k];
        if (!is_there(grid, c)) continue;
        tw_json_set(object, column_names[c],
                    c == TW_GRID_CONVERGED ? json_boolean(value != 0.0) : tw_json_number(value), ok);
    }
    return object;
}

tw_status tw_grid_print_json(tw_context *ctx, const tw_grid *grid, size_t n)
{
    bool ok = true;
    json_t *object = json_object(), *points = json_array();
    size_t count = grid->ell.n * grid->sigma.n, best = tw_grid_best(grid, TW_GRID_CORRECTED);
    for (size_t k = 0; k < count; k++) tw_json_append(points, encode_point(grid, k, &ok), &ok);
    tw_json_set(object, "n", tw_json_count(n), &ok);
    tw_json_set(object, "shape", json_pack("[I,I]", (json_int_t)grid->ell.n, (json_int_t)grid->sigma.n), &ok);
    tw_json_set(object, "unconverged", tw_json_count(grid->unconverged), &ok);
    tw_json_set(object, "best", best < count ? encode_point(grid, best, &ok) : json_null(), &ok);
    tw_json_set(object, "points", points, &ok);
    return tw_warnings_print_json(ctx, object, ok, stdout);
}
