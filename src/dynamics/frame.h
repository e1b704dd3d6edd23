/* frame.h: coordinates in which a constant metric is the identity.
 *
 * Gaussian frame: x = c + F w, where N(c, F F') is the Gaussian N(0, K) exp(nu x - tau x^2/2) / Z_f that the
 * metric is the precision of (EP's q; tau = nu = 0: the prior), or the target's own base. The Gaussian
 * cancels against the target's base,
 *
 *   L_b(x) = -w'w/2 + sum_n e_n(x_n) + const,    e_n = l_n - (nu_n x_n - tau_n x_n^2/2),
 *
 * so that no K is needed: a gradient costs one product with F and one with F'. (Elliptical slice sampling is
 * the same picture: N(0, I) times exp(sum e_n).)
 *
 * Linear frame: x = c + F w for any F (NULL: the identity, unit mass on x), with the base's precision by two
 * solves,
 *
 *   L_b(x) = -v'v/2 + sum_n l_n(x_n) + const,    v = L^-1 (x - m).
 *
 * Products of a Gaussian frame may be those of a packed factor, and forces have them in single precision where that is packed so. A leapfrog with any force that is a
 * function of the position alone is a composition of shears, so it is reversible and keeps volume: the force decides how much is
 * accepted, and densities, which decide what is, are in double precision. On the way of a trajectory x = c + F w is in single
 * precision too. At its ends, where densities need it, it is in double precision, and the force takes it from there: a trajectory
 * and its way back have the same ends, so each kick has the same force on both ways.
 *
 * Columns may have a Gaussian each, as for kernels with parameters of their own. A Gaussian that all share makes
 * one product of all columns; else they go one by one.
 *
 * A frame holds for every temperature; where it is the target's own base, which changes with the temperature
 * of a folded target, tw_frame_follow must be called after a change.
 */
#ifndef TALWEG_DYNAMICS_FRAME_H
#define TALWEG_DYNAMICS_FRAME_H

#include "gaussian/packed.h"
#include "model/model.h"
#include "talweg/dynamics.h"

/* A Gaussian N(c, F F') and the sites it is made of. */
typedef struct tw_frame_column {
    const tw_gaussian *gaussian;
    const double *tau, *nu; /* NULL: none */
    double log_z;           /* log Z_f */
} tw_frame_column;

typedef struct tw_frame {
    const tw_target *target;
    bool linear;
    bool own_base;               /* the Gaussian is the target's base */
    bool turns;                  /* leapfrog.h; Gaussian frames only */
    size_t n, r;                 /* sites; coordinates */
    const tw_gaussian *gaussian; /* N(c, F F'); NULL: F is the identity and c = 0 (linear only) */
    const double *tau, *nu;      /* the sites it is made of; NULL: none */
    double log_z;                /* log Z_f */
    const tw_packed
        *packed; /* for products while all columns share the above; NULL: none, all by the Gaussian */
    const tw_frame_column
        *column; /* instead, one for each column (Gaussian frames only); NULL: all share the above */
} tw_frame;

/* The frame of columns `first` and on. */
static inline tw_frame tw_frame_from(const tw_frame *frame, size_t first)
{
    tw_frame rest = *frame;
    if (rest.column) rest.column += first;
    return rest;
}

/* The frame of a constant metric for a target: identity, prior, or ep and dense with the Gaussian `q` whose
 * precision is the metric. q is used, not copied. Refused with words where a metric and a target do not fit.
 */
tw_status tw_frame_make(const tw_target *target, tw_metric metric, const tw_reference *q, tw_frame *out);

/* Follow the target's base to its current temperature. True where the frame moved, and coordinates with it. */
bool tw_frame_follow(tw_frame *frame);

/* Arrays for P columns, contiguous: n x P and r x P. */
typedef struct tw_frame_block {
    double *x;              /* n x P */
    double *slope;          /* n x P: work; for linear frames also n x P of `solve` */
    double *solve;          /* n x P, linear frames only */
    float *narrow;          /* 2 n x P: work, where tw_frame_narrows */
    double *gradient;       /* r x P: of -L_b with respect to w; NULL: not wanted */
    double *log_density;    /* P; NULL: not wanted */
    double *log_likelihood; /* P; NULL: not wanted */
} tw_frame_block;

/* Evaluate at w (r x P). */
void tw_frame_evaluate(const tw_frame *frame, size_t columns, const double *w, const tw_frame_block *out);

/* Are products of forces in single precision? */
bool tw_frame_narrows(const tw_frame *frame);

/* Only what a trajectory needs on its way: in a Gaussian frame F' e', the force without its part -w, and in a linear frame the gradient, into
 * out->gradient. Where tw_frame_narrows, the first n x P of out->narrow hold w and the others get F' e'; out->gradient stays. out->x is
 * work. */
void tw_frame_force(const tw_frame *frame, size_t columns, const double *w, const tw_frame_block *out);

/* X = F W, without the centre; and the centre of the first column, NULL: zero. Gaussian frames only. */
void tw_frame_spread(const tw_frame *frame, size_t columns, const double *w, double *x);
const double *tw_frame_centre(const tw_frame *frame);

/* sum_n e_n(x) for the first column of a Gaussian frame, its slope (n; NULL: not wanted), and the target's untempered log
 * likelihood. */
double tw_frame_excess(const tw_frame *frame, const double *x, double *slope, double *log_likelihood);

/* The constant of a Gaussian frame's first column: L_b = -w'w/2 + sum e_n + this. */
double tw_frame_constant(const tw_frame *frame);

/* w from x. */
void tw_frame_coordinates(const tw_frame *frame, size_t columns, const double *x, double *w);

#endif
