/* walk.h: an ensemble on the tempered path: particles from q, moved at one temperature after another. Shared
 * by AIS, parallel tempering and resample-move. */
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

/* Who is told how far a run is, and whether the answer was to stop. */
typedef struct tw_watch {
    tw_context *ctx;
    tw_progress_function *progress; /* NULL: nobody */
    void *user;
    bool stopped;
} tw_watch;

/* Tell; false: the run is to stop. */
bool tw_watch_tell(tw_watch *watch, const tw_progress *progress);

/* Mean acceptance rate of the transitions so far; NaN before the first. */
double tw_walk_acceptance(const tw_walk *walk);

/* Is the step size to be tuned? Not where it is given, or the method has none. */
bool tw_walk_tunes(const tw_sampler_options *kernel, double eps);

/* In the form of target that suits the kernel: open for a constant metric, folded for one that depends on the
 * position. */
tw_status tw_walk_new(const tw_model *model, const tw_reference *reference, const tw_sampler_options *kernel,
                      size_t particles, tw_walk **out);

/* The same in a given form. */
tw_status tw_walk_new_as(const tw_model *model, const tw_reference *reference,
                         const tw_sampler_options *kernel, tw_form form, size_t particles, tw_walk **out);
void tw_walk_free(tw_walk *walk);

/* Fresh particles from q at b = 0: particle j from the stream (seed, start, first_chain + j, 0). */
tw_status tw_walk_start(tw_walk *walk, uint64_t seed, uint64_t first_chain);

/* Another number of particles, at the same temperature; they are to be put in their places afterwards. */
tw_status tw_walk_resize(tw_walk *walk, size_t particles);

/* Go to another temperature. */
tw_status tw_walk_temper(tw_walk *walk, double beta);

/* One transition of all particles; returns their mean acceptance rate. */
double tw_walk_move(tw_walk *walk, const tw_move *move);

/* Bring log_ratio up to date; of this member's particles alone. */
void tw_walk_measure(tw_walk *walk);
void tw_walk_measure_mine(tw_walk *walk);

/* Did a transition fail, rather than refuse where it led? */
bool tw_record_failed(const tw_record *record);

/* Leapfrog steps for a trajectory of length pi/2: a quarter of the period of a standard Gaussian, where draws
 * decorrelate. At least that length; where the drift turns, with steps up to 1.5, the nearest to it, as half a period
 * renews no squares. */
size_t tw_walk_steps(const tw_walk *walk, double eps);

/* A number for the draws of a run whose particles begin with the streams (seed, start, first_chain, ...): it stands
 * for them in tw_estimate. */
size_t tw_draws_number(uint64_t seed, uint64_t first_chain);

/* x ~ q for a block of particles. */
void tw_reference_draw(const tw_reference *q, uint64_t seed, uint64_t first_chain, uint64_t iteration,
                       size_t count, double *normals, double *x);

#endif
