/* problem_same.c: compare two problems; see problem.h. Files keep every number to the bit, so the comparison
 * needs no tolerance. */
#include <string.h>

#include "model/problem.h"

static bool same_numbers(size_t count, const double *a, const double *b)
{
    if (!a || !b) return a == b;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool same_columns(const tw_problem *a, const tw_problem *b)
{
    for (size_t k = 0; k < a->likelihood->columns; k++) {
        const char *name = a->likelihood->column[k].name;
        if (!same_numbers(a->data->n, tw_data_column(a->data, name), tw_data_column(b->data, name)))
            return false;
    }
    return true;
}

const char *tw_problem_difference(const tw_problem *a, const tw_problem *b)
{
    size_t n = a->data->n, d = a->data->d;
    bool given = tw_kernel_matrix(a->kernel, NULL) != NULL,
         other_given = tw_kernel_matrix(b->kernel, NULL) != NULL;
    if (n != b->data->n) return "the number of cases";
    if (strcmp(a->likelihood->name, b->likelihood->name) != 0) return "the likelihood";
    if (!same_numbers(n, a->data->y, b->data->y)) return "the observations";
    if (!same_columns(a, b)) return "the constants of the observations";
    if (!same_numbers(a->likelihood->parameters, a->phi, b->phi)) return "the likelihood's parameters";
    bool same_kernel = tw_kernel_same(a->kernel, b->kernel);
    if ((given || other_given) && !same_kernel) return "the kernel matrix";
    if (a->jitter != b->jitter) return "the jitter";
    if (given) return NULL;
    if (d != b->data->d || !same_numbers(n * d, a->data->x, b->data->x)) return "the inputs";
    return same_kernel ? NULL : "the kernel or its parameters";
}
