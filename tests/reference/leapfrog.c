/* leapfrog.c: Algorithm 2 of the report (Hamiltonian and gradient) and the inner loop of Algorithm 1: the
 * generalised leapfrog for the non-separable H(x, p) = -L(x) + 1/2 log |G(x)| + 1/2 p' G(x)^-1 p,
 *
 *     p(1/2) = p - eps/2 dH/dx(x, p(1/2))                                          (implicit)
 *     x(1)   = x + eps/2 [dH/dp(x, p(1/2)) + dH/dp(x(1), p(1/2))]                  (implicit)
 *     p(1)   = p(1/2) - eps/2 dH/dx(x(1), p(1/2)).
 */
#include "reference/reference.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static void velocity(int n, const ref_metric *metric, const double *p, double *w)
{
    cblas_dsymv(CblasColMajor, CblasLower, n, 1, metric->g_inv, n, p, 1, 0, w, 1);
}

double ref_hamiltonian_and_gradient(int n, const ref_metric *metric, const double *p, double *w,
                                    double *dh_dx)
{
    velocity(n, metric, p, w);
    for (int i = 0; i < n; i++)
        dh_dx[i] = 0.5 * metric->dg[i] * (metric->g_inv[i + i * n] - w[i] * w[i]) - metric->gradient[i];
    return 0.5 * cblas_ddot(n, p, 1, w, 1) + 0.5 * metric->log_det_g - metric->value;
}

/* Algorithm 2 at a phase point whose metric is current. */
static void refresh(ref_workspace *work, ref_point *point, const double *p)
{
    point->h = ref_hamiltonian_and_gradient(work->n, &point->metric, p, work->w, point->dh_dx);
}

ref_verdict ref_point_set(const ref_inputs *in, const double *x, const double *p, ref_workspace *work,
                          ref_point *point)
{
    memmove(point->x, x, (size_t)in->n * sizeof(double));
    memmove(point->p, p, (size_t)in->n * sizeof(double));
    ref_verdict verdict = ref_riemann_metric(in, point->x, work, &point->metric);
    if (verdict == REF_FINE) refresh(work, point, point->p);
    return verdict;
}

/* trial := from + step direction. Returns the norm of the change divided by 1 + the norm of trial; a NaN
 * propagates, so it meets no tolerance. */
static double advance(int n, const double *from, double step, const double *direction, double *trial)
{
    double change = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double next = from[i] + step * direction[i];
        change += (next - trial[i]) * (next - trial[i]);
        size += next * next;
        trial[i] = next;
    }
    return sqrt(change) / (1 + sqrt(size));
}

/* Lines 13 to 17: solve for p(1/2), by f_max iterations or, with a tolerance, until an increment is within
 * it. */
static ref_verdict momentum_half_step(const ref_inputs *in, ref_workspace *work, ref_point *point)
{
    size_t bytes = (size_t)in->n * sizeof(double);
    bool converged = in->tolerance == 0;
    memcpy(work->trial, point->p, bytes);
    for (int f = 1; f <= in->f_max; f++) {
        double change = advance(in->n, point->p, -0.5 * in->eps, point->dh_dx, work->trial); /* line 14 */
        refresh(work, point, work->trial);                                                   /* line 15 */
        if (in->tolerance > 0 && change <= in->tolerance) {
            converged = true;
            break;
        }
    }
    memcpy(point->p, work->trial, bytes); /* line 17 */
    return converged ? REF_FINE : REF_NOT_CONVERGED;
}

/* Lines 18 to 25: solve for x(1); the metric follows x. */
static ref_verdict position_step(const ref_inputs *in, ref_workspace *work, ref_point *point)
{
    int n = in->n;
    size_t bytes = (size_t)n * sizeof(double);
    bool converged = in->tolerance == 0;
    velocity(n, &point->metric, point->p, work->dh_dp); /* line 18 */
    memcpy(work->dh_dp_trial, work->dh_dp, bytes);      /* line 19 */
    memcpy(work->trial, point->x, bytes);
    for (int f = 1; f <= in->f_max; f++) {
        cblas_daxpy(n, 1, work->dh_dp, 1, work->dh_dp_trial, 1);
        double change = advance(n, point->x, 0.5 * in->eps, work->dh_dp_trial, work->trial); /* line 21 */
        ref_verdict verdict = ref_riemann_metric(in, work->trial, work, &point->metric);     /* line 22 */
        if (verdict != REF_FINE) return verdict;
        velocity(n, &point->metric, point->p, work->dh_dp_trial); /* line 23 */
        if (in->tolerance > 0 && change <= in->tolerance) {
            converged = true;
            break;
        }
    }
    memcpy(point->x, work->trial, bytes); /* line 25 */
    return converged ? REF_FINE : REF_NOT_CONVERGED;
}

ref_verdict ref_leapfrog_step(const ref_inputs *in, ref_workspace *work, ref_point *point)
{
    work->leapfrog_steps++;
    ref_verdict verdict = momentum_half_step(in, work, point);         /* lines 13-17 */
    if (verdict == REF_FINE) verdict = position_step(in, work, point); /* lines 18-25 */
    if (verdict != REF_FINE) return verdict;
    refresh(work, point, point->p);                                   /* line 26 */
    cblas_daxpy(in->n, -0.5 * in->eps, point->dh_dx, 1, point->p, 1); /* line 27 */
    refresh(work, point, point->p);                                   /* line 28 */
    return REF_FINE;
}

ref_verdict ref_trajectory(const ref_inputs *in, ref_workspace *work, ref_point *point)
{
    for (int l = 1; l <= in->l_max; l++) { /* lines 11-29 */
        ref_verdict verdict = ref_leapfrog_step(in, work, point);
        if (verdict != REF_FINE) return verdict;
    }
    return REF_FINE;
}
