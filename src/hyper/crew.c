/* crew.c: divide items among the team's members and their threads; see crew.h. */
#include "hyper/crew.h"

#include <stdatomic.h>
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
    atomic_bool over; /* a worker failed, or the caller interrupted */
    tw_status status[TW_MOST_THREADS];
} job;

/* Compute one item. The calling thread, worker 0, polls for interrupts. */
static void work(void *user, size_t piece, size_t worker)
{
    job *j = user;
    if (worker == 0 && j->status[0] == TW_OK) j->status[0] = tw_poll(j->crew->ctx);
    if (j->status[worker] == TW_OK && !atomic_load(&j->over))
        j->status[worker] = j->function(j->user, &j->crew->place[worker], j->share.first + piece);
    if (j->status[worker] != TW_OK) atomic_store(&j->over, true);
}

/* The first failure, with its message. */
static tw_status judge(const job *j)
{
    for (size_t w = 0; w < j->crew->count; w++) {
        if (j->status[w] == TW_OK) continue;
        if (j->status[w] == TW_INTERRUPTED) return tw_interrupt(j->crew->ctx);
        return tw_fail(j->crew->ctx, j->status[w], "%s", tw_context_message(j->crew->branch[w]));
    }
    return TW_OK;
}

tw_status tw_crew_work(tw_crew *crew, size_t items, tw_crew_function *function, void *user)
{
    tw_context *ctx = crew->ctx;
    job j = {.crew = crew, .share = tw_team_share(ctx, items), .function = function, .user = user};
    TW_TRY(tw_poll(ctx));
    atomic_init(&j.over, false);
    tw_parallel_for(j.share.count, crew->count, work, &j);
    tw_status status = judge(&j);
    if (tw_team_any(ctx, status != TW_OK) && status == TW_OK)
        return tw_fail(ctx, TW_INTERRUPTED, "another member of the team failed");
    return status != TW_OK ? status : tw_team_status(ctx);
}
