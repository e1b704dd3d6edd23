/* netcdf_file.h: talweg's interface to netCDF-C: groups in the conventions of xarray and ArviZ, and fields
 * that are checked when read.
 *
 * Writing records the first error and does nothing after it, so that only the end needs a check. Reading
 * fails with TW_BAD_DATA and the name of the group and the field. netCDF-C is not thread-safe: only one
 * thread of a process at a time may use it.
 */
#ifndef TALWEG_OUTPUT_RUN_NETCDF_FILE_H
#define TALWEG_OUTPUT_RUN_NETCDF_FILE_H

#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* ---- writing ---- */

enum { TW_DATE_BYTES = 24 };

typedef struct tw_nc_writer {
    tw_context *ctx;
    const char *path;  /* its name in messages */
    int file;          /* the root group; -1: not open */
    int error;         /* the first code of netCDF-C other than NC_NOERR */
    int system_error;  /* errno at that moment, or 0 */
    unsigned compress; /* 0: no compression; 1..9 */
    size_t rows;       /* rows of the last dimension but one that are written at a time, at most 256 */
    char created_at[TW_DATE_BYTES];
} tw_nc_writer;

/* Record an error; true if there is none so far. */
bool tw_nc_ok(tw_nc_writer *w, int code);

/* The bytes of a file in memory. */
typedef struct tw_nc_image {
    void *bytes;
    size_t length;
} tw_nc_image;

/* Create a file in memory; tw_nc_finish_image closes it. Such a file cannot be extended later: netCDF-C
 * creates it without the order of its groups, and can then open it for reading only. The caller releases the
 * image, after a failure as well. */
void tw_nc_create_image(tw_nc_writer *w);
tw_status tw_nc_finish_image(tw_nc_writer *w, tw_nc_image *out);
void tw_nc_release_image(tw_nc_image *image);

/* Create a new file, or open an existing one to add to. tw_nc_finish closes it and reports any error as
 * TW_WRITE_FAILED. HDF5 must not encounter a full disk: it cannot close a file that it failed to write, and
 * crashes when the process ends. Therefore reserve the bytes first, with tw_writer_reserve. */
void tw_nc_create(tw_nc_writer *w, const char *file);
void tw_nc_reopen(tw_nc_writer *w, const char *file);
tw_status tw_nc_finish(tw_nc_writer *w);

/* Write the attributes that InferenceData has on the file and on every group. */
void tw_nc_stamp(tw_nc_writer *w, int group);

/* Create a group with these attributes. */
int tw_nc_group(tw_nc_writer *w, const char *name);

/* A dimension with its coordinate variable: 0, 1, ..., or names. */
int tw_nc_index(tw_nc_writer *w, int group, const char *name, size_t length);
int tw_nc_names(tw_nc_writer *w, int group, const char *name, size_t length, const char *const *names);

/* A variable over `rank` dimensions. A compressed variable is stored in chunks of at most a megabyte, any
 * other as one block. */
int tw_nc_variable(tw_nc_writer *w, int group, const char *name, nc_type type, int rank,
                   const int *dimensions);

/* A flag: a byte of 0 or 1, which xarray converts to bool by its attribute dtype. */
int tw_nc_flag(tw_nc_writer *w, int group, const char *name, int rank, const int *dimensions);

/* A variable of doubles together with all its values; rank 0 is a single number. */
void tw_nc_doubles(tw_nc_writer *w, int group, const char *name, int rank, const int *dimensions,
                   const double *values);

void tw_nc_describe(tw_nc_writer *w, int group, int variable, const char *words); /* long_name */
void tw_nc_put_text(tw_nc_writer *w, int group, const char *name, const char *text);
void tw_nc_put_number(tw_nc_writer *w, int group, const char *name, double value);
void tw_nc_put_count(tw_nc_writer *w, int group, const char *name, uint64_t value, nc_type type);

/* ---- reading ---- */

typedef struct tw_nc_reader {
    tw_context *ctx;
    int file; /* -1: not open */
} tw_nc_reader;

/* Open a NetCDF-4 file for reading. Messages omit the file's name, which the caller prepends. */
tw_status tw_nc_open(tw_nc_reader *r, tw_context *ctx, const char *path);
void tw_nc_close(tw_nc_reader *r);

/* The same for a file in memory, which must remain until it is closed. */
tw_status tw_nc_open_image(tw_nc_reader *r, tw_context *ctx, const tw_nc_image *image);

bool tw_nc_has_group(const tw_nc_reader *r, const char *name);
bool tw_nc_has_variable(int group, const char *name);
tw_status tw_nc_find_group(const tw_nc_reader *r, const char *name, int *group);

/* A variable with exactly these dimensions. */
tw_status tw_nc_find_variable(const tw_nc_reader *r, int group, const char *name, int rank,
                              const size_t *lengths, int *variable);
tw_status tw_nc_dimension(const tw_nc_reader *r, int group, const char *name, size_t *length);

/* All numbers of a variable with these dimensions, as doubles or as whole numbers. */
tw_status tw_nc_read_doubles(const tw_nc_reader *r, int group, const char *name, int rank,
                             const size_t *lengths, double *values);
tw_status tw_nc_read_integers(const tw_nc_reader *r, int group, const char *name, int rank,
                              const size_t *lengths, long long *values);

/* The vector of this length, newly allocated. */
tw_status tw_nc_read_vector(const tw_nc_reader *r, int group, const char *name, size_t length,
                            double **values);

/* Attributes of a group. Text is newly allocated; free it with tw_release. */
tw_status tw_nc_text(const tw_nc_reader *r, int group, const char *name, char **text);
tw_status tw_nc_number(const tw_nc_reader *r, int group, const char *name, double *value);
tw_status tw_nc_count(const tw_nc_reader *r, int group, const char *name, uint64_t *value);

/* Fail with netCDF-C's error from reading `name`. */
tw_status tw_nc_fail(const tw_nc_reader *r, int group, const char *name, int code);

/* The strings of a one-dimensional variable, in one block: pointers first, then their text. */
tw_status tw_nc_read_names(const tw_nc_reader *r, int group, const char *name, size_t length, char ***names);

#endif
