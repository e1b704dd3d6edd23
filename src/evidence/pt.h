/* pt.h: the insides of parallel tempering: the state of a run, its rounds, its ladder, its estimates. */
#ifndef TALWEG_EVIDENCE_PT_H
#define TALWEG_EVIDENCE_PT_H

#include "evidence/walk.h"
#include "sample/step_size.h"
#include "talweg/evidence.h"

/* The log odds that two neighbours exchange, from step = b_{k+1} - b_k and R at the lower and the upper one:
 * log [p_k(x') p_{k+1}(x) / (p_k(x) p_{k+1}(x'))] = (b_{k+1} - b_k) (R(x) - R(x')), x the lower state. */
double tw_pt_swap_odds(double step, double lower, double upper);

typedef struct tw_pt {
    tw_context *ctx;
    const tw_model *model;
    const tw_reference *reference;
    const tw_pt_options *o;
    tw_watch watch;

    size_t levels, copies, batches, rounds;
    tw_walk **walk;       /* one per level: `copies` columns at one temperature */
    double *beta;         /* per level */
    tw_step_tuner *tuner; /* per level: step sizes */
    bool tuning;          /* they are tuned; else given, or frozen */
    uint64_t chain;       /* the first of its random streams */
    uint64_t round;       /* rounds done, warm-up included: they number the random streams */
    double *normals, *x;  /* n x copies: fresh draws at b = 0 */
    tw_status drawn;      /* whether those could be used */

    bool *swap;        /* steps x copies: which pairs exchange in this round */
    double *rejection; /* steps: sums of rejection probabilities */
    double proposals;  /* how many there are in each */
    size_t *replica;   /* levels x copies: who is there */
    int *heading;      /* levels x copies, by replica: see pt_round.c */
    size_t round_trips;

    double *ratio;   /* levels x copies x rounds: R of every round that counts */
    size_t recorded; /* of those rounds */
    double *stone;   /* levels x copies: see pt_running.c */
    size_t counted;  /* rounds in it */
    double *state;   /* numbers of tw_pt_state; NULL: nobody asks for them */
} tw_pt;

/* One round: transitions at every level, R there, swaps of even or odd pairs. */
tw_status tw_pt_round(tw_pt *pt);

/* Forget rejections, round trips and the transitions' statistics so far. */
void tw_pt_reset_counts(tw_pt *pt);

/* Move the inner temperatures so that, by the rejection rates (steps) seen at the present ones, each pair has
 * the same share of the barrier. `cumulated` and `old` hold steps + 1 numbers each. */
void tw_ladder_equalise(size_t steps, const double *rejection, double *beta, double *cumulated, double *old);

/* R at the levels of a ladder, in groups: ratio[(k groups + g) length + t]. Groups (copies, or batches of
 * their rounds) are taken as independent. */
typedef struct tw_ladder_draws {
    size_t levels, groups, length;
    const double *beta, *ratio;
} tw_ladder_draws;

typedef struct tw_log_z {
    double value, se;
} tw_log_z;

/* For those who watch: take in R of a round that counts, and log Z by stepping stones from below so far. */
void tw_pt_running_add(tw_pt *pt);
tw_log_z tw_pt_running(const tw_pt *pt);

/* Stepping stones from below, from above, and bridged. `work` holds 6 * groups numbers. */
typedef struct tw_stepping_stone {
    tw_log_z forward, reverse, bridge;
} tw_stepping_stone;
tw_stepping_stone tw_stepping_stone_estimate(const tw_ladder_draws *draws, double *work);

/* The first stone from below, log E_0[exp(b_1 R)]; with each group left out it is added to without[g]. `sums`
 * holds `groups` numbers. */
double tw_stepping_stone_first(const tw_ladder_draws *draws, double *sums, double *without);

/* Thermodynamic integration: its value, Monte Carlo error and discretisation error. `mean` receives E_b[R] of
 * each level; `work` holds levels * (3 * groups + 3) + groups numbers. */
typedef struct tw_thermodynamic {
    double value, se, discretisation;
} tw_thermodynamic;
tw_thermodynamic tw_thermodynamic_estimate(const tw_ladder_draws *draws, double *mean, double *work);

/* The standard error by the jackknife, from the `groups` estimates that leave one group out. */
double tw_jackknife_se(size_t groups, const double *without);

/* ---- pt_state.c: a run that goes on later */

tw_status tw_pt_allocate_state(tw_pt *pt);
void tw_pt_tell_state(tw_pt *pt);

/* Put a new run where options->resume stood. */
tw_status tw_pt_take_up(tw_pt *pt);

#endif
