/* netcdf_file.h: what talweg asks of netCDF-C: groups that xarray and ArviZ understand, and fields that are
 * checked as they are read.
 *
 * Writing remembers the first error and does nothing after it, so that only the end needs a look. Reading
 * fails with TW_BAD_DATA and the name of the group and the field. netCDF-C is not safe for threads: one thread
 * of a process at a time.
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
    const char *path;  /* as messages call it */
    int file;          /* the root group; -1: none is open */
    int error;         /* the first of netCDF-C's codes that was not NC_NOERR */
    int system_error;  /* errno at that moment, or 0 */
    unsigned compress; /* 0: not; 1..9 */
    size_t rows;       /* of the last dimension but one, at most 256: written at a time */
    char created_at[TW_DATE_BYTES];
} tw_nc_writer;

/* Remember an error; true while there is none. */
bool tw_nc_ok(tw_nc_writer *w, int code);

/* The bytes of a file that is in memory, not on a disk. */
typedef struct tw_nc_image {
    void *bytes;
    size_t length;
} tw_nc_image;

/* A new file in memory; tw_nc_finish_image closes it. Nothing can be added to such a file later: netCDF-C makes it
 * without the order of its groups, and then opens it for reading only. The caller releases the image, also after a failure. */
void tw_nc_create_image(tw_nc_writer *w);
tw_status tw_nc_finish_image(tw_nc_writer *w, tw_nc_image *out);
void tw_nc_release_image(tw_nc_image *image);

/* A new file, or one that is there, to add to. tw_nc_finish closes it and says what went wrong, if anything
 * did: TW_WRITE_FAILED. HDF5 must not meet a full disk: it cannot close a file that it failed to write, and
 * crashes when the process ends. So take the room beforehand, with tw_writer_reserve. */
void tw_nc_create(tw_nc_writer *w, const char *file);
void tw_nc_reopen(tw_nc_writer *w, const char *file);
tw_status tw_nc_finish(tw_nc_writer *w);

/* The attributes that InferenceData has on the file and on every group. */
void tw_nc_stamp(tw_nc_writer *w, int group);

/* A stamped group. */
int tw_nc_group(tw_nc_writer *w, const char *name);

/* A dimension with its coordinate variable: 0, 1, ..., or names. */
int tw_nc_index(tw_nc_writer *w, int group, const char *name, size_t length);
int tw_nc_names(tw_nc_writer *w, int group, const char *name, size_t length, const char *const *names);

/* A variable over `rank` dimensions. Where something is to be compressed, it is stored in pieces of at most a
 * megabyte; else as one block. */
int tw_nc_variable(tw_nc_writer *w, int group, const char *name, nc_type type, int rank,
                   const int *dimensions);

/* A flag: a byte of 0 or 1, which xarray takes for a truth value by its attribute dtype. */
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
    int file; /* -1: none is open */
} tw_nc_reader;

/* Open a NetCDF-4 file for reading. Messages do not name the file: the caller puts it in front. */
tw_status tw_nc_open(tw_nc_reader *r, tw_context *ctx, const char *path);
void tw_nc_close(tw_nc_reader *r);

/* The same for one in memory, which must stay there until it is closed. */
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

/* The doubles of a vector of this length, newly allocated. */
tw_status tw_nc_read_vector(const tw_nc_reader *r, int group, const char *name, size_t length,
                            double **values);

/* Attributes of a group. Text is newly allocated, and freed with tw_release. */
tw_status tw_nc_text(const tw_nc_reader *r, int group, const char *name, char **text);
tw_status tw_nc_number(const tw_nc_reader *r, int group, const char *name, double *value);
tw_status tw_nc_count(const tw_nc_reader *r, int group, const char *name, uint64_t *value);

/* What netCDF-C said while it read `name`. */
tw_status tw_nc_fail(const tw_nc_reader *r, int group, const char *name, int code);

/* The strings of a one-dimensional variable, in one block: pointers first, then their text. */
tw_status tw_nc_read_names(const tw_nc_reader *r, int group, const char *name, size_t length, char ***names);

#endif
