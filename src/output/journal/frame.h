/* frame.h: the frames of a journal, for the two files that write and read them. */
#ifndef TALWEG_OUTPUT_JOURNAL_FRAME_H
#define TALWEG_OUTPUT_JOURNAL_FRAME_H

#include "output/journal/journal.h"
#include "talweg/files.h"

/* A frame's kind, which tells the machine's byte order too. */
#define TW_FRAME_IMAGE UINT64_C(0x3130656d61726674)
#define TW_FRAME_FACTS UINT64_C(0x3130746361666674)
#define TW_FRAME_DRAW UINT64_C(0x3130776172646674)

enum { TW_FRAME_KIND, TW_FRAME_LENGTH, TW_FRAME_CHECKSUM, TW_FRAME_WORDS };

/* Bytes of a draw with its frame. */
size_t tw_draw_stride(const tw_journal_settings *settings);

/* An empty journal that knows its path. */
tw_status tw_journal_name(tw_journal *j, tw_context *ctx, const char *run);
tw_status tw_journal_fail(const tw_journal *j, tw_status status, const char *what, int error);
tw_status tw_journal_pread(const tw_journal *j, void *out, size_t bytes, uint64_t offset);

/* Look at all frames of a file of that size. */
tw_status tw_journal_scan(tw_journal *j, uint64_t size);

/* TW_BAD_FILE where another process has it. */
tw_status tw_journal_lock(const tw_journal *j);

#endif
