/* seal.c: the checksum at the end of a run file; see seal.h. */
#include "output/run/seal.h"

#include <errno.h>
#include <string.h>

#include "output/journal/frame.h"

/* "twseal02", as bytes in a file of this machine; "twseal01" marks older files */
#define SEAL UINT64_C(0x32306c6165737774)
#define SEAL_01 UINT64_C(0x31306c6165737774)

enum { BLOCK_WORDS = 1 << 13, SEAL_KIND = 0, SEAL_LENGTH, SEAL_CHECKSUM, SEAL_WORDS };

/* tw_checksum alone does not propagate the high bits of a word, so that changes in the last bytes of two
 * words cancel with probability 1/256. Therefore each word is mixed before it is added; both steps are
 * bijections. */
static void mix_words(size_t words, uint64_t *block)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t word = block[i] * UINT64_C(0x9e3779b97f4a7c15);
        block[i] = word ^ word >> 29;
    }
}

/* The checksum of the first `length` bytes, padded with zeros to whole words, for this kind of seal. */
static bool sum_file(FILE *file, uint64_t kind, uint64_t length, uint64_t *sum)
{
    uint64_t block[BLOCK_WORDS];
    *sum = TW_CHECKSUM_START;
    if (fseek(file, 0, SEEK_SET) != 0) return false;
    while (length > 0) {
        size_t bytes = length < sizeof block ? (size_t)length : sizeof block;
        memset(block, 0, sizeof block);
        if (fread(block, 1, bytes, file) != bytes) return false;
        size_t words = (bytes + sizeof *block - 1) / sizeof *block;
        if (kind == SEAL) mix_words(words, block);
        *sum = tw_checksum(*sum, words, block);
        length -= bytes;
    }
    return true;
}

/* The length of the file. */
static bool measure(FILE *file, uint64_t *length)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *length = end < 0 ? 0 : (uint64_t)end;
    return end >= 0;
}

tw_status tw_seal_put(tw_writer *writer)
{
    uint64_t seal[SEAL_WORDS] = {SEAL, 0, 0};
    FILE *file = fopen(writer->temporary, "r+b");
    bool done = file && measure(file, &seal[SEAL_LENGTH]) &&
                sum_file(file, SEAL, seal[SEAL_LENGTH], &seal[SEAL_CHECKSUM]) &&
                fseek(file, 0, SEEK_END) == 0 && fwrite(seal, sizeof seal, 1, file) == 1;
    int error = errno;
    if (file && fclose(file) != 0 && done) {
        done = false;
        error = errno;
    }
    if (done) return TW_OK;
    return tw_fail(writer->ctx, TW_WRITE_FAILED, "%.1000s: could not be written completely: %s", writer->path,
                   strerror(error));
}

tw_status tw_seal_check(tw_context *ctx, FILE *file)
{
    uint64_t seal[SEAL_WORDS], length = 0, sum = 0;
    if (!measure(file, &length)) return tw_fail(ctx, TW_BAD_FILE, "cannot be read: %s", strerror(errno));
    if (length < sizeof seal || fseek(file, -(long)sizeof seal, SEEK_END) != 0 ||
        fread(seal, sizeof seal, 1, file) != 1 || (seal[SEAL_KIND] != SEAL && seal[SEAL_KIND] != SEAL_01))
        return TW_OK;
    if (seal[SEAL_LENGTH] == length - sizeof seal &&
        sum_file(file, seal[SEAL_KIND], seal[SEAL_LENGTH], &sum) && sum == seal[SEAL_CHECKSUM])
        return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "the file is damaged: its checksum does not match");
}
