/* hyper_case.h: importance sampling squared on the three labels of orthants.h, with few points. */
#ifndef TALWEG_TESTS_HYPER_CASE_H
#define TALWEG_TESTS_HYPER_CASE_H

#include "talweg/hyper.h"

#define HYPER_ELL "log_ell ~ normal(0.3, 0.8)"
#define HYPER_SIGMA "log_sigma ~ normal(0.5, 1)"

/* Observations y of a function at x with normal noise. */
tw_problem *hyper_pose_gaussian(tw_context *ctx, const char *kernel, size_t n, const double *x,
                                const double *y);

/* The priors of a problem's parameters, given as text; NULL: no prior. */
tw_priors *hyper_priors(tw_problem *problem, const char *first, const char *second);

/* 128 points and a short joint run, on one thread. */
tw_hyper_options hyper_small(uint64_t seed);

/* Run in a new context with the prior `ell` for ell and HYPER_SIGMA for sigma, and pass the result to `look`
 * with `user`. */
void hyper_with_run(const char *ell, const tw_hyper_options *o,
                    void (*look)(const tw_problem *problem, const tw_hyper_result *r, void *user),
                    void *user);

#endif
