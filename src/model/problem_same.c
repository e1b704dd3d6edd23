/* problem_same.c: see problem.h. Files keep every number of a problem to the bit, so that equality is
 * that of bits too, and needs no tolerance. */
#include "model/problem.h"

#include <string.h>

static bool same_numbers(size_t count, const double *a, const double *b)
{
    if (!a || !b) return a == b;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool same_covariance(const tw_covariance *a, const tw_covariance *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && a->scales == b->scales &&
           same_numbers(a->scales, a->log_ell, b->log_ell) && a->log_sigma == b->log_sigma &&
           a->constant == b->constant && a->white == b->white;
}

const char *tw_problem_difference(const tw_problem *a, const tw_problem *b)
{
    size_t n = a->data->n, d = a->data->d;
    if (n != b->data->n) return "the number of cases";
    if (strcmp(a->likelihood->name, b->likelihood->name) != 0) return "the likelihood";
    if (!same_numbers(n, a->data->y, b->data->y)) return "the observations";
    if (!same_numbers(n, a->w, b->w)) return "the constants of the observations";
    if (!same_numbers(n * n, a->matrix, b->matrix)) return "the kernel matrix";
    if (a->jitter != b->jitter) return "the jitter";
    if (a->matrix) return NULL;
    if (d != b->data->d || !same_numbers(n * d, a->data->x, b->data->x)) return "the inputs";
    return same_covariance(&a->covariance, &b->covariance) ? NULL : "the kernel or its parameters";
}
