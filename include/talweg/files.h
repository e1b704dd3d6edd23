/* files.h: files as talweg writes them: whole or not at all; tables of numbers and draws as CSV; checkpoints.
 *
 * What is printed to a stream reports no error of it: tw_writer_close notices that, or the caller, for a stream of its
 * own. Numbers have the fewest digits that read back to the same double, a point in every locale, and NaN is "NaN".
 */
#ifndef TALWEG_FILES_H
#define TALWEG_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <talweg/base.h>
#include <talweg/chains.h>
#include <talweg/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a file that is written whole or not at all ---- */

/* A file that is being written. A regular file is written under another name beside it, flushed to the disk and
 * renamed. What is not a regular file (a pipe, a terminal, /dev/stdout) is written as it is. */
typedef struct tw_writer tw_writer;

/* Could path be written? Fails as tw_writer_open would, and leaves nothing behind: for the start of a long
 * computation. */
TW_API tw_status tw_writer_check(tw_context *ctx, const char *path, bool overwrite);

/* Begin. An existing file is refused with TW_FILE_EXISTS unless overwrite; a place that cannot be written is
 * TW_WRITE_FAILED. */
TW_API tw_status tw_writer_open(tw_context *ctx, const char *path, bool overwrite, tw_writer **out);

/* Where to print; belongs to the writer. */
TW_API FILE *tw_writer_stream(const tw_writer *writer);

/* Finish, `status` being how the writing went. TW_OK: flush, fsync, rename; where that fails, the file that was there
 * before is untouched. Otherwise the same without a new file, and the status is returned. Frees the writer in any case. */
TW_API tw_status tw_writer_close(tw_writer *writer, tw_status status);

/* Give up: nothing is left. Frees the writer; NULL is fine. */
TW_API void tw_writer_abandon(tw_writer *writer);

/* ---- tables as CSV ---- */

/* rows x columns numbers or texts, one array and one name per column. All belong to the caller. */
typedef struct tw_csv {
    size_t rows, columns;
    const char *const *names;
    const double *const *values;
    const tw_levels *const
        *texts; /* where texts[j] is not NULL, column j holds numbers of these texts; NULL: nowhere */
} tw_csv;

/* To a file, as by a tw_writer. */
TW_API tw_status tw_csv_save(tw_context *ctx, const tw_csv *csv, const char *path, bool overwrite);

/* To an open stream: a line of names and the rows. */
TW_API tw_status tw_csv_print(tw_context *ctx, const tw_csv *csv, FILE *to);

/* The same in parts: the names, then rows as they come. */
TW_API void tw_csv_header(const tw_csv *csv, FILE *to);
TW_API tw_status tw_csv_rows(tw_context *ctx, const tw_csv *csv, FILE *to);

/* Numbers with commas between them, without the end of the line: for lines that have something else too. */
TW_API tw_status tw_csv_numbers(tw_context *ctx, size_t count, const double *values, FILE *to);

/* ---- draws as CSV ---- */

/* The header: chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy,x.1,...,x.n. */
TW_API void tw_draws_csv_header(size_t n, FILE *to);

/* One line for each chain; chains and draws are counted from 1, diverging is 1 where the trajectory failed in
 * any way. */
TW_API tw_status tw_draws_csv_add(tw_context *ctx, const tw_draw *draw, FILE *to);

/* ---- draws as CmdStan writes them ---- */

/* A file for each chain, PREFIX_1.csv and so on: settings in comments, a line of names, the tuning in comments, a line
 * for each draw, the time in comments, which R's posterior and cmdstanr, ArviZ and others read. treedepth__ is that of
 * the smallest tree with so many steps, ceil(log2(steps + 1)); divergent__ is 1 where the trajectory failed in any
 * way. */
typedef struct tw_stan_csv tw_stan_csv;

/* What the comments say. */
typedef struct tw_stan_settings {
    size_t n, chains, draws, warmup, thin;
    uint64_t seed;
    double target_accept;
    const char *data, *method, *metric;
} tw_stan_settings;

/* Could the files be written? */
TW_API tw_status tw_stan_csv_check(tw_context *ctx, const char *prefix, bool overwrite, size_t chains);

/* Begin, add draws as they come, and give the files their names. Closing frees csv in any case. */
TW_API tw_status tw_stan_csv_open(tw_context *ctx, const char *prefix, bool overwrite,
                                  const tw_stan_settings *settings, tw_stan_csv **out);
TW_API tw_status tw_stan_csv_add(tw_stan_csv *csv, const tw_draw *draw);
TW_API tw_status tw_stan_csv_close(tw_stan_csv *csv, double warmup_seconds, double sampling_seconds);

/* Give up: no file is left. Frees csv; NULL is fine. */
TW_API void tw_stan_csv_abandon(tw_stan_csv *csv);

/* ---- checkpoints ---- */

/* The state of a long computation: blocks of bytes with names, in one file. What the blocks mean is the caller's
 * affair; a file is read on a machine like the one that wrote it. */
typedef struct tw_checkpoint tw_checkpoint;

enum { TW_CHECKPOINT_NAME_BYTES = 32 }; /* of a name, the final NUL included */

/* An empty one, which the caller frees before the context. */
TW_API tw_status tw_checkpoint_new(tw_context *ctx, tw_checkpoint **out);
TW_API void tw_checkpoint_free(tw_checkpoint *checkpoint);

/* Copy bytes into the block of that name, in place of what it held before. */
TW_API tw_status tw_checkpoint_put(tw_checkpoint *checkpoint, const char *name, size_t bytes,
                                   const void *data);

/* The block and its length; NULL and 0 where there is none. Valid until it is put again. */
TW_API const void *tw_checkpoint_get(const tw_checkpoint *checkpoint, const char *name, size_t *bytes);

/* Write the file, as by a tw_writer, in place of one that is there. */
TW_API tw_status tw_checkpoint_save(const tw_checkpoint *checkpoint, const char *path);

/* Read it. Messages name the file; TW_BAD_DATA where it is something else, or damaged. */
TW_API tw_status tw_checkpoint_load(tw_context *ctx, const char *path, tw_checkpoint **out);

#ifdef __cplusplus
}
#endif

#endif
