/* factor.c: the right-looking supernodal Cholesky factorisation. LAPACK factors a supernode, BLAS solves for
 * its rows below, and the products of these rows with each other are subtracted from the blocks of the
 * ancestors.
 */
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "linalg/panel.h"
#include "linalg/product.h"
#include "linalg/size.h"

void tw_front_free(tw_context *ctx, tw_front *front)
{
    tw_release(ctx, front->square);
    tw_release(ctx, front->panel);
    tw_release(ctx, front->position);
    *front = (tw_front){NULL, NULL, NULL};
}

tw_status tw_front_new(const tw_analysis *a, tw_front *front)
{
    size_t m = a->most_below;
    *front = (tw_front){NULL, NULL, NULL};
    tw_status status = tw_allocate_doubles(a->ctx, m, m, "the front of a sparse factor", &front->square);
    if (status == TW_OK)
        status = tw_allocate_doubles(a->ctx, a->most_panel, 1, "the front of a sparse factor", &front->panel);
    if (status == TW_OK)
        status = tw_index_allocate(a->ctx, m, "the front of a sparse factor", &front->position);
    if (status != TW_OK) tw_front_free(a->ctx, front);
    return status;
}

/* Subtract square, the product of the rows below s with their transpose, from the blocks of the ancestors. */
static void subtract_from_ancestors(const tw_analysis *a, const tw_supernode *s, tw_front *front, double *l)
{
    tw_overlap o;
    for (size_t from = 0; from < s->m; from = o.to) {
        o = tw_analysis_overlap(a, s, from, front->position);
        for (size_t j = o.from; j < o.to; j++) {
            double *to = l + o.ancestor.at + front->position[j] * o.ancestor.ld;
            const double *column = front->square + j * s->m;
            for (size_t i = j; i < s->m; i++) to[front->position[i]] -= column[i];
        }
    }
}

bool tw_sparse_factor(const tw_analysis *a, tw_front *front, double *l, size_t *failed)
{
    for (size_t s = 0; s < a->supernodes; s++) {
        tw_supernode n = tw_supernode_get(a, s);
        double *block = l + n.at;
        tw_pivot pivot;
        if (!tw_cholesky_in_place(n.k, block, n.ld, &pivot)) {
            *failed = a->order[n.first + pivot.pivot - 1];
            return false;
        }
        if (n.m == 0) continue;
        tw_panel_solve(n.m, n.k, block, n.ld, true, block + n.k, n.ld);
        tw_product_self(n.m, n.k, block + n.k, n.ld, front->square, n.m);
        subtract_from_ancestors(a, &n, front, l);
    }
    return true;
}

double tw_sparse_log_det(const tw_analysis *a, const double *l)
{
    double sum = 0.0;
    for (size_t s = 0; s < a->supernodes; s++) {
        tw_supernode n = tw_supernode_get(a, s);
        for (size_t j = 0; j < n.k; j++) sum += log(l[n.at + j * (n.ld + 1)]);
    }
    return 2.0 * sum;
}

/* square (lower triangle) = the entries of Q^-1 between the rows below s, from the ancestors. */
static void gather_from_ancestors(const tw_analysis *a, const tw_supernode *s, const double *z,
                                  tw_front *front)
{
    tw_overlap o;
    for (size_t from = 0; from < s->m; from = o.to) {
        o = tw_analysis_overlap(a, s, from, front->position);
        for (size_t j = o.from; j < o.to; j++) {
            const double *column = z + o.ancestor.at + front->position[j] * o.ancestor.ld;
            double *to = front->square + j * s->m;
            for (size_t i = j; i < s->m; i++) to[i] = column[front->position[i]];
        }
    }
}

/* Takahashi's recursion in blocks, from the last supernode to the first. With L_1 its triangle, L_2 its rows
 * below, Y = L_2 L_1^-1 and Z_22 known:
 *   Z_21 = -Z_22 Y,    Z_11 = (L_1 L_1')^-1 - Y' Z_21. */
void tw_sparse_select(const tw_analysis *a, tw_front *front, const double *l, double *z)
{
    for (size_t s = a->supernodes; s-- > 0;) {
        tw_supernode n = tw_supernode_get(a, s);
        double *block = z + n.at;
        memcpy(block, l + n.at, n.ld * n.k * sizeof *z);
        if (n.m > 0) {
            tw_panel_solve(n.m, n.k, block, n.ld, false, block + n.k, n.ld);
            gather_from_ancestors(a, &n, z, front);
            tw_panel_minus_symmetric(n.m, n.k, front->square, n.m, block + n.k, n.ld, front->panel, n.m);
        }
        tw_panel_invert(n.k, block, n.ld);
        if (n.m == 0) continue;
        tw_panel_subtract_inner(n.k, n.m, block + n.k, n.ld, front->panel, n.m, block, n.ld);
        for (size_t j = 0; j < n.k; j++)
            memcpy(block + n.k + j * n.ld, front->panel + j * n.m, n.m * sizeof *z);
    }
}
