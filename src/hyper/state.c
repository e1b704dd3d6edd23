/* state.c: save and restore the state of a run over unknown parameters.
 *
 * After a row of points (one of each scramble), the rest of the run depends only on the proposal, which the
 * set-up recomputes from the seed. So the state consists of the points so far, with their weights and
 * particles. Point i of a scramble does not depend on the total number of points, so a run may be continued
 * to more points than first requested. */
#include <string.h>

#include "base/team.h"
#include "hyper/hyper.h"

typedef struct kept {
    uint64_t points, unknown, latents, kept, scrambles;
    uint64_t started[TW_HYPER_STARTS];
    tw_hyper_sums sums;
} kept;

static void put(const tw_store *store, const char *name, size_t count, const double *numbers)
{
    store->put(store->user, name, count * sizeof *numbers, numbers);
}

static bool is_due(void *user)
{
    const tw_store *store = user;
    return store->is_due(store->user);
}

void tw_hyper_save(const tw_hyper *h, const tw_hyper_sums *sums)
{
    const tw_store *store = h->o->store;
    const tw_hyper_result *r = h->result;
    if (!store || !tw_team_ask(h->ctx, is_due, (void *)store) || !tw_team_reports(h->ctx)) return;
    kept k = {.points = r->points,
              .unknown = r->unknown,
              .latents = r->n,
              .kept = r->x ? r->kept : 0,
              .scrambles = r->scrambles,
              .sums = *sums};
    for (size_t i = 0; i < TW_HYPER_STARTS; i++) k.started[i] = r->started[i];
    store->put(store->user, "points", sizeof k, &k);
    put(store, "theta", r->unknown * r->points, r->theta);
    put(store, "log z", r->points, r->log_z);
    put(store, "log weight", r->points, r->log_weight);
    if (r->x) put(store, "particles", r->n * r->kept * r->points, r->x);
    if (r->x) put(store, "log density", r->kept * r->points, r->log_density);
    store->commit(store->user);
}

static tw_status fail(const tw_hyper *h, const char *what)
{
    return tw_fail(h->ctx, TW_BAD_DATA, "the saved state does not fit this run: %s", what);
}

/* Restore `each` numbers of every point. */
static tw_status take(const tw_hyper *h, const char *name, size_t each, const kept *k, double *to)
{
    size_t bytes = 0;
    const double *from = h->o->store->get(h->o->store->user, name, &bytes);
    if (!from || bytes != each * k->points * sizeof *from) return fail(h, name);
    memcpy(to, from, bytes);
    return TW_OK;
}

static tw_status check(const tw_hyper *h, const kept *k)
{
    const tw_hyper_result *r = h->result;
    bool same = k->unknown == r->unknown && k->latents == r->n && k->scrambles == r->scrambles &&
                k->kept == (r->x ? r->kept : 0);
    if (!same || k->points % k->scrambles != 0 || k->points > UINT32_MAX) return fail(h, "its sizes");
    return TW_OK;
}

/* The counts `started` refer to all saved points together; therefore a run of fewer points than were saved
 * starts again. */
tw_status tw_hyper_restore(tw_hyper *h, size_t most, tw_hyper_sums *sums, double *theta)
{
    tw_hyper_result *r = h->result;
    size_t bytes = 0;
    const kept *k = h->o->store ? h->o->store->get(h->o->store->user, "points", &bytes) : NULL;
    if (!k) return TW_OK;
    if (bytes != sizeof *k) return fail(h, "points");
    TW_TRY(check(h, k));
    if (k->points > most) return TW_OK;
    TW_TRY(take(h, "theta", r->unknown, k, theta));
    TW_TRY(take(h, "log z", 1, k, r->log_z));
    TW_TRY(take(h, "log weight", 1, k, r->log_weight));
    if (r->x) TW_TRY(take(h, "particles", r->n * r->kept, k, r->x));
    if (r->x) TW_TRY(take(h, "log density", r->kept, k, r->log_density));
    for (size_t i = 0; i < TW_HYPER_STARTS; i++) r->started[i] = k->started[i];
    r->points = k->points;
    *sums = k->sums;
    return TW_OK;
}
