/* energy.c: m'K^-1 m of the mean m of q, for log Z, without the cancellation of nu'm - m' T m.
 *
 * With g = K^-1 m, log Z of EP and of Laplace's method contains log t(m) - g'm / 2 with the sites' t, or the
 * likelihood in its place. If m and the number for g'm come from the same g (or w) by m = K g and g'K g, this is
 * stationary at the solution: an error of g counts by half its square in standard deviations of q only.
 *
 *   sparse precision      from the variables (gaussian/sparse_energy.c)
 *   K of low rank         m = F w, |w|^2; also if K is regular and so large that g below has no digits
 *   other dense K         m = K g, g'm, where g solves (I + T K) g = nu. Since (I + T K)^-1 = I - T Sigma, steps
 *                           g <- g + (I - T Sigma) rest,   rest = nu - T K g - g
 *                         refine it, unless T K is so large that they do not converge. The error of log Z is half of
 *                         rest' Sigma rest.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "approximate/approximate.h"
#include "linalg/vector.h"

enum { MOST_STEPS = 20 };
static const double ENOUGH = 1e-12, SMALL = 1e-8; /* nats */

typedef struct tw_pull {
    const tw_gaussian *prior, *q;
    const tw_approximation *a;
    double *g, *mean, *rest, *change, *h; /* n each; h: r, the coordinates of rest */
} tw_pull;

/* mean = K g, rest = nu - T mean - g, change = (I - T Sigma) rest. Returns rest' Sigma rest / 2. */
static double find_rest(const tw_pull *p)
{
    size_t n = p->a->n;
    tw_gaussian_multiply(p->prior, 1, p->g, p->mean);
    for (size_t i = 0; i < n; i++) p->rest[i] = p->a->nu[i] - p->a->tau[i] * p->mean[i] - p->g[i];
    tw_gaussian_pull_back(p->q, 1, p->rest, p->h);
    tw_gaussian_spread(p->q, 1, p->h, p->change);
    for (size_t i = 0; i < n; i++) p->change[i] = p->rest[i] - p->a->tau[i] * p->change[i];
    return 0.5 * tw_dot(p->q->r, p->h, p->h);
}

/* Refine g while that makes its error smaller; leaves the best g in p->g, and its mean. Returns its error. */
static double refine(const tw_pull *p, double *best)
{
    size_t n = p->a->n;
    double error = find_rest(p);
    for (int step = 0; step < MOST_STEPS && error > ENOUGH; step++) {
        memcpy(best, p->g, n * sizeof *best);
        for (size_t i = 0; i < n; i++) p->g[i] += p->change[i];
        double next = find_rest(p);
        bool better = next < 0.5 * error, worse = !(next < error);
        if (worse) {
            memcpy(p->g, best, n * sizeof *best);
            tw_gaussian_multiply(p->prior, 1, p->g, p->mean);
        } else
            error = next;
        if (!better) break;
    }
    return error;
}

/* The effect on g'Kg of rounding K's entries, with random signs. */
static double rounding_of(const tw_pull *p, const double *g)
{
    double sum = 0.0;
    for (size_t i = 0; i < p->a->n; i++) sum += g[i] * g[i] * p->prior->variance[i];
    return DBL_EPSILON * sum;
}

/* m = K g. */
static double by_pull(const tw_pull *p, double *best, double *error)
{
    for (size_t i = 0; i < p->a->n; i++) p->g[i] = p->a->nu[i] - p->a->tau[i] * p->a->mean[i];
    *error = refine(p, best);
    *error += rounding_of(p, p->g);
    return tw_dot(p->a->n, p->g, p->mean);
}

/* The effect on log Z of rounding the covariances K_0 of the pivots, which determine a K of low rank: with the pull
 * c = L_0'^-1 w of w on the pivots, at most c_k^2 for the energy and (K_0^-1)_kk for log|B|, times eps K_kk. */
static double rounding_of_core(const tw_pull *p)
{
    size_t n = p->a->n, r = p->prior->r;
    double sum = 0.0;
    memset(p->rest, 0, n * sizeof *p->rest);
    for (size_t i = 0; i < n; i++) {
        p->rest[i] = 1.0;
        tw_gaussian_solve(p->prior, 1, p->rest, p->change); /* 0 unless i is a pivot */
        double c = tw_dot(r, p->change, p->h);
        sum += p->prior->variance[i] * (tw_dot(r, p->change, p->change) + c * c);
        p->rest[i] = 0.0;
    }
    return DBL_EPSILON * sum;
}

/* m = F w, and g = F'^-1 w if F is square. The error is also that of K - F F'. */
static double by_coordinates(const tw_pull *p, double *mean, double *error)
{
    tw_gaussian_solve(p->prior, 1, p->a->mean, p->h);
    tw_gaussian_spread(p->prior, 1, p->h, mean);
    double square = tw_dot(p->prior->r, p->h, p->h);
    *error = DBL_EPSILON * square;
    if (p->prior->low_rank) *error += rounding_of_core(p);
    for (size_t i = 0; i < p->a->n; i++) {
        double off = p->a->mean[i] - mean[i];
        *error += 0.5 * fabs(p->a->tau[i]) * off * off;
    }
    if (p->prior->low_rank) return square;
    tw_gaussian_solve_transposed(p->prior, 1, p->h);
    *error += rounding_of(p, p->h);
    return square;
}

/* By coordinates if K has low rank, or if it is regular and the pull of the sites has lost its digits. */
static double by_best(const tw_pull *p, double *best, double *error)
{
    double error_of_pull = INFINITY, energy = p->prior->low_rank ? NAN : by_pull(p, best, &error_of_pull);
    if (error_of_pull <= SMALL || !(p->prior->low_rank || p->prior->full_rank)) {
        *error = error_of_pull;
        return energy;
    }
    double square = by_coordinates(p, best, error);
    if (error_of_pull <= *error) {
        *error = error_of_pull;
        return energy;
    }
    memcpy(p->mean, best, p->a->n * sizeof *best);
    return square;
}

tw_status tw_approximation_energy(const tw_model *model, tw_approximation *a, double *energy, double *error)
{
    const tw_gaussian *prior = model->prior, *q = a->reference->gaussian;
    size_t n = a->n;
    double *work = NULL;
    if (q->kind->energy) {
        *energy = q->kind->energy(q, a->nu, a->mean, error);
        *error *= 0.5;
        return TW_OK;
    }
    TW_TRY(tw_allocate_doubles(a->ctx, 5 * n + (prior->r > q->r ? prior->r : q->r), 1, "the pull of sites",
                               &work));
    const tw_pull p = {.prior = prior,
                       .q = q,
                       .a = a,
                       .g = work,
                       .mean = work + n,
                       .rest = work + 2 * n,
                       .change = work + 3 * n,
                       .h = work + 5 * n};
    *energy = by_best(&p, work + 4 * n, error);
    memcpy(a->mean, p.mean, n * sizeof *a->mean);
    tw_release(a->ctx, work);
    return TW_OK;
}
