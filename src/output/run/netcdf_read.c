/* netcdf_read.c: the functions of netcdf_file.h that read. Everything in a file is checked before use. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "data/readers.h"
#include "output/run/netcdf_file.h"
#include "output/run/seal.h"

/* ---- the file ---- */

/* Check the eight bytes that begin an HDF5 file, and so a NetCDF-4 file. Other files are not passed to
 * netCDF-C, which would take some names for network addresses. */
static tw_status check_bytes(tw_context *ctx, FILE *file)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    char found[8] = "";
    size_t length = fread(found, 1, sizeof found, file);
    if (ferror(file)) return tw_fail(ctx, TW_BAD_FILE, "cannot be read: %s", strerror(errno));
    if (length == sizeof found && memcmp(found, signature, sizeof found) == 0)
        return tw_seal_check(ctx, file);
    return tw_fail(ctx, TW_BAD_DATA,
                   "this is not a NetCDF-4 file: use one written by talweg sample or talweg evidence");
}

/* Only regular files are opened: opening a pipe would wait for a writer. */
static tw_status check_file(tw_context *ctx, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return tw_fail(ctx, TW_BAD_FILE, "is %s: use a regular file, since a run is not read sequentially",
                       S_ISDIR(about.st_mode) ? "a directory" : "a pipe or a device");
    FILE *file = fopen(path, "rb");
    if (!file) return tw_fail(ctx, TW_BAD_FILE, "cannot be opened: %s", strerror(errno));
    tw_status status = check_bytes(ctx, file);
    fclose(file);
    return status;
}

/* Handle the result of opening a file. */
static tw_status opened(tw_nc_reader *r, int code, int id)
{
    if (code != NC_NOERR)
        return tw_fail(r->ctx, TW_BAD_DATA, "this NetCDF-4 file is truncated or damaged: %s",
                       nc_strerror(code));
    r->file = id;
    return TW_OK;
}

tw_status tw_nc_open(tw_nc_reader *r, tw_context *ctx, const char *path)
{
    int id = -1;
    *r = (tw_nc_reader){ctx, -1};
    TW_TRY(check_file(ctx, path));
    int code = nc_open(path, NC_NOWRITE, &id);
    return opened(r, code, id);
}

tw_status tw_nc_open_image(tw_nc_reader *r, tw_context *ctx, const tw_nc_image *image)
{
    int id = -1;
    *r = (tw_nc_reader){ctx, -1};
    int code = nc_open_mem("image", NC_NOWRITE, image->length, image->bytes, &id);
    return opened(r, code, id);
}

void tw_nc_close(tw_nc_reader *r)
{
    if (r->file >= 0) nc_close(r->file);
    r->file = -1;
}

/* ---- groups, dimensions and variables ---- */

/* "posterior/" for a group, "" for the root. */
static void prefix_of(const tw_nc_reader *r, int group, char prefix[NC_MAX_NAME + 2])
{
    prefix[0] = '\0';
    if (group != r->file && nc_inq_grpname(group, prefix) == NC_NOERR) strcat(prefix, "/");
}

tw_status tw_nc_fail(const tw_nc_reader *r, int group, const char *name, int code)
{
    char prefix[NC_MAX_NAME + 2];
    prefix_of(r, group, prefix);
    return tw_fail(r->ctx, TW_BAD_DATA, "%s%s cannot be read: %s", prefix, name, nc_strerror(code));
}

static tw_status fail_field(const tw_nc_reader *r, int group, const char *name, const char *what)
{
    char prefix[NC_MAX_NAME + 2];
    prefix_of(r, group, prefix);
    return tw_fail(r->ctx, TW_BAD_DATA, "%s%s %s: the file is damaged, or not a talweg run", prefix, name,
                   what);
}

bool tw_nc_has_group(const tw_nc_reader *r, const char *name)
{
    int group;
    return nc_inq_ncid(r->file, name, &group) == NC_NOERR;
}

bool tw_nc_has_variable(int group, const char *name)
{
    int variable;
    return nc_inq_varid(group, name, &variable) == NC_NOERR;
}

tw_status tw_nc_find_group(const tw_nc_reader *r, const char *name, int *group)
{
    if (nc_inq_ncid(r->file, name, group) == NC_NOERR) return TW_OK;
    return tw_fail(r->ctx, TW_BAD_DATA, "the group %s is missing: the file is damaged, or not a talweg run",
                   name);
}

tw_status tw_nc_dimension(const tw_nc_reader *r, int group, const char *name, size_t *length)
{
    int dimension;
    if (nc_inq_dimid(group, name, &dimension) != NC_NOERR ||
        nc_inq_dimlen(group, dimension, length) != NC_NOERR || *length == 0)
        return fail_field(r, group, name, "is missing or empty");
    return TW_OK;
}

tw_status tw_nc_find_variable(const tw_nc_reader *r, int group, const char *name, int rank,
                              const size_t *lengths, int *variable)
{
    int found = 0, dimensions[NC_MAX_VAR_DIMS];
    if (nc_inq_varid(group, name, variable) != NC_NOERR) return fail_field(r, group, name, "is missing");
    bool fits = nc_inq_varndims(group, *variable, &found) == NC_NOERR && found == rank &&
                nc_inq_vardimid(group, *variable, dimensions) == NC_NOERR;
    for (int k = 0; fits && k < rank; k++) {
        size_t length = 0;
        fits = nc_inq_dimlen(group, dimensions[k], &length) == NC_NOERR && length == lengths[k];
    }
    return fits ? TW_OK : fail_field(r, group, name, "has the wrong dimensions");
}

/* ---- values ---- */

static tw_status check_number(const tw_nc_reader *r, int group, const char *name, int variable)
{
    nc_type type = NC_NAT;
    if (nc_inq_vartype(group, variable, &type) == NC_NOERR && type != NC_CHAR && type > NC_NAT &&
        type < NC_STRING)
        return TW_OK;
    return fail_field(r, group, name, "does not hold numbers");
}

tw_status tw_nc_read_doubles(const tw_nc_reader *r, int group, const char *name, int rank,
                             const size_t *lengths, double *values)
{
    int variable = -1;
    TW_TRY(tw_nc_find_variable(r, group, name, rank, lengths, &variable));
    TW_TRY(check_number(r, group, name, variable));
    int code = nc_get_var_double(group, variable, values);
    return code == NC_NOERR ? TW_OK : tw_nc_fail(r, group, name, code);
}

tw_status tw_nc_read_vector(const tw_nc_reader *r, int group, const char *name, size_t length,
                            double **values)
{
    int variable = -1;
    TW_TRY(tw_nc_find_variable(r, group, name, 1, &length, &variable)); /* check before allocating */
    TW_TRY(tw_allocate_doubles(r->ctx, length, 1, name, values));
    return tw_nc_read_doubles(r, group, name, 1, &length, *values);
}

tw_status tw_nc_read_integers(const tw_nc_reader *r, int group, const char *name, int rank,
                              const size_t *lengths, long long *values)
{
    int variable = -1;
    TW_TRY(tw_nc_find_variable(r, group, name, rank, lengths, &variable));
    TW_TRY(check_number(r, group, name, variable));
    int code = nc_get_var_longlong(group, variable, values);
    return code == NC_NOERR ? TW_OK : tw_nc_fail(r, group, name, code);
}

tw_status tw_nc_read_names(const tw_nc_reader *r, int group, const char *name, size_t length, char ***names)
{
    int variable = -1;
    nc_type type = NC_NAT;
    void *block = NULL;
    TW_TRY(tw_nc_find_variable(r, group, name, 1, &length, &variable));
    if (nc_inq_vartype(group, variable, &type) != NC_NOERR || type != NC_STRING)
        return fail_field(r, group, name, "does not hold names");
    TW_TRY(tw_allocate(r->ctx, length, sizeof(char *), "the names", &block));
    char **found = block;
    int code = nc_get_var_string(group, variable, found);
    tw_status status = code == NC_NOERR ? tw_names_copy(r->ctx, length, (const char *const *)found, names)
                                        : tw_nc_fail(r, group, name, code);
    if (code == NC_NOERR) nc_free_string(length, found);
    tw_release(r->ctx, found);
    return status;
}

/* ---- attributes ---- */

static tw_status find_attribute(const tw_nc_reader *r, int group, const char *name, nc_type *type,
                                size_t *length)
{
    if (nc_inq_att(group, NC_GLOBAL, name, type, length) == NC_NOERR) return TW_OK;
    char attribute[NC_MAX_NAME + 16];
    snprintf(attribute, sizeof attribute, "attribute %s", name);
    return fail_field(r, group, attribute, "is missing");
}

tw_status tw_nc_text(const tw_nc_reader *r, int group, const char *name, char **text)
{
    nc_type type = NC_NAT;
    size_t length = 0;
    void *block = NULL;
    TW_TRY(find_attribute(r, group, name, &type, &length));
    if (type != NC_CHAR) return fail_field(r, group, name, "is not text");
    TW_TRY(tw_allocate(r->ctx, length + 1, 1, "an attribute", &block));
    int code = length ? nc_get_att_text(group, NC_GLOBAL, name, block) : NC_NOERR;
    if (code == NC_NOERR) {
        *text = block;
        return TW_OK;
    }
    tw_release(r->ctx, block);
    return tw_nc_fail(r, group, name, code);
}

static tw_status find_number(const tw_nc_reader *r, int group, const char *name)
{
    nc_type type = NC_NAT;
    size_t length = 0;
    TW_TRY(find_attribute(r, group, name, &type, &length));
    if (length == 1 && type != NC_CHAR && type > NC_NAT && type < NC_STRING) return TW_OK;
    return fail_field(r, group, name, "is not a number");
}

tw_status tw_nc_number(const tw_nc_reader *r, int group, const char *name, double *value)
{
    TW_TRY(find_number(r, group, name));
    int code = nc_get_att_double(group, NC_GLOBAL, name, value);
    return code == NC_NOERR ? TW_OK : tw_nc_fail(r, group, name, code);
}

tw_status tw_nc_count(const tw_nc_reader *r, int group, const char *name, uint64_t *value)
{
    unsigned long long number = 0;
    TW_TRY(find_number(r, group, name));
    int code = nc_get_att_ulonglong(group, NC_GLOBAL, name, &number);
    *value = number;
    return code == NC_NOERR ? TW_OK : tw_nc_fail(r, group, name, code);
}
