/* panel.h: covariances are computed panel by panel: some rows of the inputs against some columns.
 *
 * The numbers of a panel stand in one array, column after column. Leaves take scaled squared distances from the
 * geometry, which computes them by level-3 products: leaves whose length scales are the same, or are one length
 * scale each, share them.
 */
#ifndef TALWEG_COVARIANCE_PANEL_H
#define TALWEG_COVARIANCE_PANEL_H

#include "covariance/kernel.h"

/* Columns that are computed together. */
enum { TW_PANEL_COLUMNS = 64 };

/* Inputs divided by length scales and centred, rows x d, and the squared norm of each row. */
typedef struct tw_scaled {
    double *values, *norm2;
} tw_scaled;

/* Distances that several leaves share: those of the length scales of one of them. */
typedef struct tw_distances {
    const tw_node *node;
    tw_scaled rows, columns; /* the same memory where the columns are the rows */
    double *block;           /* n x TW_PANEL_COLUMNS products, then squared distances; NULL: made elsewhere */
    const double *d2;        /* those of the panel at hand */
} tw_distances;

typedef struct tw_geometry {
    const tw_kernel *kernel;
    size_t n, m, d;
    bool self;                     /* the columns are the rows */
    double *centre;                /* one number per input */
    size_t *set_of;                /* for each node */
    double *factor;                /* for each node: its d2 is this times that of its set */
    size_t set_count, first_block; /* sets from first_block on have blocks */
    tw_distances *sets;
} tw_geometry;

/* Inputs of rows and columns: count x d numbers. */
typedef struct tw_inputs {
    size_t count;
    const double *x;
    size_t ld;
} tw_inputs;

/* The columns may be the rows, the same pointer. */
tw_status tw_geometry_new(const tw_kernel *kernel, size_t d, const tw_inputs *rows, const tw_inputs *columns,
                          size_t first_block, tw_geometry **out);
void tw_geometry_free(tw_geometry *geometry);

/* Squared distances of rows first_row .. n - 1 to columns first_column .. first_column + columns - 1, into block, with leading
 * dimension n - first_row; exactly 0 on the diagonal of self. Of the sets that have blocks. */
void tw_geometry_block(tw_geometry *geometry, size_t first_row, size_t first_column, size_t columns);

/* d2 of `rows` rows from first_row on to one column, from their products. */
void tw_distances_from_products(const tw_distances *set, size_t first_row, size_t rows, size_t column,
                                const double *products, double *d2);

typedef enum tw_panel_kind {
    TW_PANEL_APART,   /* rows and columns are different cases */
    TW_PANEL_MIXED,   /* row i and column j may be the same case: where first_row + i = first_column + j */
    TW_PANEL_DIAGONAL /* row i is the same case as its one column, for each i: k(a, a) */
} tw_panel_kind;

struct tw_panel {
    const tw_kernel *kernel;
    const tw_geometry *geometry; /* NULL on the diagonal */
    tw_panel_kind kind;
    size_t first_row, rows, first_column, columns;
    size_t capacity; /* numbers in each piece of scratch */
    double *scratch; /* the next piece */
    double *wide;    /* TW_PANEL_COLUMNS x d, for contractions; else NULL */
};

/* The covariances of node i of a kernel on a panel. Takes as many pieces of scratch as the kernel is deep. */
void tw_panel_evaluate(tw_panel *panel, size_t i, double *out);

/* Have all entries of a panel the same value? */
bool tw_panel_uniform(const tw_panel *panel, size_t node, double *value);

/* A piece of scratch, and back; the last one taken goes back first. */
double *tw_panel_take(tw_panel *panel);
void tw_panel_give(tw_panel *panel);

/* gradient[k] -= 2 sum over the panel of p_ij (u_ik - v_jk)^2, u and v the scaled inputs of a leaf's distances. */
void tw_contract_lengths(tw_panel *panel, const tw_node *node, const double *p, double *gradient);

/* The sum and product nodes above the deepest leaf. */
size_t tw_kernel_depth(const tw_kernel *kernel);

#endif
