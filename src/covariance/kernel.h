/* kernel.h: the insides of a tw_kernel: an expression as a tree of nodes, and one vector of parameters.
 *
 * Nodes stand in the order in which a reader meets them: a sum or a product comes right before its parts, so that
 * nodes[i + 1] is the first part of nodes[i] and nodes[c].end the part after c.
 */
#ifndef TALWEG_COVARIANCE_KERNEL_H
#define TALWEG_COVARIANCE_KERNEL_H

#include "base/context.h"
#include "covariance/shape.h"
#include "talweg/covariance.h"

enum {
    TW_LEAF_SLOTS = 3,
    TW_LEAF_FILES = 2,
    TW_KERNEL_NODES = 256,
    TW_KERNEL_DEPTH = 32,
    TW_KERNEL_DEGREE = 16
};

typedef enum tw_node_kind { TW_NODE_SUM, TW_NODE_PRODUCT, TW_NODE_NUMBER, TW_NODE_LEAF } tw_node_kind;

/* Consecutive entries of theta, or of the kernel's columns. */
typedef struct tw_span {
    size_t first, count;
} tw_span;

typedef struct tw_leaf tw_leaf;
typedef struct tw_attachment tw_attachment; /* covariance/attachment.h */
typedef struct tw_precision tw_precision;   /* covariance/precision.h */
typedef struct tw_panel tw_panel;
typedef struct tw_geometry tw_geometry;
typedef struct tw_inputs tw_inputs;

typedef struct tw_node {
    tw_node_kind kind;
    size_t end;                         /* the node after this one and all its parts */
    double number;                      /* a number */
    const tw_leaf *leaf;                /* a leaf; the rest is for leaves too */
    const tw_shape *shape;              /* of a stationary leaf */
    tw_span columns;                    /* the inputs it looks at; count 0: all of them */
    unsigned degree;                    /* of a polynomial */
    tw_attachment *file[TW_LEAF_FILES]; /* what was read from the leaf's files; NULL: none was given */
    tw_span slot
        [TW_LEAF_SLOTS]; /* its parameters, in the order of tw_node_slot; count 0: fixed at their initial value */
} tw_node;

/* What a leaf's parameter is: a length for each of its inputs or one for all of them; the same, and without it lengths of 1
 * that are no parameters; how large the leaf is; or one number of another kind. */
typedef enum tw_role { TW_ROLE_LENGTH, TW_ROLE_WEIGHT, TW_ROLE_AMPLITUDE, TW_ROLE_OTHER } tw_role;

typedef struct tw_slot {
    tw_parameter parameter;
    tw_role role;
} tw_slot;

/* What a leaf wants of rows and columns, made of features (panel.h): nothing, features themselves, their squared distances,
 * their products. */
typedef enum tw_want { TW_WANT_NOTHING, TW_WANT_FEATURES, TW_WANT_DISTANCES, TW_WANT_PRODUCTS } tw_want;

/* A file that a leaf is given by name: graph="areas.graph". */
typedef struct tw_leaf_file {
    const char *name; /* NULL: there is none */
    bool required;
    tw_status (*read)(tw_context *ctx, const char *path, tw_attachment *to);
} tw_leaf_file;

/* A kind of leaf: its parameters, and its covariances on a panel (panel.h). */
struct tw_leaf {
    const char *name; /* NULL: that of the shape */
    size_t slot_count;
    tw_slot slots[TW_LEAF_SLOTS];
    bool has_degree;
    tw_leaf_file file[TW_LEAF_FILES];

    /* Its precision on n cases x (n x d). A leaf that has one has no covariances, and none of the functions below. */
    tw_status (*precision)(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out);
    unsigned power; /* of the operator, of a field on a lattice; of differences, of a walk */

    tw_want want;
    size_t features; /* for each input: 1 or 2 */

    /* The features of the c-th of the leaf's inputs, which is `from`, for n cases: to[0 .. n - 1], and where there are two
     * to[n .. 2 n - 1]. They depend on inputs and lengths only. */
    void (*fill)(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n, const double *from,
                 double centre, double *to);

    /* Have all entries of a panel the same value? Then *value is it. */
    bool (*uniform)(const tw_panel *panel, const tw_node *node, double *value);

    /* All entries of a panel where they are not. */
    void (*value)(const tw_panel *panel, const tw_node *node, double *out);

    /* Add sum over the panel of adjoint * dk/dtheta_j to gradient[j], for every parameter of the leaf. */
    void (*contract)(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient);
};

/* Every leaf that is not stationary and has a name in expressions. */
#define TW_OTHER_LEAVES(X) \
    X(periodic)            \
    X(cosine)              \
    X(linear)              \
    X(polynomial)          \
    X(categorical)         \
    X(constant)            \
    X(white)               \
    X(spde)                \
    X(spde2)               \
    X(precision)           \
    X(rw1)                 \
    X(rw2)                 \
    X(icar)                \
    X(bym2)
#define TW_DECLARE_LEAF(name) extern const tw_leaf tw_leaf_##name;
TW_OTHER_LEAVES(TW_DECLARE_LEAF)
extern const tw_leaf tw_leaf_stationary, tw_leaf_shaped, tw_leaf_given;

/* The leaf of a name: with a shape where it is stationary. NULL: there is none. */
const tw_leaf *tw_leaf_find(const char *name, size_t length, const tw_shape **shape);

/* The leaf of a shape: one with a parameter of its own has a slot more. */
const tw_leaf *tw_shape_leaf(const tw_shape *shape);

struct tw_kernel {
    tw_context *ctx;
    size_t node_count, parameter_count, column_count;
    tw_node *nodes;
    tw_parameter *parameters;
    double *theta, *value; /* value is what was given, else the transform of theta */
    bool *as_log;          /* theta was given, not value: so it is printed */
    bool *given;           /* one of them was given; else both are initial */
    size_t *columns;       /* of all leaves, from 0 on */
    size_t name_count;
    char **names; /* of all inputs, or NULL */
    size_t matrix_size;
    double *matrix; /* of a given leaf; else NULL */
};

/* A kernel with room for so many nodes, parameters and columns. */
tw_status tw_kernel_allocate(tw_context *ctx, size_t nodes, size_t parameters, size_t columns,
                             tw_kernel **out);

/* What the inputs are called, once: copies of the names, NULL for none. */
tw_status tw_kernel_set_names(tw_kernel *kernel, size_t count, const char *const *names);

/* The kernel of an expression that was printed, with the theta that was kept beside it, which has the last word: the logarithm
 * of another machine may differ in its last digit. Where it differs by more, the two do not belong together: TW_BAD_DATA. */
tw_status tw_kernel_restore(tw_context *ctx, const char *expression, const tw_data *data, size_t count,
                            const double *theta, tw_kernel **out);

/* Does the kernel go with d inputs? */
tw_status tw_kernel_check_inputs(const tw_kernel *kernel, size_t d);

/* Which of d inputs does a leaf look at? */
void tw_kernel_mark_inputs(const tw_kernel *kernel, size_t d, bool *used);

/* Does no leaf but categorical look at an input that is text? */
tw_status tw_kernel_check_levels(const tw_kernel *kernel, const tw_data *data);

/* What defaults must know of a parameter. Is it a length scale? Then of the inputs number first, ..., first + count - 1 of
 * those that its leaf looks at (`inputs`; NULL: all), and `of` inputs have such a length scale of their own there. Is it an amplitude? Then power is 1 of a standard deviation and 2 of a
 * variance. d: the number of inputs. */
typedef struct tw_length {
    const size_t *inputs;
    size_t first, count, of;
} tw_length;
bool tw_kernel_length(const tw_kernel *kernel, size_t j, size_t d, tw_length *out);
bool tw_kernel_amplitude(const tw_kernel *kernel, size_t j, size_t *power);

/* Give the parameters their names, once all nodes are there. */
void tw_kernel_name_parameters(tw_kernel *kernel);

/* Is theta_j of a parameter within its range? */
tw_status tw_kernel_check_parameter(tw_context *ctx, const tw_node *node, size_t slot, double theta);

/* "se" */
const char *tw_node_name(const tw_node *node);

/* What a slot of a leaf is called: "ell". */
const char *tw_node_slot_name(const tw_node *node, size_t slot);

/* How many of d inputs a leaf looks at, and which the c-th is. */
size_t tw_node_width(const tw_node *node, size_t d);
size_t tw_node_column(const tw_kernel *kernel, const tw_node *node, size_t c);

/* theta of the k-th parameter in a slot, of a slot that has one for all too; initial where it is fixed. */
double tw_node_theta(const tw_kernel *kernel, const tw_node *node, size_t slot, size_t k);

/* The same in natural units. */
double tw_node_value(const tw_kernel *kernel, const tw_node *node, size_t slot, size_t k);

/* sigma^2 of a leaf whose amplitude is in that slot. */
double tw_node_sigma2(const tw_kernel *kernel, const tw_node *node, size_t slot);

#endif
