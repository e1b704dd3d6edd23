/* pt.h: a run of parallel tempering, for the files that implement it: rounds, warm-up, ladder, team,
 * estimates, state. */
#ifndef TALWEG_EVIDENCE_PT_H
#define TALWEG_EVIDENCE_PT_H

#include "evidence/walk.h"
#include "sample/step_size.h"
#include "talweg/evidence.h"

/* The log of the Metropolis ratio of a swap of two neighbours, from step = b_{k+1} - b_k and R of the lower
 * state x and the upper state x': log [p_k(x') p_{k+1}(x) / (p_k(x) p_{k+1}(x'))] = (b_{k+1} - b_k) (R(x) -
 * R(x')). */
double tw_pt_swap_odds(double step, double lower, double upper);

/* The outcome of a move at one level of one copy; all members of a team receive it. */
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
    size_t allocated;        /* levels at the start; the warm-up may remove some */
    tw_walk **walk;          /* one per level: `copies` columns at one temperature */
    double *beta;            /* per level */
    tw_step_tuner *tuner;    /* per level: step sizes */
    bool tuning;             /* step sizes are being tuned; otherwise they are given or frozen */
    uint64_t chain;          /* the first chain of its random streams */
    uint64_t round;          /* rounds so far, warm-up included; random numbers are functions of it */
    size_t move;             /* the current move of this round */
    double *normals, *x;     /* r x copies and n x copies: new draws at b = 0 */
    tw_status drawn;         /* TW_OK if these have a finite density */
    size_t stage;            /* of the warm-up: see pt_warmup.c */
    tw_pt_outcome *outcomes; /* levels x copies: see pt_team.c */
    double *trade;           /* states to send to another member of the team, and states received */

    bool *swap;        /* steps x copies: does the pair exchange in this round? */
    double *rejection; /* steps: sums of rejection probabilities */
    double proposals;  /* the number of terms in each sum */
    size_t *replica;   /* levels x copies: the replica at this level */
    int *heading;      /* levels x copies, indexed by replica: see pt_round.c */
    size_t round_trips;

    double *ratio;   /* levels x copies x rounds: R of every round after warm-up */
    size_t recorded; /* the number of those rounds so far */
    double *stone;   /* levels x copies: see pt_running.c */
    size_t counted;  /* rounds in it */
    double *state;   /* numbers of tw_pt_state; NULL: not requested */
} tw_pt;

/* One round: transitions at every level, then swaps of even or odd pairs. */
tw_status tw_pt_round(tw_pt *pt);

/* Set the sums of rejections, round trips and transitions to zero. Replicas keep their positions and
 * headings. */
void tw_pt_reset_counts(tw_pt *pt);

/* Number the replicas by their current levels, without a heading. */
void tw_pt_reset_replicas(tw_pt *pt);

/* The mean acceptance rate of the transitions since the last reset, over all levels except the lowest, which
 * has none. */
double tw_pt_acceptance(const tw_pt *pt);

/* Report progress; sets watch.stopped if the run is to stop. */
void tw_pt_tell(tw_pt *pt, const char *stage, uint64_t done, uint64_t total);

/* ---- pt_warmup.c */

/* Does the warm-up tune step sizes? */
bool tw_pt_tunes_steps(const tw_pt_options *o);

/* Set every level to its temperature. */
tw_status tw_pt_temper(tw_pt *pt);

/* Run the warm-up, or the rest of it in a resumed run. */
tw_status tw_pt_warm_up(tw_pt *pt);

/* Is this a possible number of warm-up rounds: of a warm-up that is over, or of one in progress? */
bool tw_pt_is_warmup(const tw_pt_options *o, uint64_t rounds, bool over);

/* Use this many levels from now on, with as many rounds as give the same total work. */
void tw_pt_set_levels(tw_pt *pt, size_t levels);

/* ---- pt_team.c: levels and copies over the members of a team */

tw_status tw_pt_allocate_team(tw_pt *pt);

/* Distribute the current levels over the members. */
void tw_pt_distribute(tw_pt *pt);

/* Send all states to all members, before levels are distributed anew. */
tw_status tw_pt_share_states(tw_pt *pt);

/* Send the outcomes of this move at every level to all members. */
void tw_pt_gather_outcomes(tw_pt *pt);
const tw_pt_outcome *tw_pt_outcome_of(const tw_pt *pt, size_t level, size_t copy);

/* Exchange the states of swaps between levels of two members. */
void tw_pt_trade(tw_pt *pt);

/* ---- pt_ladder.c */

/* A ladder of new_steps steps with equal parts of the barrier, by the rejection rates (steps) measured at
 * `beta`. `next` receives its new_steps + 1 temperatures; `cumulated` holds steps + 1 numbers. */
void tw_ladder_equalise(size_t steps, const double *rejection, const double *beta, size_t new_steps,
                        double *next, double *cumulated);

/* The mean number of rounds of a replica's round trip from b = 0 to 1 and back, if `steps` pairs share the
 * barrier equally. */
double tw_ladder_trip(size_t steps, double barrier);

/* The largest number of steps, from `least` to `most`, for which a round trip takes at most `rounds` rounds;
 * if there is none, the number with the shortest trip. */
size_t tw_ladder_steps(size_t least, size_t most, double barrier, double rounds);

/* ---- pt_groups.c */

/* R at the levels of a ladder: ratio[(k copies + c) rounds + t] in round t of copy c at level k. Estimates
 * use the rounds first ... first + used - 1. Each copy's rounds are divided into `batches` groups, whose
 * lengths differ by at most one; group g is batch g % batches of copy g / batches. */
typedef struct tw_ladder_draws {
    size_t levels, copies, rounds, first, used, batches;
    const double *beta, *ratio;
} tw_ladder_draws;

/* The number of groups, and the R of one group at a level. */
size_t tw_ladder_groups(const tw_ladder_draws *draws);
const double *tw_ladder_group(const tw_ladder_draws *draws, size_t level, size_t group, size_t *length);

/* The number of batches of each copy. With fewer than TW_ENOUGH_COPIES copies errors come from batches
 * alone. */
enum { TW_ENOUGH_COPIES = 8 };
size_t tw_ladder_batches(size_t copies, size_t rounds);

/* The smallest number of rounds with which this many copies give an error. */
size_t tw_ladder_least_rounds(size_t copies);

/* The jackknife standard error of an estimate, from its values without each group. With enough copies it is
 * the larger of two errors: with batches as groups, which are many, and with copies as groups, which are
 * independent for any autocorrelation time. With few copies it is that of the batches. */
double tw_ladder_se(const tw_ladder_draws *draws, const double *without);

/* ---- pt_running.c: log Z in progress reports, by forward stepping stones */

typedef struct tw_log_z {
    double value, se;
} tw_log_z;

/* Add R of a round after warm-up. */
void tw_pt_running_add(tw_pt *pt);
tw_log_z tw_pt_running(const tw_pt *pt);

/* ---- pt_estimate.c */

/* Forward and reverse stepping stones. `work` holds 2 * groups numbers. */
tw_log_z tw_stepping_stone_forward(const tw_ladder_draws *draws, double *work);
tw_log_z tw_stepping_stone_reverse(const tw_ladder_draws *draws, double *work);

/* Bridged stepping stones; without[g] receives the estimate without group g. `work` holds 5 * groups
 * numbers. */
tw_log_z tw_stepping_stone_bridge(const tw_ladder_draws *draws, double *work, double *without);

/* The first forward stepping stone, log E_0[exp(b_1 R)]; its value without group g is added to without[g].
 * `sums` holds `groups` numbers. */
double tw_stepping_stone_first(const tw_ladder_draws *draws, double *sums, double *without);

/* ---- pt_thermodynamic.c */

/* Thermodynamic integration: its value, its total standard error, and the discretisation error, which is part
 * of it. `mean` receives E_b[R] of each level, without[g] the value without group g; `work` holds levels * (3
 * * groups + 3) numbers. */
typedef struct tw_thermodynamic {
    double value, se, discretisation;
} tw_thermodynamic;
tw_thermodynamic tw_thermodynamic_estimate(const tw_ladder_draws *draws, double *mean, double *work,
                                           double *without);

/* ---- pt_judge.c */

/* Both estimates, with errors that include signs of what all copies have in common, and the reasons to doubt
 * them. */
tw_status tw_pt_estimate(const tw_pt *pt, tw_estimate out[2], tw_pt_report *report);

/* ---- pt_state.c: save and resume a run */

tw_status tw_pt_allocate_state(tw_pt *pt);

/* Pass the state of the run to on_state, if wants_state asks for it. */
void tw_pt_emit_state(tw_pt *pt);

/* Restore the state options->resume. */
tw_status tw_pt_resume(tw_pt *pt);

#endif
