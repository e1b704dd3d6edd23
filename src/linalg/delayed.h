/* delayed.h: rank-one updates of a symmetric matrix, collected and applied about a hundred at a time.
 *
 * A <- A - c s s' costs n^2 flops, and applied at once it is limited by memory bandwidth. Here updates are
 * collected,
 *   A = A0 - P P' + M M',   P: columns c^1/2 s for c > 0,   M: columns |c|^1/2 s for c < 0.
 * Requested columns of A are computed from A0 and the panel [P M]. When the panel is full, two calls of syrk
 * apply it to A0. A sweep of m updates then costs m n^2 flops at the speed of level-3 BLAS, for any
 * distribution of the updates over the columns, and its rounding errors are those of immediate updates.
 */
#ifndef TALWEG_LINALG_DELAYED_H
#define TALWEG_LINALG_DELAYED_H

#include "base/context.h"

typedef struct tw_delayed {
    tw_context *ctx;
    size_t n;
    double *a;          /* n x n; the caller owns it; only the lower triangle is used */
    size_t first;       /* the first open column */
    double *columns;    /* n x TW_DELAYED_BLOCK: the open columns of A, in full, when they were opened */
    double *panel;      /* n x TW_DELAYED_PANEL: P from the left, M from the right */
    double *row;        /* TW_DELAYED_PANEL x TW_DELAYED_BLOCK: rows of P or M */
    size_t plus, minus; /* columns of P and of M */
    size_t opened_plus, opened_minus; /* how many of them `columns` contains already */
} tw_delayed;

enum { TW_DELAYED_BLOCK = 64, TW_DELAYED_PANEL = 2 * TW_DELAYED_BLOCK };

/* Updates of the lower triangle of a (n x n, leading dimension n), which must outlive *out. */
tw_status tw_delayed_new(tw_context *ctx, size_t n, double *a, tw_delayed **out);
void tw_delayed_free(tw_delayed *d);

/* Open columns [first, first + count), count <= TW_DELAYED_BLOCK. At most one update per column may
 * follow. */
void tw_delayed_open(tw_delayed *d, size_t first, size_t count);

/* A_jj, and column j of A in full, for an open column j. */
double tw_delayed_diagonal(const tw_delayed *d, size_t j);
void tw_delayed_column(tw_delayed *d, size_t j, double *column);

/* A <- A - c s s'. */
void tw_delayed_update(tw_delayed *d, double c, const double *s);

/* Close the columns, and apply the panel if it has no space for another block of updates. */
void tw_delayed_close(tw_delayed *d);

/* Apply the collected updates to a's lower triangle; no columns may be open. */
void tw_delayed_apply(tw_delayed *d);

/* y = A x, and y = (A o A) x with the elements of A squared. Both apply the collected updates first. */
void tw_delayed_multiply(tw_delayed *d, const double *x, double *y);
void tw_delayed_multiply_squares(tw_delayed *d, const double *x, double *y);

#endif
