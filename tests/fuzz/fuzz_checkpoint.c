/* fuzz_checkpoint.c: checkpoints with a correct checksum and arbitrary contents. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "output/journal/frame.h"
#include "talweg/files.h"

static void mend_checksum(char *bytes, size_t size)
{
    if (size < sizeof(uint64_t)) return;
    size_t words = size / sizeof(uint64_t) - 1;
    uint64_t sum = tw_checksum(TW_CHECKSUM_START, words, bytes);
    memcpy(bytes + words * sizeof sum, &sum, sizeof sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_checkpoint *checkpoint = NULL;
    char *bytes = malloc(size ? size : 1);
    size_t length = 0;
    if (!bytes) fuzz_fail("no memory");
    memcpy(bytes, data, size);
    mend_checksum(bytes, size);
    tw_status status = tw_checkpoint_load(ctx, fuzz_write(".state", bytes, size), &checkpoint);
    if (status == TW_OK && tw_checkpoint_get(checkpoint, "first", &length) && length > size)
        fuzz_fail("a block is longer than its file");
    tw_checkpoint_free(checkpoint);
    fuzz_end(ctx, status);
    free(bytes);
    return 0;
}

const size_t fuzz_variations = 2000;

char *fuzz_seed(size_t k, size_t *length)
{
    tw_context *ctx = fuzz_context();
    tw_checkpoint *checkpoint = NULL;
    const char *path = fuzz_path(".state");
    const double numbers[] = {1.0, 2.0, 3.0};
    tw_status status = tw_checkpoint_new(ctx, &checkpoint);
    if (status == TW_OK) status = tw_checkpoint_put(checkpoint, "first", sizeof numbers, numbers);
    if (status == TW_OK) status = tw_checkpoint_put(checkpoint, "text", 5, "words");
    if (status == TW_OK) status = tw_checkpoint_put(checkpoint, "empty", 0, NULL);
    if (status == TW_OK) status = tw_checkpoint_save(checkpoint, path);
    tw_checkpoint_free(checkpoint);
    fuzz_end(ctx, status);
    return k == 0 ? fuzz_bytes(path, length) : NULL;
}
