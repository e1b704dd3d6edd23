/* evidence_save.c: see evidence_save.h. Blocks: "methods" for what is done; "ais", "ais numbers" and "ais before" for
 * a run of AIS, all of them empty where there is none. */
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
    tw_saver_put(&r->saver, "ais", 0, NULL);
    tw_saver_put(&r->saver, "ais numbers", 0, NULL);
    tw_saver_put(&r->saver, "ais before", 0, NULL);
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

void tw_evidence_take_up(tw_evidence_results *r)
{
    const kept_methods *kept = tw_saver_get(&r->saver, "methods", sizeof *kept);
    if (!kept || kept->count > TW_MOST_ESTIMATES) return;
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

/* ---- AIS on its way ---- */

typedef struct kept_ais {
    char method[24];
    double seconds, cpu_seconds;
    tw_ais_state state;
} kept_ais;

static bool wants_state(void *user)
{
    const tw_ais_saver *s = user;
    return tw_saver_is_due(s->saver);
}

static void keep_state(void *user, const tw_ais_state *state)
{
    tw_ais_saver *s = user;
    kept_ais kept = {.seconds = tw_terminal_seconds() - s->start,
                     .cpu_seconds = tw_terminal_cpu_seconds() - s->cpu,
                     .state = *state};
    snprintf(kept.method, sizeof kept.method, "%s", s->method);
    kept.state.numbers = kept.state.before_weight = NULL;
    tw_saver_put(s->saver, "ais", sizeof kept, &kept);
    tw_saver_put(s->saver, "ais numbers", state->count * sizeof *state->numbers, state->numbers);
    tw_saver_put(s->saver, "ais before", state->before * sizeof *state->before_weight, state->before_weight);
    tw_saver_write(s->saver);
}

void tw_evidence_save_ais(tw_ais_saver *s, tw_evidence_results *r, const char *method,
                          tw_ais_options *options)
{
    *s = (tw_ais_saver){&r->saver, method, tw_terminal_seconds(), tw_terminal_cpu_seconds(), {0}};
    if (!r->saver.path) return;
    size_t numbers = 0, before = 0;
    options->user = s;
    options->wants_state = wants_state;
    options->on_state = keep_state;
    const kept_ais *kept = tw_saver_get(s->saver, "ais", sizeof *kept);
    if (!kept || strcmp(kept->method, method) != 0) return;
    s->state = kept->state;
    s->state.numbers = tw_saver_get_numbers(s->saver, "ais numbers", &numbers);
    s->state.before_weight = tw_saver_get_numbers(s->saver, "ais before", &before);
    if (numbers != s->state.count || before != s->state.before) return;
    s->start -= kept->seconds;
    s->cpu -= kept->cpu_seconds;
    options->resume = &s->state;
}
