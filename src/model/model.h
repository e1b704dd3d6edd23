/* model.h: the structs of model, reference and target, for the rooms below. */
#ifndef TALWEG_MODEL_MODEL_H
#define TALWEG_MODEL_MODEL_H

#include "gaussian/dense.h"
#include "likelihood/partial.h"
#include "talweg/model.h"

struct tw_model {
    tw_context *ctx;
    size_t n;
    tw_gaussian *prior; /* N(0, K), with the jitter on the diagonal of K */
    tw_gaussian_report report;
    tw_observations observed; /* points to `values` */
    double *values;           /* y, the columns and phi */
    tw_partial *partial;      /* the likelihood if some sites are not observed; else NULL */
};

/* A model whose prior is any Gaussian of mean 0 with as many sites as there are observations. The model takes
 * ownership of it, also if the call fails. */
tw_status tw_model_from_gaussian(tw_gaussian *prior, const tw_observations *observed, tw_model **out);

/* agree.c: check that all members of the context's team have these observations, these inputs (n x d,
 * contiguous; may be NULL), and a kernel with these parameters (may be NULL). If not, all members fail with
 * TW_BAD_ARGUMENT. All members call it together. */
tw_status tw_model_agree(tw_context *ctx, const tw_observations *observed, size_t d, const double *x,
                         const tw_kernel *kernel);

/* The number of threads that may use the model, given the requested number (0 means 1): one if several
 * processes call its prior together. */
size_t tw_model_threads(const tw_model *model, size_t threads);

typedef enum tw_reference_kind {
    TW_REFERENCE_PRIOR,
    TW_REFERENCE_SITES,
    TW_REFERENCE_GAUSSIAN
} tw_reference_kind;

struct tw_reference {
    tw_context *ctx;
    const tw_model *model;
    tw_reference_kind kind;
    double *tau, *nu;            /* sites: n each; else NULL */
    double log_z;                /* sites: log Z_q; else 0 */
    const tw_gaussian *gaussian; /* N(mu, Sigma): `own`, or the model's prior */
    tw_gaussian *own;            /* NULL for the prior */
};

struct tw_target {
    tw_context *ctx;
    const tw_model *model;
    const tw_reference *reference;
    bool folded;
    double beta;

    const tw_gaussian *base; /* N(m, A): the model's prior, or `own` */
    double log_constant;     /* L_b(x) = log N(x; m, A) + sum of site terms + log_constant */

    /* Gaussian sites of the open form, (1 - b) tau and (1 - b) nu; NULL otherwise. */
    double *site_tau, *site_nu;

    tw_gaussian *own; /* the tempered base of a folded target, else NULL */
};

/* Sums over the sites of one column: log p(y | x), and the tempered site terms of L_b. */
typedef struct tw_site_sums {
    double log_likelihood, tempered;
} tw_site_sums;

/* The effective site terms at x (n): slope, curvature and its slope, n each; each of them, and sums, may be
 * NULL. */
void tw_target_sites(const tw_target *target, const double *x, double *slope, double *lambda, double *dlambda,
                     tw_site_sums *sums);

/* The slopes alone, in single precision. */
void tw_target_slopes_single(const tw_target *target, const float *x, float *slope);

/* The rest of L_b: L_b = tempered sites - v'v/2 + this. */
double tw_target_base_constant(const tw_target *target);

/* ---- cross.c ---- */

/* Whether new cases depend on the prior through its variables, because it has no covariance function. If so,
 * tw_model_cross_determined does the same as tw_model_cross for all new cases; the variables must determine
 * all of them: x* = C* u. */
bool tw_model_sees_variables(const tw_kernel *kernel);
tw_status tw_model_cross_determined(const tw_model *model, const tw_kernel *kernel, const tw_data *train,
                                    const tw_data *at, double *cross, double *diagonal);

#endif
