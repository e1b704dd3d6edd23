/* inputs.c: the precomputed inputs of Algorithm 1, and memory for its loops.
 *
 *     K = L^K (L^K)'
 *     Sigma = (K^-1 + T)^-1 = K - K T^1/2 (I + T^1/2 K T^1/2)^-1 T^1/2 K,   T = diag(tau)
 *     mu = Sigma nu
 *
 * after Rasmussen and Williams, section 3.6. The Cholesky factor of this difference is acceptable here, since
 * tests keep cond(K) <= 1e4; for smooth kernels the difference is not positive definite in floating point,
 * and the factorisation fails.
 */
#include "reference/reference.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory) return memory;
    fprintf(stderr, "reference: not enough memory for %zu x %zu bytes\n", count, size);
    abort();
}

static double *copy_or_zero(const double *from, size_t count)
{
    double *to = allocate(count, sizeof(double));
    if (from) memcpy(to, from, count * sizeof(double));
    return to;
}

static bool is_zero(int n, const double *v)
{
    for (int i = 0; v && i < n; i++)
        if (v[i] != 0) return false;
    return true;
}

/* matrix := its lower Cholesky factor, *log_det := log |matrix|. */
static bool factor(int n, double *matrix, double *log_det)
{
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, matrix, n) != 0) return false;
    *log_det = 0;
    for (int i = 0; i < n; i++) *log_det += 2 * log(matrix[i + i * n]);
    return true;
}

/* Sigma, then mu = Sigma nu, then L^Sigma and log |Sigma|. */
static bool approximation(ref_inputs *in, const double *nu)
{
    int n = in->n;
    double *chol = allocate((size_t)n * (size_t)n, sizeof(double));
    double *v = allocate((size_t)n * (size_t)n, sizeof(double));
    double *root = allocate((size_t)n, sizeof(double)), log_det;
    for (int i = 0; i < n; i++) root[i] = sqrt(in->tau[i]);
    bool fine = ref_woodbury(n, in->k, root, chol, v, in->chol_sigma, &log_det) == REF_FINE;
    free(root);
    free(v);
    free(chol);
    if (!fine) return false;
    if (nu) cblas_dsymv(CblasColMajor, CblasLower, n, 1, in->chol_sigma, n, nu, 1, 0, in->mu, 1);
    return factor(n, in->chol_sigma, &in->log_det_sigma);
}

ref_inputs *ref_inputs_new(int n, const double *y, const double *k, const double *tau, const double *nu)
{
    size_t count = (size_t)n;
    ref_inputs *in = allocate(1, sizeof *in);
    *in = (ref_inputs){.n = n, .beta = 1, .l_max = 10, .eps = 0.1, .t_max = 1, .f_max = 5};
    in->y = copy_or_zero(y, count);
    in->k = copy_or_zero(k, count * count);
    in->chol_k = copy_or_zero(k, count * count);
    in->tau = copy_or_zero(tau, count);
    in->mu = copy_or_zero(NULL, count);
    in->chol_sigma = copy_or_zero(NULL, count * count);
    in->q_is_prior = !tau || (is_zero(n, tau) && is_zero(n, nu));
    bool fine = factor(n, in->chol_k, &in->log_det_k);
    if (fine && in->q_is_prior) { /* copy, so that rounding does not differ */
        memcpy(in->chol_sigma, in->chol_k, count * count * sizeof(double));
        in->log_det_sigma = in->log_det_k;
    } else if (fine) {
        fine = approximation(in, nu);
    }
    if (fine) return in;
    ref_inputs_free(in);
    return NULL;
}

void ref_inputs_free(ref_inputs *in)
{
    if (!in) return;
    free(in->y);
    free(in->k);
    free(in->chol_k);
    free(in->mu);
    free(in->tau);
    free(in->chol_sigma);
    free(in);
}

/* The next count doubles of a block. */
static double *take(double **block, size_t count)
{
    double *taken = *block;
    *block += count;
    return taken;
}

static ref_metric take_metric(double **block, size_t n)
{
    ref_metric metric = {0};
    metric.gradient = take(block, n);
    metric.dg = take(block, n);
    metric.g_inv = take(block, n * n);
    return metric;
}

ref_workspace *ref_workspace_new(int n)
{
    enum { matrices = 5, vectors = 15 };
    size_t count = (size_t)n;
    ref_workspace *work = allocate(1, sizeof *work);
    double *block = allocate(matrices * count * count + vectors * count, sizeof(double));
    work->n = n;
    work->memory = block;
    work->point.metric = take_metric(&block, count);
    work->metric_old = take_metric(&block, count);
    double **matrix[] = {&work->chol, &work->v, &work->a};
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++) *matrix[i] = take(&block, count * count);
    double **vector[] = {&work->point.x, &work->point.p, &work->point.dh_dx, &work->x_old,
                         &work->lambda,  &work->s,       &work->f,           &work->w,
                         &work->trial,   &work->dh_dp,   &work->dh_dp_trial};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) *vector[i] = take(&block, count);
    return work;
}

void ref_workspace_free(ref_workspace *work)
{
    if (!work) return;
    free(work->memory);
    free(work);
}
