/* rmhmc.c: Algorithm 1 of the report: Riemannian manifold Hamiltonian Monte Carlo.
 *
 * The comment at line 7 says that the momentum is N(0, G^-1); the line computes N(0, G), which is correct:
 * with G^-1 = L L', p = L' \ xi has covariance (L L')^-1 = G.
 */
#include "reference/reference.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* to := from, both with memory for n sites (lines 9 and 34). */
static void copy_metric(int n, const ref_metric *from, ref_metric *to)
{
    size_t count = (size_t)n;
    to->value = from->value;
    to->log_det_g = from->log_det_g;
    memcpy(to->gradient, from->gradient, count * sizeof(double));
    memcpy(to->dg, from->dg, count * sizeof(double));
    memcpy(to->g_inv, from->g_inv, count * count * sizeof(double));
}

ref_verdict ref_draw_momentum(int n, const ref_metric *metric, const double *normals, ref_workspace *work,
                              double *p)
{
    memcpy(work->chol, metric->g_inv, (size_t)n * (size_t)n * sizeof(double));
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, work->chol, n) != 0) /* line 5 */
        return REF_NOT_POSITIVE_DEFINITE;
    memcpy(p, normals, (size_t)n * sizeof(double));                                           /* line 6 */
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, work->chol, n, p, 1); /* line 7 */
    return REF_FINE;
}

/* Lines 8 to 35: propose from (x, p), accept or reject. A proposal whose H is not a number is rejected. */
static void move(const ref_inputs *in, double uniform, ref_workspace *work, ref_record *record)
{
    ref_point *point = &work->point;
    size_t bytes = (size_t)in->n * sizeof(double);
    point->h = ref_hamiltonian_and_gradient(in->n, &point->metric, point->p, work->w, point->dh_dx); /* 8 */
    double h_old = point->h;                                                                         /* 9 */
    memcpy(work->x_old, point->x, bytes);
    copy_metric(in->n, &point->metric, &work->metric_old);
    ref_verdict verdict = ref_trajectory(in, work, point);        /* lines 11-29 */
    if (verdict == REF_FINE && uniform < exp(h_old - point->h)) { /* line 30 */
        record->accepted++;
        return;
    }
    if (verdict != REF_FINE) record->failed++;
    memcpy(point->x, work->x_old, bytes); /* line 34 */
    copy_metric(in->n, &work->metric_old, &point->metric);
}

ref_verdict ref_rmhmc(const ref_inputs *in, const double *normals, const double *uniforms,
                      ref_workspace *work, double *samples, double *energies, ref_record *record)
{
    size_t n = (size_t)in->n;
    ref_point *point = &work->point;
    *record = (ref_record){0};
    memcpy(point->x, in->x0, n * sizeof(double));                                 /* line 2 */
    ref_verdict verdict = ref_riemann_metric(in, point->x, work, &point->metric); /* line 3 */
    if (verdict != REF_FINE) return verdict;
    for (int t = 0; t < in->t_max; t++) { /* line 4 */
        const double *xi = normals + n * (size_t)t;
        verdict = ref_draw_momentum(in->n, &point->metric, xi, work, point->p); /* lines 5-7 */
        if (verdict != REF_FINE) return verdict;
        move(in, uniforms[t], work, record);                           /* lines 8-35 */
        memcpy(samples + n * (size_t)t, point->x, n * sizeof(double)); /* line 36 */
        energies[t] = -point->metric.value;                            /* line 37 */
    }
    return REF_FINE;
}
