/* files.h: output files, which are written completely or not at all; tables of numbers and draws as CSV;
 * checkpoints.
 *
 * Functions that print to a stream do not report its errors: tw_writer_close does, or the caller must, for its own
 * stream. Numbers have the fewest digits that read back to the same double, with a decimal point in every locale;
 * NaN is "NaN".
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

/* ---- atomic files ---- */

/* A file that is being written. A regular file is written under a temporary name, FILE.talweg.part, flushed to disk
 * and renamed; one writer at a time can have it (a lock, .FILE.talweg.lock). Symbolic links are followed. A file that
 * replaces another has its mode and, where that is allowed, its owner and group, from its first byte on; where the
 * group cannot be kept it gets no more rights than everyone. Other files (a pipe, a terminal, /dev/stdout) are
 * written directly; opening a pipe waits for its reader. Block devices and sockets are refused. */
typedef struct tw_writer tw_writer;

/* Check that path can be written: fails as tw_writer_open would, without changing anything. */
TW_API tw_status tw_writer_check(tw_context *ctx, const char *path, bool overwrite);

/* The same for the start of a long computation: until the context is freed, no other can write the file. */
TW_API tw_status tw_writer_hold(tw_context *ctx, const char *path, bool overwrite);

/* Remove the lock of this file where nobody holds it: a process that was killed has left it. */
TW_API void tw_writer_sweep(const char *path);

/* Delete the unfinished files of this context, whose process ends at once. Safe in a signal handler. */
TW_API void tw_writer_clean_up(tw_context *ctx);

/* Open a file. TW_FILE_EXISTS if it exists, unless overwrite; TW_WRITE_FAILED if it cannot be written, also because
 * another is writing it. */
TW_API tw_status tw_writer_open(tw_context *ctx, const char *path, bool overwrite, tw_writer **out);

/* The stream to print to; it belongs to the writer. */
TW_API FILE *tw_writer_stream(const tw_writer *writer);

/* Finish; `status` is the result of the writing. TW_OK: flush, fsync, rename; if that fails, an existing file is
 * unchanged. Otherwise no file is made, and the status is returned. Always frees the writer. */
TW_API tw_status tw_writer_close(tw_writer *writer, tw_status status);

/* Discard the file. Frees the writer; NULL is allowed. */
TW_API void tw_writer_abandon(tw_writer *writer);

/* ---- tables as CSV ---- */

/* rows x columns numbers or texts, one array and one name per column. All arrays belong to the caller. */
typedef struct tw_csv {
    size_t rows, columns;
    const char *const *names;
    const double *const *values;
    /* If texts[j] is not NULL, column j holds codes of these texts. NULL: no texts. */
    const tw_levels *const *texts;
    bool blank; /* leave cells that are NaN empty */
} tw_csv;

/* To a file, as by a tw_writer. */
TW_API tw_status tw_csv_save(tw_context *ctx, const tw_csv *csv, const char *path, bool overwrite);

/* To an open stream: a line of names and the rows. */
TW_API tw_status tw_csv_print(tw_context *ctx, const tw_csv *csv, FILE *to);

/* One name or text as a field: in quotes if it needs them. */
TW_API void tw_csv_text(const char *text, FILE *to);

/* The same in parts: first the names, then rows. */
TW_API void tw_csv_header(const tw_csv *csv, FILE *to);
TW_API tw_status tw_csv_rows(tw_context *ctx, const tw_csv *csv, FILE *to);

/* Numbers separated by commas, without the end of the line. */
TW_API tw_status tw_csv_numbers(tw_context *ctx, size_t count, const double *values, FILE *to);

/* ---- draws as CSV ---- */

/* The header: chain,draw,lp,acceptance_rate,step_size,n_steps,diverging,energy,x.1,...,x.n. */
TW_API void tw_draws_csv_header(size_t n, FILE *to);

/* One line for each chain; chains and draws are counted from 1, diverging is 1 if the trajectory failed in any
 * way. */
TW_API tw_status tw_draws_csv_add(tw_context *ctx, const tw_draw *draw, FILE *to);

/* ---- draws in the format of CmdStan ---- */

/* A file for each chain, PREFIX_1.csv and so on: settings in comments, a line of names, the tuning in comments, a
 * line for each draw, the time in comments. R's posterior and cmdstanr, ArviZ and others read these files.
 * treedepth__ is that of the smallest tree with as many steps, ceil(log2(steps + 1)); divergent__ is 1 if the
 * trajectory failed in any way. */
typedef struct tw_stan_csv tw_stan_csv;

/* The settings in the comments. */
typedef struct tw_stan_settings {
    size_t n, chains, draws, warmup, thin;
    uint64_t seed;
    double target_accept;
    const char *data, *method, *metric;
} tw_stan_settings;

/* Check that the files can be written, as by tw_writer_hold. */
TW_API tw_status tw_stan_csv_check(tw_context *ctx, const char *prefix, bool overwrite, size_t chains);

/* Open the files, add draws, and rename the finished files. Closing always frees csv. */
TW_API tw_status tw_stan_csv_open(tw_context *ctx, const char *prefix, bool overwrite,
                                  const tw_stan_settings *settings, tw_stan_csv **out);
TW_API tw_status tw_stan_csv_add(tw_stan_csv *csv, const tw_draw *draw);
TW_API tw_status tw_stan_csv_close(tw_stan_csv *csv, double warmup_seconds, double sampling_seconds);

/* Discard the files. Frees csv; NULL is allowed. */
TW_API void tw_stan_csv_abandon(tw_stan_csv *csv);

/* ---- checkpoints ---- */

/* The state of a long computation: blocks of bytes with names, in one file. The caller defines the meaning of the
 * blocks; a file must be read on a machine of the same type. */
typedef struct tw_checkpoint tw_checkpoint;

enum { TW_CHECKPOINT_NAME_BYTES = 32 }; /* of a name, the final NUL included */

/* An empty one, which the caller frees before the context. */
TW_API tw_status tw_checkpoint_new(tw_context *ctx, tw_checkpoint **out);
TW_API void tw_checkpoint_free(tw_checkpoint *checkpoint);

/* Copy bytes into the block of that name, replacing its contents. */
TW_API tw_status tw_checkpoint_put(tw_checkpoint *checkpoint, const char *name, size_t bytes,
                                   const void *data);

/* The block and its length; NULL and 0 if it does not exist. Valid until it is put again. */
TW_API const void *tw_checkpoint_get(const tw_checkpoint *checkpoint, const char *name, size_t *bytes);

/* Write the file, as by a tw_writer, overwriting an existing one. */
TW_API tw_status tw_checkpoint_save(const tw_checkpoint *checkpoint, const char *path);

/* Read a checkpoint. Messages name the file; TW_BAD_DATA if it is not a checkpoint or is damaged. */
TW_API tw_status tw_checkpoint_load(tw_context *ctx, const char *path, tw_checkpoint **out);

#ifdef __cplusplus
}
#endif

#endif
