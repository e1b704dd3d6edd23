/* inflate.c: decompress a gzip file, with all its members, in memory. A file of 2 MB can hold 2 GB of one byte, so
 * there is a limit, far above that of tables: decimal numbers shrink to a third, and tables of zeros to a hundredth. */
#include <stdint.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "data/file.h"

enum { GZIP_WINDOW = 15 + 16, FIRST_BYTES = 1 << 16 };

/* Refused: more than LEAST_LIMIT bytes that are also more than MOST_RATIO times the file. */
enum { LEAST_LIMIT = 1 << 28, MOST_RATIO = 100 };

/* zlib allocates from the context, which counts the memory. */
static voidpf allocate(voidpf ctx, uInt items, uInt size)
{
    void *memory = NULL;
    return tw_allocate(ctx, items, size, "decompressing", &memory) == TW_OK ? memory : Z_NULL;
}

static void release(voidpf ctx, voidpf memory)
{
    tw_release(ctx, memory);
}

static bool is_gzip(const uint8_t *bytes, size_t length)
{
    return length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* The decompressed bytes, with room for a final NUL. */
typedef struct output {
    char *bytes;
    size_t length, capacity;
} output;

/* Double the capacity, up to `most`. */
static tw_status grow(tw_context *ctx, output *o, size_t most)
{
    void *larger = NULL;
    size_t capacity = !o->capacity ? FIRST_BYTES : o->capacity < most / 2 ? 2 * o->capacity : most;
    TW_TRY(tw_allocate(ctx, capacity, 1, "the contents of the file", &larger));
    if (o->length) memcpy(larger, o->bytes, o->length);
    tw_release(ctx, o->bytes);
    o->bytes = larger;
    o->capacity = capacity;
    return TW_OK;
}

static tw_status fail(tw_context *ctx, int code, size_t at)
{
    if (code == Z_MEM_ERROR) return TW_NO_MEMORY; /* allocate() has set the message */
    return tw_fail(ctx, TW_BAD_DATA,
                   code == Z_BUF_ERROR || code == Z_OK
                       ? "is a truncated gzip file, which ends after %zu bytes"
                       : "is a damaged gzip file, at byte %zu",
                   at);
}

static uInt piece(size_t bytes)
{
    return (uInt)(bytes < UINT32_MAX / 2 ? bytes : UINT32_MAX / 2);
}

static tw_status fail_size(tw_context *ctx, size_t length, size_t most)
{
    return tw_fail(ctx, TW_BAD_DATA,
                   "is a gzip file of %.3g MB that holds more than %.3g MB, over %d times as much: "
                   "if this is right, decompress it (gunzip) and give the result",
                   1e-6 * (double)length, 1e-6 * (double)most, MOST_RATIO);
}

/* After the last member only zeros may follow, with which tapes and disks fill blocks. */
static tw_status check_rest(tw_context *ctx, const uint8_t *rest, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (rest[k] != 0)
            return tw_fail(
                ctx, TW_BAD_DATA,
                "has %zu bytes after its gzip data that are not gzip: the file is damaged, or other text "
                "was appended to it; decompress it (gunzip), and compress the whole text",
                length);
    return TW_OK;
}

/* Decompress every member. */
static tw_status inflate_all(tw_context *ctx, z_stream *stream, const uint8_t *from, size_t length, output *o)
{
    size_t used = 0, most = length < LEAST_LIMIT / MOST_RATIO    ? LEAST_LIMIT
                            : length < SIZE_MAX / MOST_RATIO - 2 ? length * MOST_RATIO
                                                                 : SIZE_MAX - 2;
    for (;;) {
        if (o->length > most) return fail_size(ctx, length, most);
        if (o->capacity - o->length < 2) TW_TRY(grow(ctx, o, most + 2));
        stream->next_in = from + used;
        stream->avail_in = piece(length - used);
        stream->next_out = (Bytef *)o->bytes + o->length;
        stream->avail_out = piece(o->capacity - o->length - 1);
        int code = inflate(stream, Z_NO_FLUSH);
        used = (size_t)(stream->next_in - from);
        o->length = (size_t)(stream->next_out - (Bytef *)o->bytes);
        bool more = is_gzip(from + used, length - used);
        if (code == Z_STREAM_END && !more) return check_rest(ctx, from + used, length - used);
        if (code == Z_STREAM_END) code = inflateReset(stream);
        if (code != Z_OK || (used == length && stream->avail_out > 0)) return fail(ctx, code, used);
    }
}

tw_status tw_file_inflate(tw_file *file)
{
    z_stream stream = {.zalloc = allocate, .zfree = release, .opaque = file->ctx};
    output o = {0};
    if (!is_gzip((const uint8_t *)file->bytes, file->length)) return TW_OK;
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK) return TW_NO_MEMORY;
    tw_status status = inflate_all(file->ctx, &stream, (const uint8_t *)file->bytes, file->length, &o);
    inflateEnd(&stream);
    if (status != TW_OK) {
        tw_release(file->ctx, o.bytes);
        return status;
    }
    tw_release(file->ctx, file->bytes);
    file->bytes = o.bytes;
    file->length = o.length;
    file->bytes[o.length] = '\0';
    return TW_OK;
}
