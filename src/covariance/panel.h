/* panel.h: covariances are computed panel by panel: some rows of the inputs against some columns.
 *
 * The numbers of a panel stand in one array, column after column. A leaf that looks at inputs does so through features,
 * numbers that depend on one case only: the inputs of a stationary leaf divided by their lengths, cosines and sines of a
 * periodic one. Squared distances and products of features come from the geometry, which computes them by level-3
 * products: leaves with the same features share them, and stationary leaves of one length scale each on the same inputs.
 */
#ifndef TALWEG_COVARIANCE_PANEL_H
#define TALWEG_COVARIANCE_PANEL_H

#include "covariance/kernel.h"

typedef struct tw_full tw_full; /* covariance/full.h */

/* Columns that are computed together. */
enum { TW_PANEL_COLUMNS = 64 };

/* Features, cases x width, and the squared norm of each case. */
typedef struct tw_features {
    double *values, *norm2;
} tw_features;

/* Features that several leaves share, and their distances or products: those of one of the leaves. */
typedef struct tw_set {
    const tw_node *node;
    tw_want want;
    size_t width;              /* features of a case */
    tw_features rows, columns; /* the same memory where the columns are the rows */
    double *block;             /* n x TW_PANEL_COLUMNS products, then what is wanted; NULL: made elsewhere */
    const double *numbers;     /* squared distances or products of the panel at hand */
} tw_set;

struct tw_geometry {
    const tw_kernel *kernel;
    size_t n, m, d, widest;
    bool self; /* the columns are the rows */
    const tw_inputs *rows, *columns;
    double *centre;       /* one number per input */
    size_t *set_of;       /* for each node */
    double *factor;       /* for each node: its d2 is this times that of its set */
    size_t set_count;     /* sets with distances or products come first: */
    size_t product_count; /* so many of them */
    size_t first_block;   /* those from first_block on have blocks */
    tw_set *sets;
    tw_full *full; /* covariances of leaves that have a precision only; NULL: there are no such leaves */
};

/* Inputs of rows and columns: count x d numbers. */
struct tw_inputs {
    size_t count;
    const double *x;
    size_t ld;
};

/* The columns may be the rows, the same pointer; both must stay as long as the geometry. */
tw_status tw_geometry_new(const tw_kernel *kernel, size_t d, const tw_inputs *rows, const tw_inputs *columns,
                          size_t first_block, tw_geometry **out);
void tw_geometry_free(tw_geometry *geometry);

/* Does a kernel look at inputs for k(a, a) too? */
bool tw_kernel_varies(const tw_kernel *kernel);

/* Squared distances (exactly 0 on the diagonal of self) or products of rows first_row .. n - 1 with columns first_column ..
 * first_column + columns - 1, into block, with leading dimension n - first_row. Of the sets that have blocks. */
void tw_geometry_block(tw_geometry *geometry, size_t first_row, size_t first_column, size_t columns);

/* What a set wants of `rows` rows from first_row on and one column, from their products. */
void tw_set_from_products(const tw_set *set, size_t first_row, size_t rows, size_t column,
                          const double *products, double *out);

/* The set of a leaf. */
const tw_set *tw_panel_set(const tw_panel *panel, const tw_node *node);

typedef enum tw_panel_kind {
    TW_PANEL_APART,   /* rows and columns are different cases */
    TW_PANEL_MIXED,   /* row i and column j may be the same case: where first_row + i = first_column + j */
    TW_PANEL_DIAGONAL /* row i is the same case as its one column, for each i: k(a, a) */
} tw_panel_kind;

struct tw_panel {
    const tw_kernel *kernel;
    const tw_geometry *geometry; /* may be NULL on the diagonal where the kernel does not vary there */
    tw_panel_kind kind;
    size_t first_row, rows, first_column, columns;
    size_t capacity; /* numbers in each piece of scratch */
    double *scratch; /* the next piece */
    double *wide;    /* TW_PANEL_COLUMNS x the widest set, for contractions; else NULL */
};

/* The covariances of node i of a kernel on a panel. Takes as many pieces of scratch as the kernel is deep. */
void tw_panel_evaluate(tw_panel *panel, size_t i, double *out);

/* Have all entries of a panel the same value? */
bool tw_panel_uniform(const tw_panel *panel, size_t node, double *value);

/* A piece of scratch, and back; the last one taken goes back first. */
double *tw_panel_take(tw_panel *panel);
void tw_panel_give(tw_panel *panel);

/* gradient[c] -= 2 sum over the panel of p_ij (u_ik - v_jk)^2, or of p_ij u_ik v_jk where the leaf wants products, u and v the
 * features k of rows and columns that belong to the leaf's c-th input. */
void tw_contract_lengths(tw_panel *panel, const tw_node *node, const double *p, double *gradient);

/* The sum and product nodes above the deepest leaf. */
size_t tw_kernel_depth(const tw_kernel *kernel);

#endif
