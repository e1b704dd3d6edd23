/* lines.c: find the lines along which the posterior has a longer tail than a Gaussian; see lines.h.
 *
 * The candidates are x = mu + t s_n, s_n = Sigma e_n / Sigma_nn^1/2, the direction in which x_n moves and all
 * other latents follow. With t ~ N(0, 1) under the Gaussian q, the density of t under the posterior is about p(t) =
 * N(t; 0, 1) exp(E(mu + t s_n)) / Z (exactly, if n = 1). A tail is where p has its outermost RARE part; if q has
 * less than SHORT of that there, slice sampling from q visits it too seldom. E is the sum over all sites, so that many
 * sites that each lengthen a tail a little are seen together.
 *
 * Few sites: all lines are tried. More: some sites spread evenly, and those whose own tail is longest, by the same
 * ratio with e_n(x_n) in the place of E. Lines in nearly the same direction count as one.
 */
#include "sample/lines.h"

#include <math.h>
#include <string.h>

enum { TRIED = 16, MOST = 8, POINTS = 4096, FEWEST_POINTS = 49, MOST_POINTS = 257 };

static const double farthest = 10.0; /* t is in [-farthest, farthest] */
static const double rare = 0.005;    /* the probability of a tail */
static const double too_short = 0.4; /* the ratio of q's probability of it */
static const double same_line = 0.9; /* the correlation of two lines that count as one */

void tw_lines_release(tw_lines *l)
{
    if (!l->ctx) return;
    tw_release(l->ctx, l->u);
    tw_release(l->ctx, l->s);
    *l = (tw_lines){0};
}

/* ---- the tails along one line ---- */

static size_t points_for(size_t n)
{
    size_t points = POINTS / n;
    return points < FEWEST_POINTS ? FEWEST_POINTS : points > MOST_POINTS ? MOST_POINTS : points;
}

static double t_of(size_t points, size_t k)
{
    return farthest * (2.0 * (double)k / (double)(points - 1) - 1.0);
}

/* q's probability over p's = rare of one tail: `sign` is -1 or +1, and p is summed from its end. */
static double ratio_of_tail(size_t points, const double *p, double sum, double sign)
{
    double mass = 0.0;
    for (size_t i = 0; i < points; i++) {
        size_t k = sign < 0.0 ? i : points - 1 - i;
        mass += p[k] / sum;
        if (mass < rare) continue;
        double edge = fabs(t_of(points, k)) - farthest / (double)(points - 1);
        bool outside = sign * t_of(points, k) > 0.0;
        return (outside ? 0.5 * erfc(sqrt(0.5) * edge) : 1.0) / mass;
    }
    return 1.0;
}

/* The smaller of the ratios of both tails. On entry p holds E at the points. */
static double shortness(size_t points, double *p)
{
    double most = -INFINITY, sum = 0.0;
    for (size_t k = 0; k < points; k++) {
        double t = t_of(points, k);
        p[k] -= 0.5 * t * t;
        if (p[k] > most) most = p[k];
    }
    for (size_t k = 0; k < points; k++) sum += p[k] = exp(p[k] - most);
    return fmin(ratio_of_tail(points, p, sum, -1.0), ratio_of_tail(points, p, sum, 1.0));
}

/* ---- the search ---- */

typedef struct search {
    const tw_frame *frame;
    tw_lines *lines;
    size_t points, tried;
    size_t site[TRIED];
    double ratio[TRIED];
    double *x;     /* n */
    double *value; /* n */
    double *p;     /* points; if sites are compared, points x n */
    double *u, *s; /* r x tried and n x tried: the candidates */
} search;

/* e_n at mu_n + t sd_n, for all sites. */
static void own_terms(const search *f, double t, double *e)
{
    const tw_target *target = f->frame->target;
    const tw_observations *o = &target->model->observed;
    const tw_gaussian *q = f->frame->gaussian;
    for (size_t i = 0; i < f->frame->n; i++)
        f->x[i] = (q->mean ? q->mean[i] : 0.0) + t * sqrt(q->variance[i]);
    o->likelihood->terms(o, f->x, e, NULL, NULL, NULL);
    for (size_t i = 0; i < f->frame->n; i++) {
        double tau = f->frame->tau[i] - (target->site_tau ? target->site_tau[i] : 0.0);
        double nu = f->frame->nu[i] - (target->site_nu ? target->site_nu[i] : 0.0);
        e[i] = target->beta * e[i] - f->x[i] * (nu - 0.5 * tau * f->x[i]);
    }
}

/* Insert site i with this ratio into the list of the first `count`, in increasing order; the last one drops out. */
static void keep_site(search *f, size_t count, size_t i, double ratio)
{
    size_t k = count;
    if (ratio >= f->ratio[count - 1]) return;
    while (k > 1 && f->ratio[k - 2] > ratio) {
        k--;
        f->ratio[k] = f->ratio[k - 1];
        f->site[k] = f->site[k - 1];
    }
    f->ratio[k - 1] = ratio;
    f->site[k - 1] = i;
}

/* Half of the candidates are the sites with the longest tails of their own. */
static void compare_sites(search *f)
{
    size_t n = f->frame->n, half = TRIED / 2;
    for (size_t k = 0; k < half; k++) f->ratio[k] = INFINITY;
    for (size_t k = 0; k < f->points; k++) own_terms(f, t_of(f->points, k), f->p + k * n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < f->points; k++) f->value[k] = f->p[i + k * n];
        keep_site(f, half, i, shortness(f->points, f->value));
    }
    for (size_t k = 0; k < half; k++) f->site[half + k] = (2 * k + 1) * n / TRIED;
    f->tried = TRIED;
}

/* u = F' e_n / |F' e_n| and s = F u */
static void set_directions(search *f)
{
    const tw_frame *frame = f->frame;
    size_t n = frame->n, r = frame->r;
    memset(f->s, 0, n * f->tried * sizeof *f->s);
    for (size_t k = 0; k < f->tried; k++) f->s[f->site[k] + k * n] = 1.0;
    tw_gaussian_pull_back(frame->gaussian, f->tried, f->s, f->u);
    for (size_t k = 0; k < f->tried; k++) {
        double square = 0.0;
        for (size_t i = 0; i < r; i++) square += f->u[i + k * r] * f->u[i + k * r];
        for (size_t i = 0; i < r && square > 0.0; i++) f->u[i + k * r] /= sqrt(square);
    }
    tw_gaussian_spread(frame->gaussian, f->tried, f->u, f->s);
}

static double ratio_along(const search *f, size_t line)
{
    const double *mean = tw_frame_centre(f->frame), *s = f->s + line * f->frame->n;
    for (size_t k = 0; k < f->points; k++) {
        double t = t_of(f->points, k);
        for (size_t i = 0; i < f->frame->n; i++) f->x[i] = (mean ? mean[i] : 0.0) + t * s[i];
        f->p[k] = tw_frame_excess(f->frame, f->x, NULL, NULL);
    }
    return shortness(f->points, f->p);
}

/* Is it nearly the direction of a line that was kept? */
static bool is_kept(const search *f, const double *u)
{
    const tw_lines *l = f->lines;
    for (size_t k = 0; k < l->count; k++) {
        double dot = 0.0;
        for (size_t i = 0; i < l->r; i++) dot += u[i] * l->u[i + k * l->r];
        if (fabs(dot) > same_line) return true;
    }
    return false;
}

static void keep_lines(search *f)
{
    tw_lines *l = f->lines;
    for (size_t k = 0; k < f->tried; k++) {
        const double *u = f->u + k * l->r;
        if (!(ratio_along(f, k) < too_short) || is_kept(f, u)) continue;
        memcpy(l->u + l->count * l->r, u, l->r * sizeof *u);
        memcpy(l->s + l->count++ * l->n, f->s + k * l->n, l->n * sizeof *u);
    }
    l->too_many = l->n > TRIED && l->count >= MOST;
}

static tw_status allocate(search *f)
{
    tw_lines *l = f->lines;
    size_t compared = l->n > TRIED ? l->n : 1, longer = l->n > f->points ? l->n : f->points;
    TW_TRY(tw_allocate_doubles(l->ctx, l->r, TRIED, "the lines", &l->u));
    TW_TRY(tw_allocate_doubles(l->ctx, l->n, TRIED, "the lines", &l->s));
    TW_TRY(tw_allocate_doubles(l->ctx, l->r, TRIED, "the lines", &f->u));
    TW_TRY(tw_allocate_doubles(l->ctx, l->n, TRIED, "the lines", &f->s));
    TW_TRY(tw_allocate_doubles(l->ctx, l->n, 1, "a point of a line", &f->x));
    TW_TRY(tw_allocate_doubles(l->ctx, longer, 1, "a point of a line", &f->value));
    return tw_allocate_doubles(l->ctx, f->points, compared, "densities on lines", &f->p);
}

tw_status tw_lines_find(const tw_frame *frame, tw_lines *out)
{
    tw_context *ctx = frame->target->ctx;
    *out = (tw_lines){0};
    if (!frame->tau && frame->n > TRIED) return TW_OK;
    *out = (tw_lines){.ctx = ctx, .n = frame->n, .r = frame->r};
    search f = {.frame = frame, .lines = out, .points = points_for(frame->n), .tried = frame->n};
    tw_status status = allocate(&f);
    if (status == TW_OK) {
        for (size_t i = 0; i < TRIED; i++) f.site[i] = i;
        if (frame->n > TRIED) compare_sites(&f);
        set_directions(&f);
        keep_lines(&f);
    }
    double *arrays[] = {f.u, f.s, f.x, f.value, f.p};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    if (status != TW_OK) tw_lines_release(out);
    return status;
}
