/* hyper_oracle.h: real data with an oracle: posteriors of kernel parameters and evidence of whole models, by
 * annealed importance sampling on a grid of parameters (TALWEG_SHARED/oracles/hyper.json; tests are skipped
 * if it is absent). */
#ifndef TALWEG_TESTS_HYPER_ORACLE_H
#define TALWEG_TESTS_HYPER_ORACLE_H

#include <jansson.h>

#include "talweg/hyper.h"

/* The standard errors of summaries of S independent draws from a normal distribution, in units of
 * sd / sqrt(S): 1/sqrt(2) for the standard deviation, and sqrt(p (1 - p)) / N(z_p) for the quantile p, so
 * sqrt(pi/2) for the median and 2.11 for the quantiles 0.05 and 0.95. S is the effective number of points. */
#define HYPER_ORACLE_SD 0.7071
#define HYPER_ORACLE_Q50 1.2533
#define HYPER_ORACLE_Q05 2.1132

/* Run on crabs, Pima and coal-mining disasters; pass each result to `look` with its case of the oracle. */
typedef void hyper_oracle_look(const json_t *item, const tw_hyper_result *r);
void hyper_oracle_run(const tw_hyper_options *o, hyper_oracle_look *look);

double hyper_oracle_number(const json_t *object, const char *name);

/* Check log p(y) within 4 joint errors. */
void hyper_oracle_check_evidence(const json_t *item, const tw_estimate *e);

/* Print the deviation of each row from the oracle's. */
void hyper_oracle_print_rows(const json_t *item, const tw_hyper_result *r);

/* Check means within 4 joint errors, and standard deviations and quantiles within 0.03 sd plus `scores` of
 * their own standard errors. */
void hyper_oracle_check_rows(const json_t *item, const tw_hyper_result *r, double scores);

#endif
