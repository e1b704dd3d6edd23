/* evidence_judge.c: judge the estimates of a run: is each of them usable, do they agree, and is the goal
 * reached? */
#include <float.h>
#include <math.h>
#include <string.h>

#include "evidence/evidence_plan.h"
#include "model/model.h"

static const double high_failures = 0.01; /* fraction of failed transitions that raises a warning */

static void warn(tw_evidence_result *r, size_t i, tw_warning_code code, double first, double second,
                 double third)
{
    tw_warning warning = {
        .code = code, .number = {first, second, third}, .index = i, .name = r->estimate[i].method};
    tw_warnings_add(&r->warnings, &warning);
}

static bool is_thermodynamic(const tw_estimate *e)
{
    return strcmp(e->method, "thermodynamic") == 0;
}

/* An estimate that is not finite, or whose weights collapsed, is a numerical failure. Thermodynamic
 * integration may have no number: then the stepping-stone estimate of the same run decides. */
static void judge_estimate(tw_evidence_result *r, size_t i)
{
    const tw_estimate *e = &r->estimate[i];
    bool no_number = !isfinite(e->log_z) && isnan(e->weight_ess) && !is_thermodynamic(e);
    bool collapsed = !isnan(e->weight_ess) && (!isfinite(e->log_z) || e->weight_ess < 2.0);
    if (no_number) warn(r, i, TW_WARN_NO_NUMBER, 0.0, 0.0, 0.0);
    if (collapsed)
        warn(r, i, TW_WARN_COLLAPSED, e->weight_ess, (double)e->particles, (double)e->temperatures);
    if (no_number || collapsed) r->verdict = TW_NUMERICAL_FAILURE;
    if (e->failures > high_failures) warn(r, i, TW_WARN_FAILURES, 100.0 * e->failures, 0.0, 0.0);
}

/* The goal does not apply to thermodynamic integration: part of its error does not fall with more draws. */
static void judge_goal(const tw_evidence_plan *p, tw_evidence_result *r)
{
    double worst = 0.0;
    for (size_t i = 0; i < r->count; i++)
        if (!is_thermodynamic(&r->estimate[i])) worst = fmax(worst, r->estimate[i].se);
    if (p->until_se == 0.0 || !(worst > p->until_se)) return;
    if (r->verdict == TW_OK) r->verdict = TW_NOT_CONVERGED;
    tw_warnings_add(&r->warnings,
                    &(tw_warning){.code = TW_WARN_GOAL, .number = {worst, p->until_se, r->needed}});
}

static void judge_agreement(tw_evidence_result *r)
{
    const tw_agreement *a = &r->agreement;
    const tw_estimate *first = &r->estimate[a->first], *second = &r->estimate[a->second];
    tw_warning warning = {.code = TW_WARN_DISAGREE,
                          .number = {a->difference, a->worst, TW_AGREEMENT_LIMIT},
                          .name = first->method,
                          .other = second->method};
    if (a->known && !a->agree) tw_warnings_add(&r->warnings, &warning);
}

/* The ratio of a path from q is a sum of log p(y_n | x_n) - log t_n(x_n), and log t_n is as large as nu_n x_n. */
static double rounding_of_ratio(const tw_approximation *q)
{
    double sum = 0.0;
    for (size_t i = 0; i < q->n; i++) sum += fabs(q->nu[i] * q->mean[i]);
    return DBL_EPSILON * sum;
}

/* All estimates rest on determinants of the prior and of q, whose rounding errors no agreement shows. A path
 * from the prior rests on its factor. */
static void judge_rounding(const tw_evidence_plan *p, tw_evidence_result *r)
{
    const tw_gaussian *prior = p->model->prior;
    const tw_approximation *q = p->fits.gaussian;
    bool from_prior = p->reference->kind == TW_REFERENCE_PRIOR;
    double rounding = q ? q->rounding : 0.0;
    if (q && !from_prior) rounding += rounding_of_ratio(q);
    if (from_prior) rounding = fmax(rounding, 0.5 * fmax(prior->rounding, fabs(prior->off)));
    if (!(rounding > TW_EP_ROUNDING)) return;
    tw_warnings_add(&r->warnings,
                    &(tw_warning){.code = TW_WARN_ROUNDING, .number = {rounding}, .name = "all methods"});
    if (rounding <= TW_MOST_ROUNDING) return;
    for (size_t i = 0; i < r->count; i++) r->estimate[i].log_z = NAN;
    r->agreement.known = r->agreement.agree = false;
    r->verdict = TW_NUMERICAL_FAILURE;
}

void tw_evidence_judge(const tw_evidence_plan *plan, tw_evidence_result *r)
{
    r->agreement = tw_evidence_agree(r->count, r->estimate);
    /* All estimates start at one mode and may miss another, so their agreement shows nothing. */
    if (plan->one_mode && r->agreement.agree) {
        r->agreement.one_mode = true;
        r->agreement.known = r->agreement.agree = false;
    }
    r->verdict = TW_OK;
    if (r->stopped) tw_warnings_add(&r->warnings, &(tw_warning){.code = TW_WARN_INTERRUPTED_METHODS});
    for (size_t i = 0; i < r->count; i++) judge_estimate(r, i);
    judge_goal(plan, r);
    judge_agreement(r);
    judge_rounding(plan, r);
}
