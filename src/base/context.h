/* context.h: what the rooms use of a tw_context: counted allocation, failing with words, logging.
 *
 * Memory comes in one way only, so that every byte is counted (peak memory is a tested property) and a
 * test can make the n-th allocation fail. Blocks are aligned to 64 bytes for vector loads.
 */
#ifndef TALWEG_BASE_CONTEXT_H
#define TALWEG_BASE_CONTEXT_H

#include <stdbool.h>

#include "talweg/base.h"

#if defined(__GNUC__)
#define TW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TW_PRINTF(text, first)
#endif

/* Leave the function with the status of a call that failed. For functions that own nothing yet. */
#define TW_TRY(call)                                      \
    do {                                                  \
        tw_status tw_try_status = (call);                 \
        if (tw_try_status != TW_OK) return tw_try_status; \
    } while (0)

/* Store the words of an error in ctx and return status: `return tw_fail(ctx, TW_BAD_DATA, "...")`. */
tw_status tw_fail(tw_context *ctx, tw_status status, const char *format, ...) TW_PRINTF(3, 4);

/* Put words in front of the stored message: tw_fail_within(ctx, s, "%s: ", file). Returns status. */
tw_status tw_fail_within(tw_context *ctx, tw_status status, const char *format, ...) TW_PRINTF(3, 4);

/* A static analyser does not look into context.c: tell it that these return the status they were given. */
#ifdef __clang_analyzer__
#define tw_fail(ctx, status, ...) ((tw_fail)(ctx, status, __VA_ARGS__), (status))
#define tw_fail_within(ctx, status, ...) ((tw_fail_within)(ctx, status, __VA_ARGS__), (status))
#endif

/* Send a message for a person to the context's log. */
void tw_log(tw_context *ctx, tw_log_level level, const char *format, ...) TW_PRINTF(3, 4);

/* Drop messages from now on, or no longer: for work whose messages were given before. */
void tw_log_mute(tw_context *ctx, bool mute);

/* TW_INTERRUPTED where the caller asks for an end: `TW_TRY(tw_poll(ctx))` once an iteration. */
tw_status tw_poll(tw_context *ctx);

/* count * size bytes, zeroed. On failure *out is NULL, ctx says how much was asked for and for `what`
 * ("the kernel matrix"), and the status is TW_NO_MEMORY. count = 0 gives a block that may not be read. */
tw_status tw_allocate(tw_context *ctx, size_t count, size_t size, const char *what, void **out);

/* A rows x columns block of doubles, zeroed. */
tw_status tw_allocate_doubles(tw_context *ctx, size_t rows, size_t columns, const char *what, double **out);

/* Free a block of this context; NULL is fine. */
void tw_release(tw_context *ctx, void *memory);

#endif
