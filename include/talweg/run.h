/* run.h: run files: the problem, draws of its posterior, statistics of the sampler, and estimates of log Z.
 *
 * The file is NetCDF-4 in the layout of InferenceData, for xarray and ArviZ: groups posterior (x: chain, draw,
 * obs), sample_stats, log_likelihood, observed_data, constant_data, and evidence. During a run, draws are appended
 * to a journal (RUN.nc.journal), which is flushed to disk every two seconds; tw_run_finish makes the file from it.
 * After a crash, tw_run_open finds the journal and makes the file from it, with a note in the log.
 *
 * Memory does not grow with the number of draws, for writing or reading, except for a summary, which takes about
 * 100 bytes for each draw of each chain and thread. tw_run_save writes draws in memory to a file, and tw_run_load
 * reads the draws of a file into memory.
 *
 * netCDF-C is not thread-safe: only one thread of a process at a time may call these functions.
 */
#ifndef TALWEG_RUN_H
#define TALWEG_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/chains.h>
#include <talweg/evidence.h>
#include <talweg/hyper.h>
#include <talweg/output.h>
#include <talweg/predict.h>
#include <talweg/sampling_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- facts of a run ---- */

/* The description of a run, without its draws. */
typedef struct tw_run_facts {
    size_t n, chains;
    size_t draws;        /* per chain, in the file; 0: a file of estimates only */
    bool has_x;          /* false: only statistics and a summary of every latent were stored (summary only) */
    const char *data;    /* the name of the data, or "" */
    const char *command; /* the command line, or "" */
    const char *method, *metric, *from; /* names as on the command line; "" if there are no draws */
    double beta;
    size_t warmup, thin;
    uint64_t seed;
    tw_tuning tuning;
    tw_totals warmup_totals, sampling; /* sums over a stage, including iterations dropped by thinning */
    double warmup_seconds, sampling_seconds;
    bool interrupted;
    const char *created_at; /* ISO 8601, UTC; set by the writer, as is version */
    const char *version;    /* of the library that wrote it */
} tw_run_facts;

/* Do the draws have energies? (Depends on the method; true for an unknown method.) */
TW_API bool tw_run_has_energy(const tw_run_facts *facts);

/* ---- writing ---- */

/* A run file in progress: a journal. */
typedef struct tw_run_writer tw_run_writer;

/* The default compression level of draws: higher levels are slower and save almost no space. */
enum { TW_RUN_COMPRESSION = 4 };

/* How to write it. */
typedef struct tw_run_options {
    bool overwrite;
    unsigned compress; /* 0: none; 1..9: shuffled and deflated at that level */
    bool
        summary_only; /* store statistics and a summary of every latent, not x, unless the run is interrupted */
    bool pointwise;   /* log_likelihood of each observation (as large as x), not only their sum */
    size_t threads;   /* for the summary */
} tw_run_options;

/* The facts of a sampling run, except data, command, created_at and version. result NULL: before the first draw.
 * The texts belong to the plan. */
TW_API tw_run_facts tw_run_facts_of(const tw_sampling_plan *plan, const tw_sampling_result *result);

/* Check that a run can be written: fails as tw_run_create would, without creating anything. For the start of a
 * long computation: until the context is freed, no other can write it (tw_writer_hold). */
TW_API tw_status tw_run_check(tw_context *ctx, const char *path, bool overwrite);

/* Begin a run file. The problem (with a built-in likelihood) must outlive the writer; facts must have n, chains
 * and the other members known before the first draw; its strings are copied. TW_FILE_EXISTS if the file exists,
 * or a journal with draws, unless overwrite. */
TW_API tw_status tw_run_create(tw_context *ctx, const char *path, const tw_run_options *options,
                               const tw_problem *problem, const tw_run_facts *facts, tw_run_writer **out);

/* Resume a killed or interrupted run: the first `draws` draws of each chain in its journal or file are kept, and
 * later draws are dropped. x (n x chains; may be NULL) is the last of them: TW_BAD_DATA if the file has a
 * different one, fewer draws, or only a summary. tw_run_finish overwrites the file. */
TW_API tw_status tw_run_reopen(tw_context *ctx, const char *path, const tw_run_options *options,
                               const tw_problem *problem, const tw_run_facts *facts, size_t draws,
                               const double *x, tw_run_writer **out);

/* Flush the draws so far to disk, before another file refers to them. */
TW_API tw_status tw_run_sync(tw_run_writer *writer);

/* Add a draw of all chains: to be called from tw_chains_options.on_draw. */
TW_API tw_status tw_run_append(tw_run_writer *writer, const tw_draw *draw);

/* Summarise the draws so far (all but E-BFMI and acceptance), in blocks of latents: for
 * tw_chains_options.on_look. */
TW_API tw_status tw_run_look(tw_run_writer *writer, size_t threads, tw_chains_summary *out);

/* Make the file, with the final facts, and remove the journal; a run without draws also gets a file. Always frees
 * the writer; after a failure (TW_WRITE_FAILED: the disk is full) the journal remains, for tw_run_open to try
 * again, and an existing file is unchanged. */
TW_API tw_status tw_run_finish(tw_run_writer *writer, const tw_run_facts *facts);

/* End without a file: the journal is removed if it has no draws. Frees the writer. */
TW_API void tw_run_abandon(tw_run_writer *writer);

/* Write draws in memory, from tw_chains_run, to a file, without a journal. The size, tuning, sums and
 * `interrupted` of the facts are taken from `draws`. Fails as tw_run_create does; after a failure, which may be
 * TW_INTERRUPTED (base.h), an existing file is unchanged and no other file is left. */
TW_API tw_status tw_run_save(tw_context *ctx, const char *path, const tw_run_options *options,
                             const tw_problem *problem, const tw_run_facts *facts, const tw_draws *draws);

/* ---- unknown parameters ---- */

/* The unknown parameters of a run. */
typedef struct tw_run_theta {
    size_t unknown, points, scrambles, draws;
    const tw_hyper_row *row;  /* unknown */
    const char *const *prior; /* unknown: "log_ell ~ normal(0, 1)" */
    const size_t *index;      /* unknown: their indices in theta */
    const double *theta;      /* unknown x points */
    const double *log_weight; /* points */
    const double *log_z;      /* points: estimates of log p(y | theta) */
    const size_t *point;      /* draws: the point of each draw */
    double weight_ess, pareto_k;
} tw_run_theta;

/* The unknown parameters of a result: `all` points into this struct and into the result. */
typedef struct tw_run_theta_room {
    tw_run_theta all;
    size_t index[TW_HYPER_MOST];
    const char *prior[TW_HYPER_MOST];
    char words[TW_HYPER_MOST][200];
} tw_run_theta_room;
TW_API void tw_run_theta_of(const tw_problem *problem, const tw_priors *priors, const tw_hyper_result *result,
                            const size_t *point, tw_run_theta_room *out);

/* Parameter k at a point, as its row reports it. */
TW_API double tw_run_theta_reported(const tw_problem *problem, const tw_run_theta *theta, size_t k,
                                    size_t point);

/* Write draws of (theta, x), as tw_hyper_draws makes them: the file has a variable for each parameter besides x,
 * and a group `unknown_parameters` with all points, their weights, and a summary. `estimate` of log p(y), which
 * took `seconds`, is its evidence. Otherwise as tw_run_save, without summary_only; pointwise only if the
 * likelihood's parameters are known. */
TW_API tw_status tw_run_save_hyper(tw_context *ctx, const char *path, const tw_run_options *options,
                                   const tw_problem *problem, const tw_run_facts *facts,
                                   const tw_run_theta *theta, const tw_estimate *estimate, double seconds,
                                   const tw_draws *draws);

/* A run file that is open for reading. */
typedef struct tw_run tw_run;

/* NULL: the run has no unknown parameters. Belongs to the run. */
TW_API const tw_run_theta *tw_run_read_theta(const tw_run *run);

/* For predictions (tw_draw_source.places) from every stride-th draw; *out is NULL if theta is. The problem and
 * theta must outlive it. */
TW_API tw_status tw_run_places(const tw_problem *problem, const tw_run_theta *theta, size_t stride,
                               tw_theta_places **out);

/* ---- reading ---- */

/* Open a run file, which is first completed from its journal, if there is one. TW_BAD_FILE if a process is still
 * writing the journal. */
TW_API tw_status tw_run_open(tw_context *ctx, const char *path, tw_run **out);
TW_API void tw_run_close(tw_run *run);
TW_API const tw_run_facts *tw_run_describe(const tw_run *run); /* belongs to the run */

/* The problem of the run, with its model; the caller frees it. The second function makes the model with the given
 * function (NULL: as the first), for example a distributed model. */
TW_API tw_status tw_run_problem(tw_run *run, tw_problem **out);
TW_API tw_status tw_run_problem_by(tw_run *run, tw_model_maker *make_model, tw_problem **out);

/* All draws of latents first .. first + count - 1: x[i + draws (c + chains k)] is draw i of chain c of latent
 * first + k. */
TW_API tw_status tw_run_read_latents(tw_run *run, size_t first, size_t count, double *x);

/* Draws first .. first + count - 1 of one chain: x is n x count. */
TW_API tw_status tw_run_read_draws(tw_run *run, size_t chain, size_t first, size_t count, double *x);

/* The draws as a source for predictions (predict.h). The run must outlive it. */
TW_API tw_draw_source tw_run_source(tw_run *run);

/* A number for every draw: lp, acceptance_rate, step_size, n_steps, diverging (failed in any of the four ways),
 * energy, energy_error, accepted, energy_divergence, implicit_failure, irreversible, factorisation,
 * log_likelihood (the sum over observations); flags are 0 or 1. out[i + draws c]. */
TW_API tw_status tw_run_read_statistic(tw_run *run, const char *name, double *out);

/* Read the whole run into memory, as from tw_chains_run; the caller frees it before the context. TW_BAD_ARGUMENT
 * if the file has no draws of the latents. */
TW_API tw_status tw_run_load(tw_run *run, tw_draws **out);

/* As tw_draws_summarise, in blocks of latents. */
TW_API tw_status tw_run_summarise(tw_run *run, size_t threads, tw_summary *rows, tw_chains_summary *out);

/* ---- estimates of log Z ---- */

enum { TW_RUN_MOST_ESTIMATES = 16 };

/* Estimates, with approximations for comparison. */
typedef struct tw_run_evidence {
    double laplace, ep, ep_corrected; /* log Z; NaN: none */
    const char *from, *kernel;        /* q of the path, and the transitions: "ep", "hmc/ep" */
    size_t count;
    tw_estimate estimates[TW_RUN_MOST_ESTIMATES];
    double seconds[TW_RUN_MOST_ESTIMATES]; /* of wall time */
} tw_run_evidence;

/* Write a file with the group evidence and the problem, without draws. Fails as tw_run_create does. */
TW_API tw_status tw_run_write_evidence(tw_context *ctx, const char *path, bool overwrite,
                                       const tw_problem *problem, const tw_run_facts *facts,
                                       const tw_run_evidence *evidence);

/* The estimates of a run; count is 0 and the others NaN if the file has none. Belongs to the run. */
TW_API const tw_run_evidence *tw_run_read_evidence(const tw_run *run);

#ifdef __cplusplus
}
#endif

#endif
