/* columns.c: the inputs that a kernel uses, and checks of the data for them. */
#include <stdio.h>

#include "covariance/kernel.h"

size_t tw_node_width(const tw_node *node, size_t d)
{
    return node->columns.count ? node->columns.count : d;
}

size_t tw_node_column(const tw_kernel *kernel, const tw_node *node, size_t c)
{
    return node->columns.count ? kernel->columns[node->columns.first + c] : c;
}

/* A leaf on all inputs with one length scale per input determines the number of inputs. */
size_t tw_kernel_inputs(const tw_kernel *kernel)
{
    for (size_t i = 0; i < kernel->node_count; i++)
        for (size_t s = 0; s < TW_LEAF_SLOTS; s++) {
            const tw_node *node = &kernel->nodes[i];
            if (node->columns.count == 0 && node->slot[s].count > 1) return node->slot[s].count;
        }
    return 0;
}

tw_status tw_kernel_check_inputs(const tw_kernel *kernel, size_t d)
{
    size_t needed = tw_kernel_inputs(kernel);
    if (needed != 0 && needed != d)
        return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                       "%zu length scales were given for %zu inputs; give one, or one per input", needed, d);
    for (size_t c = 0; c < kernel->column_count; c++)
        if (kernel->columns[c] >= d)
            return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                           "the kernel uses input %zu, but there are %zu inputs", kernel->columns[c] + 1, d);
    return TW_OK;
}

void tw_kernel_mark_inputs(const tw_kernel *kernel, size_t d, bool *used)
{
    for (size_t k = 0; k < d; k++) used[k] = false;
    for (size_t i = 0; i < kernel->node_count; i++) {
        const tw_node *node = &kernel->nodes[i];
        if (node->kind != TW_NODE_LEAF || (node->leaf->want == TW_WANT_NOTHING && !node->leaf->precision))
            continue;
        for (size_t c = 0; c < tw_node_width(node, d); c++) used[tw_node_column(kernel, node, c)] = true;
    }
}

static tw_status fail_text(const tw_kernel *kernel, const tw_node *node, const tw_data *data, size_t column)
{
    char number[32];
    const char *leaf = tw_node_name(node);
    snprintf(number, sizeof number, "%zu", column + 1);
    const char *name = data->names ? data->names[column] : number;
    return tw_fail(kernel->ctx, TW_BAD_DATA,
                   "the input %.60s is text, but %s needs numbers: name the numeric inputs of %s, as in "
                   "%s(1, 2), and add or multiply categorical(%.60s), or ignore the column",
                   name, leaf, leaf, leaf, name);
}

tw_status tw_kernel_check_levels(const tw_kernel *kernel, const tw_data *data)
{
    for (size_t i = 0; data->levels && i < kernel->node_count; i++) {
        const tw_node *node = &kernel->nodes[i];
        if (node->kind != TW_NODE_LEAF || node->leaf == &tw_leaf_categorical) continue;
        if (node->leaf->want == TW_WANT_NOTHING) continue;
        for (size_t c = 0; c < tw_node_width(node, data->d); c++) {
            size_t column = tw_node_column(kernel, node, c);
            if (column < data->d && tw_data_levels(data, column))
                return fail_text(kernel, node, data, column);
        }
    }
    return TW_OK;
}
