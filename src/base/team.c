/* team.c: see team.h. */
#include "base/team.h"

#include <string.h>

bool tw_team_is_alone(tw_context *ctx)
{
    const tw_seat *seat = tw_context_seat(ctx);
    return !seat->team || seat->lost != TW_OK;
}

tw_status tw_team_status(tw_context *ctx)
{
    return tw_context_seat(ctx)->lost;
}

bool tw_team_leads(tw_context *ctx)
{
    const tw_seat *seat = tw_context_seat(ctx);
    return !seat->team || seat->team->rank == 0;
}

static const tw_strand whole = {0, 1};

/* Does each do all of the work? */
static bool keeps_step(const tw_team *team)
{
    return !team || team->lockstep;
}

/* How many items of a strand stand before a number of all of them. */
static size_t items_before(tw_strand strand, size_t number)
{
    return number <= strand.index ? 0 : (number - strand.index + strand.count - 1) / strand.count;
}

static tw_share share_of(size_t items, tw_strand strand, size_t rank, size_t size)
{
    size_t all = items * strand.count, first = items_before(strand, all * rank / size);
    return (tw_share){first, items_before(strand, all * (rank + 1) / size) - first};
}

bool tw_team_reports(tw_context *ctx)
{
    return tw_team_leads(ctx) && tw_team_status(ctx) == TW_OK;
}

tw_share tw_team_share_strand(tw_context *ctx, size_t items, tw_strand strand)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    return keeps_step(team) ? (tw_share){0, items} : share_of(items, strand, team->rank, team->size);
}

tw_share tw_team_share(tw_context *ctx, size_t items)
{
    return tw_team_share_strand(ctx, items, whole);
}

size_t tw_team_owner(tw_context *ctx, size_t items, size_t item)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    size_t rank = 0;
    while (!keeps_step(team) && rank + 1 < team->size &&
           share_of(items, whole, rank + 1, team->size).first <= item)
        rank++;
    return rank;
}

static void lose(tw_context *ctx, tw_status status)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    if (status == TW_OK) return;
    tw_context_seat(ctx)->lost = status;
    const char *why = team->reason ? team->reason(team->user) : NULL;
    tw_fail(ctx, status, "another member of the team failed%s%s", why ? ": " : "", why ? why : "");
}

void tw_team_gather_strand(tw_context *ctx, size_t items, tw_strand strand, size_t bytes, size_t total,
                           void *data)
{
    const tw_seat *seat = tw_context_seat(ctx);
    if (tw_team_is_alone(ctx) || seat->team->lockstep) return;
    for (size_t r = 0; r < seat->team->size; r++) {
        size_t end = share_of(items, strand, r, seat->team->size).first * bytes;
        seat->offset[r] = end < total ? end : total;
    }
    seat->offset[seat->team->size] = total;
    lose(ctx, seat->team->gather(seat->team->user, data, seat->offset));
}

void tw_team_gather(tw_context *ctx, size_t items, size_t bytes, size_t total, void *data)
{
    tw_team_gather_strand(ctx, items, whole, bytes, total, data);
}

bool tw_team_trades(tw_context *ctx)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    return !team || team->trade;
}

void tw_team_trade(tw_context *ctx, size_t with, size_t bytes, const void *mine, void *theirs)
{
    const tw_seat *seat = tw_context_seat(ctx);
    if (!tw_team_is_alone(ctx)) lose(ctx, seat->team->trade(seat->team->user, with, bytes, mine, theirs));
}

tw_status tw_team_leave(tw_context *ctx, tw_status status)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    if (status != TW_OK && !tw_team_is_alone(ctx)) team->give_up(team->user, status, tw_context_message(ctx));
    return status;
}

tw_status tw_team_common(tw_context *ctx, size_t bytes, void **memory, bool *first)
{
    const tw_seat *seat = tw_context_seat(ctx);
    *memory = NULL;
    *first = true;
    if (tw_team_is_alone(ctx) || !seat->team->common) return seat->lost;
    lose(ctx, seat->team->common(seat->team->user, bytes, memory, first));
    return seat->lost;
}

void tw_team_give_back(tw_context *ctx, void *memory)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    if (memory && team && team->give_back) team->give_back(team->user, memory);
}

void tw_team_follow(tw_context *ctx, void *data, size_t bytes)
{
    const tw_seat *seat = tw_context_seat(ctx);
    if (!tw_team_is_alone(ctx)) lose(ctx, seat->team->broadcast(seat->team->user, data, bytes));
}

/* The numbers of every member, as many as fit a seat: those of rank r are seat->number[r count .. (r + 1) count). */
static void gather_numbers(tw_context *ctx, size_t count, const double *numbers)
{
    const tw_seat *seat = tw_context_seat(ctx);
    size_t size = seat->team->size, bytes = count * sizeof *numbers;
    memcpy(seat->number + seat->team->rank * count, numbers, bytes);
    for (size_t r = 0; r <= size; r++) seat->offset[r] = r * bytes;
    lose(ctx, seat->team->gather(seat->team->user, seat->number, seat->offset));
}

static void add_numbers(tw_context *ctx, size_t count, double *numbers)
{
    const tw_seat *seat = tw_context_seat(ctx);
    gather_numbers(ctx, count, numbers);
    for (size_t k = 0; k < count && !tw_team_is_alone(ctx); k++) {
        numbers[k] = 0.0;
        for (size_t r = 0; r < seat->team->size; r++) numbers[k] += seat->number[r * count + k];
    }
}

void tw_team_add(tw_context *ctx, size_t count, double *numbers)
{
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < TW_SEAT_NUMBERS ? count - done : TW_SEAT_NUMBERS;
        if (!tw_team_is_alone(ctx) && !tw_context_seat(ctx)->team->lockstep)
            add_numbers(ctx, part, numbers + done);
    }
}

bool tw_team_any(tw_context *ctx, bool mine)
{
    double count = mine;
    if (!tw_team_is_alone(ctx)) add_numbers(ctx, 1, &count);
    return count > 0.0;
}

bool tw_team_stops(tw_context *ctx, bool mine)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    if (team && team->lockstep) tw_team_follow(ctx, &mine, sizeof mine);
    return mine;
}

tw_status tw_team_agree(tw_context *ctx, uint64_t digest, const char *what)
{
    enum { HALVES = 2 }; /* integers that a double holds */
    const double halves[HALVES] = {(double)(digest >> 32), (double)(digest & UINT32_MAX)};
    const tw_seat *seat = tw_context_seat(ctx);
    if (tw_team_is_alone(ctx)) return seat->lost;
    gather_numbers(ctx, HALVES, halves);
    TW_TRY(seat->lost);
    for (size_t r = 1; r < seat->team->size; r++)
        if (seat->number[r * HALVES] != seat->number[0] || seat->number[r * HALVES + 1] != seat->number[1])
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "the %s of rank %zu differ from those of rank 0: all %zu ranks need the same",
                           what, r, seat->team->size);
    return TW_OK;
}

const tw_team *tw_context_team(tw_context *ctx)
{
    return tw_context_seat(ctx)->team;
}

/* Items first .. first + count - 1, outside the team. */
static tw_status compute_share(tw_context *ctx, tw_share share, tw_status (*work)(void *user, size_t item),
                               void *user)
{
    tw_seat *seat = tw_context_seat(ctx);
    const tw_team *team = seat->team;
    tw_status status = seat->lost;
    seat->team = NULL;
    for (size_t k = 0; status == TW_OK && k < share.count; k++) status = work(user, share.first + k);
    seat->team = team;
    return tw_team_leave(ctx, status);
}

tw_status tw_team_compute(tw_context *ctx, size_t items, tw_status (*work)(void *user, size_t item),
                          void *user, tw_shared_arrays arrays)
{
    TW_TRY(compute_share(ctx, tw_team_share(ctx, items), work, user));
    for (size_t k = 0; k < arrays.count; k++)
        tw_team_gather(ctx, items, arrays.bytes, items * arrays.bytes, arrays.array[k]);
    return tw_team_status(ctx);
}

bool tw_team_ask(tw_context *ctx, bool (*function)(void *user), void *user)
{
    bool answer = function && tw_team_leads(ctx) && function(user);
    tw_team_follow(ctx, &answer, sizeof answer);
    return answer && tw_team_status(ctx) == TW_OK;
}
