/* evidence_save.c: see evidence_save.h. Blocks: "methods" for what is done; for the one on its way "run", its state,
 * "run numbers" and "run before" (AIS: the weights of the runs before it), all of them empty where there is none. */
#include "cli/evidence_save.h"

#include <string.h>

#include "cli/terminal.h"

/* ---- methods that are done ---- */

typedef struct kept_methods {
    unsigned finished;
    size_t count;
    tw_estimate estimate[TW_MOST_ESTIMATES]; /* their names are found by their places in this: */
    char method[TW_MOST_ESTIMATES][24];
    double seconds[TW_MOST_ESTIMATES], cpu_seconds[TW_MOST_ESTIMATES];
    double needed;
    bool tempered;
    tw_pt_report tempering;
} kept_methods;

void tw_evidence_save(tw_evidence_results *r)
{
    kept_methods kept = {.finished = r->finished, .count = r->count, .needed = r->needed};
    for (size_t i = 0; i < r->count; i++) {
        kept.estimate[i] = r->estimate[i];
        kept.estimate[i].method = NULL;
        snprintf(kept.method[i], sizeof kept.method[i], "%s", r->estimate[i].method);
        kept.seconds[i] = r->seconds[i];
        kept.cpu_seconds[i] = r->cpu_seconds[i];
    }
    kept.tempered = r->tempered;
    kept.tempering = r->tempering;
    tw_saver_put(&r->saver, "methods", sizeof kept, &kept);
    tw_saver_put(&r->saver, "run", 0, NULL);
    tw_saver_put(&r->saver, "run numbers", 0, NULL);
    tw_saver_put(&r->saver, "run before", 0, NULL);
    tw_saver_write(&r->saver);
}

/* The library's own word for a method. */
static const char *name_of(const char *text)
{
    static const char *const names[] = {"ais", "ais-reverse", "stepping-stone", "thermodynamic",
                                        "resample-move"};
    for (size_t k = 0; k < TW_COUNT(names); k++)
        if (strcmp(names[k], text) == 0) return names[k];
    return "";
}

/* Each method has two at most, so that those still to come find room. */
static size_t most_estimates(unsigned finished)
{
    size_t most = 0;
    for (; finished; finished >>= 1) most += finished & 1u ? 2 : 0;
    return most < TW_MOST_ESTIMATES ? most : TW_MOST_ESTIMATES;
}

void tw_evidence_take_up(tw_evidence_results *r)
{
    const kept_methods *kept = tw_saver_get(&r->saver, "methods", sizeof *kept);
    if (!kept || kept->count > most_estimates(kept->finished)) return;
    r->finished = kept->finished;
    r->count = kept->count;
    for (size_t i = 0; i < r->count; i++) {
        r->estimate[i] = kept->estimate[i];
        r->estimate[i].method = name_of(kept->method[i]);
        r->seconds[i] = kept->seconds[i];
        r->cpu_seconds[i] = kept->cpu_seconds[i];
    }
    r->needed = kept->needed;
    r->tempered = kept->tempered;
    r->tempering = kept->tempering;
}

/* ---- a method on its way ---- */

typedef struct kept_run {
    char method[24];
    double seconds, cpu_seconds;
    bool again;
    size_t effort;
    union {
        tw_ais_state ais;
        tw_pt_state pt;
        tw_rm_state rm;
    } state; /* without its numbers, which are blocks of their own */
} kept_run;

static bool wants_state(void *user)
{
    const tw_run_saver *s = user;
    return tw_saver_is_due(s->saver);
}

/* All but the state. */
static kept_run about(const tw_run_saver *s)
{
    kept_run kept;
    memset(&kept, 0, sizeof kept);
    kept.seconds = tw_terminal_seconds() - s->start;
    kept.cpu_seconds = tw_terminal_cpu_seconds() - s->cpu;
    kept.again = s->again;
    kept.effort = s->effort;
    snprintf(kept.method, sizeof kept.method, "%s", s->method);
    return kept;
}

static void put(tw_run_saver *s, const kept_run *kept, size_t count, const double *numbers)
{
    tw_saver_put(s->saver, "run", sizeof *kept, kept);
    tw_saver_put(s->saver, "run numbers", count * sizeof *numbers, numbers);
}

static void keep_ais(void *user, const tw_ais_state *state)
{
    tw_run_saver *s = user;
    kept_run kept = about(s);
    kept.state.ais = *state;
    kept.state.ais.numbers = kept.state.ais.before_weight = NULL;
    put(s, &kept, state->count, state->numbers);
    tw_saver_put(s->saver, "run before", state->before * sizeof *state->before_weight, state->before_weight);
    tw_saver_write(s->saver);
}

static void keep_pt(void *user, const tw_pt_state *state)
{
    tw_run_saver *s = user;
    kept_run kept = about(s);
    kept.state.pt = *state;
    kept.state.pt.numbers = NULL;
    put(s, &kept, state->count, state->numbers);
    tw_saver_write(s->saver);
}

static void keep_rm(void *user, const tw_rm_state *state)
{
    tw_run_saver *s = user;
    kept_run kept = about(s);
    kept.state.rm = *state;
    kept.state.rm.numbers = NULL;
    put(s, &kept, state->count, state->numbers);
    tw_saver_write(s->saver);
}

/* Begin; what an earlier part of this method kept, with its numbers, or NULL. */
static const kept_run *begin(tw_run_saver *s, tw_evidence_results *r, const char *method, size_t *count,
                             const double **numbers)
{
    memset(s, 0, sizeof *s);
    s->saver = &r->saver;
    s->method = method;
    s->start = tw_terminal_seconds();
    s->cpu = tw_terminal_cpu_seconds();
    const kept_run *kept = tw_saver_get(s->saver, "run", sizeof *kept);
    *numbers = tw_saver_get_numbers(s->saver, "run numbers", count);
    if (!kept || strcmp(kept->method, method) != 0) return NULL;
    return kept;
}

/* It is gone on with. */
static void take_up(tw_run_saver *s, const kept_run *kept)
{
    s->start -= kept->seconds;
    s->cpu -= kept->cpu_seconds;
    s->again = kept->again;
    s->effort = kept->effort;
}

void tw_evidence_save_ais(tw_run_saver *s, tw_evidence_results *r, const char *method,
                          tw_ais_options *options)
{
    size_t count = 0, before = 0;
    const double *numbers = NULL;
    const kept_run *kept = begin(s, r, method, &count, &numbers);
    if (!r->saver.path) return;
    options->user = s;
    options->wants_state = wants_state;
    options->on_state = keep_ais;
    const double *before_weight = tw_saver_get_numbers(s->saver, "run before", &before);
    if (!kept || count != kept->state.ais.count || before != kept->state.ais.before) return;
    s->state.ais = kept->state.ais;
    s->state.ais.numbers = numbers;
    s->state.ais.before_weight = before_weight;
    take_up(s, kept);
    options->resume = &s->state.ais;
}

void tw_evidence_save_pt(tw_run_saver *s, tw_evidence_results *r, tw_pt_options *options)
{
    size_t count = 0;
    const double *numbers = NULL;
    const kept_run *kept = begin(s, r, "pt", &count, &numbers);
    if (!r->saver.path) return;
    options->user = s;
    options->wants_state = wants_state;
    options->on_state = keep_pt;
    if (!kept || count != kept->state.pt.count) return;
    s->state.pt = kept->state.pt;
    s->state.pt.numbers = numbers;
    take_up(s, kept);
    options->resume = &s->state.pt;
}

void tw_evidence_save_rm(tw_run_saver *s, tw_evidence_results *r, tw_rm_options *options)
{
    size_t count = 0;
    const double *numbers = NULL;
    const kept_run *kept = begin(s, r, "rm", &count, &numbers);
    if (!r->saver.path) return;
    options->user = s;
    options->wants_state = wants_state;
    options->on_state = keep_rm;
    if (!kept || count != kept->state.rm.count) return;
    s->state.rm = kept->state.rm;
    s->state.rm.numbers = numbers;
    take_up(s, kept);
    options->resume = &s->state.rm;
}
