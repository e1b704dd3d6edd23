/* metric.c: Algorithm 3 of the report: the metric tensor G(x) = Lambda(x) + beta K^-1 + (1-beta) Sigma^-1,
 * its inverse, its log determinant, and the only nonzero derivatives, dg_n = dG_nn/dx_n.
 *
 * Both branches cost what the printed algorithm costs: for q = prior one potrf + trsm + syrk, 7/3 N^3 flops;
 * otherwise A, which does not depend on x, is recomputed each time, 14/3 N^3 flops.
 */
#include "reference/reference.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* chol := lower triangle of I + base o (s s'), then its Cholesky factor; *log_det := log |I + ...|. */
static ref_verdict factor(int n, const double *base, const double *s, double *chol, double *log_det)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) chol[i + j * n] = base[i + j * n] * s[i] * s[j];
        chol[j + j * n] += 1;
    }
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, chol, n) != 0) return REF_NOT_POSITIVE_DEFINITE;
    *log_det = 0;
    for (int j = 0; j < n; j++) *log_det += 2 * log(chol[j + j * n]);
    return REF_FINE;
}

ref_verdict ref_woodbury(int n, const double *base, const double *s, double *chol, double *v, double *inverse,
                         double *log_det)
{
    ref_verdict verdict = factor(n, base, s, chol, log_det);
    if (verdict != REF_FINE) return verdict;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) v[i + j * n] = base[i + j * n] * s[i];
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, chol, n, v, n);
    memcpy(inverse, base, (size_t)n * (size_t)n * sizeof(double));
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, n, -1, v, n, 1, inverse, n);
    return REF_FINE;
}

void ref_mirror(int n, double *matrix)
{
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) matrix[j + i * n] = matrix[i + j * n];
}

/* Lines 5 to 10: lambda, and dg = dlambda/dx = y dlambda/dz. */
static void curvature(const ref_inputs *in, const double *x, double *lambda, double *dg)
{
    for (int i = 0; i < in->n; i++) {
        ref_probit site = ref_probit_terms(in->y[i] * x[i]);
        lambda[i] = in->beta * site.lambda;
        dg[i] = in->beta * in->y[i] * site.dlambda;
    }
}

/* Lines 14 to 18: G^-1 = (Lambda + K^-1)^-1. */
static ref_verdict prior_branch(const ref_inputs *in, ref_workspace *work, ref_metric *out)
{
    double log_det;
    ref_verdict verdict = ref_woodbury(in->n, in->k, work->s, work->chol, work->v, out->g_inv, &log_det);
    if (verdict == REF_FINE) out->log_det_g = -in->log_det_k + log_det;
    return verdict;
}

/* Lines 20 to 28: A^-1 = K^-1 + (1-beta) Sigma-tilde^-1, then G^-1 = (Lambda + A^-1)^-1. */
static ref_verdict approximation_branch(const ref_inputs *in, ref_workspace *work, ref_metric *out)
{
    int n = in->n;
    double *t = work->f, log_det_t, log_det_s;
    for (int i = 0; i < n; i++) t[i] = sqrt((1 - in->beta) * in->tau[i]);                      /* line 20 */
    ref_verdict verdict = ref_woodbury(n, in->k, t, work->chol, work->v, work->a, &log_det_t); /* 21-23 */
    if (verdict != REF_FINE) return verdict;
    ref_mirror(n, work->a);
    double log_det_a_inv = -in->log_det_k + log_det_t;                                        /* line 24 */
    verdict = ref_woodbury(n, work->a, work->s, work->chol, work->v, out->g_inv, &log_det_s); /* 25-27 */
    if (verdict == REF_FINE) out->log_det_g = log_det_a_inv + log_det_s;                      /* line 28 */
    return verdict;
}

ref_verdict ref_riemann_metric(const ref_inputs *in, const double *x, ref_workspace *work, ref_metric *out)
{
    work->metric_evaluations++;
    ref_derivatives(in, x, work, &out->value, out->gradient);           /* line 3 */
    curvature(in, x, work->lambda, out->dg);                            /* lines 5-10 */
    for (int i = 0; i < in->n; i++) work->s[i] = sqrt(work->lambda[i]); /* line 12 */
    if (in->q_is_prior) return prior_branch(in, work, out);             /* line 13 */
    return approximation_branch(in, work, out);                         /* line 19 */
}
