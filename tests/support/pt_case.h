/* pt_case.h: a model with EP and the prior as references, for tests of parallel tempering. */
#ifndef TALWEG_TESTS_PT_CASE_H
#define TALWEG_TESTS_PT_CASE_H

#include "talweg/approximate.h"
#include "talweg/evidence.h"

typedef struct pt_case {
    tw_context *ctx;
    tw_model *model;
    tw_approximation *ep;
    tw_reference *prior;
} pt_case;

pt_case pt_case_new(size_t n, const double *k, const tw_likelihood *likelihood, const double *y,
                    const double *w);
pt_case pt_case_of(size_t n); /* n probit sites */
void pt_case_free(pt_case *f);

/* Options for HMC with EP's metric. */
tw_pt_options pt_case_options(const pt_case *f, size_t steps, size_t warmup, size_t rounds);

/* Run, and fail the test unless it succeeds. */
void pt_case_run(const pt_case *f, const tw_reference *from, const tw_pt_options *o, tw_estimate out[2],
                 tw_pt_report *report);

#endif
