/* derivatives.c: Algorithm 4 of the report: the tempered log density and its gradient,
 *
 *     L_beta(x) = beta [sum_n log Phi(y_n x_n) + log N(x; 0, K)] + (1 - beta) log N(x; mu, Sigma).
 *
 * Lines 6 to 8 choose between two formulas for the hazard at z = -15, where they differ by 1.3e-5; here one
 * function serves all z. Line 18 is printed with the wrong sign for the prior.
 */
#include "reference/reference.h"

#include <cblas.h>
#include <string.h>

static const double log_two_pi = 1.83787706640934548356;

/* Lines 4 to 9: returns sum_n log Phi(y_n x_n); its gradient is stored in slope. */
static double log_likelihood(const ref_inputs *in, const double *x, double *slope)
{
    double sum = 0;
    for (int i = 0; i < in->n; i++) {
        ref_probit site = ref_probit_terms(in->y[i] * x[i]);
        sum += site.log_cdf;
        slope[i] = in->y[i] * site.hazard;
    }
    return sum;
}

/* On entry f = x - mean. Sets f := L \ f, returns f'f, and sets f := L' \ f, the inverse of the covariance
 * times (x - mean). */
static double solve(int n, const double *chol, double *f)
{
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, chol, n, f, 1);
    double square = cblas_ddot(n, f, 1, f, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, chol, n, f, 1);
    return square;
}

void ref_derivatives(const ref_inputs *in, const double *x, ref_workspace *work, double *value,
                     double *gradient)
{
    int n = in->n;
    double beta = in->beta, *f = work->f;
    double log_lik = log_likelihood(in, x, gradient); /* lines 4-9 */
    cblas_dscal(n, beta, gradient, 1);
    memcpy(f, x, (size_t)n * sizeof(double));
    double square = solve(n, in->chol_k, f); /* line 11 */
    *value = beta * log_lik - 0.5 * n * log_two_pi;
    if (in->q_is_prior) {                             /* line 12 */
        *value -= 0.5 * in->log_det_k + 0.5 * square; /* line 13 */
        cblas_daxpy(n, -1, f, 1, gradient, 1);        /* line 14 */
    } else {
        *value -= beta * (0.5 * in->log_det_k + 0.5 * square); /* line 17, the prior's part */
        cblas_daxpy(n, -beta, f, 1, gradient, 1);              /* line 18, with the sign corrected */
        for (int i = 0; i < n; i++) f[i] = x[i] - in->mu[i];
        square = solve(n, in->chol_sigma, f);                            /* line 16 */
        *value -= (1 - beta) * (0.5 * in->log_det_sigma + 0.5 * square); /* line 17, q's part */
        cblas_daxpy(n, -(1 - beta), f, 1, gradient, 1);                  /* line 18, q's part */
    }
}
