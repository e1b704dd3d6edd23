/* general.h: the private parts of tw_general, the phase point of a general target. */
#ifndef TALWEG_DYNAMICS_GENERAL_H
#define TALWEG_DYNAMICS_GENERAL_H

#include "base/context.h"
#include "dynamics/softabs.h"
#include "math/fixed_point.h"
#include "talweg/general.h"

/* Position, momentum, and the quantities that depend on the position alone. */
typedef struct tw_general_point {
    double *x, *p;
    double value;  /* log p(x) */
    double *slope; /* d/dx [-log p + 1/2 log |G|] */
    tw_softabs metric;
} tw_general_point;

struct tw_general {
    tw_context *ctx;
    tw_general_target target;
    tw_general_metric metric;
    double eps, reversal;
    tw_fixed_point_rule rule;

    tw_general_point here;       /* the current point */
    tw_general_point next;       /* the end of the current step */
    tw_general_point start, end; /* of a trajectory; the transition uses them */
    size_t point_doubles;

    double *weights;        /* d x d, for the contraction with third derivatives */
    double *force;          /* d: that contraction */
    double *half;           /* d: momentum at the half step */
    double *velocity;       /* d: G(x)^-1 half, x at the start of the step */
    double *trial, *image;  /* d each: iterates of an implicit equation u = F(u), u and F(u) */
    double *solver, *eigen; /* work */
    double *memory;         /* the block that contains these arrays and the points' */
};

/* Compute only the metric at point->x, which the implicit equation for the position needs. */
bool tw_general_update_metric(tw_general *g, tw_general_point *point);

/* Compute everything that depends on point->x. Returns false if something is not finite. */
bool tw_general_update(tw_general *g, tw_general_point *point);

/* slope = dH/dx at the point's position with momentum p. */
void tw_general_energy_slope(tw_general *g, tw_general_point *point, const double *p, double *slope);

void tw_general_copy(const tw_general *g, const tw_general_point *from, tw_general_point *to);

#endif
