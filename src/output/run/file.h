/* file.h: the parts of a run file, for the files of this folder. */
#ifndef TALWEG_OUTPUT_RUN_FILE_H
#define TALWEG_OUTPUT_RUN_FILE_H

#include <limits.h>

#include "output/journal/journal.h"
#include "output/run/netcdf_file.h"
#include "output/writer.h"
#include "talweg/run.h"

enum { TW_RUN_FORMAT = 2 };       /* a change of meaning increases it; older files are read */
enum { TW_RUN_BLOCK = 32 << 20 }; /* bytes of draws in memory at a time */

/* ---- facts: attributes of the file ---- */

enum { TW_FACTS_TEXTS = 8 };
typedef struct tw_facts_store {
    tw_run_facts facts;
    char *text[TW_FACTS_TEXTS]; /* owns the strings of facts */
} tw_facts_store;

void tw_facts_put(tw_nc_writer *w, const tw_run_facts *facts);

/* Release the store after a failure as well. */
tw_status tw_facts_get(const tw_nc_reader *r, tw_facts_store *store);
void tw_facts_release(tw_context *ctx, tw_facts_store *store);

/* Exchange the dates of the two stores. */
void tw_facts_take_date(tw_facts_store *store, tw_facts_store *from);

/* ---- the problem: groups observed_data and constant_data ---- */

void tw_problem_put(tw_nc_writer *w, const tw_problem *problem);
tw_status tw_problem_get(const tw_nc_reader *r, size_t n, tw_model_maker *make_model, tw_problem **out);

/* The problem's kernel, in constant_data, for data with d inputs. */
void tw_kernel_put(tw_nc_writer *w, int group, int obs, const tw_kernel *kernel);
tw_status tw_kernel_get(const tw_nc_reader *r, int group, const tw_data *data, tw_kernel **out);

/* The problem's likelihood with parameters and columns, in constant_data. */
void tw_likelihood_put(tw_nc_writer *w, int group, int obs, const tw_problem *problem);

/* The observations alone, with their numbers in one newly allocated block; release it after a failure as
 * well. */
tw_status tw_observations_get(const tw_nc_reader *r, size_t n, tw_observations *out, double **block);

/* ---- draws ---- */

/* The statistics of every draw of every chain, in groups sample_stats and log_likelihood. */
typedef struct tw_statistic {
    const char *name;
    nc_type type; /* NC_BYTE: a flag */
    double (*value)(const tw_journal_draw *draw, const tw_journal_record *record);
    const char *words;
} tw_statistic;
enum { TW_STATISTIC_COUNT = 13 };
extern const tw_statistic tw_statistics[TW_STATISTIC_COUNT];

/* Reads draws of latents, like tw_run_read_latents. */
typedef tw_status tw_latents_reader(void *from, size_t first, size_t count, double *x);

/* The source of the draws of a file: a journal, or memory. */
typedef struct tw_draws_feed {
    const tw_journal *layout; /* settings, stride and number of draws */
    void *from;
    tw_status (*read)(void *from, size_t first, size_t count, void *rows); /* like tw_journal_read */
    tw_latents_reader *read_latents;
} tw_draws_feed;

/* Add the draws to the file under the writer's temporary name, which is otherwise complete, and update its
 * facts. `observed` is needed only for the log likelihood of each observation. */
tw_status tw_draws_put(const tw_draws_feed *feed, tw_writer *writer, const tw_run_facts *facts,
                       const tw_observations *observed);

/* Check that the parts belong together and can be written. */
tw_status tw_run_check_parts(tw_context *ctx, const tw_run_options *options, const tw_problem *problem,
                             const tw_run_facts *facts);

tw_journal_settings tw_run_settings(const tw_run_options *options, const tw_run_facts *facts);

/* Open the file for writing, like tw_writer_open but for regular files only. */
tw_status tw_run_begin(tw_context *ctx, const char *path, bool overwrite, tw_writer **out);

/* Write the file without its draws under the writer's temporary name; evidence may be NULL. */
tw_status tw_run_write_image(tw_context *ctx, const tw_problem *problem, const tw_run_facts *facts,
                             unsigned compress, const tw_run_evidence *evidence, tw_writer *writer);

/* ---- a run that is being written ---- */

struct tw_run_writer {
    tw_context *ctx;
    const tw_problem *problem;
    char path[PATH_MAX];
    bool replaces;          /* there is such a file, */
    struct stat old;        /* whose rights are kept */
    bool overwrite, writes; /* writes: this process is the leader of a team, or alone */
    tw_journal journal;
};

/* Allocate a writer without a journal; begin its journal, with the first image. */
tw_status tw_run_writer_new(tw_context *ctx, const char *path, const tw_run_options *options,
                            const tw_problem *problem, const tw_run_facts *facts, tw_run_writer **out);
tw_status tw_run_writer_begin(tw_run_writer *w, const tw_run_options *options, const tw_run_facts *facts);
void tw_run_writer_free(tw_run_writer *w);

/* Make the file of a journal and remove the journal, without closing it. TW_WRITE_FAILED: the journal
 * remains. */
tw_status tw_run_complete(tw_journal *journal, const char *path, bool overwrite);

/* ---- summaries: the group summary ---- */

typedef struct tw_latents {
    tw_context *ctx;
    size_t n, chains, draws;
    tw_latents_reader *read;
    void *from;
} tw_latents;

/* Summaries of all latents, in blocks of latents. */
tw_status tw_latents_summarise(const tw_latents *latents, size_t threads, tw_summary *rows);
void tw_summary_put(tw_nc_writer *w, size_t n, const tw_summary *rows);

/* ---- estimates: the group evidence ---- */

typedef struct tw_evidence_store {
    tw_run_evidence evidence;
    char *from, *kernel, **methods;
} tw_evidence_store;
void tw_evidence_put(tw_nc_writer *w, const tw_run_evidence *evidence);
tw_status tw_evidence_get(const tw_nc_reader *r, tw_evidence_store *store);
void tw_evidence_release(tw_context *ctx, tw_evidence_store *store);

/* ---- unknown parameters: the group unknown_parameters ---- */

typedef struct tw_theta_store {
    tw_run_theta all; /* unknown = 0: none */
    tw_hyper_row *row;
    char **names, **priors;
    size_t *index, *point;
    double *theta, *log_weight, *log_z;
} tw_theta_store;

/* Add it to the file under the writer's temporary name, which contains the draws. */
tw_status tw_theta_put(const tw_problem *problem, const tw_run_theta *theta, unsigned compress,
                       tw_writer *writer);

/* Release the store after a failure as well. */
tw_status tw_theta_get(const tw_nc_reader *r, const tw_run_facts *facts, tw_theta_store *store);
void tw_theta_release(tw_context *ctx, tw_theta_store *store);

/* ---- an open run ---- */

/* The sampler's records at every draw: records[c + chains d], and log p(y | x) in the same order. */
tw_status tw_run_read_records(tw_run *run, tw_record *records, double *log_likelihood);

struct tw_run {
    tw_context *ctx;
    char path[PATH_MAX];
    tw_nc_reader file;
    tw_facts_store facts;
    tw_evidence_store evidence;
    tw_theta_store theta;
};

#endif
