/* blocks.c: see blocks.h. Only this file calls BLACS and ScaLAPACK. */
#include "distributed/blocks.h"

#include <math.h>
#include <string.h>

/* ---- BLACS and ScaLAPACK, which have no header ---- */

extern int Csys2blacs_handle(MPI_Comm comm);
extern void Cfree_blacs_system_handle(int handle);
extern void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
extern void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
extern void Cblacs_gridexit(int context);
extern int numroc_(const int *n, const int *block, const int *process, const int *first,
                   const int *processes);
extern void descinit_(int *descriptor, const int *m, const int *n, const int *row_block,
                      const int *column_block, const int *first_row, const int *first_column,
                      const int *context, const int *ld, int *info);
extern void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
                     const int *desca, int *info);
extern void pdtrmm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                    const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
                    const int *desca, double *b, const int *ib, const int *jb, const int *descb);
extern void pdtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                    const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
                    const int *desca, double *b, const int *ib, const int *jb, const int *descb);
extern void pdgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
                    const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
                    const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
                    double *c, const int *ic, const int *jc, const int *descc);

static const int first = 1, origin = 0;
static const double one = 1.0, zero = 0.0;

/* ---- indices ---- */

/* The index in the whole matrix of a local row or column, block-cyclic over `places` processes. */
static size_t whole_index(size_t local, size_t block, int place, int places)
{
    return (local / block * (size_t)places + (size_t)place) * block + local % block;
}

size_t tw_block_row(const tw_blocks *b, const tw_block_matrix *m, size_t row)
{
    return whole_index(row, m->row_block, b->row, b->rows);
}

size_t tw_block_column(const tw_blocks *b, const tw_block_matrix *m, size_t column)
{
    return whole_index(column, m->column_block, b->column, b->columns);
}

/* ---- allocation ---- */

tw_status tw_blocks_agree(tw_blocks *b, tw_status status)
{
    int mine = (int)status, worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, b->comm);
    if (status == TW_OK && worst != TW_OK)
        return tw_fail(b->ctx, (tw_status)worst, "another rank failed: %s", tw_status_text((tw_status)worst));
    return status;
}

static tw_status make_matrix(tw_blocks *b, size_t columns, size_t column_block, const char *what,
                             tw_block_matrix *out)
{
    int m = (int)b->n, n = (int)columns, nb = TW_BLOCK, mb = (int)column_block, info = 0;
    int rows = numroc_(&m, &nb, &b->row, &origin, &b->rows),
        width = numroc_(&n, &mb, &b->column, &origin, &b->columns);
    int ld = rows > 1 ? rows : 1;
    *out = (tw_block_matrix){
        .rows = (size_t)rows, .columns = (size_t)width, .row_block = TW_BLOCK, .column_block = column_block};
    descinit_(out->descriptor, &m, &n, &nb, &mb, &origin, &origin, &b->grid, &ld, &info);
    return tw_blocks_agree(
        b, tw_allocate_doubles(b->ctx, (size_t)ld, width > 0 ? (size_t)width : 1, what, &out->part));
}

tw_status tw_block_matrix_new(tw_blocks *b, const char *what, tw_block_matrix *out)
{
    return make_matrix(b, b->n, TW_BLOCK, what, out);
}

void tw_block_matrix_release(tw_blocks *b, tw_block_matrix *m)
{
    tw_release(b->ctx, m->part);
    m->part = NULL;
}

/* Make the grid as square as the number of processes allows. */
static void make_grid(tw_blocks *b)
{
    int size = 1, rows = 1;
    MPI_Comm_size(b->comm, &size);
    for (int k = 1; k * k <= size; k++)
        if (size % k == 0) rows = k;
    b->grid = Csys2blacs_handle(b->comm);
    Cblacs_gridinit(&b->grid, "Row", rows, size / rows);
    Cblacs_gridinfo(b->grid, &b->rows, &b->columns, &b->row, &b->column);
}

static tw_status fill(tw_blocks *b)
{
    make_grid(b);
    for (size_t k = 0; k < 2; k++)
        TW_TRY(make_matrix(b, TW_BLOCK_COLUMNS, TW_PANEL_BLOCK, "a panel of vectors", &b->panel[k]));
    return tw_blocks_agree(
        b, tw_allocate_doubles(b->ctx, b->n, TW_BLOCK_COLUMNS, "a panel of vectors", &b->work));
}

tw_status tw_blocks_new(tw_context *ctx, MPI_Comm comm, size_t n, tw_blocks **out)
{
    void *memory = NULL;
    int failed, any = 0;
    *out = NULL;
    tw_status status = tw_allocate(ctx, 1, sizeof(tw_blocks), "a grid of processes", &memory);
    failed = status != TW_OK;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
    tw_blocks *b = memory;
    if (!b) return status;
    *b = (tw_blocks){.ctx = ctx, .comm = MPI_COMM_NULL, .grid = -1, .n = n, .users = 1};
    if (any)
        status = tw_fail(ctx, TW_NO_MEMORY, "another rank has not enough memory for its part of a matrix");
    if (status == TW_OK) MPI_Comm_dup(comm, &b->comm);
    if (status == TW_OK) status = fill(b);
    if (status == TW_OK)
        *out = b;
    else
        tw_blocks_free(b);
    return status;
}

tw_blocks *tw_blocks_use(tw_blocks *b)
{
    b->users++;
    return b;
}

void tw_blocks_free(tw_blocks *b)
{
    if (!b || --b->users > 0) return;
    for (size_t k = 0; k < 2; k++) tw_block_matrix_release(b, &b->panel[k]);
    tw_release(b->ctx, b->work);
    if (b->grid >= 0) Cblacs_gridexit(b->grid);
    if (b->comm != MPI_COMM_NULL) MPI_Comm_free(&b->comm);
    tw_release(b->ctx, b);
}

/* ---- matrices ---- */

static void clear_above(tw_blocks *b, tw_block_matrix *a)
{
    for (size_t j = 0; j < a->columns; j++)
        for (size_t i = 0; i < a->rows; i++)
            if (tw_block_row(b, a, i) < tw_block_column(b, a, j)) a->part[i + j * a->rows] = 0.0;
}

/* Sum over the ranks. Rank 0 forms the sum and broadcasts it, so that all ranks have the same bits. */
static void add_up(tw_blocks *b, size_t count, double *numbers)
{
    int rank = 0;
    MPI_Comm_rank(b->comm, &rank);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : numbers, numbers, (int)count, MPI_DOUBLE, MPI_SUM, 0, b->comm);
    MPI_Bcast(numbers, (int)count, MPI_DOUBLE, 0, b->comm);
}

bool tw_blocks_factor(tw_blocks *b, tw_block_matrix *a, double *log_det)
{
    int n = (int)b->n, info = 0;
    pdpotrf_("L", &n, a->part, &first, &first, a->descriptor, &info);
    if (info != 0) return false;
    clear_above(b, a);
    *log_det = 0.0;
    for (size_t j = 0; j < a->columns; j++)
        for (size_t i = 0; i < a->rows; i++)
            if (tw_block_row(b, a, i) == tw_block_column(b, a, j))
                *log_det += 2.0 * log(a->part[i + j * a->rows]);
    add_up(b, 1, log_det);
    return isfinite(*log_det);
}

void tw_blocks_multiply_transposed(tw_blocks *b, const tw_block_matrix *l, tw_block_matrix *x)
{
    int n = (int)b->n;
    pdtrmm_("L", "L", "T", "N", &n, &n, &one, l->part, &first, &first, l->descriptor, x->part, &first, &first,
            x->descriptor);
}

void tw_blocks_solve_right(tw_blocks *b, const tw_block_matrix *l, tw_block_matrix *x)
{
    int n = (int)b->n;
    pdtrsm_("R", "L", "T", "N", &n, &n, &one, l->part, &first, &first, l->descriptor, x->part, &first, &first,
            x->descriptor);
}

void tw_blocks_product(tw_blocks *b, const tw_block_matrix *a, const tw_block_matrix *x, tw_block_matrix *c)
{
    int n = (int)b->n;
    pdgemm_("T", "N", &n, &n, &n, &one, a->part, &first, &first, a->descriptor, x->part, &first, &first,
            x->descriptor, &zero, c->part, &first, &first, c->descriptor);
}

void tw_blocks_row_squares(tw_blocks *b, const tw_block_matrix *m, double *sums)
{
    memset(sums, 0, b->n * sizeof *sums);
    for (size_t j = 0; j < m->columns; j++)
        for (size_t i = 0; i < m->rows; i++)
            sums[tw_block_row(b, m, i)] += m->part[i + j * m->rows] * m->part[i + j * m->rows];
    add_up(b, b->n, sums);
}

/* ---- panels ---- */

void tw_blocks_put(tw_blocks *b, size_t columns, const double *x)
{
    tw_block_matrix *p = &b->panel[0];
    for (size_t j = 0; j < p->columns; j++) {
        size_t column = tw_block_column(b, p, j);
        for (size_t i = 0; i < p->rows; i++)
            p->part[i + j * p->rows] = column < columns ? x[tw_block_row(b, p, i) + column * b->n] : 0.0;
    }
}

/* Each number comes from one rank and the others add 0, so the sum is exact. */
void tw_blocks_get_rows(tw_blocks *b, size_t row, size_t rows, size_t columns, double *x)
{
    const tw_block_matrix *p = &b->panel[0];
    memset(b->work, 0, rows * columns * sizeof *b->work);
    for (size_t j = 0; j < p->columns; j++) {
        size_t column = tw_block_column(b, p, j);
        for (size_t i = 0; column < columns && i < p->rows; i++) {
            size_t at = tw_block_row(b, p, i);
            if (at >= row && at < row + rows) b->work[at - row + column * rows] = p->part[i + j * p->rows];
        }
    }
    MPI_Allreduce(b->work, x, (int)(rows * columns), MPI_DOUBLE, MPI_SUM, b->comm);
}

void tw_blocks_get(tw_blocks *b, size_t columns, double *x)
{
    tw_blocks_get_rows(b, 0, b->n, columns, x);
}

void tw_blocks_triangle(tw_blocks *b, tw_block_step step, bool transposed, const tw_block_matrix *l,
                        size_t columns)
{
    int n = (int)b->n, width = (int)columns;
    tw_block_matrix *p = &b->panel[0];
    (step == TW_BLOCK_MULTIPLY ? pdtrmm_ : pdtrsm_)("L", "L", transposed ? "T" : "N", "N", &n, &width, &one,
                                                    l->part, &first, &first, l->descriptor, p->part, &first,
                                                    &first, p->descriptor);
}

void tw_blocks_full(tw_blocks *b, bool transposed, const tw_block_matrix *f, size_t columns)
{
    int n = (int)b->n, width = (int)columns;
    tw_block_matrix *from = &b->panel[0], *to = &b->panel[1], kept;
    pdgemm_(transposed ? "T" : "N", "N", &n, &width, &n, &one, f->part, &first, &first, f->descriptor,
            from->part, &first, &first, from->descriptor, &zero, to->part, &first, &first, to->descriptor);
    kept = *from;
    *from = *to;
    *to = kept;
}
