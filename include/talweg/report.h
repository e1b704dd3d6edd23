/* report.h: pools of run files, and report pages.
 *
 * A pool is one or more run files (run.h) of the same problem. Files with draws are treated as chains of one
 * posterior; the estimates of log Z of all files form one list.
 */
#ifndef TALWEG_REPORT_H
#define TALWEG_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <talweg/check.h>
#include <talweg/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pools ---- */

enum { TW_POOL_MOST_FILES = 64 };

/* The files, and the common properties of their runs. */
typedef struct tw_pool {
    tw_context *ctx;
    size_t files;
    const char *path[TW_POOL_MOST_FILES]; /* owned by the caller; must outlive the pool */
    tw_run *run[TW_POOL_MOST_FILES];
    tw_problem *problem;       /* the common problem */
    size_t chained;            /* number of files with draws */
    size_t n, chains;          /* chains of all files */
    size_t draws;              /* of each chain: the minimum over the files; longer chains are truncated */
    bool has_x;                /* false: a file has only a summary of its draws */
    bool interrupted;          /* a run was interrupted */
    const tw_run_theta *theta; /* unknown parameters of its only file with draws; NULL: none */
    tw_totals warmup, sampling;
    double warmup_seconds, sampling_seconds; /* summed over all files */
} tw_pool;

/* Open files and check that they have the same data and model, and, if they have draws, the same temperature (and
 * q, unless it is 1). TW_BAD_DATA, with a message that names the difference, if they do not match, or if draws
 * cannot be combined because a file has only a summary or unknown parameters. */
TW_API tw_status tw_pool_open(tw_context *ctx, size_t count, const char *const *paths, tw_pool **out);
TW_API void tw_pool_close(tw_pool *pool);

/* Write the chains of all files to one run file, with the facts of the first; different step sizes become NaN.
 * TW_BAD_DATA if there are no draws, or only a summary of them. */
TW_API tw_status tw_pool_save(tw_pool *pool, const char *path, const tw_run_options *options);

/* As tw_run_read_latents, tw_run_read_statistic and tw_run_summarise, for the chains of all files, one file after
 * the other. Statistics of a file are read at once, latents in blocks. */
TW_API tw_status tw_pool_read_latents(tw_pool *pool, size_t first, size_t count, double *x);
TW_API tw_status tw_pool_read_statistic(tw_pool *pool, const char *name, double *out);
TW_API tw_status tw_pool_summarise(tw_pool *pool, size_t threads, tw_summary *rows, tw_chains_summary *out);

/* The warnings about the draws, as by tw_chains_judge, or about the weights if parameters are unknown. */
TW_API void tw_pool_judge(const tw_pool *pool, const tw_chains_summary *summary, tw_warnings *out);

/* The latents by increasing ESS: order[0] is the worst; latents without an ESS come first. */
TW_API tw_status tw_pool_order(const tw_pool *pool, const tw_summary *rows, size_t *order);

/* The number of latents per block, so that a block has at most about 32 MB (or one latent). */
TW_API size_t tw_pool_block(const tw_pool *pool);

/* ---- figures by gnuplot ---- */

/* Is gnuplot installed? */
TW_API bool tw_gnuplot_available(void);

/* A figure in progress: print gnuplot commands, including data blocks, to `script`, a temporary file. gnuplot is
 * run without a shell. */
typedef struct tw_gnuplot {
    tw_context *ctx;
    FILE *script;
} tw_gnuplot;

/* Start a figure; end or abandon it afterwards. */
TW_API tw_status tw_gnuplot_begin(tw_context *ctx, tw_gnuplot *plot);

/* Run the script and append the SVG or PNG that it prints to `picture`, all of it or nothing. The script is always
 * removed. TW_WRITE_FAILED, with the first line of gnuplot's message, if gnuplot failed or not all could be written. */
TW_API tw_status tw_gnuplot_end(tw_gnuplot *plot, FILE *picture);

/* Remove the script without running it. */
TW_API void tw_gnuplot_abandon(tw_gnuplot *plot);

/* Print text in gnuplot's single quotes, without expansion. */
TW_API void tw_gnuplot_quote(const char *text, FILE *to);

/* ---- a page ---- */

/* The options of a page. */
typedef struct tw_report_options {
    bool overwrite;
    const char *title;   /* NULL: the name of the data */
    size_t latents;      /* number of trace and rank plots, of the latents with the smallest ESS */
    const tw_data *test; /* labelled cases on the scale of the problem's data, for calibration; NULL: the
                            training data */
    const char *test_name;
    size_t threads;
} tw_report_options;
#define TW_REPORT_DEFAULTS ((tw_report_options){.latents = 4, .threads = 1})

/* Write one self-contained HTML file, without network access or scripts: a verdict, plots by gnuplot as inline
 * SVG, estimates of log Z, calibration, predictions, times and settings. If gnuplot is not installed, the page
 * says so and has no plots. Memory is that of the draws of one latent and a few statistics. */
TW_API tw_status tw_report_write(tw_pool *pool, const char *path, const tw_report_options *options);

/* The options of a page about a check. */
typedef struct tw_check_page {
    bool overwrite;
    const char *data;    /* the name of the data; NULL: none */
    const char *command; /* the command line; NULL: none */
} tw_check_page;

/* The same for a check (check.h): the verdict, claimed against exact means and standard deviations, marginals of
 * the latents with the largest differences, and tables. options NULL: zeros. */
TW_API tw_status tw_check_write(const tw_problem *problem, const tw_claim *claim,
                                const tw_check_result *result, const char *path,
                                const tw_check_page *options);

#ifdef __cplusplus
}
#endif

#endif
