/* reference.h: the report's Algorithms 1 to 4, transcribed step by step: RMHMC for Gaussian process
 * classification with a probit likelihood (Paquet and Fraccaro 2016).
 *
 * It is the oracle of the fast implementation and the baseline of its benchmarks. It is independent of src/
 * and not optimised: full matrices, all sites, and one BLAS or LAPACK routine for every step. Names follow
 * the report: k = K, chol_k = L^K, tau = diag(Sigma-tilde^-1), chol_sigma = L^Sigma, g = G, dg. Matrices are
 * n x n, column-major, with leading dimension n; a Cholesky factor is its lower triangle.
 *
 * Differences from the printed algorithms:
 *   - `derivatives`, else-branch: the prior's gradient enters as - beta (L^K)' \ f (printed with a plus);
 *   - probit terms by formulas without cancellation, in place of powers of exp(r) and of the asymptotic
 *     branch at z <= -15 (probit_terms.c);
 *   - a failed Cholesky factorisation rejects the trajectory, and tolerance > 0 solves the implicit equations
 *     to convergence; tolerance = 0 is the printed f_max iterations without a check of the residual.
 */
#ifndef TALWEG_TESTS_REFERENCE_H
#define TALWEG_TESTS_REFERENCE_H

#include <stdbool.h>

/* The verdict on a step. Everything but REF_FINE rejects the trajectory. */
typedef enum ref_verdict { REF_FINE, REF_NOT_POSITIVE_DEFINITE, REF_NOT_CONVERGED } ref_verdict;

/* At z: log Phi(z), hazard r = N(z)/Phi(z), curvature lambda = -d2 log Phi/dz2, and dlambda/dz. */
typedef struct ref_probit {
    double log_cdf, hazard, lambda, dlambda;
} ref_probit;
ref_probit ref_probit_terms(double z);

/* The inputs of Algorithm 1 (section 4.1 of the report). */
typedef struct ref_inputs {
    int n;
    double *y;            /* observations, -1 or +1 */
    double *k, *chol_k;   /* K, and K = L^K (L^K)' */
    double log_det_k;     /* log |K| */
    double *mu;           /* mean of q */
    double *tau;          /* diagonal of Sigma-tilde^-1: Sigma^-1 = K^-1 + diag(tau) */
    double *chol_sigma;   /* Sigma = L^Sigma (L^Sigma)' */
    double log_det_sigma; /* log |Sigma| */
    bool q_is_prior;      /* Sigma = K and mu = 0: the if-branches of Algorithms 3 and 4 */
    double beta;          /* inverse temperature */
    const double *x0;     /* starting point, the caller's */
    int l_max;            /* leapfrog steps per sample */
    double eps;           /* step size */
    int t_max;            /* samples */
    int f_max;            /* fixed-point iterations */
    double tolerance;     /* 0: exactly f_max iterations; > 0: see ref_leapfrog_step */
} ref_inputs;

/* Copy y, K and the sites (tau, and nu = Sigma^-1 mu), and compute the factors. If tau is NULL, or tau and nu
 * are all zero, q is the prior. The settings are the report's: beta = 1, x0 = NULL, l_max = 10, eps = 0.1,
 * t_max = 1, f_max = 5, tolerance = 0. Returns NULL if K or Sigma has no Cholesky factor. */
ref_inputs *ref_inputs_new(int n, const double *y, const double *k, const double *tau, const double *nu);
void ref_inputs_free(ref_inputs *in);

/* The result of `riemann-metric`. Only the lower triangle of g_inv is computed. */
typedef struct ref_metric {
    double value;     /* L_beta(x), with its normalising constants */
    double *gradient; /* dL_beta/dx */
    double *g_inv;    /* G(x)^-1 */
    double log_det_g; /* log |G(x)| */
    double *dg;       /* dG_nn/dx_n */
} ref_metric;

/* A phase point: position, momentum, and the quantities that Algorithm 1 keeps with them. */
typedef struct ref_point {
    double *x, *p;
    ref_metric metric; /* at x */
    double h;          /* H(x, p) */
    double *dh_dx;
} ref_point;

/* The memory of the loops, allocated once. */
typedef struct ref_workspace {
    int n;
    double *memory;
    ref_point point;                         /* the current point of Algorithm 1 */
    double *x_old;                           /* the start of the trajectory */
    ref_metric metric_old;                   /* the metric at x_old */
    double *chol, *v, *a;                    /* matrices of Algorithm 3: L, V, A */
    double *lambda, *s, *f;                  /* vectors of Algorithms 3 and 4 */
    double *w;                               /* G^-1 p of Algorithm 2 */
    double *trial, *dh_dp, *dh_dp_trial;     /* x' or p', dH/dp, (dH/dp)' */
    long metric_evaluations, leapfrog_steps; /* work done since ref_workspace_new */
} ref_workspace;
ref_workspace *ref_workspace_new(int n);
void ref_workspace_free(ref_workspace *work);

/* The Woodbury step of Algorithm 3, also used for Sigma: with S = diag(s) and B = I + S base S = L L',
 *   inverse = (base^-1 + S S)^-1 = base - V'V,  V = L \ (S base),  and *log_det = log |B|.
 * base must be stored in full; only the lower triangle of inverse is written. chol and v are overwritten. */
ref_verdict ref_woodbury(int n, const double *base, const double *s, double *chol, double *v, double *inverse,
                         double *log_det);

/* Fill the upper triangle of a symmetric matrix from its lower one. */
void ref_mirror(int n, double *matrix);

/* Algorithm 4: *value = L_beta(x) and gradient = dL_beta/dx. Uses work->f. */
void ref_derivatives(const ref_inputs *in, const double *x, ref_workspace *work, double *value,
                     double *gradient);

/* Algorithm 3: the metric and its derivatives at x. */
ref_verdict ref_riemann_metric(const ref_inputs *in, const double *x, ref_workspace *work, ref_metric *out);

/* Algorithm 2: returns H(x, p) without (N/2) log(2 pi); sets dh_dx = dH/dx and w = G^-1 p = dH/dp. */
double ref_hamiltonian_and_gradient(int n, const ref_metric *metric, const double *p, double *w,
                                    double *dh_dx);

/* Set a phase point to (x, p), which are copied, with its metric, H and dH/dx. */
ref_verdict ref_point_set(const ref_inputs *in, const double *x, const double *p, ref_workspace *work,
                          ref_point *point);

/* Lines 5 to 7 of Algorithm 1: p ~ N(0, G) from n standard normals. Uses work->chol. */
ref_verdict ref_draw_momentum(int n, const ref_metric *metric, const double *normals, ref_workspace *work,
                              double *p);

/* Lines 12 to 28 of Algorithm 1: one step of the generalised leapfrog, in place. tolerance > 0 (a deviation,
 * for comparisons): iterate until an increment is at most tolerance (1 + norm of the iterate), at most f_max
 * times; REF_NOT_CONVERGED if that does not suffice. */
ref_verdict ref_leapfrog_step(const ref_inputs *in, ref_workspace *work, ref_point *point);

/* l_max such steps; stops at the first failure. */
ref_verdict ref_trajectory(const ref_inputs *in, ref_workspace *work, ref_point *point);

typedef struct ref_record {
    int accepted; /* proposals accepted */
    int failed;   /* trajectories that failed, and were rejected */
} ref_record;

/* Algorithm 1. The random numbers are inputs: normals, n per sample, and uniforms, one per sample. samples is
 * n x t_max, energies has t_max elements. Fails if the metric at x0, or a factor of G^-1, fails. */
ref_verdict ref_rmhmc(const ref_inputs *in, const double *normals, const double *uniforms,
                      ref_workspace *work, double *samples, double *energies, ref_record *record);

#endif
