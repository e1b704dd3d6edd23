/* tilted_even.c: tilted moments from equally spaced nodes, by the trapezoidal rule over the whole line.
 *
 * For g(t) = t^k exp(f), the sum T(h) = h sum_j g(j h) is the integral plus twice the Fourier transform G of
 * g at 2 pi/h and its multiples. G falls off exponentially if g is analytic (Trefethen & Weideman 2014): like
 * exp(-w^2/2) for a Gaussian of standard deviation 1, like exp(-a w) if the nearest singularity is at
 * distance a from the line. The error is judged by |T(2 h) - T(h)|, about twice |G(pi/h)|: T(2 h) uses every
 * other node, so this is the difference of the sums over even and over odd j. If |G(pi/h)| is below AGREE,
 * |G(2 pi/h)| is below its square, except for a thin layer far out, which contributes a small part of G that
 * hardly falls off. Such a layer shows in the smoothness of l between the nodes (tilted_log.c). T(h) is
 * accepted if both tests pass; otherwise the number of nodes is doubled.
 *
 * The first nodes suit a Gaussian with the curvature at the mode. They extend to either side until f has
 * dropped by DROP; by concavity, less than 1e-12 of any moment lies beyond. If the prior is much wider than
 * the scale on which the likelihood bends, too many nodes would be needed, and panels (tilted_panels.c) are
 * better.
 */
#include <math.h>

#include "likelihood/tilted.h"
#include "math/machine.h"
#include "math/vector.h"

enum {
    MOMENTS = TW_TILT_EVEN_MOMENTS,
    SIDE = 24,    /* nodes on either side of x0, at first */
    MORE = 16,    /* nodes added at a time */
    WIDEST = 160, /* most nodes before any doubling, */
    MOST = 320    /* and most in all */
};

static const double STEP = 0.36; /* in standard deviations */
static const double SKEW = 0.6;
static const double DROP = 37.0;
static const double AGREE[2] = {1e-7, 3e-7}; /* for moments up to t^2, and for higher ones */

/* The sums of t^k exp(f) by the position of a node in its group; positions alternate between even and odd j. */
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

/* The result of adding nodes: the drop of f at the first and the last node, and whether l is smooth between
 * them. */
typedef struct finding {
    double first, last;
    bool smooth;
} finding;

/* Add n nodes in units of scale, from `first` on with spacing `step`, for a rule with spacing `ratio` times
 * that. n is a multiple of TW_GROUP and at most TW_TILT_NODES. */
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

/* The sums over even and over odd nodes, and whether l is smooth between the nodes. */
typedef struct halves {
    double even[MOMENTS], odd[MOMENTS];
    bool smooth;
} halves;

/* Whether T(h) is accurate. Odd moments are compared with the neighbouring even ones, which bound the sum of
 * |t|^k exp(f). */
static bool is_accurate(const halves *h)
{
    for (size_t k = 0; k < MOMENTS; k++) {
        size_t below = k - k % 2, above = k + k % 2 < MOMENTS ? k + k % 2 : below;
        double size = h->even[below] + h->odd[below] + h->even[above] + h->odd[above];
        if (!(fabs(h->even[k] - h->odd[k]) <= AGREE[k > 2] * size)) return false;
    }
    return h->smooth;
}

/* The first spacing, shorter if the curvature changes over a standard deviation. */
static double first_step(const tw_tilt *s)
{
    double change = s->scale * s->scale * s->scale * fabs(s->at_x0.dlambda);
    return STEP / (1.0 + SKEW * fmin(change, 1.0));
}

/* The nodes j = -left, ..., right - 1. */
typedef struct extent {
    double left, right;
} extent;

/* Add the first nodes. False if WIDEST nodes do not reach a drop of DROP on both sides. */
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

/* Add the midpoints between the nodes; `step` is the old spacing. */
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
    while (!is_accurate(&sums)) {
        if (2.0 * (at.left + at.right) > MOST) return false;
        double_nodes(s, &at, step, &sums);
        step *= 0.5;
    }
    for (size_t k = 0; k < MOMENTS; k++) moment[k] = step * (sums.even[k] + sums.odd[k]);
    return true;
}
