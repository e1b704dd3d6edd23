/* solve.c: solves and products with a sparse factor for a few columns at once; see factor.h.
 *
 * A block of columns is stored with the numbers of one variable side by side, so the part of a supernode is a dense matrix of
 * `columns` rows, and the rows below it are gathered TILE at a time into a small array on the stack: no work space
 * is needed, and any number of threads may use one factor.
 */
#include <string.h>

#include "linalg/panel.h"
#include "sparse/factor.h"

enum { TILE = 64 };

/* What is done with the rows below: X_2 -= X_1 L_2' or X_2 += X_1 L_2'. */
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

/* X_1 -= X_2 L_2 or X_1 += X_2 L_2. */
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

/* From the last to the first: what a supernode adds below does not change what is multiplied there, which is done already. */
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
