/* rank.c: the rank that the covariances of a kernel can have at most, for any cases: a sum has at most the sum of
 * the ranks of its terms, an elementwise product their product, and a polynomial of degree p in d inputs has the
 * number of monomials, (d + p)! / (d! p!). */
#include <stdint.h>

#include "covariance/kernel.h"

static size_t monomials(size_t d, size_t degree)
{
    double count = 1.0;
    for (size_t k = 1; k <= degree; k++) count = count * (double)(d + k) / (double)k;
    return count < 1e6 ? (size_t)(count + 0.5) : SIZE_MAX;
}

static size_t rank_of_leaf(const tw_node *node, size_t d)
{
    size_t width = tw_node_width(node, d);
    if (node->leaf == &tw_leaf_constant) return 1;
    if (node->leaf == &tw_leaf_linear) return width;
    if (node->leaf == &tw_leaf_polynomial) return monomials(width, node->degree);
    return SIZE_MAX;
}

static size_t rank_of(const tw_kernel *kernel, size_t at, size_t d)
{
    const tw_node *node = &kernel->nodes[at];
    bool sum = node->kind == TW_NODE_SUM;
    if (node->kind == TW_NODE_NUMBER) return 1;
    if (node->kind == TW_NODE_LEAF) return rank_of_leaf(node, d);
    size_t rank = sum ? 0 : 1;
    for (size_t c = at + 1; c < node->end; c = kernel->nodes[c].end) {
        size_t part = rank_of(kernel, c, d), most = sum ? SIZE_MAX - rank : SIZE_MAX / rank;
        if (part > most || part == SIZE_MAX) return SIZE_MAX;
        rank = sum ? rank + part : rank * part;
    }
    return rank;
}

size_t tw_kernel_rank(const tw_kernel *kernel, size_t d)
{
    return kernel->matrix ? SIZE_MAX : rank_of(kernel, 0, d);
}
