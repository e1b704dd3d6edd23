/* fuzz_journal.c: the journal of a killed run: settings and draws with correct checksums and arbitrary
 * contents, around the NetCDF file of a valid run. Damage to that file concerns HDF5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "fuzz/fuzz.h"
#include "output/journal/frame.h"
#include "support/run_case.h"

enum { WORD = sizeof(uint64_t), FRAME = TW_FRAME_WORDS * WORD, SETTINGS = sizeof(tw_journal_settings) };

/* The journal of a good run of three draws, made once. */
static char *good;
static size_t good_length;

static void make_good(void)
{
    char journal[600];
    tw_problem *problem = NULL;
    tw_run_writer *writer = NULL;
    if (good) return;
    tw_context *ctx = fuzz_context();
    snprintf(journal, sizeof journal, "%s.journal", fuzz_path(".nc"));
    tw_status status = run_problem_new(ctx, RUN_KERNEL, &problem);
    if (status == TW_OK)
        status = run_begin(ctx, fuzz_path(".nc"), &(tw_run_options){.overwrite = true}, problem, 3, &writer);
    if (status != TW_OK) fuzz_fail(tw_context_message(ctx));
    good = fuzz_bytes(journal, &good_length);
    tw_run_abandon(writer);
    unlink(journal);
    tw_problem_free(problem);
    fuzz_end(ctx, status);
}

/* The length of the image's frame. */
static size_t image_length(void)
{
    uint64_t length = 0;
    memcpy(&length, good + TW_FRAME_LENGTH * sizeof length, sizeof length);
    return FRAME + (size_t)length;
}

static void mend_checksums(char *bytes, size_t size)
{
    uint64_t frame[TW_FRAME_WORDS];
    for (size_t at = 0; size - at >= FRAME; at += FRAME + (size_t)frame[TW_FRAME_LENGTH]) {
        memcpy(frame, bytes + at, FRAME);
        if (frame[TW_FRAME_LENGTH] > size - at - FRAME || frame[TW_FRAME_LENGTH] % WORD) return;
        frame[TW_FRAME_CHECKSUM] =
            tw_checksum(TW_CHECKSUM_START, (size_t)frame[TW_FRAME_LENGTH] / WORD, bytes + at + FRAME);
        memcpy(bytes + at, frame, FRAME);
    }
}

/* The input is the good journal without its image: settings, then frames. */
static const char *write_journal(const uint8_t *data, size_t size)
{
    size_t image = image_length(), tail = size > SETTINGS ? size - SETTINGS : 0;
    static char path[600];
    char *bytes = malloc(image + tail);
    if (!bytes) fuzz_fail("no memory");
    memcpy(bytes, good, image);
    memcpy(bytes + FRAME, data, size < SETTINGS ? size : SETTINGS);
    if (tail) memcpy(bytes + image, data + SETTINGS, tail);
    mend_checksums(bytes, image + tail);
    snprintf(path, sizeof path, "%s.journal", fuzz_path(".nc"));
    fuzz_write_to(path, bytes, image + tail);
    free(bytes);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    make_good();
    tw_context *ctx = fuzz_context();
    tw_run *run = NULL;
    tw_chains_summary summary;
    const char *journal = write_journal(data, size);
    unlink(fuzz_path(".nc"));
    tw_status status = tw_run_open(ctx, fuzz_path(".nc"), &run);
    if (status == TW_OK) status = tw_run_summarise(run, 1, NULL, &summary);
    tw_run_close(run);
    unlink(journal);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 150;

char *fuzz_seed(size_t k, size_t *length)
{
    make_good();
    size_t image = image_length(), tail = good_length - image;
    char *seed = malloc(SETTINGS + tail);
    if (!seed) fuzz_fail("no memory");
    memcpy(seed, good + FRAME, SETTINGS);
    memcpy(seed + SETTINGS, good + image, tail);
    *length = SETTINGS + tail;
    if (k == 0) return seed;
    free(seed);
    return NULL;
}
