/* facts.c: the facts of a run apart from its draws, as attributes of the file. A list gives the name,
 * position and kind of each. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "output/run/file.h"

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
#define TOTAL(name, kind, member)               \
    {                                           \
        name, kind, offsetof(tw_totals, member) \
    }

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
    FACT("warmup_seconds", NUMBER, warmup_seconds),
    FACT("sampling_seconds", NUMBER, sampling_seconds),
    FACT("interrupted", TRUTH, interrupted),
};

/* The totals of each stage; the name of the stage precedes theirs: warmup_transitions. */
static const fact totals_list[] = {
    TOTAL("transitions", COUNT, transitions),           TOTAL("leapfrog_steps", COUNT, leapfrog_steps),
    TOTAL("acceptance_sum", NUMBER, acceptance),        TOTAL("energy_divergence", COUNT, energy_divergence),
    TOTAL("implicit_failure", COUNT, implicit_failure), TOTAL("irreversible", COUNT, irreversible),
    TOTAL("factorisation", COUNT, factorisation),
};

/* A list of facts, the prefix of their names, and the struct that contains them. */
typedef struct fact_list {
    const fact *facts;
    size_t count;
    const char *prefix;
    size_t offset;
} fact_list;

#define LIST(list, prefix, offset)                          \
    {                                                       \
        list, sizeof(list) / sizeof *(list), prefix, offset \
    }

static const fact_list lists[] = {
    LIST(facts_list, "", 0),
    LIST(totals_list, "warmup_", offsetof(tw_run_facts, warmup_totals)),
    LIST(totals_list, "sampling_", offsetof(tw_run_facts, sampling)),
};

enum { LISTS = sizeof lists / sizeof *lists, NAME_BYTES = 64 };

/* ---- writing ---- */

static void put_fact(tw_nc_writer *w, const char *name, fact_kind kind, const void *at)
{
    const char *text = NULL;
    switch (kind) {
    case TEXT:
        memcpy(&text, at, sizeof text);
        tw_nc_put_text(w, w->file, name, text ? text : "");
        break;
    case NUMBER: tw_nc_put_number(w, w->file, name, *(const double *)at); break;
    case COUNT: tw_nc_put_count(w, w->file, name, *(const size_t *)at, NC_INT64); break;
    case SEED: tw_nc_put_count(w, w->file, name, *(const uint64_t *)at, NC_UINT64); break;
    case TRUTH: tw_nc_put_count(w, w->file, name, *(const bool *)at, NC_BYTE); break;
    }
}

void tw_facts_put(tw_nc_writer *w, const tw_run_facts *facts)
{
    tw_nc_stamp(w, w->file);
    tw_nc_put_count(w, w->file, "talweg_run_format", TW_RUN_FORMAT, NC_INT);
    for (const fact_list *list = lists; list < lists + LISTS; list++)
        for (size_t k = 0; k < list->count; k++) {
            const fact *f = &list->facts[k];
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "%s%s", list->prefix, f->name);
            put_fact(w, name, f->kind, (const char *)facts + list->offset + f->offset);
        }
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

static tw_status get_fact(const tw_nc_reader *r, const char *name, fact_kind kind, tw_facts_store *store,
                          void *at)
{
    uint64_t count = 0;
    if (kind == NUMBER) return tw_nc_number(r, r->file, name, at);
    if (kind == TEXT) {
        const char *text = NULL;
        TW_TRY(get_text(r, name, store, &text));
        memcpy(at, &text, sizeof text);
        return TW_OK;
    }
    TW_TRY(tw_nc_count(r, r->file, name, &count));
    if (kind == SEED) *(uint64_t *)at = count;
    if (kind == COUNT) *(size_t *)at = (size_t)count;
    if (kind == TRUTH) *(bool *)at = count != 0;
    return TW_OK;
}

static tw_status get_list(const tw_nc_reader *r, const fact_list *list, tw_facts_store *store)
{
    for (size_t k = 0; k < list->count; k++) {
        const fact *f = &list->facts[k];
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%s%s", list->prefix, f->name);
        TW_TRY(get_fact(r, name, f->kind, store, (char *)&store->facts + list->offset + f->offset));
    }
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
    if (format >= 1 && format <= TW_RUN_FORMAT) return TW_OK;
    return tw_fail(r->ctx, TW_BAD_DATA,
                   "attribute talweg_run_format is %llu, but this talweg (%s) reads 1 to %d",
                   (unsigned long long)format, tw_version(), TW_RUN_FORMAT);
}

tw_status tw_facts_get(const tw_nc_reader *r, tw_facts_store *store)
{
    *store = (tw_facts_store){.facts = {.n = 0}};
    TW_TRY(check_format(r));
    TW_TRY(get_text(r, "created_at", store, &store->facts.created_at));
    TW_TRY(get_text(r, "inference_library_version", store, &store->facts.version));
    for (size_t k = 0; k < LISTS; k++) TW_TRY(get_list(r, &lists[k], store));
    if (store->facts.n > 0) return TW_OK;
    return tw_fail(r->ctx, TW_BAD_DATA, "attribute n is 0: the file is damaged");
}

/* tw_facts_get reads the date as the first text. */
void tw_facts_take_date(tw_facts_store *store, tw_facts_store *from)
{
    char *date = from->text[0];
    from->facts.created_at = from->text[0] = store->text[0];
    store->facts.created_at = store->text[0] = date;
}

void tw_facts_release(tw_context *ctx, tw_facts_store *store)
{
    for (size_t k = 0; k < TW_FACTS_TEXTS; k++) tw_release(ctx, store->text[k]);
    *store = (tw_facts_store){.facts = {.n = 0}};
}

bool tw_run_has_energy(const tw_run_facts *facts)
{
    const tw_method_info *method = tw_method_find(facts->method);
    return method ? method->has_energy
                  : strcmp(facts->method, "is2") != 0 && strcmp(facts->method, "chain") != 0;
}
