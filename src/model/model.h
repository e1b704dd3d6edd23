/* model.h: the insides of model, reference and target, for the rooms below. */
#ifndef TALWEG_MODEL_MODEL_H
#define TALWEG_MODEL_MODEL_H

#include "linalg/factor.h"
#include "talweg/model.h"

struct tw_model {
    tw_context *ctx;
    size_t n;
    double *k;         /* n x n, with the jitter on its diagonal */
    tw_factor *factor; /* L_K */
    tw_factor_report report;
    const tw_likelihood *likelihood;
    double *y;
    double *w; /* or NULL */
};

/* Can m new cases with covariances `cross` (n x m) and prior variances `diagonal` belong to one Gaussian with
 * the model's own? Then k** is at least k' K^-1 k, but for rounding; else an error names the first that
 * cannot. */
tw_status tw_model_check_new(const tw_model *model, size_t m, const double *cross, const double *diagonal);

typedef enum tw_reference_kind {
    TW_REFERENCE_PRIOR,
    TW_REFERENCE_SITES,
    TW_REFERENCE_GAUSSIAN
} tw_reference_kind;

struct tw_reference {
    tw_context *ctx;
    const tw_model *model;
    tw_reference_kind kind;
    double *tau, *nu;  /* sites: n each; else NULL */
    double log_z;      /* sites: log Z_q; else 0 */
    double *mean;      /* mu, n; NULL for the prior */
    tw_factor *factor; /* L_Sigma; NULL for the prior */
};

struct tw_target {
    tw_context *ctx;
    const tw_model *model;
    const tw_reference *reference;
    bool folded;
    double beta;

    /* The base N(mean, A): these point to the model's own, or to what the target owns below. */
    const tw_factor *factor;
    const double *covariance; /* A, n x n; the upper triangle is to be read */
    const double *mean;       /* NULL: zero */
    double log_constant;      /* L_b(x) = log N(x; m, A) + sum of site terms + log_constant */

    /* Gaussian sites of the open form, (1 - b) tau and (1 - b) nu; NULL otherwise. */
    double *site_tau, *site_nu;

    /* Owned by a folded target, else NULL. */
    tw_factor *own_factor;
    double *own_covariance; /* only where the factor has no room for it */
    double *own_mean;
    double *work; /* 2n: shift and h */
};

/* Sums over the sites of one column: log p(y | x), and the site terms as they enter L_b. */
typedef struct tw_site_sums {
    double log_likelihood, tempered;
} tw_site_sums;

/* The effective site terms at x (n): slope, curvature and its slope, n each, NULL where not wanted; sums NULL
 * likewise. */
void tw_target_sites(const tw_target *target, const double *x, double *slope, double *lambda, double *dlambda,
                     tw_site_sums *sums);

/* What is left of L_b: L_b = tempered sites - v'v/2 + this. */
double tw_target_base_constant(const tw_target *target);

#endif
