/* crew.c: divide items among the team's members and their threads; see crew.h. */
#include "hyper/crew.h"

#include <string.h>

#include "base/parallel.h"
#include "base/team.h"

tw_status tw_crew_new(const tw_problem *problem, const tw_hyper_options *options, tw_crew **out)
{
    void *memory = NULL;
    size_t threads = tw_threads(options->threads);
    tw_status status = tw_allocate(problem->ctx, 1, sizeof(tw_crew), "workers", &memory);
    *out = NULL;
    if (status != TW_OK) return status;
    tw_crew *crew = memory;
    crew->ctx = problem->ctx;
    crew->count = threads < TW_MOST_THREADS ? threads : TW_MOST_THREADS;
    for (size_t w = 0; status == TW_OK && w < crew->count; w++) {
        status = tw_context_branch(crew->ctx, &crew->branch[w]);
        if (status != TW_OK) break;
        status = tw_place_new(crew->branch[w], problem, options, &crew->place[w]);
        if (status != TW_OK) tw_fail(crew->ctx, status, "%s", tw_context_message(crew->branch[w]));
    }
    if (status == TW_OK)
        *out = crew;
    else
        tw_crew_free(crew);
    return status;
}

void tw_crew_free(tw_crew *crew)
{
    if (!crew) return;
    tw_context *ctx = crew->ctx;
    for (size_t w = 0; w < crew->count; w++) {
        tw_place_release(&crew->place[w]);
        tw_context_free(crew->branch[w]);
    }
    tw_release(ctx, crew);
}

typedef struct job {
    tw_crew *crew;
    tw_share share;
    tw_crew_function *function;
    void *user;
    tw_status status[TW_MOST_THREADS];
} job;

/* The calling thread, worker 0, polls for interrupts. */
static tw_status poll(tw_crew *crew, const tw_place *place)
{
    if (atomic_load(&crew->over)) return TW_INTERRUPTED;
    return place == &crew->place[0] ? tw_poll(crew->ctx) : TW_OK;
}

tw_status tw_crew_tell(tw_crew *crew, const tw_place *place, const tw_watch *watch, const tw_progress *now)
{
    TW_TRY(poll(crew, place));
    if (place != &crew->place[0] || !watch->progress || !tw_team_leads(crew->ctx)) return TW_OK;
    return watch->progress(watch->user, now) ? TW_INTERRUPTED : TW_OK;
}

/* Compute one item. */
static void work(void *user, size_t piece, size_t worker)
{
    job *j = user;
    tw_crew *crew = j->crew;
    tw_status status = poll(crew, &crew->place[worker]);
    if (status == TW_OK) status = j->function(j->user, &crew->place[worker], j->share.first + piece);
    if (status == TW_OK || j->status[worker] != TW_OK) return;
    j->status[worker] = status;
    atomic_store(&crew->over, true);
}

/* The first failure, with its message; the workers that it ended are interrupted. */
static tw_status judge(const job *j)
{
    bool interrupted = false;
    for (size_t w = 0; w < j->crew->count; w++) {
        interrupted |= j->status[w] == TW_INTERRUPTED;
        if (j->status[w] == TW_OK || j->status[w] == TW_INTERRUPTED) continue;
        return tw_fail(j->crew->ctx, j->status[w], "%s", tw_context_message(j->crew->branch[w]));
    }
    return interrupted ? tw_interrupt(j->crew->ctx) : TW_OK;
}

tw_status tw_crew_work(tw_crew *crew, size_t items, tw_crew_function *function, void *user)
{
    tw_context *ctx = crew->ctx;
    job j = {.crew = crew, .share = tw_team_share(ctx, items), .function = function, .user = user};
    TW_TRY(tw_poll(ctx));
    atomic_store(&crew->over, false);
    tw_parallel_for(j.share.count, crew->count, work, &j);
    tw_status status = judge(&j);
    if (tw_team_any(ctx, status != TW_OK) && status == TW_OK)
        return tw_fail(ctx, TW_INTERRUPTED, "another member of the team failed");
    return status != TW_OK ? status : tw_team_status(ctx);
}
