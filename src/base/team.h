/* team.h: divides work among the members of a context's team (talweg/team.h). A context without a team is
 * alone: it has all items, and the other functions do nothing. In a team that runs in lockstep every member
 * has all items.
 *
 * If a call fails because another member gave up, the context remembers it: later calls do nothing, and
 * tw_poll returns the status.
 */
#ifndef TALWEG_BASE_TEAM_H
#define TALWEG_BASE_TEAM_H

#include "base/context.h"
#include "talweg/team.h"

typedef struct tw_share {
    size_t first, count;
} tw_share;

/* The items of 0..items-1 that this member has: rank r has [r items / size, (r + 1) items / size). */
tw_share tw_team_share(tw_context *ctx, size_t items);

/* Every member has filled its own items; afterwards every member has all items. An item takes `bytes` bytes,
 * but the last one may be shorter: all items together take `total` bytes. */
void tw_team_gather(tw_context *ctx, size_t items, size_t bytes, size_t total, void *data);

/* Several lists of items that are divided together: item i of list `index` of `count` has number
 * i count + index among all of them. Each member's part of one list is still a contiguous range of its items. */
typedef struct tw_strand {
    size_t index, count;
} tw_strand;
tw_share tw_team_share_strand(tw_context *ctx, size_t items, tw_strand strand);
void tw_team_gather_strand(tw_context *ctx, size_t items, tw_strand strand, size_t bytes, size_t total,
                           void *data);

/* The rank that has this item under tw_team_share. */
size_t tw_team_owner(tw_context *ctx, size_t items, size_t item);

/* Can two members exchange data without the others? True without a team, where no exchange is needed. */
bool tw_team_trades(tw_context *ctx);
/* Send `mine` to the member `with` and receive `theirs` from it, `bytes` bytes each. */
void tw_team_trade(tw_context *ctx, size_t with, size_t bytes, const void *mine, void *theirs);

/* Report a failure of this member alone: the others receive the context's message. Returns the status. */
tw_status tw_team_leave(tw_context *ctx, tw_status status);

/* Memory that the members on one machine share (`common` of tw_team); NULL, with *first true, if the team has
 * none. The context does not count it. All members call tw_team_common together; each gives the memory back
 * on its own. */
tw_status tw_team_common(tw_context *ctx, size_t bytes, void **memory, bool *first);
void tw_team_give_back(tw_context *ctx, void *memory);

/* Copy rank 0's data to all members. */
void tw_team_follow(tw_context *ctx, void *data, size_t bytes);

/* Is `mine` true for any member? */
bool tw_team_any(tw_context *ctx, bool mine);

/* Must this member stop, given its own answer `mine`, in work that members do independently? If they run in
 * lockstep, rank 0's answer holds for all. */
bool tw_team_stops(tw_context *ctx, bool mine);

/* Sum each of `count` numbers over all members.
 * They must be integers, so that the sum does not depend on its order. */
void tw_team_add(tw_context *ctx, size_t count, double *numbers);

/* TW_OK, or the status of the call that failed. */
tw_status tw_team_status(tw_context *ctx);

bool tw_team_is_alone(tw_context *ctx);

/* Does this member report the team's results? The leader does unless a call has failed; gathered data are
 * incomplete after a failure. */
bool tw_team_reports(tw_context *ctx);

/* The leader's answer function(user), for all members. False if function is NULL, and after a failed call,
 * because the gathered data are then incomplete and must not be saved. */
bool tw_team_ask(tw_context *ctx, bool (*function)(void *user), void *user);

#endif
