/* curved.h: the metric G = A^-1 + Lambda, made of a Gaussian's precision and of site curvatures lambda >= 0.
 *
 * It is the Hessian of Newton's method, and the metric of Riemannian dynamics: I + F' Lambda F in the coordinates
 * w. With S = Lambda^1/2 and B = I + S A S, its operations take and give vectors over sites:
 *
 *   velocity    xdot = (I + A Lambda)^-1 g = G^-1 A^-1 g    and    z = lambda o xdot = S B^-1 S g,
 *               so that xdot = g - A z;  for g = F pi it is the velocity of the momentum pi
 *   respond     y = G^-1 d    and    rest = d - lambda o y = S B^-1 S^-1 d
 *   diagonal    (G^-1)_nn
 *   explain     k' (A + Lambda^-1)^-1 k = (S k)' B^-1 (S k): what sites of precision lambda explain of the variance of
 *               a new case with covariances k
 *   log |B|     = log |I + F' Lambda F|
 *
 * A site may be left out where lambda_n is so small that nothing depends on it. The metric is then that of the
 * other sites; root, xdot, z, y and rest are 0 at this one, and A_nn stands for (G^-1)_nn.
 *
 * A curved metric has work space, so one thread at a time may use it; only `explain` may be called from any number of
 * threads. It is made by a Gaussian and works for all of the same kind and size.
 */
#ifndef TALWEG_GAUSSIAN_CURVED_H
#define TALWEG_GAUSSIAN_CURVED_H

#include "gaussian/gaussian.h"

/* Flops of its operations: factor; velocity or respond; diagonal; and a product of A with a vector of its sites. */
typedef struct tw_curved_flops {
    double factor, solve, diagonal, product;
} tw_curved_flops;

typedef struct tw_curved_kind {
    bool whole; /* no site is ever left out, and y is exact where lambda is 0 */
    void (*release)(tw_curved *c);
    bool (*factor)(tw_curved *c, const double *lambda, double threshold);
    void (*velocity)(tw_curved *c, const double *g, double *xdot, double *z);
    void (*respond)(tw_curved *c, const double *d, double *y, double *rest);
    void (*diagonal)(tw_curved *c, double *diagonal);
    void (*explain)(const tw_curved *c, size_t columns, double *k, double *explained);
    tw_curved_flops (*flops)(const tw_curved *c, double active);
} tw_curved_kind;

/* What every kind has; a kind's own struct begins with it. */
struct tw_curved {
    const tw_curved_kind *kind;
    tw_context *ctx;
    const tw_gaussian *base; /* of the last factorisation */
    size_t n, active;        /* sites; those that were not left out */
    double log_det;          /* log |B| */
    double *root;            /* n: sqrt(lambda), 0 where a site was left out */
};

/* Memory for metrics of g, and of others of its kind and size, with at most `sites` sites that are not left out. */
tw_status tw_curved_new(const tw_gaussian *g, size_t sites, tw_curved **out);
void tw_curved_free(tw_curved *c);

/* To make a kind: `size` bytes for its own struct, zeroed but for kind, ctx and n, and memory for root. */
tw_status tw_curved_allocate(const tw_gaussian *g, const tw_curved_kind *kind, size_t size, tw_curved **out);

/* The metric of `base` with these curvatures; sites with lambda_n A_nn <= threshold may be left out. Fills active,
 * log_det and root. False where it cannot be factored: B has eigenvalues of at least 1, so something is not finite. */
static inline bool tw_curved_factor(tw_curved *c, const tw_gaussian *base, const double *lambda,
                                    double threshold)
{
    c->base = base;
    return c->kind->factor(c, lambda, threshold);
}

/* xdot and z, n each; either may be NULL. */
static inline void tw_curved_velocity(tw_curved *c, const double *g, double *xdot, double *z)
{
    c->kind->velocity(c, g, xdot, z);
}

/* y and rest, n each; either may be NULL. */
static inline void tw_curved_respond(tw_curved *c, const double *d, double *y, double *rest)
{
    c->kind->respond(c, d, y, rest);
}

/* The diagonal of G^-1, n numbers. As expensive as the factorisation. velocity and respond work as before
 * afterwards, explain does not. */
static inline void tw_curved_diagonal(tw_curved *c, double *diagonal)
{
    c->kind->diagonal(c, diagonal);
}

/* The cost of its operations with this number of active sites. */
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
