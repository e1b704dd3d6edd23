/* solve.c: solves and products of a sparse factor with a few columns at a time; see factor.h.
 *
 * The numbers of one variable are adjacent in a block of columns, so the part of a supernode is a dense
 * matrix with `columns` rows. The rows below it are gathered in tiles of TILE rows on the stack: no workspace
 * is needed, and any number of threads may use one factor.
 */
#include <string.h>

#include "linalg/panel.h"
#include "sparse/factor.h"

enum { TILE = 64 };

/* Update the rows below: X_2 -= X_1 L_2' or X_2 += X_1 L_2', by `sign`. */
static void scatter(const tw_supernode *s, const double *l, size_t columns, double sign, double *x)
{
    double tile[TILE * TW_SPARSE_COLUMNS];
    const double *own = x + s->first * columns, *panel = l + s->at + s->k;
    for (size_t from = 0; from < s->m; from += TILE) {
        size_t count = s->m - from < TILE ? s->m - from : TILE;
        tw_panel_product(columns, count, s->k, sign, own, columns, panel + from, s->ld, true, 0.0, tile,
                         columns);
        for (size_t i = 0; i < count; i++) {
            double *to = x + s->row[from + i] * columns;
            for (size_t c = 0; c < columns; c++) to[c] += tile[c + i * columns];
        }
    }
}

/* X_1 -= X_2 L_2 or X_1 += X_2 L_2, by `sign`. */
static void gather(const tw_supernode *s, const double *l, size_t columns, double sign, double *x)
{
    double tile[TILE * TW_SPARSE_COLUMNS];
    double *own = x + s->first * columns;
    const double *panel = l + s->at + s->k;
    for (size_t from = 0; from < s->m; from += TILE) {
        size_t count = s->m - from < TILE ? s->m - from : TILE;
        for (size_t i = 0; i < count; i++)
            memcpy(tile + i * columns, x + s->row[from + i] * columns, columns * sizeof *tile);
        tw_panel_product(columns, s->k, count, sign, tile, columns, panel + from, s->ld, false, 1.0, own,
                         columns);
    }
}

void tw_sparse_solve_lower(const tw_analysis *a, const double *l, size_t columns, double *x)
{
    for (size_t s = 0; s < a->supernodes; s++) {
        tw_supernode n = tw_supernode_get(a, s);
        tw_panel_solve(columns, n.k, l + n.at, n.ld, true, x + n.first * columns, columns);
        scatter(&n, l, columns, -1.0, x);
    }
}

void tw_sparse_solve_upper(const tw_analysis *a, const double *l, size_t columns, double *x)
{
    for (size_t s = a->supernodes; s-- > 0;) {
        tw_supernode n = tw_supernode_get(a, s);
        gather(&n, l, columns, -1.0, x);
        tw_panel_solve(columns, n.k, l + n.at, n.ld, false, x + n.first * columns, columns);
    }
}

/* From the last supernode to the first: each adds to rows below it that have been multiplied already. */
void tw_sparse_multiply_lower(const tw_analysis *a, const double *l, size_t columns, double *x)
{
    for (size_t s = a->supernodes; s-- > 0;) {
        tw_supernode n = tw_supernode_get(a, s);
        scatter(&n, l, columns, 1.0, x);
        tw_panel_multiply(columns, n.k, l + n.at, n.ld, true, x + n.first * columns, columns);
    }
}

void tw_sparse_multiply_upper(const tw_analysis *a, const double *l, size_t columns, double *x)
{
    for (size_t s = 0; s < a->supernodes; s++) {
        tw_supernode n = tw_supernode_get(a, s);
        tw_panel_multiply(columns, n.k, l + n.at, n.ld, false, x + n.first * columns, columns);
        gather(&n, l, columns, 1.0, x);
    }
}
