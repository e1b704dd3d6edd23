/* graph_scale.c: the variances of an intrinsic autoregression whose precision is a graph's Laplacian L
 * (Soerbye & Rue 2014). With a pinned variable, L~ = L + d e e', L~^-1 is a generalised inverse of L, and
 * with J = 11'/n
 *
 *   L^+ = (I - J) L~^-1 (I - J),     L^+_ii = Z_ii - 2 (Z 1)_i/n + 1'Z 1/n^2,     Z = L~^-1,
 *
 * so that one selected inverse and one solve give the diagonal.
 */
#include <math.h>
#include <string.h>

#include "sparse/factor.h"
#include "sparse/sparse.h"

typedef struct job {
    const tw_sparse *laplacian;
    tw_analysis *analysis;
    tw_front front;
    double *l, *z, *sums; /* sums: Z 1, in the order of elimination */
} job;

static tw_status allocate(job *j)
{
    const tw_sparse *m = j->laplacian;
    TW_TRY(tw_analysis_new(m->ctx, m->rows, m->start, m->row, NULL, &j->analysis));
    TW_TRY(tw_front_new(j->analysis, &j->front));
    TW_TRY(tw_allocate_doubles(m->ctx, j->analysis->entries, 1, "a sparse factor", &j->l));
    TW_TRY(tw_allocate_doubles(m->ctx, j->analysis->entries, 1, "a selected inverse", &j->z));
    return tw_allocate_doubles(m->ctx, m->rows, 1, "sums of an inverse", &j->sums);
}

static tw_status invert(job *j)
{
    const tw_sparse *m = j->laplacian;
    const tw_analysis *a = j->analysis;
    size_t failed;
    for (size_t c = 0; c < m->columns; c++)
        for (size_t e = m->start[c]; e < m->start[c + 1]; e++)
            j->l[tw_analysis_find(a, m->row[e], c)] = m->value[e];
    j->l[tw_analysis_find(a, 0, 0)] *= 2.0;
    if (!tw_sparse_factor(a, &j->front, j->l, &failed))
        return tw_fail(m->ctx, TW_NOT_POSITIVE_DEFINITE,
                       "the graph is not connected: the factorisation fails at variable %zu", failed + 1);
    tw_sparse_select(a, &j->front, j->l, j->z);
    for (size_t i = 0; i < m->rows; i++) j->sums[i] = 1.0;
    tw_sparse_solve_lower(a, j->l, 1, j->sums);
    tw_sparse_solve_upper(a, j->l, 1, j->sums);
    return TW_OK;
}

static double mean_log_variance(const job *j)
{
    const tw_analysis *a = j->analysis;
    double n = (double)a->n, total = 0.0, mean = 0.0;
    for (size_t i = 0; i < a->n; i++) total += j->sums[i];
    for (size_t i = 0; i < a->n; i++)
        mean += log(j->z[tw_analysis_find(a, i, i)] - 2.0 * j->sums[a->place[i]] / n + total / (n * n)) / n;
    return mean;
}

tw_status tw_graph_scale(const tw_sparse *laplacian, double *variance)
{
    job j = {.laplacian = laplacian};
    tw_status status = allocate(&j);
    if (status == TW_OK) status = invert(&j);
    if (status == TW_OK) *variance = exp(mean_log_variance(&j));
    tw_front_free(laplacian->ctx, &j.front);
    tw_release(laplacian->ctx, j.l);
    tw_release(laplacian->ctx, j.z);
    tw_release(laplacian->ctx, j.sums);
    tw_analysis_release(j.analysis);
    return status;
}
