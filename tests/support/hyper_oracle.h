/* hyper_oracle.h: real data with an oracle: posteriors of kernel parameters and evidence of whole models by annealed importance sampling on a grid of
 * parameters (TALWEG_SHARED/oracles/hyper.json; tests are skipped where that is absent). */
#ifndef TALWEG_TESTS_HYPER_ORACLE_H
#define TALWEG_TESTS_HYPER_ORACLE_H

#include <jansson.h>

#include "talweg/hyper.h"

/* The standard error of a summary of S independent draws from a normal distribution, in units of sd / sqrt(S): of the standard deviation 1/sqrt(2), of the
 * quantile p sqrt(p (1 - p)) / N(z_p), so sqrt(pi/2) of the median and 2.11 of the quantiles 0.05 and 0.95. S is the effective number of points. */
#define HYPER_ORACLE_SD 0.7071
#define HYPER_ORACLE_Q50 1.2533
#define HYPER_ORACLE_Q05 2.1132

/* Run on crabs, Pima and coal-mining disasters; each result is handed to `look`, with its case of the oracle. */
typedef void hyper_oracle_look(const json_t *item, const tw_hyper_result *r);
void hyper_oracle_run(const tw_hyper_options *o, hyper_oracle_look *look);

double hyper_oracle_number(const json_t *object, const char *name);

/* log p(y) within 4 joint errors. */
void hyper_oracle_check_evidence(const json_t *item, const tw_estimate *e);

/* How far each row is from the oracle's. */
void hyper_oracle_print_rows(const json_t *item, const tw_hyper_result *r);

/* Means within 4 joint errors; standard deviations and quantiles within 0.03 sd and so many standard errors of their own. */
void hyper_oracle_check_rows(const json_t *item, const tw_hyper_result *r, double scores);

#endif
