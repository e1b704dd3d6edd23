/* journal.c: frames, checksums and the lock, used for both writing and reading a journal. */
#include "output/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/journal/frame.h"

size_t tw_draw_stride(const tw_journal_settings *s)
{
    return sizeof(tw_journal_draw) +
           (size_t)s->chains * (sizeof(tw_journal_record) + (size_t)s->n * sizeof(double));
}

tw_status tw_journal_name(tw_journal *j, tw_context *ctx, const char *run)
{
    *j = (tw_journal){.ctx = ctx, .descriptor = -1};
    if (snprintf(j->path, sizeof j->path, "%s.journal", run) < (int)sizeof j->path) return TW_OK;
    return tw_fail(ctx, TW_BAD_FILE, "%.1000s: this name is too long", run);
}

tw_status tw_journal_fail(const tw_journal *j, tw_status status, const char *what, int error)
{
    return tw_fail(j->ctx, status, "%.1000s: %s: %s", j->path, what, strerror(error));
}

tw_status tw_journal_pread(const tw_journal *j, void *out, size_t bytes, uint64_t offset)
{
    char *to = out;
    while (bytes > 0) {
        ssize_t got = pread(j->descriptor, to, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return tw_journal_fail(j, TW_BAD_FILE, "cannot be read", got < 0 ? errno : EIO);
        to += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return TW_OK;
}

tw_status tw_journal_lock(const tw_journal *j)
{
    if (flock(j->descriptor, LOCK_EX | LOCK_NB) == 0) return TW_OK;
    if (errno != EWOULDBLOCK) return TW_OK; /* a file system without locks */
    return tw_fail(
        j->ctx, TW_BAD_FILE,
        "%.1000s: another talweg is still writing this run: wait until it ends, or end it with Ctrl-C",
        j->path);
}

const tw_journal_draw *tw_journal_draw_at(const tw_journal *j, const void *draws, size_t k)
{
    return (const tw_journal_draw *)(const void *)((const char *)draws + k * j->stride);
}

const tw_journal_record *tw_journal_records_of(const tw_journal_draw *draw)
{
    return (const tw_journal_record *)(const void *)(draw + 1);
}

const double *tw_journal_x_of(const tw_journal *j, const tw_journal_draw *draw)
{
    return (const double *)(const void *)(tw_journal_records_of(draw) + j->settings.chains);
}

tw_record tw_journal_unpack(const tw_journal_record *r)
{
    return (tw_record){.log_density = r->lp,
                       .energy = r->energy,
                       .energy_error = r->energy_error,
                       .acceptance_rate = r->acceptance_rate,
                       .steps = (size_t)r->steps,
                       .accepted = r->flags & TW_FLAG_ACCEPTED,
                       .energy_divergence = r->flags & TW_FLAG_ENERGY_DIVERGENCE,
                       .implicit_failure = r->flags & TW_FLAG_IMPLICIT_FAILURE,
                       .irreversible = r->flags & TW_FLAG_IRREVERSIBLE,
                       .factorisation = r->flags & TW_FLAG_FACTORISATION};
}

void tw_journal_remove(tw_journal *j)
{
    if (j->descriptor >= 0) unlink(j->path);
}

void tw_journal_close(tw_journal *j)
{
    if (j->descriptor >= 0) close(j->descriptor);
    j->descriptor = -1;
    tw_release(j->ctx, j->frame);
    j->frame = NULL;
}
