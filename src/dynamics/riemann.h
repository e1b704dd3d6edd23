/* riemann.h: Riemannian dynamics of one column: the phase point, its metric, and the generalised leapfrog.
 *
 * In whitened coordinates (x = m + L v, momentum pi; NUMERICS in docs/), with site curvatures lambda, S =
 * diag(sqrt(lambda)), B = I + S A S restricted to the active sites and g = L pi:
 *
 *   z    = S B^-1 S g = lambda o xdot            xdot = g - A z            vdot = pi - L' z
 *   H    = -L_b(v) + log|B|/2 + pi' vdot / 2
 *   dH/dv = v + L' [ -l' + dlambda o diag(G^-1)/2 - dlambda o xdot o xdot / 2 ],   G^-1 = (A^-1 + Lambda)^-1
 *
 * A site is active where lambda_n A_nn exceeds a threshold (1e-10): the rest change log|B| by less than the
 * sum of what was dropped. The metric is that of the active sites, in the momentum draw, in H and in the
 * equations alike. B is of the order of the active sites, a few hundred where n is 767; only it is factored.
 */
#ifndef TALWEG_DYNAMICS_RIEMANN_H
#define TALWEG_DYNAMICS_RIEMANN_H

#include "math/fixed_point.h"
#include "model/model.h"
#include "talweg/dynamics.h"

typedef struct tw_riemann_options {
    tw_metric metric;         /* hessian, fisher or smoothed */
    tw_fixed_point_rule rule; /* of both implicit equations; the tolerance is on the whitened scale */
    double threshold;         /* of active sites */
    const double *smoothing;  /* n variances for `smoothed`, the caller's */
} tw_riemann_options;
#define TW_RIEMANN_DEFAULTS                                                               \
    ((tw_riemann_options){.metric = TW_METRIC_HESSIAN,                                    \
                          .rule = {.tolerance = 1e-9, .cap = 50, .fixed = 0, .depth = 4}, \
                          .threshold = 1e-10,                                             \
                          .smoothing = NULL})

/* How a step went; all but fine reject the trajectory. */
typedef enum tw_step { TW_STEP_FINE, TW_STEP_IMPLICIT, TW_STEP_FACTORISATION } tw_step;

typedef struct tw_riemann {
    tw_context *ctx;
    const tw_target *target;
    tw_riemann_options options;
    size_t n, r;

    /* The position and what belongs to it. */
    double *v, *x;                    /* r, n */
    double *slope, *lambda, *dlambda; /* n: of the sites; lambda and dlambda of the metric */
    double log_density;               /* L_b */
    double log_likelihood;            /* log p(y | x), untempered */
    size_t active, *index;            /* active sites */
    double *s;                        /* sqrt(lambda) of those, compact */
    double *b;                        /* active x active: the factor of B, or its inverse */
    double log_det_b;
    double *diagonal; /* compact: diag(B^-1) */
    double *force;    /* r: v + L' [-l' + dlambda o diag(G^-1)/2] */

    double *pi; /* r: the momentum */

    /* Work of a step. */
    double half_eps;
    double *pi_half, *vdot;          /* r */
    double *g, *base, *scatter, *lt; /* n, n, n, max(n, r) */
    double *start, *speed, *solved;  /* compact: c0, xdot, g(xdot) of the momentum equation;
                                        speed is xdot at the new position after the second */
    double *zeta, *z;                /* 2n each: (zeta, A zeta) of the position equation */
    double *compact;                 /* n */
    double *solver;

    size_t momentum_evaluations, position_evaluations; /* of the implicit maps, for measuring */
    size_t steps;
    bool near_cap; /* a solve of this trajectory used more than two thirds of its cap */
    bool factored; /* the last tw_riemann_factor went through */
} tw_riemann;

tw_status tw_riemann_new(const tw_target *target, const tw_riemann_options *options, tw_riemann **out);
void tw_riemann_free(tw_riemann *point);

/* Move to v (r numbers): sites, metric, factor, force. */
tw_step tw_riemann_set_position(tw_riemann *point, const double *v);

/* pi ~ N(0, I + L' Lambda L) from n + r standard normals: pi = L' S a + b. */
void tw_riemann_draw_momentum(tw_riemann *point, const double *normals);

/* H at the current (v, pi). */
double tw_riemann_energy(tw_riemann *point);

/* One step of the generalised leapfrog. After anything but TW_STEP_FINE the point must be set anew. */
tw_step tw_riemann_leapfrog(tw_riemann *point, double eps);

/* Shared by the files of this engine: B at x (lambda and dlambda filled, factor in b), and what follows once a position
 * is accepted. */
bool tw_riemann_factor(tw_riemann *point, const double *x);
void tw_riemann_settle(tw_riemann *point);

/* compact = S g on the active sites, and its solution of B. */
void tw_riemann_solve(const tw_riemann *point, const double *g, double *compact);

#endif
