/* checkpoint.c: the state of a long computation in a file.
 *
 * The file is a sequence of 8-byte words in the machine's byte order: a magic number, the number of blocks;
 * for each block its name, its length in bytes and the bytes, padded with zeros; and a checksum of all words
 * before it.
 */
#include <string.h>

#include "data/file.h"
#include "talweg/files.h"

#define MARK UINT64_C(0x31306b6369676b74)
enum { MOST_BLOCKS = 32, WORD = sizeof(uint64_t) };

typedef struct block {
    char name[TW_CHECKPOINT_NAME_BYTES];
    uint64_t bytes;
    void *data; /* whole words */
} block;

struct tw_checkpoint {
    tw_context *ctx;
    size_t count;
    block blocks[MOST_BLOCKS];
};

static size_t words_of(uint64_t bytes)
{
    return (size_t)(bytes / WORD + (bytes % WORD != 0));
}

tw_status tw_checkpoint_new(tw_context *ctx, tw_checkpoint **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_checkpoint), "a checkpoint", &memory));
    *out = memory;
    (*out)->ctx = ctx;
    return TW_OK;
}

void tw_checkpoint_free(tw_checkpoint *c)
{
    if (!c) return;
    for (size_t k = 0; k < c->count; k++) tw_release(c->ctx, c->blocks[k].data);
    tw_release(c->ctx, c);
}

/* ---- blocks ---- */

/* The index of a name, or of the next new block. */
static size_t find(const tw_checkpoint *c, const char *name)
{
    size_t k = 0;
    while (k < c->count && strcmp(c->blocks[k].name, name) != 0) k++;
    return k;
}

tw_status tw_checkpoint_put(tw_checkpoint *c, const char *name, size_t bytes, const void *data)
{
    size_t k = find(c, name);
    void *copy = NULL;
    if (k == MOST_BLOCKS || strlen(name) >= TW_CHECKPOINT_NAME_BYTES)
        return tw_fail(c->ctx, TW_BAD_ARGUMENT, "the name \"%.40s\" is too long for a checkpoint", name);
    TW_TRY(tw_allocate(c->ctx, words_of(bytes), WORD, "a checkpoint", &copy));
    if (bytes > 0) memcpy(copy, data, bytes);
    if (k == c->count)
        c->count++;
    else
        tw_release(c->ctx, c->blocks[k].data);
    c->blocks[k] = (block){.bytes = bytes, .data = copy};
    strcpy(c->blocks[k].name, name);
    return TW_OK;
}

const void *tw_checkpoint_get(const tw_checkpoint *c, const char *name, size_t *bytes)
{
    size_t k = find(c, name);
    *bytes = k < c->count ? (size_t)c->blocks[k].bytes : 0;
    return k < c->count ? c->blocks[k].data : NULL;
}

/* ---- the file ---- */

static void write_words(FILE *to, size_t words, const void *from, uint64_t *sum)
{
    fwrite(from, WORD, words, to); /* tw_writer_close reports errors */
    *sum = tw_checksum(*sum, words, from);
}

tw_status tw_checkpoint_save(const tw_checkpoint *c, const char *path)
{
    tw_writer *writer = NULL;
    uint64_t sum = TW_CHECKSUM_START;
    const uint64_t head[] = {MARK, c->count};
    TW_TRY(tw_writer_open(c->ctx, path, true, &writer));
    FILE *to = tw_writer_stream(writer);
    write_words(to, 2, head, &sum);
    for (size_t k = 0; k < c->count; k++) {
        const block *b = &c->blocks[k];
        write_words(to, TW_CHECKPOINT_NAME_BYTES / WORD, b->name, &sum);
        write_words(to, 1, &b->bytes, &sum);
        write_words(to, words_of(b->bytes), b->data, &sum);
    }
    fwrite(&sum, WORD, 1, to);
    return tw_writer_close(writer, TW_OK);
}

/* The next words of a file; NULL if it ends before. */
static const void *take(const tw_file *file, size_t *at, size_t words)
{
    const char *here = file->bytes + *at;
    if (words > (file->length - *at) / WORD) return NULL;
    *at += words * WORD;
    return here;
}

static tw_status take_block(const tw_file *file, size_t *at, tw_checkpoint *c, bool *whole)
{
    const char *name = take(file, at, TW_CHECKPOINT_NAME_BYTES / WORD);
    const uint64_t *bytes = name ? take(file, at, 1) : NULL;
    const void *data = bytes && *bytes <= file->length ? take(file, at, words_of(*bytes)) : NULL;
    *whole = data && memchr(name, '\0', TW_CHECKPOINT_NAME_BYTES);
    return *whole ? tw_checkpoint_put(c, name, (size_t)*bytes, data) : TW_OK;
}

static tw_status parse(const tw_file *file, tw_checkpoint *c)
{
    size_t at = 0, words = file->length / WORD;
    uint64_t sum = 0;
    const uint64_t *head = take(file, &at, 2);
    if (!head || head[0] != MARK || file->length % WORD != 0 || words < 3)
        return tw_fail(c->ctx, TW_BAD_DATA, "this is not a talweg checkpoint");
    memcpy(&sum, file->bytes + file->length - WORD, WORD);
    bool whole = tw_checksum(TW_CHECKSUM_START, words - 1, file->bytes) == sum;
    for (uint64_t k = 0; whole && k < head[1]; k++) TW_TRY(take_block(file, &at, c, &whole));
    if (whole) return TW_OK;
    return tw_fail(c->ctx, TW_BAD_DATA, "this checkpoint is damaged: start again without it");
}

tw_status tw_checkpoint_load(tw_context *ctx, const char *path, tw_checkpoint **out)
{
    tw_file file;
    tw_checkpoint *c = NULL;
    *out = NULL;
    tw_status status = tw_file_read(ctx, path, &file);
    if (status == TW_OK) status = tw_checkpoint_new(ctx, &c);
    if (status == TW_OK) status = parse(&file, c);
    tw_file_release(&file);
    if (status == TW_OK) {
        *out = c;
        return TW_OK;
    }
    tw_checkpoint_free(c);
    return tw_fail_within(ctx, status, "%.1000s: ", path);
}
