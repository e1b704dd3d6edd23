/* journal.h: the draws of a run that goes on, where a crash does not reach them.
 *
 * A journal is a sequence of frames in the machine's own byte order, each
 *
 *   kind, length, checksum        8 bytes each; length and checksum are those of the payload
 *   payload                       a multiple of 8 bytes
 *
 * of three kinds. An image, before the first draw, is the NetCDF file as far as it is known then: the problem and the
 * facts. A draw holds all chains, and all draws are equally long. Each is written by one call of write() and flushed to
 * the disk every other second. Behind the last one the final facts are a NetCDF file of their own, without the problem
 * (talweg once wrote a second image there, which counts instead of the first). What follows the last frame whose checksum
 * is right was torn by a crash and is not part of the journal.
 *
 * The journal appears under its name with its first image in it and locked (flock); the lock ends with its
 * process, however that ends.
 */
#ifndef TALWEG_OUTPUT_JOURNAL_JOURNAL_H
#define TALWEG_OUTPUT_JOURNAL_JOURNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/context.h"
#include "talweg/chains.h"

/* What an image begins with. */
typedef struct tw_journal_settings {
    uint64_t n, chains;
    uint64_t compress, summary_only, pointwise, threads;
    uint64_t bytes; /* of the NetCDF file that follows */
} tw_journal_settings;

/* What a draw has for each chain. */
typedef struct tw_journal_record {
    double lp, acceptance_rate, energy, energy_error, log_likelihood;
    uint64_t steps;
    uint64_t flags; /* TW_FLAG_... */
} tw_journal_record;

enum {
    TW_FLAG_ACCEPTED = 1,
    TW_FLAG_ENERGY_DIVERGENCE = 2,
    TW_FLAG_IMPLICIT_FAILURE = 4,
    TW_FLAG_IRREVERSIBLE = 8,
    TW_FLAG_FACTORISATION = 16
};

/* A draw, as it lies in the journal: this, then a record for each chain, then x (n x chains). */
typedef struct tw_journal_draw {
    uint64_t frame[3];
    uint64_t index;
    double seconds; /* since the journal began */
    double eps;
} tw_journal_draw;

typedef struct tw_journal {
    tw_context *ctx;
    char path[PATH_MAX];
    int descriptor; /* -1: none is open */
    tw_journal_settings settings;
    uint64_t image;                     /* where the NetCDF file of the last image begins */
    bool ended;                         /* the final facts are behind the draws */
    uint64_t facts;                     /* where they begin; 0: they are in the image */
    uint64_t facts_stored, facts_bytes; /* bytes there, and in all: zeros at the end are left out */
    uint64_t first;                     /* where draws begin */
    uint64_t end;                       /* behind the last good frame */
    uint64_t left;                      /* bytes behind that, when it was opened: of no use */
    size_t stride;                      /* bytes of a draw */
    size_t draws;                       /* complete ones */
    double *frame;                      /* one draw */
    double began;                       /* moments */
    double synced;
} tw_journal;

/* ---- writing ---- */

/* A draw as it lies in the journal, but for its checksum: stride bytes. */
void tw_journal_pack(const tw_journal *j, const tw_draw *draw, double seconds, void *row);

/* Hold the journal that is there, if any, so that nobody makes a file of it: as tw_journal_open, but one with draws in
 * it is in the way (TW_FILE_EXISTS), unless overwrite. */
tw_status tw_journal_claim(tw_journal *there, tw_context *ctx, const char *run, bool overwrite);

/* Is there a journal already that must not be replaced? */
tw_status tw_journal_check(tw_context *ctx, const char *run, bool overwrite);

/* Begin: `image` is the NetCDF file that is copied into it. A journal with draws in it is in the way, unless
 * overwrite; one that somebody is writing always. */
tw_status tw_journal_create(tw_journal *j, tw_context *ctx, const char *run, bool overwrite,
                            const tw_journal_settings *settings, const char *image);
tw_status tw_journal_append(tw_journal *j, const tw_draw *draw);

/* The end: the final facts, a NetCDF file of so many bytes. They are on the disk then. */
tw_status tw_journal_append_facts(tw_journal *j, const void *facts, size_t bytes);
tw_status tw_journal_sync(tw_journal *j);

/* Drop all that follows the first `draws` draws of a journal that was opened, and go on writing behind them. */
tw_status tw_journal_go_on(tw_journal *j, size_t draws);

/* ---- reading ---- */

/* Take up the journal of a run, if there is one that no living process writes (TW_BAD_FILE where one does):
 * *found says so. All its frames are looked at. */
tw_status tw_journal_open(tw_journal *j, tw_context *ctx, const char *run, bool *found);

/* Copy the NetCDF file of the last image to an open stream. */
tw_status tw_journal_copy_image(const tw_journal *j, FILE *to);

/* The final facts, where j->facts is not 0, to j->facts_bytes zeros. */
tw_status tw_journal_read_facts(const tw_journal *j, void *out);

/* The head of one draw with its records, without x. */
size_t tw_journal_head_bytes(const tw_journal *j);
tw_status tw_journal_read_head(const tw_journal *j, size_t draw, void *out);

/* `count` draws from `first` on, as they lie there, stride bytes each. */
tw_status tw_journal_read(const tw_journal *j, size_t first, size_t count, void *out);
const tw_journal_draw *tw_journal_draw_at(const tw_journal *j, const void *draws, size_t k);
const tw_journal_record *tw_journal_records_of(const tw_journal_draw *draw);
const double *tw_journal_x_of(const tw_journal *j, const tw_journal_draw *draw);
tw_record tw_journal_unpack(const tw_journal_record *record);

/* All draws of some latents, as tw_run_read_latents has them. */
tw_status tw_journal_read_latents(const tw_journal *j, size_t first, size_t count, double *x);

/* ---- the end ---- */

void tw_journal_remove(tw_journal *j); /* from the disk */
void tw_journal_close(tw_journal *j);

#endif
