/* read.c: read a journal that a process left behind; see journal.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/journal/frame.h"

enum { COPY_WORDS = 1 << 13 };

/* ---- finding complete frames ---- */

/* The checksum of `words` words at offset. */
static tw_status sum_words(const tw_journal *j, uint64_t offset, uint64_t words, uint64_t *sum)
{
    uint64_t block[COPY_WORDS];
    *sum = TW_CHECKSUM_START;
    while (words > 0) {
        size_t count = words < COPY_WORDS ? (size_t)words : COPY_WORDS;
        TW_TRY(tw_journal_pread(j, block, count * sizeof *block, offset));
        *sum = tw_checksum(*sum, count, block);
        offset += count * sizeof *block;
        words -= count;
    }
    return TW_OK;
}

/* Find the kind and length of the frame at j->end; *kind is 0 if it is incomplete or its checksum is wrong. */
static tw_status look_at_frame(const tw_journal *j, uint64_t size, uint64_t *kind, uint64_t *length)
{
    uint64_t frame[TW_FRAME_WORDS], sum = 0, room = size - j->end;
    *kind = 0;
    if (room < sizeof frame) return TW_OK;
    TW_TRY(tw_journal_pread(j, frame, sizeof frame, j->end));
    *length = frame[TW_FRAME_LENGTH];
    bool known = frame[TW_FRAME_KIND] == TW_FRAME_IMAGE || frame[TW_FRAME_KIND] == TW_FRAME_DRAW ||
                 frame[TW_FRAME_KIND] == TW_FRAME_FACTS;
    if (!known || *length > room - sizeof frame || *length % sizeof sum != 0) return TW_OK;
    TW_TRY(sum_words(j, j->end + sizeof frame, *length / sizeof sum, &sum));
    if (sum == frame[TW_FRAME_CHECKSUM]) *kind = frame[TW_FRAME_KIND];
    return TW_OK;
}

/* Whether a run can have these settings. Unlimited counts could make the length of a draw overflow. */
static bool is_possible(const tw_journal_settings *s)
{
    const uint64_t most_numbers = UINT64_C(1) << 48;
    return s->n > 0 && s->chains > 0 && s->chains <= UINT32_MAX && s->n <= UINT32_MAX &&
           s->n * s->chains <= most_numbers && s->compress <= 9;
}

/* Make this image the last one; *fits is whether it may occur here. */
static tw_status take_image(tw_journal *j, uint64_t length, bool *fits)
{
    tw_journal_settings s;
    uint64_t at = j->end + TW_FRAME_WORDS * sizeof at;
    *fits = length >= sizeof s;
    if (!*fits) return TW_OK;
    TW_TRY(tw_journal_pread(j, &s, sizeof s, at));
    *fits = is_possible(&s) && s.bytes <= length - sizeof s;
    if (!*fits) return TW_OK;
    *fits = j->image == 0 || (s.n == j->settings.n && s.chains == j->settings.chains);
    j->settings = s;
    j->stride = tw_draw_stride(&s);
    j->ended = j->image != 0;
    j->image = at + sizeof s;
    return TW_OK;
}

/* Read the position of the final facts; *fits is whether they may occur here. */
static tw_status take_facts(tw_journal *j, uint64_t length, bool *fits)
{
    const uint64_t most = 1 << 20; /* most bytes of facts */
    uint64_t at = j->end + TW_FRAME_WORDS * sizeof at, bytes = 0;
    *fits = j->image != 0 && !j->ended && length >= sizeof bytes;
    if (!*fits) return TW_OK;
    TW_TRY(tw_journal_pread(j, &bytes, sizeof bytes, at));
    *fits = bytes > 0 && bytes <= most;
    if (!*fits) return TW_OK;
    j->facts = at + sizeof bytes;
    j->facts_stored = length - sizeof bytes < bytes ? length - sizeof bytes : bytes;
    j->facts_bytes = bytes;
    j->ended = true;
    return TW_OK;
}

tw_status tw_journal_scan(tw_journal *j, uint64_t size)
{
    for (;;) {
        uint64_t kind = 0, length = 0;
        bool fits = false;
        TW_TRY(look_at_frame(j, size, &kind, &length));
        if (kind == TW_FRAME_IMAGE) TW_TRY(take_image(j, length, &fits));
        if (kind == TW_FRAME_FACTS) TW_TRY(take_facts(j, length, &fits));
        if (kind == TW_FRAME_DRAW)
            fits = j->image != 0 && !j->ended && length + TW_FRAME_WORDS * sizeof length == j->stride;
        if (!fits) return TW_OK;
        j->end += TW_FRAME_WORDS * sizeof length + length;
        if (kind == TW_FRAME_DRAW) j->draws++;
        if (j->draws == 0) j->first = j->end;
    }
}

/* ---- opening ---- */

/* Another process may have completed the run and removed the journal while this one waited for the lock. */
static tw_status still_there(const tw_journal *j, bool *there, uint64_t *size)
{
    struct stat mine, named;
    if (fstat(j->descriptor, &mine) != 0) return tw_journal_fail(j, TW_BAD_FILE, "cannot be read", errno);
    *there = stat(j->path, &named) == 0 && named.st_ino == mine.st_ino && named.st_dev == mine.st_dev;
    *size = (uint64_t)mine.st_size;
    return TW_OK;
}

tw_status tw_journal_open(tw_journal *j, tw_context *ctx, const char *run, bool *found)
{
    uint64_t size = 0;
    *found = false;
    TW_TRY(tw_journal_name(j, ctx, run));
    j->descriptor = open(j->path, O_RDWR | O_CLOEXEC);
    if (j->descriptor < 0 && (errno == ENOENT || errno == ENOTDIR)) return TW_OK;
    if (j->descriptor < 0) return tw_journal_fail(j, TW_BAD_FILE, "cannot be opened", errno);
    tw_status status = tw_journal_lock(j);
    if (status == TW_OK) status = still_there(j, found, &size);
    if (status == TW_OK && *found) status = tw_journal_scan(j, size);
    if (status == TW_OK && *found) j->left = size - j->end;
    if (status == TW_OK && *found && j->image == 0)
        status = tw_fail(ctx, TW_BAD_DATA, "%.1000s is not the journal of a run: remove it", j->path);
    if (status != TW_OK || !*found) tw_journal_close(j);
    return status;
}

/* ---- reading ---- */

tw_status tw_journal_copy_image(const tw_journal *j, FILE *to)
{
    char block[COPY_WORDS * 8];
    uint64_t left = j->settings.bytes, offset = j->image;
    while (left > 0) {
        size_t count = left < sizeof block ? (size_t)left : sizeof block;
        TW_TRY(tw_journal_pread(j, block, count, offset));
        if (fwrite(block, 1, count, to) != count) break;
        offset += count;
        left -= count;
    }
    if (left == 0 && fflush(to) == 0) return TW_OK;
    return tw_fail(j->ctx, TW_WRITE_FAILED, "the run file could not be written completely: %s",
                   strerror(errno));
}

tw_status tw_journal_read_facts(const tw_journal *j, void *out)
{
    return tw_journal_pread(j, out, (size_t)j->facts_stored, j->facts);
}

size_t tw_journal_head_bytes(const tw_journal *j)
{
    return sizeof(tw_journal_draw) + (size_t)j->settings.chains * sizeof(tw_journal_record);
}

tw_status tw_journal_read_head(const tw_journal *j, size_t draw, void *out)
{
    return tw_journal_pread(j, out, tw_journal_head_bytes(j), j->first + (uint64_t)draw * j->stride);
}

tw_status tw_journal_read(const tw_journal *j, size_t first, size_t count, void *out)
{
    return tw_journal_pread(j, out, count * j->stride, j->first + (uint64_t)first * j->stride);
}

tw_status tw_journal_read_latents(const tw_journal *j, size_t first, size_t count, double *x)
{
    size_t n = (size_t)j->settings.n, chains = (size_t)j->settings.chains, draws = j->draws;
    double *block = NULL;
    TW_TRY(tw_allocate_doubles(j->ctx, count, 1, "a draw of some latents", &block));
    tw_status status = TW_OK;
    for (size_t i = 0; status == TW_OK && i < draws; i++)
        for (size_t c = 0; status == TW_OK && c < chains; c++) {
            uint64_t at = j->first + i * j->stride + tw_journal_head_bytes(j) + (first + n * c) * sizeof *x;
            status = tw_journal_pread(j, block, count * sizeof *x, at);
            for (size_t k = 0; k < count; k++) x[i + draws * (c + chains * k)] = block[k];
        }
    tw_release(j->ctx, block);
    return status;
}
