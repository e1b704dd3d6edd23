/* evidence_methods.c: the methods of talweg evidence: annealed importance sampling up and down the path,
 * parallel tempering, resample-move; each with a goal for its standard error where one is given.
 *
 * Annealed importance sampling adds particles to those it has. The other two are run once to see how much the
 * goal takes, the error falling like 1 / sqrt(effort), and then once more, with that effort and other random
 * numbers: only the last run counts, so that looking at the first does not bias it.
 */
#include <math.h>
#include <string.h>

#include "cli/evidence_save.h"
#include "cli/interrupt.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "talweg/base.h"

static const double safety = 1.5; /* an error from 16 islands is good to a fifth, and there is no third run */
static const double most_effort = 64.0; /* of a second run, over the first */

/* ---- progress --------------------------------------------------------------------------------------------
 */

typedef struct watcher {
    const char *method;
    const char *stage; /* of the run, as the library calls it */
    char name[64];     /* of the stage, for people */
    tw_meter meter;
    bool quiet;
} watcher;

static watcher make_watcher(const tw_evidence_options *options, const char *name)
{
    return (watcher){.method = name, .stage = "", .quiet = options->output.quiet};
}

static bool watch(void *user, const tw_evidence_progress *p)
{
    watcher *w = user;
    if (strcmp(p->stage, w->stage) != 0) {
        bool itself = strcmp(p->stage, "run") == 0;
        tw_meter_end(&w->meter);
        w->stage = p->stage;
        snprintf(w->name, sizeof w->name, "%s%s%s", w->method, itself ? "" : ", ", itself ? "" : p->stage);
        tw_meter_begin(&w->meter, w->quiet, w->name, p->unit);
    }
    tw_meter_view view = TW_METER_COUNT(p->done, p->total);
    view.acceptance = p->acceptance;
    view.log_z = p->log_z;
    view.se = p->se;
    view.part = p->part;
    tw_meter_show(&w->meter, view);
    return tw_interrupt_seen();
}

/* `count` estimates have been written behind those that are there: keep them, unless the run was stopped. */
static void keep(tw_evidence_results *r, size_t count, double start, double cpu)
{
    for (size_t i = 0; i < count && r->estimate[r->count].particles; i++) {
        r->seconds[r->count] = tw_terminal_seconds() - start;
        r->cpu_seconds[r->count++] = tw_terminal_cpu_seconds() - cpu;
    }
}

/* Particles that --until-se may use. */
static size_t most_particles(const tw_evidence_options *options)
{
    return options->max_particles ? (size_t)options->max_particles
                                  : (size_t)(most_effort * (double)options->path.particles);
}

/* How much more effort the goal takes than what gave this error; at most `most`. */
static double factor_for(const tw_evidence_options *options, double se, double most)
{
    double factor = safety * pow(se / options->until_se, 2.0);
    return isfinite(factor) && factor > 1.0 ? fmin(factor, most) : 1.0;
}

/* ---- methods ---------------------------------------------------------------------------------------------
 */

static tw_status run_ais(const tw_evidence_options *options, bool reverse, tw_evidence_results *r)
{
    const tw_path *p = &r->path;
    tw_estimate *out = &r->estimate[r->count];
    double needed = 0.0;
    watcher w = make_watcher(options, reverse ? "ais-reverse" : "ais");
    tw_ais_options ais = p->ais;
    tw_run_saver saver;
    ais.reverse = reverse;
    tw_evidence_save_ais(&saver, r, w.method, &ais);
    bool once = isnan(options->until_se);
    tw_status status = once ? tw_ais_run(p->model, p->reference, &ais, watch, &w, NULL, out)
                            : tw_ais_until(p->model, p->reference, &ais, options->until_se,
                                           most_particles(options), watch, &w, out, &needed);
    tw_meter_end(&w.meter);
    r->needed = fmax(r->needed, needed);
    if (status == TW_OK) keep(r, 1, saver.start, saver.cpu);
    return status;
}

static tw_status run_ais_forward(const tw_evidence_options *options, tw_evidence_results *r)
{
    return run_ais(options, false, r);
}

static tw_status run_ais_reverse(const tw_evidence_options *options, tw_evidence_results *r)
{
    return run_ais(options, true, r);
}

/* Towards a goal: what the second run of these two has, which is known after the first; 0: there is none. */
static size_t second_effort(const tw_evidence_options *options, const tw_estimate *first, size_t effort,
                            double most)
{
    double factor = first->particles ? factor_for(options, first->se, most) : 1.0;
    return factor > 1.0 ? (size_t)ceil(factor * (double)effort) : 0;
}

static tw_status run_rm(const tw_evidence_options *options, tw_evidence_results *r)
{
    const tw_path *p = &r->path;
    tw_estimate *out = &r->estimate[r->count];
    tw_status status = TW_OK;
    tw_run_saver saver;
    watcher w = make_watcher(options, "rm");
    tw_rm_options rm = tw_path_rm_options(p);
    tw_evidence_save_rm(&saver, r, &rm);
    if (!saver.again) {
        status = tw_rm_run(p->model, p->reference, &rm, watch, &w, out);
        double most = (double)most_particles(options) / (double)rm.particles;
        if (status == TW_OK) saver.effort = second_effort(options, out, rm.particles, most);
        rm.resume = NULL;
    }
    if (saver.effort > 0) {
        saver.again = true;
        rm.particles = saver.effort;
        rm.first_chain = TW_STREAMS_SECOND_RUN;
        status = tw_rm_run(p->model, p->reference, &rm, watch, &w, out);
    }
    tw_meter_end(&w.meter);
    if (!isnan(options->until_se))
        r->needed = fmax(r->needed, (double)rm.particles * pow(out->se / options->until_se, 2.0));
    if (status == TW_OK) keep(r, 1, saver.start, saver.cpu);
    return status;
}

static tw_pt_options tempering_options(const tw_evidence_options *options, const tw_path *p)
{
    tw_pt_options pt = TW_PT_DEFAULTS;
    pt.kernel = p->ais.kernel;
    pt.copies = (size_t)options->copies;
    pt.rounds = pt.warmup = (size_t)options->rounds;
    pt.moves = p->ais.moves;
    pt.eps = p->ais.eps;
    pt.leapfrog_steps = p->ais.leapfrog_steps;
    pt.seed = p->ais.seed;
    if (p->own_schedule) pt.steps = p->temperatures, pt.beta = p->beta;
    return pt;
}

/* From the prior the ladder is geometric, and longer; it is tuned to equal swap rates in either case. */
enum { PRIOR_LADDER = 40 };

static tw_status run_pt(const tw_evidence_options *options, tw_evidence_results *r)
{
    const tw_path *p = &r->path;
    double ladder[PRIOR_LADDER + 1];
    tw_status status = TW_OK;
    tw_run_saver saver;
    watcher w = make_watcher(options, "pt");
    tw_pt_options pt = tempering_options(options, p);
    tw_estimate *out = &r->estimate[r->count];
    if (!pt.beta && strcmp(p->from, "prior") == 0) {
        pt.steps = PRIOR_LADDER;
        pt.beta = ladder;
        TW_TRY(tw_schedule_fill(p->ctx, p->kind, pt.steps, p->beta_min, ladder));
    }
    tw_evidence_save_pt(&saver, r, &pt);
    if (!saver.again) {
        status = tw_pt_run(p->model, p->reference, &pt, watch, &w, out, &r->tempering);
        if (status == TW_OK) saver.effort = second_effort(options, out, pt.rounds, most_effort);
        pt.resume = NULL;
    }
    if (saver.effort > 0) {
        saver.again = true;
        pt.rounds = saver.effort;
        pt.first_chain = TW_STREAMS_SECOND_RUN;
        status = tw_pt_run(p->model, p->reference, &pt, watch, &w, out, &r->tempering);
    }
    tw_meter_end(&w.meter);
    r->tempered = status == TW_OK && out->particles;
    if (status == TW_OK) keep(r, 2, saver.start, saver.cpu);
    return status;
}

/* ---- their names -----------------------------------------------------------------------------------------
 */

typedef struct method {
    const char *name;
    tw_status (*run)(const tw_evidence_options *options, tw_evidence_results *r);
} method;

static const method methods[] = {
    {"ais", run_ais_forward}, {"ais-reverse", run_ais_reverse}, {"pt", run_pt}, {"rm", run_rm}};

const char *tw_evidence_method_names(void)
{
    return "ais, ais-reverse, pt, rm";
}

/* The method named by the text up to the next comma, behind which *text moves; NULL: there is none. */
static const method *next_method(const char **text, char name[TW_NAME_BYTES])
{
    size_t length = strcspn(*text, ",");
    snprintf(name, TW_NAME_BYTES, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == ',');
    for (size_t i = 0; i < TW_COUNT(methods); i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

tw_status tw_evidence_check_methods(tw_context *ctx, const char *text)
{
    char name[TW_NAME_BYTES], nearest[TW_NAME_BYTES];
    bool named[TW_COUNT(methods)] = {false}, more = true;
    while (more) {
        more = strchr(text, ',') != NULL;
        const method *next = next_method(&text, name);
        if (!next) {
            tw_nearest_name(name, tw_evidence_method_names(), nearest);
            return tw_fail(ctx, TW_BAD_ARGUMENT, "there is no method \"%s\"%s%s%s; there are: %s", name,
                           *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "",
                           tw_evidence_method_names());
        }
        if (named[next - methods]) return tw_fail(ctx, TW_BAD_ARGUMENT, "--method names %s twice", name);
        named[next - methods] = true;
    }
    return TW_OK;
}

tw_status tw_evidence_run_methods(const tw_evidence_options *options, tw_evidence_results *r)
{
    char name[TW_NAME_BYTES];
    for (const char *text = options->methods; *text && !tw_interrupt_seen();) {
        const method *next = next_method(&text, name);
        unsigned bit = 1u << (next - methods);
        if (r->finished & bit) continue;
        TW_TRY(next->run(options, r));
        if (tw_interrupt_seen()) break;
        r->finished |= bit;
        tw_evidence_save(r);
    }
    return TW_OK;
}
