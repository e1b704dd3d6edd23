/* lengths.c: compare the length scales with the distances between inputs.
 *
 * If a length scale is far below all distances, cases say nothing about each other, and predictions are those
 * of the prior; if it is far above all, the function is nearly constant. Distances are those of some cases to
 * all others in units of the length scale, |(a - b)/ell|, over the inputs of the leaf.
 */
#include <math.h>

#include "covariance/kernel.h"
#include "talweg/problem.h"
#include "talweg/warning.h"

enum { MOST_CASES = 64 };

/* exp(-d^2/2) is below 1e-5 beyond the first, and above 0.9999 within the second. */
static const double far_apart = 5.0, close_together = 0.01;

static double distance2(const tw_kernel *kernel, const tw_node *node, const tw_data *data, size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t c = 0; c < tw_node_width(node, data->d); c++) {
        const double *x = data->x + tw_node_column(kernel, node, c) * data->n;
        double apart = (x[i] - x[j]) / tw_node_value(kernel, node, 0, c);
        sum += apart * apart;
    }
    return sum;
}

/* The smallest and the largest nonzero distance; smallest > largest if there is none. */
static void find_range(const tw_kernel *kernel, const tw_node *node, const tw_data *data, double *smallest,
                       double *largest)
{
    size_t step = data->n > MOST_CASES ? data->n / MOST_CASES : 1;
    *smallest = INFINITY;
    *largest = 0.0;
    for (size_t i = 0; i < data->n; i += step)
        for (size_t j = 0; j < data->n; j++) {
            double d2 = distance2(kernel, node, data, i, j);
            if (d2 > 0.0) *smallest = fmin(*smallest, d2);
            *largest = fmax(*largest, d2);
        }
    *smallest = sqrt(*smallest);
    *largest = sqrt(*largest);
}

void tw_problem_warn_lengths(const tw_problem *problem)
{
    const tw_kernel *kernel = problem->kernel;
    for (size_t i = 0; i < kernel->node_count; i++) {
        const tw_node *node = &kernel->nodes[i];
        double smallest, largest;
        if (node->kind != TW_NODE_LEAF || !node->shape) continue;
        find_range(kernel, node, problem->data, &smallest, &largest);
        const char *name = tw_node_name(node);
        if (smallest <= largest && smallest > far_apart)
            tw_warn(problem->ctx,
                    &(tw_warning){.code = TW_WARN_LENGTH_SHORT, .number = {smallest}, .name = name});
        if (smallest <= largest && largest < close_together)
            tw_warn(problem->ctx,
                    &(tw_warning){.code = TW_WARN_LENGTH_LONG, .number = {largest}, .name = name});
    }
}
