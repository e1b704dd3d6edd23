/* run_facts.c: what is known of a run beside its draws, as attributes of the file: one list says how each is
 * called, where it is and of which kind. */
#include <stddef.h>
#include <string.h>

#include "output/run_file.h"

typedef enum fact_kind { TEXT, NUMBER, COUNT, SEED, TRUTH } fact_kind;

typedef struct fact {
    const char *name;
    fact_kind kind;
    size_t offset;
} fact;

#define FACT(name, kind, member)                   \
    {                                              \
        name, kind, offsetof(tw_run_facts, member) \
    }
#define TOTALS(stage, member)                                              \
    FACT(stage "_transitions", COUNT, member.transitions),                 \
        FACT(stage "_leapfrog_steps", COUNT, member.leapfrog_steps),       \
        FACT(stage "_acceptance_sum", NUMBER, member.acceptance),          \
        FACT(stage "_energy_divergence", COUNT, member.energy_divergence), \
        FACT(stage "_implicit_failure", COUNT, member.implicit_failure),   \
        FACT(stage "_irreversible", COUNT, member.irreversible),           \
        FACT(stage "_factorisation", COUNT, member.factorisation)

static const fact facts_list[] = {
    FACT("data", TEXT, data),
    FACT("command", TEXT, command),
    FACT("method", TEXT, method),
    FACT("metric", TEXT, metric),
    FACT("from", TEXT, from),
    FACT("n", COUNT, n),
    FACT("chains", COUNT, chains),
    FACT("draws", COUNT, draws),
    FACT("beta", NUMBER, beta),
    FACT("warmup", COUNT, warmup),
    FACT("thin", COUNT, thin),
    FACT("seed", SEED, seed),
    FACT("step_size", NUMBER, tuning.eps),
    FACT("steps", COUNT, tuning.steps),
    FACT("steps_jittered", TRUTH, tuning.jittered),
    TOTALS("warmup", warmup_totals),
    TOTALS("sampling", sampling),
    FACT("warmup_seconds", NUMBER, warmup_seconds),
    FACT("sampling_seconds", NUMBER, sampling_seconds),
    FACT("interrupted", TRUTH, interrupted),
};

enum { FACTS = sizeof facts_list / sizeof *facts_list };

/* ---- writing ---- */

static void put_fact(tw_nc_writer *w, const fact *f, const void *at)
{
    const char *text = NULL;
    switch (f->kind) {
    case TEXT:
        memcpy(&text, at, sizeof text);
        tw_nc_put_text(w, w->file, f->name, text ? text : "");
        break;
    case NUMBER: tw_nc_put_number(w, w->file, f->name, *(const double *)at); break;
    case COUNT: tw_nc_put_count(w, w->file, f->name, *(const size_t *)at, NC_INT64); break;
    case SEED: tw_nc_put_count(w, w->file, f->name, *(const uint64_t *)at, NC_UINT64); break;
    case TRUTH: tw_nc_put_count(w, w->file, f->name, *(const bool *)at, NC_BYTE); break;
    }
}

void tw_facts_put(tw_nc_writer *w, const tw_run_facts *facts)
{
    tw_nc_stamp(w, w->file);
    tw_nc_put_count(w, w->file, "talweg_run_format", TW_RUN_FORMAT, NC_INT);
    for (size_t k = 0; k < FACTS; k++)
        put_fact(w, &facts_list[k], (const char *)facts + facts_list[k].offset);
}

/* ---- reading ---- */

static tw_status get_text(const tw_nc_reader *r, const char *name, tw_facts_store *store, const char **text)
{
    size_t k = 0;
    while (store->text[k]) k++;
    TW_TRY(tw_nc_text(r, r->file, name, &store->text[k]));
    *text = store->text[k];
    return TW_OK;
}

static tw_status get_fact(const tw_nc_reader *r, const fact *f, tw_facts_store *store, void *at)
{
    uint64_t count = 0;
    if (f->kind == NUMBER) return tw_nc_number(r, r->file, f->name, at);
    if (f->kind == TEXT) {
        const char *text = NULL;
        TW_TRY(get_text(r, f->name, store, &text));
        memcpy(at, &text, sizeof text);
        return TW_OK;
    }
    TW_TRY(tw_nc_count(r, r->file, f->name, &count));
    if (f->kind == SEED) *(uint64_t *)at = count;
    if (f->kind == COUNT) *(size_t *)at = (size_t)count;
    if (f->kind == TRUTH) *(bool *)at = count != 0;
    return TW_OK;
}

static tw_status check_format(const tw_nc_reader *r)
{
    char *library = NULL;
    uint64_t format = 0;
    tw_status status = tw_nc_text(r, r->file, "inference_library", &library);
    if (status == TW_NO_MEMORY) return status;
    bool ours = status == TW_OK && strcmp(library, "talweg") == 0 &&
                tw_nc_count(r, r->file, "talweg_run_format", &format) == TW_OK;
    tw_release(r->ctx, library);
    if (!ours)
        return tw_fail(r->ctx, TW_BAD_DATA,
                       "this NetCDF file is not a run of talweg: its attribute inference_library is not "
                       "talweg, or talweg_run_format is missing");
    if (format == TW_RUN_FORMAT) return TW_OK;
    return tw_fail(r->ctx, TW_BAD_DATA, "attribute talweg_run_format is %llu and this talweg (%s) reads %d",
                   (unsigned long long)format, tw_version(), TW_RUN_FORMAT);
}

tw_status tw_facts_get(const tw_nc_reader *r, tw_facts_store *store)
{
    *store = (tw_facts_store){.facts = {.n = 0}};
    TW_TRY(check_format(r));
    TW_TRY(get_text(r, "created_at", store, &store->facts.created_at));
    TW_TRY(get_text(r, "inference_library_version", store, &store->facts.version));
    for (size_t k = 0; k < FACTS; k++)
        TW_TRY(get_fact(r, &facts_list[k], store, (char *)&store->facts + facts_list[k].offset));
    if (store->facts.n > 0) return TW_OK;
    return tw_fail(r->ctx, TW_BAD_DATA, "attribute n is 0: the file is damaged");
}

void tw_facts_release(tw_context *ctx, tw_facts_store *store)
{
    for (size_t k = 0; k < TW_FACTS_TEXTS; k++) tw_release(ctx, store->text[k]);
    *store = (tw_facts_store){.facts = {.n = 0}};
}
