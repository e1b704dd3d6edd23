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

/* Follow the links from `name` on: also the last, to a file that is not there yet. */
static bool follow(char name[PATH_MAX])
{
    char to[PATH_MAX];
    for (int links = 0; links < 40; links++) {
        ssize_t length = readlink(name, to, sizeof to - 1);
        if (length < 0) return true; /* not a link, or not there */
        to[length] = '\0';
        char *slash = to[0] == '/' ? NULL : strrchr(name, '/');
        char *start = slash ? slash + 1 : name;
        if ((size_t)(start - name) + (size_t)length >= PATH_MAX) break;
        strcpy(start, to);
    }
    errno = ELOOP;
    return false;
}

/* The name of the file behind `path`, without links. It is the same for every path to the file, whether that
 * exists or not. */
static bool find_target(const char *path, char target[PATH_MAX])
{
    char name[PATH_MAX], folder[PATH_MAX] = ".";
    strcpy(name, path);
    if (!follow(name)) return false;
    char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(last - name), name);
    if (!realpath(folder, target)) return false;
    size_t length = strcmp(target, "/") == 0 ? 0 : strlen(target);
    if (length + 1 + strlen(last) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    target[length] = '/';
    strcpy(target + length + 1, last);
    return true;
}

/* What is at the path: *old is all zeros if nothing is. */
static tw_status look(const tw_writer *writer, bool overwrite, bool *in_place, struct stat *old)
{
    const char *path = writer->path;
    memset(old, 0, sizeof *old);
    *in_place = open_stream(path) >= 0;
    if (*in_place) return TW_OK;
    if (stat(path, old) != 0) {
        memset(old, 0, sizeof *old);
        return errno == ENOENT ? TW_OK : fail_write(writer->ctx, path, "cannot be written", errno);
    }
    if (S_ISDIR(old->st_mode)) return fail_write(writer->ctx, path, "cannot be written", EISDIR);
    if (S_ISBLK(old->st_mode) || S_ISSOCK(old->st_mode))
        return tw_fail(writer->ctx, TW_WRITE_FAILED, "%.1000s is a %s: give a file or a pipe", path,
                       S_ISBLK(old->st_mode) ? "block device" : "socket");
    *in_place = !S_ISREG(old->st_mode);
    if (*in_place || overwrite) return TW_OK;
    return tw_fail(writer->ctx, TW_FILE_EXISTS, "%.1000s already exists", path);
}

/* A process that is not root may neither give a file away nor choose every group. Its owner can read and write a
 * file that is not complete, which libraries open by its name. */
mode_t tw_keep_rights(int unfinished, const struct stat *of)
{
    mode_t mode = of->st_mode & 07777, of_group = 07 << 3;
    bool kept =
        fchown(unfinished, of->st_uid, of->st_gid) == 0 || fchown(unfinished, (uid_t)-1, of->st_gid) == 0;
    if (!kept) mode &= 0777 & (~of_group | (mode & 07) << 3);
    return fchmod(unfinished, mode | S_IRUSR | S_IWUSR) == 0 ? mode : 0; /* 0: a file system without modes */
}

void tw_writer_keep_rights(tw_writer *writer, const struct stat *of)
{
    if (writer->mode == 0) writer->mode = tw_keep_rights(fileno(writer->file), of);
}

/* Create the unfinished file. No other has its name, since the target is held: what is there was left. */
static int open_beside(tw_writer *writer, const struct stat *old)
{
    tw_hold *hold = writer->hold;
    char process[32] = "";
    if (!hold->locked) snprintf(process, sizeof process, ".%ld", (long)getpid());
    if (snprintf(hold->part, sizeof hold->part, "%s%s.talweg.part", hold->target, process) >=
        (int)sizeof hold->part) {
        hold->part[0] = '\0';
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(hold->part);
    bool replaces = old->st_mode != 0;
    int descriptor = open(hold->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
    if (descriptor >= 0) strcpy(writer->temporary, hold->part);
    if (descriptor >= 0 && replaces) writer->mode = tw_keep_rights(descriptor, old);
    return descriptor;
}

/* Opening a pipe waits for a reader, so the user is told if there is none yet. */
static int open_in_place(const tw_writer *writer)
{
    int stream = open_stream(writer->path);
    if (stream >= 0) return dup(stream);
    int descriptor = open(writer->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) return fcntl(descriptor, F_SETFL, 0) == 0 ? descriptor : -1;
    if (errno != ENXIO) return -1;
    tw_log(writer->ctx, TW_LOG_INFO, "%.1000s is a pipe that no process reads yet: waiting for one",
           writer->path);
    return open(writer->path, O_WRONLY | O_CLOEXEC);
}

static tw_status hold(tw_writer *writer, bool keep)
{
    char target[PATH_MAX];
    if (!find_target(writer->path, target))
        return fail_write(writer->ctx, writer->path, "cannot be written", errno);
    TW_TRY(tw_hold_take(writer->ctx, target, writer->path, &writer->hold));
    writer->hold->kept |= keep;
    return TW_OK;
}

/* Why a file is opened. To check it, a pipe is not opened, since closing it would end its reader's file. */
typedef enum purpose { TO_WRITE, TO_CHECK, TO_HOLD } purpose;

/* Only the leader of a team writes files; the other members write to /dev/null. */
static tw_status begin(tw_writer *writer, bool overwrite, purpose why)
{
    bool in_place = false;
    struct stat old;
    if (!tw_team_leads(writer->ctx)) strcpy(writer->path, "/dev/null");
    TW_TRY(look(writer, overwrite, &in_place, &old));
    if (!in_place) {
        TW_TRY(hold(writer, why == TO_HOLD));
        TW_TRY(look(writer, overwrite, &in_place, &old)); /* it may have been made before the hold */
    }
    if (why != TO_WRITE && S_ISFIFO(old.st_mode))
        return access(writer->path, W_OK) == 0
                   ? TW_OK
                   : fail_write(writer->ctx, writer->path, "cannot be written", errno);
    int descriptor = in_place ? open_in_place(writer) : open_beside(writer, &old);
    if (descriptor >= 0) writer->file = fdopen(descriptor, "w");
    if (writer->file) return TW_OK;
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (error == EINTR) return tw_fail(writer->ctx, TW_INTERRUPTED, "%.1000s: interrupted", writer->path);
    return fail_write(writer->ctx, writer->path, "cannot be written", error);
}

static tw_status open_writer(tw_context *ctx, const char *path, bool overwrite, purpose why, tw_writer **out)
{
    void *memory = NULL;
    *out = NULL;
    if (strlen(path) >= PATH_MAX) return fail_write(ctx, path, "cannot be written", ENAMETOOLONG);
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_writer), "the writer of a file", &memory));
    tw_writer *writer = memory;
    writer->ctx = ctx;
    strcpy(writer->path, path);
    tw_status status = begin(writer, overwrite, why);
    if (status == TW_OK)
        *out = writer;
    else
        tw_writer_abandon(writer);
    return status;
}

tw_status tw_writer_open(tw_context *ctx, const char *path, bool overwrite, tw_writer **out)
{
    return open_writer(ctx, path, overwrite, TO_WRITE, out);
}

FILE *tw_writer_stream(const tw_writer *writer)
{
    return writer->file;
}

void tw_writer_sweep(const char *path)
{
    char target[PATH_MAX];
    if (strlen(path) < PATH_MAX && find_target(path, target)) tw_hold_sweep(target);
}

static tw_status check(tw_context *ctx, const char *path, bool overwrite, purpose why)
{
    tw_writer *writer = NULL;
    TW_TRY(open_writer(ctx, path, overwrite, why, &writer));
    tw_writer_abandon(writer);
    return TW_OK;
}

tw_status tw_writer_check(tw_context *ctx, const char *path, bool overwrite)
{
    return check(ctx, path, overwrite, TO_CHECK);
}

tw_status tw_writer_hold(tw_context *ctx, const char *path, bool overwrite)
{
    return check(ctx, path, overwrite, TO_HOLD);
}

void tw_writer_abandon(tw_writer *writer)
{
    if (!writer) return;
    if (writer->file) fclose(writer->file);
    if (writer->temporary[0]) unlink(writer->temporary);
    if (writer->hold) {
        writer->hold->part[0] = '\0';
        tw_hold_end(writer->ctx, writer->hold);
    }
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
    if (!error && writer->mode && fchmod(fileno(file), writer->mode) != 0) error = errno;
    if (!error && !in_place && fsync(fileno(file)) != 0) error = errno;
    writer->file = NULL;
    if (fclose(file) != 0 && !error) error = errno;
    if (!error && !in_place && rename(writer->temporary, writer->hold->target) != 0) error = errno;
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
