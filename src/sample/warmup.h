/* warmup.h: tuning the step size and the trajectory length of an ensemble.
 *
 * A trajectory has length T = eps L. The step size eps follows the acceptance (dual averaging), the length
 * follows how far moves renew x and its squared deviations per leapfrog step, and L = T / eps is jittered. All three use sums over
 * all columns and are deterministic functions of the draws.
 */
#ifndef TALWEG_SAMPLE_WARMUP_H
#define TALWEG_SAMPLE_WARMUP_H

#include "sample/sampler.h"
#include "sample/step_size.h"
#include "talweg/chains.h"

/* ---- trajectory.c: the length, by hill-climbing on a ladder of lengths */
/* Of moves: |x' - x|^2, |d'^2 - d^2|^2 with d^2 the squared deviations of x, and leapfrog steps. */
typedef struct tw_jumps {
    double x, square, steps;
} tw_jumps;

/* E |x - mean|^2 and E |d^2 - E d^2|^2. */
typedef struct tw_spread {
    double x, square;
} tw_spread;

typedef struct tw_ladder {
    double length;      /* tried now */
    tw_jumps sum;       /* of this window */
    size_t moves;       /* of columns in this window */
    tw_spread variance; /* of all windows so far */
    double best;        /* the best length */
    tw_jumps best_mean; /* and its mean jumps and steps */
    int direction;      /* +1 up, -1 down, 0 nothing measured yet */
    bool committed;     /* the direction will not change again */
    bool done;
    bool round; /* squared deviations count too */
} tw_ladder;

/* round: the posterior has about the same scale in all directions. */
void tw_ladder_begin(tw_ladder *ladder, double length, bool round);

/* The end of a window: judge its length and go to the next one. */
void tw_ladder_step(tw_ladder *ladder);

/* Leapfrog steps of one iteration: uniform on {ceil(mean/2), ..., floor(3 mean/2)}, at most `cap`. */
size_t tw_jittered_steps(size_t mean, size_t cap, uint64_t seed, uint64_t iteration);

/* Step size of one iteration: uniform on [largest / 2, largest], so that a chain where the largest is unstable moves with
 * others. */
double tw_jittered_eps(double largest, uint64_t seed, uint64_t iteration);
#define TW_MEAN_OF_JITTERED_EPS 0.75

/* Where H is an oscillator but for a small part, the drift turning in EP's frame, a quarter of the orbit is the best length of all, and a fixed
 * number of steps makes it: only the angle is uniform, on (0.9 to 1.1) pi/2, which renews x^2 to 0.99. True where both step size and number are tuned.
 * One trajectory in eight takes twice as many steps of half the size (unless that is more than `cap`), so that a chain where all others are rejected moves on. */
bool tw_takes_quarters(const tw_sampler *s, const tw_chains_options *o);
void tw_quarter_move(double eps, size_t steps, size_t cap, tw_move *move);

/* How many of the quarters of few steps were accepted. There the acceptance jumps between one number of steps and the next (3: 0.70, 4: 0.86),
 * the tuned step size comes to lie at the border, and chance would decide on its side. */
enum { TW_FEW_STEPS = 10 };
typedef struct tw_quarters {
    size_t steps; /* of the current iteration, unless it is one of twice as many */
    double accepted[TW_FEW_STEPS + 1];
    size_t moves[TW_FEW_STEPS + 1];
} tw_quarters;

void tw_quarters_learn(tw_quarters *quarters, size_t columns, const tw_record *records);

/* The smallest number, from `steps` on, that was not found to be accepted clearly less than the target, up to `cap`. */
size_t tw_quarters_enough(const tw_quarters *quarters, double target, size_t steps, size_t cap);

/* ---- warmup.c: the schedule */
typedef struct tw_warmup {
    tw_sampler *sampler;
    const tw_chains_options *options;
    bool tune_eps, tune_steps;
    bool quarters;                    /* trajectories are quarters of the orbit */
    size_t settle, window, climb_end; /* iterations: [0, settle) reach the bulk, [settle, climb_end) find the
                                         length in windows, the rest the final step size */
    tw_step_tuner tuner;
    tw_quarters tried;
    tw_ladder ladder;
    double *before; /* n x P positions before a move */
    double *centre; /* n: the mean position while it settled, from which deviations d are taken */
    double *first, *second, *fourth; /* n each: sums of d, d^2 and d^4 */
    size_t moments;                  /* positions in those sums */
} tw_warmup;

/* Where a run is. */
typedef enum tw_stage { TW_STAGE_WARMUP, TW_STAGE_SAMPLING } tw_stage;

/* Can chains of this method run so? method NULL: not known yet. */
tw_status tw_chains_options_check(tw_context *ctx, const tw_method_info *method,
                                  const tw_chains_options *options);

/* tw_chains_run that also ends where ends(options->user, ...) says so after an iteration, by what there is so far. Unlike
 * on_progress, it is asked of every member of a team, and so may call on all of them. */
typedef bool tw_chains_end(void *user, const tw_draws *so_far);
tw_status tw_chains_run_until(tw_sampler *sampler, const tw_chains_options *options, tw_chains_end *ends,
                              tw_draws **out);

/* Where the random numbers of iteration i of a stage come from: numbers of warm-up, sampling and pilots never
 * meet. */
uint64_t tw_iteration_number(const tw_chains_options *options, tw_stage stage, size_t i);

/* Everything is allocated here; the first step size is searched for, with columns moving. */
tw_status tw_warmup_begin(tw_sampler *s, const tw_chains_options *o, tw_record *records, tw_warmup *w);
void tw_warmup_release(tw_warmup *w);

/* How to move in iteration i of warm-up. */
void tw_warmup_prepare(tw_warmup *w, size_t i, tw_move *move);

/* Learn from what happened. */
void tw_warmup_learn(tw_warmup *w, size_t i, const tw_record *records);

/* What is frozen. */
tw_tuning tw_warmup_result(const tw_warmup *w);

#endif
