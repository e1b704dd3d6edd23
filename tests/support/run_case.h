/* run_case.h: small problems with every feature of a run file, and draws given by a formula. */
#ifndef TALWEG_TESTS_RUN_CASE_H
#define TALWEG_TESTS_RUN_CASE_H

#include "talweg/run.h"

enum { RUN_N = 12, RUN_CHAINS = 3 };

/* RUN_KERNEL: Poisson counts with exposures, standardised inputs with names, a constant input that was
 * dropped, and a length scale for each input. RUN_MATRIX: a given matrix, labels -1 and +1. */
typedef enum run_kind { RUN_KERNEL, RUN_MATRIX } run_kind;
tw_status run_problem_new(tw_context *ctx, run_kind kind, tw_problem **out);

/* Facts in which all numbers differ. */
tw_run_facts run_facts(const tw_problem *problem);

/* Make draw `index` of all chains. The log likelihoods are those of x; a formula gives the rest. */
typedef struct run_draw {
    double x[RUN_N * RUN_CHAINS], log_likelihood[RUN_CHAINS];
    tw_record records[RUN_CHAINS];
    tw_draw draw;
} run_draw;
void run_draw_make(const tw_problem *problem, size_t index, run_draw *out);

/* A writer whose journal contains `draws` draws. */
tw_status run_begin(tw_context *ctx, const char *path, const tw_run_options *options,
                    const tw_problem *problem, size_t draws, tw_run_writer **out);

/* Write a complete file. */
tw_status run_write(tw_context *ctx, const char *path, const tw_run_options *options,
                    const tw_problem *problem, size_t draws);

#endif
