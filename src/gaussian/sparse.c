/* sparse.c: the kind of Gaussian with a sparse precision; see sparse.h. Columns are processed in blocks of
 * TW_SPARSE_COLUMNS, in a buffer whose rows are in elimination order. */
#include "gaussian/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "gaussian/dense.h"
#include "gaussian/sparse_inside.h"

static const tw_gaussian_kind sparse_kind;

static const tw_sparse_gaussian *inside(const tw_gaussian *g)
{
    return (const tw_sparse_gaussian *)g;
}

static void release(tw_gaussian *g)
{
    tw_sparse_gaussian *s = (tw_sparse_gaussian *)g;
    tw_release(g->ctx, s->l);
    tw_confined_free(g->ctx, &s->confined);
    tw_release(g->ctx, s->tau);
    tw_pattern_release(s->pattern);
}

/* ---- allocation ---- */

/* Allocate a Gaussian with memory for the factor; it holds one more reference to the pattern. */
static tw_status allocate(tw_pattern *p, bool moves, tw_gaussian **out)
{
    TW_TRY(tw_gaussian_allocate(p->ctx, &sparse_kind, sizeof(tw_sparse_gaussian), p->n, moves, p->r, out));
    tw_sparse_gaussian *s = (tw_sparse_gaussian *)*out;
    s->g.r = p->r - p->constraints;
    s->g.full_rank = !p->sites && p->constraints == 0;
    s->pattern = tw_pattern_hold(p);
    tw_status status = tw_allocate_doubles(p->ctx, p->analysis->entries, 1, "a sparse factor", &s->l);
    if (status == TW_OK) status = tw_confined_new(p, &s->confined);
    if (status == TW_OK && moves)
        status = tw_allocate_doubles(p->ctx, p->n, 1, "the sites of a Gaussian", &s->tau);
    if (status == TW_OK) return TW_OK;
    tw_gaussian_free(*out);
    *out = NULL;
    return status;
}

/* The diagonal of G = Q + C' diag(tau) C, in p->diagonal. */
static const double *diagonal_of(const tw_sparse_gaussian *s)
{
    const tw_pattern *p = s->pattern;
    double *diagonal = p->diagonal;
    for (size_t j = 0; j < p->r; j++) diagonal[j] = p->q->value[p->q->start[j]];
    for (size_t i = 0; s->tau && i < p->n; i++) {
        if (!p->sites) diagonal[i] += s->tau[i];
        for (size_t e = p->sites ? p->sites->start[i] : 0; p->sites && e < p->sites->start[i + 1]; e++)
            diagonal[p->sites->row[e]] += s->tau[i] * p->sites->value[e] * p->sites->value[e];
    }
    return diagonal;
}

/* An estimate of the rounding error of log |G| from its factor, with the selected inverse z. Rounding changes entry
 * jj by about eps G_jj, and log |G| by eps G_jj (G^-1)_jj. On a lattice the changes of all variables are alike, so they
 * add up. (Seen: rw2 on 3,000 to 100,000 times, spde with ell up to 25,000 times the lattice.) */
static double estimate_rounding(const tw_sparse_gaussian *s, const double *z)
{
    static const double factor = 8.0;
    const tw_pattern *p = s->pattern;
    const double *diagonal = diagonal_of(s);
    double sum = 0.0;
    for (size_t j = 0; j < p->r; j++) sum += diagonal[j] * fabs(z[p->q_at[p->q->start[j]]]);
    return factor * DBL_EPSILON * sum;
}

/* Factor Q + C' diag(tau) C, and set variance and log_det:
 * log |F'F| = log |C'C| - log |Q + C' diag(tau) C|. */
static bool factor(tw_sparse_gaussian *s, size_t *failed)
{
    tw_pattern *p = s->pattern;
    tw_buffer_take(&p->selected);
    bool fine = tw_pattern_factor(p, &p->front, s->tau, NULL, s->l, failed);
    if (fine && !tw_confined_set(p, s->l, &s->confined)) {
        *failed = p->pin[0];
        fine = false;
    }
    if (fine) {
        tw_sparse_select(p->analysis, &p->front, s->l, p->selected.numbers);
        tw_pattern_variances(p, p->selected.numbers, s->g.variance);
        tw_confined_variances(&s->confined, p, s->l, s->g.variance);
        s->log_precision = tw_sparse_log_det(p->analysis, s->l) + s->confined.log_m;
        s->g.log_det = p->log_gram - s->log_precision;
        s->g.rounding = estimate_rounding(s, p->selected.numbers) + s->confined.rounding;
    }
    tw_buffer_give_back(&p->selected);
    return fine;
}

tw_status tw_gaussian_sparse_new(tw_context *ctx, const tw_sparse *q, const tw_sparse *design,
                                 const tw_constraints *constraints, tw_elimination how, tw_gaussian **out)
{
    tw_pattern *pattern = NULL;
    size_t failed;
    *out = NULL;
    TW_TRY(tw_pattern_new(ctx, q, design, constraints, how, &pattern));
    tw_status status = allocate(pattern, false, out);
    tw_pattern_release(pattern);
    TW_TRY(status);
    if (factor((tw_sparse_gaussian *)*out, &failed)) return TW_OK;
    tw_gaussian_free(*out);
    *out = NULL;
    return tw_fail(ctx, TW_NOT_POSITIVE_DEFINITE,
                   "the precision matrix is not positive definite: its factorisation fails at variable %zu",
                   failed + 1);
}

void tw_gaussian_sparse_know(tw_gaussian *g, double log_det)
{
    tw_sparse_gaussian *s = (tw_sparse_gaussian *)g;
    g->off = log_det - s->log_precision;
    g->rounding = 0.0;
    s->log_precision = log_det;
    g->log_det = s->pattern->log_gram - log_det;
}

/* ---- products and solves ---- */

/* Convert coordinates to a block in elimination order, and back (by F' or, if `solved`, by the left inverse
 * of F). Both reverse the order of the coordinates. */
static void take_coordinates(const tw_sparse_gaussian *s, size_t columns, const double *w, double *to)
{
    size_t r = s->pattern->r;
    for (size_t k = s->confined.k; k < r; k++)
        for (size_t c = 0; c < columns; c++) to[c + k * columns] = w[r - 1 - k + c * s->g.r];
    tw_confined_take(&s->confined, r, columns, w, to);
}

static void give_coordinates(const tw_sparse_gaussian *s, size_t columns, bool solved, double *from,
                             double *w)
{
    size_t r = s->pattern->r;
    tw_confined_give(&s->confined, r, columns, solved, from, w);
    for (size_t k = s->confined.k; k < r; k++)
        for (size_t c = 0; c < columns; c++) w[r - 1 - k + c * s->g.r] = from[c + k * columns];
}

/* The number of columns of the next block. */
static size_t block_of(size_t columns, size_t done)
{
    return columns - done < TW_SPARSE_COLUMNS ? columns - done : TW_SPARSE_COLUMNS;
}

static void spread(const tw_gaussian *g, size_t columns, const double *w, double *x)
{
    const tw_sparse_gaussian *s = inside(g);
    tw_buffer *buffer = tw_pattern_borrow(s->pattern);
    for (size_t j = 0, b; j < columns; j += b) {
        b = block_of(columns, j);
        take_coordinates(s, b, w + j * g->r, buffer->numbers);
        tw_sparse_solve_upper(s->pattern->analysis, s->l, b, buffer->numbers);
        tw_pattern_scatter(s->pattern, b, buffer->numbers, x + j * g->n);
    }
    tw_buffer_give_back(buffer);
}

static void pull_back(const tw_gaussian *g, size_t columns, const double *x, double *w)
{
    const tw_sparse_gaussian *s = inside(g);
    tw_buffer *buffer = tw_pattern_borrow(s->pattern);
    for (size_t j = 0, b; j < columns; j += b) {
        b = block_of(columns, j);
        tw_pattern_gather(s->pattern, b, x + j * g->n, NULL, buffer->numbers);
        tw_sparse_solve_lower(s->pattern->analysis, s->l, b, buffer->numbers);
        give_coordinates(s, b, false, buffer->numbers, w + j * g->r);
    }
    tw_buffer_give_back(buffer);
}

/* w = J L' P u with u = (C'C)^-1 C' (x - mean): the least-squares solution, exact for x - mean in the range
 * of F. */
static void solve(const tw_gaussian *g, size_t columns, const double *x, const double *mean, double *w)
{
    const tw_sparse_gaussian *s = inside(g);
    const tw_pattern *p = s->pattern;
    tw_buffer *buffer = tw_pattern_borrow(p);
    for (size_t j = 0, b; j < columns; j += b) {
        b = block_of(columns, j);
        tw_pattern_gather(p, b, x + j * g->n, mean, buffer->numbers);
        if (p->gram) {
            tw_sparse_solve_lower(p->analysis, p->gram, b, buffer->numbers);
            tw_sparse_solve_upper(p->analysis, p->gram, b, buffer->numbers);
        }
        tw_sparse_multiply_upper(p->analysis, s->l, b, buffer->numbers);
        give_coordinates(s, b, true, buffer->numbers, w + j * g->r);
    }
    tw_buffer_give_back(buffer);
}

/* x = P' L J w. F is square and regular, so C is the identity. */
static void solve_transposed(const tw_gaussian *g, size_t columns, double *w)
{
    const tw_sparse_gaussian *s = inside(g);
    tw_buffer *buffer = tw_pattern_borrow(s->pattern);
    for (size_t j = 0, b; j < columns; j += b) {
        b = block_of(columns, j);
        take_coordinates(s, b, w + j * g->r, buffer->numbers);
        tw_sparse_multiply_lower(s->pattern->analysis, s->l, b, buffer->numbers);
        tw_pattern_scatter(s->pattern, b, buffer->numbers, w + j * g->r);
    }
    tw_buffer_give_back(buffer);
}

static void multiply(const tw_gaussian *g, size_t columns, const double *x, double *y)
{
    const tw_sparse_gaussian *s = inside(g);
    const tw_pattern *p = s->pattern;
    tw_buffer *buffer = tw_pattern_borrow(p);
    for (size_t j = 0, b; j < columns; j += b) {
        b = block_of(columns, j);
        tw_pattern_gather(p, b, x + j * g->n, NULL, buffer->numbers);
        tw_sparse_solve_lower(p->analysis, s->l, b, buffer->numbers);
        tw_confined_project(&s->confined, p->r, b, buffer->numbers);
        tw_sparse_solve_upper(p->analysis, s->l, b, buffer->numbers);
        tw_pattern_scatter(p, b, buffer->numbers, y + j * g->n);
    }
    tw_buffer_give_back(buffer);
}

/* Set column c of a block of zeros to P C' e_i. */
static void put_site(const tw_pattern *p, size_t columns, size_t c, size_t i, double *to)
{
    const uint32_t *place = p->analysis->place;
    if (!p->sites) {
        to[c + place[i] * columns] = 1.0;
        return;
    }
    for (size_t e = p->sites->start[i]; e < p->sites->start[i + 1]; e++)
        to[c + place[p->sites->row[e]] * columns] += p->sites->value[e];
}

static void block(const tw_gaussian *g, size_t row, size_t rows, size_t column, size_t columns, double *a)
{
    const tw_sparse_gaussian *s = inside(g);
    const tw_pattern *p = s->pattern;
    tw_buffer *buffer = tw_pattern_borrow(p);
    for (size_t j = 0, b; j < columns; j += b) {
        b = block_of(columns, j);
        memset(buffer->numbers, 0, p->r * b * sizeof(double));
        for (size_t c = 0; c < b; c++) put_site(p, b, c, column + j + c, buffer->numbers);
        tw_sparse_solve_lower(p->analysis, s->l, b, buffer->numbers);
        tw_confined_project(&s->confined, p->r, b, buffer->numbers);
        tw_sparse_solve_upper(p->analysis, s->l, b, buffer->numbers);
        for (size_t c = 0; c < b; c++)
            for (size_t i = 0; i < rows; i++)
                a[i + (j + c) * rows] = tw_pattern_site(p, b, buffer->numbers, c, row + i);
    }
    tw_buffer_give_back(buffer);
}

/* With z = L^-1 P C*', a variance is |z|^2, minus a term for the constraints. rows is C*', one column for
 * each new case. */
static void reach_block(const tw_sparse_gaussian *s, const tw_sparse *rows, size_t first, size_t b,
                        double *numbers, double *cross, double *diagonal)
{
    const tw_pattern *p = s->pattern;
    const uint32_t *place = p->analysis->place;
    memset(numbers, 0, p->r * b * sizeof *numbers);
    for (size_t c = 0; c < b; c++)
        for (size_t e = rows->start[first + c]; e < rows->start[first + c + 1]; e++)
            numbers[c + place[rows->row[e]] * b] = rows->value[e];
    tw_sparse_solve_lower(p->analysis, s->l, b, numbers);
    for (size_t c = 0; c < b; c++) diagonal[c] = 0.0;
    for (size_t i = 0; i < p->r; i++)
        for (size_t c = 0; c < b; c++) diagonal[c] += numbers[c + i * b] * numbers[c + i * b];
    tw_confined_squares(&s->confined, p->r, b, numbers, diagonal);
    tw_confined_project(&s->confined, p->r, b, numbers);
    tw_sparse_solve_upper(p->analysis, s->l, b, numbers);
    tw_pattern_scatter(p, b, numbers, cross);
}

static void reach(const tw_gaussian *g, const tw_sparse *rows, const double *variance, double *cross,
                  double *diagonal)
{
    const tw_sparse_gaussian *s = inside(g);
    tw_buffer *buffer = tw_pattern_borrow(s->pattern);
    for (size_t j = 0, b; j < rows->columns; j += b) {
        b = block_of(rows->columns, j);
        reach_block(s, rows, j, b, buffer->numbers, cross + j * g->n, diagonal + j);
    }
    tw_buffer_give_back(buffer);
    for (size_t j = 0; j < rows->columns; j++) diagonal[j] += variance[j];
}

/* Two flops for each number of the factor. They take as long as three flops of a dense product, because
 * the blocks are small (bench/bench_cost.c). */
static double flops(const tw_gaussian *g)
{
    return 3.0 * (double)inside(g)->pattern->analysis->entries;
}

/* ---- conditioned Gaussians ---- */

static tw_status like(const tw_gaussian *base, bool products, tw_gaussian **out)
{
    (void)products; /* products need no further memory */
    return allocate(inside(base)->pattern, true, out);
}

static bool condition(const tw_gaussian *base, const double *tau, tw_gaussian *out, double *log_det)
{
    const tw_sparse_gaussian *from = inside(base);
    tw_sparse_gaussian *to = (tw_sparse_gaussian *)out;
    size_t failed;
    for (size_t i = 0; i < base->n; i++) to->tau[i] = tau[i] + (from->tau ? from->tau[i] : 0.0);
    if (!factor(to, &failed)) return false;
    *log_det = to->log_precision - from->log_precision;
    return true;
}

/* Fill a dense Gaussian with the marginal covariance, column by column, and factor it. */
static tw_status fill_marginal(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian *out)
{
    tw_gaussian_report report;
    double *column = NULL, *k = tw_gaussian_dense_matrix(out);
    TW_TRY(tw_allocate_doubles(g->ctx, g->n, 1, "a column of a covariance", &column));
    for (size_t j = 0; j < count; j++) {
        block(g, 0, g->n, index[j], 1, column);
        for (size_t i = 0; i < count; i++) k[i + j * count] = column[index[i]];
    }
    tw_release(g->ctx, column);
    return tw_gaussian_dense_factor(out, 0.0, &report);
}

static tw_status marginal(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian **out)
{
    TW_TRY(tw_gaussian_dense_new(g->ctx, count, NULL, 0, out));
    tw_status status = fill_marginal(g, count, index, *out);
    if (status == TW_OK) return TW_OK;
    tw_gaussian_free(*out);
    *out = NULL;
    return status;
}

static const tw_gaussian_kind sparse_kind = {.name = "a sparse Gaussian",
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
                                             .curve = tw_sparse_curve,
                                             .marginal = marginal,
                                             .contract = tw_sparse_contract,
                                             .reach = reach,
                                             .energy = tw_sparse_energy};
