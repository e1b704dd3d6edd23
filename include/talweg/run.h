/* run.h: a run in a file: the problem, draws of its posterior, what the sampler did, and estimates of log Z.
 *
 * The file is NetCDF-4 in the layout of InferenceData, which xarray and ArviZ open as it is: groups posterior
 * (x: chain, draw, obs), sample_stats, log_likelihood, observed_data, constant_data, and evidence. It is
 * written whole: while a run goes on, its draws are appended to a journal beside it (RUN.nc.journal), which
 * is flushed to the disk every other second, and tw_run_finish makes the file from it. After a crash
 * tw_run_open finds the journal, makes the file from what is in it, and says so in the log.
 *
 * Memory does not grow with the number of draws, neither for writing nor for reading; only a summary takes
 * about 100 bytes for each draw of each chain and thread. Draws that are in memory anyhow become a file by
 * tw_run_save, and those of a file come into memory by tw_run_load.
 *
 * netCDF-C is not safe for threads: let one thread of a process at a time call what is here.
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

/* ---- what is known of a run beside its draws ---- */

/* Everything but numbers for each draw. */
typedef struct tw_run_facts {
    size_t n, chains;
    size_t draws;        /* per chain, in the file; 0: a file of estimates only */
    bool has_x;          /* false: only statistics and the summary of every latent were kept (summary only) */
    const char *data;    /* as the user called the data, or "" */
    const char *command; /* the command line, or "" */
    const char *method, *metric, *from; /* names as on the command line; "" where there are no draws */
    double beta;
    size_t warmup, thin;
    uint64_t seed;
    tw_tuning tuning;
    tw_totals warmup_totals, sampling; /* sums over a stage, thinned draws included */
    double warmup_seconds, sampling_seconds;
    bool interrupted;
    const char *created_at; /* ISO 8601, UTC; filled in by the writer, as is the next */
    const char *version;    /* of the library that wrote it */
} tw_run_facts;

/* Do the draws have energies? (Not those of a method that has none; a method that is unknown is taken to have them.) */
TW_API bool tw_run_has_energy(const tw_run_facts *facts);

/* ---- writing ---- */

/* A run file on its way: a journal. */
typedef struct tw_run_writer tw_run_writer;

/* A level of compression for draws: higher ones take longer and gain next to nothing here. */
enum { TW_RUN_COMPRESSION = 4 };

/* How to write it. */
typedef struct tw_run_options {
    bool overwrite;
    unsigned compress; /* 0: not; 1..9: shuffled and deflated, at that level */
    bool summary_only; /* keep statistics and a summary of every latent, not x */
    bool pointwise;    /* log_likelihood for each observation (as much again as x), not the sum over them */
    size_t threads;    /* for the summary */
} tw_run_options;

/* What a sampling run knows of itself: of the facts all but data, command, created_at and version. result NULL: before the
 * first draw. Its texts are those of the plan. */
TW_API tw_run_facts tw_run_facts_of(const tw_sampling_plan *plan, const tw_sampling_result *result);

/* Could a run be written there? Fails as tw_run_create would, and leaves nothing behind: for the start of a long
 * computation. */
TW_API tw_status tw_run_check(tw_context *ctx, const char *path, bool overwrite);

/* Begin a run file. The problem (with a built-in likelihood) must outlive the writer; facts need n, chains and
 * what is known before the first draw, and its strings are copied. TW_FILE_EXISTS where there is a file of this
 * name, or a journal with draws in it, unless overwrite. */
TW_API tw_status tw_run_create(tw_context *ctx, const char *path, const tw_run_options *options,
                               const tw_problem *problem, const tw_run_facts *facts, tw_run_writer **out);

/* Go on with a run that was killed or interrupted: its journal, or the file that was made of it, is taken up with its
 * first `draws` draws of each chain; what follows them is dropped. x (n x chains; may be NULL) is the last of them:
 * TW_BAD_DATA where the file has another one, or fewer draws, or only a summary of them. tw_run_finish overwrites
 * the file. */
TW_API tw_status tw_run_reopen(tw_context *ctx, const char *path, const tw_run_options *options,
                               const tw_problem *problem, const tw_run_facts *facts, size_t draws,
                               const double *x, tw_run_writer **out);

/* See to it that the draws so far are on the disk: before something else there tells of them. */
TW_API tw_status tw_run_sync(tw_run_writer *writer);

/* Add a draw of all chains: to be called from tw_chains_options.on_draw. */
TW_API tw_status tw_run_append(tw_run_writer *writer, const tw_draw *draw);

/* What the draws so far are worth (all but E-BFMI and acceptance), in blocks of latents: for tw_chains_options.on_look. */
TW_API tw_status tw_run_look(tw_run_writer *writer, size_t threads, tw_chains_summary *out);

/* Make the file, with the facts as they are now known, and take the journal away; a run without a draw has a
 * file too. Frees the writer in any case; after a failure (TW_WRITE_FAILED: the disk is full) the journal stays
 * for tw_run_open to try again, and a file that was there before is untouched. */
TW_API tw_status tw_run_finish(tw_run_writer *writer, const tw_run_facts *facts);

/* End without a file: the journal is taken away if it holds no draw. Frees the writer. */
TW_API void tw_run_abandon(tw_run_writer *writer);

/* Write draws that are in memory, as tw_chains_run leaves them, in one go: the file that they would have made one by one,
 * without a journal. Of the facts, those that `draws` tells (its
 * size, tuning, sums and whether it was interrupted) are taken from there. Refuses what tw_run_create refuses; after a
 * failure, which may be TW_INTERRUPTED (base.h), what was there before is untouched and nothing else is left. */
TW_API tw_status tw_run_save(tw_context *ctx, const char *path, const tw_run_options *options,
                             const tw_problem *problem, const tw_run_facts *facts, const tw_draws *draws);

/* ---- unknown parameters ---- */

/* What a file has of unknown parameters. */
typedef struct tw_run_theta {
    size_t unknown, points, scrambles, draws;
    const tw_hyper_row *row;  /* unknown */
    const char *const *prior; /* unknown: "log_ell ~ normal(0, 1)" */
    const size_t *index;      /* unknown: their places in theta */
    const double *theta;      /* unknown x points */
    const double *log_weight; /* points */
    const double *log_z;      /* points: estimates of log p(y | theta) */
    const size_t *point;      /* draws: of which point each is */
    double weight_ess, pareto_k;
} tw_run_theta;

/* The same of a result, with room for what the result has not: `all` points into it and into the result. */
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

/* Write draws of (theta, x), as tw_hyper_draws makes them: the file has a variable for each parameter beside x, and a group
 * `unknown_parameters` with all points, their weights, and a summary. `estimate` of log p(y), which took so many seconds, is its evidence. As tw_run_save
 * otherwise, without summary_only; pointwise only where the likelihood's parameters are known. */
TW_API tw_status tw_run_save_hyper(tw_context *ctx, const char *path, const tw_run_options *options,
                                   const tw_problem *problem, const tw_run_facts *facts,
                                   const tw_run_theta *theta, const tw_estimate *estimate, double seconds,
                                   const tw_draws *draws);

/* A run file that is open for reading. */
typedef struct tw_run tw_run;

/* NULL: the run has no unknown parameters. Belongs to the run. */
TW_API const tw_run_theta *tw_run_read_theta(const tw_run *run);

/* For predictions (tw_draw_source.places) from every stride-th draw; *out is NULL where theta is. The problem and theta must
 * outlive it. */
TW_API tw_status tw_run_places(const tw_problem *problem, const tw_run_theta *theta, size_t stride,
                               tw_theta_places **out);

/* ---- reading ---- */

/* Open a run file, which is first made from its journal where there is one. TW_BAD_FILE where the journal
 * belongs to a process that is still writing it. */
TW_API tw_status tw_run_open(tw_context *ctx, const char *path, tw_run **out);
TW_API void tw_run_close(tw_run *run);
TW_API const tw_run_facts *tw_run_describe(const tw_run *run); /* belongs to the run */

/* The problem as it was, with its model; the caller frees it. The second makes the model with the function given (NULL: as the
 * first), for one whose matrices are spread over many processes, say. */
TW_API tw_status tw_run_problem(tw_run *run, tw_problem **out);
TW_API tw_status tw_run_problem_by(tw_run *run, tw_model_maker *make_model, tw_problem **out);

/* All draws of latents first .. first + count - 1: x[i + draws (c + chains k)] is draw i of chain c of latent
 * first + k. */
TW_API tw_status tw_run_read_latents(tw_run *run, size_t first, size_t count, double *x);

/* Draws first .. first + count - 1 of one chain: x is n x count. */
TW_API tw_status tw_run_read_draws(tw_run *run, size_t chain, size_t first, size_t count, double *x);

/* The draws as predictions (predict.h) ask for them. The run must outlive it. */
TW_API tw_draw_source tw_run_source(tw_run *run);

/* A number for every draw: lp, acceptance_rate, step_size, n_steps, diverging (failed in any of the four ways),
 * energy, energy_error, accepted, energy_divergence, implicit_failure, irreversible, factorisation,
 * log_likelihood (the sum over observations); flags are 0 or 1. out[i + draws c]. */
TW_API tw_status tw_run_read_statistic(tw_run *run, const char *name, double *out);

/* The whole run in memory, as tw_chains_run left it; the caller frees it before the context. TW_BAD_ARGUMENT where the
 * file has no draws of the latents. */
TW_API tw_status tw_run_load(tw_run *run, tw_draws **out);

/* As tw_draws_summarise, in blocks of latents. */
TW_API tw_status tw_run_summarise(tw_run *run, size_t threads, tw_summary *rows, tw_chains_summary *out);

/* ---- estimates of log Z ---- */

enum { TW_RUN_MOST_ESTIMATES = 16 };

/* Estimates side by side, with approximations to compare them with. */
typedef struct tw_run_evidence {
    double laplace, ep, ep_corrected; /* log Z; NaN: none */
    const char *from, *kernel;        /* the path's q, and the transitions: "ep", "hmc/ep" */
    size_t count;
    tw_estimate estimates[TW_RUN_MOST_ESTIMATES];
    double seconds[TW_RUN_MOST_ESTIMATES]; /* of wall time */
} tw_run_evidence;

/* A file with the group evidence, the problem, and no draws. Refuses what tw_run_create refuses. */
TW_API tw_status tw_run_write_evidence(tw_context *ctx, const char *path, bool overwrite,
                                       const tw_problem *problem, const tw_run_facts *facts,
                                       const tw_run_evidence *evidence);

/* What a run has; count is 0 and the others NaN where the file has no such group. Belongs to the run. */
TW_API const tw_run_evidence *tw_run_read_evidence(const tw_run *run);

#ifdef __cplusplus
}
#endif

#endif
