/* context.c: the context: allocation with counters and a limit, the last error message, log,
 * warnings, interrupt. */
#include "base/context.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/blas_threads.h"
#include "talweg/team.h"

/* AddressSanitizer knows the allocator's block, not the part of it that was asked for: closing the rest shows it what is written
 * or read there. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define close_memory(from, bytes) ASAN_POISON_MEMORY_REGION(from, bytes)
#define open_memory(from, bytes) ASAN_UNPOISON_MEMORY_REGION(from, bytes)
#else
#define close_memory(from, bytes) ((void)0)
#define open_memory(from, bytes) ((void)0)
#endif

#undef tw_fail /* base.h defines macros of these names for static analysers */
#undef tw_fail_within

enum { MESSAGE_BYTES = 2048, ALIGNMENT = 64 };

struct tw_context {
    tw_context *parent; /* also counts this context's memory; NULL: none */
    tw_allocator allocator;
    atomic_size_t in_use;
    atomic_size_t peak;
    size_t limit;
    tw_log_function *log;
    void *log_user;
    tw_warning_function *receive;
    void *receive_user;
    bool muted;
    tw_interrupt_function *interrupted;
    void *interrupt_user;
    tw_seat seat;
    struct tw_hold *holds;
    void (*release_holds)(tw_context *ctx);
    char message[MESSAGE_BYTES];
};

/* Stored in front of each aligned block: the start and the size of the allocator's block. */
typedef struct block_head {
    void *start;
    size_t bytes;
} block_head;

/* calloc, because the system provides large blocks already zeroed,
 * and pages that are never touched cost nothing. */
static void *system_allocate(void *user, size_t bytes)
{
    (void)user;
    return calloc(1, bytes);
}

static void system_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static size_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_size = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_size > 0 ? (size_t)pages * (size_t)page_size : 0;
}

tw_status tw_context_new(const tw_allocator *allocator, tw_context **out)
{
    tw_allocator system = {system_allocate, system_release, NULL};
    const tw_allocator *from = allocator ? allocator : &system;
    *out = NULL;
    tw_context *ctx = from->allocate(from->user, sizeof *ctx);
    if (!ctx) return TW_NO_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    ctx->allocator = *from;
    ctx->limit = allocator ? 0 : physical_memory();
    tw_blas_use_one_thread();
    *out = ctx;
    return TW_OK;
}

tw_status tw_context_branch(tw_context *parent, tw_context **out)
{
    if (tw_context_new(&parent->allocator, out) != TW_OK)
        return tw_fail(parent, TW_NO_MEMORY, "not enough memory for the context of a thread");
    (*out)->parent = parent;
    return TW_OK;
}

void tw_context_free(tw_context *ctx)
{
    if (!ctx) return;
    if (ctx->release_holds) ctx->release_holds(ctx);
    tw_allocator from = ctx->allocator;
    if (ctx->seat.offset) from.release(from.user, ctx->seat.offset);
    if (ctx->seat.number) from.release(from.user, ctx->seat.number);
    from.release(from.user, ctx);
}

struct tw_hold **tw_context_holds(tw_context *ctx, void (*release)(tw_context *ctx))
{
    if (release) ctx->release_holds = release;
    return &ctx->holds;
}

const char *tw_context_message(const tw_context *ctx)
{
    return ctx->message;
}

void tw_context_set_log(tw_context *ctx, tw_log_function *log, void *user)
{
    ctx->log = log;
    ctx->log_user = user;
}

void tw_context_set_interrupt(tw_context *ctx, tw_interrupt_function *interrupted, void *user)
{
    ctx->interrupted = interrupted;
    ctx->interrupt_user = user;
}

size_t tw_context_bytes_in_use(const tw_context *ctx)
{
    return atomic_load(&ctx->in_use);
}

size_t tw_context_bytes_peak(const tw_context *ctx)
{
    return atomic_load(&ctx->peak);
}

void tw_context_set_byte_limit(tw_context *ctx, size_t limit)
{
    ctx->limit = limit;
}

/* Make a message. What fills its placeholders may come from outside, so only the line ends of a format that has some
 * are kept; the caller makes the rest plain. */
static void print_message(char text[MESSAGE_BYTES], const char *format, va_list arguments) TW_PRINTF(2, 0);

static void print_message(char text[MESSAGE_BYTES], const char *format, va_list arguments)
{
    vsnprintf(text, MESSAGE_BYTES, format, arguments);
    bool lines = strchr(format, '\n') != NULL;
    for (char *end = lines ? strchr(text, '\n') : NULL; end; end = strchr(text, '\n')) {
        *end = '\0';
        tw_make_plain(text);
        *end = '\n';
        text = end + 1;
    }
    tw_make_plain(text);
}

tw_status tw_fail(tw_context *ctx, tw_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(ctx->message, format, arguments);
    va_end(arguments);
    return status;
}

tw_status tw_fail_within(tw_context *ctx, tw_status status, const char *format, ...)
{
    char inner[MESSAGE_BYTES];
    memcpy(inner, ctx->message, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    print_message(ctx->message, format, arguments);
    va_end(arguments);
    size_t length = strlen(ctx->message);
    snprintf(ctx->message + length, sizeof ctx->message - length, "%s", inner);
    return status;
}

void tw_log_mute(tw_context *ctx, bool mute)
{
    ctx->muted = mute;
}

void tw_log(tw_context *ctx, tw_log_level level, const char *format, ...)
{
    if (!ctx->log || ctx->muted) return;
    char text[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    print_message(text, format, arguments);
    va_end(arguments);
    ctx->log(ctx->log_user, level, text);
}

void tw_context_set_warn(tw_context *ctx, tw_warning_function *receive, void *user)
{
    ctx->receive = receive;
    ctx->receive_user = user;
}

void tw_warn(tw_context *ctx, const tw_warning *warning)
{
    char words[TW_WARNING_BYTES];
    if (ctx->muted) return;
    if (ctx->receive) {
        ctx->receive(ctx->receive_user, warning);
    } else if (ctx->log) {
        tw_warning_print(warning, NULL, words);
        ctx->log(ctx->log_user, TW_LOG_WARNING, words);
    }
}

tw_seat *tw_context_seat(tw_context *ctx)
{
    return &ctx->seat;
}

tw_status tw_context_set_team(tw_context *ctx, const tw_team *team)
{
    tw_seat *seat = &ctx->seat;
    const tw_allocator *from = &ctx->allocator;
    if (seat->offset) from->release(from->user, seat->offset);
    if (seat->number) from->release(from->user, seat->number);
    *seat = (tw_seat){.team = NULL};
    if (!team) return TW_OK;
    if (team->size == 0 || team->rank >= team->size)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "rank %zu is outside a team of %zu", team->rank, team->size);
    seat->offset = from->allocate(from->user, (team->size + 1) * sizeof *seat->offset);
    seat->number = from->allocate(from->user, TW_SEAT_NUMBERS * team->size * sizeof *seat->number);
    if (!seat->offset || !seat->number) return tw_fail(ctx, TW_NO_MEMORY, "not enough memory for a team");
    seat->team = team;
    return TW_OK;
}

tw_status tw_poll(tw_context *ctx)
{
    if (ctx->seat.lost != TW_OK) return ctx->seat.lost;
    return ctx->interrupted && ctx->interrupted(ctx->interrupt_user) ? tw_interrupt(ctx) : TW_OK;
}

/* Send the context's message to the rest of the team. Returns the status. */
static tw_status give_up(tw_context *ctx, tw_status status)
{
    const tw_team *team = ctx->seat.team;
    if (team) team->give_up(team->user, status, ctx->message);
    return status;
}

tw_status tw_interrupt(tw_context *ctx)
{
    return give_up(ctx, tw_fail(ctx, TW_INTERRUPTED, "interrupted"));
}

static tw_status fail_no_memory(tw_context *ctx, double bytes, const char *what)
{
    const char *unit = bytes < 1e6 ? "kB" : bytes < 1e9 ? "MB" : "GB";
    double scale = bytes < 1e6 ? 1e3 : bytes < 1e9 ? 1e6 : 1e9;
    return give_up(ctx, tw_fail(ctx, TW_NO_MEMORY, "not enough memory for %s: it needs %.1f %s", what,
                                bytes / scale, unit));
}

/* Subtract bytes in this context and its parents. */
static void count_out(tw_context *ctx, size_t bytes)
{
    for (; ctx; ctx = ctx->parent) atomic_fetch_sub(&ctx->in_use, bytes);
}

/* Add bytes in one context and update its peak. Returns false if the limit would be exceeded. */
static bool count_in_one(tw_context *ctx, size_t bytes)
{
    size_t now = atomic_fetch_add(&ctx->in_use, bytes) + bytes;
    if (ctx->limit && now > ctx->limit) {
        atomic_fetch_sub(&ctx->in_use, bytes);
        return false;
    }
    size_t peak = atomic_load(&ctx->peak);
    while (now > peak && !atomic_compare_exchange_weak(&ctx->peak, &peak, now)) {
    }
    return true;
}

/* Add bytes in a context and its parent, or in neither. */
static bool count_in(tw_context *ctx, size_t bytes)
{
    if (ctx->parent && !count_in_one(ctx->parent, bytes)) return false;
    if (count_in_one(ctx, bytes)) return true;
    count_out(ctx->parent, bytes);
    return false;
}

tw_status tw_allocate(tw_context *ctx, size_t count, size_t size, const char *what, void **out)
{
    *out = NULL;
    const size_t overhead = ALIGNMENT + sizeof(block_head);
    if (size && count > (SIZE_MAX - overhead) / size)
        return fail_no_memory(ctx, (double)count * (double)size, what);
    size_t bytes = count * size + overhead;
    if (!count_in(ctx, bytes)) return fail_no_memory(ctx, (double)bytes, what);
    char *start = ctx->allocator.allocate(ctx->allocator.user, bytes);
    if (!start) {
        count_out(ctx, bytes);
        return fail_no_memory(ctx, (double)bytes, what);
    }
    uintptr_t past_head = (uintptr_t)start + sizeof(block_head);
    size_t padding = (ALIGNMENT - past_head % ALIGNMENT) % ALIGNMENT;
    char *block = start + sizeof(block_head) + padding;
    block_head head = {start, bytes};
    memcpy(block - sizeof head, &head, sizeof head);
    if (ctx->allocator.allocate != system_allocate) memset(block, 0, count * size);
    close_memory(block + count * size, (size_t)(start + bytes - block) - count * size);
    *out = block;
    return TW_OK;
}

tw_status tw_allocate_doubles(tw_context *ctx, size_t rows, size_t columns, const char *what, double **out)
{
    void *block = NULL;
    *out = NULL;
    if (columns && rows > SIZE_MAX / columns) {
        return fail_no_memory(ctx, (double)rows * (double)columns * (double)sizeof(double), what);
    }
    TW_TRY(tw_allocate(ctx, rows * columns, sizeof(double), what, &block));
    *out = block;
    return TW_OK;
}

void tw_release_foreign(void *memory)
{
    free(memory);
}

void tw_release(tw_context *ctx, void *memory)
{
    if (!memory) return;
    block_head head;
    memcpy(&head, (char *)memory - sizeof head, sizeof head);
    count_out(ctx, head.bytes);
    open_memory(head.start, head.bytes);
    ctx->allocator.release(ctx->allocator.user, head.start);
}
