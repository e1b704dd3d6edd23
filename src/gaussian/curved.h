/* curved.h: the metric G = A^-1 + Lambda of a Gaussian's precision and site curvatures lambda >= 0.
 *
 * G is the Hessian in Newton's method and the metric of Riemannian dynamics; in the coordinates w it is
 * I + F' Lambda F. With S = Lambda^1/2 and B = I + S A S, its operations map vectors over sites to vectors
 * over sites:
 *
 *   velocity    xdot = (I + A Lambda)^-1 g = G^-1 A^-1 g    and    z = lambda o xdot = S B^-1 S g,
 *               so that xdot = g - A z;  for g = F pi it is the velocity of the momentum pi
 *   respond     y = G^-1 d    and    rest = d - lambda o y = S B^-1 S^-1 d
 *   diagonal    (G^-1)_nn
 *   explain     k' (A + Lambda^-1)^-1 k = (S k)' B^-1 (S k): the part of the variance of a new case with
 *               covariances k that sites of precision lambda explain
 *   log |B|     = log |I + F' Lambda F|
 *
 * A kind may omit a site whose lambda_n is negligible. The metric is then that of the other sites: at the
 * omitted site root, xdot, z, y and rest are 0, and A_nn replaces (G^-1)_nn.
 *
 * A metric contains workspace, so only one thread at a time may use it; `explain` alone is safe in any number
 * of threads. A Gaussian makes its metric, which then works for all Gaussians of the same kind and size.
 */
#ifndef TALWEG_GAUSSIAN_CURVED_H
#define TALWEG_GAUSSIAN_CURVED_H

#include "gaussian/gaussian.h"

/* Flops of the operations: factor; velocity or respond; diagonal; and the product of A with a vector over the
 * active sites. */
typedef struct tw_curved_flops {
    double factor, solve, diagonal, product;
} tw_curved_flops;

typedef struct tw_curved_kind {
    bool whole; /* no site is omitted, so y is exact where lambda is 0 */
    void (*release)(tw_curved *c);
    bool (*factor)(tw_curved *c, const double *lambda, double threshold);
    void (*velocity)(tw_curved *c, const double *g, double *xdot, double *z);
    void (*respond)(tw_curved *c, const double *d, double *y, double *rest);
    void (*diagonal)(tw_curved *c, double *diagonal);
    void (*explain)(const tw_curved *c, size_t columns, double *k, double *explained);
    tw_curved_flops (*flops)(const tw_curved *c, double active);
} tw_curved_kind;

/* The common part of all kinds: the struct of a kind begins with it. */
struct tw_curved {
    const tw_curved_kind *kind;
    tw_context *ctx;
    const tw_gaussian *base; /* the Gaussian of the last factorisation */
    size_t n, active;        /* all sites; sites that are not omitted */
    double log_det;          /* log |B| */
    double *root;            /* n: sqrt(lambda); 0 at omitted sites */
};

/* Allocate metrics of g, or of another Gaussian of its kind and size, with at most `sites` active sites. */
tw_status tw_curved_new(const tw_gaussian *g, size_t sites, tw_curved **out);
void tw_curved_free(tw_curved *c);

/* For kinds: allocate `size` bytes for the kind's struct, zeros except kind, ctx and n, and allocate root. */
tw_status tw_curved_allocate(const tw_gaussian *g, const tw_curved_kind *kind, size_t size, tw_curved **out);

/* Factor the metric of `base` with these curvatures; sites with lambda_n A_nn <= threshold may be omitted.
 * Sets active, log_det and root. False if the factorisation fails: the eigenvalues of B are at least 1, so a
 * number is not finite. */
static inline bool tw_curved_factor(tw_curved *c, const tw_gaussian *base, const double *lambda,
                                    double threshold)
{
    c->base = base;
    return c->kind->factor(c, lambda, threshold);
}

/* Compute xdot and z (n each); either may be NULL. */
static inline void tw_curved_velocity(tw_curved *c, const double *g, double *xdot, double *z)
{
    c->kind->velocity(c, g, xdot, z);
}

/* Compute y and rest (n each); either may be NULL. */
static inline void tw_curved_respond(tw_curved *c, const double *d, double *y, double *rest)
{
    c->kind->respond(c, d, y, rest);
}

/* The diagonal of G^-1. It costs as much as the factorisation. velocity and respond still work afterwards;
 * explain does not. */
static inline void tw_curved_diagonal(tw_curved *c, double *diagonal)
{
    c->kind->diagonal(c, diagonal);
}

/* The cost of the operations for this number of active sites. */
static inline tw_curved_flops tw_curved_cost(const tw_curved *c, double active)
{
    return c->kind->flops(c, active);
}

/* explained[j] for each column j of k (n x P, overwritten). */
static inline void tw_curved_explain(const tw_curved *c, size_t columns, double *k, double *explained)
{
    c->kind->explain(c, columns, k, explained);
}

#endif
