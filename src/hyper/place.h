/* place.h: a worker's model at one theta: approximations of log Z(theta), and unbiased estimates of
 * Z(theta). */
#ifndef TALWEG_HYPER_PLACE_H
#define TALWEG_HYPER_PLACE_H

#include "base/context.h"
#include "talweg/approximate.h"
#include "talweg/hyper.h"

/* The data of one worker: its context, its kernel, and the model at the current theta. */
typedef struct tw_place {
    tw_context *ctx;
    const tw_problem *problem;
    tw_data data; /* the problem's data, with this context */
    tw_kernel *kernel;
    tw_model *model;    /* NULL: no current model */
    double *theta;      /* all parameters */
    double *log_weight; /* particles */
    size_t *ancestor;   /* kept */
} tw_place;

tw_status tw_place_new(tw_context *ctx, const tw_problem *problem, const tw_hyper_options *options,
                       tw_place *out);
void tw_place_release(tw_place *place);

/* The model at place->theta, which the caller frees; NULL if it cannot be computed there. */
tw_status tw_place_model(tw_place *place, tw_model **out);

/* Initial sites for EP; NULL: none. */
typedef struct tw_guess {
    const double *tau, *nu;
} tw_guess;

/* EP at place->theta; *out is NULL if it does not converge or the model cannot be computed. Fails only for
 * lack of memory or an interrupt. */
tw_status tw_place_approximate(tw_place *place, const tw_guess *guess, tw_approximation **out);

/* The result of one point. */
typedef struct tw_point {
    double log_z; /* log Zhat; -inf if it failed */
    double acceptance, failures, transitions;
    tw_hyper_start start;
} tw_point;

/* Memory for particles drawn by their weights: x (n x kept) and log p(y, x | theta) (kept). x NULL: do not
 * keep any. */
typedef struct tw_kept {
    double *x, *log_density;
} tw_kept;

/* An unbiased estimate of Z(theta), with the random streams of chains chain .. chain + particles - 1. */
tw_status tw_place_estimate(tw_place *place, const tw_guess *guess, const tw_hyper_options *options,
                            uint64_t chain, tw_point *out, tw_kept kept);

#endif
