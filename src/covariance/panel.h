/* panel.h: covariances are computed in panels: some rows of the inputs against some columns.
 *
 * The entries of a panel are in one array, column by column. Leaves use inputs through features, numbers that
 * depend on one case only: inputs divided by length scales for a stationary leaf, cosines and sines for a
 * periodic one. The geometry computes squared distances and products of features by level-3 BLAS. Leaves with
 * the same features share them; so do stationary leaves with one length scale each on the same inputs.
 */
#ifndef TALWEG_COVARIANCE_PANEL_H
#define TALWEG_COVARIANCE_PANEL_H

#include "covariance/kernel.h"

typedef struct tw_full tw_full; /* covariance/full.h */

/* The number of columns that are computed together. */
enum { TW_PANEL_COLUMNS = 64 };

/* The features (cases x width) and their squared norm for each case. */
typedef struct tw_features {
    double *values, *norm2;
} tw_features;

/* Features that several leaves share, and their distances or products. */
typedef struct tw_set {
    const tw_node *node; /* one of the leaves, which defines the features */
    tw_want want;
    size_t width;              /* number of features of a case */
    tw_features rows, columns; /* the same memory if the columns are the rows */
    double *block;             /* n x TW_PANEL_COLUMNS distances or products; NULL: computed elsewhere */
    const double *numbers;     /* the distances or products of the current panel */
} tw_set;

struct tw_geometry {
    const tw_kernel *kernel;
    size_t n, m, d; /* rows, columns, inputs */
    size_t widest;  /* the largest width of a set */
    bool self;      /* the columns are the rows */
    const tw_inputs *rows, *columns;
    double *centre;       /* d: the means of the inputs of the rows */
    size_t *set_of;       /* the set of each node */
    double *factor;       /* for each node: its d2 is this times that of its set */
    size_t set_count;     /* number of sets */
    size_t product_count; /* number of sets with distances or products, which come first */
    size_t first_block;   /* of these, the sets from first_block on have a block */
    tw_set *sets;
    tw_full *full; /* covariances of leaves that have only a precision; NULL: no such leaves */
};

/* Inputs of rows or columns: count x d numbers. */
struct tw_inputs {
    size_t count;
    const double *x;
    size_t ld;
};

/* The columns may be the rows (the same pointer). Both must outlive the geometry. */
tw_status tw_geometry_new(const tw_kernel *kernel, size_t d, const tw_inputs *rows, const tw_inputs *columns,
                          size_t first_block, tw_geometry **out);
void tw_geometry_free(tw_geometry *geometry);

/* Does k(a, a) depend on a? */
bool tw_kernel_varies(const tw_kernel *kernel);

/* For all sets with a block: compute the squared distances (exactly 0 between a case and itself) or products
 * of the rows first_row .. n - 1 with `columns` columns from first_column on, with leading dimension
 * n - first_row. */
void tw_geometry_block(tw_geometry *geometry, size_t first_row, size_t first_column, size_t columns);

/* Distances or products of `rows` rows from first_row on with one column, from the products. */
void tw_set_from_products(const tw_geometry *geometry, const tw_set *set, size_t first_row, size_t rows,
                          size_t column, const double *products, double *out);

/* Is a row so close to a column that d2 cancels in products of features? And its square of the difference in
 * feature k. */
bool tw_set_is_near(const tw_set *set, size_t column, double d2);
double tw_set_square(const tw_geometry *geometry, const tw_set *set, size_t row, size_t column, size_t k);

/* The set of a leaf. */
const tw_set *tw_panel_set(const tw_panel *panel, const tw_node *node);

typedef enum tw_panel_kind {
    TW_PANEL_APART,   /* rows and columns are different cases */
    TW_PANEL_MIXED,   /* row i and column j are the same case if first_row + i = first_column + j */
    TW_PANEL_DIAGONAL /* entry i is k(a, a) of row i */
} tw_panel_kind;

struct tw_panel {
    const tw_kernel *kernel;
    const tw_geometry *geometry; /* may be NULL on the diagonal if k(a, a) does not depend on a */
    tw_panel_kind kind;
    size_t first_row, rows, first_column, columns;
    size_t capacity; /* of each piece of scratch, in numbers */
    double *scratch; /* the next free piece */
    double *wide;    /* TW_PANEL_COLUMNS x widest numbers for contractions; otherwise NULL */
};

/* The covariances of node i on a panel. Uses at most tw_kernel_depth pieces of scratch. */
void tw_panel_evaluate(tw_panel *panel, size_t i, double *out);

/* Are all entries of node on the panel equal? Then *value is their value. */
bool tw_panel_uniform(const tw_panel *panel, size_t node, double *value);

/* Take and give back a piece of scratch, as a stack. */
double *tw_panel_take(tw_panel *panel);
void tw_panel_give(tw_panel *panel);

/* gradient[c] -= 2 sum over the panel of p_ij (u_ik - v_jk)^2 or, if the leaf uses products, of p_ij u_ik
 * v_jk. u and v are the features of rows and columns, and the sum includes the features k of the leaf's c-th
 * input. Overwrites p. */
void tw_contract_lengths(tw_panel *panel, const tw_node *node, double *p, double *gradient);

/* The number of sum and product nodes above the deepest leaf. */
size_t tw_kernel_depth(const tw_kernel *kernel);

#endif
