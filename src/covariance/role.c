/* role.c: what a parameter of a kernel is, for defaults that know the scale of the data. */
#include <string.h>

#include "covariance/kernel.h"

/* The slot that parameter j is in; its place there goes to *k. */
static const tw_slot *slot_of(const tw_kernel *kernel, size_t j, tw_span *range)
{
    for (size_t i = 0; i < kernel->node_count; i++) {
        const tw_node *node = &kernel->nodes[i];
        for (size_t s = 0; node->kind == TW_NODE_LEAF && s < node->leaf->slot_count; s++) {
            *range = node->slot[s];
            if (j >= range->first && j < range->first + range->count) return &node->leaf->slots[s];
        }
    }
    return NULL;
}

bool tw_kernel_length(const tw_kernel *kernel, size_t j, size_t d, tw_length *out)
{
    tw_span range;
    const tw_slot *slot = slot_of(kernel, j, &range);
    if (!slot || slot->role != TW_ROLE_LENGTH) return false;
    bool own = range.count > 1;
    *out = (tw_length){own ? j - range.first : 0, own ? 1 : d, own ? d : 1};
    return true;
}

bool tw_kernel_amplitude(const tw_kernel *kernel, size_t j, size_t *power)
{
    tw_span range;
    const tw_slot *slot = slot_of(kernel, j, &range);
    if (!slot || slot->role != TW_ROLE_AMPLITUDE) return false;
    *power = strcmp(slot->parameter.name, "variance") == 0 ? 2 : 1;
    return true;
}
