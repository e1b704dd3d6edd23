/* report.h: what runs in files are worth: their chains taken together, and a page that shows it all.
 *
 * A pool is one or more run files (run.h) of the same problem. Those with draws are taken as chains of one
 * posterior; those with estimates of log Z add to one list of estimates.
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

/* ---- runs taken together ---- */

enum { TW_POOL_MOST_FILES = 64 };

/* The files, and what their runs have in common. */
typedef struct tw_pool {
    tw_context *ctx;
    size_t files;
    const char *path[TW_POOL_MOST_FILES]; /* the caller's, who keeps them alive */
    tw_run *run[TW_POOL_MOST_FILES];
    tw_problem *problem; /* that of all of them */
    size_t chained;      /* how many files have draws */
    size_t n, chains;    /* chains of all files */
    size_t draws;        /* of each chain: the fewest that a file has. The first so many of each are used */
    bool has_x;          /* false: a file was written with its summary only */
    bool interrupted;    /* a run was */
    const tw_run_theta *theta; /* unknown parameters of its only file with draws; NULL: none */
    tw_totals warmup, sampling;
    double warmup_seconds, sampling_seconds; /* of all files together */
} tw_pool;

/* Open files and see that they belong together: the same data and model, and, where they have draws, the same
 * temperature (and q, unless that is 1). TW_BAD_DATA, with words that say what differs, where they do not, or
 * where draws should be taken together of which a file holds only the summary, or has unknown parameters. */
TW_API tw_status tw_pool_open(tw_context *ctx, size_t count, const char *const *paths, tw_pool **out);
TW_API void tw_pool_close(tw_pool *pool);

/* The chains of all files as one run file, which has the facts of the first; step sizes that differ become NaN. TW_BAD_DATA
 * where there are no draws, or only a summary of them. */
TW_API tw_status tw_pool_save(tw_pool *pool, const char *path, const tw_run_options *options);

/* As tw_run_read_latents, tw_run_read_statistic and tw_run_summarise, for the chains of all files, one file
 * after the other. The statistics of a file are read whole, latents in blocks. */
TW_API tw_status tw_pool_read_latents(tw_pool *pool, size_t first, size_t count, double *x);
TW_API tw_status tw_pool_read_statistic(tw_pool *pool, const char *name, double *out);
TW_API tw_status tw_pool_summarise(tw_pool *pool, size_t threads, tw_summary *rows, tw_chains_summary *out);

/* What is wrong with the draws: as tw_chains_judge, or of the weights where parameters are unknown. */
TW_API void tw_pool_judge(const tw_pool *pool, const tw_chains_summary *summary, tw_warnings *out);

/* The latents by increasing ESS: order[0] is the worst; those that have none come first. */
TW_API tw_status tw_pool_order(const tw_pool *pool, const tw_summary *rows, size_t *order);

/* How many latents to read at a time, so that a block stays below about 32 MB (or is one latent). */
TW_API size_t tw_pool_block(const tw_pool *pool);

/* ---- pictures by gnuplot ---- */

/* Is the program gnuplot installed? */
TW_API bool tw_gnuplot_available(void);

/* A picture that is being made: print gnuplot commands, data blocks included, to `script`, a temporary file. gnuplot is run
 * without a shell. */
typedef struct tw_gnuplot {
    tw_context *ctx;
    FILE *script;
} tw_gnuplot;

/* Begin; end or abandon it afterwards. */
TW_API tw_status tw_gnuplot_begin(tw_context *ctx, tw_gnuplot *plot);

/* Run the script, with gnuplot's standard output going to `picture`, a file with a descriptor. The script is removed in
 * any case. TW_WRITE_FAILED, with gnuplot's first words, where it did not draw. */
TW_API tw_status tw_gnuplot_end(tw_gnuplot *plot, FILE *picture);

/* Remove the script without running it. */
TW_API void tw_gnuplot_abandon(tw_gnuplot *plot);

/* Text between gnuplot's single quotes, where nothing is expanded. */
TW_API void tw_gnuplot_quote(const char *text, FILE *to);

/* ---- a page ---- */

/* What a page is to show beside what is in the files. */
typedef struct tw_report_options {
    bool overwrite;
    const char *title;   /* NULL: what the data are called */
    size_t latents;      /* trace and rank plots of so many, those with the smallest ESS */
    const tw_data *test; /* labelled cases on the scale of the problem's data, for calibration; NULL: the
                            training data's own labels */
    const char *test_name;
    size_t threads;
} tw_report_options;
#define TW_REPORT_DEFAULTS ((tw_report_options){.latents = 4, .threads = 1})

/* Write one HTML file that needs nothing else, neither network nor script: what was run, a verdict in words,
 * plots by gnuplot as inline SVG, estimates of log Z, calibration, predictions, time. Where gnuplot is not
 * installed the page says so and has no plots. Memory does not grow with the number of draws beyond that of the
 * draws of one latent and a few statistics. */
TW_API tw_status tw_report_write(tw_pool *pool, const char *path, const tw_report_options *options);

/* What a page about a check shows beside what was found. */
typedef struct tw_check_page {
    bool overwrite;
    const char *data;    /* what the data are called; NULL: nothing */
    const char *command; /* that made it; NULL: none */
} tw_check_page;

/* The same of a check (check.h): the verdict, claimed against exact means and standard deviations, marginals of the latents
 * that are furthest off, and tables. options NULL: zeros. */
TW_API tw_status tw_check_write(const tw_problem *problem, const tw_claim *claim,
                                const tw_check_result *result, const char *path,
                                const tw_check_page *options);

#ifdef __cplusplus
}
#endif

#endif
