/* newton.c: Newton steps, directly or by preconditioned conjugate gradients (newton.h).
 *
 * The direct step is, with S = W^1/2 and B = I + S K S,
 *   da = (I + W K)^-1 g = g - S B^-1 S K g,   dx = K da.
 * Rasmussen & Williams (2006, Algorithm 3.1) compute the new a instead and subtract the old one. Here
 * rounding errors are relative to g, which vanishes at the mode, so every step corrects the errors of the
 * last, however large lambda K is. Sites with lambda_n K_nn < ACTIVE do not enter B. If the metric never
 * leaves out a site (a sparse precision), one solve gives dx and da = g - W dx. There products with K would lose
 * digits: K is nearly singular, or its largest eigenvalue is huge. The errors of da remain in a, so that x = K a
 * no longer holds; near the mode tw_newton_afresh gives x and a that do not depend on earlier ones.
 *
 * Factoring B dominates the cost. Conjugate gradients for H = K^-1 + W need a factor only as a
 * preconditioner, H_0 = K^-1 + W_0, and the product H p = p_a + W p_x takes O(n) flops for a pair
 * p_x = K p_a. W_0 is the W of an earlier point, restricted to the sites with lambda_n K_nn > MATTERS: often
 * a fifth of all, and the cost of factoring falls with the cube of that share. H_0^-1 H - I = H_0^-1 (W - W_0)
 * then has few large eigenvalues, so few iterations suffice. A new H_0 is factored when the iterations have
 * cost as much as that. Each iteration adds alpha rho to the decrement; they stop when the last addition is
 * small.
 */
#include "approximate/newton.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

enum { VECTORS = 10 };
enum { MOST_ITERATIONS = 50 };
enum { FREE_ITERATIONS = 3 };       /* even a new preconditioner takes this many */
static const double ACTIVE = 1e-13; /* leaving out such sites changes log|B| by less than n times this */
static const double MATTERS = 1.0;  /* lambda K of a site that alone halves the variance of its latent */
/* Time of a flop in a matrix-vector product or sparse solve, in units of a flop in a factorisation. */
static const double SLOWER = 2.0, SLOWER_SPARSE = 6.0;

tw_status tw_newton_new(const tw_gaussian *prior, tw_newton *out)
{
    size_t n = prior->n;
    *out = (tw_newton){.prior = prior};
    double **vectors[VECTORS] = {&out->gradient, &out->lambda, &out->da, &out->dx, &out->r,
                                 &out->za,       &out->zx,     &out->pa, &out->px, &out->solution};
    TW_TRY(tw_allocate_doubles(prior->ctx, n, VECTORS, "the vectors of Newton's method", &out->memory));
    for (size_t i = 0; i < VECTORS; i++) *vectors[i] = out->memory + i * n;
    return tw_curved_new(prior, n, &out->curved);
}

void tw_newton_free(tw_newton *newton)
{
    if (newton->prior) tw_release(newton->prior->ctx, newton->memory);
    tw_curved_free(newton->curved);
}

/* Factor K^-1 + W at the sites above the threshold. */
static bool factor(tw_newton *s, double threshold)
{
    s->spent = 0.0;
    s->factored = tw_curved_factor(s->curved, s->prior, s->lambda, threshold);
    return s->factored;
}

/* x = H_0^-1 g and a = K^-1 x, without an inverse of K. */
static void solve(tw_newton *s, const double *g, double *a, double *x)
{
    if (s->curved->kind->whole) {
        tw_curved_respond(s->curved, g, x, a);
        return;
    }
    tw_gaussian_multiply(s->prior, 1, g, x);
    tw_curved_velocity(s->curved, x, NULL, s->solution);
    for (size_t i = 0; i < s->prior->n; i++) a[i] = g[i] - s->solution[i];
    tw_gaussian_multiply(s->prior, 1, a, x);
}

static void find_largest(tw_newton *s)
{
    s->largest = 0.0;
    for (size_t i = 0; i < s->prior->n; i++)
        s->largest = fmax(s->largest, s->lambda[i] * s->prior->variance[i]);
}

double tw_newton_direct(tw_newton *s)
{
    find_largest(s);
    if (!factor(s, ACTIVE)) return NAN;
    solve(s, s->gradient, s->da, s->dx);
    return tw_dot(s->prior->n, s->gradient, s->dx);
}

double tw_newton_afresh(tw_newton *s, const double *slope, const double *a, const double *x)
{
    double decrement = 0.0;
    find_largest(s);
    if (!factor(s, ACTIVE)) return NAN;
    for (size_t i = 0; i < s->prior->n; i++) s->solution[i] = s->lambda[i] * x[i] + slope[i];
    tw_curved_respond(s->curved, s->solution, s->dx, s->da);
    for (size_t i = 0; i < s->prior->n; i++) {
        s->dx[i] -= x[i];
        s->da[i] -= a[i];
        decrement += s->dx[i] * (s->da[i] + s->lambda[i] * s->dx[i]);
    }
    return decrement;
}

/* Provide a preconditioner: a new one the first time and when iterations with the last have cost as much as a
 * factorisation, otherwise the last. *exact: it is H itself. Returns false if it cannot be factored. */
static bool prepare(tw_newton *s, bool *exact)
{
    size_t sites = 0;
    for (size_t i = 0; i < s->prior->n; i++) sites += s->lambda[i] * s->prior->variance[i] > MATTERS;
    *exact = false;
    if (s->factored && s->spent <= tw_curved_cost(s->curved, (double)sites).factor) return true;
    *exact = s->curved->kind->whole;
    return factor(s, MATTERS);
}

/* The new direction p = z + beta p, and H p = p_a + W p_x, which overwrites z_a. Returns p' H p. */
static double new_direction(tw_newton *s, double beta)
{
    double curvature = 0.0;
    for (size_t i = 0; i < s->prior->n; i++) {
        s->pa[i] = s->za[i] + beta * s->pa[i];
        s->px[i] = s->zx[i] + beta * s->px[i];
        s->za[i] = s->pa[i] + s->lambda[i] * s->px[i];
        curvature += s->px[i] * s->za[i];
    }
    return curvature;
}

/* d += alpha p, and the residual r -= alpha H p. */
static void move_along(tw_newton *s, double alpha)
{
    for (size_t i = 0; i < s->prior->n; i++) {
        s->da[i] += alpha * s->pa[i];
        s->dx[i] += alpha * s->px[i];
        s->r[i] -= alpha * s->za[i];
    }
}

/* Add the cost of the iterations beyond FREE_ITERATIONS to `spent`. A dense iteration is a solve and two
 * products with K. */
static void count_cost(tw_newton *s, size_t iterations)
{
    tw_curved_flops cost = tw_curved_cost(s->curved, (double)s->curved->active);
    double n = (double)s->prior->n;
    double beyond = iterations > FREE_ITERATIONS ? (double)(iterations - FREE_ITERATIONS) : 0.0;
    s->spent +=
        beyond * (s->curved->kind->whole ? SLOWER_SPARSE * cost.solve : SLOWER * (cost.solve + 4.0 * n * n));
}

double tw_newton_conjugate(tw_newton *s, double accuracy)
{
    size_t n = s->prior->n;
    double decrement = 0.0, rho = 0.0;
    find_largest(s);
    bool exact;
    if (!prepare(s, &exact)) return NAN;
    memcpy(s->r, s->gradient, n * sizeof *s->r);
    memset(s->da, 0, n * sizeof *s->da);
    memset(s->dx, 0, n * sizeof *s->dx);
    memset(s->pa, 0, n * sizeof *s->pa);
    memset(s->px, 0, n * sizeof *s->px);
    for (size_t k = 1; k <= MOST_ITERATIONS; k++) {
        double before = rho;
        solve(s, s->r, s->za, s->zx);
        rho = tw_dot(n, s->r, s->zx);
        if (rho == 0.0) return decrement;
        double alpha = rho / new_direction(s, k > 1 ? rho / before : 0.0), gain = alpha * rho;
        if (!(gain >= 0.0)) break; /* only by rounding, since H and H_0 are positive definite */
        move_along(s, alpha);
        decrement += gain;
        if (!exact && gain > accuracy * accuracy * decrement) continue;
        count_cost(s, k);
        return decrement;
    }
    s->factored = false;
    return NAN;
}
