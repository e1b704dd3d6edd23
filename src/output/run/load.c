/* load.c: load all draws of a run file into memory, with the sampler's record of each. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "output/run/file.h"

/* ---- records ---- */

typedef enum member_kind { REAL, COUNT, FLAG } member_kind;

static const struct {
    const char *statistic;
    member_kind kind;
    size_t offset;
} members[] = {
    {"lp", REAL, offsetof(tw_record, log_density)},
    {"acceptance_rate", REAL, offsetof(tw_record, acceptance_rate)},
    {"n_steps", COUNT, offsetof(tw_record, steps)},
    {"energy", REAL, offsetof(tw_record, energy)},
    {"energy_error", REAL, offsetof(tw_record, energy_error)},
    {"accepted", FLAG, offsetof(tw_record, accepted)},
    {"energy_divergence", FLAG, offsetof(tw_record, energy_divergence)},
    {"implicit_failure", FLAG, offsetof(tw_record, implicit_failure)},
    {"irreversible", FLAG, offsetof(tw_record, irreversible)},
    {"factorisation", FLAG, offsetof(tw_record, factorisation)},
};

enum { MEMBERS = sizeof members / sizeof *members };

static void set_member(tw_record *record, size_t k, double value)
{
    char *at = (char *)record + members[k].offset;
    bool countable = value >= 0.0 && value < 0x1p53;
    const size_t count = countable ? (size_t)value : 0;
    const bool flag = value != 0.0;
    switch (members[k].kind) {
    case REAL: memcpy(at, &value, sizeof value); break;
    case COUNT: memcpy(at, &count, sizeof count); break;
    case FLAG: memcpy(at, &flag, sizeof flag); break;
    }
}

/* The file stores chain after chain; in memory each draw has all chains together. */
static tw_status read_members(tw_run *run, tw_record *records, double *log_likelihood, double *column)
{
    const tw_run_facts *f = tw_run_describe(run);
    for (size_t k = 0; k < MEMBERS; k++) {
        TW_TRY(tw_run_read_statistic(run, members[k].statistic, column));
        for (size_t i = 0; i < f->draws; i++)
            for (size_t c = 0; c < f->chains; c++)
                set_member(&records[c + f->chains * i], k, column[i + f->draws * c]);
    }
    if (!log_likelihood) return TW_OK;
    TW_TRY(tw_run_read_statistic(run, "log_likelihood", column));
    for (size_t i = 0; i < f->draws; i++)
        for (size_t c = 0; c < f->chains; c++) log_likelihood[c + f->chains * i] = column[i + f->draws * c];
    return TW_OK;
}

tw_status tw_run_read_records(tw_run *run, tw_record *records, double *log_likelihood)
{
    const tw_run_facts *f = tw_run_describe(run);
    double *column = NULL;
    TW_TRY(tw_allocate_doubles(run->ctx, f->draws, f->chains, "a statistic of the draws", &column));
    tw_status status = read_members(run, records, log_likelihood, column);
    tw_release(run->ctx, column);
    return status;
}

/* ---- positions ---- */

static tw_status read_chain(tw_run *run, size_t chain, size_t rows, double *buffer, double *x)
{
    const tw_run_facts *f = tw_run_describe(run);
    for (size_t first = 0; first < f->draws; first += rows) {
        size_t count = f->draws - first < rows ? f->draws - first : rows;
        TW_TRY(tw_run_read_draws(run, chain, first, count, buffer));
        for (size_t i = 0; i < count; i++)
            memcpy(x + f->n * (chain + f->chains * (first + i)), buffer + f->n * i, f->n * sizeof *x);
    }
    return TW_OK;
}

static tw_status read_positions(tw_run *run, double *x)
{
    const tw_run_facts *f = tw_run_describe(run);
    size_t rows = TW_RUN_BLOCK / 4 / (f->n * sizeof *x) + 1;
    double *buffer = NULL;
    tw_status status = TW_OK;
    if (rows > f->draws) rows = f->draws;
    TW_TRY(tw_allocate_doubles(run->ctx, f->n, rows, "a buffer of draws", &buffer));
    for (size_t c = 0; status == TW_OK && c < f->chains; c++) status = read_chain(run, c, rows, buffer, x);
    tw_release(run->ctx, buffer);
    return status;
}

/* ---- the run ---- */

/* The transitions of importance sampling squared are those of HMC, and of its chains those of slice
 * sampling. */
static tw_status find_method(const tw_run *run, const char *name, tw_method *method)
{
    const char *transition = strcmp(name, "is2") == 0 ? "hmc" : strcmp(name, "chain") == 0 ? "ess" : name;
    const tw_method_info *found = tw_method_find(transition);
    if (!found) return tw_fail(run->ctx, TW_BAD_DATA, "%.1000s: unknown method \"%.60s\"", run->path, name);
    *method = found->method;
    return TW_OK;
}

/* The size of all draws may overflow size_t; the allocator then fails with a message. */
static tw_status allocate(tw_run *run, tw_draws *d)
{
    void *records = NULL;
    size_t all = d->chains <= SIZE_MAX / d->draws ? d->chains * d->draws : SIZE_MAX;
    TW_TRY(tw_allocate_doubles(run->ctx, d->n, all, "the draws", &d->x));
    TW_TRY(tw_allocate(run->ctx, all, sizeof *d->records, "the records of the draws", &records));
    d->records = records;
    return tw_allocate_doubles(run->ctx, 1, all, "the log likelihoods of the draws", &d->log_likelihood);
}

static tw_status fill(tw_run *run, tw_draws *d)
{
    const tw_run_facts *f = tw_run_describe(run);
    *d = (tw_draws){.ctx = run->ctx,
                    .n = f->n,
                    .chains = f->chains,
                    .draws = f->draws,
                    .tuning = f->tuning,
                    .warmup = f->warmup_totals,
                    .sampling = f->sampling,
                    .interrupted = f->interrupted};
    TW_TRY(tw_run_read_draws(run, 0, 0, 0, NULL)); /* fails if there are no draws */
    TW_TRY(find_method(run, f->method, &d->method));
    TW_TRY(allocate(run, d));
    TW_TRY(read_positions(run, d->x));
    return tw_run_read_records(run, d->records, d->log_likelihood);
}

tw_status tw_run_load(tw_run *run, tw_draws **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(run->ctx, 1, sizeof(tw_draws), "the draws", &memory));
    tw_draws *draws = memory;
    tw_status status = fill(run, draws);
    if (status == TW_OK)
        *out = draws;
    else
        tw_draws_free(draws);
    return status;
}
