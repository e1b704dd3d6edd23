/* evaluate.c: computes a kernel's covariances on a panel, from the leaves up. */
#include <string.h>

#include "covariance/panel.h"

double *tw_panel_take(tw_panel *panel)
{
    double *piece = panel->scratch;
    panel->scratch += panel->capacity;
    return piece;
}

void tw_panel_give(tw_panel *panel)
{
    panel->scratch -= panel->capacity;
}

static size_t depth_of(const tw_kernel *kernel, size_t i)
{
    const tw_node *nodes = kernel->nodes;
    size_t deepest = 0;
    if (nodes[i].kind == TW_NODE_LEAF || nodes[i].kind == TW_NODE_NUMBER) return 0;
    for (size_t c = i + 1; c < nodes[i].end; c = nodes[c].end) {
        size_t depth = depth_of(kernel, c);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

size_t tw_kernel_depth(const tw_kernel *kernel)
{
    return depth_of(kernel, 0);
}

bool tw_panel_uniform(const tw_panel *panel, size_t i, double *value)
{
    const tw_node *nodes = panel->kernel->nodes;
    bool product = nodes[i].kind == TW_NODE_PRODUCT;
    double part = 0.0, total = product ? 1.0 : 0.0;
    *value = nodes[i].number;
    if (nodes[i].kind == TW_NODE_NUMBER) return true;
    if (nodes[i].kind == TW_NODE_LEAF) return nodes[i].leaf->uniform(panel, &nodes[i], value);
    for (size_t c = i + 1; c < nodes[i].end; c = nodes[c].end) {
        if (!tw_panel_uniform(panel, c, &part)) return false;
        total = product ? total * part : total + part;
    }
    *value = total;
    return true;
}

/* out = out * with, or out + with: with an array, or with one number. */
static void combine(bool product, size_t n, const double *with, double *out)
{
    if (product)
        for (size_t i = 0; i < n; i++) out[i] *= with[i];
    else
        for (size_t i = 0; i < n; i++) out[i] += with[i];
}

static void combine_one(bool product, size_t n, double with, double *out)
{
    if (product)
        for (size_t i = 0; i < n; i++) out[i] *= with;
    else
        for (size_t i = 0; i < n; i++) out[i] += with;
}

/* Evaluate a sum or product.
 * Parts that are constant on the panel are combined to one number, used at the end. */
static void evaluate_parts(tw_panel *panel, size_t i, double *out)
{
    const tw_node *nodes = panel->kernel->nodes;
    size_t n = panel->rows * panel->columns;
    bool product = nodes[i].kind == TW_NODE_PRODUCT, begun = false;
    double neutral = product ? 1.0 : 0.0, rest = neutral, part = 0.0;
    for (size_t c = i + 1; c < nodes[i].end; c = nodes[c].end) {
        if (tw_panel_uniform(panel, c, &part)) {
            rest = product ? rest * part : rest + part;
        } else if (!begun) {
            tw_panel_evaluate(panel, c, out);
            begun = true;
        } else {
            double *values = tw_panel_take(panel);
            tw_panel_evaluate(panel, c, values);
            combine(product, n, values, out);
            tw_panel_give(panel);
        }
    }
    if (rest != neutral) combine_one(product, n, rest, out);
}

void tw_panel_evaluate(tw_panel *panel, size_t i, double *out)
{
    const tw_node *node = &panel->kernel->nodes[i];
    double value = 0.0;
    if (tw_panel_uniform(panel, i, &value))
        for (size_t k = 0; k < panel->rows * panel->columns; k++) out[k] = value;
    else if (node->kind == TW_NODE_LEAF)
        node->leaf->value(panel, node, out);
    else
        evaluate_parts(panel, i, out);
}
