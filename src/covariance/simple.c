/* simple.c: makes the most common kernel, sigma^2 g(|(a - b)/ell|^2) + constant + white,
 * without an expression. */
#include <math.h>
#include <string.h>

#include "covariance/kernel.h"

/* Set the next node of a kernel to a leaf. */
static tw_node *add_leaf(tw_kernel *kernel, size_t *node, const tw_leaf *leaf)
{
    tw_node *to = &kernel->nodes[(*node)++];
    *to = (tw_node){.kind = TW_NODE_LEAF, .leaf = leaf, .degree = 1, .end = *node};
    return to;
}

static void set_log(tw_kernel *kernel, size_t j, double theta)
{
    kernel->theta[j] = theta;
    kernel->value[j] = exp(theta);
    kernel->as_log[j] = kernel->given[j] = true;
}

static void add_variance(tw_kernel *kernel, size_t *node, size_t *j, const tw_leaf *leaf, double variance)
{
    if (variance == 0.0) return;
    add_leaf(kernel, node, leaf)->slot[0] = (tw_span){*j, 1};
    kernel->theta[*j] = log(variance);
    kernel->given[*j] = true;
    kernel->value[(*j)++] = variance;
}

static tw_status check(tw_context *ctx, const char *shape, double constant, double white)
{
    if (!shape || !tw_shape_find(shape, strlen(shape)))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown kernel \"%.60s\"; choose from: %s", shape ? shape : "",
                       tw_shape_names());
    if (!(constant >= 0.0) || !isfinite(constant) || !(white >= 0.0) || !isfinite(white))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the constant and white variances must be >= 0, not %g and %g",
                       constant, white);
    return TW_OK;
}

/* Add the stationary leaf, whose parameters come first. */
static tw_status add_stationary(tw_kernel *kernel, size_t *node, const char *shape, size_t scales,
                                const double *log_ell, double log_sigma)
{
    const tw_shape *found = tw_shape_find(shape, strlen(shape));
    tw_node *leaf = add_leaf(kernel, node, tw_shape_leaf(found));
    leaf->shape = found;
    leaf->slot[0] = (tw_span){0, scales};
    leaf->slot[1] = (tw_span){scales, 1};
    for (size_t k = 0; k < scales; k++) {
        TW_TRY(tw_kernel_check_parameter(kernel->ctx, leaf, 0, log_ell[k]));
        set_log(kernel, k, log_ell[k]);
    }
    TW_TRY(tw_kernel_check_parameter(kernel->ctx, leaf, 1, log_sigma));
    set_log(kernel, scales, log_sigma);
    if (leaf->leaf->slot_count == 2) return TW_OK;
    leaf->slot[2] = (tw_span){scales + 1, 1}; /* the shape's own parameter, at its initial value 1 */
    kernel->value[scales + 1] = 1.0;
    return TW_OK;
}

tw_status tw_kernel_simple(tw_context *ctx, const char *shape, size_t scales, const double *log_ell,
                           double log_sigma, double constant, double white, tw_kernel **out)
{
    size_t terms = 1u + (constant != 0.0) + (white != 0.0), node = terms > 1;
    tw_kernel *kernel = NULL;
    *out = NULL;
    TW_TRY(check(ctx, shape, constant, white));
    size_t j = scales + tw_shape_leaf(tw_shape_find(shape, strlen(shape)))->slot_count - 1;
    if (scales == 0) return tw_fail(ctx, TW_BAD_ARGUMENT, "a kernel needs at least one length scale");
    TW_TRY(tw_kernel_allocate(ctx, terms + node, j + terms - 1, 0, &kernel));
    if (node) kernel->nodes[0] = (tw_node){.kind = TW_NODE_SUM, .end = terms + 1};
    tw_status status = add_stationary(kernel, &node, shape, scales, log_ell, log_sigma);
    add_variance(kernel, &node, &j, &tw_leaf_constant, constant);
    add_variance(kernel, &node, &j, &tw_leaf_white, white);
    tw_kernel_name_parameters(kernel);
    if (status == TW_OK)
        *out = kernel;
    else
        tw_kernel_free(kernel);
    return status;
}

bool tw_kernel_is_shape(const char *text)
{
    return tw_shape_find(text, strlen(text)) != NULL;
}

const char *tw_kernel_shape(const tw_kernel *kernel)
{
    const tw_node *node = kernel->nodes, *end = node + kernel->node_count;
    if (node->kind == TW_NODE_SUM) node++;
    if (!node->shape || node->columns.count) return NULL;
    const char *name = node++->shape->name;
    if (node < end && node->leaf == &tw_leaf_constant) node++;
    if (node < end && node->leaf == &tw_leaf_white) node++;
    return node == end ? name : NULL;
}
