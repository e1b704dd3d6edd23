/* delayed.h: a symmetric matrix under many rank-one updates, applied about a hundred at a time.
 *
 * A <- A - c s s' costs n^2 flops at the speed of memory when done at once. Here updates are collected,
 *   A = A0 - P P' + M M',   P, M: columns sqrt|c| s with c > 0 and with c < 0;
 * columns of A are formed from A0 and the panel [P M] when asked for, and the panel goes into A0 by two syrk
 * calls when it is full. A sweep of m updates then costs m n^2 flops at the speed of level-3 BLAS, however they are
 * spread over the columns, and its rounding errors are those of the plain updates.
 */
#ifndef TALWEG_LINALG_DELAYED_H
#define TALWEG_LINALG_DELAYED_H

#include "base/context.h"

typedef struct tw_delayed {
    tw_context *ctx;
    size_t n;
    double *a;    /* n x n, the caller's; lower triangle used */
    size_t first; /* of the columns now open */
    double
        *columns;  /* n x TW_DELAYED_BLOCK: the open columns of A as it was when they were opened, in full */
    double *panel; /* n x TW_DELAYED_PANEL: P from the left, M from the right */
    double *row;   /* TW_DELAYED_PANEL x TW_DELAYED_BLOCK: rows of P or M */
    size_t plus, minus;               /* columns of P and of M */
    size_t opened_plus, opened_minus; /* of those, how many are in `columns` already */
} tw_delayed;

enum { TW_DELAYED_BLOCK = 64, TW_DELAYED_PANEL = 2 * TW_DELAYED_BLOCK };

/* Work on the lower triangle of a (n x n, leading dimension n), which must stay alive. */
tw_status tw_delayed_new(tw_context *ctx, size_t n, double *a, tw_delayed **out);
void tw_delayed_free(tw_delayed *d);

/* Open columns [first, first + count), count <= TW_DELAYED_BLOCK: at most one update may follow per column.
 */
void tw_delayed_open(tw_delayed *d, size_t first, size_t count);

/* A_jj, and column j of A in full, for a j of the open block. */
double tw_delayed_diagonal(const tw_delayed *d, size_t j);
void tw_delayed_column(tw_delayed *d, size_t j, double *column);

/* A <- A - c s s'. */
void tw_delayed_update(tw_delayed *d, double c, const double *s);

/* Close the columns: the panel is applied where it has no room for another block of updates. */
void tw_delayed_close(tw_delayed *d);

/* Apply what was collected to a's lower triangle, while no columns are open. */
void tw_delayed_apply(tw_delayed *d);

/* y = A x, and y = (A o A) x with the elements of A squared: what was collected is applied first. */
void tw_delayed_multiply(tw_delayed *d, const double *x, double *y);
void tw_delayed_multiply_squares(tw_delayed *d, const double *x, double *y);

#endif
