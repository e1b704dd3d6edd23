/* dense.c: the dense kind of Gaussian; see dense.h. linalg/factor.h does the algebra. */
#include "gaussian/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "gaussian/dense_inside.h"
#include "linalg/product.h"

static const tw_gaussian_kind dense_kind;

static void release(tw_gaussian *g)
{
    tw_dense *d = (tw_dense *)g;
    tw_factor_free(d->factor);
    tw_team_give_back(g->ctx, d->common_l);
    if (d->common)
        tw_team_give_back(g->ctx, d->own);
    else
        tw_release(g->ctx, d->own);
}

/* Copy rank and log determinant from the factor. */
static void use_factor(tw_dense *d)
{
    d->g.r = d->factor->rank;
    d->g.full_rank = !d->factor->pivot;
    d->g.log_det = d->factor->log_det;
}

/* The diagonal of A; if only the factor is kept, the squared lengths of its rows. */
static void set_variances(tw_dense *d)
{
    size_t n = d->g.n;
    double *variance = d->g.variance;
    if (d->a) {
        for (size_t i = 0; i < n; i++) variance[i] = d->a[i + i * n];
        return;
    }
    memset(variance, 0, n * sizeof *variance);
    for (size_t k = 0; k < d->factor->rank; k++)
        for (size_t i = 0; i < n; i++) variance[i] += d->factor->l[i + k * n] * d->factor->l[i + k * n];
}

/* ---- N(0, K) ---- */

tw_status tw_gaussian_dense_new(tw_context *ctx, size_t n, const double *k, size_t ldk, tw_gaussian **out)
{
    TW_TRY(tw_gaussian_allocate(ctx, &dense_kind, sizeof(tw_dense), n, false, 0, out));
    tw_dense *d = (tw_dense *)*out;
    tw_status status = tw_allocate_doubles(ctx, n, n, "the kernel matrix", &d->own);
    if (status != TW_OK) {
        tw_gaussian_free(*out);
        *out = NULL;
        return status;
    }
    d->a = d->own;
    for (size_t j = 0; k && j < n; j++) memcpy(d->own + j * n, k + j * ldk, n * sizeof *k);
    return TW_OK;
}

double *tw_gaussian_dense_matrix(tw_gaussian *g)
{
    return ((tw_dense *)g)->own;
}

void tw_gaussian_dense_explain(tw_gaussian *g, size_t r, const double *u)
{
    tw_product_subtract_self(g->n, r, u, r, ((tw_dense *)g)->own, g->n);
}

void tw_gaussian_dense_expect(tw_gaussian *g, size_t rank)
{
    ((tw_dense *)g)->expected = rank;
}

/* Is the rank that which A has without rounding? Then the least pivot is far above the limit below which pivots are
 * taken for rounding. */
static bool has_exact_rank(const tw_dense *d)
{
    static const double far = 1e3;
    const tw_factor *f = d->factor;
    double largest = 0.0, least = INFINITY;
    if (!f->pivot || f->rank != d->expected) return false;
    for (size_t i = 0; i < d->g.n; i++) largest = fmax(largest, d->own[i + i * d->g.n]);
    for (size_t k = 0; k < f->rank; k++) least = fmin(least, f->triangle[k + k * f->rank]);
    return least * least > far * (double)d->g.n * DBL_EPSILON * largest;
}

tw_status tw_gaussian_dense_factor(tw_gaussian *g, double jitter, tw_gaussian_report *report)
{
    tw_dense *d = (tw_dense *)g;
    tw_factor_report found;
    size_t n = g->n;
    if (d->factor)
        TW_TRY(tw_factor_set(d->factor, d->own, n, jitter, &found));
    else
        TW_TRY(tw_factor_new(g->ctx, n, d->own, n, jitter, &d->factor, &found));
    for (size_t i = 0; i < n; i++) d->own[i + i * n] += jitter;
    use_factor(d);
    set_variances(d);
    g->low_rank = has_exact_rank(d);
    g->lost = found.residual;
    *report = (tw_gaussian_report){found.residual, found.jitter, found.log_det_change};
    return TW_OK;
}

/* ---- N(0, K) stored once per machine ---- */

enum { LEAST_COMMON = 32 }; /* for fewer sites, sharing is not worth the messages */

tw_status tw_gaussian_dense_common(tw_context *ctx, size_t n, tw_gaussian **out, bool *first)
{
    void *memory = NULL;
    *out = NULL;
    *first = true;
    if (n >= LEAST_COMMON) TW_TRY(tw_team_common(ctx, n * n * sizeof(double), &memory, first));
    if (!memory) return tw_gaussian_dense_new(ctx, n, NULL, 0, out);
    tw_status status = tw_gaussian_allocate(ctx, &dense_kind, sizeof(tw_dense), n, false, 0, out);
    if (status != TW_OK) {
        tw_team_give_back(ctx, memory);
        return status;
    }
    tw_dense *d = (tw_dense *)*out;
    d->a = d->own = memory;
    d->common = true;
    return TW_OK;
}

/* The result that the first member sends to the others. */
typedef struct computed {
    tw_status status;
    bool triangular;
    double log_det;
    tw_gaussian_report report;
} computed;

/* Share F as well: the first member moves it into common memory, then the others borrow it from there. */
static tw_status share_factor(tw_dense *d, bool first, double log_det)
{
    if (first) tw_factor_move(d->factor, d->common_l);
    (void)tw_team_any(d->g.ctx, false); /* a barrier: F is complete */
    if (!first) TW_TRY(tw_factor_borrow(d->g.ctx, d->g.n, d->common_l, log_det, &d->factor));
    return tw_team_status(d->g.ctx);
}

/* All members receive the first member's result. */
static computed receive_result(const tw_dense *d, tw_status status, const tw_gaussian_report *report)
{
    computed c = {.status = status, .report = *report};
    if (d->factor) {
        c.triangular = !d->factor->pivot;
        c.log_det = d->factor->log_det;
    }
    tw_team_follow(d->g.ctx, &c, sizeof c);
    return c;
}

tw_status tw_gaussian_dense_share(tw_gaussian *g, bool first, tw_status status, tw_gaussian_report *report)
{
    tw_dense *d = (tw_dense *)g;
    void *memory = NULL;
    bool unused;
    if (!d->common) return status;
    computed c = receive_result(d, status, report);
    TW_TRY(tw_team_status(g->ctx));
    if (status != TW_OK) return status;
    if (c.status != TW_OK) return tw_fail(g->ctx, c.status, "the first rank has the reason");
    if (c.triangular) TW_TRY(tw_team_common(g->ctx, g->n * g->n * sizeof(double), &memory, &unused));
    d->common_l = memory;
    if (memory)
        TW_TRY(share_factor(d, first, c.log_det));
    else if (!first) /* a pivoted factor is not shared; K contains its jitter */
        TW_TRY(tw_gaussian_dense_factor(g, 0.0, report));
    use_factor(d);
    set_variances(d);
    *report = c.report;
    return TW_OK;
}

/* ---- N(mean, a) ---- */

static tw_status fill_given(tw_dense *d, const double *mean, const double *a, size_t lda)
{
    tw_gaussian *g = &d->g;
    tw_factor_report report;
    memcpy(g->mean, mean, g->n * sizeof *mean);
    TW_TRY(tw_factor_new(g->ctx, g->n, a, lda, 0.0, &d->factor, &report));
    use_factor(d);
    set_variances(d);
    if (g->full_rank) return TW_OK;
    return tw_fail(g->ctx, TW_NOT_POSITIVE_DEFINITE,
                   "it is singular (rank %zu of %zu, pivot %zu) but must be positive definite", g->r, g->n,
                   report.failed.pivot);
}

tw_status tw_gaussian_dense_given(tw_context *ctx, size_t n, const double *mean, const double *a, size_t lda,
                                  tw_gaussian **out)
{
    TW_TRY(tw_gaussian_allocate(ctx, &dense_kind, sizeof(tw_dense), n, true, n, out));
    tw_status status = fill_given((tw_dense *)*out, mean, a, lda);
    if (status == TW_OK) return TW_OK;
    tw_gaussian_free(*out);
    *out = NULL;
    return status;
}

/* ---- products and solves ---- */

static const tw_factor *factor_of(const tw_gaussian *g)
{
    return ((const tw_dense *)g)->factor;
}

static void spread(const tw_gaussian *g, size_t columns, const double *w, double *x)
{
    tw_factor_multiply(factor_of(g), columns, w, g->r, x, g->n);
}

static void pull_back(const tw_gaussian *g, size_t columns, const double *x, double *w)
{
    tw_factor_multiply_transposed(factor_of(g), columns, x, g->n, w, g->r);
}

static void solve(const tw_gaussian *g, size_t columns, const double *x, const double *mean, double *w)
{
    tw_factor_solve(factor_of(g), columns, x, g->n, mean, w, g->r);
}

static void solve_transposed(const tw_gaussian *g, size_t columns, double *w)
{
    tw_cholesky_half_solve(g->n, factor_of(g)->l, g->n, true, columns, w, g->n);
}

static void multiply(const tw_gaussian *g, size_t columns, const double *x, double *y)
{
    tw_product_symmetric(g->n, columns, ((const tw_dense *)g)->a, g->n, x, g->n, y, g->n);
}

/* Copy from A, of which the upper triangle is stored, or multiply rows of F; row i of a triangle has i + 1
 * entries. */
static void block(const tw_gaussian *g, size_t row, size_t rows, size_t column, size_t columns, double *a)
{
    const tw_dense *d = (const tw_dense *)g;
    const tw_factor *f = d->factor;
    size_t n = g->n, last = row + rows < column + columns ? row + rows : column + columns;
    if (!d->a) {
        tw_product_outer(rows, columns, f->pivot ? f->rank : last, f->l + row, n, f->l + column, n, a, rows);
        return;
    }
    for (size_t j = column; j < column + columns; j++)
        for (size_t i = row; i < row + rows; i++)
            a[i - row + (j - column) * rows] = i <= j ? d->a[i + j * n] : d->a[j + i * n];
}

/* F is triangular, or n x r without zeros. */
static double flops(const tw_gaussian *g)
{
    double n = (double)g->n, r = (double)g->r;
    return g->full_rank ? n * n : 2.0 * n * r;
}

/* ---- conditioned and mixed Gaussians ---- */

static tw_status make_like(const tw_dense *base, bool products, tw_dense *out)
{
    size_t n = base->g.n;
    TW_TRY(tw_factor_copy(base->factor, &out->factor));
    use_factor(out);
    if (!products) return TW_OK;
    if (!out->factor->pivot) {
        out->a = tw_factor_room(out->factor);
        return TW_OK;
    }
    TW_TRY(tw_allocate_doubles(base->g.ctx, n, n, "the covariance of a Gaussian", &out->own));
    out->a = out->own;
    return TW_OK;
}

static tw_status like(const tw_gaussian *base, bool products, tw_gaussian **out)
{
    TW_TRY(tw_gaussian_allocate(base->ctx, &dense_kind, sizeof(tw_dense), base->n, true, base->r, out));
    tw_status status = make_like((const tw_dense *)base, products, (tw_dense *)*out);
    if (status == TW_OK) return TW_OK;
    tw_gaussian_free(*out);
    *out = NULL;
    return status;
}

/* After a new factor: form A where it is stored, and update rank, log determinant and variances. */
static void finish(tw_dense *d)
{
    use_factor(d);
    if (d->own)
        tw_factor_product(d->factor, d->own, d->g.n);
    else if (d->a)
        tw_factor_fill_room(d->factor);
    set_variances(d);
}

static bool condition(const tw_gaussian *base, const double *tau, tw_gaussian *out, double *log_det)
{
    tw_dense *d = (tw_dense *)out;
    if (!tw_factor_condition(factor_of(base), tau, d->factor, log_det)) return false;
    finish(d);
    return true;
}

static bool mix(const tw_gaussian *base, const tw_gaussian *other, double b, tw_gaussian *out)
{
    tw_dense *d = (tw_dense *)out;
    double log_det;
    if (!tw_factor_mix(factor_of(base), factor_of(other), b, d->factor, &log_det)) return false;
    finish(d);
    return true;
}

/* K itself, or the product of its factor. */
static void lower(const tw_gaussian *g, double *a)
{
    const tw_dense *d = (const tw_dense *)g;
    if (d->own)
        memcpy(a, d->own, g->n * g->n * sizeof *a);
    else
        tw_product_self(g->n, g->r, d->factor->l, g->n, a, g->n);
}

static tw_status marginal(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian **out)
{
    tw_gaussian_report report;
    TW_TRY(tw_gaussian_dense_new(g->ctx, count, NULL, 0, out));
    double *k = tw_gaussian_dense_matrix(*out);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < count; i++) block(g, index[i], 1, index[j], 1, &k[i + j * count]);
    tw_status status = tw_gaussian_dense_factor(*out, 0.0, &report);
    if (status == TW_OK) return TW_OK;
    tw_gaussian_free(*out);
    *out = NULL;
    return status;
}

static const tw_gaussian_kind dense_kind = {.name = "a dense Gaussian",
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
                                            .mix = mix,
                                            .curve = tw_dense_curve,
                                            .lower = lower,
                                            .marginal = marginal};
