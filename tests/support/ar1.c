/* ar1.c: an autoregressive process as a kind of Gaussian; see ar1.h.
 *
 * Let Q = U U' with U upper bidiagonal (u on its diagonal, s above it). Then A = Q^-1 = F F' with F = U^-T
 * lower triangular, the Cholesky factor of A, so that the coordinates are those of the dense kind. x = F w is
 * the recursion
 *   x_t = (w_t - s_{t-1} x_{t-1}) / u_t,
 * and so A_tt = (1 + s_{t-1}^2 A_{t-1,t-1}) / u_t^2. Site precisions tau, or curvatures lambda, add to the
 * diagonal of Q, which stays tridiagonal.
 */
#include "support/ar1.h"

#include <math.h>
#include <string.h>

#include "gaussian/curved.h"
#include "support/support.h"

/* A tridiagonal matrix and its factor U. */
typedef struct tridiagonal {
    double *diagonal, *off; /* n, n - 1 */
    double *u, *s;          /* n, n - 1 */
} tridiagonal;

typedef struct ar1 {
    tw_gaussian g;
    tridiagonal q;
} ar1;

typedef struct ar1_curved {
    tw_curved c;
    tridiagonal metric; /* Q + Lambda */
    double *lambda, *work;
} ar1_curved;

static const tw_gaussian_kind ar1_kind;
static const tw_curved_kind ar1_curved_kind;

/* ---- tridiagonal matrices ---- */

static void release_matrix(tw_context *ctx, tridiagonal *t)
{
    tw_release(ctx, t->diagonal);
    tw_release(ctx, t->off);
    tw_release(ctx, t->u);
    tw_release(ctx, t->s);
}

static tw_status allocate_matrix(tw_context *ctx, size_t n, tridiagonal *t)
{
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "a diagonal", &t->diagonal));
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "a diagonal", &t->off));
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "a factor", &t->u));
    return tw_allocate_doubles(ctx, n, 1, "a factor", &t->s);
}

/* T = from + diag(added), its factor, and log |T|; t may be `from`. */
static bool factor_matrix(size_t n, const tridiagonal *from, const double *added, tridiagonal *t,
                          double *log_det)
{
    *log_det = 0.0;
    for (size_t i = n; i-- > 0;) {
        t->off[i] = from->off[i];
        t->diagonal[i] = from->diagonal[i] + (added ? added[i] : 0.0);
        t->s[i] = i + 1 < n ? t->off[i] / t->u[i + 1] : 0.0;
        t->u[i] = sqrt(t->diagonal[i] - t->s[i] * t->s[i]);
        *log_det += 2.0 * log(t->u[i]);
    }
    return isfinite(*log_det);
}

/* x = U^-T x and x = U^-1 x. */
static void forward(size_t n, const tridiagonal *t, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = (x[i] - (i > 0 ? t->s[i - 1] * x[i - 1] : 0.0)) / t->u[i];
}

static void backward(size_t n, const tridiagonal *t, double *x)
{
    for (size_t i = n; i-- > 0;) x[i] = (x[i] - (i + 1 < n ? t->s[i] * x[i + 1] : 0.0)) / t->u[i];
}

static void inverse_diagonal(size_t n, const tridiagonal *t, double *to)
{
    for (size_t i = 0; i < n; i++) {
        double before = i > 0 ? t->s[i - 1] * t->s[i - 1] * to[i - 1] : 0.0;
        to[i] = (1.0 + before) / (t->u[i] * t->u[i]);
    }
}

/* ---- the Gaussian ---- */

static const tridiagonal *precision(const tw_gaussian *g)
{
    return &((const ar1 *)g)->q;
}

static void release(tw_gaussian *g)
{
    release_matrix(g->ctx, &((ar1 *)g)->q);
}

static void spread(const tw_gaussian *g, size_t columns, const double *w, double *x)
{
    memcpy(x, w, g->n * columns * sizeof *x);
    for (size_t j = 0; j < columns; j++) forward(g->n, precision(g), x + j * g->n);
}

static void pull_back(const tw_gaussian *g, size_t columns, const double *x, double *w)
{
    memcpy(w, x, g->n * columns * sizeof *w);
    for (size_t j = 0; j < columns; j++) backward(g->n, precision(g), w + j * g->n);
}

/* w = U' (x - mean) */
static void solve(const tw_gaussian *g, size_t columns, const double *x, const double *mean, double *w)
{
    const tridiagonal *q = precision(g);
    for (size_t j = 0; j < columns; j++, x += g->n, w += g->n) {
        double before = 0.0;
        for (size_t i = 0; i < g->n; i++) {
            double here = x[i] - (mean ? mean[i] : 0.0);
            w[i] = q->u[i] * here + (i > 0 ? q->s[i - 1] * before : 0.0);
            before = here;
        }
    }
}

/* x = U w */
static void solve_transposed(const tw_gaussian *g, size_t columns, double *w)
{
    const tridiagonal *q = precision(g);
    for (size_t j = 0; j < columns; j++, w += g->n)
        for (size_t i = 0; i < g->n; i++) w[i] = q->u[i] * w[i] + (i + 1 < g->n ? q->s[i] * w[i + 1] : 0.0);
}

static void multiply(const tw_gaussian *g, size_t columns, const double *x, double *y)
{
    pull_back(g, columns, x, y);
    for (size_t j = 0; j < columns; j++) forward(g->n, precision(g), y + j * g->n);
}

/* A_ij for i > j is A_jj times the result of the noise-free recursion from 1 at j to i. */
static void block(const tw_gaussian *g, size_t row, size_t rows, size_t column, size_t columns, double *a)
{
    const tridiagonal *q = precision(g);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) {
            size_t low = row + i < column + j ? row + i : column + j;
            size_t high = row + i < column + j ? column + j : row + i;
            double entry = g->variance[low];
            for (size_t t = low + 1; t <= high; t++) entry *= -q->s[t - 1] / q->u[t];
            a[i + j * rows] = entry;
        }
}

static double flops(const tw_gaussian *g)
{
    return 3.0 * (double)g->n;
}

static tw_status allocate(tw_context *ctx, size_t n, bool moves, tw_gaussian **out)
{
    TW_TRY(tw_gaussian_allocate(ctx, &ar1_kind, sizeof(ar1), n, moves, n, out));
    (*out)->r = n;
    (*out)->full_rank = true;
    tw_status status = allocate_matrix(ctx, n, &((ar1 *)*out)->q);
    if (status == TW_OK) return TW_OK;
    tw_gaussian_free(*out);
    *out = NULL;
    return status;
}

static tw_status like(const tw_gaussian *base, bool products, tw_gaussian **out)
{
    (void)products; /* products need no further memory */
    return allocate(base->ctx, base->n, true, out);
}

static bool condition(const tw_gaussian *base, const double *tau, tw_gaussian *out, double *log_det)
{
    double log_q;
    if (!factor_matrix(base->n, precision(base), tau, &((ar1 *)out)->q, &log_q)) return false;
    *log_det = log_q + base->log_det;
    out->log_det = -log_q;
    inverse_diagonal(base->n, precision(out), out->variance);
    return true;
}

/* ---- its metric ---- */

static void release_curved(tw_curved *c)
{
    ar1_curved *a = (ar1_curved *)c;
    release_matrix(c->ctx, &a->metric);
    tw_release(c->ctx, a->lambda);
    tw_release(c->ctx, a->work);
}

static tw_status allocate_curved(ar1_curved *a)
{
    TW_TRY(allocate_matrix(a->c.ctx, a->c.n, &a->metric));
    TW_TRY(tw_allocate_doubles(a->c.ctx, a->c.n, 1, "curvatures", &a->lambda));
    return tw_allocate_doubles(a->c.ctx, a->c.n, 1, "a velocity", &a->work);
}

static tw_status curve(const tw_gaussian *g, size_t sites, tw_curved **out)
{
    (void)sites;
    TW_TRY(tw_curved_allocate(g, &ar1_curved_kind, sizeof(ar1_curved), out));
    tw_status status = allocate_curved((ar1_curved *)*out);
    if (status == TW_OK) return TW_OK;
    tw_curved_free(*out);
    *out = NULL;
    return status;
}

static bool factor(tw_curved *c, const double *lambda, double threshold)
{
    (void)threshold; /* omitting sites would save nothing */
    ar1_curved *a = (ar1_curved *)c;
    double log_g;
    memcpy(a->lambda, lambda, c->n * sizeof *lambda);
    for (size_t i = 0; i < c->n; i++) c->root[i] = sqrt(lambda[i]);
    c->active = c->n;
    if (!factor_matrix(c->n, precision(c->base), lambda, &a->metric, &log_g)) return false;
    c->log_det = log_g + c->base->log_det;
    return true;
}

static void solve_metric(const ar1_curved *a, double *x)
{
    backward(a->c.n, &a->metric, x);
    forward(a->c.n, &a->metric, x);
}

static void velocity(tw_curved *c, const double *g, double *xdot, double *z)
{
    ar1_curved *a = (ar1_curved *)c;
    const tridiagonal *q = precision(c->base);
    for (size_t i = 0; i < c->n; i++) /* Q g */
        a->work[i] = q->diagonal[i] * g[i] + (i > 0 ? q->off[i - 1] * g[i - 1] : 0.0) +
                     (i + 1 < c->n ? q->off[i] * g[i + 1] : 0.0);
    solve_metric(a, a->work);
    if (xdot) memcpy(xdot, a->work, c->n * sizeof *xdot);
    for (size_t i = 0; z && i < c->n; i++) z[i] = a->lambda[i] * a->work[i];
}

static void respond(tw_curved *c, const double *d, double *y, double *rest)
{
    ar1_curved *a = (ar1_curved *)c;
    memcpy(a->work, d, c->n * sizeof *d);
    solve_metric(a, a->work);
    if (y) memcpy(y, a->work, c->n * sizeof *y);
    for (size_t i = 0; rest && i < c->n; i++) rest[i] = d[i] - a->lambda[i] * a->work[i];
}

static void diagonal(tw_curved *c, double *to)
{
    inverse_diagonal(c->n, &((ar1_curved *)c)->metric, to);
}

/* k' (A + Lambda^-1)^-1 k = k' Lambda k - |U^-1 Lambda k|^2, where U U' = G. */
static void explain(const tw_curved *c, size_t columns, double *k, double *explained)
{
    const ar1_curved *a = (const ar1_curved *)c;
    for (size_t j = 0; j < columns; j++, k += c->n) {
        explained[j] = 0.0;
        for (size_t i = 0; i < c->n; i++) {
            explained[j] += a->lambda[i] * k[i] * k[i];
            k[i] *= a->lambda[i];
        }
        backward(c->n, &a->metric, k);
        for (size_t i = 0; i < c->n; i++) explained[j] -= k[i] * k[i];
    }
}

static tw_curved_flops curved_flops(const tw_curved *c, double active)
{
    (void)c;
    return (tw_curved_flops){
        .factor = 10.0 * active, .solve = 12.0 * active, .diagonal = 4.0 * active, .product = 6.0 * active};
}

static const tw_curved_kind ar1_curved_kind = {.release = release_curved,
                                               .factor = factor,
                                               .velocity = velocity,
                                               .respond = respond,
                                               .diagonal = diagonal,
                                               .explain = explain,
                                               .flops = curved_flops};

static const tw_gaussian_kind ar1_kind = {.name = "an autoregressive Gaussian",
                                          .release = release,
                                          .spread = spread,
                                          .pull_back = pull_back,
                                          .solve = solve,
                                          .solve_transposed = solve_transposed,
                                          .multiply = multiply,
                                          .block = block,
                                          .flops = flops,
                                          .like = like,
                                          .condition = condition,
                                          .curve = curve};

/* ---- the process ---- */

tw_gaussian *ar1_new(tw_context *ctx, size_t n, double phi, double sd)
{
    tw_gaussian *g = NULL;
    double log_q, scale = 1.0 / (sd * sd * (1.0 - phi * phi));
    if (allocate(ctx, n, false, &g) != TW_OK) {
        fail();
        return NULL;
    }
    tridiagonal *q = &((ar1 *)g)->q;
    for (size_t i = 0; i < n; i++) {
        q->diagonal[i] = scale * (i == 0 || i + 1 == n ? 1.0 : 1.0 + phi * phi);
        q->off[i] = -scale * phi;
    }
    assert_true(factor_matrix(n, q, NULL, q, &log_q));
    g->log_det = -log_q;
    inverse_diagonal(n, q, g->variance);
    return g;
}

void ar1_kernel(size_t n, double phi, double sd, double *k)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) k[i + j * n] = sd * sd * pow(phi, fabs((double)i - (double)j));
}
