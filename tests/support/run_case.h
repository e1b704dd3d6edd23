/* run_case.h: small problems with everything that a run file keeps, and draws made of a formula. */
#ifndef TALWEG_TESTS_RUN_CASE_H
#define TALWEG_TESTS_RUN_CASE_H

#include "talweg/run.h"

enum { RUN_N = 12, RUN_CHAINS = 3 };

/* KERNEL: Poisson counts with exposures, standardised inputs with names, of which a constant one was dropped, a
 * length scale for each. MATRIX: a given matrix, labels -1 and +1. */
typedef enum run_kind { RUN_KERNEL, RUN_MATRIX } run_kind;
tw_status run_problem_new(tw_context *ctx, run_kind kind, tw_problem **out);

/* Facts with a different number everywhere. */
tw_run_facts run_facts(const tw_problem *problem);

/* Draw `index` of all chains into x (RUN_N x RUN_CHAINS), log_likelihood and records (RUN_CHAINS each). The log
 * likelihoods are those of x, the rest is a formula. */
typedef struct run_draw {
    double x[RUN_N * RUN_CHAINS], log_likelihood[RUN_CHAINS];
    tw_record records[RUN_CHAINS];
    tw_draw draw;
} run_draw;
void run_draw_make(const tw_problem *problem, size_t index, run_draw *out);

/* A writer with `draws` draws in its journal. */
tw_status run_begin(tw_context *ctx, const char *path, const tw_run_options *options,
                    const tw_problem *problem, size_t draws, tw_run_writer **out);

/* A whole file. */
tw_status run_write(tw_context *ctx, const char *path, const tw_run_options *options,
                    const tw_problem *problem, size_t draws);

#endif
