/* pt_judge.c: the estimates of parallel tempering, with errors that include what all copies have in common.
 *
 * Jackknife errors come from the differences between copies. They do not show what all copies have in common:
 * a start that is not forgotten, or a part of the posterior that no copy has visited. Three signs of this are
 * checked:
 *   - few round trips. At b = 0 a replica is drawn anew, so after a round trip it has forgotten the start of
 *     the run. With less than one trip for each copy nothing shows that the start is forgotten;
 *   - a drift: log Z of the second half of the rounds differs from that of the first. The difference has its
 *     own jackknife error, as a copy is in both halves, and is beyond chance if it exceeds beyond_chance
 *     times that error;
 *   - an integral that differs from the bridges of the same draws: then R has so heavy a tail that its
 *     moments are not reliable, or the temperatures are too far apart for the quadrature.
 * Each sign becomes part of the error. The difference between integral and bridges always is part of the
 * integral's error: they share draws, so they differ by much less than their errors if the quadrature is
 * good. An estimate with an error above 10 nats is withheld.
 */
#include <math.h>

#include "evidence/pt.h"

static const double beyond_chance = 3.5;  /* exceeded by chance in one run of 700, with 32 copies */
static const double largest_error = 10.0; /* nats */
static const double least_trips = 1.0;    /* per copy */

/* log Z of the second half minus that of the first. `work` holds 7 * groups numbers. */
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

/* The integral minus the bridges, with its error: that of the jackknife and of the discretisation. `bridge`
 * and `integral` hold the values without each group. */
static tw_log_z apart_of(const tw_ladder_draws *all, double difference, double discretisation,
                         const double *bridge, double *integral)
{
    for (size_t g = 0; g < tw_ladder_groups(all); g++) integral[g] -= bridge[g];
    return (tw_log_z){difference, hypot(tw_ladder_se(all, integral), discretisation)};
}

/* A difference between two values of log Z, or 0 if chance or rounding explain it. If R is constant, as for a
 * Gaussian likelihood whose path starts at its posterior, the error is 0 and rounding makes differences of
 * about 1e-11. The limit of 1e-9 is far above that and far below any error that matters. */
static double beyond(tw_log_z difference, double log_z)
{
    double rounding = 1e-9 * fmax(1.0, fabs(log_z));
    return fabs(difference.value) <= beyond_chance * difference.se + rounding ? 0.0 : difference.value;
}

/* Add the signs to the error of an estimate: what is beyond chance of the drift, the difference between
 * integral and bridges and, if there are few round trips, the whole drift and the difference between forward
 * and reverse. */
static void judge(tw_estimate *e, tw_log_z drift, tw_log_z apart, double one_sided)
{
    e->drift = beyond(drift, e->log_z);
    e->apart = beyond(apart, e->log_z);
    e->se = hypot(e->se, hypot(e->drift, apart.value));
    if (e->trips < least_trips) e->se = hypot(e->se, hypot(drift.value, one_sided));
    if (e->se <= largest_error) return;
    e->log_z = e->se = NAN;
}

/* ---- both estimates ---- */

typedef struct parts {
    tw_log_z bridge, forward, reverse, drift, apart;
    tw_thermodynamic integral;
} parts;

/* `mean` holds levels numbers, `work` levels * (3 groups + 3) + 9 groups. */
static parts compute_parts(const tw_ladder_draws *d, double *mean, double *work)
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
    parts p = compute_parts(&draws, mean, work);
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
