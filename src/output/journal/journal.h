/* journal.h: a journal keeps the draws of a running computation, so that a crash does not lose them.
 *
 * A journal is a sequence of frames in the machine's byte order, each
 *
 *   kind, length, checksum        8 bytes each; length and checksum are those of the payload
 *   payload                       a multiple of 8 bytes
 *
 * There are three kinds. An image, before the first draw, is the NetCDF file as far as it is known then: the
 * problem and the facts. A draw holds all chains, and all draws have the same length; each is written by one
 * call of write(), and the file is flushed to the disk every two seconds. After the last draw the final facts
 * are a separate NetCDF file without the problem (older versions of talweg wrote a second image there, which
 * replaces the first). Data after the last frame with a correct checksum come from a crash and are not
 * part of the journal.
 *
 * The journal gets its name when it contains its first image and is locked (flock); the lock ends with the
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

/* The header of an image. */
typedef struct tw_journal_settings {
    uint64_t n, chains;
    uint64_t compress, summary_only, pointwise, threads;
    uint64_t bytes; /* length of the NetCDF file that follows */
} tw_journal_settings;

/* The record of one chain in a draw. */
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

/* The layout of a draw in the journal: this header, a record for each chain, and x (n x chains). */
typedef struct tw_journal_draw {
    uint64_t frame[3];
    uint64_t index;
    double seconds; /* since the journal began */
    double eps;
} tw_journal_draw;

typedef struct tw_journal {
    tw_context *ctx;
    char path[PATH_MAX];
    int descriptor; /* -1: not open */
    tw_journal_settings settings;
    uint64_t image;                     /* offset of the NetCDF file of the last image */
    bool ended;                         /* the final facts follow the draws */
    uint64_t facts;                     /* their offset; 0: they are in the image */
    uint64_t facts_stored, facts_bytes; /* bytes stored, and bytes in all: trailing zeros are not stored */
    uint64_t first;                     /* offset of the first draw */
    uint64_t end;                       /* end of the last valid frame */
    uint64_t left;                      /* bytes after that when it was opened, not valid */
    size_t stride;                      /* bytes of a draw */
    size_t draws;                       /* number of complete draws */
    double *frame;                      /* memory for one draw */
    double began;                       /* times in seconds */
    double synced;
} tw_journal;

/* ---- writing ---- */

/* Pack a draw as it is stored in the journal, without its checksum: stride bytes. */
void tw_journal_pack(const tw_journal *j, const tw_draw *draw, double seconds, void *row);

/* Lock an existing journal, if any, so that no other process completes it. Like tw_journal_open, but fails
 * with TW_FILE_EXISTS if it contains draws, unless `overwrite`. */
tw_status tw_journal_claim(tw_journal *there, tw_context *ctx, const char *run, bool overwrite);

/* Check that no existing journal must be kept. */
tw_status tw_journal_check(tw_context *ctx, const char *run, bool overwrite);

/* Create a journal; `image` is the NetCDF file that is copied into it. Fails if a journal with draws exists,
 * unless `overwrite`, and always if another process is writing it. */
tw_status tw_journal_create(tw_journal *j, tw_context *ctx, const char *run, bool overwrite,
                            const tw_journal_settings *settings, const char *image);
tw_status tw_journal_append(tw_journal *j, const tw_draw *draw);

/* Append the final facts, a NetCDF file of this many bytes, and flush them to the disk. */
tw_status tw_journal_append_facts(tw_journal *j, const void *facts, size_t bytes);
tw_status tw_journal_sync(tw_journal *j);

/* Truncate an opened journal after its first `draws` draws, to continue writing there. */
tw_status tw_journal_go_on(tw_journal *j, size_t draws);

/* ---- reading ---- */

/* Open the journal of a run and scan its frames. *found is whether there is one. TW_BAD_FILE if a process is
 * still writing it. */
tw_status tw_journal_open(tw_journal *j, tw_context *ctx, const char *run, bool *found);

/* Copy the NetCDF file of the last image to an open stream. */
tw_status tw_journal_copy_image(const tw_journal *j, FILE *to);

/* Read the final facts, if j->facts is not 0, into a buffer of j->facts_bytes zeros. */
tw_status tw_journal_read_facts(const tw_journal *j, void *out);

/* Read the header of one draw with its records, without x. */
size_t tw_journal_head_bytes(const tw_journal *j);
tw_status tw_journal_read_head(const tw_journal *j, size_t draw, void *out);

/* Read `count` draws from `first` on, as stored, stride bytes each. */
tw_status tw_journal_read(const tw_journal *j, size_t first, size_t count, void *out);
const tw_journal_draw *tw_journal_draw_at(const tw_journal *j, const void *draws, size_t k);
const tw_journal_record *tw_journal_records_of(const tw_journal_draw *draw);
const double *tw_journal_x_of(const tw_journal *j, const tw_journal_draw *draw);
tw_record tw_journal_unpack(const tw_journal_record *record);

/* Read all draws of some latents, in the layout of tw_run_read_latents. */
tw_status tw_journal_read_latents(const tw_journal *j, size_t first, size_t count, double *x);

/* ---- closing ---- */

void tw_journal_remove(tw_journal *j); /* from the disk */
void tw_journal_close(tw_journal *j);

#endif
