/* team.h: sharing out work among the members of a context's team (talweg/team.h). A context without one is alone: it
 * has all items, and the other functions do nothing.
 *
 * A call that fails, because another member gave up, is remembered: later calls do nothing, and tw_poll says so.
 */
#ifndef TALWEG_BASE_TEAM_H
#define TALWEG_BASE_TEAM_H

#include "base/context.h"
#include "talweg/team.h"

typedef struct tw_share {
    size_t first, count;
} tw_share;

/* The items of this member, of 0..items-1: rank r has [r items / size, (r + 1) items / size). */
tw_share tw_team_share(tw_context *ctx, size_t items);

/* Each has filled its own items, of `bytes` each but for the last, which ends with `total` bytes: now all have all. */
void tw_team_gather(tw_context *ctx, size_t items, size_t bytes, size_t total, void *data);

/* Several lists of items that are shared out together: item i of list `index` of `count` is number i count + index of all
 * of them. The members' parts of one list are its items in order, too. */
typedef struct tw_strand {
    size_t index, count;
} tw_strand;
tw_share tw_team_share_strand(tw_context *ctx, size_t items, tw_strand strand);
void tw_team_gather_strand(tw_context *ctx, size_t items, tw_strand strand, size_t bytes, size_t total,
                           void *data);

/* Who has an item of those that tw_team_share shares out? */
size_t tw_team_owner(tw_context *ctx, size_t items, size_t item);

/* Can two members exchange what they have, without the others? One that is alone never has to. */
bool tw_team_trades(tw_context *ctx);
void tw_team_trade(tw_context *ctx, size_t with, size_t bytes, const void *mine, void *theirs);

/* A failure of this member alone: the others receive the message of the context. Returns the status. */
tw_status tw_team_leave(tw_context *ctx, tw_status status);

/* Memory that the members on one machine have in common (tw_team's common): NULL, with *first true, where there is none. It is
 * not counted in the context. All members call it together; giving back is each member's own affair. */
tw_status tw_team_common(tw_context *ctx, size_t bytes, void **memory, bool *first);
void tw_team_give_back(tw_context *ctx, void *memory);

/* What rank 0 says, all say. */
void tw_team_follow(tw_context *ctx, void *data, size_t bytes);

/* Does any member say so? */
bool tw_team_any(tw_context *ctx, bool mine);

/* In a part that members do each for itself, is this one to stop, who says `mine`? Where they run in lockstep, all do what
 * rank 0 says. */
bool tw_team_stops(tw_context *ctx, bool mine);

/* Sums over members of `count` numbers that are integers, so that no order matters. */
void tw_team_add(tw_context *ctx, size_t count, double *numbers);

/* TW_OK, or that of a call that failed. */
tw_status tw_team_status(tw_context *ctx);

bool tw_team_is_alone(tw_context *ctx);

/* Does this member report what the team has? The leader does, while no call has failed: what was handed round is
 * incomplete after that. */
bool tw_team_reports(tw_context *ctx);

/* An answer of the leader's: function(user), false where function is NULL, and after a call that failed: what the team
 * has is incomplete then, and no state to keep. */
bool tw_team_ask(tw_context *ctx, bool (*function)(void *user), void *user);

#endif
