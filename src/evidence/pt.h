/* pt.h: the insides of parallel tempering: the state of a run, its rounds, its ladder, its estimates. */
#ifndef TALWEG_EVIDENCE_PT_H
#define TALWEG_EVIDENCE_PT_H

#include "evidence/walk.h"
#include "sample/step_size.h"
#include "talweg/evidence.h"

/* The log odds that two neighbours exchange, from step = b_{k+1} - b_k and R at the lower and the upper one:
 * log [p_k(x') p_{k+1}(x) / (p_k(x) p_{k+1}(x'))] = (b_{k+1} - b_k) (R(x) - R(x')), x the lower state. */
double tw_pt_swap_odds(double step, double lower, double upper);

/* The outcome of a round at a level of a copy, which all members of a team receive. */
typedef struct tw_pt_outcome {
    double acceptance, failed, log_ratio;
} tw_pt_outcome;

typedef struct tw_pt {
    tw_context *ctx;
    const tw_model *model;
    const tw_reference *reference;
    const tw_pt_options *o;
    tw_watch watch;

    size_t levels, copies, batches, rounds, threads;
    size_t allocated;        /* levels at first; the warm-up may leave some out */
    tw_walk **walk;          /* one per level: `copies` columns at one temperature */
    double *beta;            /* per level */
    tw_step_tuner *tuner;    /* per level: step sizes */
    bool tuning;             /* they are tuned; else given, or frozen */
    uint64_t chain;          /* the first of its random streams */
    uint64_t round;          /* rounds done, warm-up included: they number the random streams */
    size_t move;             /* of this round */
    double *normals, *x;     /* n x copies: fresh draws at b = 0 */
    tw_status drawn;         /* whether those could be used */
    size_t stage;            /* of the warm-up: see pt_warmup.c */
    tw_pt_outcome *outcomes; /* levels x copies: see pt_team.c */
    double *trade;           /* states on their way to another member of the team, and from it */

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

/* Forget rejections, round trips and the transitions' statistics so far. Replicas go on where they are. */
void tw_pt_reset_counts(tw_pt *pt);

/* Replicas are called after the levels they are at, and have been nowhere. */
void tw_pt_name_replicas(tw_pt *pt);

/* Mean acceptance rate of the transitions since the last reset, over all levels but the lowest, whose draws are none. */
double tw_pt_acceptance(const tw_pt *pt);

/* Tell who watches; watch.stopped: it is to stop. */
void tw_pt_tell(tw_pt *pt, const char *stage, uint64_t done, uint64_t total);

/* ---- pt_warmup.c */

/* Are step sizes found in the warm-up? */
bool tw_pt_tunes_steps(const tw_pt_options *o);

/* Every level at its temperature. */
tw_status tw_pt_temper(tw_pt *pt);

/* All of the warm-up, or what is left of it. */
tw_status tw_pt_warm_up(tw_pt *pt);

/* Could a warm-up have ended, or, of those that are not over, be, after so many rounds? */
bool tw_pt_is_warmup(const tw_pt_options *o, uint64_t rounds, bool over);

/* So many levels are used from here on, and as many rounds as make the same work. */
void tw_pt_set_levels(tw_pt *pt, size_t levels);

/* ---- pt_team.c: levels and copies over the members of a team */

tw_status tw_pt_allocate_team(tw_pt *pt);

/* Share out the levels that there are. */
void tw_pt_share_out(tw_pt *pt);

/* All members know all states, as they do where levels are about to change hands. */
tw_status tw_pt_settle(tw_pt *pt);

/* Send the outcomes of this move at every level to all members. */
void tw_pt_gather_outcomes(tw_pt *pt);
const tw_pt_outcome *tw_pt_outcome_of(const tw_pt *pt, size_t level, size_t copy);

/* States that change places between two members go there. */
void tw_pt_trade(tw_pt *pt);

/* ---- pt_ladder.c */

/* A ladder of new_steps steps which, by the rejection rates (steps) seen at `beta`, all have the same share of the
 * barrier. `next` receives its new_steps + 1 temperatures; `cumulated` holds steps + 1 numbers. */
void tw_ladder_equalise(size_t steps, const double *rejection, const double *beta, size_t new_steps,
                        double *next, double *cumulated);

/* Rounds in which a replica goes from b = 0 to 1 and back, on average, where `steps` pairs share the barrier. */
double tw_ladder_trip(size_t steps, double barrier);

/* How many steps, from `least` to `most`: as many as let a replica travel in so many rounds, or, where none do, those
 * with the shortest trip. */
size_t tw_ladder_steps(size_t least, size_t most, double barrier, double rounds);

/* R at the levels of a ladder: in round t of copy c at level k it is ratio[(k copies + c) rounds + t]. Estimates use
 * the rounds first ... first + used - 1. A group is one of `batches` parts of equal length of a copy's rounds (but for a
 * round), and group g is part g % batches of copy g / batches. */
typedef struct tw_ladder_draws {
    size_t levels, copies, rounds, first, used, batches;
    const double *beta, *ratio;
} tw_ladder_draws;

size_t tw_ladder_groups(const tw_ladder_draws *draws);
const double *tw_ladder_group(const tw_ladder_draws *draws, size_t level, size_t group, size_t *length);

/* How many batches the rounds of each copy make, and how many copies are enough to make errors of. */
enum { TW_ENOUGH_COPIES = 8 };
size_t tw_ladder_batches(size_t copies, size_t rounds);

/* Rounds that so many copies need at least, for an error. */
size_t tw_ladder_least_rounds(size_t copies);

typedef struct tw_log_z {
    double value, se;
} tw_log_z;

/* For those who watch: take in R of a round that counts, and log Z by stepping stones from below so far. */
void tw_pt_running_add(tw_pt *pt);
tw_log_z tw_pt_running(const tw_pt *pt);

/* The standard error of an estimate by the jackknife, from what it is without each of the groups. With enough copies it
 * is the larger of two: groups are the batches, which are many, and the copies, which are independent however long the
 * chains remember. With few copies it is that of the batches. */
double tw_ladder_se(const tw_ladder_draws *draws, const double *without);

/* Stepping stones from below and from above. `work` holds 2 * groups numbers. */
tw_log_z tw_stepping_stone_forward(const tw_ladder_draws *draws, double *work);
tw_log_z tw_stepping_stone_reverse(const tw_ladder_draws *draws, double *work);

/* Bridged ones; without[g] receives the sum without group g. `work` holds 5 * groups numbers. */
tw_log_z tw_stepping_stone_bridge(const tw_ladder_draws *draws, double *work, double *without);

/* The first stone from below, log E_0[exp(b_1 R)]; with each group left out it is added to without[g]. `sums`
 * holds `groups` numbers. */
double tw_stepping_stone_first(const tw_ladder_draws *draws, double *sums, double *without);

/* Thermodynamic integration: its value, its error (both kinds together), and the discretisation's alone. `mean`
 * receives E_b[R] of each level, without[g] the value without group g; `work` holds levels * (3 * groups + 3) numbers. */
typedef struct tw_thermodynamic {
    double value, se, discretisation;
} tw_thermodynamic;
tw_thermodynamic tw_thermodynamic_estimate(const tw_ladder_draws *draws, double *mean, double *work,
                                           double *without);

/* ---- pt_judge.c */

/* Both estimates with errors that have in them what copies have in common, and what there is to doubt. */
tw_status tw_pt_estimate(const tw_pt *pt, tw_estimate out[2], tw_pt_report *report);

/* ---- pt_state.c: a run that goes on later */

tw_status tw_pt_allocate_state(tw_pt *pt);
void tw_pt_emit_state(tw_pt *pt);

/* Put a new run where options->resume stood. */
tw_status tw_pt_resume(tw_pt *pt);

#endif
