/* parts.h: the sections of a report's page, and the data that they share.
 *
 * Every function prints to the page and fails only if the draws cannot be read or memory is short; closing
 * the page reports its write errors.
 */
#ifndef TALWEG_OUTPUT_REPORT_PARTS_H
#define TALWEG_OUTPUT_REPORT_PARTS_H

#include "output/report/figure.h"
#include "talweg/report.h"

/* An estimate of log Z from any of the files. */
typedef struct tw_report_estimate {
    const char *from, *kernel;
    double seconds;
} tw_report_estimate;

typedef struct tw_report {
    tw_context *ctx;
    tw_pool *pool;
    const tw_report_options *options;
    FILE *page;
    tw_figures figures;

    /* draws: set only if pool->chained > 0 */
    tw_summary *rows; /* n */
    size_t *worst;    /* n: latents by increasing ESS */
    tw_chains_summary summary;
    tw_warnings warnings;
    double *expected; /* n: E[y], or the probability of +1, at the training inputs; NULL: x was not kept */

    /* estimates of log Z */
    size_t estimates;
    tw_estimate *estimate;
    tw_report_estimate *about;
    double laplace, ep, ep_corrected; /* NaN: none */
    tw_agreement agreement;
    const tw_estimate *best; /* the smallest error; NULL: none has one */
} tw_report;

/* style.c: the frame of any page: head, title and the start of a paragraph after it; and the end, in the
 * footer. tw_page_model prints a model in a sentence; with `unknown` its parameters are unknown and are given
 * at their mode. tw_page_file_name is the last part of a path. */
void tw_page_begin(FILE *page, const char *title, const char *kind);
void tw_page_end(FILE *page);
void tw_page_model(const tw_problem *problem, bool unknown, FILE *page);
const char *tw_page_file_name(const char *path);

/* style.c: everything before the first section, and after the last. */
void tw_report_head(const tw_report *report);
void tw_report_foot(const tw_report *report);

/* verdict.c: whether the results may be used. */
void tw_report_verdict(const tw_report *report);

/* setting.c: data, model, samplers, commands. */
void tw_report_setting(const tw_report *report);

/* mixing.c: sizes and R-hat of all latents, and a table of the worst. */
tw_status tw_report_mixing(tw_report *report);

/* traces.c: traces and rank plots of the worst latents. */
tw_status tw_report_traces(tw_report *report);

/* energy.c: energies, and a table of the chains. */
tw_status tw_report_energy(tw_report *report);

/* parameters.c: unknown parameters, if there are any. */
tw_status tw_report_parameters(tw_report *report);

/* evidence.c: estimates of log Z. */
tw_status tw_report_evidence(tw_report *report);

/* predictions.c: calibration, and predictions over the inputs. */
tw_status tw_report_predictions(tw_report *report);

/* time.c: the cost. */
tw_status tw_report_time(tw_report *report);

#endif
