/* frame.h: the frames of a journal, for the files that write and read them. */
#ifndef TALWEG_OUTPUT_JOURNAL_FRAME_H
#define TALWEG_OUTPUT_JOURNAL_FRAME_H

#include "output/journal/journal.h"
#include "talweg/files.h"

/* The kinds of frames; they also reveal the byte order. */
#define TW_FRAME_IMAGE UINT64_C(0x3130656d61726674)
#define TW_FRAME_FACTS UINT64_C(0x3130746361666674)
#define TW_FRAME_DRAW UINT64_C(0x3130776172646674)

enum { TW_FRAME_KIND, TW_FRAME_LENGTH, TW_FRAME_CHECKSUM, TW_FRAME_WORDS };

/* The length in bytes of a draw with its frame. */
size_t tw_draw_stride(const tw_journal_settings *settings);

/* Initialise an empty journal with the path for this run. */
tw_status tw_journal_name(tw_journal *j, tw_context *ctx, const char *run);
tw_status tw_journal_fail(const tw_journal *j, tw_status status, const char *what, int error);
tw_status tw_journal_pread(const tw_journal *j, void *out, size_t bytes, uint64_t offset);

/* Scan all frames of a file of that size. */
tw_status tw_journal_scan(tw_journal *j, uint64_t size);

/* TW_BAD_FILE if another process holds the lock. */
tw_status tw_journal_lock(const tw_journal *j);

#endif
