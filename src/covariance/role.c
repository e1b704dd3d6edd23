/* role.c: the roles of a kernel's parameters, for default priors on the scale of the data. */
#include <string.h>

#include "covariance/kernel.h"

const tw_node *tw_kernel_slot(const tw_kernel *kernel, size_t j, size_t *slot)
{
    for (size_t i = 0; i < kernel->node_count; i++) {
        const tw_node *node = &kernel->nodes[i];
        for (*slot = 0; node->kind == TW_NODE_LEAF && *slot < node->leaf->slot_count; (*slot)++) {
            tw_span range = node->slot[*slot];
            if (j >= range.first && j < range.first + range.count) return node;
        }
    }
    return NULL;
}

bool tw_kernel_length(const tw_kernel *kernel, size_t j, size_t d, tw_length *out)
{
    size_t slot = 0;
    const tw_node *node = tw_kernel_slot(kernel, j, &slot);
    if (!node || node->leaf->slots[slot].role != TW_ROLE_LENGTH) return false;
    size_t inputs = node->columns.count > 0 ? node->columns.count : d, place = j - node->slot[slot].first;
    bool own = node->slot[slot].count > 1;
    *out = (tw_length){.first = own ? place : 0, .count = own ? 1 : inputs, .of = own ? inputs : 1};
    if (node->columns.count > 0) out->inputs = kernel->columns + node->columns.first;
    return true;
}

static bool has_amplitude(const tw_kernel *kernel, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        for (size_t s = 0; kernel->nodes[i].kind == TW_NODE_LEAF && s < kernel->nodes[i].leaf->slot_count;
             s++)
            if (kernel->nodes[i].leaf->slots[s].role == TW_ROLE_AMPLITUDE) return true;
    return false;
}

bool tw_node_is_relative(const tw_kernel *kernel, const tw_node *leaf)
{
    size_t node = (size_t)(leaf - kernel->nodes);
    for (size_t p = 0; p < node; p++) {
        size_t first = p + 1;
        if (kernel->nodes[p].kind != TW_NODE_PRODUCT || node >= kernel->nodes[p].end) continue;
        while (!has_amplitude(kernel, first, kernel->nodes[first].end)) first = kernel->nodes[first].end;
        if (node >= kernel->nodes[first].end) return true;
    }
    return false;
}

static bool is_in_product(const tw_kernel *kernel, size_t node)
{
    for (size_t p = 0; p < node; p++)
        if (kernel->nodes[p].kind == TW_NODE_PRODUCT && node < kernel->nodes[p].end) return true;
    return false;
}

bool tw_kernel_amplitude(const tw_kernel *kernel, size_t j, tw_amplitude *out)
{
    size_t slot = 0;
    const tw_node *node = tw_kernel_slot(kernel, j, &slot);
    if (!node || node->leaf->slots[slot].role != TW_ROLE_AMPLITUDE) return false;
    size_t at = (size_t)(node - kernel->nodes);
    *out = (tw_amplitude){.node = node, .independent = node->leaf == &tw_leaf_white};
    out->power = strcmp(node->leaf->slots[slot].parameter.name, "variance") == 0 ? 2 : 1;
    out->relative = tw_node_is_relative(kernel, node);
    out->level = node->leaf == &tw_leaf_constant && !is_in_product(kernel, at);
    return true;
}
