/* sampling_state.c: the state of a sampling run in a store, as blocks of bytes:
 *   "choice": the choice of the sampler, with the reasons for skipping candidates and the winner's head start;
 *   "pilot": the positions of the head start;
 *   "chains": the state of the run;
 *   "columns": the state of the sampler;
 *   "x": the positions, by which the program checks that a file of draws belongs to this state.
 * The draws so far are not in the store: on_draw has passed them to the caller. */
#include <stdio.h>
#include <string.h>

#include "sample/sampling_plan.h"

static tw_status damaged(const tw_sampling_plan *plan)
{
    return tw_fail(
        plan->ctx, TW_BAD_DATA,
        "the saved state of this run is damaged or was written by another build of talweg: start again");
}

/* Get the block of this name; *out is NULL if there is none. A block of another size than `bytes` is refused: were it
 * taken for none, the run would start again and overwrite the draws so far. */
static tw_status get(const tw_sampling_plan *plan, const tw_store *store, const char *name, size_t bytes,
                     const void **out)
{
    size_t there = 0;
    *out = store ? store->get(store->user, name, &there) : NULL;
    return !*out || there == bytes ? TW_OK : damaged(plan);
}

/* ---- the choice ---- */

typedef struct kept_choice {
    tw_choice choice;
    char reason[TW_AUTO_MAX_CANDIDATES][TW_REASON_BYTES];
    tw_head_start head;
    size_t positions; /* numbers in "pilot"; 0: no head start */
} kept_choice;

static size_t positions_of(const tw_sampling_plan *plan)
{
    return tw_model_describe(plan->posterior.model).n * plan->chains;
}

void tw_sampling_put_choice(const tw_store *store, const tw_sampling_plan *plan)
{
    kept_choice kept;
    if (!store) return;
    memset(&kept, 0, sizeof kept);
    kept.choice = plan->choice;
    for (size_t k = 0; k < plan->choice.count; k++) {
        snprintf(kept.reason[k], TW_REASON_BYTES, "%s", plan->choice.candidates[k].reason);
        kept.choice.candidates[k].reason = NULL;
    }
    kept.head = plan->head;
    kept.head.ctx = NULL;
    kept.head.x = NULL;
    if (plan->head.x) kept.positions = positions_of(plan);
    store->put(store->user, "choice", sizeof kept, &kept);
    if (plan->head.x) store->put(store->user, "pilot", kept.positions * sizeof(double), plan->head.x);
    store->commit(store->user);
}

/* Are the numbers of methods and metrics valid? Their names are looked up by these numbers. */
static bool is_choice(const tw_choice *c)
{
    bool is = c->count <= TW_AUTO_MAX_CANDIDATES && c->best < c->count;
    for (size_t k = 0; is && k < c->count; k++)
        is = tw_method_takes(c->candidates[k].method, c->candidates[k].metric);
    return is;
}

/* Restore the positions at the end of the winner's pilot run. */
static tw_status get_head(const tw_store *store, const kept_choice *kept, tw_sampling_plan *plan)
{
    const void *x;
    if (kept->positions == 0) return TW_OK;
    TW_TRY(get(plan, store, "pilot", kept->positions * sizeof(double), &x));
    if (!x || kept->positions != positions_of(plan)) return damaged(plan);
    plan->head = kept->head;
    plan->head.ctx = plan->ctx;
    TW_TRY(tw_allocate_doubles(plan->ctx, kept->positions, 1, "where the pilot ended", &plan->head.x));
    memcpy(plan->head.x, x, kept->positions * sizeof *plan->head.x);
    return TW_OK;
}

tw_status tw_sampling_get_choice(const tw_store *store, tw_sampling_plan *plan, bool *found)
{
    const void *block;
    TW_TRY(get(plan, store, "choice", sizeof(kept_choice), &block));
    const kept_choice *kept = block;
    *found = kept;
    if (!kept) return TW_OK;
    if (!is_choice(&kept->choice)) return damaged(plan);
    plan->choice = kept->choice;
    memcpy(plan->reason, kept->reason, sizeof plan->reason);
    for (size_t k = 0; k < TW_AUTO_MAX_CANDIDATES; k++) {
        plan->reason[k][TW_REASON_BYTES - 1] = '\0';
        plan->choice.candidates[k].reason = plan->reason[k];
    }
    return get_head(store, kept, plan);
}

/* ---- the chains ---- */

typedef struct kept_chains {
    tw_chains_state state;
    double warmup_seconds, sampling_seconds;
    size_t positions; /* numbers in "x" */
} kept_chains;

void tw_sampling_put_chains(void *job, const tw_chains_state *state)
{
    const tw_sampling_job *j = job;
    const tw_store *store = j->watch->store;
    kept_chains kept;
    memset(&kept, 0, sizeof kept);
    kept.state = *state;
    kept.state.numbers = kept.state.x = NULL;
    kept.warmup_seconds = j->warm - j->start;
    kept.sampling_seconds = tw_wall_seconds() - j->warm;
    kept.positions = positions_of(j->plan);
    store->put(store->user, "chains", sizeof kept, &kept);
    store->put(store->user, "columns", state->count * sizeof *state->numbers, state->numbers);
    store->put(store->user, "x", kept.positions * sizeof *state->x, state->x);
    store->commit(store->user);
}

tw_status tw_sampling_get_chains(const tw_store *store, tw_sampling_plan *plan)
{
    const void *block, *columns, *x;
    TW_TRY(get(plan, store, "chains", sizeof(kept_chains), &block));
    const kept_chains *kept = block;
    if (!kept) return TW_OK;
    TW_TRY(get(plan, store, "columns", kept->state.count * sizeof(double), &columns));
    TW_TRY(get(plan, store, "x", kept->positions * sizeof(double), &x));
    if (!columns || !x || kept->positions != positions_of(plan)) return damaged(plan);
    plan->earlier = kept->state;
    plan->earlier.numbers = columns;
    plan->earlier.x = x;
    plan->earlier_warmup = kept->warmup_seconds;
    plan->earlier_sampling = kept->sampling_seconds;
    return TW_OK;
}
