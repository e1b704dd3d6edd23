/* evidence_run.c: run the methods of a plan one after the other, each until it reaches the goal for its
 * standard error, if there is one.
 *
 * With a goal, annealed importance sampling adds particles. The other methods run once to estimate the effort
 * that the goal needs, as the error decreases like 1 / sqrt(effort), and then once more with that effort and
 * other random numbers. Only the last run counts, so that the first does not bias it.
 */
#include <math.h>

#include "evidence/evidence_plan.h"

/* The effort of a second run is larger by this factor than estimated: an error from 16 islands is itself
 * known to a fifth, and there is no third run. */
static const double safety = 1.5;
static const double most_effort = 64.0; /* largest ratio of the rounds of parallel tempering's two runs */

/* ---- common to all methods ---- */

/* Add the name of the method to a progress report. */
static bool relay(void *user, const tw_progress *progress)
{
    const tw_evidence_job *j = user;
    tw_progress now = *progress;
    now.method = j->method;
    return j->watch && j->watch->progress && j->watch->progress(j->watch->user, &now);
}

/* Count `count` new estimates, which the method has written after the others, unless it was stopped. */
static void add_estimates(tw_evidence_job *j, size_t count)
{
    tw_evidence_result *r = j->out;
    r->stopped = r->estimate[r->count].particles == 0;
    for (size_t i = 0; i < count && !r->stopped; i++) {
        r->seconds[r->count] = tw_wall_seconds() - j->start;
        r->cpu_seconds[r->count++] = tw_cpu_seconds() - j->cpu;
    }
}

/* The effort of a second run, from the error of the first; 0: there is no goal, or the first run reached
 * it. */
static size_t second_effort(const tw_evidence_plan *p, const tw_estimate *first, size_t effort, double most)
{
    double factor = safety * pow(first->se / p->until_se, 2.0);
    if (p->until_se == 0.0 || first->particles == 0 || !isfinite(factor) || factor <= 1.0) return 0;
    return (size_t)ceil(fmin(factor, most) * (double)effort);
}

/* ---- methods ---- */

static tw_status run_ais(tw_evidence_job *j, bool reverse)
{
    const tw_evidence_plan *p = j->plan;
    tw_estimate *out = &j->out->estimate[j->out->count];
    tw_ais_options ais = p->ais;
    double needed = 0.0;
    ais.reverse = reverse;
    TW_TRY(tw_evidence_store_ais(j, &ais));
    TW_TRY(p->until_se == 0.0 ? tw_ais_run(p->model, p->reference, &ais, relay, j, NULL, out)
                              : tw_ais_until(p->model, p->reference, &ais, p->until_se, p->max_particles,
                                             relay, j, out, &needed));
    j->out->needed = fmax(j->out->needed, needed);
    add_estimates(j, 1);
    return TW_OK;
}

static tw_status run_rm(tw_evidence_job *j)
{
    const tw_evidence_plan *p = j->plan;
    tw_estimate *out = &j->out->estimate[j->out->count];
    tw_rm_options rm = p->rm;
    TW_TRY(tw_evidence_store_rm(j, &rm));
    if (!j->second_run) {
        TW_TRY(tw_rm_run(p->model, p->reference, &rm, relay, j, out));
        j->effort = second_effort(p, out, rm.particles, (double)p->max_particles / (double)rm.particles);
        rm.resume = NULL;
    }
    if (j->effort > 0) {
        j->second_run = true;
        rm.particles = j->effort;
        rm.first_chain += TW_STREAMS_SECOND_RUN;
        TW_TRY(tw_rm_run(p->model, p->reference, &rm, relay, j, out));
    }
    if (p->until_se > 0.0)
        j->out->needed = fmax(j->out->needed, (double)rm.particles * pow(out->se / p->until_se, 2.0));
    add_estimates(j, 1);
    return TW_OK;
}

static tw_status run_pt(tw_evidence_job *j)
{
    const tw_evidence_plan *p = j->plan;
    tw_estimate *out = &j->out->estimate[j->out->count];
    tw_pt_options pt = p->pt;
    TW_TRY(tw_evidence_store_pt(j, &pt));
    if (!j->second_run) {
        TW_TRY(tw_pt_run(p->model, p->reference, &pt, relay, j, out, &j->out->tempering));
        j->effort = second_effort(p, out, pt.rounds, most_effort);
        pt.resume = NULL;
    }
    if (j->effort > 0) {
        j->second_run = true;
        pt.rounds = j->effort;
        pt.first_chain += TW_STREAMS_SECOND_RUN;
        TW_TRY(tw_pt_run(p->model, p->reference, &pt, relay, j, out, &j->out->tempering));
    }
    j->out->tempered = out->particles > 0;
    add_estimates(j, 2);
    return TW_OK;
}

static tw_status run_method(tw_evidence_job *j, tw_evidence_method method)
{
    j->method = tw_evidence_method_name(method);
    j->start = tw_wall_seconds();
    j->cpu = tw_cpu_seconds();
    j->second_run = false;
    j->effort = 0;
    switch (method) {
    case TW_EVIDENCE_TEMPERING: return run_pt(j);
    case TW_EVIDENCE_RESAMPLE_MOVE: return run_rm(j);
    default: return run_ais(j, method == TW_EVIDENCE_REVERSE);
    }
}

tw_status tw_evidence_run(const tw_evidence_plan *plan, const tw_evidence_watch *watch,
                          tw_evidence_result *out)
{
    tw_evidence_job j = {.plan = plan, .watch = watch, .out = out};
    *out = (tw_evidence_result){.warnings = plan->warnings};
    TW_TRY(tw_evidence_resume(&j));
    for (size_t k = 0; k < plan->count && !out->stopped; k++) {
        unsigned bit = 1u << plan->method[k];
        if (j.finished & bit) continue;
        TW_TRY(run_method(&j, plan->method[k]));
        if (out->stopped) break;
        j.finished |= bit;
        tw_evidence_store_methods(&j);
    }
    tw_evidence_judge(plan, out);
    return TW_OK;
}
