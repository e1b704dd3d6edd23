/* write.c: write a journal; see journal.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/journal/frame.h"
#include "output/writer.h"

static const double seconds_between_syncs = 2.0;

enum { COPY_WORDS = 1 << 13 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Write all bytes at this offset, or leave the journal as it was. */
static tw_status append_bytes(tw_journal *j, uint64_t offset, const void *bytes, size_t length)
{
    const char *from = bytes;
    while (length > 0) {
        ssize_t done = pwrite(j->descriptor, from, length, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            int error = done < 0 ? errno : ENOSPC;
            if (ftruncate(j->descriptor, (off_t)j->end) != 0) error = errno;
            return tw_journal_fail(j, TW_WRITE_FAILED, "could not be written", error);
        }
        from += done;
        offset += (uint64_t)done;
        length -= (size_t)done;
    }
    return TW_OK;
}

tw_status tw_journal_sync(tw_journal *j)
{
    j->synced = seconds_now();
    if (fdatasync(j->descriptor) == 0 || errno == EINVAL || errno == ENOTSUP) return TW_OK;
    return tw_journal_fail(j, TW_WRITE_FAILED, "could not be written", errno);
}

/* ---- draws ---- */

static uint64_t flags_of(const tw_record *r)
{
    return (r->accepted ? TW_FLAG_ACCEPTED : 0u) | (r->energy_divergence ? TW_FLAG_ENERGY_DIVERGENCE : 0u) |
           (r->implicit_failure ? TW_FLAG_IMPLICIT_FAILURE : 0u) |
           (r->irreversible ? TW_FLAG_IRREVERSIBLE : 0u) | (r->factorisation ? TW_FLAG_FACTORISATION : 0u);
}

void tw_journal_pack(const tw_journal *j, const tw_draw *draw, double seconds, void *row)
{
    tw_journal_draw *head = row;
    tw_journal_record *records = (tw_journal_record *)(void *)(head + 1);
    *head = (tw_journal_draw){
        {TW_FRAME_DRAW, j->stride - sizeof head->frame, 0}, draw->index, seconds, draw->eps};
    for (size_t c = 0; c < draw->chains; c++) {
        const tw_record *r = &draw->records[c];
        records[c] =
            (tw_journal_record){r->log_density,          r->acceptance_rate, r->energy,  r->energy_error,
                                draw->log_likelihood[c], r->steps,           flags_of(r)};
    }
    memcpy(records + draw->chains, draw->x, draw->n * draw->chains * sizeof *draw->x);
}

static void fill_draw(tw_journal *j, const tw_draw *draw)
{
    tw_journal_draw *head = (tw_journal_draw *)(void *)j->frame;
    tw_journal_pack(j, draw, seconds_now() - j->began, head);
    head->index = j->draws;
    head->frame[TW_FRAME_CHECKSUM] =
        tw_checksum(TW_CHECKSUM_START, j->stride / sizeof(double) - TW_FRAME_WORDS, &head->index);
}

tw_status tw_journal_append(tw_journal *j, const tw_draw *draw)
{
    if (draw->n != j->settings.n || draw->chains != j->settings.chains)
        return tw_fail(j->ctx, TW_BAD_ARGUMENT, "a draw of %zu chains of %zu latents does not fit this run",
                       draw->chains, draw->n);
    fill_draw(j, draw);
    TW_TRY(append_bytes(j, j->end, j->frame, j->stride));
    j->end += j->stride;
    j->draws++;
    return seconds_now() - j->synced < seconds_between_syncs ? TW_OK : tw_journal_sync(j);
}

/* ---- the image, and the facts ---- */

/* Copy a file to `offset`, padded with zeros to whole words. */
static tw_status copy_file(tw_journal *j, FILE *from, uint64_t offset, uint64_t *checksum, uint64_t *words)
{
    uint64_t block[COPY_WORDS];
    *words = 0;
    for (;;) {
        memset(block, 0, sizeof block);
        size_t count = (fread(block, 1, sizeof block, from) + sizeof *block - 1) / sizeof *block;
        if (count == 0) break;
        TW_TRY(append_bytes(j, offset, block, count * sizeof *block));
        *checksum = tw_checksum(*checksum, count, block);
        offset += count * sizeof *block;
        *words += count;
    }
    return ferror(from) ? tw_journal_fail(j, TW_WRITE_FAILED, "could not be written", errno) : TW_OK;
}

static tw_status append_open_image(tw_journal *j, FILE *from)
{
    uint64_t frame[TW_FRAME_WORDS] = {TW_FRAME_IMAGE, 0, 0}, words = 0;
    uint64_t start = j->end + sizeof frame, image = start + sizeof j->settings;
    long bytes = fseek(from, 0, SEEK_END) == 0 ? ftell(from) : -1;
    if (bytes < 0 || fseek(from, 0, SEEK_SET) != 0)
        return tw_journal_fail(j, TW_WRITE_FAILED, "could not be written", errno);
    j->settings.bytes = (uint64_t)bytes;
    uint64_t checksum = tw_checksum(TW_CHECKSUM_START, sizeof j->settings / sizeof(uint64_t), &j->settings);
    TW_TRY(append_bytes(j, start, &j->settings, sizeof j->settings));
    TW_TRY(copy_file(j, from, image, &checksum, &words));
    frame[TW_FRAME_LENGTH] = sizeof j->settings + words * sizeof words;
    frame[TW_FRAME_CHECKSUM] = checksum;
    TW_TRY(append_bytes(j, j->end, frame, sizeof frame)); /* the header last: it makes the frame valid */
    j->image = image;
    j->end = start + frame[TW_FRAME_LENGTH];
    return tw_journal_sync(j);
}

static tw_status append_image(tw_journal *j, const char *image)
{
    FILE *from = fopen(image, "rb");
    if (!from) return tw_journal_fail(j, TW_WRITE_FAILED, "could not be written", errno);
    struct stat about;
    if (fstat(fileno(from), &about) == 0) tw_keep_rights(j->descriptor, &about);
    tw_status status = append_open_image(j, from);
    fclose(from);
    return status;
}

/* Write the facts in one piece, like a draw: their length, and the bytes up to the last nonzero one, in whole
 * words. netCDF-C allocates 64 kB for a file in memory and uses 4 kB. */
tw_status tw_journal_append_facts(tw_journal *j, const void *facts, size_t bytes)
{
    void *memory = NULL;
    size_t stored = bytes;
    while (stored > 0 && ((const char *)facts)[stored - 1] == 0) stored--;
    size_t words = 1 + (stored + sizeof(uint64_t) - 1) / sizeof(uint64_t), total = TW_FRAME_WORDS + words;
    TW_TRY(tw_allocate(j->ctx, total, sizeof(uint64_t), "the facts of a run", &memory));
    uint64_t *frame = memory, *payload = frame + TW_FRAME_WORDS;
    payload[0] = bytes;
    memcpy(payload + 1, facts, stored);
    frame[TW_FRAME_KIND] = TW_FRAME_FACTS;
    frame[TW_FRAME_LENGTH] = words * sizeof *frame;
    frame[TW_FRAME_CHECKSUM] = tw_checksum(TW_CHECKSUM_START, words, payload);
    tw_status status = append_bytes(j, j->end, frame, total * sizeof *frame);
    tw_release(j->ctx, memory);
    if (status != TW_OK) return status;
    j->facts = j->end + (TW_FRAME_WORDS + 1) * sizeof *frame;
    j->facts_stored = stored;
    j->facts_bytes = bytes;
    j->end += total * sizeof *frame;
    j->ended = true;
    return tw_journal_sync(j);
}

/* ---- creating ---- */

static tw_status allocate_frame(tw_journal *j)
{
    void *frame = NULL;
    TW_TRY(tw_allocate(j->ctx, j->stride, 1, "a draw of all chains", &frame));
    j->frame = frame;
    return TW_OK;
}

tw_status tw_journal_claim(tw_journal *there, tw_context *ctx, const char *run, bool overwrite)
{
    bool found = false;
    TW_TRY(tw_journal_open(there, ctx, run, &found));
    if (!found || there->draws == 0 || overwrite) return TW_OK;
    tw_journal_close(there);
    return tw_fail(
        ctx, TW_FILE_EXISTS,
        "%.1000s has %zu draws of an unfinished run, which would be lost (reading %.1000s recovers them)",
        there->path, there->draws, run);
}

tw_status tw_journal_check(tw_context *ctx, const char *run, bool overwrite)
{
    tw_journal there;
    TW_TRY(tw_journal_claim(&there, ctx, run, overwrite));
    tw_journal_close(&there);
    return TW_OK;
}

/* Create, lock and fill the journal under a temporary name, then rename it. The image is that of the run's writer,
 * which holds the hold on the run: what has the temporary name was left. */
static tw_status make_journal(tw_journal *j, const char *image)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.talweg.part", j->path) >= (int)sizeof temporary)
        return tw_journal_fail(j, TW_WRITE_FAILED, "cannot be written", ENAMETOOLONG);
    unlink(temporary);
    j->descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (j->descriptor < 0) return tw_journal_fail(j, TW_WRITE_FAILED, "cannot be written", errno);
    tw_status status = tw_journal_lock(j);
    if (status == TW_OK) status = append_image(j, image);
    j->first = j->end;
    if (status == TW_OK && rename(temporary, j->path) != 0)
        status = tw_journal_fail(j, TW_WRITE_FAILED, "cannot be written", errno);
    if (status != TW_OK) unlink(temporary);
    return status;
}

tw_status tw_journal_create(tw_journal *j, tw_context *ctx, const char *run, bool overwrite,
                            const tw_journal_settings *settings, const char *image)
{
    TW_TRY(tw_journal_name(j, ctx, run));
    TW_TRY(tw_journal_check(ctx, run, overwrite));
    j->settings = *settings;
    j->stride = tw_draw_stride(settings);
    j->began = seconds_now();
    TW_TRY(allocate_frame(j));
    tw_status status = make_journal(j, image);
    if (status != TW_OK) tw_journal_close(j);
    return status;
}

/* ---- continuing ---- */

/* Remove all that follows the draws: the final facts, or a second image in older files, so that the first
 * image counts again. */
static tw_status truncate_after(tw_journal *j, size_t draws)
{
    uint64_t size = j->first + (uint64_t)draws * j->stride;
    if (ftruncate(j->descriptor, (off_t)size) != 0)
        return tw_journal_fail(j, TW_WRITE_FAILED, "could not be truncated", errno);
    j->image = j->end = j->facts = 0;
    j->ended = false;
    j->draws = 0;
    return tw_journal_scan(j, size);
}

tw_status tw_journal_go_on(tw_journal *j, size_t draws)
{
    double seconds = 0.0;
    TW_TRY(truncate_after(j, draws));
    TW_TRY(allocate_frame(j));
    if (draws > 0) {
        TW_TRY(tw_journal_read(j, draws - 1, 1, j->frame));
        seconds = tw_journal_draw_at(j, j->frame, 0)->seconds;
    }
    j->began = seconds_now() - seconds;
    return tw_journal_sync(j);
}
