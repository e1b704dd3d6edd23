/* walker.h: a Markov chain on parameters and latents together, with sites that are a function of theta.
 *
 * Let (tau, nu)(theta) be any function of theta; here it gives the sites at the nearest theta where EP was
 * fitted before. With q_theta = N(0, K_theta) prod t_n / Z_q(theta) = N(m, F F') and x = m + F w, the joint
 * density of (theta, w) and y is exactly
 *
 *   p(theta) Z_q(theta) N(w; 0, I) prod_n p(y_n | x_n, theta) / t_n(x_n).
 *
 * A walker starts from the prior, not from the proposal g: what g misses, it may find. Its target is
 *
 *   p(theta) N(w; 0, I) exp b R,   R = log Z_q(theta) + sum_n log p(y_n | x_n, theta) - log t_n(x_n).
 *
 * It moves theta by a random-walk step or a draw from g with w fixed,
 * and w by elliptical slice sampling with theta fixed. If K is singular, F has fewer columns than w has
 * numbers; the others stay standard normal. */
#ifndef TALWEG_HYPER_WALKER_H
#define TALWEG_HYPER_WALKER_H

#include "hyper/hyper.h"
#include "math/random.h"

/* A theta with its q. */
typedef struct tw_spot {
    double theta[TW_HYPER_MOST];
    tw_model *model;
    tw_reference *q;
    tw_guess sites; /* tau NULL: q is the prior */
    double log_g, log_prior;
    double sum; /* sum_n log p(y_n | x_n) - log t_n(x_n) */
} tw_spot;

typedef struct tw_walker {
    const tw_hyper *h;
    tw_place *place;
    tw_stream stream;
    double beta;
    tw_spot here, there;
    double *w, *direction, *trial, *x, *value; /* n each */
    bool far;                                  /* the last proposal of theta was a draw from g */
    double accepted, moves;
} tw_walker;

/* Allocate a walker with the random streams of a chain, without a theta. End it after a failure as well. */
tw_status tw_walker_begin(tw_walker *k, const tw_hyper *h, tw_place *place, uint64_t chain);
void tw_walker_end(tw_walker *k);

/* Start at a draw from p N; *possible is whether its density is above 0. */
tw_status tw_walker_start(tw_walker *k, bool *possible);

/* R at the current state. */
double tw_walker_log_ratio(const tw_walker *k);

/* One step of theta, and one of w, at temperature k->beta. */
tw_status tw_walker_move_theta(tw_walker *k);
void tw_walker_move_w(tw_walker *k);

/* The current x (n) and log p(y, x | theta); NaN if K is singular. */
double tw_walker_look(tw_walker *k, double *x);

#endif
