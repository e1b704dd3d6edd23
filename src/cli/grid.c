/* grid.c: talweg grid: evidence and predictions over a grid of (log ell, log sigma), as in Kuss and Rasmussen
 * (2005), or of any two parameters of a kernel. Along a row of the grid EP starts from sites extrapolated
 * from the previous points (tw_ep_sequence), if these predict well. */
#include "cli/grid_surface.h"

#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/team.h"

static const char *method_names(void)
{
    return "ep, ais, rm";
}

#define FIELD(member) offsetof(tw_grid_options, member)

static const tw_option rows[] = {
    {.name = "log-ell",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(axes.log_ell),
     .argument = "A:B:N",
     .default_value = "0:5:11",
     .help = "natural logarithm of the length scale: N values from A to B"},
    {.name = "log-sigma",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(axes.log_sigma),
     .argument = "A:B:N",
     .default_value = "0:5:11",
     .help = "natural logarithm of the latent function's standard deviation: N values from A to B"},
    {.name = "axis",
     .kind = TW_OPTION_TEXTS,
     .offset = FIELD(axes.named),
     .argument = "NAME=A:B:N",
     .help = "N values from A to B of another kernel parameter ('se.ell=1:4:7') or of its logarithm "
             "('se.log_ell=0:1.5:7'), instead of --log-ell and --log-sigma; must be given twice"},
    {.name = "method",
     .kind = TW_OPTION_CHOICE,
     .offset = FIELD(method),
     .argument = "NAME",
     .default_value = "ep",
     .choices = method_names,
     .help = "ep: log Z of EP and corrected EP only; ais, rm: also a Monte Carlo estimate with its error"},
    {TW_ROW_TEST(FIELD(test)),
     .help = "labelled cases to predict at each point; the table gets the mean of log2 p(y), plus 1 for two "
             "classes (0 bits for coin flips, 1 for certainty), and the error rate"},
    {TW_ROW_NEW_CATEGORIES(FIELD(new_categories))},
    {TW_ROW_OUTPUT(FIELD(output_file)), .help = "write the table to a CSV file; default: print it"},
    {.name = "plot",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(plot),
     .argument = "FILE",
     .help = "draw contours to a file that ends in .svg or .png; needs gnuplot (package gnuplot-nox)"},
};

/* ---- one point ---- */

/* Scores of predictions for the test cases. */
static tw_status score(tw_surface *s, const tw_model *model, const tw_approximation *approximation,
                       tw_scores *scores)
{
    size_t m = s->at.m;
    double *mean = s->latent, *variance = mean + m, *expected = variance + m, *log_score = expected + m;
    tw_observations at = tw_new_inputs_observed(&s->at, s->problem, 0, m);
    tw_predictor *predictor = NULL;
    TW_TRY(tw_predictor_new(model, approximation, &predictor));
    tw_status status = tw_predictor_at(predictor, s->kernel, s->problem->data, s->at.data, mean, variance);
    tw_predictor_free(predictor);
    if (status != TW_OK) return status;
    TW_TRY(tw_predict_observations(s->ctx, &at, mean, variance, expected, NULL));
    TW_TRY(tw_predict_log_scores(s->ctx, &at, mean, variance, log_score));
    *scores = tw_predict_scores(&at, expected, log_score);
    return TW_OK;
}

static tw_status predict(tw_surface *s, const tw_model *model, const tw_approximation *gaussian, size_t k)
{
    tw_scores scores;
    double coin = s->problem->likelihood->two_classes ? 1.0 : 0.0; /* so that coin flips score 0 bits */
    if (!s->grid.test || !gaussian) return TW_OK;
    TW_TRY(score(s, model, gaussian, &scores));
    s->grid.column[TW_GRID_BITS][k] = coin + scores.log_score / log(2.0);
    s->grid.column[TW_GRID_ERROR_RATE][k] = scores.error_rate;
    return TW_OK;
}

static tw_status estimate(tw_surface *s, const tw_evidence_plan *plan, size_t k)
{
    tw_evidence_result result;
    if (!s->grid.monte_carlo) return TW_OK;
    TW_TRY(tw_evidence_run(plan, NULL, &result));
    const tw_estimate *e = &result.estimate[0];
    s->grid.column[TW_GRID_LOG_Z][k] = e->log_z;
    s->grid.column[TW_GRID_SE][k] = e->weight_ess < 2.0 ? NAN : e->se;
    return TW_OK;
}

/* Predict from the Gaussian that the path starts from, and estimate log Z by Monte Carlo if requested. */
static tw_status estimate_evidence(tw_surface *s, const tw_model *model, const tw_fits *fits, size_t k)
{
    tw_anneal_files files = {.schedule = s->schedule};
    tw_evidence_options options;
    tw_evidence_plan *plan = NULL;
    tw_status status = tw_anneal_translate(s->ctx, &s->options->anneal, model, NULL, &files, &options);
    options.methods = s->grid.monte_carlo ? s->options->method : "";
    options.fits = fits;
    if (status == TW_OK) status = tw_evidence_plan_new(model, &options, NULL, &plan);
    if (status == TW_OK) status = predict(s, model, plan->fits.gaussian, k);
    if (status == TW_OK) status = estimate(s, plan, k);
    tw_evidence_plan_free(plan);
    tw_reference_free(files.reference);
    return status;
}

/* Compute a point. If EP did not converge, its last value is kept and flagged. Values that could not be
 * computed stay NaN: a numerical failure does not end the command. */
static tw_status fill_point(tw_surface *s, const tw_model *model, size_t k)
{
    tw_grid *grid = &s->grid;
    tw_fits fits;
    tw_fits_options options = TW_FITS_DEFAULTS;
    options.sequence = s->row;
    options.laplace = strcmp(s->options->anneal.from, "laplace") == 0; /* otherwise only if EP fails */
    tw_status status = tw_fits_make(model, &options, &fits);
    bool converged = fits.ep && fits.ep->converged;
    if (fits.ep) grid->column[TW_GRID_EP][k] = fits.ep->log_z;
    if (converged) grid->column[TW_GRID_CORRECTED][k] = fits.correction.log_z;
    grid->column[TW_GRID_CONVERGED][k] = converged;
    if (status == TW_OK) status = estimate_evidence(s, model, &fits, k);
    tw_fits_release(&fits);
    bool failed = status == TW_NOT_CONVERGED || status == TW_NUMERICAL_FAILURE;
    return failed ? TW_OK : status;
}

static tw_status compute_point(tw_surface *s, size_t i, size_t j)
{
    size_t k = i + j * s->grid.x.n;
    if (i == 0) tw_ep_sequence_restart(s->row);
    double x = tw_axis_at(&s->grid.x, i), y = tw_axis_at(&s->grid.y, j);
    tw_model *model = NULL;
    s->theta[s->grid.x.place] = s->grid.x.as_log ? x : log(x);
    s->theta[s->grid.y.place] = s->grid.y.as_log ? y : log(y);
    TW_TRY(tw_kernel_set_theta(s->kernel, s->theta));
    for (size_t c = 0; c < TW_GRID_COLUMNS; c++) s->grid.column[c][k] = NAN;
    s->grid.column[TW_GRID_X][k] = x;
    s->grid.column[TW_GRID_Y][k] = y;
    TW_TRY(tw_model_from_data(s->problem->data, s->kernel, s->problem->likelihood, s->problem->phi,
                              s->problem->jitter, &model));
    tw_status status = fill_point(s, model, k);
    tw_model_free(model);
    return status;
}

/* ---- all points ---- */

static tw_status load(tw_surface *s)
{
    char log_ell[40];
    tw_model_options model = s->options->model;
    model.log_sigma = model.sigma = NAN; /* an expression holds its own values */
    if (tw_kernel_is_shape(model.kernel) && s->options->axes.named.count == 0) {
        snprintf(log_ell, sizeof log_ell, "%.17g", s->grid.x.low);
        model.log_ell = log_ell;
        model.log_sigma = s->grid.y.low;
    }
    TW_TRY(tw_model_options_load(s->ctx, &model, &s->problem));
    TW_TRY(tw_grid_find_axes(s->ctx, s->problem->kernel, s->options->axes.named.count > 0, &s->grid));
    size_t count = tw_kernel_count(s->problem->kernel);
    TW_TRY(tw_allocate_doubles(s->ctx, count, 1, "the parameters", &s->theta));
    memcpy(s->theta, tw_kernel_theta(s->problem->kernel), count * sizeof *s->theta);
    return tw_kernel_copy(s->problem->kernel, &s->kernel);
}

static tw_status load_test(tw_surface *s)
{
    const char *path = s->options->test;
    if (!path) return TW_OK;
    const tw_model_options *model = &s->options->model;
    tw_new_columns columns = {model->label_column, &model->given, &model->ignore, s->options->new_categories};
    TW_TRY(tw_new_inputs_read(s->problem, path, columns, &s->at));
    if (!s->at.y) return tw_fail(s->ctx, TW_BAD_DATA, "%.1000s: --test needs labelled cases", path);
    TW_TRY(tw_allocate_doubles(s->ctx, s->at.m, 4, "the predictions", &s->latent));
    s->grid.test = true;
    return TW_OK;
}

static tw_status check_interrupt(const tw_surface *s, size_t done)
{
    if (!tw_interrupt_seen() || done >= s->points) return TW_OK;
    return tw_fail(s->ctx, TW_INTERRUPTED, "interrupted after %zu of %zu points", done, s->points);
}

/* The number of points that the team has done, if every member is as far in its row as this one. */
static size_t count_done(const tw_surface *s, size_t in_row)
{
    size_t done = s->first * s->grid.x.n + in_row * s->members;
    return done < s->points ? done : s->points;
}

/* Compute a row, without the points of a checkpoint. EP's initial sites come only from the same row, so rows
 * are independent. Without a team a checkpoint can be saved after each point. */
static tw_status compute_row(void *user, size_t item)
{
    tw_surface *s = user;
    size_t row = s->first + item, first = row * s->grid.x.n, end = first + s->grid.x.n;
    for (size_t k = first > s->done ? first : s->done; k < end; k++) {
        TW_TRY(compute_point(s, k - first, row));
        tw_meter_show(&s->meter, TW_METER_COUNT(count_done(s, k + 1 - first), s->points));
        if (s->members > 1) continue;
        if (tw_saver_is_due(&s->saver)) tw_surface_save(s, k + 1);
        TW_TRY(check_interrupt(s, k + 1));
    }
    return TW_OK;
}

/* Compute the next rows, one for each member of the team; then the leader may save a checkpoint. */
static tw_status compute_rows(tw_surface *s)
{
    void *columns[TW_GRID_COLUMNS];
    size_t across = s->grid.x.n, left = s->grid.y.n - s->first, count = left < s->members ? left : s->members;
    for (size_t c = 0; c < TW_GRID_COLUMNS; c++) columns[c] = s->grid.column[c] + s->first * across;
    TW_TRY(tw_team_compute(s->ctx, count, compute_row, s,
                           (tw_shared_arrays){TW_GRID_COLUMNS, across * sizeof(double), columns}));
    s->first += count;
    if (s->members == 1 || !tw_team_leads(s->ctx)) return TW_OK;
    tw_ep_sequence_restart(s->row); /* the checkpoint ends with a complete row */
    if (tw_saver_is_due(&s->saver)) tw_surface_save(s, s->first * across);
    return check_interrupt(s, s->first * across);
}

/* Compute all points; the members of a team divide the rows. */
static tw_status compute_points(tw_surface *s)
{
    const tw_team *team = tw_context_team(s->ctx);
    TW_TRY(tw_surface_resume(s));
    s->members = team ? team->size : 1;
    tw_meter_begin(&s->meter, s->options->output.quiet, "grid", "points");
    s->meter.first = s->done;
    for (s->first = s->done / s->grid.x.n; s->first < s->grid.y.n;) TW_TRY(compute_rows(s));
    s->grid.unconverged = tw_surface_unconverged(s, s->points);
    return TW_OK;
}

static tw_status compute(tw_surface *s)
{
    tw_grid *grid = &s->grid;
    TW_TRY(load(s));
    TW_TRY(load_test(s));
    TW_TRY(tw_ep_sequence_new(s->ctx, s->problem->data->n, &s->row));
    TW_TRY(tw_allocate_doubles(s->ctx, s->points, TW_GRID_COLUMNS, "the grid", &grid->column[0]));
    for (size_t c = 1; c < TW_GRID_COLUMNS; c++) grid->column[c] = grid->column[0] + c * s->points;
    s->start = tw_wall_seconds();
    tw_terminal_mute(s->ctx);                /* the summary replaces a note for each point */
    if (s->saver.path) tw_interrupt_catch(); /* without a checkpoint nothing could be kept */
    tw_status status = compute_points(s);
    tw_meter_end(&s->meter);
    tw_terminal_log_to(s->ctx, s->options->output.quiet);
    return status;
}

/* ---- results ---- */

static tw_status report(const tw_surface *s)
{
    const char *names[TW_GRID_COLUMNS];
    const double *values[TW_GRID_COLUMNS];
    const tw_grid_options *o = s->options;
    tw_csv csv = {s->points, tw_grid_columns(&s->grid, names, values), names, values, NULL, false};
    tw_warnings warnings = tw_grid_warnings(&s->grid);
    tw_warnings_keep(&warnings);
    if (o->output.json)
        TW_TRY(tw_grid_print_json(s->ctx, &s->grid, s->problem));
    else if (!o->output_file)
        TW_TRY(tw_csv_print(s->ctx, &csv, stdout));
    if (!o->output.json &&
        (o->output_file || !o->output.quiet)) /* to standard error if the table is printed */
        tw_grid_print(&s->grid, o->model.data, tw_wall_seconds() - s->start,
                      o->output_file ? stdout : stderr);
    tw_warnings_say(&warnings);
    if (o->output_file) TW_TRY(tw_csv_save(s->ctx, &csv, o->output_file, o->output.force));
    return o->plot ? tw_grid_plot(s->ctx, &s->grid, o->model.data, o->plot, o->output.force) : TW_OK;
}

/* ---- the command ---- */

static tw_status check(tw_context *ctx, const tw_grid_options *options, tw_surface *s)
{
    const tw_grid *grid = &s->grid;
    tw_anneal_files files = {0};
    tw_status status = tw_anneal_options_check(ctx, &options->anneal, "", &files);
    s->schedule = files.schedule;
    if (status != TW_OK) return status;
    if (options->output_file) TW_TRY(tw_writer_hold(ctx, options->output_file, options->output.force));
    return options->plot ? tw_grid_plot_check(ctx, grid, options->plot, options->output.force) : TW_OK;
}

static tw_status run(tw_context *ctx, const void *values)
{
    const tw_grid_options *options = values;
    tw_surface s = {.ctx = ctx, .options = options, .grid.monte_carlo = strcmp(options->method, "ep") != 0};
    tw_terminal_log_to(ctx, options->output.quiet);
    tw_status status = tw_grid_parse_axes(ctx, &options->axes, &s.grid);
    s.points = s.grid.x.n * s.grid.y.n;
    if (status == TW_OK) status = check(ctx, options, &s);
    if (status == TW_OK)
        status = tw_saver_begin(&s.saver, ctx, &options->saver, &tw_command_grid, options, "",
                                options->output.force);
    if (status == TW_OK) status = compute(&s);
    tw_terminal_progress(options->output.quiet, NULL);
    if (status == TW_OK && tw_team_leads(ctx)) status = report(&s);
    tw_saver_end(&s.saver, status == TW_OK);
    tw_release(ctx, s.grid.column[0]);
    tw_release(ctx, s.latent);
    tw_release(ctx, s.theta);
    tw_ep_sequence_free(s.row);
    tw_table_free(s.schedule);
    tw_new_inputs_free(&s.at);
    tw_kernel_free(s.kernel);
    tw_problem_free(s.problem);
    return status;
}

static const tw_option_group groups[] = {
    {"Grid", rows, TW_COUNT(rows), 0},
    {"Data and model", tw_model_option_rows, TW_GRID_MODEL_OPTION_COUNT, offsetof(tw_grid_options, model)},
    TW_LIKELIHOOD_OPTION_GROUP(offsetof(tw_grid_options, model) + offsetof(tw_model_options, given)),
    TW_ANNEAL_OPTION_GROUP(tw_grid_options, anneal),
    TW_SAVER_OPTION_GROUP(tw_grid_options, saver),
    TW_OUTPUT_OPTION_GROUP(tw_grid_options, output),
};

const tw_command tw_command_grid = {
    .name = "grid",
    .summary = "compute evidence and predictions over a grid of two kernel parameters",
    .description =
        "Compute log Z = log p(y) by EP and corrected EP at every point of a grid of (log ell, log sigma), "
        "as in Kuss and Rasmussen (2005), or of two other parameters (--axis). --method ais adds annealed "
        "importance sampling with its standard error; --test adds the scores of EP's predictions. The table "
        "has a row for each point. Along a row of the grid (one value of the second parameter) EP starts "
        "from sites extrapolated from the previous points, if this has predicted well so far; its fixed "
        "point does not depend on the start.\n\n"
        "Points where EP did not converge are flagged (converged is 0), keep the last value, and are ignored "
        "by the maximum. There a path from EP starts from Laplace's approximation. EP and Laplace stop as in "
        "talweg approx.\n\n"
        "A checkpoint holds the completed points; with it Ctrl-C ends the command after the current point "
        "(exit code 3).",
    .example =
        "  talweg grid crabs.csv --standardise --log-ell -1:4:11 --log-sigma -1:5:13 -o grid.csv\n"
        "  talweg grid train.csv --log-ell 2:5:16 --log-sigma 0:5:16 --test test.csv -o grid.csv \\\n"
        "    --plot grid.svg\n"
        "  talweg grid co2.csv --kernel 'se(t) * periodic(t) + linear(t)' --axis periodic.period=0.5:2:7 \\\n"
        "    --axis se.log_ell=0:3:7 -o grid.csv\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(tw_grid_options),
    .run = run,
};
