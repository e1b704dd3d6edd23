/* writer.c: write a temporary file in the same folder, fsync it, and rename it. */
#include "output/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "talweg/team.h"

static tw_status fail_write(tw_context *ctx, const char *path, const char *what, int error)
{
    return tw_fail(ctx, TW_WRITE_FAILED, "%.1000s: %s: %s", path, what, strerror(error));
}

/* "/dev/stdout" and the like name streams that are already open. Opening such a name again would write a file
 * behind it from the beginning. Returns the descriptor, or -1 for any other name. */
static int open_stream(const char *path)
{
    char *end = NULL;
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    if (strncmp(path, "/dev/fd/", 8) != 0) return -1;
    long number = strtol(path + 8, &end, 10);
    return end > path + 8 && !*end && number >= 0 && number <= INT_MAX ? (int)number : -1;
}

/* Find the final target, and whether something other than a regular file is there. */
static tw_status find_target(tw_writer *writer, bool overwrite, bool *in_place)
{
    struct stat about;
    const char *path = writer->path;
    *in_place = open_stream(path) >= 0;
    if (*in_place) return TW_OK;
    if (stat(path, &about) != 0) {
        if (errno != ENOENT) return fail_write(writer->ctx, path, "cannot be written", errno);
        strcpy(writer->target, path);
        return TW_OK;
    }
    if (S_ISDIR(about.st_mode)) return fail_write(writer->ctx, path, "cannot be written", EISDIR);
    *in_place = !S_ISREG(about.st_mode);
    if (!*in_place && !overwrite) return tw_fail(writer->ctx, TW_FILE_EXISTS, "%.1000s already exists", path);
    if (!realpath(path, writer->target)) return fail_write(writer->ctx, path, "cannot be written", errno);
    return TW_OK;
}

/* Create a new file next to the target. O_EXCL ensures that no other process has it. */
static int open_beside(tw_writer *writer)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        int length = snprintf(writer->temporary, sizeof writer->temporary, "%s.%ld.%d.part", writer->target,
                              (long)getpid(), attempt);
        if (length >= (int)sizeof writer->temporary) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

/* Only the leader of a team writes files; the other members write to /dev/null. */
static tw_status begin(tw_writer *writer, bool overwrite)
{
    bool in_place = false;
    if (!tw_team_leads(writer->ctx)) strcpy(writer->path, "/dev/null");
    TW_TRY(find_target(writer, overwrite, &in_place));
    int stream = open_stream(writer->path);
    int descriptor = stream >= 0 ? dup(stream)
                     : in_place  ? open(writer->path, O_WRONLY | O_CLOEXEC)
                                 : open_beside(writer);
    if (descriptor >= 0) writer->file = fdopen(descriptor, "w");
    if (writer->file) return TW_OK;
    int error = errno;
    if (descriptor >= 0) {
        close(descriptor);
        if (!in_place) unlink(writer->temporary);
    }
    return fail_write(writer->ctx, writer->path, "cannot be written", error);
}

tw_status tw_writer_open(tw_context *ctx, const char *path, bool overwrite, tw_writer **out)
{
    void *memory = NULL;
    *out = NULL;
    if (strlen(path) >= PATH_MAX) return fail_write(ctx, path, "cannot be written", ENAMETOOLONG);
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_writer), "the writer of a file", &memory));
    tw_writer *writer = memory;
    writer->ctx = ctx;
    strcpy(writer->path, path);
    tw_status status = begin(writer, overwrite);
    if (status == TW_OK)
        *out = writer;
    else
        tw_release(ctx, writer);
    return status;
}

FILE *tw_writer_stream(const tw_writer *writer)
{
    return writer->file;
}

tw_status tw_writer_check(tw_context *ctx, const char *path, bool overwrite)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_writer_open(ctx, path, overwrite, &writer));
    tw_writer_abandon(writer);
    return TW_OK;
}

void tw_writer_abandon(tw_writer *writer)
{
    if (!writer) return;
    if (writer->file) fclose(writer->file);
    if (writer->temporary[0]) unlink(writer->temporary);
    tw_release(writer->ctx, writer);
}

tw_status tw_writer_reserve(tw_writer *writer, uint64_t bytes)
{
    int error = posix_fallocate(fileno(writer->file), 0, (off_t)bytes);
    if (error == 0 || error == EINVAL || error == EOPNOTSUPP) return TW_OK;
    return tw_fail(writer->ctx, TW_WRITE_FAILED, "%.1000s: could not be written completely (%.3g MB): %s",
                   writer->path, 1e-6 * (double)bytes, strerror(error));
}

/* Flush, fsync, rename. Returns the errno of the call that failed, or 0. */
static int complete(tw_writer *writer)
{
    FILE *file = writer->file;
    bool in_place = !writer->temporary[0];
    int error = 0;
    errno = 0;
    if (fflush(file) != 0 || ferror(file)) error = errno ? errno : EIO; /* errno, if it is still set */
    if (!error && !in_place && fsync(fileno(file)) != 0) error = errno;
    writer->file = NULL;
    if (fclose(file) != 0 && !error) error = errno;
    if (!error && !in_place && rename(writer->temporary, writer->target) != 0) error = errno;
    if (!error) writer->temporary[0] = '\0'; /* renamed */
    return error;
}

tw_status tw_writer_close(tw_writer *writer, tw_status status)
{
    int error = status == TW_OK ? complete(writer) : 0;
    if (error) status = fail_write(writer->ctx, writer->path, "could not be written completely", error);
    tw_writer_abandon(writer);
    return status;
}
