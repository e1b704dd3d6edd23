/* gaussian.c: the distributed Gaussian; see inside.h for its factors. */
#include <math.h>
#include <string.h>

#include "distributed/inside.h"

static const tw_gaussian_kind distributed_kind;

static const tw_distributed *of(const tw_gaussian *g)
{
    return (const tw_distributed *)g;
}

static void release(tw_gaussian *g)
{
    tw_distributed *d = (tw_distributed *)g;
    if (!d->blocks) return;
    tw_block_matrix_release(d->blocks, &d->factor);
    tw_block_matrix_release(d->blocks, &d->metric);
    tw_blocks_free(d->blocks);
}

/* ---- products and solves, panel by panel ---- */

/* Multiply the panel by F or F', or solve with F or F'. */
typedef void panel_work(const tw_distributed *d, size_t columns);

static void spread_panel(const tw_distributed *d, size_t columns)
{
    if (d->base)
        tw_blocks_full(d->blocks, false, &d->factor, columns);
    else
        tw_blocks_triangle(d->blocks, TW_BLOCK_MULTIPLY, false, &d->factor, columns);
}

static void pull_back_panel(const tw_distributed *d, size_t columns)
{
    if (d->base)
        tw_blocks_full(d->blocks, true, &d->factor, columns);
    else
        tw_blocks_triangle(d->blocks, TW_BLOCK_MULTIPLY, true, &d->factor, columns);
}

static void solve_panel(const tw_distributed *d, size_t columns)
{
    tw_blocks_triangle(d->blocks, TW_BLOCK_SOLVE, false, d->base ? &d->base->factor : &d->factor, columns);
    if (d->base) tw_blocks_triangle(d->blocks, TW_BLOCK_MULTIPLY, true, &d->metric, columns);
}

static void solve_transposed_panel(const tw_distributed *d, size_t columns)
{
    if (d->base) tw_blocks_triangle(d->blocks, TW_BLOCK_MULTIPLY, false, &d->metric, columns);
    tw_blocks_triangle(d->blocks, TW_BLOCK_SOLVE, true, d->base ? &d->base->factor : &d->factor, columns);
}

static void multiply_panel(const tw_distributed *d, size_t columns)
{
    pull_back_panel(d, columns);
    spread_panel(d, columns);
}

static void in_panels(const tw_gaussian *g, panel_work *work, size_t columns, const double *from, double *to)
{
    for (size_t done = 0, part; done < columns; done += part) {
        part = columns - done < TW_BLOCK_COLUMNS ? columns - done : TW_BLOCK_COLUMNS;
        tw_blocks_put(of(g)->blocks, part, from + done * g->n);
        work(of(g), part);
        tw_blocks_get(of(g)->blocks, part, to + done * g->n);
    }
}

static void spread(const tw_gaussian *g, size_t columns, const double *w, double *x)
{
    in_panels(g, spread_panel, columns, w, x);
}

static void pull_back(const tw_gaussian *g, size_t columns, const double *x, double *w)
{
    in_panels(g, pull_back_panel, columns, x, w);
}

static void solve(const tw_gaussian *g, size_t columns, const double *x, const double *mean, double *w)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < g->n; i++) w[i + j * g->n] = x[i + j * g->n] - (mean ? mean[i] : 0.0);
    in_panels(g, solve_panel, columns, w, w);
}

static void solve_transposed(const tw_gaussian *g, size_t columns, double *w)
{
    in_panels(g, solve_transposed_panel, columns, w, w);
}

static void multiply(const tw_gaussian *g, size_t columns, const double *x, double *y)
{
    in_panels(g, multiply_panel, columns, x, y);
}

/* Multiply unit vectors by A, one panel of columns at a time. */
static void block(const tw_gaussian *g, size_t row, size_t rows, size_t column, size_t columns, double *a)
{
    tw_blocks *b = of(g)->blocks;
    for (size_t done = 0, part; done < columns; done += part) {
        part = columns - done < TW_BLOCK_COLUMNS ? columns - done : TW_BLOCK_COLUMNS;
        memset(b->work, 0, b->n * part * sizeof *b->work);
        for (size_t j = 0; j < part; j++) b->work[column + done + j + j * b->n] = 1.0;
        tw_blocks_put(b, part, b->work);
        multiply_panel(of(g), part);
        tw_blocks_get_rows(b, row, rows, part, a + done * rows);
    }
}

static double flops(const tw_gaussian *g)
{
    return (of(g)->base ? 2.0 : 1.0) * (double)g->n * (double)g->n;
}

/* ---- conditioned Gaussians ---- */

/* out = Lambda F, the local part. */
static void scale_rows(const tw_distributed *d, const double *lambda, tw_block_matrix *out)
{
    const tw_block_matrix *f = &d->factor;
    for (size_t j = 0; j < f->columns; j++)
        for (size_t i = 0; i < f->rows; i++)
            out->part[i + j * f->rows] = lambda[tw_block_row(d->blocks, f, i)] * f->part[i + j * f->rows];
}

bool tw_distributed_metric(const tw_distributed *d, const double *lambda, tw_block_matrix *work,
                           tw_block_matrix *metric, double *log_det)
{
    tw_blocks *b = d->blocks;
    scale_rows(d, lambda, d->base ? work : metric);
    if (d->base)
        tw_blocks_product(b, &d->factor, work, metric);
    else
        tw_blocks_multiply_transposed(b, &d->factor, metric);
    for (size_t j = 0; j < metric->columns; j++)
        for (size_t i = 0; i < metric->rows; i++)
            if (tw_block_row(b, metric, i) == tw_block_column(b, metric, j))
                metric->part[i + j * metric->rows] += 1.0;
    return tw_blocks_factor(b, metric, log_det);
}

void tw_distributed_fold(const tw_distributed *d, const tw_block_matrix *metric, tw_block_matrix *work)
{
    memcpy(work->part, d->factor.part, work->rows * work->columns * sizeof *work->part);
    tw_blocks_solve_right(d->blocks, metric, work);
}

static tw_status like(const tw_gaussian *base, bool products, tw_gaussian **out)
{
    tw_blocks *b = of(base)->blocks;
    (void)products;
    tw_gaussian *made = NULL;
    *out = NULL;
    TW_TRY(tw_blocks_agree(b, tw_gaussian_allocate(base->ctx, &distributed_kind, sizeof(tw_distributed),
                                                   base->n, true, base->n, &made)));
    tw_distributed *d = (tw_distributed *)made;
    d->blocks = tw_blocks_use(b);
    d->base = of(base);
    made->r = made->n;
    made->full_rank = true;
    tw_status status = tw_block_matrix_new(b, "the factor of a Gaussian", &d->factor);
    if (status == TW_OK) status = tw_block_matrix_new(b, "the factor of a metric", &d->metric);
    if (status == TW_OK)
        *out = made;
    else
        tw_gaussian_free(made);
    return status;
}

static bool condition(const tw_gaussian *base, const double *tau, tw_gaussian *out, double *log_det)
{
    tw_distributed *d = (tw_distributed *)out;
    d->base = of(base);
    if (!tw_distributed_metric(of(base), tau, &d->factor, &d->metric, log_det)) return false;
    tw_distributed_fold(of(base), &d->metric, &d->factor);
    tw_blocks_row_squares(d->blocks, &d->factor, out->variance);
    out->log_det = base->log_det - *log_det;
    return true;
}

static const tw_gaussian_kind distributed_kind = {.name = "a Gaussian on many machines",
                                                  .collective = true,
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
                                                  .curve = tw_distributed_curve};

/* ---- the prior N(0, K) ---- */

/* The inputs of the local rows or columns, `count` x d. */
static tw_status pick(const tw_distributed *d, const tw_data *data, bool columns, double **out)
{
    const tw_block_matrix *m = &d->factor;
    size_t count = columns ? m->columns : m->rows;
    TW_TRY(tw_allocate_doubles(data->ctx, count > 0 ? count : 1, data->d, "some of the inputs", out));
    for (size_t k = 0; k < data->d; k++)
        for (size_t i = 0; i < count; i++) {
            size_t at = columns ? tw_block_column(d->blocks, m, i) : tw_block_row(d->blocks, m, i);
            (*out)[i + k * count] = data->x[at + k * data->n];
        }
    return TW_OK;
}

static void set_diagonal(tw_distributed *d, double jitter)
{
    tw_block_matrix *m = &d->factor;
    for (size_t j = 0; j < m->columns; j++)
        for (size_t i = 0; i < m->rows; i++)
            if (tw_block_row(d->blocks, m, i) == tw_block_column(d->blocks, m, j))
                m->part[i + j * m->rows] = d->g.variance[tw_block_row(d->blocks, m, i)] + jitter;
}

/* Each process computes its blocks of K. */
static tw_status compute_matrix(tw_distributed *d, const tw_data *data, const tw_kernel *kernel,
                                double jitter)
{
    tw_block_matrix *m = &d->factor;
    double *rows = NULL, *columns = NULL;
    tw_status status = pick(d, data, false, &rows);
    if (status == TW_OK) status = pick(d, data, true, &columns);
    if (status == TW_OK && m->rows > 0 && m->columns > 0)
        status = tw_kernel_cross(kernel, m->rows, data->d, rows, m->rows, m->columns, columns, m->columns,
                                 m->part, m->rows);
    if (status == TW_OK)
        status = tw_kernel_diagonal(kernel, data->n, data->d, data->x, data->n, d->g.variance);
    if (status == TW_OK) set_diagonal(d, jitter);
    tw_release(data->ctx, rows);
    tw_release(data->ctx, columns);
    return tw_blocks_agree(d->blocks, status);
}

/* Report that K cannot be factored. Try jitters of 10, 100, ... times the rounding error of K (n machine
 * epsilons times its largest variance), or times the given jitter if that is larger, to name one that works. */
static tw_status refuse(tw_distributed *d, const tw_data *data, const tw_kernel *kernel, double jitter)
{
    const double unit = 2.220446049250313e-16;
    double largest = 0.0, more = 0.0, log_det = 0.0;
    bool helps = false;
    for (size_t i = 0; i < d->g.n; i++) largest = fmax(largest, d->g.variance[i]);
    more = fmax(jitter, unit * (double)d->g.n * largest);
    for (int k = 0; k < 8 && !helps; k++) {
        more *= 10.0;
        TW_TRY(compute_matrix(d, data, kernel, more));
        helps = tw_blocks_factor(d->blocks, &d->factor, &log_det);
    }
    return tw_fail(d->g.ctx, TW_NOT_POSITIVE_DEFINITE,
                   "the distributed covariance matrix is numerically singular%s, and a pivoted factorisation "
                   "is not available: a jitter of %.2g %s",
                   jitter > 0.0 ? " even with this jitter" : "", more, helps ? "helps" : "does not help");
}

static tw_status fill(tw_distributed *d, const tw_data *data, const tw_kernel *kernel, double jitter,
                      MPI_Comm comm)
{
    TW_TRY(tw_blocks_new(data->ctx, comm, data->n, &d->blocks));
    TW_TRY(tw_block_matrix_new(d->blocks, "the kernel matrix", &d->factor));
    TW_TRY(compute_matrix(d, data, kernel, jitter));
    if (!tw_blocks_factor(d->blocks, &d->factor, &d->g.log_det)) return refuse(d, data, kernel, jitter);
    for (size_t i = 0; i < d->g.n; i++) d->g.variance[i] += jitter;
    d->g.r = d->g.n;
    d->g.full_rank = true;
    return TW_OK;
}

tw_status tw_distributed_new(const tw_data *data, const tw_kernel *kernel, double jitter, MPI_Comm comm,
                             tw_gaussian **out)
{
    tw_gaussian *g = NULL;
    int failed, any = 0;
    *out = NULL;
    tw_status status =
        tw_gaussian_allocate(data->ctx, &distributed_kind, sizeof(tw_distributed), data->n, false, 0, &g);
    failed = status != TW_OK;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
    if (!g) return status;
    status =
        any ? tw_fail(data->ctx, TW_NO_MEMORY, "another rank has not enough memory for its part of a matrix")
            : fill((tw_distributed *)g, data, kernel, jitter, comm);
    if (status == TW_OK)
        *out = g;
    else
        tw_gaussian_free(g);
    return status;
}
