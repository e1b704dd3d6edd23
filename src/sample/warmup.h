/* warmup.h: tune the step size and the trajectory length of an ensemble.
 *
 * A trajectory has length T = eps L. Dual averaging tunes eps to the target acceptance. T is tuned to how
 * much a move decorrelates x and its squared deviations per leapfrog step. L = T / eps is jittered. Tuning
 * uses sums over all columns and is a deterministic function of the draws.
 */
#ifndef TALWEG_SAMPLE_WARMUP_H
#define TALWEG_SAMPLE_WARMUP_H

#include "sample/sampler.h"
#include "sample/step_size.h"
#include "talweg/chains.h"

/* ---- trajectory.c: the trajectory length, by hill-climbing on a ladder of lengths */
/* The jumps of moves from x to x': |x' - x|^2, |d'^2 - d^2|^2 with d the deviations of x from the mean, and
 * leapfrog steps. Sums over moves, or means. */
typedef struct tw_jumps {
    double x, square, steps;
} tw_jumps;

/* E |x - mean|^2 and E |d^2 - E d^2|^2. */
typedef struct tw_spread {
    double x, square;
} tw_spread;

typedef struct tw_ladder {
    double length;      /* the length of this window */
    tw_jumps sum;       /* over the moves of this window */
    size_t moves;       /* of all columns in this window */
    tw_spread variance; /* over all windows so far */
    double best;        /* the best length so far */
    tw_jumps best_mean; /* its mean jumps and steps */
    int direction;      /* +1 up, -1 down, 0 before the first window ends */
    bool committed;     /* the direction will not change again */
    bool done;
    bool round; /* squared deviations count too */
} tw_ladder;

/* round: the posterior has about the same scale in all directions. */
void tw_ladder_begin(tw_ladder *ladder, double length, bool round);

/* End a window: compare its length with the best one and choose the length of the next window. */
void tw_ladder_step(tw_ladder *ladder);

/* The leapfrog steps of one iteration: uniform on {ceil(mean/2), ..., floor(3 mean/2)}, at most `cap`. */
size_t tw_jittered_steps(size_t mean, size_t cap, uint64_t seed, uint64_t iteration);

/* The step size of one iteration: uniform on [largest / 2, largest], so that a chain in a region where the
 * largest step is unstable still moves with the smaller ones. */
double tw_jittered_eps(double largest, uint64_t seed, uint64_t iteration);
#define TW_MEAN_OF_JITTERED_EPS 0.75

/* Does every trajectory take a quarter of the orbit? If drifts are rotations in EP's frame, H is that of a
 * harmonic oscillator except for a small part, so a quarter is the best length. True if the step size and
 * the number of steps are both tuned. */
bool tw_takes_quarters(const tw_sampler *s, const tw_chains_options *o);

/* Set the move of one quarter, given its steps and eps = (pi/2) / steps, or less if `cap` limits the
 * steps. The number of steps is fixed. The angle is uniform on (0.9 to 1.1) pi/2, which leaves a mean
 * correlation of 0.01 of x^2. One trajectory in eight takes twice as many steps of half the size (unless
 * that exceeds `cap`), so that a chain whose other trajectories are rejected still moves. */
void tw_quarter_move(double eps, size_t steps, size_t cap, tw_move *move);

/* The acceptance of quarters with few steps. For few steps the acceptance jumps from one number of steps
 * to the next (3: 0.70, 4: 0.86). The tuned step size is then between two numbers, and chance would choose
 * one of them. */
enum { TW_FEW_STEPS = 10 };
typedef struct tw_quarters {
    size_t steps;                      /* of the current iteration, unless it takes twice as many */
    double accepted[TW_FEW_STEPS + 1]; /* sums of acceptance rates, for each number of steps */
    size_t moves[TW_FEW_STEPS + 1];
} tw_quarters;

/* Add the moves of an iteration. */
void tw_quarters_learn(tw_quarters *quarters, size_t columns, const tw_record *records);

/* The smallest number of steps, from `steps` up to `cap`, whose acceptance is not known to be clearly
 * below the target. */
size_t tw_quarters_enough(const tw_quarters *quarters, double target, size_t steps, size_t cap);

/* ---- warmup.c: the schedule */
typedef struct tw_warmup {
    tw_sampler *sampler;
    const tw_chains_options *options;
    bool tune_eps, tune_steps;
    bool quarters;                    /* trajectories are quarters of the orbit */
    size_t settle, window, climb_end; /* iterations [0, settle) reach the bulk, [settle, climb_end) find the
                                         length in windows of `window` iterations, the rest find the final step
                                         size */
    tw_step_tuner tuner;
    tw_quarters tried;
    tw_ladder ladder;
    double *before; /* n x P positions before a move */
    double *centre; /* n: d = x - centre; at first the start of chain 0, after settling the mean so far */
    double *first, *second, *fourth; /* n each: sums of d, d^2 and d^4 */
    size_t moments;                  /* number of positions in these sums */
} tw_warmup;

typedef enum tw_stage { TW_STAGE_WARMUP, TW_STAGE_SAMPLING } tw_stage;

/* Check the options for chains of this method. method NULL: it is not chosen yet. */
tw_status tw_chains_options_check(tw_context *ctx, const tw_method_info *method,
                                  const tw_chains_options *options);

/* tw_chains_run, which also ends when ends(options->user, draws so far) returns true after an iteration.
 * Unlike on_progress, every member of a team calls `ends`, so it may communicate. */
typedef bool tw_chains_end(void *user, const tw_draws *so_far);
tw_status tw_chains_run_until(tw_sampler *sampler, const tw_chains_options *options, tw_chains_end *ends,
                              tw_draws **out);

/* The iteration number of the random streams for iteration i of a stage. Warm-up, sampling and pilot runs
 * have different numbers. */
uint64_t tw_iteration_number(const tw_chains_options *options, tw_stage stage, size_t i);

/* Allocate everything and search for the first step size, which moves the columns. */
tw_status tw_warmup_begin(tw_sampler *s, const tw_chains_options *o, tw_record *records, tw_warmup *w);
void tw_warmup_release(tw_warmup *w);

/* Set the move of iteration i of warm-up. */
void tw_warmup_prepare(tw_warmup *w, size_t i, tw_move *move);

/* Update the tuning from the records of iteration i. */
void tw_warmup_learn(tw_warmup *w, size_t i, const tw_record *records);

/* The tuning with which sampling runs. */
tw_tuning tw_warmup_result(const tw_warmup *w);

#endif
