/* predict_report.c: predictions as rows of a CSV file or of standard output, written as they come; scores for
 * people; and everything as one JSON object. */
#include <math.h>

#include "cli/json.h"
#include "cli/predict.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"

enum { MOST_COLUMNS = TW_PREDICTED_COLUMNS + 1 };

/* The columns of a CSV file and of the JSON object's "predictions". */
typedef struct columns {
    size_t count;
    const char *name[MOST_COLUMNS];
    const double *values[MOST_COLUMNS];
} columns;

struct tw_prediction_report {
    const tw_prediction *p;
    bool binary, prints; /* rows go to standard output */
    tw_writer *writer;   /* of the file, where one was asked for */
    json_t *arrays;      /* of the JSON object, where one was asked for */
    bool ok;             /* there was memory for it */
};

static void add_column(columns *c, const char *name, const double *values)
{
    c->name[c->count] = name;
    c->values[c->count++] = values;
}

/* Those of the block at hand. */
static columns list_columns(const tw_prediction_report *report)
{
    const tw_prediction *p = report->p;
    columns c = {0};
    add_column(&c, "mean", p->column[TW_PREDICTED_MEAN]);
    add_column(&c, "variance", p->column[TW_PREDICTED_VARIANCE]);
    add_column(&c, tw_likelihood_expects(p->problem->likelihood), p->column[TW_PREDICTED_EXPECTED]);
    if (p->run) add_column(&c, "mcse", p->column[TW_PREDICTED_MCSE]);
    if (!report->binary) add_column(&c, "y_sd", p->column[TW_PREDICTED_SD]);
    if (!p->at.y) return c;
    add_column(&c, "y", p->at.y + p->first);
    add_column(&c, "log_score", p->column[TW_PREDICTED_SCORE]);
    if (p->run) add_column(&c, "log_score_mcse", p->column[TW_PREDICTED_SCORE_MCSE]);
    return c;
}

static tw_csv as_csv(const tw_prediction_report *report, const columns *c)
{
    return (tw_csv){report->p->count, c->count, c->name, c->values};
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
    report->prints = !options->output.json && !options->output_file && !p->at.y;
    columns c = list_columns(report);
    tw_csv csv = as_csv(report, &c);
    if (options->output.json) report->arrays = json_object();
    for (size_t j = 0; report->arrays && j < c.count; j++)
        tw_json_set(report->arrays, c.name[j], json_array(), &report->ok);
    if (report->prints) tw_csv_header(&csv, stdout);
    if (!options->output_file) return TW_OK;
    TW_TRY(tw_writer_open(p->ctx, options->output_file, options->output.force, &report->writer));
    tw_csv_header(&csv, tw_writer_stream(report->writer));
    return TW_OK;
}

static void add_to_arrays(tw_prediction_report *report, const columns *c)
{
    for (size_t j = 0; j < c->count; j++) {
        json_t *array = json_object_get(report->arrays, c->name[j]);
        for (size_t i = 0; i < report->p->count; i++)
            tw_json_append(array, tw_json_number(c->values[j][i]), &report->ok);
    }
}

tw_status tw_prediction_report_add(tw_prediction_report *report)
{
    tw_context *ctx = report->p->ctx;
    columns c = list_columns(report);
    tw_csv csv = as_csv(report, &c);
    if (report->arrays) add_to_arrays(report, &c);
    if (report->prints) TW_TRY(tw_csv_rows(ctx, &csv, stdout));
    return report->writer ? tw_csv_rows(ctx, &csv, tw_writer_stream(report->writer)) : TW_OK;
}

/* ---- for people ---- */

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

/* "  name  0.1234 +- 0.0012 unit", without the error where it is not known. */
static void print_score(const char *name, double value, double mcse, const char *unit, const char *meaning)
{
    char error[32] = "";
    if (!isnan(mcse)) snprintf(error, sizeof error, "+- %.4f", mcse);
    printf("  %-18s%10.4f %-10s%-9s%s\n", name, value, error, unit, meaning);
}

static void print_scores(const tw_prediction_report *report)
{
    const tw_prediction *p = report->p;
    tw_draws_scores s = tw_prediction_scores(p);
    char bits[96];
    printf("%zu labelled cases", s.scores.cases);
    if (p->run)
        printf(", averaged over %zu draws of each of %zu chain%s (+- Monte Carlo standard error)",
               tw_run_describe(p->run)->draws, tw_run_describe(p->run)->chains,
               tw_run_describe(p->run)->chains == 1 ? "" : "s");
    printf("\n\n");
    if (report->binary)
        print_score("error rate", s.scores.error_rate, s.error_rate_mcse, "",
                    "cases on the wrong side of probability 1/2");
    else
        print_score("error", s.scores.rmse, s.rmse_mcse, "", "root mean square of y - its predicted mean");
    snprintf(bits, sizeof bits, "mean of log p(y); %.4f bits", in_bits(s.scores.log_score));
    print_score("mean log score", s.scores.log_score, s.log_score_mcse, "nats", bits);
    if (!report->binary) return;
    print_score("information", 1.0 + in_bits(s.scores.log_score), in_bits(s.log_score_mcse), "bits",
                "1 + mean of log2 p(y): 0 for coin flips, 1 for certainty");
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
    json_t *object = json_object();
    double score = s.scores.log_score, error = s.log_score_mcse;
    tw_json_set(object, "error_rate", tw_json_number(s.scores.error_rate), ok);
    tw_json_set(object, "error_rate_mcse", tw_json_number(s.error_rate_mcse), ok);
    tw_json_set(object, "rmse", tw_json_number(s.scores.rmse), ok);
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
    const tw_run_facts *facts = p->run ? tw_run_describe(p->run) : NULL;
    json_t *object = json_object();
    bool ok = report->ok;
    tw_json_set(object, "n", tw_json_count(p->done), &ok);
    tw_json_set(object, "likelihood", json_string(p->problem->likelihood->name), &ok);
    tw_json_set(object, "from", json_string(facts ? "draws" : "approximation"), &ok);
    tw_json_set(object, "converged", facts ? json_null() : json_boolean(p->approximation->converged), &ok);
    tw_json_set(object, "chains", facts ? tw_json_count(facts->chains) : json_null(), &ok);
    tw_json_set(object, "draws", facts ? tw_json_count(facts->draws) : json_null(), &ok);
    tw_json_set(object, "scores", encode_scores(report, &ok), &ok);
    tw_json_set(object, "predictions", report->arrays, &ok);
    report->arrays = NULL;
    return tw_warnings_print_json(p->ctx, object, ok, stdout);
}

/* ---- end ---- */

void tw_prediction_report_abandon(tw_prediction_report *report)
{
    if (!report) return;
    tw_writer_abandon(report->writer);
    json_decref(report->arrays);
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
    tw_prediction_report_abandon(report);
    return status;
}
