/* lobes.c: see lobes.h. */
#include "support/lobes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/random.h"
#include "support/support.h"

/* ---- cases ---- */

/* 30 rows of numpy's default_rng(11): normal(size=20), uniform(0, 10, 10) and normal(size=10) are drawn first,
 * then uniform(0, 1, (30, 2)) and normal(size=30). */
static const double noise_x[] = {
    0.03307468738, 0.3457478738,  0.9061343389,  0.3393206607,  0.1598236941,  0.4597159799, 0.0546680614,
    0.8458901064,  0.3087097432,  0.08923725442, 0.02458610747, 0.4663031972,  0.739246874,  0.06192023515,
    0.8957577517,  0.8051359899,  0.09290142164, 0.292975067,   0.493178951,   0.2172113035, 0.2581408519,
    0.9410059947,  0.4360015036,  0.7465089173,  0.06743893309, 0.2450940511,  0.7418070965, 0.6614755143,
    0.7810548234,  0.1497351738,  0.2007689542,  0.4689081634,  0.6973610887,  0.0168772151, 0.9964358755,
    0.6910399163,  0.03405027895, 0.5878819407,  0.3173766383,  0.1726696011,  0.8391248484, 0.1272029161,
    0.1956528299,  0.5983921073,  0.02694341138, 0.1901700167,  0.01796203565, 0.727111744,  0.8529199945,
    0.3151827471,  0.9783011373,  0.3406861759,  0.3143196287,  0.04001310255, 0.4040375875, 0.8452249817,
    0.5457939825,  0.6922791067,  0.9275025971,  0.6261301577};
static const double noise_y[] = {-0.2037407224, -0.7344710985, 0.3872597559,  0.3078796264, -0.09298412758,
                                 -0.2216879397, -1.284916571,  -0.4861756671, 1.206449671,  -0.1905582569,
                                 -1.439697317,  1.334442807,   0.5302654085,  2.108087029,  0.06251216939,
                                 -0.4613845791, -1.447644699,  1.32383837,    2.569511513,  -0.8209349372,
                                 -0.6470876402, 0.5961887987,  -0.8303454354, -0.270558367, -0.3498376994,
                                 0.1919588873,  1.094818443,   0.02206758971, 0.9189100958, -0.419888896};

static const double two_modes_x[] = {0.0, 0.96, 1.54, 2.28, 2.98, 3.26, 4.03, 5.22, 5.48, 6.16, 7.11, 7.95};
static const double two_modes_y[] = {0.575, 0.835, 0.503, 0.25,  0.389, 0.521,
                                     0.699, 0.315, 0.219, 0.186, 0.471, 0.235};
static const double alternating_y[] = {1.0, -1.0, 1.2, -0.9, 0.8, -1.1, 1.0, -1.0};

enum { TWO_MODES = 12, ALTERNATING = 8 };
static const char *const parameter_name[LOBES_PARAMETERS] = {"ell", "sigma", "noise"};

static void set_normal(lobes_case *c, size_t k, double mean, double sd)
{
    snprintf(c->prior[k], sizeof c->prior[k], "log_%s ~ normal(%g, %g)", parameter_name[k], mean, sd);
}

static void set_uniform(lobes_case *c, size_t k, double low, double high)
{
    snprintf(c->prior[k], sizeof c->prior[k], "log_%s ~ uniform(%g, %g)", parameter_name[k], low, high);
}

static void fix(lobes_case *c, size_t k, double value)
{
    c->prior[k][0] = '\0';
    c->fixed[k] = value;
}

static void draw_inputs(lobes_case *c, tw_stream *stream, double range)
{
    for (size_t i = 0; i < c->n * c->d; i++) c->x[i] = range * tw_stream_uniform(stream);
}

static void make_noise(lobes_case *c, size_t number, tw_stream *stream)
{
    c->n = 12 + 7 * number % 19;
    c->d = 1 + number % 2;
    draw_inputs(c, stream, 1.0);
    for (size_t i = 0; i < c->n; i++) c->y[i] = tw_stream_normal(stream);
    set_normal(c, 0, -0.5, number % 3 == 0 ? 1.5 : 1.0);
    set_normal(c, 1, -0.1, number % 3 == 1 ? 1.5 : 1.0);
    set_normal(c, 2, number % 4 == 2 ? -1.0 : 0.0, number % 4 == 1 ? 1.5 : 1.0);
    if (number % 4 == 3) fix(c, 1, 1.0);
}

static void make_alternating(lobes_case *c, size_t number, tw_stream *stream)
{
    double sd = number % 4 == 1 ? 3.0 : 2.0;
    c->n = 6 + number % 7;
    for (size_t i = 0; i < c->n; i++) {
        c->x[i] = (double)i;
        c->y[i] = (i % 2 == 0 ? 1.0 : -1.0) + 0.15 * tw_stream_normal(stream);
    }
    set_normal(c, 0, 0.0, sd);
    set_normal(c, 1, 0.0, sd);
    set_normal(c, 2, -2.0, 2.0);
    if (number % 4 == 3) fix(c, 1, 1.5);
}

/* Data that want a length scale above, a noise below, or a noise above what the priors allow. */
static void make_corner(lobes_case *c, size_t number, tw_stream *stream)
{
    size_t kind = number % 3;
    c->n = 10 + number % 6;
    draw_inputs(c, stream, 1.0);
    for (size_t i = 0; i < c->n; i++) {
        double z = tw_stream_normal(stream), x = c->x[i];
        c->y[i] = kind == 0 ? 4.0 * x - 1.0 + 0.05 * z : kind == 1 ? 2.0 * sin(5.0 * x) + 0.01 * z : 2.5 * z;
    }
    set_uniform(c, 0, -4.0, kind == 0 ? -0.5 : 2.0);
    set_uniform(c, 1, -3.0, kind == 0 ? 0.5 : 3.0);
    set_uniform(c, 2, kind == 1 ? -3.0 : -6.0, kind == 2 ? 0.5 : 2.0);
    if (number % 5 == 4) fix(c, 1, 1.5);
}

/* The weight of the mode of long length scales falls with the prior mean of the noise. */
static void make_two_modes(lobes_case *c, size_t number, tw_stream *stream)
{
    c->n = TWO_MODES;
    memcpy(c->x, two_modes_x, sizeof two_modes_x);
    for (size_t i = 0; i < TWO_MODES; i++) c->y[i] = two_modes_y[i] + 0.01 * tw_stream_normal(stream);
    set_normal(c, 0, 0.0, 1.5);
    set_normal(c, 2, -1.5 - 0.6 * (double)(number % 8), number % 8 < 4 ? 1.5 : 1.2);
    fix(c, 1, 4.0);
    if (number % 4 == 2) set_normal(c, 1, 1.4, 0.3);
}

static void make_signal(lobes_case *c, size_t number, tw_stream *stream)
{
    c->n = 8 + number % 7;
    draw_inputs(c, stream, 8.0);
    for (size_t i = 0; i < c->n; i++) c->y[i] = sin(1.3 * c->x[i]) + 0.6 * tw_stream_normal(stream);
    set_normal(c, 0, 0.0, 2.0);
    set_normal(c, 1, 0.0, number % 2 == 0 ? 1.0 : 2.0);
    set_normal(c, 2, -1.0, 2.0);
    if (number % 4 == 2) fix(c, 2, 0.4);
    if (number % 4 >= 2) fix(c, 1, 1.0);
}

static void make_known(lobes_case *c, size_t number)
{
    static const char *const names[] = {"noise, 30 rows", "alternating, 8 rows", "two modes, 12 rows"};
    snprintf(c->name, sizeof c->name, "%s", names[number]);
    if (number == 0) {
        c->n = LOBES_CASES;
        c->d = 2;
        memcpy(c->x, noise_x, sizeof noise_x);
        memcpy(c->y, noise_y, sizeof noise_y);
        set_normal(c, 0, -0.54, 1.0);
        set_normal(c, 1, -0.14, 1.0);
        set_normal(c, 2, 0.0, 1.0);
    } else if (number == 1) {
        c->n = ALTERNATING;
        for (size_t i = 0; i < c->n; i++) c->x[i] = (double)i;
        memcpy(c->y, alternating_y, sizeof alternating_y);
        set_normal(c, 0, 0.0, 2.0);
        set_normal(c, 1, 0.0, 2.0);
        set_normal(c, 2, -2.0, 2.0);
    } else {
        c->n = TWO_MODES;
        memcpy(c->x, two_modes_x, sizeof two_modes_x);
        memcpy(c->y, two_modes_y, sizeof two_modes_y);
        set_normal(c, 0, 0.0, 1.5);
        fix(c, 1, 4.0);
        set_normal(c, 2, -2.0, 1.5);
    }
}

const size_t lobes_known = 3;

lobes_case lobes_make(lobes_class kind, size_t number)
{
    static void (*const make[])(lobes_case *, size_t, tw_stream *) = {
        make_noise, make_alternating, make_corner, make_two_modes, make_signal};
    static const char *const names[] = {"noise", "alternating", "corner", "two modes", "signal or noise"};
    lobes_case c = {.d = 1};
    tw_stream stream = tw_stream_at(26, TW_STREAM_DATA, number, (uint64_t)kind);
    if (kind == LOBES_KNOWN) {
        make_known(&c, number);
    } else {
        snprintf(c.name, sizeof c.name, "%s %zu", names[kind], number);
        make[kind](&c, number, &stream);
    }
    for (size_t k = 0; k < LOBES_PARAMETERS; k++) c.unknown += c.prior[k][0] != '\0';
    return c;
}

/* ---- a case as a problem ---- */

tw_problem *lobes_pose(const lobes_case *c, tw_context *ctx)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian")};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, c->n, c->d, c->x, c->n, c->y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, "se", c->d, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

tw_priors *lobes_priors(const lobes_case *c, tw_problem *problem)
{
    tw_priors *priors = NULL;
    char text[48];
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    for (size_t k = 0; k < LOBES_PARAMETERS; k++) {
        if (c->prior[k][0]) {
            assert_int_equal(tw_priors_read(priors, problem, c->prior[k]), TW_OK);
            continue;
        }
        snprintf(text, sizeof text, "%s=%.17g", parameter_name[k], c->fixed[k]);
        assert_int_equal(tw_priors_fix(priors, problem, text), TW_OK);
    }
    return priors;
}

/* ---- the truth ---- */

/* Panels of the five-point rule of Gauss and Legendre, over the normal scores of a normal prior within 7.5 and
 * over the range of a uniform one. A first pass finds the panels that matter, which the second one divides. */
enum { PANELS = 30, EACH = 5, NODES = 300 };

typedef struct axis {
    size_t count;
    size_t panel[NODES]; /* of the first pass */
    double theta[NODES], weight[NODES];
    double best[PANELS]; /* the largest log Z + log weight in each panel of the first pass */
} axis;

/* Add the nodes of part `part` of `parts` of a panel. */
static void add_panel(axis *a, const lobes_case *c, size_t k, const tw_priors *priors,
                      const tw_problem *problem, size_t panel, size_t part, size_t parts)
{
    static const double place[] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                   0.9061798459386640};
    static const double share[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                   0.4786286704993665, 0.2369268850561891};
    bool uniform = strstr(c->prior[k], "uniform") != NULL;
    double low = uniform ? 0.0 : -7.5, high = uniform ? 1.0 : 7.5, step = (high - low) / PANELS;
    double begin = low + step * ((double)panel + (double)part / (double)parts);
    step /= (double)parts;
    for (size_t i = 0; i < EACH; i++) {
        double v = begin + step * (0.5 + 0.5 * place[i]), p = uniform ? v : 0.5 * erfc(-v / sqrt(2.0));
        double density = uniform ? 1.0 : exp(-0.5 * v * v) / sqrt(2.0 * acos(-1.0));
        a->panel[a->count] = panel;
        a->theta[a->count] = tw_prior_quantile(&priors->prior[k], tw_problem_parameter(problem, k), p);
        a->weight[a->count++] = 0.5 * step * share[i] * density;
    }
}

/* All panels in the first pass; afterwards those within 40 nats of the best, divided. */
static void refine(axis *a, const lobes_case *c, size_t k, const tw_priors *priors, const tw_problem *problem,
                   double largest)
{
    size_t active = 0;
    for (size_t i = 0; i < PANELS; i++) active += a->best[i] > largest - 40.0;
    a->count = 0;
    size_t parts = NODES / (EACH * active);
    for (size_t i = 0; i < PANELS; i++)
        for (size_t part = 0; a->best[i] > largest - 40.0 && part < parts; part++)
            add_panel(a, c, k, priors, problem, i, part, parts);
    for (size_t i = 0; i < PANELS; i++) a->best[i] = -INFINITY;
}

static axis make_axis(const lobes_case *c, size_t k, const tw_priors *priors, const tw_problem *problem)
{
    axis a = {.count = 1, .theta = {log(c->fixed[k])}, .weight = {1.0}};
    if (!c->prior[k][0]) return a;
    a.count = 0;
    for (size_t i = 0; i < PANELS; i++) a.best[i] = -INFINITY;
    for (size_t i = 0; i < PANELS; i++) add_panel(&a, c, k, priors, problem, i, 0, 1);
    return a;
}

/* Eigenvalues (the diagonal of m afterwards) and vectors (columns of u) by Jacobi's rotations. */
static void diagonalise(size_t n, double m[LOBES_CASES][LOBES_CASES], double u[LOBES_CASES][LOBES_CASES])
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) u[i][j] = i == j;
    for (int sweep = 0; sweep < 12; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                if (fabs(m[p][q]) < 1e-17) continue;
                double t = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                t = (t >= 0.0 ? 1.0 : -1.0) / (fabs(t) + sqrt(1.0 + t * t));
                double co = 1.0 / sqrt(1.0 + t * t), si = t * co;
                for (size_t k = 0; k < n; k++) {
                    double a = m[k][p], b = m[k][q];
                    m[k][p] = co * a - si * b;
                    m[k][q] = si * a + co * b;
                }
                for (size_t k = 0; k < n; k++) {
                    double a = m[p][k], b = m[q][k];
                    m[p][k] = co * a - si * b;
                    m[q][k] = si * a + co * b;
                    a = u[k][p];
                    b = u[k][q];
                    u[k][p] = co * a - si * b;
                    u[k][q] = si * a + co * b;
                }
            }
}

/* K without its amplitude, diagonal: eigenvalues and squared coefficients of y. */
typedef struct spectrum {
    double value[LOBES_CASES], y2[LOBES_CASES];
} spectrum;

static spectrum spectrum_at(const lobes_case *c, double log_ell)
{
    static double m[LOBES_CASES][LOBES_CASES], u[LOBES_CASES][LOBES_CASES];
    spectrum s;
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < c->d; k++) {
                double d = c->x[i + k * c->n] - c->x[j + k * c->n];
                sum += d * d;
            }
            m[i][j] = exp(-0.5 * sum * exp(-2.0 * log_ell));
        }
    diagonalise(c->n, m, u);
    for (size_t k = 0; k < c->n; k++) {
        double y = 0.0;
        for (size_t i = 0; i < c->n; i++) y += u[i][k] * c->y[i];
        s.value[k] = fmax(m[k][k], 0.0);
        s.y2[k] = y * y;
    }
    return s;
}

static double log_z(const lobes_case *c, const spectrum *s, double log_sigma, double log_noise)
{
    double signal = exp(2.0 * log_sigma), noise = exp(2.0 * log_noise), sum = 0.0, product = 1.0, logs = 0.0;
    for (size_t k = 0; k < c->n; k++) {
        double v = signal * s->value[k] + noise;
        sum += s->y2[k] / v;
        product *= v;
        if (product > 1e-200 && product < 1e200) continue;
        logs += log(product);
        product = 1.0;
    }
    return -0.5 * (sum + logs + log(product) + (double)c->n * log(2.0 * acos(-1.0)));
}

/* Sums relative to exp(largest): of weights, and of weights times powers of theta. */
typedef struct sums {
    double largest, total, first[LOBES_PARAMETERS], second[LOBES_PARAMETERS];
} sums;

static void add(sums *s, double level, double weight, const double *theta)
{
    if (level > s->largest) {
        double scale = exp(s->largest - level);
        s->total *= scale;
        for (size_t k = 0; k < LOBES_PARAMETERS; k++) {
            s->first[k] *= scale;
            s->second[k] *= scale;
        }
        s->largest = level;
    }
    if (level < s->largest - 45.0) return;
    double w = weight * exp(level - s->largest);
    s->total += w;
    for (size_t k = 0; k < LOBES_PARAMETERS; k++) {
        s->first[k] += w * theta[k];
        s->second[k] += w * theta[k] * theta[k];
    }
}

static sums integrate(const lobes_case *c, axis a[LOBES_PARAMETERS])
{
    sums s = {.largest = -INFINITY};
    for (size_t e = 0; e < a[0].count; e++) {
        spectrum here = spectrum_at(c, a[0].theta[e]);
        for (size_t i = 0; i < a[1].count; i++)
            for (size_t j = 0; j < a[2].count; j++) {
                const double theta[LOBES_PARAMETERS] = {a[0].theta[e], a[1].theta[i], a[2].theta[j]};
                const size_t panel[LOBES_PARAMETERS] = {a[0].panel[e], a[1].panel[i], a[2].panel[j]};
                double level = log_z(c, &here, theta[1], theta[2]);
                double weight = a[0].weight[e] * a[1].weight[i] * a[2].weight[j], all = level + log(weight);
                for (size_t k = 0; k < LOBES_PARAMETERS; k++)
                    if (all > a[k].best[panel[k]]) a[k].best[panel[k]] = all;
                add(&s, level, weight, theta);
            }
    }
    return s;
}

lobes_truth lobes_solve(const lobes_case *c)
{
    static axis a[LOBES_PARAMETERS];
    tw_context *ctx = new_context();
    tw_problem *problem = lobes_pose(c, ctx);
    tw_priors *priors = lobes_priors(c, problem);
    for (size_t k = 0; k < LOBES_PARAMETERS; k++) a[k] = make_axis(c, k, priors, problem);
    sums s = integrate(c, a);
    for (int pass = 0; pass < 1; pass++) {
        double most = -INFINITY;
        for (size_t i = 0; i < PANELS; i++) most = fmax(most, a[c->prior[0][0] ? 0 : 2].best[i]);
        for (size_t k = 0; k < LOBES_PARAMETERS; k++)
            if (c->prior[k][0]) refine(&a[k], c, k, priors, problem, most);
        s = integrate(c, a);
    }
    lobes_truth truth = {.log_z = s.largest + log(s.total)};
    for (size_t k = 0, at = 0; k < LOBES_PARAMETERS; k++) {
        if (!c->prior[k][0]) continue;
        truth.mean[at] = s.first[k] / s.total;
        truth.variance[at] = s.second[k] / s.total - truth.mean[at] * truth.mean[at];
        at++;
    }
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
    return truth;
}
