/* role.c: the roles of a kernel's parameters, for default priors on the scale of the data. */
#include <string.h>

#include "covariance/kernel.h"

/* The leaf of parameter j, and its slot there. */
static const tw_node *node_of(const tw_kernel *kernel, size_t j, size_t *slot)
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
    const tw_node *node = node_of(kernel, j, &slot);
    if (!node || node->leaf->slots[slot].role != TW_ROLE_LENGTH) return false;
    size_t inputs = node->columns.count > 0 ? node->columns.count : d, place = j - node->slot[slot].first;
    bool own = node->slot[slot].count > 1;
    *out = (tw_length){.first = own ? place : 0, .count = own ? 1 : inputs, .of = own ? inputs : 1};
    if (node->columns.count > 0) out->inputs = kernel->columns + node->columns.first;
    return true;
}

bool tw_kernel_amplitude(const tw_kernel *kernel, size_t j, size_t *power)
{
    size_t slot = 0;
    const tw_node *node = node_of(kernel, j, &slot);
    if (!node || node->leaf->slots[slot].role != TW_ROLE_AMPLITUDE) return false;
    *power = strcmp(node->leaf->slots[slot].parameter.name, "variance") == 0 ? 2 : 1;
    return true;
}
