/* place.h: the model at one theta, as a worker sees it: approximations of log Z(theta), and unbiased estimates of Z(theta). */
#ifndef TALWEG_HYPER_PLACE_H
#define TALWEG_HYPER_PLACE_H

#include "base/context.h"
#include "talweg/approximate.h"
#include "talweg/hyper.h"

/* A worker's own: its context, a kernel, and the model of the theta at hand. */
typedef struct tw_place {
    tw_context *ctx;
    const tw_problem *problem;
    tw_data data; /* the problem's, with this context */
    tw_kernel *kernel;
    tw_model *model;    /* NULL: none at hand */
    double *theta;      /* all parameters */
    double *log_weight; /* particles */
    size_t *ancestor;   /* kept */
} tw_place;

tw_status tw_place_new(tw_context *ctx, const tw_problem *problem, const tw_hyper_options *options,
                       tw_place *out);
void tw_place_release(tw_place *place);

/* The model of place->theta, which the caller frees; NULL where there is none. */
tw_status tw_place_model(tw_place *place, tw_model **out);

/* Sites to begin EP with; NULL: none. */
typedef struct tw_guess {
    const double *tau, *nu;
} tw_guess;

/* EP at place->theta, *out NULL where it does not converge or the model cannot be computed there. Fails where memory or time ends it. */
tw_status tw_place_approximate(tw_place *place, const tw_guess *guess, tw_approximation **out);

/* What there is to know of a point. */
typedef struct tw_point {
    double log_z; /* log Zhat; -inf where it failed */
    double acceptance, failures, transitions;
    tw_hyper_start start;
} tw_point;

/* Where particles go that are drawn by their weights: x (n x kept) and log p(y, x | theta) (kept). x NULL: they are not wanted. */
typedef struct tw_kept {
    double *x, *log_density;
} tw_kept;

/* An unbiased estimate of Z(theta) with the streams of chains chain .. chain + particles - 1. */
tw_status tw_place_estimate(tw_place *place, const tw_guess *guess, const tw_hyper_options *options,
                            uint64_t chain, tw_point *out, tw_kept kept);

#endif
