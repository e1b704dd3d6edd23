/* riemann.h: Riemannian dynamics of one column: the phase point, its metric, and the generalised leapfrog.
 *
 * In whitened coordinates (x = m + L v, momentum pi; NUMERICS in docs/), with site curvatures lambda, the metric
 * G = A^-1 + Lambda on x and g = L pi:
 *
 *   xdot = G^-1 A^-1 g            z = lambda o xdot, so that xdot = g - A z            vdot = pi - L' z
 *   H    = -L_b(v) + log|I + L' Lambda L|/2 + pi' vdot / 2
 *   dH/dv = v + L' [ -l' + dlambda o diag(G^-1)/2 - dlambda o xdot o xdot / 2 ],   G^-1 = (A^-1 + Lambda)^-1
 *
 * All that is done with G is asked of the base's curved metric (gaussian/curved.h), in vectors over sites. Where it
 * leaves out sites with lambda_n A_nn below a threshold (1e-10), the metric is that of the others, in the momentum draw, in H
 * and in the equations alike: xdot is 0 there.
 *
 * Anchored: the base is a Gaussian frame's (frame.h), N(c, F F') in the place of N(m, A), and the sites are what is left of the target's, so that
 * G = (F F')^-1 + Lambda. With EP's Gaussian that is EP's precision, and lambda_n = h(e_n) >= 0 is only what the smoothed curvature s_n has
 * beyond EP's: e_n = s_n - tau_n - c_n, c_n = 0.2 / (F F')_nn, h(e) = e^3 / (e^2 + c_n^2) for e > 0 and 0 elsewhere, twice differentiable.
 * So the metric is constant but for sites that are where EP's Gaussian is too flat. (With the curvature itself it changes by orders of magnitude
 * within a step, and steps must be shorter than with EP's precision alone.)
 */
#ifndef TALWEG_DYNAMICS_RIEMANN_H
#define TALWEG_DYNAMICS_RIEMANN_H

#include "dynamics/frame.h"
#include "gaussian/curved.h"
#include "math/fixed_point.h"
#include "model/model.h"
#include "talweg/dynamics.h"

typedef struct tw_riemann_options {
    tw_metric metric;         /* hessian, fisher, smoothed or anchored */
    tw_fixed_point_rule rule; /* of both implicit equations; the tolerance is on the whitened scale */
    double threshold;         /* on lambda_n A_nn, of sites that may be left out */
    const double *smoothing;  /* n variances for `smoothed`, the caller's */
    const tw_frame *anchor; /* `anchored`: the Gaussian frame that is the base, with products; the caller's */
} tw_riemann_options;
#define TW_RIEMANN_DEFAULTS                                                               \
    ((tw_riemann_options){.metric = TW_METRIC_HESSIAN,                                    \
                          .rule = {.tolerance = 1e-9, .cap = 50, .fixed = 0, .depth = 4}, \
                          .threshold = 1e-10,                                             \
                          .smoothing = NULL,                                              \
                          .anchor = NULL})

/* How a step went; all but fine reject the trajectory. */
typedef enum tw_step { TW_STEP_FINE, TW_STEP_IMPLICIT, TW_STEP_FACTORISATION } tw_step;

typedef struct tw_riemann {
    tw_context *ctx;
    const tw_target *target;
    tw_riemann_options options;
    size_t n, r;
    const tw_gaussian *own;  /* a base of this column's own; NULL: the target's */
    const tw_gaussian *base; /* N(m, A), as it was when the position was set */

    /* The position and what belongs to it. */
    double *v, *x;                    /* r, n */
    double *slope, *lambda, *dlambda; /* n: of the sites; lambda and dlambda of the metric */
    double log_density;               /* L_b */
    double log_likelihood;            /* log p(y | x), untempered */
    tw_curved *curved;                /* G */
    double *diagonal;                 /* n: of G^-1 */
    double *force;                    /* r: v + L' [-l' + dlambda o diag(G^-1)/2] */
    double *weight;                   /* n: of a site in the length of a velocity */

    double *pi; /* r: the momentum */

    /* Work of a step. */
    double half_eps;
    double *pi_half;                /* r */
    double *g, *middle, *sites;     /* n: L pi_half; x + eps/2 (xdot + g); work */
    double *coordinates;            /* r: work */
    double *start, *speed, *solved; /* n: c0, xdot, g(xdot) of the momentum equation; speed is xdot at the new
                                       position after the second */
    double *response, *rest;        /* n: of the curved metric */
    double *zeta, *z;               /* 2n each: (zeta, A zeta) of the position equation */
    double *first;                  /* n: z where the step began */
    double *departed;               /* n: xdot where the last step began, with its momentum in the middle */
    double *solver;

    /* Evaluations of the implicit maps and of that which guesses the position, for measuring. */
    size_t momentum_evaluations, position_evaluations, guess_evaluations;
    size_t steps;
    bool near_cap; /* a solve of this trajectory used more than two thirds of its cap */
    bool certify;  /* see of each step whether it certainly leads back */
    bool doubtful; /* one of this trajectory's steps does not */
    bool factored; /* the last tw_riemann_factor went through */
} tw_riemann;

tw_status tw_riemann_new(const tw_target *target, const tw_riemann_options *options, tw_riemann **out);
void tw_riemann_free(tw_riemann *point);

/* The Gaussian whose coordinates v are. */
const tw_gaussian *tw_riemann_base(const tw_riemann *point);

/* Move to v (r numbers): sites, metric, factor, force. */
tw_step tw_riemann_set_position(tw_riemann *point, const double *v);

/* pi ~ N(0, I + L' Lambda L) from n + r standard normals: pi = L' S a + b. */
void tw_riemann_draw_momentum(tw_riemann *point, const double *normals);

/* H at the current (v, pi). NaN where lambda A is so large (a sum of about 5e13) that rounding takes its digits. */
double tw_riemann_energy(tw_riemann *point);

/* One step of the generalised leapfrog. After anything but TW_STEP_FINE the point must be set anew. */
tw_step tw_riemann_leapfrog(tw_riemann *point, double eps);

/* Does the momentum equation contract at its solution, as it is after the first half of a step? Two responses. */
bool tw_riemann_contracts(tw_riemann *point);

/* After a step that was fine: would a step from here with the momentum reversed certainly lead back? False also where it is not
 * known. Costs responses of the metric, and no factorisation. */
bool tw_riemann_surely_returns(tw_riemann *point);

/* Shared by the files of this engine: the two equations that are solved with the factor at hand, out = F(u) with the point as `user`,
 * and the lengths of their unknowns; lambda and dlambda (or NULL) of the metric at x; G there; and what follows once a
 * position is accepted. */
bool tw_riemann_momentum_map(void *user, const double *xdot, double *out);
bool tw_riemann_guess_map(void *user, const double *u, double *out);
double tw_riemann_velocity_inner(void *user, const double *a, const double *b);
double tw_riemann_quarter_eps(const tw_riemann *point);
void tw_riemann_curvature_force(const tw_riemann *point, const double *xdot, double *to);
void tw_riemann_curvature(const tw_riemann *point, const double *x, double *lambda, double *dlambda);
bool tw_riemann_factor(tw_riemann *point, const double *x);
void tw_riemann_settle(tw_riemann *point);

#endif
