/* pt_judge.c: the estimates of parallel tempering, and whether they are to be believed.
 *
 * Errors are made of how copies differ. What all copies have in common is not in them: a start that is not forgotten,
 * or a part of the posterior that nobody has been to. These are its signs:
 *   - few round trips. At b = 0 a replica is drawn afresh, so that after a round trip nothing is left of how the run
 *     began; with less than one for each copy nothing vouches for that;
 *   - a drift: log Z of the second half of the rounds is not that of the first. The difference has an error of its own,
 *     by the jackknife, since a copy is in both halves, and is beyond chance above so many of them;
 *   - an integral that the bridges between the same draws contradict: then R has a tail that moments do not bear, or the
 *     temperatures are too far apart for the rule.
 * What is found is part of the error, and that the integral is off the bridges always is: they share draws, so that
 * they differ by much less than their errors where the rule is good. Where it is above 10 nats there is no estimate.
 */
#include <math.h>

#include "evidence/pt.h"

static const double beyond_chance = 3.5; /* with 32 copies one run in 700 */
static const double largest_error = 10.0;
static const double least_trips = 1.0;

/* log Z of the second half less that of the first. `work` holds 7 * groups numbers. */
static tw_log_z drift_of(const tw_ladder_draws *all, double *work)
{
    tw_ladder_draws half = *all;
    size_t groups;
    half.used = all->used / 2;
    half.batches = all->batches > 1 ? all->batches / 2 : 1;
    groups = tw_ladder_groups(&half);
    double *first = work + 5 * groups, *second = first + groups;
    tw_log_z before = tw_stepping_stone_bridge(&half, work, first);
    half.first = all->first + all->used - half.used;
    tw_log_z after = tw_stepping_stone_bridge(&half, work, second);
    for (size_t g = 0; g < groups; g++) second[g] -= first[g];
    return (tw_log_z){after.value - before.value, tw_ladder_se(&half, second)};
}

/* The integral less the bridges; their discretisation is known. */
static tw_log_z apart_of(const tw_ladder_draws *all, double difference, double discretisation,
                         const double *bridge, double *integral)
{
    for (size_t g = 0; g < tw_ladder_groups(all); g++) integral[g] -= bridge[g];
    return (tw_log_z){difference, hypot(tw_ladder_se(all, integral), discretisation)};
}

/* What is beyond chance and rounding of a difference between two values of log Z: all of it, or nothing. Where nothing varies, as
 * for a Gaussian likelihood whose path starts at its posterior, rounding is all there is to see: differences of 1e-11 were
 * met. 1e-9 is far above that and far below any error that matters. */
static double beyond(tw_log_z difference, double log_z)
{
    double rounding = 1e-9 * fmax(1.0, fabs(log_z));
    return fabs(difference.value) <= beyond_chance * difference.se + rounding ? 0.0 : difference.value;
}

static void judge(tw_estimate *e, tw_log_z drift, tw_log_z apart, double one_sided)
{
    e->drift = beyond(drift, e->log_z);
    e->apart = beyond(apart, e->log_z);
    e->se = hypot(e->se, hypot(e->drift, apart.value));
    if (e->trips < least_trips) e->se = hypot(e->se, hypot(drift.value, one_sided));
    if (e->se <= largest_error) return;
    e->log_z = e->se = NAN;
}

/* ---- the whole ---- */

typedef struct parts {
    tw_log_z bridge, forward, reverse, drift, apart;
    tw_thermodynamic integral;
} parts;

/* `mean` holds levels numbers, `work` levels * (3 groups + 3) + 9 groups. */
static parts take(const tw_ladder_draws *d, double *mean, double *work)
{
    size_t groups = tw_ladder_groups(d);
    double *bridge = work, *integral = work + groups, *rest = work + 2 * groups;
    parts p;
    p.forward = tw_stepping_stone_forward(d, rest);
    p.reverse = tw_stepping_stone_reverse(d, rest);
    p.bridge = tw_stepping_stone_bridge(d, rest, bridge);
    p.integral = tw_thermodynamic_estimate(d, mean, rest, integral);
    p.apart = apart_of(d, p.integral.value - p.bridge.value, p.integral.discretisation, bridge, integral);
    p.drift = drift_of(d, rest);
    return p;
}

tw_status tw_pt_estimate(const tw_pt *pt, tw_estimate out[2], tw_pt_report *report)
{
    tw_ladder_draws draws = {.levels = pt->levels,
                             .copies = pt->copies,
                             .rounds = pt->rounds,
                             .used = pt->rounds,
                             .batches = pt->batches,
                             .beta = pt->beta,
                             .ratio = pt->ratio};
    size_t groups = tw_ladder_groups(&draws), needed = pt->levels * (3 * groups + 4) + 9 * groups;
    double *work = NULL;
    TW_TRY(tw_allocate_doubles(pt->ctx, needed, 1, "the estimates", &work));
    double *mean = work + (needed - pt->levels);
    parts p = take(&draws, mean, work);
    out[0].log_z = p.bridge.value;
    out[0].se = p.bridge.se;
    out[1].log_z = p.integral.value;
    out[1].se = p.integral.se;
    judge(&out[0], p.drift, (tw_log_z){0.0, 0.0}, p.forward.value - p.reverse.value);
    judge(&out[1], p.drift, p.apart, p.forward.value - p.reverse.value);
    report->forward = p.forward.value;
    report->forward_se = p.forward.se;
    report->reverse = p.reverse.value;
    report->reverse_se = p.reverse.se;
    report->drift = p.drift.value;
    report->drift_se = p.drift.se;
    report->discretisation = p.integral.discretisation;
    for (size_t k = 0; report->mean_log_ratio && k < pt->levels; k++) report->mean_log_ratio[k] = mean[k];
    tw_release(pt->ctx, work);
    return TW_OK;
}
