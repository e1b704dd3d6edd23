/* sparse_pattern.c: assemble and factor Q + C' diag(tau) C; see sparse_inside.h. */
#include <sched.h>
#include <string.h>

#include "gaussian/sparse_inside.h"
#include "sparse/sparse.h"

void tw_pattern_release(tw_pattern *p)
{
    if (!p || atomic_fetch_sub(&p->holders, 1) > 1) return;
    tw_context *ctx = p->ctx;
    tw_analysis_release(p->analysis);
    tw_sparse_free(p->q);
    tw_sparse_free(p->sites);
    void *const arrays[] = {p->q_at, p->pair_start,       p->pair_at, p->product, p->off_diagonal,
                            p->gram, p->selected.numbers, p->v,       p->diagonal};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tw_release(ctx, arrays[k]);
    for (size_t k = 0; k < p->buffers; k++) tw_release(ctx, p->buffer[k].numbers);
    tw_front_free(ctx, &p->front);
    tw_release(ctx, p);
}

tw_pattern *tw_pattern_hold(tw_pattern *pattern)
{
    atomic_fetch_add(&pattern->holders, 1);
    return pattern;
}

/* ---- buffers ---- */

void tw_buffer_take(tw_buffer *buffer)
{
    while (atomic_flag_test_and_set(&buffer->taken)) sched_yield();
}

tw_buffer *tw_pattern_borrow(const tw_pattern *p)
{
    for (;;) {
        for (size_t k = 0; k < p->buffers; k++) {
            tw_buffer *buffer = (tw_buffer *)&p->buffer[k];
            if (!atomic_flag_test_and_set(&buffer->taken)) return buffer;
        }
        sched_yield();
    }
}

static tw_status allocate_buffers(tw_pattern *p)
{
    size_t threads = tw_threads(0), count = threads < TW_MOST_BUFFERS ? threads : TW_MOST_BUFFERS;
    for (; p->buffers < count; p->buffers++) {
        tw_buffer *buffer = &p->buffer[p->buffers];
        atomic_flag_clear(&buffer->taken);
        TW_TRY(tw_allocate_doubles(p->ctx, p->r, TW_SPARSE_COLUMNS, "vectors of a sparse Gaussian",
                                   &buffer->numbers));
    }
    atomic_flag_clear(&p->selected.taken);
    TW_TRY(tw_front_new(p->analysis, &p->front));
    TW_TRY(tw_allocate_doubles(p->ctx, p->r, 1, "the diagonal of a precision", &p->diagonal));
    return tw_allocate_doubles(p->ctx, p->analysis->entries, 1, "a selected inverse", &p->selected.numbers);
}

static tw_status check_shapes(tw_context *ctx, const tw_sparse *q, const tw_sparse *design)
{
    if (!q->symmetric) return tw_fail(ctx, TW_BAD_ARGUMENT, "a precision matrix must be symmetric");
    if (!design) return TW_OK;
    if (design->symmetric)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "a design matrix must be stored in full, not as a symmetric matrix");
    if (design->columns != q->rows)
        return tw_fail(ctx, TW_BAD_DATA,
                       "the design matrix has %zu columns, but the precision matrix has %zu variables",
                       design->columns, q->rows);
    return TW_OK;
}

/* ---- the pattern of Q + C'C ---- */

/* Count the pairs (j, k), j >= k, of variables of each site. */
static tw_status count_pairs(tw_pattern *p)
{
    TW_TRY(tw_start_allocate(p->ctx, p->n + 1, "the sites of a sparse Gaussian", &p->pair_start));
    for (size_t i = 0; i < p->n; i++) {
        size_t m = p->sites ? p->sites->start[i + 1] - p->sites->start[i] : 1;
        p->pair_start[i + 1] = p->pair_start[i] + m * (m + 1) / 2;
    }
    return TW_OK;
}

/* The lower triangle of the pattern of Q + C'C by columns, each entry once. Q contains the whole diagonal. */
static void join_patterns(const tw_pattern *p, size_t *start, uint32_t *row, uint32_t *mark,
                          const size_t *by_start, const uint32_t *by_site)
{
    size_t filled = 0;
    for (size_t j = 0; j < p->r; j++) {
        start[j] = filled;
        for (size_t e = p->q->start[j]; e < p->q->start[j + 1]; e++) {
            mark[p->q->row[e]] = (uint32_t)j;
            row[filled++] = p->q->row[e];
        }
        for (size_t s = by_start[j]; s < by_start[j + 1]; s++)
            for (size_t e = p->sites->start[by_site[s]]; e < p->sites->start[by_site[s] + 1]; e++) {
                uint32_t i = p->sites->row[e];
                if (i < j || mark[i] == j) continue;
                mark[i] = (uint32_t)j;
                row[filled++] = i;
            }
    }
    start[p->r] = filled;
}

/* Analyse the joined pattern; the columns of the design list the sites of each variable. */
static tw_status analyse_joined(tw_pattern *p, const tw_sparse *design, const uint32_t *order)
{
    size_t *start = NULL;
    uint32_t *row = NULL, *mark = NULL;
    size_t most = p->q->start[p->r] + p->pair_start[p->n];
    tw_status status = tw_start_allocate(p->ctx, p->r + 1, "a sparse pattern", &start);
    if (status == TW_OK) status = tw_index_allocate(p->ctx, most, "a sparse pattern", &row);
    if (status == TW_OK) status = tw_index_allocate(p->ctx, p->r, "a sparse pattern", &mark);
    for (size_t j = 0; status == TW_OK && j < p->r; j++) mark[j] = TW_NO_PARENT;
    if (status == TW_OK) join_patterns(p, start, row, mark, design->start, design->row);
    if (status == TW_OK) status = tw_analysis_new(p->ctx, p->r, start, row, order, &p->analysis);
    tw_release(p->ctx, start);
    tw_release(p->ctx, row);
    tw_release(p->ctx, mark);
    return status;
}

static tw_status analyse(tw_pattern *p, const tw_sparse *design, tw_elimination how)
{
    uint32_t *order = NULL;
    tw_status status = TW_OK;
    if (how == TW_ELIMINATION_BACKWARDS)
        TW_TRY(tw_index_allocate(p->ctx, p->r, "an order of elimination", &order));
    for (size_t k = 0; order && k < p->r; k++) order[k] = (uint32_t)(p->r - 1 - k);
    if (design)
        status = analyse_joined(p, design, order);
    else
        status = tw_analysis_new(p->ctx, p->r, p->q->start, p->q->row, order, &p->analysis);
    tw_release(p->ctx, order);
    return status;
}

static void place_pairs(tw_pattern *p)
{
    size_t at = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->sites) {
            p->pair_at[at] = tw_analysis_find(p->analysis, i, i);
            p->product[at++] = 1.0;
            continue;
        }
        const tw_sparse *c = p->sites;
        for (size_t e = c->start[i]; e < c->start[i + 1]; e++)
            for (size_t f = c->start[i]; f <= e; f++, at++) {
                p->pair_at[at] = tw_analysis_find(p->analysis, c->row[e], c->row[f]);
                p->product[at] = c->value[e] * c->value[f];
                p->off_diagonal[at] = e != f;
            }
    }
}

static tw_status place_entries(tw_pattern *p)
{
    void *flags = NULL;
    size_t pairs = p->pair_start[p->n], count = p->q->start[p->r];
    TW_TRY(tw_start_allocate(p->ctx, count, "the places of a sparse precision", &p->q_at));
    TW_TRY(tw_start_allocate(p->ctx, pairs, "the sites of a sparse Gaussian", &p->pair_at));
    TW_TRY(tw_allocate_doubles(p->ctx, pairs, 1, "the sites of a sparse Gaussian", &p->product));
    TW_TRY(tw_allocate(p->ctx, pairs, sizeof *p->off_diagonal, "the sites of a sparse Gaussian", &flags));
    p->off_diagonal = flags;
    for (size_t j = 0; j < p->r; j++)
        for (size_t e = p->q->start[j]; e < p->q->start[j + 1]; e++)
            p->q_at[e] = tw_analysis_find(p->analysis, p->q->row[e], j);
    place_pairs(p);
    return TW_OK;
}

/* ---- numerical factors ---- */

static void add_sites(const tw_pattern *p, const double *tau, double *l)
{
    for (size_t i = 0; i < p->n; i++) {
        double t = tau ? tau[i] : 1.0;
        for (size_t k = p->pair_start[i]; k < p->pair_start[i + 1]; k++)
            l[p->pair_at[k]] += t * p->product[k];
    }
}

bool tw_pattern_factor(const tw_pattern *p, tw_front *front, const double *tau, const double *more, double *l,
                       size_t *failed)
{
    memset(l, 0, p->analysis->entries * sizeof *l);
    for (size_t e = 0; e < p->q->start[p->r]; e++) l[p->q_at[e]] = p->q->value[e];
    if (tau) add_sites(p, tau, l);
    if (more) add_sites(p, more, l);
    return tw_sparse_factor(p->analysis, front, l, failed);
}

void tw_pattern_variances(const tw_pattern *p, const double *z, double *variance)
{
    for (size_t i = 0; i < p->n; i++) {
        variance[i] = 0.0;
        for (size_t k = p->pair_start[i]; k < p->pair_start[i + 1]; k++)
            variance[i] += (p->off_diagonal[k] ? 2.0 : 1.0) * p->product[k] * z[p->pair_at[k]];
    }
}

/* The first variable whose pivot in the factor of C'C is rounding error; r if there is none. */
static size_t find_dependent(const tw_pattern *p)
{
    static const double rounding = 1e-13;
    double *square = p->buffer[0].numbers;
    memset(square, 0, p->r * sizeof *square);
    for (size_t e = 0; e < p->sites->start[p->n]; e++)
        square[p->sites->row[e]] += p->sites->value[e] * p->sites->value[e];
    for (size_t j = 0; j < p->r; j++) {
        double pivot = p->gram[tw_analysis_find(p->analysis, j, j)];
        if (!(pivot * pivot > rounding * square[j])) return j;
    }
    return p->r;
}

/* C'C must be regular, because the coordinates of a given x are those of (C'C)^-1 C' x. */
static tw_status factor_gram(tw_pattern *p)
{
    size_t failed;
    if (!p->sites) return TW_OK;
    TW_TRY(tw_allocate_doubles(p->ctx, p->analysis->entries, 1, "the factor of a design matrix", &p->gram));
    add_sites(p, NULL, p->gram);
    if (tw_sparse_factor(p->analysis, &p->front, p->gram, &failed)) failed = find_dependent(p);
    if (failed < p->r)
        return tw_fail(p->ctx, TW_BAD_DATA,
                       "the design matrix does not determine variable %zu: each variable needs an "
                       "observation, and no column may be a linear combination of others",
                       failed + 1);
    p->log_gram = tw_sparse_log_det(p->analysis, p->gram);
    if (p->constraints == 0 || tw_confined_gram(p)) return TW_OK;
    return tw_fail(p->ctx, TW_NUMERICAL_FAILURE, "the design matrix is nearly singular");
}

/* Add the pins to the diagonal of Q, and copy V. */
static tw_status confine(tw_pattern *p, const tw_constraints *with)
{
    if (!with || with->count == 0) return TW_OK;
    if (with->count > TW_MOST_CONSTRAINTS || 2 * with->count > p->r)
        return tw_fail(p->ctx, TW_BAD_DATA,
                       "%zu constraints on %zu variables are too many: the limit is %d, and half the number "
                       "of variables",
                       with->count, p->r, TW_MOST_CONSTRAINTS);
    TW_TRY(tw_allocate_doubles(p->ctx, p->r, with->count, "constraints", &p->v));
    memcpy(p->v, with->v, p->r * with->count * sizeof *p->v);
    p->constraints = with->count;
    for (size_t j = 0; j < with->count; j++) {
        double *diagonal = &p->q->value[p->q->start[with->pin[j]]]; /* the first entry of its column */
        p->pin[j] = with->pin[j];
        p->pinned[j] = *diagonal;
        *diagonal += p->pinned[j];
    }
    return TW_OK;
}

static tw_status fill(tw_pattern *p, const tw_sparse *q, const tw_sparse *design,
                      const tw_constraints *constraints, tw_elimination how)
{
    TW_TRY(tw_sparse_copy(q, &p->q));
    TW_TRY(confine(p, constraints));
    if (design) TW_TRY(tw_sparse_transpose(design, &p->sites));
    TW_TRY(count_pairs(p));
    TW_TRY(analyse(p, design, how));
    TW_TRY(place_entries(p));
    TW_TRY(allocate_buffers(p));
    return factor_gram(p);
}

tw_status tw_pattern_new(tw_context *ctx, const tw_sparse *q, const tw_sparse *design,
                         const tw_constraints *constraints, tw_elimination how, tw_pattern **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(check_shapes(ctx, q, design));
    TW_TRY(tw_allocate(ctx, 1, sizeof **out, "a sparse Gaussian", &memory));
    tw_pattern *p = memory;
    p->ctx = ctx;
    p->r = q->rows;
    p->n = design ? design->rows : q->rows;
    atomic_init(&p->holders, 1);
    tw_status status = fill(p, q, design, constraints, how);
    if (status == TW_OK)
        *out = p;
    else
        tw_pattern_release(p);
    return status;
}

/* ---- from sites to elimination order, and back ---- */

void tw_pattern_gather(const tw_pattern *p, size_t columns, const double *x, const double *minus, double *to)
{
    const uint32_t *place = p->analysis->place;
    if (p->sites) memset(to, 0, p->r * columns * sizeof *to);
    for (size_t i = 0; i < p->n; i++) {
        double shift = minus ? minus[i] : 0.0;
        if (!p->sites) {
            double *row = to + place[i] * columns;
            for (size_t c = 0; c < columns; c++) row[c] = x[i + c * p->n] - shift;
            continue;
        }
        for (size_t e = p->sites->start[i]; e < p->sites->start[i + 1]; e++) {
            double *row = to + place[p->sites->row[e]] * columns;
            for (size_t c = 0; c < columns; c++) row[c] += p->sites->value[e] * (x[i + c * p->n] - shift);
        }
    }
}

void tw_pattern_scatter(const tw_pattern *p, size_t columns, const double *from, double *x)
{
    const uint32_t *place = p->analysis->place;
    for (size_t i = 0; i < p->n; i++) {
        if (!p->sites) {
            const double *row = from + place[i] * columns;
            for (size_t c = 0; c < columns; c++) x[i + c * p->n] = row[c];
            continue;
        }
        for (size_t c = 0; c < columns; c++) {
            double sum = 0.0;
            for (size_t e = p->sites->start[i]; e < p->sites->start[i + 1]; e++)
                sum += p->sites->value[e] * from[c + place[p->sites->row[e]] * columns];
            x[i + c * p->n] = sum;
        }
    }
}

double tw_pattern_site(const tw_pattern *p, size_t columns, const double *from, size_t c, size_t i)
{
    const uint32_t *place = p->analysis->place;
    double sum = 0.0;
    if (!p->sites) return from[c + place[i] * columns];
    for (size_t e = p->sites->start[i]; e < p->sites->start[i + 1]; e++)
        sum += p->sites->value[e] * from[c + place[p->sites->row[e]] * columns];
    return sum;
}
