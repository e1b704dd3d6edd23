/* predict.c: talweg predict: from a saved approximation to new cases. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/new_inputs.h"
#include "cli/terminal.h"
#include "output/csv.h"
#include "output/json.h"
#include "output/writer.h"

typedef struct predict_options {
    const char *approximation, *data, *label_column, *exposure_column, *output_file, *cross, *diagonal;
    tw_output_options output;
} predict_options;

#define FIELD(member) offsetof(predict_options, member)

static const tw_option rows[] = {
    {.name = "APPROX",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(approximation),
     .help = "an approximation that talweg approx --save-approx wrote"},
    {.name = "NEWDATA",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(data),
     .standard = "",
     .help = "a file with the same inputs as the training data, with or without labels. With "
             "--cross-kernel-matrix it may be left out, and only its labels are used"},
    {.name = "label-column",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(label_column),
     .argument = "NAME|INDEX|none",
     .help = "which column of NEWDATA is y; if not given, the last one where there is one column more than "
             "inputs, else none"},
    {.name = "exposure-column",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(exposure_column),
     .argument = "NAME|INDEX",
     .help =
         "poisson: which column of NEWDATA holds the exposures; if not given they are the training data's "
         "where those are all the same, else 1"},
    {.name = "cross-kernel-matrix",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(cross),
     .argument = "FILE",
     .help = "for an approximation made with --kernel-matrix: the covariances, one row per training case and "
             "one column per new case (.npy or CSV)"},
    {.name = "diagonal",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(diagonal),
     .argument = "FILE",
     .help = "with it: the prior variance of each new case"},
    {.name = "output",
     .letter = 'o',
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(output_file),
     .argument = "FILE",
     .help = "write the predictions to a CSV file; if not given they are printed, unless NEWDATA has labels"},
};

/* ---- computing ---- */

enum { MEAN, VARIANCE, EXPECTED, SD, LOG_SCORE, PREDICTIONS };

typedef struct predictions {
    tw_problem *problem;
    tw_approximation *approximation;
    tw_new_inputs at;
    double *column[PREDICTIONS]; /* at.m numbers each, in one block */
    tw_scores scores;            /* where there are labels */
} predictions;

static void free_predictions(tw_context *ctx, predictions *p)
{
    tw_new_inputs_free(&p->at);
    tw_release(ctx, p->column[0]);
    tw_approximation_free(p->approximation);
    tw_problem_free(p->problem);
}

static tw_status load(tw_context *ctx, const predict_options *options, predictions *p)
{
    tw_new_columns columns = {options->label_column, options->exposure_column};
    tw_terminal_log_to(ctx, true); /* notes about this model were given when it was fitted */
    tw_status status = tw_approximation_load(ctx, options->approximation, &p->problem, &p->approximation);
    tw_terminal_log_to(ctx, options->output.quiet);
    if (status != TW_OK) return status;
    if (!p->approximation->converged)
        tw_log(ctx, TW_LOG_WARNING, "%s: this approximation had not converged when it was saved",
               options->approximation);
    if (p->problem->matrix)
        return tw_new_covariances_read(p->problem, options->cross, options->diagonal, options->data, columns,
                                       &p->at);
    if (options->cross || options->diagonal)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "%s was made with a kernel: give NEWDATA, not --cross-kernel-matrix or --diagonal",
                       options->approximation);
    if (!*options->data)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "talweg predict needs NEWDATA: a file with new inputs");
    return tw_new_inputs_read(p->problem, options->data, columns, &p->at);
}

static tw_status predict_latent(predictions *p)
{
    tw_predictor *predictor = NULL;
    tw_status status = TW_OK;
    TW_TRY(tw_predictor_new(p->problem->model, p->approximation, &predictor));
    if (p->at.cross)
        tw_predictor_apply(predictor, p->at.m, p->at.cross->values, p->at.variance->values, p->column[MEAN],
                           p->column[VARIANCE]);
    else
        status = tw_predictor_at(predictor, &p->problem->covariance, p->problem->data, p->at.data,
                                 p->column[MEAN], p->column[VARIANCE]);
    tw_predictor_free(predictor);
    return status;
}

static tw_status compute(tw_context *ctx, const predict_options *options, predictions *p)
{
    TW_TRY(load(ctx, options, p));
    const tw_likelihood *likelihood = p->problem->likelihood;
    size_t m = p->at.m;
    TW_TRY(tw_allocate_doubles(ctx, m, PREDICTIONS, "the predictions", &p->column[0]));
    for (size_t j = 1; j < PREDICTIONS; j++) p->column[j] = p->column[0] + j * m;
    TW_TRY(predict_latent(p));
    TW_TRY(tw_predict_observations(ctx, likelihood, m, p->at.w, p->column[MEAN], p->column[VARIANCE],
                                   p->column[EXPECTED], p->column[SD]));
    if (!p->at.y) return TW_OK;
    TW_TRY(tw_predict_log_scores(ctx, likelihood, m, p->at.w, p->column[MEAN], p->column[VARIANCE], p->at.y,
                                 p->column[LOG_SCORE]));
    p->scores = tw_predict_scores(likelihood, m, p->at.y, p->column[EXPECTED], p->column[LOG_SCORE]);
    return TW_OK;
}

/* ---- printing ---- */

static void print_calibration(const tw_scores *scores)
{
    printf("\nCalibration: are cases that get probability p of +1 labelled +1 with frequency p?\n");
    printf("  %-12s%8s%12s%12s\n", "probability", "cases", "predicted", "observed");
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) {
        printf("  %.1f - %.1f   %8zu", (double)b / TW_CALIBRATION_BINS, (double)(b + 1) / TW_CALIBRATION_BINS,
               scores->bin[b].cases);
        if (scores->bin[b].cases)
            printf("%12.3f%12.3f\n", scores->bin[b].predicted, scores->bin[b].observed);
        else
            printf("%12s%12s\n", "-", "-");
    }
}

static double in_bits(double nats)
{
    return nats / log(2.0);
}

static void print_scores(const predictions *p)
{
    const tw_scores *scores = &p->scores;
    bool binary = tw_likelihood_is_binary(p->problem->likelihood);
    printf("%zu labelled cases\n\n", scores->cases);
    if (binary)
        printf("  %-18s%10.4f          cases on the wrong side of probability 1/2\n", "error rate",
               scores->error_rate);
    else
        printf("  %-18s%10.4f          root mean square of y - its predicted mean\n", "error", scores->rmse);
    printf("  %-18s%10.4f nats     mean of log p(y); %.4f bits\n", "mean log score", scores->log_score,
           in_bits(scores->log_score));
    if (!binary) return;
    printf("  %-18s%10.4f bits     1 + mean of log2 p(y): 0 for coin flips, 1 for certainty\n", "information",
           1.0 + in_bits(scores->log_score));
    print_calibration(scores);
}

/* ---- CSV and JSON ---- */

enum { MOST_COLUMNS = 7 };

/* The columns of a CSV file and of the JSON object's "predictions". */
typedef struct columns {
    size_t count;
    const char *name[MOST_COLUMNS];
    const double *values[MOST_COLUMNS];
} columns;

static void add_column(columns *c, const char *name, const double *values)
{
    c->name[c->count] = name;
    c->values[c->count++] = values;
}

static columns list_columns(const predictions *p)
{
    columns c = {0};
    bool binary = tw_likelihood_is_binary(p->problem->likelihood);
    add_column(&c, "mean", p->column[MEAN]);
    add_column(&c, "variance", p->column[VARIANCE]);
    add_column(&c, binary ? "probability" : "y_mean", p->column[EXPECTED]);
    if (!binary) add_column(&c, "y_sd", p->column[SD]);
    if (p->at.y) add_column(&c, "y", p->at.y);
    if (p->at.y) add_column(&c, "log_score", p->column[LOG_SCORE]);
    return c;
}

static json_t *encode_calibration(const tw_scores *scores, bool *ok)
{
    json_t *array = json_array();
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) {
        json_t *bin = json_object();
        tw_json_set(bin, "from", tw_json_number((double)b / TW_CALIBRATION_BINS), ok);
        tw_json_set(bin, "cases", tw_json_count(scores->bin[b].cases), ok);
        tw_json_set(bin, "predicted", tw_json_number(scores->bin[b].predicted), ok);
        tw_json_set(bin, "observed", tw_json_number(scores->bin[b].observed), ok);
        if (json_array_append_new(array, bin) != 0) *ok = false;
    }
    return array;
}

static json_t *encode_scores(const predictions *p, bool *ok)
{
    if (!p->at.y) return json_null();
    bool binary = tw_likelihood_is_binary(p->problem->likelihood);
    json_t *object = json_object();
    double score = p->scores.log_score;
    tw_json_set(object, "error_rate", tw_json_number(p->scores.error_rate), ok);
    tw_json_set(object, "rmse", tw_json_number(p->scores.rmse), ok);
    tw_json_set(object, "log_score_nats", tw_json_number(score), ok);
    tw_json_set(object, "log_score_bits", tw_json_number(in_bits(score)), ok);
    tw_json_set(object, "information_bits", tw_json_number(binary ? 1.0 + in_bits(score) : NAN), ok);
    tw_json_set(object, "calibration", binary ? encode_calibration(&p->scores, ok) : json_null(), ok);
    return object;
}

static tw_status print_json(tw_context *ctx, const predictions *p)
{
    bool ok = true;
    columns c = list_columns(p);
    json_t *object = json_object(), *inner = json_object();
    for (size_t j = 0; j < c.count; j++)
        tw_json_set(inner, c.name[j], tw_json_numbers(p->at.m, c.values[j]), &ok);
    tw_json_set(object, "n", tw_json_count(p->at.m), &ok);
    tw_json_set(object, "likelihood", json_string(p->problem->likelihood->name), &ok);
    tw_json_set(object, "converged", json_boolean(p->approximation->converged), &ok);
    tw_json_set(object, "scores", encode_scores(p, &ok), &ok);
    tw_json_set(object, "predictions", inner, &ok);
    if (ok) return tw_json_print(ctx, object, stdout);
    json_decref(object);
    return tw_json_print(ctx, NULL, stdout);
}

/* ---- the command ---- */

static tw_status report(tw_context *ctx, const predict_options *options, const predictions *p)
{
    columns c = list_columns(p);
    tw_csv csv = {p->at.m, c.count, c.name, c.values};
    if (options->output.json)
        TW_TRY(print_json(ctx, p));
    else if (p->at.y)
        print_scores(p);
    else if (!options->output_file)
        TW_TRY(tw_csv_print(ctx, &csv, stdout));
    return options->output_file ? tw_csv_save(ctx, &csv, options->output_file, options->output.force) : TW_OK;
}

static tw_status run(tw_context *ctx, const void *values)
{
    const predict_options *options = values;
    predictions p = {0};
    tw_terminal_log_to(ctx, options->output.quiet);
    tw_status status =
        options->output_file ? tw_writer_check(ctx, options->output_file, options->output.force) : TW_OK;
    tw_terminal_progress(options->output.quiet, "predicting ...");
    if (status == TW_OK) status = compute(ctx, options, &p);
    tw_terminal_progress(options->output.quiet, NULL);
    if (status == TW_OK) status = report(ctx, options, &p);
    free_predictions(ctx, &p);
    return status;
}

static const tw_option_group groups[] = {
    {"Predictions", rows, TW_COUNT(rows), 0},
    TW_OUTPUT_OPTION_GROUP(predict_options, output),
};

const tw_command tw_command_predict = {
    .name = "predict",
    .summary = "predictive probabilities or means; with labels: error, log score, calibration",
    .description =
        "Predict new cases from a saved approximation. A row of the result has the mean and variance of the "
        "latent function, and, for two classes, the probability of +1; for counts and real observations, "
        "mean "
        "and standard deviation of y (counts: the mean is the rate exp(mean + variance / 2) times the "
        "exposure). Noise and exposure are those of the training data.\n\n"
        "With labels it says how good the predictions were: the error rate, the mean log score (the mean of "
        "log p(y), in nats and bits; higher is better), the information in bits of Kuss and Rasmussen for "
        "two "
        "equally frequent classes, and a table of calibration.",
    .example = "  talweg predict fit.json new.csv -o predictions.csv\n"
               "  talweg predict fit.json test.csv --label-column class\n"
               "  talweg predict fit.json --cross-kernel-matrix cross.npy --diagonal variances.npy\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(predict_options),
    .run = run,
};
