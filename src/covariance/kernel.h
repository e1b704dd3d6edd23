/* kernel.h: the representation of a tw_kernel: an expression as a tree of nodes, and one vector of
 * parameters.
 *
 * Nodes are stored in preorder: a sum or product comes right before its parts. So nodes[i + 1] is the first
 * part of nodes[i], and nodes[c].end is the part after c.
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
    size_t end;                         /* the index after this node and all its parts */
    double number;                      /* the value of a number */
    const tw_leaf *leaf;                /* the kind of a leaf; the members below are for leaves */
    const tw_shape *shape;              /* of a stationary leaf */
    tw_span columns;                    /* its inputs; count 0: all of them */
    unsigned degree;                    /* of a polynomial */
    tw_attachment *file[TW_LEAF_FILES]; /* the contents of its files; NULL: not given */
    tw_span slot[TW_LEAF_SLOTS];        /* its parameters; count 0: fixed at the initial value */
} tw_node;

/* The role of a leaf's parameter. */
typedef enum tw_role {
    TW_ROLE_LENGTH,    /* a length: one for all inputs of the leaf, or one for each */
    TW_ROLE_RATIO,     /* the same relative to another length, without a unit */
    TW_ROLE_WEIGHT,    /* a length for each input, or none: then lengths are 1 and not parameters */
    TW_ROLE_AMPLITUDE, /* a standard deviation or variance */
    TW_ROLE_OTHER      /* one number of another kind */
} tw_role;

typedef struct tw_slot {
    tw_parameter parameter;
    tw_role role;
} tw_slot;

/* What a leaf needs of the rows' and columns' features (panel.h): nothing, the features themselves, their
 * squared distances, or their products. */
typedef enum tw_want { TW_WANT_NOTHING, TW_WANT_FEATURES, TW_WANT_DISTANCES, TW_WANT_PRODUCTS } tw_want;

/* A file argument of a leaf: graph="areas.graph". */
typedef struct tw_leaf_file {
    const char *name; /* "graph"; NULL: none */
    bool required;
    tw_status (*read)(tw_context *ctx, const char *path, tw_attachment *to);
} tw_leaf_file;

/* A kind of leaf: its parameters, and its covariances on a panel (panel.h). */
struct tw_leaf {
    const char *name; /* NULL: the shape's */
    size_t slot_count;
    tw_slot slots[TW_LEAF_SLOTS];
    bool has_degree;
    tw_leaf_file file[TW_LEAF_FILES];

    /* Its precision for n cases x (n x d); NULL: it has none. A leaf with a precision has no covariance
     * function: uniform, value and contract are those of full.h, and fill is NULL. */
    tw_status (*precision)(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out);
    unsigned power; /* spde: the power a of the operator; random walks: the order of the differences */

    tw_want want;
    size_t features; /* for each input: 1 or 2 */

    /* The features of the leaf's c-th input, whose n values are `from`: to[0 .. n - 1] and, if there are
     * two, to[n .. 2 n - 1]. They depend on the input and on lengths only. */
    void (*fill)(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n, const double *from,
                 double centre, double *to);

    /* Are all entries of the panel equal? Then *value is their value. */
    bool (*uniform)(const tw_panel *panel, const tw_node *node, double *value);

    /* All entries of a panel that is not uniform. */
    void (*value)(const tw_panel *panel, const tw_node *node, double *out);

    /* gradient[j] += sum over the panel of adjoint * dk/dtheta_j, for every parameter j of the leaf. */
    void (*contract)(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient);
};

/* All leaves of expressions that are not stationary. */
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

/* The leaf of that name, and its shape if it is stationary; NULL: none. */
const tw_leaf *tw_leaf_find(const char *name, size_t length, const tw_shape **shape);

/* The leaf of a shape: tw_leaf_shaped, with one more slot, if the shape has its own parameter. */
const tw_leaf *tw_shape_leaf(const tw_shape *shape);

struct tw_kernel {
    tw_context *ctx;
    size_t node_count, parameter_count, column_count;
    tw_node *nodes;
    tw_parameter *parameters;
    double *theta, *value; /* of each parameter: on the scale of theta, and in natural units */
    bool *as_log;          /* theta was given, not value, so that theta is printed */
    bool *given;           /* theta or value was given; otherwise both are initial */
    size_t *columns;       /* inputs of all leaves, counted from 0 */
    size_t name_count;
    char **names; /* of all inputs, or NULL */
    size_t matrix_size;
    double *matrix; /* of a kernel with a given matrix, otherwise NULL */
};

/* Allocate a kernel with these numbers of nodes, parameters and columns. */
tw_status tw_kernel_allocate(tw_context *ctx, size_t nodes, size_t parameters, size_t columns,
                             tw_kernel **out);

/* Set the names of the inputs (copied), once; NULL: none. */
tw_status tw_kernel_set_names(tw_kernel *kernel, size_t count, const char *const *names);

/* Restore a kernel from a printed expression and the theta stored with it. theta is used, because the
 * logarithms of the printed values may differ in the last digit on another machine. TW_BAD_DATA if they
 * differ by more. */
tw_status tw_kernel_restore(tw_context *ctx, const char *expression, const tw_data *data, size_t count,
                            const double *theta, tw_kernel **out);

/* Fail if the kernel does not fit d inputs. */
tw_status tw_kernel_check_inputs(const tw_kernel *kernel, size_t d);

/* The largest rank that the covariances of n cases x (n x d) can have without rounding. */
tw_status tw_kernel_rank(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                         size_t *out);

/* Mark which of d inputs the leaves use. */
void tw_kernel_mark_inputs(const tw_kernel *kernel, size_t d, bool *used);

/* Fail if a leaf other than categorical uses an input that is text. */
tw_status tw_kernel_check_levels(const tw_kernel *kernel, const tw_data *data);

/* The role of a parameter, for default priors. tw_kernel_slot: the leaf of parameter j, and its slot there; NULL:
 * none. tw_kernel_length: is parameter j a length scale? tw_length
 * then tells which inputs it scales; d is the number of inputs. tw_kernel_amplitude: is it an amplitude? */
typedef struct tw_length {
    const size_t *inputs; /* the inputs of its leaf; NULL: all */
    size_t first, count;  /* it scales the inputs first .. first + count - 1 of these */
    size_t of;            /* the number of such length scales in the leaf */
} tw_length;
typedef struct tw_amplitude {
    const tw_node *node; /* its leaf */
    size_t power;        /* 1: a standard deviation, 2: a variance */
    bool relative;       /* it multiplies another amplitude, and has no unit */
    bool level;          /* of a constant that is added to everything else */
    bool independent;    /* of white noise */
} tw_amplitude;
const tw_node *tw_kernel_slot(const tw_kernel *kernel, size_t j, size_t *slot);
bool tw_kernel_length(const tw_kernel *kernel, size_t j, size_t d, tw_length *out);
bool tw_kernel_amplitude(const tw_kernel *kernel, size_t j, tw_amplitude *out);

/* Is a leaf part of a product, after the first factor with an amplitude, to which later ones are relative
 * (parse.c)? */
bool tw_node_is_relative(const tw_kernel *kernel, const tw_node *node);

/* Name the parameters, after all nodes have been set. */
void tw_kernel_name_parameters(tw_kernel *kernel);

/* Fail if theta is outside the range of the parameter in this slot. */
tw_status tw_kernel_check_parameter(tw_context *ctx, const tw_node *node, size_t slot, double theta);

/* The name of a leaf: "se". */
const char *tw_node_name(const tw_node *node);

/* The name of a slot of a leaf: "ell". */
const char *tw_node_slot_name(const tw_node *node, size_t slot);

/* The number of inputs of a leaf, out of d, and the index of the c-th. */
size_t tw_node_width(const tw_node *node, size_t d);
size_t tw_node_column(const tw_kernel *kernel, const tw_node *node, size_t c);

/* theta of the k-th parameter of a slot; of the only one, if it has one for all inputs;
 * the initial value, if fixed. */
double tw_node_theta(const tw_kernel *kernel, const tw_node *node, size_t slot, size_t k);

/* The same in natural units. */
double tw_node_value(const tw_kernel *kernel, const tw_node *node, size_t slot, size_t k);

/* sigma^2 of a leaf whose standard deviation sigma is in that slot. */
double tw_node_sigma2(const tw_kernel *kernel, const tw_node *node, size_t slot);

#endif
