/* tilted_even.c: tilted moments by equally spaced nodes, the trapezoidal rule over the whole line.
 *
 * For g(t) = t^k exp(f) the sum T(h) = h sum_j g(j h) is the integral plus twice the Fourier transform G of g at 2 pi/h and
 * its multiples, and G falls off exponentially where g is analytic (Trefethen & Weideman 2014): as exp(-w^2/2) for a Gaussian of
 * standard deviation 1, as exp(-a w) where the nearest singularity is at the distance a from the line. What can be seen is
 * |T(2 h) - T(h)|, twice |G(pi/h)|: every other node is one of T(2 h), so that it is the difference of two sums, over even and over
 * odd j. Where |G(pi/h)| is below AGREE, |G(2 pi/h)| is below its square. That is not so for a thin layer far out, which has
 * a small part of G that hardly falls off. It shows in the smoothness of l between the nodes (tilted_log.c). T(h) is taken where both
 * are well; else the nodes are doubled.
 *
 * Nodes start as those that suit a Gaussian with the curvature at the mode, and go on to either side until f has dropped by DROP, so that
 * by concavity less than 1e-12 of any moment lies beyond. A prior that is much wider than the likelihood's bend takes too
 * many nodes; there panels (tilted_panels.c) are better.
 */
#include <math.h>

#include "likelihood/tilted.h"
#include "math/machine.h"
#include "math/vector.h"

enum {
    MOMENTS = TW_TILT_EVEN_MOMENTS,
    SIDE = 24,    /* nodes on either side of x0, at first */
    MORE = 16,    /* so many are added at a time */
    WIDEST = 160, /* nodes before any doubling, */
    MOST = 320    /* and in all */
};

static const double STEP = 0.36; /* in standard deviations */
static const double SKEW = 0.6;
static const double DROP = 37.0;
static const double AGREE[2] = {1e-7, 3e-7}; /* of the moments up to t^2, and of those beyond */

/* The sums of t^k exp(f) by the place of a node within its group: every other one is even. */
typedef struct lanes {
    double sum[MOMENTS][TW_GROUP];
} lanes;

TW_INLINE void add_moments(size_t n, const double *restrict t, const double *restrict f, lanes *restrict out)
{
    for (size_t i = 0; i < n; i += TW_GROUP) {
        double term[TW_GROUP];
        for (size_t j = 0; j < TW_GROUP; j++) term[j] = f[i + j];
        for (size_t k = 0; k < MOMENTS; k++)
            for (size_t j = 0; j < TW_GROUP; j++) {
                out->sum[k][j] += term[j];
                term[j] *= t[i + j];
            }
    }
}

#define ADD_GROUPS(machine, target, fused)                                                         \
    target static void add_groups##machine(size_t n, const double *t, const double *f, lanes *out) \
    {                                                                                              \
        add_moments(n / TW_GROUP * TW_GROUP, t, f, out);                                           \
    }
TW_FOR_EACH_MACHINE(ADD_GROUPS)

/* What adding nodes tells: the drop of f at the first and at the last, and whether l is smooth between them. */
typedef struct finding {
    double first, last;
    bool smooth;
} finding;

/* Add n nodes from `first` on, in units of scale, `step` apart, for a rule whose nodes are `ratio` of that apart. n is a multiple of
 * TW_GROUP and at most TW_TILT_NODES. */
static finding add_nodes(tw_tilt *s, size_t n, double first, double step, double ratio, lanes *sums)
{
    double t[TW_TILT_NODES], f[TW_TILT_NODES];
    for (size_t i = 0; i < n; i++) t[i] = first + step * (double)i;
    bool smooth = tw_tilt_smooth_logs(s, n, t, MOMENTS - 1, ratio, f);
    finding out = {-f[0], -f[n - 1], smooth};
    tw_vector_exp(n, f, f);
    TW_ON_THIS_MACHINE(add_groups, n, t, f, sums);
    return out;
}

/* The sums over even nodes and over odd ones, and whether l is smooth between the nodes. */
typedef struct halves {
    double even[MOMENTS], odd[MOMENTS];
    bool smooth;
} halves;

/* Is T(h) good? Odd moments are judged by the even ones beside them, which bound the sum of |t|^k exp(f). */
static bool good(const halves *h)
{
    for (size_t k = 0; k < MOMENTS; k++) {
        size_t below = k - k % 2, above = k + k % 2 < MOMENTS ? k + k % 2 : below;
        double size = h->even[below] + h->odd[below] + h->even[above] + h->odd[above];
        if (!(fabs(h->even[k] - h->odd[k]) <= AGREE[k > 2] * size)) return false;
    }
    return h->smooth;
}

/* Shorter where the curvature changes over a standard deviation. */
static double first_step(const tw_tilt *s)
{
    double change = s->scale * s->scale * s->scale * fabs(s->at_x0.dlambda);
    return STEP / (1.0 + SKEW * fmin(change, 1.0));
}

/* Nodes from -left to right - 1. */
typedef struct extent {
    double left, right;
} extent;

/* The first nodes; false where too few suffice for neither end. */
static bool first_nodes(tw_tilt *s, double step, extent *at, halves *sums)
{
    lanes all = {{{0.0}}};
    *at = (extent){SIDE, SIDE};
    finding found = add_nodes(s, 2 * (size_t)SIDE, -step * SIDE, step, 1.0, &all);
    double left = found.first, right = found.last;
    sums->smooth = found.smooth;
    while (left < DROP && at->left + at->right < WIDEST) {
        at->left += MORE;
        found = add_nodes(s, MORE, -step * at->left, step, 1.0, &all);
        left = found.first;
        sums->smooth &= found.smooth;
    }
    while (right < DROP && at->left + at->right < WIDEST) {
        found = add_nodes(s, MORE, step * at->right, step, 1.0, &all);
        right = found.last;
        sums->smooth &= found.smooth;
        at->right += MORE;
    }
    for (size_t k = 0; k < MOMENTS; k++) {
        sums->even[k] = sums->odd[k] = 0.0;
        for (size_t j = 0; j < TW_GROUP; j++) *(j % 2 ? &sums->odd[k] : &sums->even[k]) += all.sum[k][j];
    }
    return left >= DROP && right >= DROP;
}

/* The nodes between the nodes, `step` apart. */
static void double_nodes(tw_tilt *s, extent *at, double step, halves *sums)
{
    lanes all = {{{0.0}}};
    double first = (0.5 - at->left) * step;
    size_t count = (size_t)(at->left + at->right + 0.5);
    sums->smooth = true;
    for (size_t start = 0; start < count; start += TW_TILT_NODES) {
        size_t n = tw_chunk(count, start, TW_TILT_NODES);
        sums->smooth &= add_nodes(s, n, first + step * (double)start, step, 0.5, &all).smooth;
    }
    *at = (extent){2.0 * at->left, 2.0 * at->right};
    for (size_t k = 0; k < MOMENTS; k++) {
        sums->even[k] += sums->odd[k];
        sums->odd[k] = 0.0;
        for (size_t j = 0; j < TW_GROUP; j++) sums->odd[k] += all.sum[k][j];
    }
}

bool tw_tilt_even(tw_tilt *s, double *moment)
{
    extent at;
    halves sums;
    s->scale = 1.0 / sqrt(tw_tilt_curvature(s, s->at_x0));
    double step = first_step(s);
    if (!first_nodes(s, step, &at, &sums)) return false;
    while (!good(&sums)) {
        if (2.0 * (at.left + at.right) > MOST) return false;
        double_nodes(s, &at, step, &sums);
        step *= 0.5;
    }
    for (size_t k = 0; k < MOMENTS; k++) moment[k] = step * (sums.even[k] + sums.odd[k]);
    return true;
}
