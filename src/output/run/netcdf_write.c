/* netcdf_write.c: the functions of netcdf_file.h that write. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/context.h"
#include "output/run/netcdf_file.h"

bool tw_nc_ok(tw_nc_writer *w, int code)
{
    if (w->error == NC_NOERR && code != NC_NOERR) {
        w->error = code;
        w->system_error = errno;
    }
    return w->error == NC_NOERR;
}

static void date_now(char date[TW_DATE_BYTES])
{
    struct tm utc = {0};
    time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(date, TW_DATE_BYTES, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void begin(tw_nc_writer *w)
{
    w->file = -1;
    w->error = NC_NOERR;
    w->system_error = 0;
    if (!w->created_at[0]) date_now(w->created_at);
    errno = 0;
}

void tw_nc_create(tw_nc_writer *w, const char *file)
{
    int id = -1;
    begin(w);
    if (tw_nc_ok(w, nc_create(file, NC_NETCDF4 | NC_CLOBBER, &id))) w->file = id;
}

void tw_nc_reopen(tw_nc_writer *w, const char *file)
{
    int id = -1;
    begin(w);
    if (tw_nc_ok(w, nc_open(file, NC_WRITE, &id))) w->file = id;
}

void tw_nc_create_image(tw_nc_writer *w)
{
    enum { FIRST_BYTES = 1 << 13 };
    int id = -1;
    begin(w);
    if (tw_nc_ok(w, nc_create_mem("image", NC_NETCDF4, FIRST_BYTES, &id))) w->file = id;
}

/* Report the recorded error, if any. */
static tw_status verdict(const tw_nc_writer *w)
{
    if (w->error == NC_NOERR) return TW_OK;
    return tw_fail(w->ctx, w->error == NC_ENOMEM ? TW_NO_MEMORY : TW_WRITE_FAILED,
                   "%.1000s: could not be written completely: %s%s%s", w->path, nc_strerror(w->error),
                   w->system_error ? ": " : "", w->system_error ? strerror(w->system_error) : "");
}

tw_status tw_nc_finish(tw_nc_writer *w)
{
    if (w->file >= 0) tw_nc_ok(w, nc_close(w->file));
    w->file = -1;
    return verdict(w);
}

tw_status tw_nc_finish_image(tw_nc_writer *w, tw_nc_image *out)
{
    NC_memio image = {0};
    if (w->file >= 0) tw_nc_ok(w, nc_close_memio(w->file, &image));
    w->file = -1;
    *out = (tw_nc_image){image.memory, image.size};
    return verdict(w);
}

void tw_nc_release_image(tw_nc_image *image)
{
    tw_release_foreign(image->bytes);
    *image = (tw_nc_image){NULL, 0};
}

/* ---- attributes ---- */

void tw_nc_put_text(tw_nc_writer *w, int group, const char *name, const char *text)
{
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_att_text(group, NC_GLOBAL, name, strlen(text), text));
}

void tw_nc_put_number(tw_nc_writer *w, int group, const char *name, double value)
{
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_att_double(group, NC_GLOBAL, name, NC_DOUBLE, 1, &value));
}

void tw_nc_put_count(tw_nc_writer *w, int group, const char *name, uint64_t value, nc_type type)
{
    unsigned long long number = value;
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_att_ulonglong(group, NC_GLOBAL, name, type, 1, &number));
}

void tw_nc_describe(tw_nc_writer *w, int group, int variable, const char *words)
{
    if (tw_nc_ok(w, NC_NOERR))
        tw_nc_ok(w, nc_put_att_text(group, variable, "long_name", strlen(words), words));
}

void tw_nc_stamp(tw_nc_writer *w, int group)
{
    tw_nc_put_text(w, group, "created_at", w->created_at);
    tw_nc_put_text(w, group, "inference_library", "talweg");
    tw_nc_put_text(w, group, "inference_library_version", tw_version());
}

int tw_nc_group(tw_nc_writer *w, const char *name)
{
    int group = -1;
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_def_grp(w->file, name, &group));
    tw_nc_stamp(w, group);
    return group;
}

/* ---- dimensions and variables ---- */

int tw_nc_index(tw_nc_writer *w, int group, const char *name, size_t length)
{
    enum { BLOCK = 4096 };
    long long values[BLOCK];
    int dimension = -1, variable = -1;
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_def_dim(group, name, length, &dimension));
    variable = tw_nc_variable(w, group, name, NC_INT64, 1, &dimension);
    for (size_t first = 0; first < length && w->error == NC_NOERR; first += BLOCK) {
        size_t count = length - first < BLOCK ? length - first : BLOCK;
        for (size_t i = 0; i < count; i++) values[i] = (long long)first + (long long)i;
        tw_nc_ok(w, nc_put_vara_longlong(group, variable, &first, &count, values));
    }
    return dimension;
}

int tw_nc_names(tw_nc_writer *w, int group, const char *name, size_t length, const char *const *names)
{
    int dimension = -1, variable = -1;
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_def_dim(group, name, length, &dimension));
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_def_var(group, name, NC_STRING, 1, &dimension, &variable));
    for (size_t i = 0; i < length && w->error == NC_NOERR; i++) {
        const char *text = names[i];
        tw_nc_ok(w, nc_put_var1_string(group, variable, &i, &text));
    }
    return dimension;
}

/* min(length, most), but at least 1. */
static size_t piece_of(size_t length, size_t most)
{
    size_t piece = length < most ? length : most;
    return piece > 0 ? piece : 1;
}

/* Chunks of about 2^17 elements, with as many rows as are written at a time, so that no chunk is compressed
 * twice. */
static void choose_pieces(const tw_nc_writer *w, int rank, const size_t *lengths, size_t *piece)
{
    size_t room = (size_t)1 << 17;
    for (int k = 0; k < rank; k++) piece[k] = 1;
    if (rank > 1) {
        piece[rank - 2] = piece_of(lengths[rank - 2], w->rows);
        room /= piece[rank - 2];
    }
    piece[rank - 1] = piece_of(lengths[rank - 1], room);
}

int tw_nc_variable(tw_nc_writer *w, int group, const char *name, nc_type type, int rank,
                   const int *dimensions)
{
    int variable = -1;
    size_t lengths[NC_MAX_VAR_DIMS], pieces[NC_MAX_VAR_DIMS], total = 1;
    if (!tw_nc_ok(w, NC_NOERR)) return -1;
    if (!tw_nc_ok(w, nc_def_var(group, name, type, rank, dimensions, &variable))) return -1;
    tw_nc_ok(w, nc_def_var_fill(group, variable, NC_NOFILL, NULL));
    for (int k = 0; k < rank && w->error == NC_NOERR; k++) {
        tw_nc_ok(w, nc_inq_dimlen(group, dimensions[k], &lengths[k]));
        total *= lengths[k];
    }
    if (rank == 0 || w->error != NC_NOERR) return variable;
    if (w->compress == 0 || total < 1024) {
        tw_nc_ok(w, nc_def_var_chunking(group, variable, NC_CONTIGUOUS, NULL));
        return variable;
    }
    choose_pieces(w, rank, lengths, pieces);
    tw_nc_ok(w, nc_def_var_chunking(group, variable, NC_CHUNKED, pieces));
    tw_nc_ok(w, nc_def_var_deflate(group, variable, 1, 1, (int)w->compress));
    return variable;
}

int tw_nc_flag(tw_nc_writer *w, int group, const char *name, int rank, const int *dimensions)
{
    int variable = tw_nc_variable(w, group, name, NC_BYTE, rank, dimensions);
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_att_text(group, variable, "dtype", 4, "bool"));
    return variable;
}

void tw_nc_doubles(tw_nc_writer *w, int group, const char *name, int rank, const int *dimensions,
                   const double *values)
{
    int variable = tw_nc_variable(w, group, name, NC_DOUBLE, rank, dimensions);
    if (tw_nc_ok(w, NC_NOERR)) tw_nc_ok(w, nc_put_var_double(group, variable, values));
}
