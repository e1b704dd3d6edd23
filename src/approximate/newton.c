/* newton.c: see newton.h.
 *
 * Directly, with S = W^1/2 and B = I + S K S,
 *   da = (I + W K)^-1 g = g - S B^-1 S K g,   dx = K da.
 * It is formed from the gradient and not, as in Rasmussen & Williams (2006, Algorithm 3.1), as a difference
 * of new and old a: rounding errors are then relative to g, which vanishes, and every step mends those of the
 * last, however large lambda K is. Sites with lambda_n K_nn < ACTIVE do not enter B. Where the metric leaves no site out (a sparse
 * precision), one solve gives dx and da = g - W dx, unless lambda K is so large that this difference loses digits.
 *
 * To factor B is what costs. Conjugate gradients need a factor only as a preconditioner, H_0 = K^-1 + W_0 in the place of
 * H = K^-1 + W, and H p = p_a + W p_x costs n flops for a pair p_x = K p_a. H_0^-1 H - 1 = H_0^-1 (W - W_0) has few large eigenvalues,
 * and few iterations do, where W_0 is the W of a point near by on the sites that matter alone: those with lambda_n K_nn > MATTERS,
 * often a fifth of all, which costs the cube of that share. A new H_0 is made when the iterations have cost as much as it does.
 * The decrement is the sum of what the iterations gain, alpha rho each, and what the last one gains says how far it is from its limit.
 */
#include "approximate/newton.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

enum { MOST = 50, VECTORS = 10, FEWEST = 3 }; /* iterations that any preconditioner takes */
static const double ACTIVE = 1e-13;           /* changes log|B| by less than n times this */
static const double MATTERS = 1.0;            /* such a site alone halves the variance of its latent */
static const double LARGE = 1e6;              /* of lambda K: g - W dx has errors of about 1e-16 times this */
/* A flop of a product with a vector, against one of a factorisation. */
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

static bool factor(tw_newton *s, double threshold)
{
    s->spent = 0.0;
    s->factored = tw_curved_factor(s->curved, s->prior, s->lambda, threshold);
    return s->factored;
}

/* a = H_0^-1 g / K, x = K a. */
static void solve(tw_newton *s, const double *g, double *a, double *x)
{
    if (s->curved->kind->whole && s->largest < LARGE) {
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

/* A preconditioner: the last, or a new one at first and when too many iterations were spent with the last. *exact: it is H itself. */
static bool prepare(tw_newton *s, bool *exact)
{
    size_t sites = 0;
    for (size_t i = 0; i < s->prior->n; i++) sites += s->lambda[i] * s->prior->variance[i] > MATTERS;
    *exact = false;
    if (s->factored && s->spent <= tw_curved_cost(s->curved, (double)sites).factor) return true;
    *exact = s->curved->kind->whole;
    return factor(s, MATTERS);
}

/* p = z + beta p, and H p = p_a + W p_x in the place of z_a; returns p' H p. */
static double turn(tw_newton *s, double beta)
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

static void move(tw_newton *s, double alpha)
{
    for (size_t i = 0; i < s->prior->n; i++) {
        s->da[i] += alpha * s->pa[i];
        s->dx[i] += alpha * s->px[i];
        s->r[i] -= alpha * s->za[i];
    }
}

/* Add up what the iterations beyond the first few cost. */
static void count(tw_newton *s, size_t iterations)
{
    tw_curved_flops cost = tw_curved_cost(s->curved, (double)s->curved->active);
    double n = (double)s->prior->n, beyond = iterations > FEWEST ? (double)(iterations - FEWEST) : 0.0;
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
    for (size_t k = 1; k <= MOST; k++) {
        double before = rho;
        solve(s, s->r, s->za, s->zx);
        rho = tw_dot(n, s->r, s->zx);
        if (rho == 0.0) return decrement;
        double alpha = rho / turn(s, k > 1 ? rho / before : 0.0), gain = alpha * rho;
        if (!(gain >= 0.0)) break; /* rounding */
        move(s, alpha);
        decrement += gain;
        if (!exact && gain > accuracy * accuracy * decrement) continue;
        count(s, k);
        return decrement;
    }
    s->factored = false;
    return NAN;
}
