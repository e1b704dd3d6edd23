/* fixed_point.c: Anderson acceleration with a short history; see fixed_point.h. */
#include "math/fixed_point.h"

#include <math.h>
#include <string.h>

enum { MAX = TW_FIXED_POINT_MAX_DEPTH };

/* The iteration has diverged if the residual exceeds the smallest one by this factor. */
static const double hopeless = 1e4;

typedef struct history {
    size_t n, depth, count; /* count: number of differences stored */
    double *f, *g;          /* the last residual and value */
    double *df[MAX], *dg[MAX];
    double gram[MAX][MAX]; /* <df_i, df_j>, j <= i */
} history;

size_t tw_fixed_point_work(size_t n, size_t depth)
{
    return n * (3 + 2 * depth);
}

static history divide_work(size_t n, size_t depth, double *work)
{
    history h = {.n = n, .depth = depth < MAX ? depth : MAX, .f = work + n, .g = work + 2 * n};
    for (size_t i = 0; i < h.depth; i++) {
        h.df[i] = work + (3 + 2 * i) * n;
        h.dg[i] = work + (4 + 2 * i) * n;
    }
    return h;
}

/* Store the newest differences; if the history is full, they replace the oldest. */
static void push(const tw_fixed_point_problem *p, history *h, const double *f, const double *g)
{
    if (h->count == h->depth) {
        for (size_t i = 1; i < h->depth; i++) memcpy(h->gram[i - 1], h->gram[i] + 1, i * sizeof(double));
        double *df = h->df[0], *dg = h->dg[0];
        memmove(h->df, h->df + 1, (h->depth - 1) * sizeof *h->df);
        memmove(h->dg, h->dg + 1, (h->depth - 1) * sizeof *h->dg);
        h->df[h->depth - 1] = df;
        h->dg[h->depth - 1] = dg;
        h->count--;
    }
    for (size_t i = 0; i < h->n; i++) {
        h->df[h->count][i] = f[i] - h->f[i];
        h->dg[h->count][i] = g[i] - h->g[i];
    }
    for (size_t j = 0; j <= h->count; j++)
        h->gram[h->count][j] = p->inner(p->user, h->df[h->count], h->df[j]);
    h->count++;
}

/* gamma = argmin |f - sum gamma_i df_i| from the normal equations, by elimination without pivoting. A
 * direction that depends on the others (a pivot at rounding level) gets gamma = 0. */
static void least_squares(const tw_fixed_point_problem *p, const history *h, const double *f, double *gamma)
{
    double a[MAX][MAX + 1];
    size_t m = h->count;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j <= i; j++) a[i][j] = a[j][i] = h->gram[i][j];
        a[i][m] = p->inner(p->user, h->df[i], f);
    }
    double scale[MAX];
    for (size_t i = 0; i < m; i++) scale[i] = a[i][i];
    for (size_t k = 0; k < m; k++) {
        bool usable = a[k][k] > 1e-10 * scale[k];
        for (size_t i = k + 1; usable && i < m; i++) {
            double factor = a[i][k] / a[k][k];
            for (size_t j = k; j <= m; j++) a[i][j] -= factor * a[k][j];
        }
        if (!usable) a[k][k] = INFINITY; /* gives gamma = 0 */
    }
    for (size_t k = m; k-- > 0;) {
        double sum = a[k][m];
        for (size_t j = k + 1; j < m; j++) sum -= a[k][j] * gamma[j];
        gamma[k] = isinf(a[k][k]) ? 0.0 : sum / a[k][k];
    }
}

/* Set x to the next iterate, given f and g at the current one. */
static void next_iterate(const tw_fixed_point_problem *p, history *h, const double *f, const double *g,
                         bool first, double *x)
{
    size_t n = h->n;
    double gamma[MAX] = {0.0};
    memcpy(x, g, n * sizeof *x);
    if (h->depth > 0) {
        if (!first) push(p, h, f, g);
        least_squares(p, h, f, gamma);
        for (size_t k = 0; k < h->count; k++)
            for (size_t i = 0; i < n; i++) x[i] -= gamma[k] * h->dg[k][i];
        memcpy(h->f, f, n * sizeof *f);
        memcpy(h->g, g, n * sizeof *g);
    }
}

tw_fixed_point_result tw_fixed_point_solve(const tw_fixed_point_problem *p, const tw_fixed_point_rule *rule,
                                           double *work, double *x, double *gx)
{
    size_t n = p->n, cap = rule->fixed ? rule->fixed : rule->cap;
    history h = divide_work(n, rule->fixed ? 0 : rule->depth, work);
    double *f = work, smallest = INFINITY;
    tw_fixed_point_result result = {TW_CAP_REACHED, 0, INFINITY};
    while (result.evaluations < cap) {
        result.evaluations++;
        result.verdict = TW_DIVERGED;
        if (!p->map(p->user, x, gx)) return result;
        for (size_t i = 0; i < n; i++) f[i] = gx[i] - x[i];
        double square = p->inner(p->user, f, f); /* rounding may make it negative */
        result.residual = square < 0.0 ? 0.0 : sqrt(square);
        smallest = fmin(smallest, result.residual);
        if (!(result.residual <= hopeless * smallest) || !isfinite(result.residual)) return result;
        result.verdict = TW_CAP_REACHED;
        if (!rule->fixed && result.residual <= rule->tolerance) {
            result.verdict = TW_CONVERGED;
            return result;
        }
        if (result.evaluations < cap) next_iterate(p, &h, f, gx, result.evaluations == 1, x);
    }
    if (rule->fixed) result.verdict = TW_CONVERGED; /* the report's rule: a fixed number of iterations */
    return result;
}
