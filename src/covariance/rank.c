/* rank.c: the rank that the covariances of a kernel have at most: a sum has at most the sum of the ranks of its
 * terms, an elementwise product their product, a polynomial of degree p in d inputs the number of monomials,
 * (d + p)! / (d! p!), a product of d cosines 2^d, and every kernel without white noise that of its different cases.
 */
#include <stdint.h>

#include "covariance/kernel.h"

/* The number of different cases in the inputs that are used. */
static size_t count_places(size_t n, size_t d, const double *x, size_t ldx, const bool *used)
{
    size_t places = 0;
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t j = 0; j < i && !known; j++) {
            size_t k = 0;
            while (k < d && (!used[k] || x[i + k * ldx] == x[j + k * ldx])) k++;
            known = k == d;
        }
        places += !known;
    }
    return places;
}

/* (d + 1) ... (d + degree) / degree!; `most` if that is more. */
static size_t monomials(size_t d, size_t degree, size_t most)
{
    double count = 1.0;
    for (size_t k = 1; k <= degree; k++) count = count * (double)(d + k) / (double)k;
    return count < (double)most ? (size_t)(count + 0.5) : most;
}

static size_t rank_of_leaf(const tw_node *node, size_t d, size_t places)
{
    size_t width = tw_node_width(node, d);
    if (node->leaf == &tw_leaf_white || node->leaf->precision) return SIZE_MAX;
    if (node->leaf == &tw_leaf_constant) return 1;
    if (node->leaf == &tw_leaf_linear) return width;
    if (node->leaf == &tw_leaf_polynomial) return monomials(width, node->degree, places);
    if (node->leaf == &tw_leaf_cosine && width < 20) return (size_t)1 << width;
    return places;
}

static size_t rank_of(const tw_kernel *kernel, size_t at, size_t d, size_t places)
{
    const tw_node *node = &kernel->nodes[at];
    bool sum = node->kind == TW_NODE_SUM;
    if (node->kind == TW_NODE_NUMBER) return 1;
    if (node->kind == TW_NODE_LEAF) return rank_of_leaf(node, d, places);
    size_t rank = sum ? 0 : 1;
    for (size_t c = at + 1; c < node->end; c = kernel->nodes[c].end) {
        size_t part = rank_of(kernel, c, d, places);
        if (part == SIZE_MAX) return SIZE_MAX;
        rank = sum ? rank + part : rank * part;
        if (rank > places) rank = places;
    }
    return rank;
}

tw_status tw_kernel_rank(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                         size_t *out)
{
    void *used = NULL;
    *out = n;
    if (kernel->matrix) return TW_OK;
    TW_TRY(tw_allocate(kernel->ctx, d, sizeof(bool), "the inputs of a kernel", &used));
    tw_kernel_mark_inputs(kernel, d, used);
    size_t rank = rank_of(kernel, 0, d, count_places(n, d, x, ldx, used));
    if (rank < n) *out = rank;
    tw_release(kernel->ctx, used);
    return TW_OK;
}
