/* demo.c: talweg demo: analyses the built-in problem of two classes, from data to evidence, with the commands
 * that a user would type. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/data.h"
#include "talweg/files.h"
#include "talweg/run.h"

typedef struct demo_options {
    const char *directory;
    uint64_t cases, test_cases, seed;
    bool data_only;
} demo_options;

#define FIELD(member) offsetof(demo_options, member)

static const tw_option rows[] = {
    {.name = "directory",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(directory),
     .argument = "DIR",
     .default_value = "demo",
     .help = "the directory for its files, created if needed; files of an earlier demo are replaced"},
    {TW_ROW_CASES(FIELD(cases)), .default_value = "200", .help = "training cases"},
    {.name = "test-cases",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(test_cases),
     .argument = "N",
     .default_value = "2000",
     .least = 1,
     .most = 1e6,
     .help = "test cases"},
    {TW_ROW_SEED(FIELD(seed)), .help = "seed of the data"},
    {.name = "data-only",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(data_only),
     .help = "only make the data, to try commands on them"},
};

enum { PATH_BYTES = 1024, GRID = 41, PICTURE_STEP = 2 };
static const double half_width = 2.0;

typedef struct paths {
    char train[PATH_BYTES], test[PATH_BYTES], grid[PATH_BYTES], fit[PATH_BYTES], by_fit[PATH_BYTES];
    char by_run[PATH_BYTES], on_grid[PATH_BYTES], run[PATH_BYTES], check[PATH_BYTES], evidence[PATH_BYTES];
    char report[PATH_BYTES];
} paths;

static tw_status make_paths(tw_context *ctx, const char *directory, paths *p)
{
    static const char *const names[] = {"two_classes.csv",
                                        "two_classes_test.csv",
                                        "grid.csv",
                                        "approximation.json",
                                        "approximation_predictions.csv",
                                        "predictions.csv",
                                        "grid_predictions.csv",
                                        "run.nc",
                                        "rmhmc.nc",
                                        "evidence.nc",
                                        "report.html"};
    char *const to[] = {p->train,   p->test, p->grid,  p->fit,      p->by_fit, p->by_run,
                        p->on_grid, p->run,  p->check, p->evidence, p->report};
    if (strlen(directory) > PATH_BYTES - 64)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the name of the directory is too long");
    for (size_t i = 0; i < TW_COUNT(names); i++) snprintf(to[i], PATH_BYTES, "%s/%s", directory, names[i]);
    if (mkdir(directory, 0777) == 0 || errno == EEXIST) return TW_OK;
    return tw_fail(ctx, TW_WRITE_FAILED, "%s: cannot be created: %s", directory, strerror(errno));
}

/* ---- the files ---- */

static tw_status write_data(tw_context *ctx, size_t n, uint64_t seed, uint64_t part, const char *path)
{
    static const char *const names[] = {"x1", "x2", "class"};
    tw_data *data = NULL;
    TW_TRY(tw_data_two_classes(ctx, n, seed, part, &data));
    const double *const values[] = {data->x, data->x + n, data->y};
    tw_csv csv = {n, TW_COUNT(names), names, values, NULL, false};
    tw_status status = tw_csv_save(ctx, &csv, path, true);
    tw_data_free(data);
    return status;
}

/* Write GRID x GRID inputs that cover the square, row by row from the top. */
static tw_status write_grid(tw_context *ctx, const char *path)
{
    static const char *const names[] = {"x1", "x2"};
    double *x = NULL;
    const size_t side = GRID, n = side * side;
    TW_TRY(tw_allocate_doubles(ctx, n, 2, "the grid", &x));
    for (size_t i = 0; i < n; i++) {
        size_t column = i % side, row = i / side;
        x[i] = half_width * (2.0 * (double)column / (GRID - 1) - 1.0);
        x[i + n] = half_width * (1.0 - 2.0 * (double)row / (GRID - 1));
    }
    const double *const values[] = {x, x + n};
    tw_csv csv = {n, TW_COUNT(names), names, values, NULL, false};
    tw_status status = tw_csv_save(ctx, &csv, path, true);
    tw_release(ctx, x);
    return status;
}

/* ---- the commands ---- */

/* Print a command line and run it. */
static tw_status show_and_run(tw_context *ctx, const tw_command *command, size_t count,
                              const char *const *arguments)
{
    printf("\n$ talweg %s", command->name);
    for (size_t i = 0; i < count; i++) printf(" %s", tw_plain(arguments[i]));
    printf("\n");
    fflush(stdout);
    return tw_command_run(ctx, command, count, arguments);
}

/* Print the predicted probability of +1 over the square, with ten shades of characters. */
static tw_status draw_grid(tw_context *ctx, const char *path)
{
    static const char shades[] = " .:-=+*%@#";
    tw_table *table = NULL;
    TW_TRY(tw_table_read(ctx, path, &table));
    const double *probability = table->values + 5 * table->rows; /* after row, x1, x2, mean, variance */
    printf("\nThe probability of class +1 over the square (blank: below 0.1, '#': above 0.9):\n\n");
    for (size_t row = 0; row < GRID; row += PICTURE_STEP) {
        printf("    ");
        for (size_t column = 0; column < GRID; column++) {
            double shade = floor(probability[row * GRID + column] * 10.0);
            putchar(shades[(size_t)fmin(fmax(shade, 0.0), 9.0)]);
        }
        printf("\n");
    }
    tw_table_free(table);
    return TW_OK;
}

#define MODEL "--likelihood", "probit", "--kernel", "se", "--log-ell", "0", "--log-sigma", "1.5"

/* Fit the approximations, and predict from EP. */
static tw_status show_approximate(tw_context *ctx, const paths *p)
{
    const char *const approx[] = {p->train, MODEL, "--save-approx", p->fit, "--force"};
    const char *const score[] = {p->fit, p->test, "-o", p->by_fit, "--force"};
    printf("\n1. Gaussian approximations of the posterior, and predictions from EP.\n");
    TW_TRY(show_and_run(ctx, &tw_command_approx, TW_COUNT(approx), approx));
    return show_and_run(ctx, &tw_command_predict, TW_COUNT(score), score);
}

static tw_status summarise(tw_context *ctx, const char *path, size_t n, tw_summary *latents)
{
    tw_run *run = NULL;
    tw_chains_summary all;
    TW_TRY(tw_run_open(ctx, path, &run));
    tw_status status = TW_OK;
    if (tw_run_describe(run)->n != n)
        status = tw_fail(ctx, TW_BAD_DATA, "%s: the numbers of cases differ", path);
    if (status == TW_OK) status = tw_run_summarise(run, 1, latents, &all);
    tw_run_close(run);
    return status;
}

/* Compare the posterior means of two independent samplers. The largest of n standardised differences is
 * expected near sqrt(2 log n). */
static tw_status compare_samplers(tw_context *ctx, const paths *p, size_t n)
{
    void *memory = NULL;
    double worst = 0.0;
    TW_TRY(tw_allocate(ctx, 2 * n, sizeof(tw_summary), "the summaries of two runs", &memory));
    tw_summary *a = memory, *b = a + n;
    tw_status status = summarise(ctx, p->run, n, a);
    if (status == TW_OK) status = summarise(ctx, p->check, n, b);
    for (size_t i = 0; status == TW_OK && i < n; i++)
        worst = fmax(worst, fabs(a[i].mean - b[i].mean) / hypot(a[i].mcse_mean, b[i].mcse_mean));
    if (status == TW_OK)
        printf("\n"
               "Over %zu latents, the two samplers' posterior means differ by at most %.1f of their joint\n"
               "Monte Carlo errors; %.1f is the expected maximum.\n",
               n, worst, sqrt(2.0 * log((double)n)));
    tw_release(ctx, memory);
    return status;
}

/* Sample twice: with the sampler that wins the pilot runs, and with RMHMC. */
static tw_status show_draws(tw_context *ctx, const paths *p, size_t n)
{
    const char *const sample[] = {p->train, MODEL, "--until-ess", "4000", "-o", p->run, "--force"};
    const char *const check[] = {p->train,   MODEL, "--method", "rmhmc",  "--draws", "250",
                                 "--warmup", "100", "-o",       p->check, "--force"};
    printf("\n2. How good are these? Draws from the exact posterior, by the sampler that wins the pilot "
           "runs:\n");
    TW_TRY(show_and_run(ctx, &tw_command_sample, TW_COUNT(sample), sample));
    printf("\n"
           "   ... and by RMHMC, whose metric follows the curvature of the posterior. Each of its draws "
           "costs a\n"
           "   thousand times as much here, so it makes few, and talweg warns about that:\n");
    TW_TRY(show_and_run(ctx, &tw_command_sample, TW_COUNT(check), check));
    return compare_samplers(ctx, p, n);
}

static tw_status show_evidence(tw_context *ctx, const paths *p)
{
    const char *const evidence[] = {p->train, MODEL,       "--method", "ais,ais-reverse,pt,rm",
                                    "-o",     p->evidence, "--force"};
    printf("\n"
           "3. The evidence p(y), which compares kernels, by several independent methods:\n");
    return show_and_run(ctx, &tw_command_evidence, TW_COUNT(evidence), evidence);
}

static tw_status show_predictions(tw_context *ctx, const paths *p)
{
    const char *const score[] = {p->run, p->test, "-o", p->by_run, "--force"};
    const char *const predict[] = {p->run, p->grid, "-o", p->on_grid, "--force"};
    const char *const report[] = {p->run, p->evidence, "--test", p->test, "-o", p->report, "--force"};
    printf("\n4. Predictions, averaged over the draws:\n");
    TW_TRY(show_and_run(ctx, &tw_command_predict, TW_COUNT(score), score));
    TW_TRY(show_and_run(ctx, &tw_command_predict, TW_COUNT(predict), predict));
    TW_TRY(draw_grid(ctx, p->on_grid));
    printf("\n5. All results on one page:\n");
    return show_and_run(ctx, &tw_command_report, TW_COUNT(report), report);
}

static tw_status write_files(tw_context *ctx, const demo_options *options, const paths *p)
{
    TW_TRY(write_data(ctx, (size_t)options->cases, options->seed, 0, p->train));
    TW_TRY(write_data(ctx, (size_t)options->test_cases, options->seed, 1, p->test));
    return write_grid(ctx, p->grid);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const demo_options *options = values;
    paths p;
    TW_TRY(make_paths(ctx, options->directory, &p));
    TW_TRY(write_files(ctx, options, &p));
    printf("Two classes in the plane. Points are uniform on [-2, 2]^2, and a point is of class +1 with\n"
           "probability Phi(3 (sin(2 x1) - x2)); there are %" PRIu64 " to learn from and %" PRIu64
           " to test with.\nEven the true formula misclassifies about 7 %% of the cases.\n",
           options->cases, options->test_cases);
    if (options->data_only) return TW_OK;
    TW_TRY(show_approximate(ctx, &p));
    TW_TRY(show_draws(ctx, &p, (size_t)options->cases));
    TW_TRY(show_evidence(ctx, &p));
    TW_TRY(show_predictions(ctx, &p));
    printf("\nOpen %s in a browser. Data, approximation, draws, estimates and predictions are in the same "
           "directory.\n",
           tw_plain(p.report));
    return TW_OK;
}

static const tw_option_group groups[] = {{"Demo", rows, TW_COUNT(rows), 0}};

const tw_command tw_command_demo = {
    .name = "demo",
    .summary = "run the built-in example, from data to predictions, draws and evidence",
    .description =
        "Make a data set of two classes in the plane from a formula, fit it, draw from the posterior with "
        "two samplers, estimate the evidence by several methods, predict, and write a report, showing each "
        "command. This takes less than a minute. All files go to one directory.",
    .example = "  talweg demo\n"
               "  talweg demo --data-only --directory data\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(demo_options),
    .run = run,
};
