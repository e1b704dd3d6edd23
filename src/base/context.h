/* context.h: internal functions of a tw_context, besides the public ones (talweg/base.h).
 *
 * All memory comes from tw_allocate, so that every byte is counted (tests check the peak) and a test can make
 * the n-th allocation fail. Blocks are aligned to 64 bytes for vector loads.
 */
#ifndef TALWEG_BASE_CONTEXT_H
#define TALWEG_BASE_CONTEXT_H

#include "talweg/base.h"
#include "talweg/warning.h"

enum { TW_SEAT_NUMBERS = 4 }; /* the most numbers that are gathered from each member at a time */

/* The place of a context in its team (base/team.h). */
typedef struct tw_seat {
    const struct tw_team *team; /* NULL: no team */
    size_t *offset;             /* team->size + 1: work space */
    double *number;             /* TW_SEAT_NUMBERS x team->size: work space */
    tw_status lost;             /* status of the first call that failed because another member gave up */
} tw_seat;
tw_seat *tw_context_seat(tw_context *ctx);

/* A context for another thread that works for this one. Both contexts count and limit its memory. It has no
 * team, no log and no interrupt. Free it before its parent. The parent's allocator must be safe to call from
 * several threads. */
tw_status tw_context_branch(tw_context *parent, tw_context **out);

/* Drop messages and warnings while `mute` is true:
 * for repeated work, whose messages were given the first time. */
void tw_log_mute(tw_context *ctx, bool mute);

/* Free memory that another library allocated with malloc. */
void tw_release_foreign(void *memory);

/* Call `TW_TRY(tw_poll(ctx))` once per iteration. Returns TW_INTERRUPTED if the caller asks to stop, and the
 * status of the failed call if another member of the team gave up. */
tw_status tw_poll(tw_context *ctx);

/* Record that the caller interrupted the computation and notify the team. Returns TW_INTERRUPTED. */
tw_status tw_interrupt(tw_context *ctx);

/* The first of this context's holds on files (output/hold.h). `release`, unless NULL, is called when the context is
 * freed, to give them back. */
struct tw_hold;
struct tw_hold **tw_context_holds(tw_context *ctx, void (*release)(tw_context *ctx));

#endif
