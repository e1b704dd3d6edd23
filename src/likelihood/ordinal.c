/* ordinal.c: ordered levels 1, 2, ..., K, given by cut points c_1 < c_2 < ... < c_(K-1) of a normal variable
 * with mean x:
 *
 *   p(y = j | x) = Phi(c_j - x) - Phi(c_(j-1) - x),   c_0 = -inf, c_K = inf.
 *
 * ordinal3 to ordinal7 have that many levels. The parameter `cut` is c_1, and `gap2`, `gap3`, ... are the
 * distances c_2 - c_1, c_3 - c_2, ..., as logarithms, so that the cut points stay in order. p is log-concave
 * in x.
 *
 * With a = c_(j-1) - x and b = c_j - x the cell is [a, b]. If a + b > 0 it is reflected to [-b, -a], since in
 * the upper tail rho below would be close to 1. Let r, lambda, lambda' be the hazard of Phi, its curvature
 * and slope (math/normal.h), rho = Phi(a)/Phi(b), w = rho/(1 - rho), D = r(a) - r(b),
 * E = lambda(a) - lambda(b), F = lambda'(b) - lambda'(a). Since dw/dx = -w (1 + w) D, dD/dx = E and
 * dE/dx = F:
 *   l       = log Phi(b) + log(1 - rho)
 *   l'      = -r(b) + w D
 *   lambda  = lambda(b) + w (1 + w) D^2 - w E
 *   dlambda = -lambda'(b) - w (1 + w) (1 + 2 w) D^3 + 3 w (1 + w) D E - w F.
 * These forms do not cancel for x far from the cell, since the functions of Phi do not. A narrow gap g loses
 * digits like 1e-16/g and therefore has its own formulas (narrow.h).
 *
 * Parameters: a shift of both ends equals a shift of -x. For the upper end alone, dl/db = B = phi(b)/P,
 * dl'/db = dB/dx and dlambda/db = -d2B/dx2, where B = (1 + w) r(b), or B = w r(a) for a reflected cell. Their
 * logarithmic derivatives dlog B/dx are
 *   u(b) - w D   and   u(a) - (1 + w) D,      u = lambda/r = z + r,   du/dx = lambda - 1.
 *
 * Averaged over N(x, s2), p has the same form with all arguments divided by sqrt(1 + s2), so smoothed
 * curvature, marginals and predictions are exact. The expected information is the sum of P lambda
 * over levels. Tilted moments come from quadrature. With an offset, x means x + offset.
 */
#include <math.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "likelihood/narrow.h"
#include "math/normal.h"

enum { MOST_LEVELS = 7, OFFSET = 0, CUT = 0, CHUNK = 128 };

static const tw_column COLUMNS[] = {TW_OFFSET_COLUMN};

#define GAP(k)                                                                                \
    {                                                                                         \
        .name = "gap" #k, .transform = TW_TRANSFORM_LOG, .initial = 1.0,                      \
        .help = "the distance from the previous cut point to this one, in units of the noise" \
    }
static const tw_parameter PARAMETERS[MOST_LEVELS - 1] = {
    {.name = "cut",
     .transform = TW_TRANSFORM_NONE,
     .initial = -1.0,
     .help = "the first cut point; level 1 means that x plus standard normal noise is below it"},
    GAP(2),
    GAP(3),
    GAP(4),
    GAP(5),
    GAP(6)};

static size_t levels_of(const tw_observations *o)
{
    return o->likelihood->parameters + 1;
}

static bool supports(const tw_observations *o, size_t i)
{
    double y = o->y[i];
    return y >= 1.0 && y <= (double)levels_of(o) && floor(y) == y;
}

/* cut[j] is c_j, j = 0..K. */
static void set_cuts(const tw_observations *o, double cut[MOST_LEVELS + 1])
{
    size_t levels = levels_of(o);
    cut[0] = -INFINITY;
    cut[1] = tw_observations_parameter(o, CUT);
    for (size_t j = 2; j < levels; j++) cut[j] = cut[j - 1] + tw_observations_parameter(o, j - 1);
    cut[levels] = INFINITY;
}

/* The normal functions at one end of the cells. */
typedef struct ends {
    double z[CHUNK], log_cdf[CHUNK], hazard[CHUNK], curvature[CHUNK], slope[CHUNK];
} ends;

/* Up to CHUNK cells. A cell without a lower end has w = 0, and `low` is a copy of `high`. */
typedef struct cells {
    size_t n;
    double sign[CHUNK]; /* -1: reflected */
    double w[CHUNK];
    double half[CHUNK], centre[CHUNK]; /* half the width (0: not narrow) and the centre of a narrow cell */
    ends low, high;
} cells;

/* w = 1/(exp(d) - 1) for d = log Phi(b) - log Phi(a) > 0. */
static double ratio(double d)
{
    return d < 700.0 ? 1.0 / expm1(d) : 0.0;
}

static void fill_ends(size_t n, ends *e)
{
    double z[CHUNK]; /* a copy, for static analysers: the output must not alias it */
    memcpy(z, e->z, n * sizeof *z);
    tw_normal_block(n, z, e->log_cdf, e->hazard, e->curvature, e->slope);
}

/* The cells of the at most CHUNK sites of `part`, for levels y and latent x, all divided by `scale` (NULL:
 * 1). */
static void set_cells(const tw_observations *part, const double *cut, const double *y, const double *x,
                      const double *scale, cells *c)
{
    double room[CHUNK];
    size_t n = c->n = part->n;
    x = tw_with_offset(part, OFFSET, x, room);
    for (size_t i = 0; i < n; i++) {
        size_t level = (size_t)y[i];
        double by = scale ? 1.0 / scale[i] : 1.0, a = by * (cut[level - 1] - x[i]),
               b = by * (cut[level] - x[i]);
        bool over = a + b > 0.0, inside = level > 1 && level < levels_of(part);
        double half = inside ? 0.5 * by * tw_observations_parameter(part, level - 1) : INFINITY;
        c->half[i] = half <= TW_NARROW ? half : 0.0;
        c->centre[i] = 0.5 * (a + b);
        c->sign[i] = over ? -1.0 : 1.0;
        c->high.z[i] = over ? -a : b;
        c->low.z[i] = over ? -b : a;
        c->w[i] = c->low.z[i] > -INFINITY; /* a flag for now: whether there is a lower end */
        if (c->w[i] == 0.0) c->low.z[i] = c->high.z[i];
    }
    fill_ends(n, &c->low);
    fill_ends(n, &c->high);
    for (size_t i = 0; i < n; i++)
        if (c->w[i] != 0.0) c->w[i] = ratio(c->high.log_cdf[i] - c->low.log_cdf[i]);
}

/* The differences D, E and F of the head; 0 if the lower end is negligible. */
typedef struct gaps {
    double d, e, f;
} gaps;

static gaps gaps_of(const cells *c, size_t i)
{
    if (c->w[i] == 0.0) return (gaps){0.0, 0.0, 0.0};
    return (gaps){c->low.hazard[i] - c->high.hazard[i], c->low.curvature[i] - c->high.curvature[i],
                  c->high.slope[i] - c->low.slope[i]};
}

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

/* The terms of cell i as functions of x, also for a reflected cell. */
static point point_of(const cells *c, size_t i)
{
    if (c->half[i] > 0.0) {
        tw_narrow n = tw_narrow_terms(c->centre[i], c->half[i]);
        return (point){n.value, n.slope, n.lambda, n.dlambda};
    }
    double w = c->w[i], ww = w * (1.0 + w);
    gaps g = gaps_of(c, i);
    point p = {.value = c->high.log_cdf[i] - log1p(w),
               .slope = -c->high.hazard[i] + w * g.d,
               .lambda = c->high.curvature[i] + ww * g.d * g.d - w * g.e};
    p.dlambda = -c->high.slope[i] - ww * (1.0 + 2.0 * w) * g.d * g.d * g.d + 3.0 * ww * g.d * g.e - w * g.f;
    p.slope *= c->sign[i];
    p.dlambda *= c->sign[i];
    return p;
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double cut[MOST_LEVELS + 1];
    cells c;
    set_cuts(o, cut);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        set_cells(&part, cut, part.y, x + start, NULL, &c);
        for (size_t i = 0; i < c.n; i++) {
            point p = point_of(&c, i);
            if (value) value[start + i] = p.value;
            if (slope) slope[start + i] = p.slope;
            if (lambda) lambda[start + i] = p.lambda;
            if (dlambda) dlambda[start + i] = p.dlambda;
        }
    }
}

/* ---- parameters ---- */

/* u = lambda/r at one end of cell i. */
static double u_of(const ends *e, size_t i)
{
    return e->z[i] > 0.0 ? e->z[i] + e->hazard[i] : e->curvature[i] / e->hazard[i];
}

/* The derivatives of value, slope and lambda with respect to the upper end of the level. */
static point d_upper_end(const cells *c, size_t i)
{
    if (c->half[i] > 0.0) {
        tw_narrow n = tw_narrow_upper_moves(c->centre[i], c->half[i]);
        return (point){n.value, n.slope, n.lambda, n.dlambda};
    }
    double w = c->w[i], ww = w * (1.0 + w);
    gaps g = gaps_of(c, i);
    bool over = c->sign[i] < 0.0;
    const ends *e = over ? &c->low : &c->high;
    double weight = over ? w : 1.0 + w, b = weight * e->hazard[i];
    double rate = u_of(e, i) - (over ? 1.0 + w : w) * g.d;
    double bend = e->curvature[i] - 1.0 + ww * g.d * g.d - (over ? 1.0 + w : w) * g.e;
    return (point){.value = b, .slope = c->sign[i] * b * rate, .lambda = -b * (rate * rate + bend)};
}

/* phi[k] moves c_(k+1) and all later cut points: the upper end of level k + 1, and both ends of higher
 * levels. */
static point d_site(const cells *c, size_t i, size_t level, size_t k)
{
    if (level < k + 1) return (point){0.0, 0.0, 0.0, 0.0};
    if (level == k + 1) return d_upper_end(c, i);
    point p = point_of(c, i);
    return (point){.value = -p.slope, .slope = p.lambda, .lambda = -p.dlambda};
}

static void d_parameter(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda)
{
    double cut[MOST_LEVELS + 1], unit = k == CUT ? 1.0 : tw_observations_parameter(o, k);
    cells c;
    set_cuts(o, cut);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        set_cells(&part, cut, part.y, x + start, NULL, &c);
        for (size_t i = 0; i < c.n; i++) {
            point p = d_site(&c, i, (size_t)o->y[start + i], k);
            if (value) value[start + i] = unit * p.value;
            if (slope) slope[start + i] = unit * p.slope;
            if (lambda) lambda[start + i] = unit * p.lambda;
        }
    }
}

/* ---- averages over x ---- */

static void marginal(const tw_observations *o, const double *m, double v, double *log_p)
{
    double cut[MOST_LEVELS + 1], scale[CHUNK];
    cells c;
    set_cuts(o, cut);
    for (size_t i = 0; i < CHUNK; i++) scale[i] = sqrt(1.0 + v);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        set_cells(&part, cut, part.y, m + start, scale, &c);
        for (size_t i = 0; i < c.n; i++) log_p[start + i] = point_of(&c, i).value;
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    double cut[MOST_LEVELS + 1], scale[CHUNK];
    cells c;
    set_cuts(o, cut);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        for (size_t i = 0; i < part.n; i++) scale[i] = sqrt(1.0 + s2[start + i]);
        set_cells(&part, cut, part.y, x + start, scale, &c);
        for (size_t i = 0; i < part.n; i++) {
            point p = point_of(&c, i);
            double square = 1.0 + s2[start + i];
            if (lambda) lambda[start + i] = p.lambda / square;
            if (dlambda) dlambda[start + i] = p.dlambda / (square * scale[i]);
        }
    }
}

/* ---- sums over levels ---- */

/* Sums over all levels of P times the quantities below, for one chunk of sites. */
typedef struct over_levels {
    double level[CHUNK], square[CHUNK];  /* j and j^2 */
    double lambda[CHUNK], change[CHUNK]; /* lambda, and dlambda + l' lambda = d(P lambda)/dx / P */
} over_levels;

static void sum_levels(const tw_observations *part, const double *x, const double *scale, over_levels *sums)
{
    double cut[MOST_LEVELS + 1], y[CHUNK];
    size_t n = part->n;
    cells c;
    set_cuts(part, cut);
    memset(sums, 0, sizeof *sums);
    for (size_t level = 1; level <= levels_of(part); level++) {
        for (size_t i = 0; i < n; i++) y[i] = (double)level;
        set_cells(part, cut, y, x, scale, &c);
        for (size_t i = 0; i < n; i++) {
            point p = point_of(&c, i);
            double share = exp(p.value);
            sums->level[i] += share * y[i];
            sums->square[i] += share * y[i] * y[i];
            sums->lambda[i] += share * p.lambda;
            sums->change[i] += share * (p.dlambda + p.slope * p.lambda);
        }
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    over_levels sums;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        sum_levels(&part, x + start, NULL, &sums);
        if (lambda) memcpy(lambda + start, sums.lambda, part.n * sizeof *lambda);
        if (dlambda) memcpy(dlambda + start, sums.change, part.n * sizeof *dlambda);
    }
}

static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    double scale[CHUNK];
    over_levels sums;
    for (size_t i = 0; i < CHUNK; i++) scale[i] = sqrt(1.0 + v);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        sum_levels(&part, m + start, scale, &sums);
        for (size_t i = 0; i < part.n; i++) {
            if (mean) mean[start + i] = sums.level[i];
            if (variance) variance[start + i] = fmax(sums.square[i] - sums.level[i] * sums.level[i], 0.0);
        }
    }
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

#define ORDINAL(K)                                                                       \
    const tw_likelihood tw_likelihood_ordinal##K = {.name = "ordinal" #K,                \
                                                    .support = "a level 1, 2, ..., " #K, \
                                                    .columns = 1,                        \
                                                    .column = COLUMNS,                   \
                                                    .parameters = (K)-1,                 \
                                                    .levels = (K),                       \
                                                    .parameter = PARAMETERS,             \
                                                    .supports = supports,                \
                                                    .terms = terms,                      \
                                                    .d_parameter = d_parameter,          \
                                                    .marginal = marginal,                \
                                                    .smoothed = smoothed,                \
                                                    .fisher = fisher,                    \
                                                    .expect = expect,                    \
                                                    .predict = predict};
ORDINAL(3)
ORDINAL(4)
ORDINAL(5)
ORDINAL(6)
ORDINAL(7)
