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

static tw_share share_of(size_t items, size_t rank, size_t size)
{
    size_t first = items * rank / size;
    return (tw_share){first, items * (rank + 1) / size - first};
}

bool tw_team_reports(tw_context *ctx)
{
    return tw_team_leads(ctx) && tw_team_status(ctx) == TW_OK;
}

tw_share tw_team_share(tw_context *ctx, size_t items)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    return team ? share_of(items, team->rank, team->size) : (tw_share){0, items};
}

static void lose(tw_context *ctx, tw_status status)
{
    const tw_team *team = tw_context_seat(ctx)->team;
    if (status == TW_OK) return;
    tw_context_seat(ctx)->lost = status;
    const char *why = team->reason ? team->reason(team->user) : NULL;
    tw_fail(ctx, status, "another member of the team gave up%s%s", why ? ": " : "", why ? why : "");
}

void tw_team_gather(tw_context *ctx, size_t items, size_t bytes, size_t total, void *data)
{
    const tw_seat *seat = tw_context_seat(ctx);
    if (tw_team_is_alone(ctx)) return;
    for (size_t r = 0; r <= seat->team->size; r++) {
        size_t end = share_of(items, r, seat->team->size).first * bytes;
        seat->offset[r] = end < total ? end : total;
    }
    seat->offset[seat->team->size] = total;
    lose(ctx, seat->team->gather(seat->team->user, data, seat->offset));
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

void tw_team_add(tw_context *ctx, size_t count, double *numbers)
{
    const tw_seat *seat = tw_context_seat(ctx);
    for (size_t done = 0, part; done < count && !tw_team_is_alone(ctx); done += part) {
        part = count - done < TW_SEAT_NUMBERS ? count - done : TW_SEAT_NUMBERS;
        size_t size = seat->team->size, bytes = part * sizeof *seat->number;
        memcpy(seat->number + seat->team->rank * part, numbers + done, bytes);
        tw_team_gather(ctx, size, bytes, size * bytes, seat->number);
        for (size_t k = 0; k < part && !tw_team_is_alone(ctx); k++) {
            numbers[done + k] = 0.0;
            for (size_t r = 0; r < size; r++) numbers[done + k] += seat->number[r * part + k];
        }
    }
}

bool tw_team_any(tw_context *ctx, bool mine)
{
    double count = mine;
    tw_team_add(ctx, 1, &count);
    return count > 0.0;
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
    if (status != TW_OK && team && seat->lost == TW_OK)
        team->give_up(team->user, status, tw_context_message(ctx));
    return status;
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
