/* file.c: read a whole file into memory.
 *
 * The file is read and not mapped: if another program truncates a mapped file, a signal kills the reader.
 * The buffer is two bytes larger than the file, one byte to detect the end of the file and one for the final
 * NUL. The size of a pipe is unknown, so its buffer doubles as needed.
 */
#include "data/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 16, CONTROL_BYTES_WITHIN = 4096 };

static tw_status grow(tw_file *file, size_t capacity)
{
    void *larger = NULL;
    TW_TRY(tw_allocate(file->ctx, capacity, 1, "the contents of the file", &larger));
    if (file->length) memcpy(larger, file->bytes, file->length);
    tw_release(file->ctx, file->bytes);
    file->bytes = larger;
    return TW_OK;
}

/* Read the descriptor to its end; `expected` is the size that the system reports, 0 if unknown. */
static tw_status read_all(tw_file *file, int descriptor, size_t expected)
{
    size_t capacity = expected ? expected + 2 : PIPE_BYTES;
    TW_TRY(grow(file, capacity));
    for (;;) {
        ssize_t got = read(descriptor, file->bytes + file->length, capacity - file->length - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return tw_fail(file->ctx, TW_BAD_FILE, "cannot be read: %s", strerror(errno));
        if (got == 0) break;
        file->length += (size_t)got;
        if (capacity - file->length > 1) continue;
        if (capacity > SIZE_MAX / 2) return tw_fail(file->ctx, TW_NO_MEMORY, "is too large for memory");
        capacity *= 2;
        TW_TRY(grow(file, capacity));
    }
    file->bytes[file->length] = '\0';
    return TW_OK;
}

/* Terminals are character devices too, but their input ends. */
static tw_status read_descriptor(tw_file *file, int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return tw_fail(file->ctx, TW_BAD_FILE, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(about.st_mode)) return tw_fail(file->ctx, TW_BAD_FILE, "is a directory: give a file");
    if (S_ISBLK(about.st_mode) || (S_ISCHR(about.st_mode) && !isatty(descriptor)))
        return tw_fail(file->ctx, TW_BAD_FILE, "is a device, which may be endless: give a file or a pipe");
    return read_all(file, descriptor, S_ISREG(about.st_mode) ? (size_t)about.st_size : 0);
}

tw_status tw_file_read(tw_context *ctx, const char *path, tw_file *file)
{
    *file = (tw_file){.ctx = ctx};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return tw_fail(ctx, TW_BAD_FILE, "cannot be opened: %s%s", strerror(errno),
                       strcmp(path, "-") == 0 ? "; for standard input use /dev/stdin" : "");
    tw_status status = read_descriptor(file, descriptor);
    close(descriptor);
    return status;
}

void tw_file_release(tw_file *file)
{
    tw_release(file->ctx, file->bytes);
    file->bytes = NULL;
}

static bool is_control(char c)
{
    unsigned char byte = (unsigned char)c;
    return (byte < ' ' && !strchr("\t\n\v\f\r", c)) || byte == 0x7f;
}

/* The first carriage return that is neither part of CR LF, nor within quotes, nor the last byte of several lines; NULL:
 * none. The quotes count only if there is one at all. */
static const char *find_bare_return(const tw_file *file)
{
    const char *end = file->bytes + file->length, *from = file->bytes;
    bool quoted = false, lines = memchr(from, '\n', file->length) != NULL;
    for (const char *at = from; (at = memchr(at, '\r', (size_t)(end - at))); at++) {
        if (at + 1 < end ? at[1] == '\n' : lines) continue;
        for (; from < at; from++) quoted ^= *from == '"';
        if (!quoted) return at;
    }
    return NULL;
}

tw_status tw_file_check_text(const tw_file *file)
{
    if (file->length == 0) return tw_fail(file->ctx, TW_BAD_DATA, "is empty");
    const char *bad = memchr(file->bytes, '\0', file->length);
    size_t near = file->length < CONTROL_BYTES_WITHIN ? file->length : CONTROL_BYTES_WITHIN;
    for (size_t i = 0; i < near && !bad; i++)
        if (is_control(file->bytes[i])) bad = file->bytes + i;
    const char *bare = bad ? NULL : find_bare_return(file);
    if (bare)
        return tw_fail(
            file->ctx, TW_BAD_DATA,
            "line %zu has a carriage return (CR) without a line feed (LF): lines must end in LF or CR LF; "
            "convert old Macintosh text with tr '\\r' '\\n'",
            tw_file_line_number(file, bare));
    if (!bad) return TW_OK;
    return tw_fail(file->ctx, TW_BAD_DATA,
                   "is not a text file: byte %zu is 0x%02x; give UTF-8 text (not UTF-16), or a NumPy array "
                   "in a file whose name ends in .npy",
                   (size_t)(bad - file->bytes) + 1, (unsigned)(unsigned char)*bad);
}

const char *tw_file_text(const tw_file *file)
{
    bool marked = file->length >= 3 && memcmp(file->bytes, "\xef\xbb\xbf", 3) == 0;
    return file->bytes + (marked ? 3 : 0);
}

const char *tw_file_line_end(const tw_file *file, const char *at)
{
    const char *end = file->bytes + file->length;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

size_t tw_file_line_number(const tw_file *file, const char *at)
{
    size_t line = 1;
    for (const char *p = file->bytes; p < at; p++) line += *p == '\n';
    return line;
}
