/* quadrature.c: adaptive Gauss-Kronrod quadrature of f, t f, t^2 f, ... together.
 *
 * The integral over a panel is computed with the 21-point Kronrod rule K, whose nodes contain those of the
 * 10-point Gauss rule G. K is far more accurate than G: with d = |K - G| and s the integral of |t^k f|, its
 * error is estimated as s (200 d / s)^(3/2) (Piessens, de Doncker, Ueberhuber and Kahaner 1983). A panel
 * whose error is too large is halved, and the left half comes first, so that the pending right halves form a
 * stack no deeper than the number of halvings: no memory is allocated.
 */
#include "math/quadrature.h"

#include <float.h>
#include <math.h>

enum {
    HALF = TW_QUADRATURE_NODES / 2,
    MOMENTS = TW_QUADRATURE_MOMENTS,
    FEW = 5, /* moments 0 to 4, for the first four cumulants */
    DEPTH = 48,
    PANELS = 512
};

/* Nodes on [0, 1], the weights of K, and those of G, which are zero at nodes that G lacks. */
static const double NODE[HALF + 1] = {
    0.0,
    0.1488743389816312108848,
    0.2943928627014601981311,
    0.4333953941292471907993,
    0.562757134668604683339,
    0.6794095682990244062343,
    0.7808177265864168970637,
    0.8650633666889845107321,
    0.9301574913557082260012,
    0.973906528517171720078,
    0.9956571630258080807355,
};
static const double KRONROD[HALF + 1] = {
    0.1494455540029169056649,  0.1477391049013384913748,  0.1427759385770600807971,
    0.1347092173114733259281,  0.123491976262065851078,   0.1093871588022976418992,
    0.09312545458369760553507, 0.07503967481091995276704, 0.05475589657435199603138,
    0.03255816230796472747882, 0.01169463886737187427806,
};
static const double GAUSS[HALF + 1] = {
    0.0, 0.2955242247147528701739, 0.0, 0.2692667193099963550912,  0.0, 0.2190863625159820439955,
    0.0, 0.1494513491505805931458, 0.0, 0.06667134430868813759357, 0.0,
};

typedef struct panel {
    double a, b;
    int depth;
} panel;

typedef struct measurement {
    size_t moments;
    double kronrod[MOMENTS];
    double gauss[MOMENTS];
    double size[MOMENTS]; /* the integral of |t^k f| */
} measurement;

/* Inline, so that the compiler unrolls the inner loop for a constant number of moments. */
static inline measurement measure_moments(size_t moments, tw_quadrature_function *f, void *user, panel at)
{
    double t[TW_QUADRATURE_NODES], value[TW_QUADRATURE_NODES];
    double centre = 0.5 * (at.a + at.b), half = 0.5 * (at.b - at.a);
    for (int i = -HALF; i <= HALF; i++)
        t[HALF + i] = i < 0 ? centre - half * NODE[-i] : centre + half * NODE[i];
    f(user, TW_QUADRATURE_NODES, t, value);
    measurement sums = {moments, {0.0}, {0.0}, {0.0}};
    for (int i = -HALF; i <= HALF; i++) {
        int node = i < 0 ? -i : i;
        double term = half * value[HALF + i];
        for (size_t k = 0; k < moments; k++) {
            sums.kronrod[k] += KRONROD[node] * term;
            sums.gauss[k] += GAUSS[node] * term;
            sums.size[k] += KRONROD[node] * fabs(term);
            term *= t[HALF + i];
        }
    }
    return sums;
}

static measurement measure(size_t moments, tw_quadrature_function *f, void *user, panel at)
{
    return moments == FEW ? measure_moments(FEW, f, user, at) : measure_moments(moments, f, user, at);
}

/* The largest estimated error of the moments, apart from rounding errors. */
static double estimated_error(const measurement *sums)
{
    double largest = 0.0;
    for (size_t k = 0; k < sums->moments; k++) {
        double size = sums->size[k];
        double difference = fabs(sums->kronrod[k] - sums->gauss[k]);
        if (difference <= 50.0 * DBL_EPSILON * size) continue;
        double ratio = 200.0 * difference / size;
        double error = ratio < 1.0 ? size * ratio * sqrt(ratio) : size;
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

static void accept(const measurement *sums, double error, tw_quadrature *out)
{
    for (size_t k = 0; k < sums->moments; k++) out->moment[k] += sums->kronrod[k];
    out->error += error;
}

/* Integrate over one initial panel. If f is NaN, halving does not help, and the result is not converged. */
static void integrate_panel(tw_quadrature_function *f, void *user, size_t moments, panel start,
                            double tolerance, size_t *left, tw_quadrature *out)
{
    panel stack[DEPTH + 1];
    size_t pending = 0;
    stack[pending++] = start;
    while (pending > 0) {
        panel now = stack[--pending];
        measurement sums = measure(moments, f, user, now);
        double error = estimated_error(&sums);
        out->evaluations += TW_QUADRATURE_NODES;
        if (*left > 0) --*left;
        bool good = error <= tolerance;
        if (good || now.depth == DEPTH || *left == 0) {
            accept(&sums, error, out);
            out->converged = out->converged && good;
            continue;
        }
        double middle = 0.5 * (now.a + now.b);
        stack[pending++] = (panel){middle, now.b, now.depth + 1};
        stack[pending++] = (panel){now.a, middle, now.depth + 1};
    }
}

tw_quadrature tw_quadrature_moments(tw_quadrature_function *f, void *user, size_t moments, size_t panels,
                                    const double *edge, double tolerance)
{
    tw_quadrature out = {.converged = true};
    size_t left = PANELS;
    for (size_t p = 0; p < panels; p++)
        integrate_panel(f, user, moments, (panel){edge[p], edge[p + 1], 0}, tolerance, &left, &out);
    return out;
}
