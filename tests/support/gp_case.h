/* gp_case.h: a probit Gaussian process with a reference, as a target at one temperature, for tests of
 * dynamics and samplers. */
#ifndef TALWEG_TESTS_GP_CASE_H
#define TALWEG_TESTS_GP_CASE_H

#include "model/model.h"
#include "support/problem.h"

/* q = prior; q from sites, open or folded; q = N(mu, Sigma). */
typedef enum gp_form { GP_PRIOR, GP_OPEN, GP_FOLDED, GP_DENSE } gp_form;

typedef struct gp_setting {
    size_t n;
    uint64_t seed;
    double cond;  /* a bound on cond(K) */
    double scale; /* K is 2 scale times a correlation matrix: the larger, the more skewed the posterior */
    gp_form form;
    double beta;
} gp_setting;

typedef struct gp_case {
    tw_context *ctx;
    test_problem *problem; /* with K already scaled */
    tw_model *model;
    tw_reference *reference;
    tw_target *target;
} gp_case;

gp_case gp_case_new(const gp_setting *setting);

/* The same for given K and labels (n x n and n, copied into problem). */
gp_case gp_case_from(const gp_setting *setting, const double *k, const double *y);

/* Frees everything, and asserts that the context holds no memory. */
void gp_case_free(gp_case *c);

/* A reference of this form on a model: N(0.3 nu, Sigma) with Sigma = 0.7 K + 0.2 I for GP_DENSE. */
tw_reference *gp_reference(const test_problem *problem, const tw_model *model, gp_form form);

#endif
