/* riemann.h: Riemannian dynamics of one column: the phase point, its metric, and the generalised leapfrog.
 *
 * The base is N(m, A) with A = L L', and coordinates are whitened: x = m + L v, with momentum pi. With site
 * curvatures lambda, the metric G = A^-1 + Lambda on x and g = L pi:
 *
 *   xdot = G^-1 A^-1 g            z = lambda o xdot, so that xdot = g - A z            vdot = pi - L' z
 *   H    = -L_b(v) + log|I + L' Lambda L|/2 + pi' vdot / 2
 *   dH/dv = v + L' [ -l' + dlambda o diag(G^-1)/2 - dlambda o xdot o xdot / 2 ],   G^-1 = (A^-1 + Lambda)^-1
 *
 * The base's curved metric (gaussian/curved.h) does all operations with G, on vectors over sites. It may omit
 * sites with lambda_n A_nn below a threshold (1e-10). Then the metric is that of the other sites everywhere,
 * in the momentum draw, in H and in the equations, and xdot is 0 at the omitted sites.
 *
 * Metric anchored: a Gaussian frame (frame.h) provides the base, N(c, F F') instead of N(m, A), and the sites
 * are the target's sites without the frame's Gaussian sites. G = (F F')^-1 + Lambda is EP's precision plus
 * lambda_n = h(e_n) >= 0, the excess of the smoothed curvature s_n over EP's:
 *
 *   e_n = s_n - tau_n - c_n,   c_n = 0.2 / (F F')_nn,   h(e) = e^3 / (e^2 + c_n^2) for e > 0, else 0.
 *
 * h is twice differentiable. The metric varies only at sites whose curvature exceeds EP's. (The curvature
 * itself changes by orders of magnitude within a step, and as a metric it needs shorter steps than EP's
 * precision.)
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
    tw_fixed_point_rule rule; /* of both implicit equations; tolerance in whitened coordinates */
    double threshold;         /* sites with lambda_n A_nn below it may be omitted */
    const double *smoothing;  /* smoothed, anchored: n variances; the caller owns them */
    const tw_frame *anchor;   /* anchored: the Gaussian frame of the base; the caller owns it */
} tw_riemann_options;
#define TW_RIEMANN_DEFAULTS                                                               \
    ((tw_riemann_options){.metric = TW_METRIC_HESSIAN,                                    \
                          .rule = {.tolerance = 1e-9, .cap = 50, .fixed = 0, .depth = 4}, \
                          .threshold = 1e-10,                                             \
                          .smoothing = NULL,                                              \
                          .anchor = NULL})

/* The outcome of a step: all except TW_STEP_FINE reject the trajectory. */
typedef enum tw_step { TW_STEP_FINE, TW_STEP_IMPLICIT, TW_STEP_FACTORISATION } tw_step;

typedef struct tw_riemann {
    tw_context *ctx;
    const tw_target *target;
    tw_riemann_options options;
    size_t n, r;
    const tw_gaussian *own;  /* this column's own base; NULL: the target's */
    const tw_gaussian *base; /* N(m, A) when the position was set */

    /* The position and the quantities that depend on it alone. */
    double *v, *x;                    /* r, n */
    double *slope, *lambda, *dlambda; /* n: l' of the sites; the metric's lambda and its derivative */
    double log_density;               /* L_b */
    double log_likelihood;            /* log p(y | x), untempered */
    tw_curved *curved;                /* G */
    double *diagonal;                 /* n: of G^-1 */
    double *force;                    /* r: v + L' [-l' + dlambda o diag(G^-1)/2] */
    double *weight;                   /* n: weights of the norm of velocities */

    double *pi; /* r: the momentum */

    /* Work of a step. */
    double half_eps;
    double *pi_half;                /* r */
    double *g, *middle, *sites;     /* n: L pi_half; x + eps/2 (xdot + g); work */
    double *coordinates;            /* r: work */
    double *start, *speed, *solved; /* n: c0, xdot and the map of xdot in the momentum equation; after the
                                       position equation speed is xdot at the new position */
    double *response, *rest;        /* n: y and rest of tw_curved_respond */
    double *zeta, *z;               /* 2n each: (zeta, A zeta) in the position equation, and its image */
    double *first;                  /* n: z at the start of the step */
    double *departed;               /* n: xdot at the start of the last step, of the momentum pi_half */
    double *solver;                 /* work of the fixed-point solver */

    /* Evaluations of the two implicit maps and of the map for the position's guess, for measurements. */
    size_t momentum_evaluations, position_evaluations, guess_evaluations;
    size_t steps;
    bool near_cap; /* a solve of this trajectory took more than two thirds of the allowed iterations */
    bool certify;  /* test each step for reversibility (riemann_return.c) */
    bool doubtful; /* a step of this trajectory was not shown to be reversible */
    bool factored; /* the last tw_riemann_factor succeeded */
} tw_riemann;

tw_status tw_riemann_new(const tw_target *target, const tw_riemann_options *options, tw_riemann **out);
void tw_riemann_free(tw_riemann *point);

/* The Gaussian N(m, L L') of the coordinates v. */
const tw_gaussian *tw_riemann_base(const tw_riemann *point);

/* Move to v (r numbers): compute sites, metric, its factor, and force. */
tw_step tw_riemann_set_position(tw_riemann *point, const double *v);

/* pi ~ N(0, I + L' Lambda L) from n + r standard normals: pi = L' S a + b. */
void tw_riemann_draw_momentum(tw_riemann *point, const double *normals);

/* H at the current (v, pi). NaN if pi'pi is so large (about 5e13) that rounding errors exceed 0.01 nats. */
double tw_riemann_energy(tw_riemann *point);

/* One step of the generalised leapfrog. After any outcome except TW_STEP_FINE the position must be set
 * again. */
tw_step tw_riemann_leapfrog(tw_riemann *point, double eps);

/* After the implicit momentum half step: does the momentum equation contract at its solution? Costs two
 * responses of the metric. */
bool tw_riemann_contracts(tw_riemann *point);

/* After a TW_STEP_FINE: would a step from here with the momentum reversed certainly return to the start?
 * False if this is not known. Costs responses of the metric, but no factorisation. */
bool tw_riemann_surely_returns(tw_riemann *point);

/* ---- shared by the files riemann*.c ---- */

/* The maps out = F(u) of the two equations that need only the current factor, with the point as `user`,
 * and the inner product of their unknowns, which are velocities. */
bool tw_riemann_momentum_map(void *user, const double *xdot, double *out);
bool tw_riemann_guess_map(void *user, const double *u, double *out);
double tw_riemann_velocity_inner(void *user, const double *a, const double *b);

/* eps/4, the factor of q(xdot) = dlambda o xdot^2 in the momentum equations; and to = q(xdot). */
double tw_riemann_quarter_eps(const tw_riemann *point);
void tw_riemann_curvature_force(const tw_riemann *point, const double *xdot, double *to);

/* The metric's lambda and dlambda (NULL: not wanted) at x. */
void tw_riemann_curvature(const tw_riemann *point, const double *x, double *lambda, double *dlambda);

/* Factor G at x and compute diag(G^-1); returns false if that fails. */
bool tw_riemann_factor(tw_riemann *point, const double *x);

/* Compute the sites, the density and the force at point->x, for which G has been factored. */
void tw_riemann_settle(tw_riemann *point);

#endif
