/* complete.c: turn a journal into a run file.
 *
 * The journal's image is the run file without its draws. It is copied to a temporary file next to the final
 * one, the groups of the draws are added (draws.c), and the file is renamed. Only then is the journal
 * removed, so that a crash at any time leaves one or the other. A journal without final facts is from a
 * killed process; the facts that are missing then are computed from the records.
 */
#include "output/run/file.h"
#include "output/run/seal.h"
#include "sample/summarise.h"

/* ---- facts of a killed run ---- */

static void add_draw(const tw_journal *j, const tw_journal_draw *draw, tw_run_facts *facts)
{
    const tw_journal_record *records = tw_journal_records_of(draw);
    for (size_t c = 0; c < j->settings.chains; c++) {
        tw_record record = tw_journal_unpack(&records[c]);
        tw_totals_add(&facts->sampling, 1, &record);
    }
    if (facts->tuning.steps != records[0].steps && draw->index > 0) facts->tuning.jittered = true;
    facts->tuning.steps = (size_t)records[0].steps;
    facts->tuning.eps = draw->eps;
    facts->sampling_seconds = draw->seconds - facts->warmup_seconds;
}

static tw_status recover_facts(const tw_journal *j, tw_run_facts *facts)
{
    void *head = NULL;
    tw_status status = TW_OK;
    TW_TRY(tw_allocate(j->ctx, tw_journal_head_bytes(j), 1, "the records of a draw", &head));
    const tw_journal_draw *draw = head;
    facts->sampling = (tw_totals){0};
    facts->interrupted = true;
    facts->tuning.jittered = false;
    for (size_t i = 0; status == TW_OK && i < j->draws; i++) {
        status = tw_journal_read_head(j, i, head);
        if (i == 0) facts->warmup_seconds = draw->seconds;
        if (status == TW_OK) add_draw(j, draw, facts);
    }
    if (facts->sampling.transitions > 0 && facts->tuning.jittered)
        facts->tuning.steps = facts->sampling.leapfrog_steps / facts->sampling.transitions;
    tw_release(j->ctx, head);
    return status;
}

/* ---- the file ---- */

/* Read the final facts in place of the first ones, but keep their date, which all groups of the image have. */
static tw_status read_facts(const tw_journal *j, tw_facts_store *store)
{
    tw_nc_image image = {NULL, (size_t)j->facts_bytes};
    tw_facts_store last = {.facts = {.n = 0}};
    tw_nc_reader r = {j->ctx, -1};
    TW_TRY(tw_allocate(j->ctx, image.length, 1, "the facts of a run", &image.bytes));
    tw_status status = tw_journal_read_facts(j, image.bytes);
    if (status == TW_OK) status = tw_nc_open_image(&r, j->ctx, &image);
    if (status == TW_OK) status = tw_facts_get(&r, &last);
    tw_nc_close(&r);
    tw_release(j->ctx, image.bytes);
    if (status == TW_OK) {
        tw_facts_store first = *store;
        *store = last;
        tw_facts_take_date(store, &first);
        last = first;
    }
    tw_facts_release(j->ctx, &last);
    return status;
}

/* Read the image: the facts, updated, and the observations if they are needed. */
static tw_status read_image(const tw_journal *j, const char *image, tw_facts_store *store,
                            tw_observations *observed, double **block)
{
    tw_nc_reader r;
    TW_TRY(tw_nc_open(&r, j->ctx, image));
    tw_status status = tw_facts_get(&r, store);
    if (status == TW_OK && j->facts) status = read_facts(j, store);
    if (status == TW_OK && j->settings.pointwise)
        status = tw_observations_get(&r, (size_t)j->settings.n, observed, block);
    tw_nc_close(&r);
    if (status == TW_OK && !j->ended) status = recover_facts(j, &store->facts);
    store->facts.n = (size_t)j->settings.n;
    store->facts.chains = (size_t)j->settings.chains;
    store->facts.draws = j->draws;
    return status;
}

static tw_status read_rows(void *from, size_t first, size_t count, void *rows)
{
    return tw_journal_read(from, first, count, rows);
}

static tw_status read_latents(void *from, size_t first, size_t count, double *x)
{
    return tw_journal_read_latents(from, first, count, x);
}

static tw_status fill(tw_journal *j, tw_writer *writer, tw_facts_store *store, double **block)
{
    tw_observations observed = {0};
    const tw_draws_feed feed = {j, j, read_rows, read_latents};
    TW_TRY(tw_journal_copy_image(j, writer->file));
    TW_TRY(read_image(j, writer->temporary, store, &observed, block));
    return tw_draws_put(&feed, writer, &store->facts, &observed);
}

static tw_status name_journal(const tw_journal *j, tw_status status)
{
    return tw_fail_within(j->ctx, status, "the draws are safe in %.500s, but ", j->path);
}

tw_status tw_run_complete(tw_journal *j, const char *path, bool overwrite)
{
    tw_writer *writer = NULL;
    struct stat about;
    tw_facts_store store = {.facts = {.n = 0}};
    double *block = NULL;
    tw_status status = tw_run_begin(j->ctx, path, overwrite, &writer);
    if (status != TW_OK) return name_journal(j, status);
    if (fstat(j->descriptor, &about) == 0) tw_writer_keep_rights(writer, &about);
    status = fill(j, writer, &store, &block);
    tw_facts_release(j->ctx, &store);
    tw_release(j->ctx, block);
    if (status == TW_OK) status = tw_seal_put(writer);
    status = tw_writer_close(writer, status);
    if (status == TW_OK) tw_journal_remove(j);
    return status == TW_OK ? TW_OK : name_journal(j, status);
}
