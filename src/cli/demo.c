/* demo.c: talweg demo: the built-in problem of two classes, from data to evidence, with the same commands
 * that a user would type. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "cli/commands.h"
#include "output/csv.h"
#include "talweg/data.h"

typedef struct demo_options {
    const char *directory;
    uint64_t cases, test_cases, seed;
} demo_options;

#define FIELD(member) offsetof(demo_options, member)

static const tw_option rows[] = {
    {.name = "directory",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(directory),
     .argument = "DIR",
     .standard = "demo",
     .help = "where its files go; made if needed, and files of an earlier demo are replaced"},
    {.name = "cases",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(cases),
     .argument = "N",
     .standard = "200",
     .least = 2,
     .most = 5000,
     .help = "training cases"},
    {.name = "test-cases",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(test_cases),
     .argument = "N",
     .standard = "2000",
     .least = 1,
     .most = 1e6,
     .help = "test cases"},
    {.name = "seed",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(seed),
     .argument = "S",
     .standard = "1",
     .help = "of the random numbers that make the data"},
};

enum { PATH_BYTES = 1024, GRID = 41, PICTURE_STEP = 2 };
static const double half_width = 2.0;

typedef struct paths {
    char train[PATH_BYTES], test[PATH_BYTES], grid[PATH_BYTES], fit[PATH_BYTES], predicted[PATH_BYTES],
        draws[PATH_BYTES];
} paths;

static tw_status make_paths(tw_context *ctx, const char *directory, paths *p)
{
    static const char *const names[] = {"two_classes.csv",    "two_classes_test.csv", "grid.csv",
                                        "approximation.json", "grid_predictions.csv", "draws.csv"};
    char *const to[] = {p->train, p->test, p->grid, p->fit, p->predicted, p->draws};
    if (strlen(directory) > PATH_BYTES - 64)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the name of the directory is too long");
    for (size_t i = 0; i < TW_COUNT(names); i++) snprintf(to[i], PATH_BYTES, "%s/%s", directory, names[i]);
    if (mkdir(directory, 0777) == 0 || errno == EEXIST) return TW_OK;
    return tw_fail(ctx, TW_WRITE_FAILED, "%s: cannot be made: %s", directory, strerror(errno));
}

/* ---- the files ---- */

static tw_status write_data(tw_context *ctx, size_t n, uint64_t seed, uint64_t part, const char *path)
{
    static const char *const names[] = {"x1", "x2", "class"};
    tw_data *data = NULL;
    TW_TRY(tw_data_two_classes(ctx, n, seed, part, &data));
    const double *const values[] = {data->x, data->x + n, data->y};
    tw_csv csv = {n, TW_COUNT(names), names, values};
    tw_status status = tw_csv_save(ctx, &csv, path, true);
    tw_data_free(data);
    return status;
}

/* GRID x GRID inputs that cover the square, row by row from the top. */
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
    tw_csv csv = {n, TW_COUNT(names), names, values};
    tw_status status = tw_csv_save(ctx, &csv, path, true);
    tw_release(ctx, x);
    return status;
}

/* ---- the story ---- */

/* Show a command line as one would type it, and run it. */
static tw_status show_and_run(tw_context *ctx, const tw_command *command, size_t count,
                              const char *const *arguments)
{
    printf("\n$ talweg %s", command->name);
    for (size_t i = 0; i < count; i++) printf(" %s", arguments[i]);
    printf("\n");
    fflush(stdout);
    return tw_command_run(ctx, command, count, arguments);
}

/* The predicted probability of +1 over the square, a character for each tenth. */
static tw_status draw_grid(tw_context *ctx, const char *path)
{
    static const char shades[] = " .:-=+*%@#";
    tw_table *table = NULL;
    TW_TRY(tw_table_read(ctx, path, &table));
    const double *probability = table->values + 2 * table->rows;
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

/* Approximate, and predict from that. */
static tw_status tell_approximate(tw_context *ctx, const paths *p)
{
    const char *const approx[] = {p->train, MODEL, "--save-approx", p->fit, "--force"};
    const char *const score[] = {p->fit, p->test};
    const char *const predict[] = {p->fit, p->grid, "-o", p->predicted, "--force"};
    TW_TRY(show_and_run(ctx, &tw_command_approx, TW_COUNT(approx), approx));
    TW_TRY(show_and_run(ctx, &tw_command_predict, TW_COUNT(score), score));
    TW_TRY(show_and_run(ctx, &tw_command_predict, TW_COUNT(predict), predict));
    return draw_grid(ctx, p->predicted);
}

/* Sample, and find the evidence in three ways. */
static tw_status tell_exact(tw_context *ctx, const paths *p)
{
    const char *const sample[] = {p->train, MODEL, "--draws", "1000",   "--warmup",
                                  "300",    "-o",  p->draws,  "--force"};
    const char *const evidence[] = {p->train, MODEL, "--method", "ais,ais-reverse,pt,rm"};
    printf("\nHow good are those? Draws from the exact posterior, by the sampler that wins a pilot run:\n");
    TW_TRY(show_and_run(ctx, &tw_command_sample, TW_COUNT(sample), sample));
    printf("\nAnd the evidence itself, by methods that share little but the model:\n");
    return show_and_run(ctx, &tw_command_evidence, TW_COUNT(evidence), evidence);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const demo_options *options = values;
    paths p;
    TW_TRY(make_paths(ctx, options->directory, &p));
    TW_TRY(write_data(ctx, (size_t)options->cases, options->seed, 0, p.train));
    TW_TRY(write_data(ctx, (size_t)options->test_cases, options->seed, 1, p.test));
    TW_TRY(write_grid(ctx, p.grid));
    printf("Two classes in the plane. Points are uniform on [-2, 2]^2, and a point is of class +1 with\n"
           "probability Phi(3 (sin(2 x1) - x2)); there are %" PRIu64 " to learn from and %" PRIu64
           " to test with.\nWhoever knew the formula would still be wrong in about 7 %% of the cases.\n",
           options->cases, options->test_cases);
    TW_TRY(tell_approximate(ctx, &p));
    TW_TRY(tell_exact(ctx, &p));
    printf(
        "\nlog Z is the logarithm of the evidence p(y), by which kernels and their parameters are compared.\n"
        "Not in this version yet: the HTML report, and NetCDF files of draws.\n\n"
        "Data, approximation, predictions and draws are in %s/.\n",
        options->directory);
    return TW_OK;
}

static const tw_option_group groups[] = {{"Demo", rows, TW_COUNT(rows), 0}};

const tw_command tw_command_demo = {
    .name = "demo",
    .summary = "the built-in example, from data to predictions, draws and evidence",
    .description =
        "Make a data set of two classes in the plane from a formula, fit it, test it on new data, "
        "predict on a grid, draw from the posterior and find the evidence in several ways, showing "
        "each command. Takes some ten seconds.",
    .example = "  talweg demo\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(demo_options),
    .run = run,
};
