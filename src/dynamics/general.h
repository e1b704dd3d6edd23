/* general.h: the inside of a tw_general: the phase point of a general target, for the files that move it. */
#ifndef TALWEG_DYNAMICS_GENERAL_H
#define TALWEG_DYNAMICS_GENERAL_H

#include "base/context.h"
#include "dynamics/softabs.h"
#include "math/fixed_point.h"
#include "talweg/general.h"

/* A place in phase space: position, momentum, and what depends on the position alone. */
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

    tw_general_point here;       /* the point itself */
    tw_general_point next;       /* where a step is going */
    tw_general_point start, end; /* of a trajectory, kept by a transition */
    size_t point_doubles;

    double *weights;        /* d x d, for the contraction with third derivatives */
    double *force;          /* d: that contraction */
    double *half;           /* d: momentum at the half step */
    double *velocity;       /* d: G(x)^-1 half, at the beginning of the step */
    double *trial, *image;  /* d each: of an implicit equation */
    double *solver, *eigen; /* work */
    double *memory;         /* all of the above */
};

/* The metric at point->x alone: what an implicit equation for the position asks for. */
bool tw_general_update_metric(tw_general *g, tw_general_point *point);

/* All that depends on point->x. False where something is not finite. */
bool tw_general_update(tw_general *g, tw_general_point *point);

/* dH/dx at the point's position and momentum p. */
void tw_general_energy_slope(tw_general *g, tw_general_point *point, const double *p, double *slope);

void tw_general_copy(const tw_general *g, const tw_general_point *from, tw_general_point *to);

#endif
