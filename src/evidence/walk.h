/* walk.h: an ensemble of particles on the tempered path: drawn from q, then moved at one temperature after
 * another. AIS, parallel tempering and resample-move use it. */
#ifndef TALWEG_EVIDENCE_WALK_H
#define TALWEG_EVIDENCE_WALK_H

#include "model/model.h"
#include "talweg/evidence.h"

typedef struct tw_walk {
    tw_context *ctx;
    tw_sampler_options kernel;
    tw_target *target;
    tw_sampler *sampler;
    size_t particles;
    double *log_ratio; /* log p(y, x) - log q(x) of each particle */
    double *work;      /* n */
    tw_record *records;
    double acceptance; /* sums over transitions */
    double failures;
    double transitions;
} tw_walk;

/* The receiver of progress reports, and whether it asked to stop. */
typedef struct tw_watch {
    tw_context *ctx;
    tw_progress_function *progress; /* NULL: none */
    void *user;
    bool stopped;
} tw_watch;

/* Report progress; returns false if the run should stop. */
bool tw_watch_tell(tw_watch *watch, const tw_progress *progress);

/* Mean acceptance rate of the transitions so far; NaN before the first. */
double tw_walk_acceptance(const tw_walk *walk);

/* Must the step size be tuned? Not if it is given or the method has none. */
bool tw_walk_tunes(const tw_sampler_options *kernel, double eps);

/* Make a walk with the form of target that suits the kernel: open for a constant metric, folded for one
 * that depends on the position. */
tw_status tw_walk_new(const tw_model *model, const tw_reference *reference, const tw_sampler_options *kernel,
                      size_t particles, tw_walk **out);

/* The same with a given form. */
tw_status tw_walk_new_as(const tw_model *model, const tw_reference *reference,
                         const tw_sampler_options *kernel, tw_form form, size_t particles, tw_walk **out);
void tw_walk_free(tw_walk *walk);

/* Draw new particles from q at b = 0, particle j with the stream (seed, start, first_chain + j, 0). */
tw_status tw_walk_start(tw_walk *walk, uint64_t seed, uint64_t first_chain);

/* Change the number of particles at the same temperature; the caller then sets their positions. */
tw_status tw_walk_resize(tw_walk *walk, size_t particles);

/* Go to another temperature. */
tw_status tw_walk_temper(tw_walk *walk, double beta);

/* One transition of all particles; returns their mean acceptance rate. */
double tw_walk_move(tw_walk *walk, const tw_move *move);

/* Compute log_ratio of all particles; and of this team member's particles only. */
void tw_walk_measure(tw_walk *walk);
void tw_walk_measure_mine(tw_walk *walk);

/* Did a transition fail, instead of only being rejected? */
bool tw_record_failed(const tw_record *record);

/* The number of leapfrog steps of a trajectory of length pi/2, a quarter of the period of a standard
 * Gaussian, which decorrelates draws. The length is at least pi/2. If drifts are rotations, steps are up
 * to 1.5 long, and the length is the one nearest to pi/2, because half a period does not decorrelate
 * squares. */
size_t tw_walk_steps(const tw_walk *walk, double eps);

/* A number that identifies the draws of a run, whose particles start with the streams (seed, start,
 * first_chain, ...), in tw_estimate. */
size_t tw_draws_number(uint64_t seed, uint64_t first_chain);

/* Draw x ~ q for `count` particles. */
void tw_reference_draw(const tw_reference *q, uint64_t seed, uint64_t first_chain, uint64_t iteration,
                       size_t count, double *normals, double *x);

#endif
