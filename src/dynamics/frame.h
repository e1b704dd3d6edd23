/* frame.h: coordinates w in which a constant metric is the identity.
 *
 * Gaussian frame: x = c + F w. The metric is the precision of N(c, F F'), which is either
 * N(0, K) exp(nu x - tau x^2/2) / Z_f (EP's q; with tau = nu = 0 the prior) or the target's own base. It
 * cancels against the target's base,
 *
 *   L_b(x) = -w'w/2 + sum_n e_n(x_n) + const,    e_n = l_n - (nu_n x_n - tau_n x_n^2/2),
 *
 * so K is not needed: a gradient costs one product with F and one with F'. (Elliptical slice sampling uses
 * the same form: N(0, I) times exp(sum e_n).)
 *
 * Linear frame: x = c + F w for any F (without a Gaussian the identity: unit mass on x). Products with the
 * base's precision take two solves,
 *
 *   L_b(x) = -v'v/2 + sum_n l_n(x_n) + const,    v = L^-1 (x - m).
 *
 * A Gaussian frame may take its products from a packed factor (gaussian/packed.h). If that is packed in
 * single precision, forces use single precision. The leapfrog is a composition of shears for any force that
 * depends on the position alone, so it stays reversible and preserves volume: rounding of the force changes
 * only the acceptance rate. Densities, which decide acceptance, are always computed in double precision.
 * Inside a trajectory x = c + F w is in single precision too. At its ends, where densities need x, it is in
 * double precision, and the slopes there are computed from that x. A trajectory and its reverse have the same
 * ends, so each kick has the same force in both directions.
 *
 * Each column may have its own Gaussian, for example a kernel with its own parameters. If all columns share
 * one Gaussian, a product takes all columns at once; otherwise it takes them one by one.
 *
 * A frame is valid at every temperature, with one exception: a frame that is the target's own base must be
 * updated by tw_frame_follow after each change of temperature, because the base of a folded target changes.
 */
#ifndef TALWEG_DYNAMICS_FRAME_H
#define TALWEG_DYNAMICS_FRAME_H

#include "gaussian/packed.h"
#include "model/model.h"
#include "talweg/dynamics.h"

/* The Gaussian N(c, F F') of one column, with its Gaussian sites. */
typedef struct tw_frame_column {
    const tw_gaussian *gaussian;
    const double *tau, *nu; /* NULL: no sites */
    double log_z;           /* log Z_f */
} tw_frame_column;

typedef struct tw_frame {
    const tw_target *target;
    bool linear;
    bool own_base;                 /* the Gaussian is the target's base */
    bool turns;                    /* drifts are rotations (leapfrog.h); Gaussian frames only */
    size_t n, r;                   /* sites; coordinates */
    const tw_gaussian *gaussian;   /* N(c, F F'); NULL: F is the identity and c = 0 (linear only) */
    const double *tau, *nu;        /* its sites; NULL: none */
    double log_z;                  /* log Z_f */
    const tw_packed *packed;       /* factor for products of shared columns; NULL: the Gaussian's */
    const tw_frame_column *column; /* each column's Gaussian; NULL: all share the one above */
} tw_frame;

/* The frame of the columns from `first` on. */
static inline tw_frame tw_frame_from(const tw_frame *frame, size_t first)
{
    tw_frame rest = *frame;
    if (rest.column) rest.column += first;
    return rest;
}

/* Make the frame of a constant metric for a target. The metrics ep and dense are the precision of the
 * Gaussian `q`, which must outlive the frame. Fails with a message if the metric does not suit the target. */
tw_status tw_frame_make(const tw_target *target, tw_metric metric, const tw_reference *q, tw_frame *out);

/* Follow the target's base to its current temperature. Returns true if the frame changed: coordinates w must
 * then be computed anew. */
bool tw_frame_follow(tw_frame *frame);

/* Arrays for P columns, contiguous: n x P and r x P. */
typedef struct tw_frame_block {
    double *x;              /* n x P */
    double *slope;          /* n x P: derivatives of the site terms e_n or l_n; work */
    double *solve;          /* n x P: work of linear frames */
    float *narrow;          /* 2 n x P: work if tw_frame_narrows */
    double *gradient;       /* r x P: d(-L_b)/dw; NULL: not wanted */
    double *log_density;    /* P; NULL: not wanted */
    double *log_likelihood; /* P; NULL: not wanted */
} tw_frame_block;

/* Evaluate the wanted quantities at w (r x P). */
void tw_frame_evaluate(const tw_frame *frame, size_t columns, const double *w, const tw_frame_block *out);

/* Do forces use products in single precision? */
bool tw_frame_narrows(const tw_frame *frame);

/* Compute the force at a point inside a trajectory: into out->gradient, in a Gaussian frame F' e', the force
 * without its part -w, and in a linear frame the gradient. If tw_frame_narrows, w is read in single precision
 * from the first n x P numbers of out->narrow, F' e' goes into the others, and out->gradient stays as it is.
 * out->x is work. */
void tw_frame_force(const tw_frame *frame, size_t columns, const double *w, const tw_frame_block *out);

/* X = F W, without the centre c; and c of the first column (NULL: zero). Gaussian frames only. */
void tw_frame_spread(const tw_frame *frame, size_t columns, const double *w, double *x);
const double *tw_frame_centre(const tw_frame *frame);

/* sum_n e_n(x) for the first column of a Gaussian frame, its derivatives (n; NULL: not wanted), and the
 * target's untempered log likelihood (NULL: not wanted). */
double tw_frame_excess(const tw_frame *frame, const double *x, double *slope, double *log_likelihood);

/* The constant of L_b = -w'w/2 + sum e_n + constant for the first column of a Gaussian frame. */
double tw_frame_constant(const tw_frame *frame);

/* The coordinates w of x. */
void tw_frame_coordinates(const tw_frame *frame, size_t columns, const double *x, double *w);

#endif
