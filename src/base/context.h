/* context.h: what the rooms use of a tw_context beside what is public (talweg/base.h).
 *
 * Memory comes in one way only, tw_allocate, so that every byte is counted (peak memory is a tested property) and a
 * test can make the n-th allocation fail. Blocks are aligned to 64 bytes for vector loads.
 */
#ifndef TALWEG_BASE_CONTEXT_H
#define TALWEG_BASE_CONTEXT_H

#include "talweg/base.h"
#include "talweg/warning.h"

enum { TW_SEAT_NUMBERS = 4 }; /* that are summed at a time */

/* The place of a context in its team (base/team.h). */
typedef struct tw_seat {
    const struct tw_team *team; /* NULL: alone */
    size_t *offset;             /* size + 1 */
    double *number;             /* TW_SEAT_NUMBERS x size */
    tw_status lost;             /* of a call that failed: another member gave up */
} tw_seat;
tw_seat *tw_context_seat(tw_context *ctx);

/* A context for another thread that works for this one: memory is counted, and limited, by both; it is alone, silent, and
 * nobody interrupts it. It is freed before its parent. The parent's allocator must bear calls from several threads. */
tw_status tw_context_branch(tw_context *parent, tw_context **out);

/* Drop messages and warnings from now on, or no longer: for work whose messages were given before. */
void tw_log_mute(tw_context *ctx, bool mute);

/* Free what another library took from malloc and left to its caller. */
void tw_release_foreign(void *memory);

/* TW_INTERRUPTED where the caller asks for an end, or another member of the team gave up: `TW_TRY(tw_poll(ctx))` once an
 * iteration. */
tw_status tw_poll(tw_context *ctx);

/* The caller interrupted the computation: the team is notified. Returns TW_INTERRUPTED. */
tw_status tw_interrupt(tw_context *ctx);

#endif
