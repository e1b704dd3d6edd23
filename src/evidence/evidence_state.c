/* evidence_state.c: the state of an evidence run in a store, between two methods or within one.
 *
 * The blocks are "methods", the estimates of finished methods, and for the current method "run", its state,
 * "run numbers", the numbers of that state, and "run before", the weights of earlier runs of AIS. The last
 * three are empty between two methods.
 */
#include <string.h>

#include "evidence/evidence_plan.h"

/* Increase FORMAT whenever a struct that is stored here changes. */
enum { FORMAT = 4, NAME_BYTES = 24 };

static const tw_store *store_of(const tw_evidence_job *j)
{
    return j->watch ? j->watch->store : NULL;
}

static tw_status refuse(const tw_evidence_job *j)
{
    return tw_fail(j->plan->ctx, TW_BAD_DATA, "the saved state of this run is damaged: start again");
}

/* The blocks "methods" and "run" begin with their format. */
static tw_status check_format(const tw_evidence_job *j, size_t there, const void *block)
{
    uint64_t format = 0;
    if (there >= sizeof format) memcpy(&format, block, sizeof format);
    if (format == FORMAT) return TW_OK;
    return tw_fail(j->plan->ctx, TW_BAD_DATA,
                   "the saved state of this run has format %llu, but talweg %s reads format %d: start again",
                   (unsigned long long)format, tw_version(), FORMAT);
}

/* Get a block that must have `bytes` bytes; *out is NULL if there is none. */
static tw_status get(const tw_evidence_job *j, const char *name, size_t bytes, const void **out)
{
    size_t there = 0;
    const tw_store *store = store_of(j);
    *out = store ? store->get(store->user, name, &there) : NULL;
    if (there == 0) *out = NULL;
    if (!*out) return TW_OK;
    TW_TRY(check_format(j, there, *out));
    return there == bytes ? TW_OK : refuse(j);
}

static const double *get_numbers(const tw_evidence_job *j, const char *name, size_t *count)
{
    const tw_store *store = store_of(j);
    const double *numbers = store->get(store->user, name, count);
    *count /= sizeof *numbers;
    return numbers;
}

/* ---- finished methods ---- */

typedef struct kept_methods {
    uint64_t format;
    unsigned finished;
    size_t count;
    tw_estimate estimate[TW_MOST_ESTIMATES];    /* without the pointer to the name, */
    char method[TW_MOST_ESTIMATES][NAME_BYTES]; /* which is here */
    double seconds[TW_MOST_ESTIMATES], cpu_seconds[TW_MOST_ESTIMATES];
    double needed;
    bool tempered;
    tw_pt_report tempering;
} kept_methods;

void tw_evidence_store_methods(const tw_evidence_job *j)
{
    const tw_evidence_result *r = j->out;
    const tw_store *store = store_of(j);
    kept_methods kept;
    if (!store) return;
    memset(&kept, 0, sizeof kept);
    kept.format = FORMAT;
    kept.finished = j->finished;
    kept.count = r->count;
    kept.needed = r->needed;
    kept.tempered = r->tempered;
    kept.tempering = r->tempering;
    for (size_t i = 0; i < r->count; i++) {
        kept.estimate[i] = r->estimate[i];
        kept.estimate[i].method = NULL;
        strncpy(kept.method[i], r->estimate[i].method, NAME_BYTES - 1);
        kept.seconds[i] = r->seconds[i];
        kept.cpu_seconds[i] = r->cpu_seconds[i];
    }
    store->put(store->user, "methods", sizeof kept, &kept);
    store->put(store->user, "run", 0, NULL);
    store->put(store->user, "run numbers", 0, NULL);
    store->put(store->user, "run before", 0, NULL);
    store->commit(store->user);
}

/* The library's string for the name of an estimate's method; NULL if the name is unknown. */
static const char *name_of(const char *text)
{
    static const char *const names[] = {"ais", "ais-reverse", "stepping-stone", "thermodynamic",
                                        "resample-move"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strncmp(names[k], text, NAME_BYTES) == 0) return names[k];
    return NULL;
}

/* The largest number of estimates of these methods, two for each. The check by it ensures that the estimates
 * of the remaining methods fit into the result. */
static size_t most_estimates(unsigned finished)
{
    size_t most = 0;
    for (; finished; finished >>= 1) most += finished & 1u ? 2 : 0;
    return most < TW_MOST_ESTIMATES ? most : TW_MOST_ESTIMATES;
}

tw_status tw_evidence_resume(tw_evidence_job *j)
{
    tw_evidence_result *r = j->out;
    const void *block = NULL;
    TW_TRY(get(j, "methods", sizeof(kept_methods), &block));
    const kept_methods *kept = block;
    if (!kept) return TW_OK;
    if (kept->count > most_estimates(kept->finished)) return refuse(j);
    j->finished = kept->finished;
    r->count = kept->count;
    for (size_t i = 0; i < r->count; i++) {
        r->estimate[i] = kept->estimate[i];
        r->estimate[i].method = name_of(kept->method[i]);
        r->seconds[i] = kept->seconds[i];
        r->cpu_seconds[i] = kept->cpu_seconds[i];
        if (!r->estimate[i].method) return refuse(j);
    }
    r->needed = kept->needed;
    r->tempered = kept->tempered;
    r->tempering = kept->tempering;
    return TW_OK;
}

/* ---- the current method ---- */

typedef struct kept_run {
    uint64_t format;
    char method[NAME_BYTES];
    double seconds, cpu_seconds;
    bool second_run;
    size_t effort;
    union {
        tw_ais_state ais;
        tw_pt_state pt;
        tw_rm_state rm;
    } state; /* without its arrays, which are separate blocks */
} kept_run;

static bool wants_state(void *user)
{
    const tw_store *store = store_of(user);
    return store->is_due(store->user);
}

/* A block with everything except the state. */
static kept_run describe_run(const tw_evidence_job *j)
{
    kept_run kept;
    memset(&kept, 0, sizeof kept);
    kept.format = FORMAT;
    kept.seconds = tw_wall_seconds() - j->start;
    kept.cpu_seconds = tw_cpu_seconds() - j->cpu;
    kept.second_run = j->second_run;
    kept.effort = j->effort;
    strncpy(kept.method, j->method, NAME_BYTES - 1);
    return kept;
}

static void put(const tw_evidence_job *j, const kept_run *kept, size_t count, const double *numbers,
                size_t before, const double *before_weight)
{
    const tw_store *store = store_of(j);
    store->put(store->user, "run", sizeof *kept, kept);
    store->put(store->user, "run numbers", count * sizeof *numbers, numbers);
    store->put(store->user, "run before", before * sizeof *before_weight, before_weight);
    store->commit(store->user);
}

static void keep_ais(void *user, const tw_ais_state *state)
{
    kept_run kept = describe_run(user);
    kept.state.ais = *state;
    kept.state.ais.numbers = kept.state.ais.before_weight = NULL;
    put(user, &kept, state->count, state->numbers, state->before, state->before_weight);
}

static void keep_pt(void *user, const tw_pt_state *state)
{
    kept_run kept = describe_run(user);
    kept.state.pt = *state;
    kept.state.pt.numbers = NULL;
    put(user, &kept, state->count, state->numbers, 0, NULL);
}

static void keep_rm(void *user, const tw_rm_state *state)
{
    kept_run kept = describe_run(user);
    kept.state.rm = *state;
    kept.state.rm.numbers = NULL;
    put(user, &kept, state->count, state->numbers, 0, NULL);
}

/* Get the stored state of the current method and add its times; *out is NULL if there is none. */
static tw_status resume_run(tw_evidence_job *j, const kept_run **out)
{
    const void *block = NULL;
    TW_TRY(get(j, "run", sizeof(kept_run), &block));
    const kept_run *kept = *out = block;
    if (!kept || strncmp(kept->method, j->method, NAME_BYTES) != 0) {
        *out = NULL;
        return TW_OK;
    }
    j->start -= kept->seconds;
    j->cpu -= kept->cpu_seconds;
    j->second_run = kept->second_run;
    j->effort = kept->effort;
    return TW_OK;
}

/* Get a block of `want` numbers. */
static tw_status resume_numbers(const tw_evidence_job *j, const char *name, size_t want, const double **out)
{
    size_t count = 0;
    *out = get_numbers(j, name, &count);
    return count == want ? TW_OK : refuse(j);
}

/* Set the callbacks that store the state; the options of the three methods have the same members. */
#define ASK_FOR_STATES(j, o, keep) ((o)->user = (j), (o)->wants_state = wants_state, (o)->on_state = (keep))

tw_status tw_evidence_store_ais(tw_evidence_job *j, tw_ais_options *o)
{
    const kept_run *kept = NULL;
    if (!store_of(j)) return TW_OK;
    ASK_FOR_STATES(j, o, keep_ais);
    TW_TRY(resume_run(j, &kept));
    if (!kept) return TW_OK;
    tw_ais_state *state = &j->resume.ais;
    *state = kept->state.ais;
    o->resume = state;
    TW_TRY(resume_numbers(j, "run before", state->before, &state->before_weight));
    return resume_numbers(j, "run numbers", state->count, &state->numbers);
}

tw_status tw_evidence_store_pt(tw_evidence_job *j, tw_pt_options *o)
{
    const kept_run *kept = NULL;
    if (!store_of(j)) return TW_OK;
    ASK_FOR_STATES(j, o, keep_pt);
    TW_TRY(resume_run(j, &kept));
    if (!kept) return TW_OK;
    j->resume.pt = kept->state.pt;
    o->resume = &j->resume.pt;
    return resume_numbers(j, "run numbers", j->resume.pt.count, &j->resume.pt.numbers);
}

tw_status tw_evidence_store_rm(tw_evidence_job *j, tw_rm_options *o)
{
    const kept_run *kept = NULL;
    if (!store_of(j)) return TW_OK;
    ASK_FOR_STATES(j, o, keep_rm);
    TW_TRY(resume_run(j, &kept));
    if (!kept) return TW_OK;
    j->resume.rm = kept->state.rm;
    o->resume = &j->resume.rm;
    return resume_numbers(j, "run numbers", j->resume.rm.count, &j->resume.rm.numbers);
}
