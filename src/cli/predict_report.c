/* predict_report.c: writes predictions to a CSV file, block by block; prints scores, or one JSON object.
 *
 * A row begins with its number and the inputs, with the model's names and in the units of the file, so that
 * the file of predictions can be used on its own. Categories and labels are written as in the file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/predict.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"

enum { MOST_PREDICTED = TW_PREDICTED_COLUMNS + 1 + TW_LEVELS, NAME_BYTES = 24, LEVEL_BYTES = 80 };

/* The columns of the CSV file; "predictions" in the JSON object has those after the inputs. */
typedef struct columns {
    size_t count;
    const char **name;
    const double **values;
    const tw_levels **texts; /* the texts that the values index; NULL: numbers */
} columns;

/* Sums over cases, for the standard error of a mean over cases. */
typedef struct case_sums {
    double sum, squares;
} case_sums;

struct tw_prediction_report {
    const tw_prediction *p;
    bool binary;
    const char *file;  /* for the rows; NULL: none */
    tw_writer *writer; /* of that file */
    json_t *arrays;    /* "predictions" of the JSON object; NULL without --json */
    bool ok;           /* false: memory ran out for the JSON object */
    size_t inputs;     /* columns before the predictions: the number of the case and the inputs */
    double *block;     /* TW_PREDICT_BATCH x inputs: the values of these columns */
    char *names;       /* inputs x NAME_BYTES: made-up names for inputs without names */
    char level[TW_LEVELS][LEVEL_BYTES]; /* names of the columns of levels */
    columns all;
    case_sums score, square; /* of log p(y), and of (y - its predicted mean)^2 */
};

static void add_column(columns *c, const char *name, const double *values)
{
    c->name[c->count] = name;
    c->texts[c->count] = NULL;
    c->values[c->count++] = values;
}

/* ---- inputs ---- */

/* Undo the standardisation of an input. Rounding to 15 digits recovers the number that was read. */
static double in_units(const tw_scaling *scaling, size_t k, double x)
{
    char text[40];
    if (!scaling) return x;
    snprintf(text, sizeof text, "%.15g", scaling->centre[k] + scaling->scale[k] * x);
    return strtod(text, NULL);
}

static void fill_inputs(tw_prediction_report *report)
{
    const tw_prediction *p = report->p;
    const tw_data *at = p->at.data;
    for (size_t i = 0; i < p->count; i++) report->block[i] = (double)(p->first + i + 1);
    for (size_t j = 0; !p->at.cross && j < at->d; j++)
        for (size_t i = 0; i < p->count; i++)
            report->block[(j + 1) * TW_PREDICT_BATCH + i] =
                in_units(p->problem->scaling, j, at->x[j * at->n + p->first + i]);
}

static const char *name_of_input(tw_prediction_report *report, size_t k)
{
    const tw_data *train = report->p->problem->data;
    char *name = report->names + k * NAME_BYTES;
    if (train->names) return train->names[k];
    snprintf(name, NAME_BYTES, "x%zu", k + 1);
    return name;
}

static tw_status allocate_columns(tw_prediction_report *report)
{
    void *names = NULL, *values = NULL, *texts = NULL, *levels = NULL;
    tw_context *ctx = report->p->ctx;
    size_t inputs = report->p->at.cross ? 1 : 1 + report->p->at.data->d, most = inputs + MOST_PREDICTED;
    TW_TRY(tw_allocate_doubles(ctx, TW_PREDICT_BATCH, inputs, "the inputs", &report->block));
    TW_TRY(tw_allocate(ctx, most, sizeof(const tw_levels *), "the columns", &levels));
    report->all.texts = levels;
    TW_TRY(tw_allocate(ctx, most, sizeof(const char *), "the columns", &names));
    report->all.name = names;
    TW_TRY(tw_allocate(ctx, most, sizeof(const double *), "the columns", &values));
    report->all.values = values;
    TW_TRY(tw_allocate(ctx, inputs, NAME_BYTES, "the names of the inputs", &texts));
    report->names = texts;
    return TW_OK;
}

/* Name the columns of levels: "probability_2", or "probability_medium" if the labels are texts. */
static void name_levels(tw_prediction_report *report)
{
    const tw_levels *labels = &report->p->problem->data->labels;
    for (size_t k = 0; k < report->p->levels; k++)
        if (labels->count > k)
            snprintf(report->level[k], LEVEL_BYTES, "probability_%.60s", labels->text[k]);
        else
            snprintf(report->level[k], LEVEL_BYTES, "probability_%zu", k + 1);
}

/* List the columns of the current block. */
static void list_columns(tw_prediction_report *report)
{
    const tw_prediction *p = report->p;
    columns *c = &report->all;
    c->count = 0;
    add_column(c, "row", report->block);
    for (size_t j = 0; !p->at.cross && j < p->at.data->d; j++) {
        if (p->at.absent[j]) continue;
        add_column(c, name_of_input(report, j), report->block + (j + 1) * TW_PREDICT_BATCH);
        c->texts[c->count - 1] = tw_data_levels(p->at.data, j);
    }
    report->inputs = c->count;
    add_column(c, "mean", p->column[TW_PREDICTED_MEAN]);
    add_column(c, "variance", p->column[TW_PREDICTED_VARIANCE]);
    add_column(c, tw_likelihood_expects(p->problem->likelihood), p->column[TW_PREDICTED_EXPECTED]);
    if (p->draws) add_column(c, "mcse", p->column[TW_PREDICTED_MCSE]);
    add_column(c, report->binary ? "probability_q05" : "y_mean_q05", p->column[TW_PREDICTED_Q05]);
    add_column(c, report->binary ? "probability_q50" : "y_mean_q50", p->column[TW_PREDICTED_Q50]);
    add_column(c, report->binary ? "probability_q95" : "y_mean_q95", p->column[TW_PREDICTED_Q95]);
    if (!report->binary) add_column(c, "y_sd", p->column[TW_PREDICTED_SD]);
    if (!report->binary && p->draws) add_column(c, "y_sd_mcse", p->column[TW_PREDICTED_SD_MCSE]);
    for (size_t k = 0; k < p->levels; k++) add_column(c, report->level[k], p->level + k * TW_PREDICT_BATCH);
    if (!p->at.y) return;
    add_column(c, "y", p->at.label + p->first);
    if (p->at.labels.count) c->texts[c->count - 1] = &p->at.labels;
    add_column(c, "log_score", p->column[TW_PREDICTED_SCORE]);
    if (p->draws) add_column(c, "log_score_mcse", p->column[TW_PREDICTED_SCORE_MCSE]);
}

static tw_csv as_csv(const tw_prediction_report *report)
{
    const columns *c = &report->all;
    return (tw_csv){report->p->count, c->count, c->name, c->values, c->texts, true};
}

/* ---- begin, add ---- */

tw_status tw_prediction_report_begin(const tw_prediction *p, const tw_predict_options *options,
                                     tw_prediction_report **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(p->ctx, 1, sizeof(tw_prediction_report), "the report", &memory));
    tw_prediction_report *report = *out = memory;
    *report = (tw_prediction_report){.p = p, .ok = true};
    report->binary = p->problem->likelihood->two_classes;
    report->file = tw_predict_file(options);
    TW_TRY(allocate_columns(report));
    name_levels(report);
    list_columns(report);
    tw_csv csv = as_csv(report);
    if (options->output.json) report->arrays = json_object();
    for (size_t j = report->inputs; report->arrays && j < csv.columns; j++)
        tw_json_set(report->arrays, csv.names[j], json_array(), &report->ok);
    if (!report->file) return TW_OK;
    TW_TRY(tw_writer_open(p->ctx, report->file, options->output.force, &report->writer));
    tw_csv_header(&csv, tw_writer_stream(report->writer));
    return TW_OK;
}

static void add_to_arrays(tw_prediction_report *report)
{
    const columns *c = &report->all;
    const tw_prediction *p = report->p;
    for (size_t j = report->inputs; j < c->count; j++) {
        json_t *array = json_object_get(report->arrays, c->name[j]);
        bool label = c->values[j] == p->at.label + p->first; /* JSON has the recoded labels */
        const double *values = p->at.y && label ? p->at.y + p->first : c->values[j];
        for (size_t i = 0; i < p->count; i++) tw_json_append(array, tw_json_number(values[i]), &report->ok);
    }
}

static void add_case(case_sums *sums, double value)
{
    sums->sum += value;
    sums->squares += value * value;
}

static void add_scores(tw_prediction_report *report)
{
    const tw_prediction *p = report->p;
    tw_observations cases = tw_new_inputs_observed(&p->at, p->problem, p->first, p->count);
    for (size_t i = 0; p->at.y && i < p->count; i++) {
        double away = p->at.y[p->first + i] - p->column[TW_PREDICTED_EXPECTED][i];
        add_case(&report->score, p->column[TW_PREDICTED_SCORE][i]);
        if (!tw_observations_censored(&cases, i)) add_case(&report->square, away * away);
    }
}

tw_status tw_prediction_report_add(tw_prediction_report *report)
{
    tw_context *ctx = report->p->ctx;
    fill_inputs(report);
    list_columns(report);
    add_scores(report);
    tw_csv csv = as_csv(report);
    if (report->arrays) add_to_arrays(report);
    return report->writer ? tw_csv_rows(ctx, &csv, tw_writer_stream(report->writer)) : TW_OK;
}

/* ---- the scores ---- */

static void print_calibration(const tw_scores *scores)
{
    printf("\nCalibration: the frequency of +1 among cases with predicted probability p of +1\n");
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

/* The standard error of a mean over cases, for independent cases; NaN for one case. */
static double error_of_mean(const case_sums *sums, double cases)
{
    double mean = sums->sum / cases, variance = fmax(sums->squares / cases - mean * mean, 0.0);
    return cases > 1.0 ? sqrt(variance / (cases - 1.0)) : NAN;
}

/* Standard errors of the scores over samples of cases; the mcse of tw_draws_scores are those over draws. */
typedef struct sampling_errors {
    double error_rate, rmse, log_score;
} sampling_errors;

/* The standard error of rmse = sqrt(m) is se(m) / (2 sqrt(m)). */
static sampling_errors errors_of(const tw_prediction_report *report, const tw_scores *s)
{
    double cases = (double)s->cases, known = (double)(s->cases - s->censored);
    return (sampling_errors){.error_rate =
                                 cases > 1.0 ? sqrt(s->error_rate * (1.0 - s->error_rate) / cases) : NAN,
                             .rmse = 0.5 * error_of_mean(&report->square, known) / s->rmse,
                             .log_score = error_of_mean(&report->score, cases)};
}

/* Print "  name  0.1234 nats  +- 0.0221 +- 0.0012":
 * the errors over cases, and over draws if there are any. */
static void print_score(const char *name, double value, const char *unit, double sampling, double mcse,
                        const char *meaning)
{
    char cases[32] = "", draws[32] = "";
    if (!isnan(sampling)) snprintf(cases, sizeof cases, "+- %.4f", sampling);
    if (!isnan(mcse)) snprintf(draws, sizeof draws, "+- %.4f", mcse);
    if (isnan(value))
        printf("  %-15s%9s %-5s%-10s%-10s %s\n", name, "withheld", "", "", "", meaning);
    else
        printf("  %-15s%9.4f %-5s%-10s%-10s %s\n", name, value, unit, cases, draws, meaning);
}

static void print_scores(const tw_prediction_report *report)
{
    const tw_prediction *p = report->p;
    tw_draws_scores s = tw_prediction_scores(p);
    sampling_errors e = errors_of(report, &s.scores);
    char bits[96], away[128];
    printf("%zu labelled case%s", s.scores.cases, s.scores.cases == 1 ? "" : "s");
    if (p->places)
        printf(", averaged over %zu draws of the parameters and latents", p->length);
    else if (p->draws)
        printf(", averaged over %zu draw%s of each of %zu chain%s", p->length, p->length == 1 ? "" : "s",
               p->chains, p->chains == 1 ? "" : "s");
    printf("\n\n  %-30s%s\n", "", p->draws ? "cases     draws" : "cases");
    snprintf(away, sizeof away, "root mean square of y - its predicted mean");
    if (s.scores.censored)
        snprintf(away, sizeof away, "root mean square of y - its predicted mean, without %zu censored case%s",
                 s.scores.censored, s.scores.censored == 1 ? "" : "s");
    if (report->binary)
        print_score("error rate", s.scores.error_rate, "", e.error_rate, s.error_rate_mcse,
                    "cases on the wrong side of probability 1/2");
    else if (s.scores.cases > s.scores.censored)
        print_score("error", s.scores.rmse, "", e.rmse, s.rmse_mcse, away);
    snprintf(bits, sizeof bits,
             isnan(s.scores.log_score) ? "mean of log p(y)" : "mean of log p(y); %.4f bits",
             in_bits(s.scores.log_score));
    print_score("mean log score", s.scores.log_score, "nats", e.log_score, s.log_score_mcse, bits);
    if (report->binary)
        print_score("information", 1.0 + in_bits(s.scores.log_score), "bits", in_bits(e.log_score),
                    in_bits(s.log_score_mcse), "1 + mean of log2 p(y): 0 for coin flips, 1 for certainty");
    printf("  Standard errors: of the sample of cases%s.\n",
           p->draws ? ", and of the draws (Monte Carlo)" : "");
    if (!report->binary) return;
    print_calibration(&s.scores);
}

/* ---- JSON ---- */

static json_t *encode_calibration(const tw_scores *scores, bool *ok)
{
    json_t *array = json_array();
    for (size_t b = 0; b < TW_CALIBRATION_BINS; b++) {
        json_t *bin = json_object();
        tw_json_set(bin, "from", tw_json_number((double)b / TW_CALIBRATION_BINS), ok);
        tw_json_set(bin, "cases", tw_json_count(scores->bin[b].cases), ok);
        tw_json_set(bin, "predicted", tw_json_number(scores->bin[b].predicted), ok);
        tw_json_set(bin, "observed", tw_json_number(scores->bin[b].observed), ok);
        tw_json_append(array, bin, ok);
    }
    return array;
}

static json_t *encode_scores(const tw_prediction_report *report, bool *ok)
{
    if (!report->p->at.y) return json_null();
    tw_draws_scores s = tw_prediction_scores(report->p);
    sampling_errors e = errors_of(report, &s.scores);
    json_t *object = json_object();
    double score = s.scores.log_score, error = s.log_score_mcse;
    tw_json_set(object, "error_rate", tw_json_number(s.scores.error_rate), ok);
    tw_json_set(object, "error_rate_se", tw_json_number(e.error_rate), ok);
    tw_json_set(object, "rmse_se", tw_json_number(e.rmse), ok);
    tw_json_set(object, "log_score_nats_se", tw_json_number(e.log_score), ok);
    tw_json_set(object, "error_rate_mcse", tw_json_number(s.error_rate_mcse), ok);
    tw_json_set(object, "rmse", tw_json_number(s.scores.rmse), ok);
    tw_json_set(object, "censored", tw_json_count(s.scores.censored), ok);
    tw_json_set(object, "rmse_mcse", tw_json_number(s.rmse_mcse), ok);
    tw_json_set(object, "log_score_nats", tw_json_number(score), ok);
    tw_json_set(object, "log_score_nats_mcse", tw_json_number(error), ok);
    tw_json_set(object, "log_score_bits", tw_json_number(in_bits(score)), ok);
    tw_json_set(object, "log_score_bits_mcse", tw_json_number(in_bits(error)), ok);
    tw_json_set(object, "information_bits", tw_json_number(report->binary ? 1.0 + in_bits(score) : NAN), ok);
    tw_json_set(object, "calibration", report->binary ? encode_calibration(&s.scores, ok) : json_null(), ok);
    return object;
}

static tw_status print_json(tw_prediction_report *report)
{
    const tw_prediction *p = report->p;
    json_t *object = json_object();
    bool ok = report->ok;
    tw_json_set(object, "n", tw_json_count(p->done), &ok);
    tw_json_set(object, "likelihood", json_string(p->problem->likelihood->name), &ok);
    tw_json_set(object, "from", json_string(p->draws ? "draws" : "approximation"), &ok);
    tw_json_set(object, "converged", p->draws ? json_null() : json_boolean(p->approximation->converged), &ok);
    tw_json_set(object, "chains", p->draws ? tw_json_count(p->chains) : json_null(), &ok);
    tw_json_set(object, "draws", p->draws ? tw_json_count(p->length) : json_null(), &ok);
    tw_json_set(object, "scores", encode_scores(report, &ok), &ok);
    tw_json_set(object, "predictions", report->arrays, &ok);
    report->arrays = NULL;
    return tw_result_print_json(p->ctx, p->problem, object, ok, stdout);
}

/* ---- end ---- */

void tw_prediction_report_abandon(tw_prediction_report *report)
{
    if (!report) return;
    tw_writer_abandon(report->writer);
    json_decref(report->arrays);
    tw_release(report->p->ctx, report->block);
    tw_release(report->p->ctx, report->names);
    tw_release(report->p->ctx, report->all.name);
    tw_release(report->p->ctx, report->all.values);
    tw_release(report->p->ctx, report->all.texts);
    tw_release(report->p->ctx, report);
}

tw_status tw_prediction_report_end(tw_prediction_report *report)
{
    tw_status status = TW_OK;
    if (report->arrays)
        status = print_json(report);
    else if (report->p->at.y && report->p->done > 0)
        print_scores(report);
    if (report->writer) status = tw_writer_close(report->writer, status);
    report->writer = NULL;
    if (status == TW_OK && report->file && strncmp(report->file, "/dev/", 5) != 0)
        tw_log(report->p->ctx, TW_LOG_INFO, "the predictions are in %.1000s", report->file);
    tw_prediction_report_abandon(report);
    return status;
}
